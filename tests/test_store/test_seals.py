"""A flipped byte in any small table is seen when the store is read: told, and never forgotten."""

import json
import shutil
import sqlite3
import struct
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from dashboard.cli import app
from store import damage, seals
from store.arrays import load_groups, load_matrix
from store.backup import check, write_backup
from store.engine import open_store
from store.import_answers import remember_answers
from store.ingest import ingest
from store.lifecycle import delete, purge
from store.model_base import utc_now
from store.models import Base, BoardSnapshot, ImportChange, ServerWork
from store.naming import rename
from store.repeated_requests import answered_once
from store.sealed_statements import CACHES, tables_of
from store.tags import add_note
from store.tokens import add_token, person_of
from store.views import save_view

ASSET = max((Path(__file__).parents[1] / "test_migrations" / "assets").glob("*.db"))
LONG = {"score_vector": {"data"}, "output": {"text"}, "item_text": {"input_text", "reference_text"}}


@pytest.fixture(autouse=True)
def _nothing_seen_yet():
    damage.forget()
    yield
    damage.forget()


@pytest.fixture
def path(store, bundle, rated):
    """A store with scores, items in groups and judgments; closed."""
    ingest(store, bundle({name: np.array([0.5, 1.0, 0.25]) for name in "AB"}), actor="t")
    ingest(store, rated(), actor="t")
    add_note(store, "system", "A", "a note", actor="t")
    store.close()
    damage.forget()  # as another process
    return store.path


@pytest.fixture
def full(tmp_path):
    """A store with a row in every table; closed."""
    path = shutil.copy(ASSET, tmp_path / "full.db")
    with open_store(path) as store:
        now = utc_now()
        add_token(store, "t", actor="t")
        save_view(store, "v", place="board", query="", answer="", actor="t")
        remember_answers(store, {"what": "this"}, actor="t")
        answered_once(store, "a token", "a key", "a digest", lambda: "an answer")
        with store.write("t") as change:
            change.session.add(
                BoardSnapshot(
                    **{"dataset_id": 1, "metric_id": 1, "store_revision": 1, "method_version": "1"},
                    **{"settings": {"alpha": 0.05}, "board": {"rows": []}},
                )
            )
            change.session.add(
                ServerWork(
                    **{
                        "uid": "work",
                        "server": "here",
                        "name": "pairs",
                        "seconds": 1,
                        "n_waiting": 1,
                    },
                    **{"n_done": 1, "n_steps": 2, "seen_at": now},
                )
            )
            change.session.add(ImportChange(import_id=1, table_name="run", row_id=1))
            change.record("tag", "run", "a uid")
    damage.forget()
    return path


def flipped(value):
    """Return a value with one bit turned round; None where it has none."""
    if isinstance(value, int):
        return value ^ 1
    if isinstance(value, float):
        told = bytearray(struct.pack("<d", value))
        told[0] ^= 1
        return struct.unpack("<d", bytes(told))[0]
    if isinstance(value, str) and value:
        return value[:-1] + chr(ord(value[-1]) ^ 4)
    return bytes([value[0] ^ 1]) + value[1:] if isinstance(value, bytes) and value else None


