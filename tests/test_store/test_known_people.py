"""A name is removed from a store: nothing is lost but the name."""

import sqlite3
from contextlib import closing

import pytest

from store.backup import check
from store.claim_records import NewClaim
from store.claims import add_claim, list_claims
from store.engine import open_store
from store.errors import NotFoundError, StoreError
from store.history import head_of_log, list_events
from store.import_answers import remember_answers
from store.imports import undo
from store.known_people import list_people, remove_person
from store.metric_cards import metric_card, set_metric
from store.model_base import utc_now
from store.naming import rename
from store.people import Person, acting_as
from store.tags import add_note, list_notes
from store.tokens import add_token, list_tokens, person_of
from store.views import list_views, save_view
from tests.test_store.test_people import a_run, ingest

CYN = "cyn.moss@example.org"


@pytest.fixture
def store(tmp_path):
    """Return a store to which a person did one of each."""
    with open_store(tmp_path / "store.db", create=True) as opened:
        ingest(opened, a_run(), actor="boss")
        with acting_as(Person(CYN, "admin", "page")):
            ingest(opened, a_run("hers"), actor="")
            remember_answers(opened, {"what": "this"}, actor=CYN)
            add_note(opened, "system", "mine", f"Ask {CYN}, or {CYN}.au.", actor="")
            save_view(opened, "v", place="board", query="", answer="", actor="")
            add_token(opened, "x", actor="")
            claim = NewClaim("mine", "news", "accuracy", 0.5, utc_now(), "a paper")
            add_claim(opened, claim, actor="")
            rename(opened, "system", "hers", CYN, actor="")
            rename(opened, "system", CYN, "hers", actor="")
        yield opened


def shape(store):
    return [(one.id, one.at, one.action, one.target_uid, one.via) for one in list_events(store)]


def test_a_name_goes_everywhere_and_the_audit_trail_stays_whole(store):
    before = shape(store)
    done = remove_person(store, CYN, actor="boss")
    assert shape(store)[1:] == before
    event = list_events(store)[0]
    assert (event.action, event.actor, event.detail["name"]) == (
        *("remove name", "boss"),
        done.stands_for_it,
    )
    assert {one.name for one in list_people(store)} == {"boss", done.stands_for_it}
    assert list_views(store)[0].owner == done.stands_for_it
    assert list_claims(store)[0].actor == done.stands_for_it
    (note,) = list_notes(store, "system", "mine")
    assert note.text == f"Ask {done.stands_for_it}, or {CYN}.au."
    assert check(store) == []


def test_no_trace_is_left_in_the_file_but_names_of_things(store):
    secret = add_token(store, "y", actor="boss", owner="cyn.once@example.org")[1]
    assert person_of(store, secret) is not None
    done = remove_person(store, "cyn.once@example.org", actor="boss")
    assert done.n_tokens == 1
    assert person_of(store, secret) is None, "nobody could tell any more what its owner may do"
    for path in store.path.parent.iterdir():
        assert b"cyn.once" not in path.read_bytes(), path


def test_what_a_removed_person_brought_can_still_be_undone(store):
    with acting_as(Person(CYN, "admin", "page")):
        uid = ingest(store, a_run("third"), actor="").import_uid
    remove_person(store, CYN, actor="boss")
    undo(store, uid, actor="boss")
    assert check(store) == []


def test_who_removes_the_own_name_does_not_leave_it_there(store):
    with acting_as(Person(CYN, "admin", "page")):
        done = remove_person(store, CYN, actor="")
    assert list_events(store)[0].actor == done.stands_for_it


def test_a_name_goes_from_the_card_of_a_metric_too(store):
    set_metric(store, "accuracy", {"unit": "proportion"}, actor="ada.once@example.org")
    done = remove_person(store, "ada.once@example.org", actor="boss")
    assert metric_card(store, "accuracy").facts[0].by == done.stands_for_it
    for path in store.path.parent.iterdir():
        assert b"ada.once" not in path.read_bytes(), path


def test_no_name_alters_what_a_removal_says(store):
    add_note(store, "system", "mine", "Here.", actor="once")
    remove_person(store, "once", actor="boss")
    told = list_events(store)[0].detail
    for name in ("removed", told["lines"]):
        add_note(store, "system", "mine", "There.", actor=name)
        remove_person(store, name, actor="boss")
    assert told in [one.detail for one in list_events(store)]
    assert check(store) == []


def test_a_removal_that_was_altered_is_told_in_words(store):
    remove_person(store, CYN, actor="boss")
    path, kept = store.path, head_of_log(store)
    store.close()
    with closing(sqlite3.connect(path)) as file:
        query = (
            """UPDATE audit_event SET detail = '{"lines": "8-x"}' WHERE action = 'remove name'"""
        )
        file.execute(query)
        file.commit()
    with open_store(path, read_only=True) as opened:
        told = " ".join(check(opened))
        assert "is not what was written" in told
        assert "no removal says so" in told
        with pytest.raises(StoreError, match="is not what was written"):
            head_of_log(opened, kept=kept)


def test_a_trial_changes_nothing_and_a_name_nobody_has_is_refused(store):
    before = store.last_change()
    assert remove_person(store, CYN, actor="boss", dry_run=True).n_rows > 5
    assert store.last_change() == before
    assert all(token.state == "valid" for token in list_tokens(store))
    for name, kind in (("nobody", NotFoundError), ("", StoreError)):
        with pytest.raises(kind):
            remove_person(store, name, actor="boss")
