"""Judgments come in, stay the same when they come again, and are read as they came."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.backup import check
from store.errors import ConflictError, ImportFormatError, NotFoundError, StoreError
from store.history import list_events
from store.importers.bundle import (
    BundleCriterion,
    BundleErrorSpan,
    BundleItem,
    BundlePreference,
    BundleRating,
)
from store.ingest import ingest
from store.ingest.report import summarise
from store.judgments import (
    change_weights,
    get_criterion,
    list_annotators,
    list_criteria,
    load_item_judgments,
    load_item_properties,
    load_preferences,
    load_ratings,
)
from store.lifecycle import delete, purge, restore
from store.results_cache import data_fingerprint

NAN = float("nan")
MOMENT = datetime(2024, 5, 1, 12, tzinfo=UTC)
WEIGHTS = {"Major": 5.0, "Minor": 1.0, "Minor Fluency/Punctuation": 0.1}


@pytest.fixture
def filled(store, rated):
    """Return a store with two annotators, two systems and four items."""
    ingest(
        store,
        rated(
            ("ann", 2, "B", 4.0), ("ann", 0, "B", 5.0), ("bob", 0, "A", 1.0), ("ann", 0, "A", 2.0)
        ),
        actor="t",
    )
    return store


def marked(rated, *spans: BundleErrorSpan, weights=None, item=0, annotator="ann", **more):
    row = BundleRating(0, annotator, item, "A", NAN, spans=spans, **more)
    return rated(
        row, name="mqm", kind="error-spans", weights=weights or WEIGHTS, lower=None, upper=None
    )


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


def test_errors_weigh_what_the_longest_fitting_weight_says(store, rated):
    spans = [
        BundleErrorSpan("major", "Accuracy/Addition", 1, 3, "xy"),
        BundleErrorSpan("Minor", "Fluency/Grammar"),
        BundleErrorSpan("Minor", "Fluency/Punctuation/Comma", in_source=True, note="n"),
    ]
    ingest(store, marked(rated, *spans), actor="t")
    ingest(store, marked(rated, item=1), actor="t")
    found = load_ratings(store, "qa", "mqm")
    assert found.value.tolist() == [6.1, 0]
    assert not found.criterion.higher_is_better
    [judged] = load_item_judgments(store, "qa", "i0").ratings
    assert [span.weight for span in judged.spans] == [5, 1, 0.1]
    assert judged.spans[0].to_dict() == {
        "severity": "major", "category": "Accuracy/Addition", "start": 1, "end": 3, "text": "xy",
        "in_source": False, "note": "", "weight": 5.0,
    }  # fmt: skip
    assert judged.spans[2].in_source


def test_an_error_that_no_weight_fits_is_refused(store, rated):
    with pytest.raises(ImportFormatError) as raised:
        ingest(store, marked(rated, BundleErrorSpan("Critical", "Accuracy")), actor="t")
    assert str(raised.value) == (
        "judged.csv, field 'mqm': the rating of 'A' by 'ann' on item 'i0': no weight fits the "
        "error 'Critical Accuracy'; there are weights for Major 5, Minor 1, Minor "
        "Fluency/Punctuation 0.1. Give it one with --option weights, or with `tiebreak weights` "
        "where the store has the criterion."
    )


@pytest.mark.parametrize("severity", ["Majority", "Maj", "Minor Fluency/Punctuation"])
def test_severities_are_whole_words(store, rated, severity):
    sent = marked(rated, BundleErrorSpan(severity), weights={"Major": 5, "Minor Fluency": 1})
    with pytest.raises(ImportFormatError, match="no weight fits"):
        ingest(store, sent, actor="t")


def test_negative_weights_are_refused(store, rated):
    sent = marked(rated, weights={"Major": -5.0})
    with pytest.raises(ImportFormatError, match="'Major' is a penalty: a number from 0, not -5"):
        ingest(store, sent, actor="t")


def test_other_errors_are_another_judgment(store, rated):
    first = marked(rated, BundleErrorSpan("Major", "A"))
    ingest(store, first, actor="t")
    assert not ingest(store, first, actor="t").changed
    other = marked(rated, BundleErrorSpan("Major", "B"))
    with pytest.raises(ConflictError, match="for 'mqm' with other marked errors"):
        ingest(store, other, actor="t")
    ingest(store, other, actor="t", replace=True)
    [judged] = load_item_judgments(store, "qa", "i0").ratings
    assert [span.category for span in judged.spans] == ["B"]
    uid = get_criterion(store, "qa", "mqm").uid
    [event] = [e for e in list_events(store, target_uid=uid) if e.action == "replace"]
    [told] = event.detail["judgments"]
    assert told["old_errors"] == [["Major", "A", None, None, "", False, ""]]


def test_weights_can_be_changed_and_ratings_follow(store, rated):
    sent = marked(rated, BundleErrorSpan("Major"), BundleErrorSpan("Minor"))
    ingest(store, sent, actor="t")
    weights = {"Major": 10, "Minor": 0.5}
    changed = change_weights(store, "qa", "mqm", weights, actor="t").criterion
    assert changed.weights == {"Major": 10, "Minor": 0.5}
    assert load_ratings(store, "qa", "mqm").value.tolist() == [10.5]
    again = ingest(store, sent, actor="t")  # the file still says 5 and 1
    assert (again.n("judgment", "unchanged"), again.changed) == (1, False)
    assert "weighs the errors of 'mqm' otherwise than this import: Major 10" in again.warnings[0]
    report = ingest(store, sent, actor="t", replace=True)
    assert report.changed
    assert get_criterion(store, "qa", "mqm").weights == WEIGHTS
    assert load_ratings(store, "qa", "mqm").value.tolist() == [6]
    uid = changed.uid
    actions = [e.action for e in list_events(store, target_uid=uid)]
    assert actions.count("weights") == 2


def test_weights_of_errors_that_the_store_does_not_know_come_in(store, rated):
    ingest(store, marked(rated, BundleErrorSpan("Major")), actor="t")
    more = {"Major": 5.0, "Critical": 10.0}
    sent = marked(rated, BundleErrorSpan("Critical"), weights=more, item=1)
    report = ingest(store, sent, actor="t")
    assert (report.warnings, report.n("detail", "filled in")) == ([], 1)
    assert get_criterion(store, "qa", "mqm").weights == WEIGHTS | {"Critical": 10}
    assert load_ratings(store, "qa", "mqm").value.tolist() == [5, 10]
    report = ingest(store, marked(rated, weights={"Minor Fluency": 3.0}, item=2), actor="t")
    assert "otherwise than this import" in report.warnings[0]


def test_the_same_weights_are_no_change(store, rated):
    ingest(store, marked(rated, BundleErrorSpan("Major")), actor="t")
    before = store.revision()
    change_weights(store, "qa", "mqm", WEIGHTS, actor="t")
    assert store.revision() == before


def test_errors_can_be_weighed_anew_without_storing_it(store, rated):
    ingest(store, marked(rated, BundleErrorSpan("Major"), BundleErrorSpan("Minor")), actor="t")
    more = marked(rated, BundleErrorSpan("Minor"), item=1, annotator="bob")
    ingest(store, replace(more, annotators={"bob": "model"}), actor="t")
    found = load_ratings(store, "qa", "mqm", weights={"Major": 2, "Minor": 0.25})
    assert found.value.tolist() == [2.25, 0.25]
    found = load_ratings(store, "qa", "mqm", weights={"Major": 2, "Minor": 0.25}, kind="model")
    assert found.value.tolist() == [0.25]
    assert load_ratings(store, "qa", "mqm").value.tolist() == [6, 1]
    own = load_ratings(store, "qa", "mqm", weights=WEIGHTS)
    np.testing.assert_array_equal(own.value, load_ratings(store, "qa", "mqm").value)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"Minor": 1}, "no weight fits the error 'Major'"),
        ({}, "Name at least one severity"),
        ({" ": 1}, "needs a severity"),
        ({"Major": NAN}, "a number from 0"),
    ],
)
def test_wrong_weights_are_refused(store, rated, weights, said):
    ingest(store, marked(rated, BundleErrorSpan("Major")), actor="t")
    for refuse in (
        lambda: change_weights(store, "qa", "mqm", weights, actor="t"),
        lambda: load_ratings(store, "qa", "mqm", weights=weights),
    ):
        with pytest.raises(StoreError, match=said):
            refuse()
    assert get_criterion(store, "qa", "mqm").weights == WEIGHTS


def test_values_as_given_have_no_weights(filled):
    with pytest.raises(StoreError, match="'fluency' holds values as given, not marked errors"):
        change_weights(filled, "qa", "fluency", {"Major": 1}, actor="t")
    with pytest.raises(StoreError, match="'fluency' holds values as given, not marked errors"):
        load_ratings(filled, "qa", "fluency", weights={"Major": 1})


# --- preferences ---------------------------------------------------------------------------------


def shown(first, second, choice, **more):
    return BundlePreference(0, "ann", 1, first, second, choice, **more)


def test_preferences_are_read_as_they_came(store, compared):
    sent = compared(
        shown("B", "A", "first", strength=0.25, order_known=True, first_length=3, second_length=9),
        ("bob", 0, "A", "B", "tie"),
        annotators={"bob": "model"},
    )
    ingest(store, sent, actor="t")
    found = load_preferences(store, "qa", "better")
    assert found.systems == ("A", "B")
    assert found.first.tolist() == [0, 1]
    assert found.second.tolist() == [1, 0]
    assert found.item.tolist() == [0, 1]
    assert found.choice.tolist() == [0, 1]
    assert found.choice.dtype == np.int8
    assert found.order_known.tolist() == [False, True]
    np.testing.assert_array_equal(found.strength, [NAN, 0.25])
    np.testing.assert_array_equal(found.first_length, [NAN, 3])
    np.testing.assert_array_equal(found.second_length, [NAN, 9])
    assert load_preferences(store, "qa", "better", kind="human").choice.tolist() == [1]
    assert (found.criterion.n_judgments, found.criterion.n_systems) == (2, 2)
    [row] = load_item_judgments(store, "qa", "i1").preferences
    assert (row.annotator, row.annotator_kind, row.first, row.second) == ("ann", "human", "B", "A")
    assert (row.choice, row.strength, row.order_known) == ("first", 0.25, True)


@pytest.mark.parametrize("choice", ["first", "second", "tie"])
def test_a_pair_turned_round_is_the_same_judgment(store, compared, choice):
    turned = {"first": "second", "second": "first", "tie": "tie"}[choice]
    one = shown("A", "B", choice, strength=0.1, first_length=1, second_length=2)
    other = shown("B", "A", turned, strength=0.9, first_length=2, second_length=1)
    ingest(store, compared(one), actor="t")
    report = ingest(store, compared(other), actor="t")
    assert (report.n("judgment", "unchanged"), report.changed) == (1, False)
    with pytest.raises(ImportFormatError, match="'B' with 'A' by 'ann' on item 'i1' is there"):
        ingest(store, compared(one, other, name="again"), actor="t")


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (shown("A", "B", "second", strength=0.1, order_known=True), "choice"),
        (shown("B", "A", "first", strength=0.9), "choice"),
        (shown("A", "B", "first", strength=0.2), "strength"),
        (shown("B", "A", "second", strength=0.9, order_known=True), "order"),
        (shown("A", "B", "first", first_length=8), "length of an output"),
    ],
)
def test_another_preference_is_a_conflict(store, compared, other, what):
    one = shown("A", "B", "first", strength=0.1, order_known=True, first_length=7)
    ingest(store, compared(one), actor="t")
    with pytest.raises(ConflictError, match=f"for 'better' with another {what}. Nothing was"):
        ingest(store, compared(other), actor="t")
    report = ingest(store, compared(other), actor="t", replace=True)
    assert report.n("judgment", "replaced") == 1
    assert not ingest(store, compared(other), actor="t").changed
    assert load_preferences(store, "qa", "better").choice.shape == (1,)


def test_what_was_not_known_of_a_preference_is_filled_in(store, compared):
    ingest(store, compared(shown("A", "B", "first")), actor="t")
    more = shown("B", "A", "second", order_known=True, first_length=5, judged_at=MOMENT)
    report = ingest(store, compared(more), actor="t")
    assert (report.n("judgment", "unchanged"), report.n("detail", "filled in")) == (1, 3)
    [row] = load_item_judgments(store, "qa", "i1").preferences
    assert (row.first, row.second, row.choice) == ("B", "A", "second")
    assert (row.order_known, row.judged_at) == (True, MOMENT)
    found = load_preferences(store, "qa", "better")
    np.testing.assert_array_equal(found.first_length, [5])
    np.testing.assert_array_equal(found.second_length, [NAN])
    assert not ingest(store, compared(more), actor="t").changed


def test_both_orders_are_two_replicates(store, compared):
    one = shown("A", "B", "first", order_known=True)
    other = shown("B", "A", "first", order_known=True, replicate=1)
    ingest(store, compared(one, other), actor="t")
    found = load_preferences(store, "qa", "better")
    assert found.first.tolist() == [0, 1]
    assert found.replicate.tolist() == [0, 1]


def test_odd_preferences_are_refused(store, compared):
    with pytest.raises(ImportFormatError, match="compares a system with itself"):
        ingest(store, compared(shown("A", "A", "tie")), actor="t")
    with pytest.raises(ImportFormatError, match=r"strength 1\.5; it is the probability"):
        ingest(store, compared(shown("A", "B", "first", strength=1.5)), actor="t")
    with pytest.raises(ValueError, match="a choice that is none: 'left'"):
        ingest(store, compared(shown("A", "B", "left")), actor="t")


# --- looking up, hiding, fingerprints ------------------------------------------------------------


def test_names_of_criteria_are_found_letter_for_letter(filled, store, rated, compared):
    ingest(filled, compared(("ann", 0, "A", "B", "tie")), actor="t")
    with pytest.raises(NotFoundError) as raised:
        load_ratings(filled, "qa", "Fluency")
    assert str(raised.value) == (
        "There is no criterion 'Fluency' on 'qa'. Did you mean 'fluency'? `tiebreak ls criteria` "
        "lists them."
    )
    with pytest.raises(StoreError, match="'better' on 'qa' holds preferences, not ratings"):
        load_ratings(filled, "qa", "better")
    with pytest.raises(StoreError, match="'fluency' on 'qa' holds ratings, not preferences"):
        load_preferences(filled, "qa", "fluency")
    ingest(filled, rated(dataset_name="empty"), actor="t")
    with pytest.raises(NotFoundError, match="There is no item 'i9' in the dataset 'qa'"):
        load_item_judgments(filled, "qa", "i9")


def test_dataset_without_judgments_says_so(store, bundle):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    with pytest.raises(NotFoundError, match="criterion 'x': nothing was judged on 'qa' yet"):
        load_ratings(store, "qa", "x")


def test_criterion_without_judgments_is_empty(store, rated, compared):
    ingest(store, rated(), actor="t")
    ingest(store, compared(), actor="t")
    assert load_ratings(store, "qa", "fluency").value.shape == (0,)
    assert load_preferences(store, "qa", "better").choice.shape == (0,)
    assert [record.n_judgments for record in list_criteria(store)] == [0, 0]


def test_properties_of_items_are_read_column_by_column(store, rated):
    sent = rated(("ann", 0, "A", 1.0))
    items = [
        BundleItem("i0", group="doc", metadata={"length": 3}),
        BundleItem("i1", metadata={"length": 4, "domain": "news"}),
        BundleItem("i2"),
    ]
    ingest(store, replace(sent, datasets=[replace(sent.datasets[0], items=items)]), actor="t")
    assert load_item_properties(store, "qa") == {
        "length": (3, 4, None),
        "domain": (None, "news", None),
        "group": ("doc", None, None),
    }


def test_judgments_hide_come_back_and_go_with_their_system(filled, compared):
    ingest(filled, compared(("ann", 0, "A", "B", "first")), actor="t")
    uid = delete(filled, "system", "B", actor="t")
    assert load_ratings(filled, "qa", "fluency").systems == ("A",)
    assert load_preferences(filled, "qa", "better").choice.shape == (0,)
    assert {r.system for r in load_item_judgments(filled, "qa", "i0").ratings} == {"A"}
    assert [c.n_judgments for c in list_criteria(filled)] == [2, 0]
    assert [(a.n_ratings, a.n_preferences) for a in list_annotators(filled)] == [(1, 0), (1, 0)]
    restore(filled, "system", uid, actor="t")
    assert load_ratings(filled, "qa", "fluency").value.tolist() == [2, 1, 5, 4]
    assert load_preferences(filled, "qa", "better").choice.tolist() == [1]
    delete(filled, "system", uid, actor="t")
    purge(filled, "system", uid, actor="t")
    assert [c.n_judgments for c in list_criteria(filled)] == [2, 0]
    assert check(filled) == []


def test_judgments_hide_come_back_and_go_with_their_dataset(filled, rated):
    uid = delete(filled, "dataset", "qa", actor="t")
    assert (list_criteria(filled), list_annotators(filled)) == ([], [])
    ingest(filled, rated(("ann", 0, "A", 3.0)), actor="t")  # another dataset of that name
    assert load_ratings(filled, "qa", "fluency").value.tolist() == [3]
    delete(filled, "dataset", "qa", actor="t")
    restore(filled, "dataset", uid, actor="t")
    assert load_ratings(filled, "qa", "fluency").value.tolist() == [2, 1, 5, 4]
    delete(filled, "dataset", uid, actor="t")
    purge(filled, "dataset", uid, actor="t")
    with filled.read() as connection:
        left = connection.exec_driver_sql("SELECT count(*) FROM rating").scalar()
    assert left == 1  # of the other one
    assert check(filled) == []


def test_fingerprint_follows_every_judgment(filled, rated):
    seen = [data_fingerprint(filled, "qa", "fluency")]
    ingest(filled, rated(("ann", 0, "other", 3.0), name="adequacy"), actor="t")
    assert data_fingerprint(filled, "qa", "fluency") == seen[0]
    steps = (
        lambda: ingest(filled, rated(("ann", 3, "A", 3.0)), actor="t"),
        lambda: ingest(filled, rated(("ann", 3, "A", 4.0)), actor="t", replace=True),
        # A mean of the same value, of other judgments:
        lambda: ingest(filled, rated(("bob", 3, "A", 4.0)), actor="t"),
        lambda: delete(filled, "system", "B", actor="t"),
    )
    for step in steps:
        step()
        seen.append(data_fingerprint(filled, "qa", "fluency"))
    assert len(set(seen)) == len(seen)
    [gone] = [e.target_uid for e in list_events(filled) if e.action == "delete"]
    restore(filled, "system", gone, actor="t")
    assert data_fingerprint(filled, "qa", "fluency") == seen[-2]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "UPDATE rating SET item_id = (SELECT max(id) FROM item) WHERE id = 1",
            "1 ratings are of an item or annotator of another dataset.",
        ),
        (
            "UPDATE preference SET annotator_id = (SELECT max(id) FROM annotator) WHERE id = 1",
            "1 preferences are of an item or annotator of another dataset.",
        ),
        (
            "INSERT INTO preference (criterion_id, annotator_id, item_id, first_id, second_id, "
            "choice, order_known, replicate, ingest_id) SELECT criterion_id, annotator_id, "
            "item_id, second_id, first_id, choice, order_known, replicate, ingest_id "
            "FROM preference WHERE id = 1",
            "1 comparisons are there in both orders, as one judgment.",
        ),
    ],
)
def test_check_finds_judgments_that_cannot_be(filled, rated, compared, database, statement, said):
    ingest(filled, compared(("ann", 0, "A", "B", "first")), actor="t")
    ingest(filled, rated(("ann", 0, "A", 3.0), dataset_name="other"), actor="t")
    assert check(filled) == []
    database.execute(statement)
    assert said in check(filled)


def test_database_refuses_the_same_judgment_twice(filled, rated, compared, database):
    ingest(filled, rated(("ann", 0, None, 3.0)), actor="t")
    ingest(filled, compared(("ann", 0, "A", "B", "first")), actor="t")
    for table in ("rating", "preference"):
        names = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        columns = ", ".join(name for name in names if name != "id")
        for (id_,) in database.execute(f"SELECT id FROM {table}").fetchall():
            with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
                database.execute(
                    f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {table} WHERE id = ?",
                    (id_,),
                )


def test_dry_run_writes_nothing(store, rated):
    report = ingest(store, rated(("ann", 0, "A", 3.0)), actor="t", dry_run=True)
    assert report.n("judgment", "added") == 1
    assert list_criteria(store) == []


@given(
    cells=st.dictionaries(
        st.tuples(
            st.sampled_from("abc"), st.integers(0, 3), st.sampled_from(["A", "B", None]),
            st.integers(0, 1),
        ),
        st.floats(1, 5) | st.just(NAN),
        max_size=20,
    ),
    cut=st.integers(0, 20),
)  # fmt: skip
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_ratings_come_out_as_they_went_in(new_store, rated, cells, cut):
    store = new_store()
    rows = [
        BundleRating(0, by, item, of, value, replicate)
        for (by, item, of, replicate), value in cells.items()
    ]
    ingest(store, rated(*rows[:cut]), actor="t")
    ingest(store, rated(*rows), actor="t")  # the first part stands there already
    found = load_ratings(store, "qa", "fluency")
    names = [annotator.name for annotator in found.annotators]
    systems = [*found.systems, None]  # -1 is the last
    columns = (found.annotator, found.item, found.system, found.replicate, found.value)
    out = {
        (names[by], item, systems[of], replicate): repr(value)
        for by, item, of, replicate, value in zip(*(c.tolist() for c in columns), strict=True)
    }
    assert out == {key: repr(value) for key, value in cells.items()}
    store.close()
