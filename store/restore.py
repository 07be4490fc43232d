"""A backup takes the store's place again; what stood there is put aside, never lost."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from store import schema
from store.backup import PARTIAL, check, free_name, vacuum_into
from store.copying import copy_store
from store.engine import make_engines, open_store, plain_errors
from store.errors import NotFoundError, SchemaVersionError, StoreError
from store.location import resolve_location, sqlite_path
from store.records import Record

RESTORING = ".restoring"
"""End of the name of a copy that is to take the store's place."""
_BESIDE = ("-wal", "-shm")
"""Files that SQLite keeps beside a store; those of one store must never meet another."""


@dataclass(frozen=True, slots=True)
class Restored(Record):
    """What a restore did."""

    store: str
    backup: str
    revision: str
    aside: str | None
    """Where the file lies now that stood in the store's place."""


def restore_store(backup: str | Path, location: str | None = None) -> Restored:
    """Put a copy of a backup in the store's place.

    The backup is looked through first. The copy is written beside the store and then takes its
    name, so that a restore that is stopped leaves either file whole under a name that says what it
    is.

    Raises
    ------
    NotFoundError
        There is no such backup.
    StoreError
        The backup is damaged or no store, somebody writes into the store, or a database on a
        server is not empty.
    """
    source, given = Path(backup), resolve_location(location)
    path = sqlite_path(given)
    if not source.is_file():
        raise NotFoundError(f"There is no backup at {source}.")
    if path is not None and path.exists() and path.samefile(source):
        raise StoreError(f"{source} is the store itself: name the backup.")
    if source.name.endswith(PARTIAL):
        raise StoreError(f"{source} is a backup that was never finished: choose another one.")
    revision = require_sound(source)
    if path is None:  # nothing is ever put aside on a server: an empty database takes the backup
        with open_store(source, read_only=True) as opened:
            copied = copy_store(opened, given)
        return Restored(copied.target, str(source), revision, None)
    fresh = path.with_name(f"{path.name}{RESTORING}")
    fresh.unlink(missing_ok=True)
    _, reader = make_engines(str(source))
    try:
        with plain_errors(str(source)), reader.connect() as connection:
            vacuum_into(connection, fresh)
    finally:
        reader.dispose()
    aside = _put_aside(path)
    os.replace(fresh, path)
    return Restored(str(path), str(source), revision, None if aside is None else str(aside))


def require_sound(backup: Path) -> str:
    """Return the revision of a backup; raise `StoreError` for one that cannot be relied on."""
    writer, reader = make_engines(str(backup))
    try:
        with plain_errors(str(backup)):
            try:
                schema.require_current(reader, str(backup))
            except SchemaVersionError as error:
                revision = schema.current_revision(reader) or ""
                if revision > schema.head_revision():
                    raise StoreError(str(error)) from error
                with reader.connect() as connection:
                    said = connection.exec_driver_sql("PRAGMA integrity_check").scalar()
                problems = [] if said == "ok" else [str(said)]
            else:
                revision = schema.head_revision()
                with open_store(backup, read_only=True) as store:
                    problems = check(store)
    finally:
        reader.dispose()
        writer.dispose()
    if problems:
        raise StoreError(f"{backup} is damaged: {problems[0]} Choose another backup.")
    return revision


def _put_aside(path: Path) -> Path | None:
    """Rename the store and what lies beside it; return its new name."""
    if not path.exists():
        for end in _BESIDE:  # of a store that is gone: it must not meet the new one
            path.with_name(path.name + end).unlink(missing_ok=True)
        return None
    with contextlib.suppress(sqlite3.DatabaseError):  # damaged: there is nothing to fold in
        connection = sqlite3.connect(path, timeout=5, isolation_level=None)
        try:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise StoreError(f"{path}: somebody is writing into it. Repeat later.") from error
        finally:
            connection.close()
    aside = free_name(path, "replaced")
    os.replace(path, aside)
    for end in _BESIDE:
        beside = path.with_name(path.name + end)
        if beside.exists():
            os.replace(beside, aside.with_name(aside.name + end))
    return aside
