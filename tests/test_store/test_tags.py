"""Tags and notes."""

from __future__ import annotations

import pytest

from store.errors import NotFoundError, StoreError
from store.history import list_events
from store.ingest import ingest
from store.runs import get_run, list_runs
from store.systems import get_system
from store.tags import add_note, add_tag, list_notes, remove_tag


@pytest.fixture
def tagged(store, bundle):
    ingest(store, bundle({"A": [1.0], "B": [1.0]}), actor="t")
    return store


def test_add_tag_shows_on_its_target_only(tagged):
    for tag in ("zeta", " alpha "):
        add_tag(tagged, "system", "A", tag, actor="t")
    assert get_system(tagged, "A").tags == ("alpha", "zeta")
    assert get_system(tagged, "B").tags == ()


def test_add_tag_twice_is_once(tagged):
    add_tag(tagged, "system", "A", "x", actor="t")
    revision = tagged.last_change()
    add_tag(tagged, "system", "A", "x", actor="t")
    assert get_system(tagged, "A").tags == ("x",)
    assert tagged.last_change() == revision


@pytest.mark.parametrize("name", ["", "  ", "a,b", "x" * 101])
def test_add_tag_refuses_what_no_list_could_show(tagged, name):
    with pytest.raises(StoreError, match="cannot be a tag: 1 to 100 characters, no comma"):
        add_tag(tagged, "system", "A", name, actor="t")


def test_add_tag_to_a_run_is_recorded(tagged):
    uid = list_runs(tagged)[0].uid
    add_tag(tagged, "run", uid, "smoke", actor="ada")
    event = list_events(tagged, target_uid=uid)[0]
    assert (event.action, event.actor, event.detail) == ("tag", "ada", {"tag": "smoke"})
    assert get_run(tagged, uid).tags == ("smoke",)


def test_remove_tag_takes_it_off(tagged):
    add_tag(tagged, "dataset", "qa", "x", actor="t")
    revision, change = tagged.revision(), tagged.last_change()
    remove_tag(tagged, "dataset", "qa", "x", actor="t")
    assert (tagged.revision(), tagged.last_change()) == (revision, change + 1)
    with pytest.raises(StoreError) as raised:
        remove_tag(tagged, "dataset", "qa", "x", actor="t")
    assert str(raised.value) == "The dataset 'qa' has no tag 'x'."


def test_add_note_keeps_order_and_author(tagged):
    add_note(tagged, "system", "A", "first *note*", actor="ada")
    add_note(tagged, "system", "A", "second", actor="eve")
    assert [(n.text, n.actor) for n in list_notes(tagged, "system", "A")] == [
        ("first *note*", "ada"),
        ("second", "eve"),
    ]
    assert list_notes(tagged, "system", "B") == []
    assert list_events(tagged)[0].action == "note"


def test_add_note_refuses_an_empty_text(tagged):
    with pytest.raises(StoreError, match="An empty note says nothing"):
        add_note(tagged, "system", "A", " \n", actor="t")


def test_add_note_to_nothing_is_not_found(tagged):
    with pytest.raises(NotFoundError, match="There is no system 'zzz'"):
        add_note(tagged, "system", "zzz", "x", actor="t")
