"""The audit log is chained: what is changed, missing or put in later is seen; removals are told."""

import json
import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest
from typer.testing import CliRunner

from dashboard.cli import app
from store import audit_chain
from store.backup import check
from store.copying import copy_store
from store.engine import open_store
from store.errors import StoreError
from store.history import head_of_log
from store.known_people import remove_person
from store.lifecycle import delete
from store.tags import add_note, add_tag
from tests.test_store.test_people import a_run, ingest


@pytest.fixture
def path(tmp_path):
    with open_store(tmp_path / "store.db", create=True) as store:
        ingest(store, a_run(), actor="ann")
        add_tag(store, "system", "mine", "new", actor="ben")
        add_note(store, "system", "mine", "hm", actor="ann")
        delete(store, "system", "mine", actor="ben")
    return tmp_path / "store.db"


def said(path, *statements):
    """Change the file behind the store's back; return what the check says."""
    with sqlite3.connect(path) as connection:
        for one in statements:
            assert connection.execute(one).rowcount > 0, one
    connection.close()
    with open_store(path, read_only=True) as store:
        return check(store)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("UPDATE audit_event SET actor = 'eve' WHERE id = 2", "Line 2 .* is not what was written"),
        ("UPDATE audit_event SET detail = '{}' WHERE id = 2", "Line 2 .* is not what was written"),
        ("UPDATE audit_event SET action = 'untag' WHERE id = 2", "Line 2 .* was changed"),
        ("UPDATE audit_event SET at = replace(at, '2', '1') WHERE id = 2", "Line 2 .* was changed"),
        ("DELETE FROM audit_event WHERE id = 2", "Line 3 .*, or one before it, was changed"),
        ("UPDATE audit_event SET salt = NULL, actor = 'eve' WHERE id = 2", "Lines 2 .* no removal"),
    ],
)
def test_a_changed_line_is_named(path, change, words):
    with pytest.raises(AssertionError, match=words):
        assert said(path, change) == []


def test_a_removed_name_leaves_the_chain_whole_and_says_which_lines(path):
    with open_store(path) as store:
        before = head_of_log(store)
        remove_person(store, "ben", actor="ann")
        assert check(store) == []
        assert head_of_log(store, kept=before) != before
        with store.read() as connection:
            lines = connection.exec_driver_sql("SELECT id FROM audit_event WHERE salt IS NULL")
            assert lines.scalars().all() == [8, 10]
    assert b"ben" not in path.read_bytes()
    assert any("Line 1 " in one for one in said(path, "UPDATE audit_event SET actor = 'eve'"))


def test_a_log_that_is_cut_off_is_whole_but_never_had_the_head_that_was_kept(path):
    with open_store(path, read_only=True) as store:
        kept = head_of_log(store)
    assert said(path, "DELETE FROM audit_event WHERE id = 10") == []
    refused = pytest.raises(StoreError, match=f"never ended with {kept}")
    with open_store(path, read_only=True) as store, refused:
        head_of_log(store, kept=kept)


def test_a_copy_of_a_store_has_the_same_head(path, tmp_path):
    with open_store(path, read_only=True) as store:
        copy_store(store, str(tmp_path / "copy.db"))
        head = head_of_log(store)
    with open_store(tmp_path / "copy.db", read_only=True) as store:
        assert check(store) == []
        assert head_of_log(store, kept=head) == head


def test_commands_print_the_head_and_hold_the_log_against_it(path, tmp_path):
    def told(*words):
        return CliRunner().invoke(app, ["--store", str(path), *words])

    printed = told("audit", "--head").stdout.strip()
    assert re.fullmatch("[0-9a-f]{64}", printed)
    assert json.loads(told("audit", "--head", "--json").stdout)["result"] == {"head": printed}
    written = json.loads(told("db", "backup", str(tmp_path / "b.db"), "--json").stdout)["result"]
    assert written["audit_head"] == printed
    lines = told("audit", "--format", "jsonl").stdout.splitlines()
    assert json.loads(lines[0])["chain_hash"] == printed
    assert told("audit", "--head", "--kept", printed).exit_code == 0
    assert said(path, "UPDATE audit_event SET actor = 'eve' WHERE id = 2") != []
    wrong = told("audit", "--head", "--kept", printed)
    assert (wrong.exit_code, "Line 2 of the audit log" in wrong.stderr) == (2, True)
    alone = told("audit", "--kept", printed)
    assert (alone.exit_code, "--head" in alone.stderr) == (2, True)


def test_writers_beside_one_another_make_one_chain(store):
    ingest(store, a_run(), actor="ann")

    def note(number):
        add_note(store, "system", "mine", f"note {number}", actor=f"writer {number}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(note, range(24)))
    with store.read() as connection:
        assert audit_chain.wrong(connection) == []
    assert head_of_log(store, kept=head_of_log(store))


def test_spans_are_read_back():
    numbers = {1, 2, 3, 7, 9, 10}
    assert audit_chain.spans(numbers) == "1-3, 7, 9-10"
    assert set(audit_chain._numbers(audit_chain.spans(numbers))) == numbers
    assert audit_chain.spans([]) == ""
