"""Backups that are kept, restores, the doctor, and stores that lie where they should not."""

import json
import os
import shutil
import sqlite3

import pytest
from typer.testing import CliRunner

from dashboard.cli import app
from store import whereabouts
from store.backends import sqlite
from store.backup import check, write_backup, write_dated_backup
from store.doctor import examine
from store.engine import open_store
from store.errors import NotFoundError, SchemaVersionError, StoreError
from store.ingest import ingest
from store.restore import restore_store
from store.systems import list_systems


@pytest.fixture
def filled(store, bundle):
    ingest(store, bundle({"A": [1.0, 0.0], "B": [0.5, 0.5]}), actor="t")
    return store


def names(path):
    with open_store(path, read_only=True) as store:
        return [one.name for one in list_systems(store)]


def faults(path):
    return [one for one in examine(str(path)) if one.state == "fault"]


def spoil(path):
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2)
        file.write(os.urandom(size // 4))


def test_restore_brings_the_backup_back_and_keeps_what_stood_there(filled, bundle):
    backup = write_backup(filled, filled.path.with_name("b.db"))
    ingest(filled, bundle({"C": [1.0, 1.0]}), actor="t")
    filled.close()
    done = restore_store(backup, str(filled.path))
    assert names(filled.path) == ["A", "B"]
    assert done.aside is not None
    assert names(done.aside) == ["A", "B", "C"]
    with open_store(filled.path) as store:
        assert check(store) == []
        ingest(store, bundle({"D": [1.0, 1.0]}), actor="t")


def test_restore_mends_a_damaged_store_and_takes_no_damaged_backup(filled):
    backup = write_backup(filled, filled.path.with_name("b.db"))
    filled.close()
    spoil(filled.path)
    spoiled = shutil.copy(filled.path, filled.path.with_name("spoiled.db"))
    assert faults(filled.path)
    assert "db restore" in faults(filled.path)[0].help
    with pytest.raises(StoreError, match="damaged"):
        restore_store(spoiled, str(filled.path))
    restore_store(backup, str(filled.path))
    assert names(filled.path) == ["A", "B"]
    assert faults(filled.path) == []


@pytest.mark.parametrize("name", ["gone.db", "b.db.partial", ""])
def test_restore_refuses_what_is_no_backup(filled, name):
    backup = filled.path.with_name(name) if name else filled.path
    if name.endswith("partial"):
        backup.write_bytes(b"half")
    with pytest.raises((NotFoundError, StoreError)):
        restore_store(backup, str(filled.path))
    assert names(filled.path) == ["A", "B"]


def test_dated_backups_are_kept_to_a_number_and_nothing_else_is_removed(filled, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    (folder / "tiebreak.mine.bak.db").write_text("mine")
    written = [write_dated_backup(filled, folder, 2)[0] for _ in range(3)]
    assert [one.exists() for one in written] == [False, True, True]
    assert (folder / "tiebreak.mine.bak.db").exists()
    told = CliRunner().invoke(
        app, ["--store", str(filled.path), "db", "backup", str(folder), "--keep", "2", "--verify"]
    )
    assert told.exit_code == 0, told.output
    assert len(list(folder.iterdir())) == 3


def test_the_doctor_names_the_command_that_helps(filled):
    def told(*, code):
        given = ["--store", str(filled.path), "doctor", "--json"]
        done = CliRunner().invoke(app, given)
        assert done.exit_code == code, done.output
        return " ".join(one["help"] for one in json.loads(done.stdout)["result"]["findings"])

    filled.path.with_name(f"{filled.path.name}.partial").write_bytes(b"half")
    assert "rm " in told(code=0)
    filled.close()
    with sqlite3.connect(filled.path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0005'")
    connection.close()
    assert "tiebreak db upgrade" in told(code=1)
    os.rename(filled.path, filled.path.with_name(f"{filled.path.name}.old.bak"))
    assert "tiebreak db restore" in told(code=1)


def test_an_older_store_copied_over_an_open_one_is_not_called_damaged(filled):
    with sqlite3.connect(filled.path) as connection:
        connection.execute("ALTER TABLE system RENAME COLUMN uid TO old_uid")
    connection.close()
    with pytest.raises(SchemaVersionError, match="db upgrade"):
        list_systems(filled)


def test_check_tells_of_text_that_is_none_instead_of_failing(filled):
    with sqlite3.connect(filled.path) as connection:
        connection.execute("UPDATE item SET key = CAST(x'ff' AS TEXT) WHERE position = 0")
    connection.close()
    assert any("cannot be read" in one or "not those" in one for one in check(filled))


def test_a_store_in_a_folder_that_may_not_be_written_can_be_read(filled, monkeypatch):
    filled.close()
    monkeypatch.setattr(sqlite, "can_write_beside", lambda path: False)
    assert names(filled.path) == ["A", "B"]
    assert not filled.path.with_name(f"{filled.path.name}-shm").exists()


@pytest.mark.parametrize(
    ("folder", "mount", "said"),
    [
        ("Dropbox/results", "ext4", "another program copies"),
        ("share", "nfs4", "network share"),
        ("plain", "ext4", ""),
    ],
)
def test_a_store_in_the_cloud_or_on_a_share_is_warned_of(
    tmp_path, monkeypatch, folder, mount, said
):
    place = tmp_path / folder
    place.mkdir(parents=True)
    mounts = tmp_path / "mounts"
    mounts.write_text(f"root / ext4 rw\nserver:/x {tmp_path.resolve()} {mount} rw\n")
    monkeypatch.setattr(whereabouts, "MOUNTS", mounts)
    warning = whereabouts.warning_of_place(place / "s.db")
    assert said in warning
    assert bool(warning) == bool(said)
