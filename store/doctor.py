"""What is wrong with an installation or a store, and which command helps."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import sqlalchemy as sa

from store import schema
from store.backup import PARTIAL, check
from store.engine import make_engines, open_store, plain_errors
from store.errors import SchemaVersionError, StoreError
from store.location import resolve_location, sqlite_path
from store.records import Record
from store.restore import RESTORING
from store.version import VERSION
from store.whereabouts import can_write_beside, warning_of_place

State = Literal["ok", "note", "fault"]
_OLDEST_SQLITE: Final = (3, 35, 0)
_NEEDED: Final = [
    "sqlalchemy",
    "alembic",
    "numpy",
    "scipy",
    "numba",
    "pandas",
    "streamlit",
    "altair",
    "pyarrow",
    "yaml",
]
SAYS_CHECKSUMS: Final = "SHOW data_checksums"
_LITTLE: Final = 500_000_000
"""Bytes free on a disk, below which an upgrade or a backup may not fit."""


@dataclass(frozen=True, slots=True)
class Finding(Record):
    """One thing that was looked at."""

    what: str
    state: State
    found: str
    help: str = ""
    """What to do; empty where nothing has to be done."""


def examine(location: str | None = None) -> list[Finding]:
    """Look at the installation and at the store; nothing is changed."""
    given = resolve_location(location)
    return [*_installation(), *_store(given)]


def _installation() -> Iterator[Finding]:
    yield Finding("version", "ok", f"Tiebreak {VERSION}, Python {sys.version.split()[0]}")
    lacking = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if lacking:
        yield Finding(
            "libraries", "fault", f"not installed: {', '.join(lacking)}", "pip install tiebreak"
        )
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        yield Finding(
            "SQLite",
            "fault",
            f"{sqlite3.sqlite_version} is too old",
            "Use a Python that comes with SQLite 3.35 or newer.",
        )
    if os.environ.get("PYTHONDONTWRITEBYTECODE"):
        yield Finding(
            "start",
            "note",
            "PYTHONDONTWRITEBYTECODE is set: every start compiles all libraries anew",
            "unset PYTHONDONTWRITEBYTECODE",
        )
    scratch = Path(tempfile.gettempdir())
    if shutil.disk_usage(scratch).free < _LITTLE:
        yield Finding(
            "disk", "note", f"{scratch} is nearly full: archives cannot be unpacked", "Free space."
        )


def _store(given: str) -> Iterator[Finding]:
    path = sqlite_path(given)
    if path is not None:
        yield from _file(path)
        if not path.exists():
            yield _missing(path)
            return
    writer, reader = make_engines(given)
    try:
        with plain_errors(given):
            schema.require_current(reader, given)
            if path is None:
                yield from _server(reader)
    except SchemaVersionError as error:
        newer = "newer version" in str(error)
        help = "pip install --upgrade tiebreak" if newer else "tiebreak db upgrade"
        yield Finding("revision", "fault", str(error), help)
        return
    except StoreError as error:
        yield Finding("store", "fault", str(error), "tiebreak db restore BACKUP")
        return
    finally:
        reader.dispose()
        writer.dispose()
    with open_store(given, read_only=True) as store:
        problems = check(store)
        found = f"{store.location}, revision {schema.head_revision()}"
    if not problems:
        yield Finding("store", "ok", f"{found}, sound")
    for problem in problems:
        is_kept = problem.startswith("Kept result")
        help = "" if is_kept else "tiebreak db restore BACKUP, or import the source with --replace"
        yield Finding("store", "note" if is_kept else "fault", problem, help)


def _server(reader: sa.Engine) -> Iterator[Finding]:
    """Say where damage on the disk of a database server would not be seen."""
    with reader.connect() as connection:
        if connection.exec_driver_sql(SAYS_CHECKSUMS).scalar() != "on":
            yield Finding(
                "checksums",
                "note",
                "the database server keeps no checksums of its files: damage outside scores is not "
                "seen",
                "pg_checksums --enable, while the server is stopped",
            )


def _missing(path: Path) -> Finding:
    aside = [one for one in _beside(path) if one.name.endswith((RESTORING, ".bak"))]
    if aside or path.with_name(f"{path.name}-wal").exists():
        names = ", ".join(one.name for one in aside) or f"{path.name}-wal"
        return Finding(
            "store",
            "fault",
            f"there is no store at {path}, but {names} lies there: it was moved, or a restore was "
            "stopped",
            f"tiebreak db restore {aside[0] if aside else 'BACKUP'}",
        )
    return Finding("store", "note", f"there is no store at {path} yet", "tiebreak ingest FILE")


def _file(path: Path) -> Iterator[Finding]:
    if not path.absolute().parent.is_dir():
        return
    if warning := warning_of_place(path):
        yield Finding("place", "note", warning, "tiebreak db backup, then --store elsewhere")
    if path.exists() and not os.access(path, os.R_OK):
        yield Finding("rights", "fault", f"{path} may not be read by you", f"chmod u+r {path}")
    elif path.exists() and not (os.access(path, os.W_OK) and can_write_beside(path)):
        yield Finding(
            "rights", "note", f"{path} or its folder may not be written by you: reading only"
        )
    if path.exists() and _lacks_its_log(path):
        yield Finding(
            "log",
            "note",
            f"{path} has its index ('-shm') beside it and not its log ('-wal'): if it was copied "
            "while it was open, the latest changes are missing",
            "Copy it again where it came from, with tiebreak db backup.",
        )
    for one in _beside(path):
        if one.name.endswith((PARTIAL, RESTORING)):
            yield Finding(
                "leftover", "note", f"{one} is a copy that was never finished", f"rm {one}"
            )
    if shutil.disk_usage(path.absolute().parent).free < _LITTLE:
        yield Finding("disk", "note", f"the disk of {path} is nearly full", "Free space.")


def _lacks_its_log(path: Path) -> bool:
    """Return whether a store was open where it lies, or was copied from, and its log is gone.

    SQLite removes both files at the end, the log first and the index at once after it. A copy of
    the file alone looks like any other store.
    """
    log, index = (path.with_name(f"{path.name}-{end}") for end in ("wal", "shm"))
    return index.exists() and not log.exists()


def _beside(path: Path) -> list[Path]:
    folder = path.absolute().parent
    if not folder.is_dir():
        return []
    return sorted(one for one in folder.iterdir() if one.name.startswith(f"{path.name}."))
