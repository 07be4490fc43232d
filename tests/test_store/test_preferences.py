"""Preferences come in, stay the same when they come again, and are read as they came."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from store.errors import ConflictError, ImportFormatError
from store.importers.bundle import (
    BundlePreference,
)
from store.ingest import ingest
from store.judgments import (
    load_item_judgments,
    load_preferences,
)

NAN = float("nan")
MOMENT = datetime(2024, 5, 1, 12, tzinfo=UTC)


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
