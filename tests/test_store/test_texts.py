"""Texts of items and outputs, a few at a time."""

from __future__ import annotations

import pytest

from store.errors import NotFoundError
from store.importers.bundle import BundleItem
from store.ingest import ingest
from store.lifecycle import delete
from store.records import TextRecord
from store.runs import list_runs
from store.texts import MOST_ITEMS, load_outputs, load_texts

ITEMS = [
    BundleItem("q1", input_text="What?", reference_text="That."),
    BundleItem("q2"),
    BundleItem("q3", input_text="ünï" * 10),
]


@pytest.fixture
def filled(store, bundle, run):
    runs = [
        run("b", [1.0, 0.0, 1.0], label="seed 1", outputs={0: ["b1", None, "b3"]}),
        run("b", [1.0, 0.0, 1.0], label="seed 2", outputs={0: ["x1", "x2", None], 3: ["y1"] * 3}),
        run("A", [0.0, 0.0, 1.0], outputs={0: ["a1", "a2", "a" * 30]}),
        run("silent", [0.0, 0.0, 1.0]),
    ]
    ingest(store, bundle(runs, items=ITEMS), actor="t")
    return store


def test_load_texts_returns_those_that_are_stored(filled):
    found = load_texts(filled, "qa", [0, 1, 2, 99])
    assert found == {
        0: TextRecord(0, "q1", "What?", "That.", is_cut=False),
        2: TextRecord(2, "q3", "ünï" * 10, None, is_cut=False),
    }
    assert load_texts(filled, "qa", []) == {}


def test_load_texts_cuts_by_characters_and_says_so(filled):
    found = load_texts(filled, "qa", {0, 2}, max_characters=5)
    assert found[0] == TextRecord(0, "q1", "What?", "That.", is_cut=False)
    assert found[2] == TextRecord(2, "q3", "ünïün", None, is_cut=True)


def test_load_outputs_come_by_item_system_run_and_trial(filled):
    found = [
        (o.position, o.system, o.run_label, o.trial, o.text)
        for o in load_outputs(filled, "qa", [0, 1])
    ]
    assert found == [
        (0, "A", "", 0, "a1"),
        (0, "b", "seed 1", 0, "b1"),
        (0, "b", "seed 2", 0, "x1"),
        (0, "b", "seed 2", 3, "y1"),
        (1, "A", "", 0, "a2"),
        (1, "b", "seed 2", 0, "x2"),
        (1, "b", "seed 2", 3, "y1"),
    ]


def test_load_outputs_of_some_systems(filled):
    found = load_outputs(filled, "qa", [2], systems=["A", "silent"], max_characters=4)
    [run_uid] = [r.uid for r in list_runs(filled) if r.system == "A"]
    assert [(o.system, o.run_uid, o.text, o.is_cut) for o in found] == [
        ("A", run_uid, "aaaa", True)
    ]
    assert load_outputs(filled, "qa", [2], systems=[]) == []


def test_load_outputs_leaves_out_what_was_deleted(filled):
    delete(filled, "system", "A", actor="t")
    delete(filled, "run", next(r.uid for r in list_runs(filled) if r.label == "seed 2"), actor="t")
    assert [o.text for o in load_outputs(filled, "qa", [0])] == ["b1"]


@pytest.mark.parametrize("load", [load_texts, load_outputs])
def test_texts_are_read_a_few_at_a_time(filled, load):
    assert len(load(filled, "qa", range(MOST_ITEMS))) > 0
    with pytest.raises(ValueError, match=r"`positions` names 201 items; read .* at most 200"):
        load(filled, "qa", range(MOST_ITEMS + 1))
    with pytest.raises(ValueError, match="`max_characters` must be at least 1, got 0"):
        load(filled, "qa", [0], max_characters=0)
    with pytest.raises(NotFoundError, match="There is no dataset 'zzz'"):
        load(filled, "zzz", [0])


def test_load_outputs_does_not_guess_unknown_systems(filled):
    with pytest.raises(NotFoundError, match="There is no system 'zzz'"):
        load_outputs(filled, "qa", [0], systems=["zzz"])
