"""Backups, checks, key figures, upgrades."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest

from store import schema
from store.arrays import load_matrix
from store.backup import check, info, upgrade_store, write_backup
from store.engine import open_store
from store.errors import NotFoundError, SchemaVersionError, StoreError
from store.ingest import ingest
from store.models import System
from store.results_cache import load_result, save_result
from store.systems import list_systems


@pytest.fixture
def filled(store, bundle):
    ingest(store, bundle({"A": [1.0, 0.0], "B": [0.5, 0.5]}), actor="t")
    return store


def test_write_backup_makes_a_whole_store(filled, contents):
    target = filled.path.with_name("copy.db")
    assert write_backup(filled, target) == target
    copy = open_store(target)
    assert contents(copy) == contents(filled)
    assert check(copy) == []
    assert copy.revision() == filled.revision()
    ingest_again = load_matrix(copy, "qa", "score")
    assert ingest_again.systems == ("A", "B")
    copy.close()


def test_write_backup_can_be_written_to_and_goes_on_numbering(filled, bundle):
    copy = open_store(write_backup(filled, filled.path.with_name("copy.db")))
    ingest(copy, bundle({"C": [1.0, 1.0]}), actor="t")
    assert copy.revision() > filled.revision()
    with copy.write("t", dry_run=True) as change:
        assert change.session.connection().exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    copy.close()


def test_write_backup_while_somebody_writes_is_the_state_before(filled):
    with filled.write("t") as change:
        change.session.add(System(name="C"))
        change.session.flush()
        target = write_backup(filled, filled.path.with_name("copy.db"))
    copy = open_store(target)
    assert [s.name for s in list_systems(copy)] == ["A", "B"]
    assert [s.name for s in list_systems(filled)] == ["A", "B", "C"]
    copy.close()


def test_write_backup_never_overwrites(filled):
    target = filled.path.with_name("precious.txt")
    target.write_text("mine")
    with pytest.raises(StoreError) as raised:
        write_backup(filled, target)
    assert str(raised.value) == f"{target} exists already: name another file."
    assert target.read_text() == "mine"


def test_write_backup_names_a_missing_folder(filled):
    target = filled.path.parent / "no" / "copy.db"
    with pytest.raises(StoreError) as raised:
        write_backup(filled, target)
    assert str(raised.value) == f"The folder {target.parent} does not exist. Make it first."


def test_write_backup_of_a_damaged_store_leaves_no_half_copy(store, bundle):
    rng = np.random.default_rng(0)
    ingest(store, bundle({f"s{i}": rng.random(3000) for i in range(10)}), actor="t")
    store.close()
    with open(store.path, "r+b") as file:
        for page in range(30, 60):
            file.seek(16384 * page)
            file.write(b"\xff" * 16384)
    damaged = open_store(store.path)
    target = store.path.with_name("copy.db")
    with pytest.raises(StoreError, match="the file is damaged"):
        write_backup(damaged, target)
    assert not target.exists()
    damaged.close()


def test_check_of_a_sound_store_finds_nothing(filled):
    assert check(filled) == []


@pytest.mark.parametrize(
    ("tamper", "problem"),
    [
        (
            "UPDATE score_vector SET data = zeroblob(16) WHERE id = 1",
            "Score vector 1 is not what was written.",
        ),
        (
            "UPDATE score_vector SET data = zeroblob(8) WHERE id = 2",
            "Score vector 2 has the wrong length.",
        ),
        (
            "UPDATE score_vector SET n_items = 1, data = substr(data, 1, 8) WHERE id = 2",
            "Score vector 2 is not what was written.",
        ),
        (
            "UPDATE score_vector SET chain_hash = 'f00' WHERE id = 2",
            "Score vector 2 belongs to other items.",
        ),
        (
            "UPDATE item SET key = 'other' WHERE position = 1",
            "The items of dataset 'qa' are not those that were written.",
        ),
        (
            "UPDATE item SET position = 9 WHERE position = 1",
            "The items of dataset 'qa' are not those that were written.",
        ),
        (
            "UPDATE dataset SET n_items = 3",
            "The items of dataset 'qa' are not those that were written.",
        ),
        (
            "UPDATE dataset SET chain_hash = 'f00'",
            "Dataset 'qa' does not end with its own last item.",
        ),
        ("DELETE FROM system WHERE name = 'A'", "1 rows refer to something that is not there."),
        (
            "UPDATE status_vector SET data = zeroblob(1) WHERE id = 1",
            "Status vector 1 has the wrong length.",
        ),
    ],
)
def test_check_names_what_was_tampered_with(filled, database, tamper, problem):
    database.execute("PRAGMA foreign_keys=OFF")
    database.execute(tamper)
    assert problem in check(filled)


def test_info_counts_rows_and_bytes(filled):
    figures = info(filled)
    assert figures.location == str(filled.path)
    assert figures.schema_revision == schema.head_revision()
    assert figures.store_revision == filled.revision()
    assert figures.size_bytes >= 16384
    assert {t: figures.rows[t] for t in ("system", "item", "run", "score_vector", "note")} == {
        "system": 2,
        "item": 2,
        "run": 2,
        "score_vector": 2,
        "note": 0,
    }


def test_info_counts_kept_results(filled):
    assert (info(filled).kept_results, info(filled).kept_results_bytes) == (0, 0)
    save_result(filled, "a", b"12345", question="q")
    save_result(filled, "b", b"123", question="q")
    figures = info(filled)
    assert (figures.kept_results, figures.kept_results_bytes) == (2, 8)
    assert figures.rows["analysis_result"] == 2


def test_check_names_a_kept_result_that_is_not_what_was_written(filled, database):
    save_result(filled, "a", b"12345", question="q")
    assert check(filled) == []
    database.execute("UPDATE analysis_result SET payload = x'00'")
    assert check(filled) == [
        "Kept result 1 is not what was written; it is computed again when asked for."
    ]


def test_write_backup_takes_kept_results_along(filled):
    save_result(filled, "a", b"12345", question="q")
    copy = open_store(write_backup(filled, filled.path.with_name("copy.db")))
    assert load_result(copy, "a") == b"12345"
    copy.close()


def test_upgrade_store_of_a_new_store_does_nothing(filled):
    done = upgrade_store(str(filled.path))
    head = schema.head_revision()
    assert (done.before, done.after, done.backup) == (head, head, None)
    assert [p.suffix for p in filled.path.parent.iterdir() if p.suffix == ".bak"] == []


def test_upgrade_store_that_is_not_there(tmp_path):
    with pytest.raises(NotFoundError, match="There is no store at"):
        upgrade_store(str(tmp_path / "none.db"))
    assert list(tmp_path.iterdir()) == []


def test_upgrade_store_leaves_a_newer_store_alone(store, database):
    database.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(SchemaVersionError, match="update Tiebreak"):
        upgrade_store(str(store.path))


@pytest.mark.parametrize("version", [None, "bd07f7e963c5"])
def test_upgrade_store_leaves_a_database_of_another_program_alone(tmp_path, version):
    path = tmp_path / "music.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE song (title TEXT)")
        if version:
            other.execute("CREATE TABLE alembic_version (version_num VARCHAR(32))")
            other.execute("INSERT INTO alembic_version VALUES (?)", [version])
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreError) as raised:
        upgrade_store(str(path))
    assert str(raised.value) == f"{path}: this database is no Tiebreak store."
    assert path.read_bytes() == before


def test_upgrade_store_of_something_that_is_no_database(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("system,item,score\n" * 100)
    with pytest.raises(StoreError, match="this file is no Tiebreak store"):
        upgrade_store(str(path))
