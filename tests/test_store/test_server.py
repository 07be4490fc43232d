"""What only a database server can do: be away, let somebody only read, and be older."""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from dashboard.cli import app
from store import schema
from store.arrays import load_matrix
from store.backup import check, upgrade_store
from store.copying import copy_store
from store.doctor import examine
from store.engine import make_engines, open_store
from store.errors import ReadOnlyError, SchemaVersionError, StoreError, UnreachableError
from store.ingest import ingest
from store.location import without_password
from store.results_cache import save_result
from store.systems import list_systems

ASSETS = Path(__file__).parents[1] / "test_migrations" / "assets"


@pytest.fixture
def address(new_address, bundle):
    location = new_address()
    with open_store(location) as store:
        ingest(store, bundle({"A": [1.0], "B": [0.0]}), actor="t")
    return location


def test_a_server_that_is_away_is_told_in_words_and_asked_again(address, postgres):
    with open_store(address) as store:
        assert len(list_systems(store)) == 2
        with pytest.raises(UnreachableError), store.write("t") as change:  # noqa: PT012
            change.session.execute(sa.text("SELECT 1"))
            postgres.stop(at_once=True)
            change.record("note", "x")
        for ask in (lambda: list_systems(store), lambda: open_store(address)):
            with pytest.raises(UnreachableError, match="the database server does not answer"):
                ask()
        assert not save_result(store, "k", b"1", question="q")
        with_password = address.replace("tiebreak@", "tiebreak:secret@")
        done = CliRunner().invoke(app, ["--store", with_password, "ls", "systems"])
        assert done.exit_code == 2
        assert "does not answer" in done.output
        assert "secret" not in done.output
        postgres.start()
        assert len(list_systems(store)) == 2
        with store.write("t") as change:
            change.record("note", "x")
        assert check(store) == []


def test_a_place_is_waited_for_where_others_have_them_all(address, postgres, monkeypatch):
    name = sa.make_url(address).database
    postgres.psql("CREATE ROLE crowd LOGIN CONNECTION LIMIT 1; GRANT pg_read_all_data TO crowd")
    theirs = postgres.address(name, "crowd")
    with open_store(theirs, read_only=True) as store:
        with monkeypatch.context() as patient:
            patient.setattr("store.backends.postgresql.WAITS_FOR_PLACE_S", 0.1)
            with pytest.raises(UnreachableError, match="no connection left"):
                open_store(theirs, read_only=True)
        threading.Timer(0.3, store.close).start()
        with open_store(theirs, read_only=True) as another:
            assert len(list_systems(another)) == 2


def test_the_doctor_says_whether_damage_would_be_seen(address, postgres, monkeypatch):
    assert [one.state for one in examine(address) if one.what == "store"] == ["ok"]
    assert not [one for one in examine(address) if one.what == "checksums"]
    monkeypatch.setattr("store.doctor.SAYS_CHECKSUMS", "SELECT 'off'")
    (found,) = (one for one in examine(address) if one.what == "checksums")
    assert "pg_checksums --enable" in found.help


def test_who_may_only_read_reads(address, postgres):
    name = sa.make_url(address).database
    postgres.psql("CREATE ROLE reader LOGIN; GRANT pg_read_all_data TO reader")
    with open_store(postgres.address(name, "reader")) as store:
        assert load_matrix(store, "qa", "score").systems == ("A", "B")
        assert not save_result(store, "k", b"1", question="q")
        with pytest.raises(ReadOnlyError, match="has no right to that"), store.write("t") as change:
            change.record("note", "x")


@pytest.mark.parametrize(("database", "user"), [("nosuch", "tiebreak"), ("postgres", "nobody")])
def test_who_is_not_let_in_is_told_so(postgres, database, user):
    with pytest.raises(StoreError, match="Check name, password and database"):
        open_store(postgres.address(database, user))


def test_a_database_without_a_store_and_one_of_another_program_are_told(new_empty, postgres):
    location = new_empty()
    with pytest.raises(StoreError):
        open_store(location)
    postgres.psql("CREATE TABLE song (title TEXT)", sa.make_url(location).database)
    with pytest.raises(StoreError, match="no Tiebreak store"):
        open_store(location, create=True)


def test_a_store_of_the_first_revision_is_migrated_with_all_its_rows(
    new_empty, tmp_path, monkeypatch
):
    monkeypatch.setattr(secrets, "token_hex", lambda size: "0" * 2 * size)  # the log's salts
    location, old = new_empty(), tmp_path / "old.db"
    old.write_bytes((ASSETS / "0001.db").read_bytes())
    writer, reader = make_engines(location)
    schema._migrate(writer, "0001")
    tables, plain = sa.MetaData(), sa.create_engine(location)
    tables.reflect(plain)
    plain.dispose()
    with sqlite3.connect(old) as origin, writer.begin() as target:
        origin.row_factory = sqlite3.Row
        for table in tables.sorted_tables:
            target.execute(sa.delete(table))
            for row in origin.execute(f'SELECT * FROM "{table.name}"').fetchall():
                flags = {c.name for c in table.columns if isinstance(c.type, sa.Boolean)}
                values = {
                    k: bool(row[k]) if k in flags and row[k] is not None else row[k]
                    for k in row.keys()  # noqa: SIM118
                }
                target.execute(sa.insert(table).values(values))
        schema.keep_counting_from(
            target, list(origin.execute("SELECT name, seq FROM sqlite_sequence"))
        )
    origin.close()
    writer.dispose()
    reader.dispose()
    with pytest.raises(SchemaVersionError, match="tiebreak db upgrade"):
        open_store(location)
    assert upgrade_store(location).after == upgrade_store(str(old)).after == schema.head_revision()
    with open_store(location) as server, open_store(old) as file:
        assert check(server) == []
        there = copy_store(server, str(tmp_path / "there.db"))
        assert there.digest == copy_store(file, str(tmp_path / "here.db")).digest


def test_copy_backup_and_check_are_commands(address, tmp_path):
    def said(*words: str) -> dict:
        done = CliRunner().invoke(app, [*words, "--json"])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)["result"]

    with_password = address.replace("tiebreak@", "tiebreak:secret@")
    copied = said("db", "copy", with_password, str(tmp_path / "copy.db"))
    assert copied["source"] == without_password(with_password)
    assert copied["rows"]["run"] == 2
    assert said("--store", address, "db", "check")["sound"]
    for _ in range(3):
        written = said("--store", address, "db", "backup", str(tmp_path / "b"), "--keep", "2")
    assert len(list((tmp_path / "b").iterdir())) == 2
    here = said("--store", str(written["path"]), "ls", "systems")
    assert here == said("--store", address, "ls", "systems")
