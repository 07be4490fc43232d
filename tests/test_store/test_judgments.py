"""Judgments come in, stay the same when they come again, and are read as they came."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from store.backup import check
from store.errors import ConflictError, ImportFormatError
from store.history import list_events
from store.importers.bundle import (
    BundleCriterion,
    BundleItem,
    BundlePreference,
    BundleRating,
)
from store.ingest import ingest
from store.ingest.report import summarise
from store.judgments import (
    get_criterion,
    list_annotators,
    list_criteria,
    load_item_judgments,
    load_ratings,
)

NAN = float("nan")
MOMENT = datetime(2024, 5, 1, 12, tzinfo=UTC)


def test_ratings_are_read_in_the_order_of_item_system_and_annotator(filled):
    found = load_ratings(filled, "qa", "fluency")
    assert found.systems == ("A", "B")
    assert found.item_keys == ("i0", "i1", "i2", "i3")
    assert [annotator.name for annotator in found.annotators] == ["ann", "bob"]
    assert found.item.tolist() == [0, 0, 0, 2]
    assert found.system.tolist() == [0, 0, 1, 1]
    assert found.annotator.tolist() == [0, 1, 0, 0]
    assert found.value.tolist() == [2, 1, 5, 4]
    assert found.replicate.tolist() == [0, 0, 0, 0]
    assert (found.item.dtype, found.value.dtype) == (np.int64, np.float64)
    with pytest.raises(ValueError, match="read-only"):
        found.value[0] = 3


def test_criterion_counts_what_was_judged(filled):
    [found] = list_criteria(filled)
    counts = (found.n_annotators, found.n_judgments, found.n_items, found.n_systems)
    assert counts == (2, 4, 2, 2)
    assert (found.kind, found.level, found.lower, found.upper) == ("rating", "interval", 1, 5)
    assert get_criterion(filled, "qa", found.uid) == found
    assert list_criteria(filled, "qa") == [found]


def test_annotators_count_what_they_judged(filled, compared):
    ingest(filled, compared(("ann", 3, "A", "B", "tie"), annotators={"ann": "human"}), actor="t")
    found = {a.name: (a.n_ratings, a.n_preferences, a.n_items) for a in list_annotators(filled)}
    assert found == {"ann": (3, 1, 3), "bob": (1, 0, 1)}


def test_report_says_what_came_in(store, rated):
    report = ingest(store, rated(("ann", 0, "A", 1.0), ("bob", 0, "A", 2.0)), actor="t")
    assert report.criteria_added == ["fluency"]
    assert summarise([report]) == "4 items added, 2 judgments added, 2 annotators added"
    assert report.understood == ["Metric 'fluency [human: mean of annotators]': 1 system, 1 item."]


def test_the_same_again_changes_nothing(filled, rated):
    before = filled.revision()
    again = rated(("bob", 0, "A", 1.0), ("ann", 2, "B", 4.0))
    report = ingest(filled, again, actor="t")
    assert summarise([report]) == "2 judgments unchanged"
    assert not report.changed
    assert filled.revision() == before


def test_items_are_found_by_key_in_any_order(filled, rated):
    sent = rated(("ann", 0, "B", 4.0), ("ann", 1, "B", 5.0))
    [dataset] = sent.datasets
    turned = [BundleItem("i2"), BundleItem("i0"), BundleItem("new")]
    report = ingest(filled, replace(sent, datasets=[replace(dataset, items=turned)]), actor="t")
    assert (report.n("judgment", "unchanged"), report.n("item", "added")) == (2, 1)


def test_systems_are_found_by_alias(filled, rated, bundle, run):
    ingest(filled, replace(bundle({"A": [1.0] * 4}), aliases={"A": ["model a"]}), actor="t")
    report = ingest(filled, rated(("ann", 0, "model a", 2.0)), actor="t")
    assert (report.n("judgment", "unchanged"), report.systems_added) == (1, [])


def test_another_value_is_a_conflict_and_nothing_is_written(filled, rated):
    before = filled.revision()
    sent = rated(("new", 1, "A", 3.0), ("bob", 0, "A", 4.0))
    with pytest.raises(ConflictError) as raised:
        ingest(filled, sent, actor="t")
    assert str(raised.value) == (
        "judged.csv: The store holds the rating of 'A' by 'bob' on item 'i0' of dataset 'qa' for "
        "'fluency' as 1, the file says 4. Nothing was written. If the file is right, repeat with "
        "--replace (the old value stays in the audit trail); if these are further ratings, number "
        "them as replicates."
    )
    assert filled.revision() == before
    assert len(list_annotators(filled)) == 2


def test_replace_takes_the_new_value_and_keeps_the_old_in_the_audit_trail(filled, rated):
    report = ingest(filled, rated(("bob", 0, "A", 4.0)), actor="t", replace=True)
    assert summarise([report]) == "1 judgment replaced"
    assert load_ratings(filled, "qa", "fluency").value.tolist() == [2, 4, 5, 4]
    criterion = get_criterion(filled, "qa", "fluency")
    [event] = [e for e in list_events(filled, target_uid=criterion.uid) if e.action == "replace"]
    assert event.detail["judgments"] == [
        {"annotator": "bob", "item": "i0", "system": "A", "replicate": 0, "old": 1.0, "new": 4.0}
    ]
    assert check(filled) == []


def test_replicates_are_several_ratings_of_the_same(store, rated):
    rows = [BundleRating(0, "ann", 0, "A", float(k + 1), replicate=k) for k in range(3)]
    ingest(store, rated(*rows), actor="t")
    found = load_ratings(store, "qa", "fluency")
    assert found.replicate.tolist() == [0, 1, 2]
    assert found.value.tolist() == [1, 2, 3]


@pytest.mark.parametrize("system", ["A", None])
def test_the_same_twice_in_a_file_is_refused(store, rated, system):
    with pytest.raises(ImportFormatError, match=r"is there twice\. Number the repeats"):
        ingest(store, rated(("ann", 0, system, 1.0), ("ann", 0, system, 1.0)), actor="t")


def test_items_themselves_can_be_judged(store, rated):
    said = {"level": "nominal", "labels": ["yes", "no"], "lower": None, "upper": None}
    ingest(store, rated(("ann", 1, None, 1.0), ("bob", 1, None, 0.0), **said), actor="t")
    found = load_ratings(store, "qa", "fluency")
    assert found.system.tolist() == [-1, -1]
    assert found.systems == ()
    assert found.criterion.n_systems == 0
    judged = load_item_judgments(store, "qa", "i1")
    assert [(r.annotator, r.system, r.label) for r in judged.ratings] == [
        ("ann", None, "no"),
        ("bob", None, "yes"),
    ]


def test_labels_are_recognised_by_name_whatever_their_order(store, rated):
    said = {"level": "nominal", "lower": None, "upper": None}
    ingest(store, rated(("ann", 0, None, 0.0), labels=["yes", "no"], **said), actor="t")
    again = rated(("ann", 0, None, 1.0), ("bob", 0, None, 2.0), labels=["no", "yes", "?"], **said)
    report = ingest(store, again, actor="t")
    assert (report.n("judgment", "unchanged"), report.n("judgment", "added")) == (1, 1)
    assert get_criterion(store, "qa", "fluency").labels == ("yes", "no", "?")
    assert load_ratings(store, "qa", "fluency").value.tolist() == [0, 2]


def test_no_value_is_kept_as_no_value(store, rated):
    ingest(store, rated(("ann", 0, "A", NAN), ("bob", 0, "A", 3.0)), actor="t")
    report = ingest(store, rated(("ann", 0, "A", NAN)), actor="t")
    assert report.n("judgment", "unchanged") == 1
    np.testing.assert_array_equal(load_ratings(store, "qa", "fluency").value, [NAN, 3])
    with pytest.raises(ConflictError, match="as no value, the file says 2"):
        ingest(store, rated(("ann", 0, "A", 2.0)), actor="t")


def test_time_is_filled_in_where_it_was_not_known(filled, rated):
    report = ingest(filled, rated(BundleRating(0, "bob", 0, "A", 1.0, 0, MOMENT)), actor="t")
    assert (report.n("judgment", "unchanged"), report.n("detail", "filled in")) == (1, 1)
    found = load_item_judgments(filled, "qa", "i0").ratings
    assert [r.judged_at for r in found if r.annotator == "bob"] == [MOMENT]


@pytest.mark.parametrize(
    ("row", "said", "message"),
    [
        (
            ("ann", 2, "A", 7.0),
            {},
            "judged.csv, field 'fluency': the rating of 'A' by 'ann' on item 'i2' is 7, but the "
            "scale goes from 1 to 5.",
        ),
        (
            ("ann", 2, "A", 0.5),
            {"upper": None},
            "judged.csv, field 'fluency': the rating of 'A' by 'ann' on item 'i2' is 0.5, but the "
            "scale goes from 1 to inf.",
        ),
        (
            ("ann", 2, None, 2.0),
            {"level": "nominal", "labels": ["a", "b"], "lower": None, "upper": None},
            "judged.csv, field 'fluency': the rating by 'ann' on item 'i2' is 2, but there are "
            "labels for 0 to 1 only.",
        ),
        (
            ("ann", 2, None, 0.5),
            {"level": "nominal", "labels": ["a", "b"], "lower": None, "upper": None},
            "judged.csv, field 'fluency': the rating by 'ann' on item 'i2' is 0.5, but there are "
            "labels for 0 to 1 only.",
        ),
    ],
)
def test_values_must_fit_the_scale(store, rated, row, said, message):
    with pytest.raises(ImportFormatError) as raised:
        ingest(store, rated(row, **said), actor="t")
    assert str(raised.value) == message
    assert list_criteria(store) == []


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ({"level": "ordinal"}, "another level: interval; this import says ordinal"),
        ({"higher_is_better": False}, "another direction: higher; this import says lower"),
        ({"upper": 7.0}, "another upper bound: 5.0; this import says 7.0"),
        ({"kind": "preference"}, "another kind: rating; this import says preference"),
    ],
)
def test_another_scale_is_a_conflict(filled, rated, said, what):
    with pytest.raises(ConflictError, match=what):
        ingest(filled, rated(**said), actor="t", replace=True)


def test_bounds_and_question_are_filled_in_where_they_were_not_known(store, rated):
    ingest(store, rated(("ann", 0, "A", 4.0), lower=None, upper=None), actor="t")
    with pytest.raises(ConflictError, match="upper bound 3; the store holds a rating of 4"):
        ingest(store, rated(upper=3.0), actor="t")
    report = ingest(store, rated(question="How fluent?"), actor="t")
    assert report.n("detail", "filled in") == 3
    found = get_criterion(store, "qa", "fluency")
    assert (found.lower, found.upper, found.question) == (1, 5, "How fluent?")
    assert not ingest(store, rated(lower=None, upper=None), actor="t").changed


def test_annotator_of_another_kind_is_a_conflict(filled, rated):
    sent = rated(annotators={"bob": "model"})
    assert not ingest(filled, sent, actor="t").changed  # bob judges nothing here
    sent = rated(("bob", 1, "A", 2.0), annotators={"bob": "model"})
    with pytest.raises(ConflictError, match="'bob' as human, this import has it as model"):
        ingest(filled, sent, actor="t")
    ingest(filled, sent, actor="t", replace=True)
    assert {a.name: a.kind for a in list_annotators(filled)} == {"ann": "human", "bob": "model"}
    assert load_ratings(filled, "qa", "fluency", kind="model").value.tolist() == [1, 2]
    assert load_ratings(filled, "qa", "fluency", kind="human").annotators[0].name == "ann"
    ingest(filled, rated(("bob", 2, "A", 2.0)), actor="t")  # not said again: it stays a model
    assert load_ratings(filled, "qa", "fluency", kind="model").value.tolist() == [1, 2, 2]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"criteria": [BundleCriterion("x", 0), BundleCriterion("x", 0)]}, "'x' twice"),
        ({"criteria": [BundleCriterion("x", 0, "error-spans")]}, "wrong weights"),
        ({"criteria": [BundleCriterion("x", 0, weights={"a": 1})]}, "wrong weights"),
        ({"criteria": [BundleCriterion("x", 0, level="nominal")]}, "without labels"),
        ({"criteria": [BundleCriterion("x", 0, labels=["a", "a"])]}, "a label twice"),
        ({"criteria": [BundleCriterion("x", 0, "preference")]}, "built a rating for 'x'"),
        ({"preferences": [BundlePreference(0, "a", 0, "A", "B", "tie")]}, "built a preference"),
        ({"ratings": [BundleRating(0, "a", 0, "A", float("inf"))]}, "infinite rating"),
    ],
)
def test_importers_mistakes_are_errors_of_ours(store, rated, change, said):
    with pytest.raises(ValueError, match=said):
        ingest(store, replace(rated(("ann", 0, "A", 3.0)), **change), actor="t")


# --- marked errors -------------------------------------------------------------------------------
