"""Opening a store, in good order and in bad."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import textwrap
from itertools import repeat
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa

from store import schema
from store.arrays import load_matrix
from store.backup import check, write_backup
from store.engine import insert_columns, open_for_trial, open_store
from store.errors import (
    NotFoundError,
    ReadOnlyError,
    SchemaVersionError,
    StorageError,
    StoreError,
)
from store.ingest import ingest
from store.lifecycle import delete
from store.location import absolute_location, resolve_location, sqlite_path, without_password
from store.models import Item, System


def test_resolve_location_asks_argument_then_environment_then_folder(monkeypatch):
    monkeypatch.setenv("TIEBREAK_STORE", "/elsewhere.db")
    assert resolve_location("given.db") == "given.db"
    assert resolve_location() == "/elsewhere.db"
    monkeypatch.delenv("TIEBREAK_STORE")
    assert resolve_location() == "tiebreak.db"


def test_sqlite_path_knows_files_urls_and_servers():
    assert sqlite_path("some/where.db") == Path("some/where.db")
    assert sqlite_path("sqlite:////some/where.db") == Path("/some/where.db")
    assert sqlite_path("postgresql+psycopg://u:p@host/db") is None


@pytest.mark.parametrize("location", ["sqlite://", "sqlite:///:memory:"])
def test_sqlite_path_refuses_a_store_in_memory(location):
    with pytest.raises(StoreError, match="a store needs a file, it cannot live in memory"):
        sqlite_path(location)


def test_without_password_shows_the_rest():
    shown = without_password("postgresql+psycopg://ada:secret@host:5432/results")
    assert shown == "postgresql+psycopg://ada:***@host:5432/results"
    assert without_password("some/where.db") == "some/where.db"


def test_without_password_hides_one_among_the_options():
    shown = without_password("postgresql+psycopg://ada@host/results?password=secret&port=5432")
    assert "secret" not in shown
    assert "port=5432" in shown


@pytest.mark.parametrize("url", ["postgresql://ada:secret@host:port/x", "no sql://ada:secret@host"])
def test_address_that_is_none_is_refused_and_its_password_not_said(url):
    with pytest.raises(StoreError, match="no database URL") as raised:
        open_store(url)
    assert "secret" not in str(raised.value)
    assert raised.value.__cause__ is None


@pytest.mark.parametrize("given", ["mine.db", "sqlite:///mine.db", "./mine.db"])
def test_absolute_location_is_the_same_file_from_everywhere(given, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Path(absolute_location(given)) == tmp_path / "mine.db"
    server = "postgresql+psycopg://u:p@host/db"
    assert absolute_location(server) == server


def test_open_store_without_a_driver_says_so_and_keeps_the_password_to_itself():
    with pytest.raises(StoreError, match="no driver for this database here") as raised:
        open_store("nosuch://ada:secret@host/results")
    assert "secret" not in str(raised.value)


def test_open_store_makes_nothing_unless_asked(tmp_path):
    path = tmp_path / "none.db"
    with pytest.raises(NotFoundError) as raised:
        open_store(path)
    assert str(raised.value) == (
        f"There is no store at {path}. Make one with `tiebreak ingest FILE`, or look at the "
        "example with `tiebreak demo`."
    )
    assert list(tmp_path.iterdir()) == []


def test_open_store_makes_a_store_at_the_newest_revision(tmp_path):
    store = open_store(tmp_path / "new.db", create=True)
    assert schema.current_revision(store._reader) == schema.head_revision()
    assert store.revision() == 0
    store.close()
    open_store(tmp_path / "new.db").close()


def test_open_store_makes_a_store_in_an_empty_file(tmp_path):
    (tmp_path / "new.db").touch()
    store = open_store(tmp_path / "new.db", create=True)
    assert store.revision() == 0
    store.close()


def test_open_store_takes_a_url(tmp_path, bundle):
    store = open_store(f"sqlite:///{tmp_path}/url.db", create=True)
    ingest(store, bundle({"A": [1.0]}), actor="t")
    store.close()
    assert (tmp_path / "url.db").exists()


@pytest.mark.parametrize(
    "name",
    ["with space", "q?mode=memory", "100%", "%41", "a#b", "a&b=c", "ünï – 数据", "it's", ":colon:"],
)
def test_open_store_takes_any_path(tmp_path, bundle, name):
    folder = tmp_path / name
    folder.mkdir()
    path = folder / f"{name}.db"
    store = open_store(path, create=True)
    ingest(store, bundle({"A": [1.0]}), actor="t")
    assert load_matrix(store, "qa", "score").scores.tolist() == [[[1.0]]]
    write_backup(store, folder / "copy of.db")
    store.close()
    assert sorted(p.name for p in folder.iterdir()) == sorted([path.name, "copy of.db"])
    assert sorted(p.name for p in tmp_path.iterdir()) == [name]


def test_open_store_follows_a_relative_path_from_where_it_was_opened(tmp_path, monkeypatch, bundle):
    monkeypatch.chdir(tmp_path)
    store = open_store("here.db", create=True)
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    ingest(store, bundle({"A": [1.0]}), actor="t")
    assert store.revision() > 0
    store.close()
    assert list(other.iterdir()) == []


def test_open_store_names_a_missing_folder(tmp_path):
    path = tmp_path / "no" / "store.db"
    with pytest.raises(StoreError) as raised:
        open_store(path, create=True)
    assert str(raised.value) == f"{path}: the folder {path.parent} does not exist. Make it first."


def test_open_store_says_that_a_store_is_too_old(store, database):
    database.execute("UPDATE alembic_version SET version_num = '0000'")
    head = schema.head_revision()
    with pytest.raises(SchemaVersionError) as raised:
        open_store(store.path)
    assert str(raised.value) == (
        f"{store.path} is at revision 0000, this version of Tiebreak needs {head}. Run `tiebreak "
        "db upgrade` (a backup is written beside the file first)."
    )


def test_open_store_says_that_a_store_is_too_new(store, database):
    database.execute("UPDATE alembic_version SET version_num = '9999'")
    head = schema.head_revision()
    with pytest.raises(SchemaVersionError) as raised:
        open_store(store.path, create=True)
    assert str(raised.value) == (
        f"{store.path} is at revision 9999, this version of Tiebreak knows only {head}. It was "
        "written by a newer version: update Tiebreak."
    )


@pytest.mark.parametrize("create", [False, True])
def test_open_store_leaves_a_database_of_another_program_alone(tmp_path, create):
    path = tmp_path / "music.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE song (title TEXT)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreError) as raised:
        open_store(path, create=create)
    assert str(raised.value) == f"{path}: this database is no Tiebreak store."
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["music.db"]


def test_a_store_that_was_killed_at_birth_says_what_to_do(tmp_path):
    path = tmp_path / "s.db"
    path.touch()
    with pytest.raises(StoreError, match=r"this file is empty.*delete the file and repeat"):
        open_store(path)


def test_open_store_is_not_fooled_by_another_program_that_migrates_too(tmp_path):
    """MLflow and Optuna keep their revision in a table of the same name."""
    path = tmp_path / "mlflow.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE alembic_version (version_num VARCHAR(32))")
        other.execute("INSERT INTO alembic_version VALUES ('bd07f7e963c5')")
    other.close()
    with pytest.raises(StoreError) as raised:
        open_store(path)
    assert str(raised.value) == f"{path}: this database is no Tiebreak store."
    assert type(raised.value) is StorageError


def test_open_store_says_that_a_file_is_no_database(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("system,item,score\n" * 100)
    for create in (False, True):
        with pytest.raises(StoreError) as raised:
            open_store(path, create=create)
        assert str(raised.value) == f"{path}: this file is no Tiebreak store."
    assert path.read_text() == "system,item,score\n" * 100


def test_open_store_says_that_a_folder_is_no_store(tmp_path):
    with pytest.raises(StoreError) as raised:
        open_store(tmp_path, create=True)
    assert str(raised.value) == f"{tmp_path} is a folder: name the file of the store in it."


def test_open_store_read_only_refuses_to_write(store, bundle):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    viewer = open_store(store.path, read_only=True)
    assert load_matrix(viewer, "qa", "score").systems == ("A",)
    for write in (
        lambda: ingest(viewer, bundle({"B": [1.0]}), actor="t"),
        lambda: delete(viewer, "system", "A", actor="t"),
    ):
        with pytest.raises(ReadOnlyError) as raised:
            write()
        assert str(raised.value) == (
            f"{store.path} is open read-only: nothing can be changed here."
        )
    viewer.close()


def test_read_cannot_write_even_by_mistake(store):
    with pytest.raises(ReadOnlyError), store.read() as connection:
        connection.execute(sa.insert(System).values(name="A", uid="x"))


def test_read_sees_one_state_from_beginning_to_end(store, bundle):
    count = sa.select(sa.func.count()).select_from(System)
    with store.read() as connection:
        assert connection.scalar(count) == 0
        ingest(store, bundle({"A": [1.0]}), actor="t")
        assert connection.scalar(count) == 0
    with store.read() as connection:
        assert connection.scalar(count) == 1


def test_write_rolls_everything_back_when_anything_fails(store, contents):
    def fail() -> None:
        with store.write("t") as change:
            change.session.add(System(name="A"))
            change.record("create", "system")
            change.session.flush()
            raise RuntimeError("oops")

    before = contents(store)
    with pytest.raises(RuntimeError, match="oops"):
        fail()
    assert contents(store) == before


@pytest.mark.parametrize("is_new", [False, True])
def test_write_sets_the_connection_up_for_safety(store, tmp_path, is_new):
    """In a store just made too: its connection has run the migrations, foreign keys off."""
    used = open_store(tmp_path / "new.db", create=True) if is_new else store
    with used.write("t", dry_run=True) as change:
        connection = change.session.connection()
        pragmas = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        said = {p: connection.exec_driver_sql(f"PRAGMA {p}").scalar() for p in pragmas}
    assert said == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "busy_timeout": 30_000,
    }
    used.close()


def test_insert_columns_writes_what_sqlalchemy_would_read(store, bundle):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    with store.write("t") as change:
        columns = {
            "metadata": [{"a": 1}, None],
            "key": ["x", "y"],
            "position": range(1, 3),
            "dataset_id": repeat(1),
            "chain_hash": ["h1", "h2"],
        }
        insert_columns(change.session.connection(), Item.__table__, columns)
    with store.read() as connection:
        query = sa.select(Item.position, Item.key, Item.metadata_, Item.chain_hash)
        rows = connection.execute(query.order_by(Item.position)).all()
    assert rows[1:] == [(1, "x", {"a": 1}, "h1"), (2, "y", None, "h2")]


def test_insert_columns_of_no_rows_does_nothing(store, contents):
    before = contents(store)
    with store.write("t") as change:
        insert_columns(change.session.connection(), Item.__table__, {"key": [], "position": []})
    assert contents(store) == before


def test_open_for_trial_of_a_store_that_is_not_there_leaves_no_trace(tmp_path, bundle):
    with open_for_trial(tmp_path / "none.db") as trial:
        report = ingest(trial, bundle({"A": [1.0]}), actor="t", dry_run=True)
    assert report.n("run", "added") == 1
    assert list(tmp_path.iterdir()) == []


def test_open_for_trial_of_a_store_sees_what_it_holds(store, bundle):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    with open_for_trial(store.path) as trial:
        report = ingest(trial, bundle({"A": [1.0]}), actor="t", dry_run=True)
    assert (report.n("run", "added"), report.n("run", "unchanged")) == (0, 1)


def test_close_leaves_one_file(store, bundle):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    assert store.revision() > 0  # a reader is open too
    store.close()
    assert [p.name for p in store.path.parent.iterdir()] == [store.path.name]


AS_NOBODY = """
import os, sys
from store.arrays import load_matrix
from store.engine import open_store
from store.errors import StoreError
from store.lifecycle import delete
if os.geteuid() == 0:
    os.seteuid(65534)  # root may write everywhere
