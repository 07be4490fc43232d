"""Errors that were marked: what they weigh, and what becomes of it when the weights change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from store.errors import ConflictError, ImportFormatError, StoreError
from store.history import list_events
from store.importers.bundle import (
    BundleErrorSpan,
    BundleRating,
)
from store.ingest import ingest
from store.judgments import (
    change_weights,
    get_criterion,
    load_item_judgments,
    load_ratings,
)

NAN = float("nan")
WEIGHTS = {"Major": 5.0, "Minor": 1.0, "Minor Fluency/Punctuation": 0.1}


def marked(rated, *spans: BundleErrorSpan, weights=None, item=0, annotator="ann", **more):
    row = BundleRating(0, annotator, item, "A", NAN, spans=spans, **more)
    return rated(
        row, name="mqm", kind="error-spans", weights=weights or WEIGHTS, lower=None, upper=None
    )


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
