"""SQLite: a file. Readers open it read-only; in write-ahead mode neither side waits for the other.

Writers begin with ``BEGIN IMMEDIATE``: a deferred begin loses the race between reading and writing
("database is locked", whatever the timeout).
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa

from store.errors import (
    UNREADABLE,
    BusyError,
    ReadOnlyError,
    SchemaVersionError,
    StorageError,
    StoreError,
)
from store.text_checksum import TEXT_CHECKSUM, checksum
from store.whereabouts import can_write_beside


def make_engines(path: Path, writer_waits_ms: int) -> tuple[sa.Engine, sa.Engine]:
    """Return the writing and the reading engine of the file at an absolute path."""
    writer = sa.create_engine(
        sa.URL.create("sqlite", database=str(path)), json_deserializer=read_json
    )
    # A quoted path keeps names with ? and % apart from the URI's own options.
    options = {"mode": "ro", "uri": "true"}
    _take_back_what_was_stopped(path)
    log = path.with_name(f"{path.name}-wal")
    if not can_write_beside(path) and not (log.exists() and log.stat().st_size):
        # Readers share a file beside the store. Where nobody can make it and nobody writes, the
        # store is read as it lies.
        options["immutable"] = "1"
    reader = sa.create_engine(
        sa.URL.create("sqlite", database=f"file:{quote(str(path))}", query=options),
        json_deserializer=read_json,
    )

    def on_connect(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # we begin ourselves; the driver must not
        connection.execute(f"PRAGMA busy_timeout={writer_waits_ms}")
        connection.create_function(TEXT_CHECKSUM, -1, checksum, deterministic=True)

    def begin_writing(connection: sa.Connection) -> None:
        waits = connection.get_execution_options().get("waits_ms", writer_waits_ms)
        # Whoever had the connection before may have set another.
        connection.exec_driver_sql(f"PRAGMA busy_timeout={waits}")
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    for engine in (writer, reader):
        sa.event.listen(engine, "connect", on_connect)
    sa.event.listen(writer, "connect", _set_up_for_writing)
    sa.event.listen(writer, "begin", begin_writing)
    sa.event.listen(reader, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
    return writer, reader


def _take_back_what_was_stopped(path: Path) -> None:
    """Roll back what a stopped change of a file without a log has left: a reader cannot."""
    if path.with_name(f"{path.name}-journal").exists() and can_write_beside(path):
        with suppress(sqlite3.Error), closing(sqlite3.connect(path, timeout=30)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master")


def read_json(text: str | bytes) -> Any:
    """Return what a cell of JSON holds; one that holds none is damage."""
    try:
        return json.loads(text)
    except (ValueError, TypeError) as error:
        raise StorageError(UNREADABLE) from error


def _set_up_for_writing(connection: Any, _record: object) -> None:
    connection.execute("PRAGMA page_size=16384")  # of a new file: score vectors fill few pages
    connection.execute("PRAGMA journal_mode=WAL")
    # FULL: what was acknowledged survives a power cut, for about 4 ms a commit.
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")


DAMAGED = "the file is damaged. Look at `tiebreak db check`, and go back to a backup."
OTHER_VERSION = "the file is of another version of Tiebreak. Run `tiebreak db upgrade`."
_WORDS: tuple[tuple[str, type[StoreError], str], ...] = (
    ("disk is full", StorageError, "the disk is full. Nothing was written; free space and repeat."),
    (
        "disk i/o error",
        StorageError,
        "the disk does not take or give what it should. Nothing was written; look for a quota or "
        "a failing disk, and repeat.",
    ),
    (
        "database is locked",
        BusyError,
        "another process has been writing for 30 seconds. Nothing was written; repeat later.",
    ),
    ("readonly database", ReadOnlyError, "the file or its folder cannot be written to."),
    ("not a database", StorageError, "this file is no Tiebreak store."),
    ("malformed", StorageError, DAMAGED),
    ("no such column", SchemaVersionError, OTHER_VERSION),
    ("no such table", SchemaVersionError, OTHER_VERSION),
    (
        "unable to open",
        StoreError,
        "the file cannot be opened. Is it readable, and its folder writable?",
    ),
)


def in_words(said: str) -> tuple[type[StoreError], str] | None:
    """Return kind and words of what the driver said; ``None`` for what has no words."""
    small = said.lower()
    return next(((kind, words) for sign, kind, words in _WORDS if sign in small), None)