try:
    store = open_store(sys.argv[1])
    assert store.revision() > 0
    assert load_matrix(store, "qa", "score").systems == ("A",)
    print("read")
    delete(store, "system", "A", actor="t")
    print("wrote")
except StoreError as error:
    print(type(error).__name__, error)
"""


def _as_nobody(path: Path) -> list[str]:
    folder = path.parent
    while folder != folder.parent:  # pytest's folders are for their owner only
        if folder.stat().st_uid == os.geteuid():
            folder.chmod(folder.stat().st_mode | 0o055)
        folder = folder.parent
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(AS_NOBODY), str(path)],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_a_store_that_was_upgraded_meanwhile_takes_nothing_from_before(store, bundle, monkeypatch):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    monkeypatch.setattr("store.schema.head_revision", lambda: "0001")
    with pytest.raises(SchemaVersionError, match="Start it again"):
        ingest(store, bundle({"B": [1.0]}), actor="t")


def test_a_change_that_was_killed_without_a_log_is_rolled_back_for_readers(store, bundle, tmp_path):
    ingest(store, bundle({"A": np.arange(9_000.0)}), actor="t")
    store.close()
    connection = sqlite3.connect(store.path, isolation_level=None)
    for words in ("journal_mode = DELETE", "cache_size = 1", "cache_spill = 1"):
        connection.execute(f"PRAGMA {words}")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("UPDATE item SET key = 'lost' || key")
    copy = shutil.copy(store.path, tmp_path / "copy.db")
    shutil.copy(f"{store.path}-journal", f"{copy}-journal")
    connection.close()
    with open_store(copy, read_only=True) as opened, opened.read() as reading:
        lost = reading.exec_driver_sql("SELECT count(*) FROM item WHERE key LIKE 'lost%'")
        assert lost.scalar() == 0


def test_a_folder_that_may_not_be_entered_is_told(store):
    store.close()
    store.path.parent.chmod(0o700)
    code = (
        "import os, sys; from store.engine import open_store\n"
        "if os.geteuid() == 0: os.seteuid(65534)\n"
        "else: os.chmod(os.path.dirname(sys.argv[1]), 0)\n"
        "try: open_store(sys.argv[1])\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    words = [sys.executable, "-c", code, str(store.path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    store.path.parent.chmod(0o700)
    assert done.stdout.startswith(f"StoreError {store.path}: the file cannot be opened (Permission")


def test_write_into_a_read_only_file_says_so(store, bundle):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    store.close()
    store.path.parent.chmod(0o777)
    store.path.chmod(0o444)
    assert _as_nobody(store.path) == [
        "read",
        f"ReadOnlyError {store.path}: the file or its folder cannot be written to.",
    ]


def test_open_store_in_a_read_only_folder_says_so(store, bundle):
    """Even to read, SQLite keeps the index of the write-ahead log beside the file."""
    ingest(store, bundle({"A": [1.0]}), actor="t")
    store.close()
    store.path.chmod(0o444)
    store.path.parent.chmod(0o555)
    try:
        assert _as_nobody(store.path) == [
            f"ReadOnlyError {store.path}: the file or its folder cannot be written to."
        ]
    finally:
        store.path.parent.chmod(0o755)


def test_open_store_with_another_one_writing_does_not_wait(store, bundle):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    with store.write("t") as change:
        change.session.add(System(name="B"))
        change.session.flush()
        other = open_store(store.path, create=True)
        assert other.revision() == store.revision()
        assert check(other) == []
        other.close()