def spoil(path, table, column):
    """Flip one bit in one cell, behind the store's back; return whether there was one."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA ignore_check_constraints = 1")
        of = f'FROM "{table}" WHERE "{column}" IS NOT NULL'
        row = connection.execute(f'SELECT rowid, "{column}" {of} ORDER BY rowid DESC').fetchone()
        value = None if row is None else flipped(row[1])
        if value is not None:
            change = f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE rowid = ?'
            value = None if not connection.execute(change, (value, row[0])).rowcount else value
    connection.close()
    return value is not None


def test_each_column_of_each_table_is_watched(path, tmp_path):
    tried = 0
    for name in sorted(set(seals.tables()) - CACHES):
        for column in list(Base.metadata.tables[name].columns)[len(name) % 3 :: 3]:
            if column.name in LONG.get(name, ()):
                continue
            copy = shutil.copy(path, tmp_path / "spoiled.db")
            if not spoil(copy, name, column.name):
                continue
            tried += 1
            damage.forget()
            with open_store(copy, read_only=True) as store, store.read() as connection:
                assert seals.wrong(connection) == [name], column.name
                assert damage.seen(connection) == []
                connection.exec_driver_sql(f'SELECT count(*) FROM "{name}"')
                assert damage.seen(connection) == [damage.DamagedTable(name)]
    assert tried > 20


def test_check_sees_a_flipped_bit_in_every_column_of_every_table(full, tmp_path):
    """A table or column that is left out of `db check`, or that nothing here fills, fails."""
    missed, tried = [], set()
    for name, table in Base.metadata.tables.items():
        for column in table.columns:
            copy = shutil.copy(full, tmp_path / "spoiled.db")
            if not spoil(copy, name, column.name):
                continue
            tried.add(name)
            damage.forget()
            with open_store(copy, read_only=True) as store:
                if not check(store):
                    missed.append(f"{name}.{column.name}")
    assert missed == ["audit_event.id", "seal.id"]  # numbers that only give an order
    assert set(Base.metadata.tables) - tried == set()


def test_a_store_that_nobody_spoiled_is_sound(path, tmp_path):
    with open_store(path) as store:
        assert check(store) == []
        add_note(store, "system", "B", "another", actor="t")
        with store.read() as connection:
            assert seals.wrong(connection) == []
        write_backup(store, tmp_path / "copy.db")
    with open_store(tmp_path / "copy.db") as store:
        assert check(store) == []


def test_the_use_of_a_token_is_no_damage(path):
    with open_store(path) as store:
        secret = add_token(store, "t", actor="t", scope="write")[1]
        with store.write("t") as change:
            change.session.execute(sa.text("UPDATE token SET last_used_at = NULL"))
        assert person_of(store, secret) is not None
        with store.read() as connection:
            assert connection.exec_driver_sql("SELECT last_used_at FROM token").scalar() is not None
        assert check(store) == []


def test_an_answer_tells_it_and_check_finds_it(path):
    assert spoil(path, "metric", "higher_is_better")
    told = CliRunner().invoke(app, ["--store", str(path), "leaderboard", "qa", "--json"])
    assert told.exit_code == 0, told.output
    (said,) = (one for one in json.loads(told.stdout)["warnings"] if "not what was" in one)
    assert "'metric' is not what was written" in said
    assert "db restore" in said
    with open_store(path) as store:
        assert "The rows of 'metric' are not what was written." in check(store)


def test_an_export_tells_it_too(path):
    assert spoil(path, "item", "key")
    told = CliRunner().invoke(app, ["--store", str(path), "export", "scores", "--dataset", "qa"])
    assert "'item' is not what was written" in told.stderr


@pytest.mark.parametrize("changes", ["another table", "the same table", "all tables"])
def test_a_later_change_does_not_make_it_right(path, changes):
    assert spoil(path, "system", "name")
    with open_store(path) as store:
        if changes == "another table":
            add_note(store, "dataset", "qa", "later", actor="t")
        elif changes == "the same table":
            rename(store, "system", "A", "C", actor="t")
        else:
            purge(store, "system", delete(store, "system", "A", actor="t"), actor="t")
        assert "The rows of 'system' are not what was written." in check(store)
    damage.forget()
    with open_store(path) as store, store.read() as connection:
        connection.exec_driver_sql("SELECT count(*) FROM system")
        assert [str(one).split("'")[1] for one in damage.seen(connection)] == ["system"]


def test_what_was_looked_at_is_not_looked_at_again(path, monkeypatch):
    looks, look = [], seals._digest
    monkeypatch.setattr(
        seals, "_digest", lambda of, name, part: (looks.append(name), look(of, name, part))[1]
    )
    with open_store(path) as store:
        for _ in range(2):
            load_matrix(store, "qa", "score")
        first = list(looks)
        assert {"dataset", "metric", "run", "score_vector", "system"} <= set(first)
        assert "rating" not in first
        assert len(first) == len(set(first))
        add_note(store, "dataset", "qa", "later", actor="t")
        load_matrix(store, "qa", "score")
        assert sorted(looks) == sorted([*first, "note", "note"])  # before its change, and after


def test_what_fails_of_it_fails_in_words(path):
    assert spoil(path, "dataset", "n_items")
    told = CliRunner().invoke(app, ["--store", str(path), "export", "scores", "--dataset", "qa"])
    assert told.exception is None or isinstance(told.exception, SystemExit)
    assert "'dataset' is not what was written" in told.stderr


@pytest.fixture
def large(store, bundle, monkeypatch):
    """A store of two datasets whose tables have parts of two rows; closed."""
    monkeypatch.setattr(seals, "PART", 2)
    monkeypatch.setattr(seals, "MOST_ROWS", 2)
    seals._queries.cache_clear()
    for name in ("qa", "other"):
        ingest(store, bundle({"A": np.arange(4.0)}, dataset=name), actor="t")
    store.close()
    damage.forget()
    yield store.path
    seals._queries.cache_clear()


def test_a_large_table_is_looked_at_where_it_is_read(large):
    with open_store(large, read_only=True) as store, store.read() as connection:
        assert check(store) == []
        first = connection.exec_driver_sql("SELECT min(id) FROM item").scalar()
        assert connection.exec_driver_sql("SELECT max(part) FROM seal").scalar() > 2
    with sqlite3.connect(large) as connection:
        connection.execute("UPDATE item SET key = 'spoiled' WHERE id = ?", (first,))
    damage.forget()
    with open_store(large) as store:
        load_groups(store, "other")
        assert damage.seen_anywhere() == []
        load_groups(store, "qa")
        assert damage.seen_anywhere() == [damage.DamagedTable("item")]
        assert "The rows of 'item' are not what was written." in check(store)


def test_what_is_added_renews_the_last_parts_alone(large, bundle):
    def kept():
        with sqlite3.connect(large) as connection:
            return dict(connection.execute("SELECT part, id FROM seal WHERE table_name = 'item'"))

    before = kept()
    with open_store(large) as store:
        ingest(store, bundle({"A": np.arange(5.0)}, dataset="third"), actor="t")
        assert before.items() <= kept().items()
        assert len(kept()) > len(before)
        purge(store, "dataset", delete(store, "dataset", "third", actor="t"), actor="t")
        assert check(store) == []


@pytest.mark.parametrize(
    ("statement", "named", "added", "changed"),
    [
        ("SELECT a FROM item JOIN run ON x", "item run", "", ""),
        ('INSERT INTO "item" (dataset_id, key) VALUES (?, ?)', "item", "item", ""),
        ("INSERT INTO item (id, key) VALUES (?, ?)", "item", "", "item"),
        ("INSERT INTO item VALUES (?)", "item", "", "item"),
        ("INSERT INTO metric (name) SELECT key FROM item", "item metric", "metric", ""),
        ("INSERT INTO tag (name) VALUES (?) ON CONFLICT DO NOTHING", "tag", "", "tag"),
        ("UPDATE run SET system_id=? WHERE run.id IN (SELECT id FROM item)", "item run", "", "run"),
        ("DELETE FROM note WHERE id = ?", "note", "", "note"),
        ("DELETE FROM rating", "error_span rating", "", "error_span rating"),
        ("DELETE FROM analysis_result", "analysis_result", "", "analysis_result"),
        ("DELETE FROM audit_event", "", "", ""),
        ("WITH x AS (SELECT 1) DELETE FROM tag", "tag", "", "tag"),
    ],
)
def test_the_words_of_a_statement_say_what_it_changes(statement, named, added, changed):
    assert [set(one) for one in tables_of(statement)] == [
        set(one.split()) for one in (named, added, changed)
    ]
