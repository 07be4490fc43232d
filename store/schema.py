"""The store's revision: creating, checking and migrating it.

A store is never migrated by opening it. A new store starts at the newest revision.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from store.errors import EmptyStoreError, SchemaVersionError, StorageError, StoreError

HALF_COPIED: Final = "copying"
"""How the revision of a store begins that `store.copying` has not finished."""
MIGRATIONS = Path(__file__).resolve().parent.parent / "migrations"


def head_revision() -> str:
    """Return the newest revision this code knows, such as ``"0001"``."""
    return _newest_in(MIGRATIONS)


@cache
def _newest_in(folder: Path) -> str:
    """Look once: what is installed while a program runs is not its own."""
    versions = (folder / "versions").glob("[0-9][0-9][0-9][0-9]_*.py")
    return max(path.name[:4] for path in versions)


def current_revision(engine: sa.Engine) -> str | None:
    """Return the revision of a store; ``None`` for an empty database."""
    with engine.connect() as connection:
        if not sa.inspect(connection).has_table("alembic_version"):
            return None
        found = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
        return None if found is None else str(found)


def is_empty(engine: sa.Engine) -> bool:
    """Return whether a database has no table yet."""
    with engine.connect() as connection:
        return not sa.inspect(connection).get_table_names()


def create(engine: sa.Engine) -> None:
    """Bring an empty database to the newest revision; of several at once, the first does it."""
    _migrate(engine, "head")


def require_current(engine: sa.Engine, location: str) -> None:
    """Raise `SchemaVersionError` unless the store has exactly the revision of this code."""
    found, needed = current_revision(engine), head_revision()
    if found == needed:
        return
    if found is None and not sa.inspect(engine).get_table_names():
        raise _empty(location)
    if found is not None and found.startswith(HALF_COPIED):
        raise StoreError(
            f"{location}: a copy into this place was stopped. Repeat the same `tiebreak db copy`; "
            "it goes on where it was."
        )
    if found is None or not _is_ours(found):
        raise _not_ours(location)
    if found < needed:
        raise SchemaVersionError(
            f"{location} is at revision {found}, this version of Tiebreak needs {needed}. "
            "Run `tiebreak db upgrade` (a backup is written beside the file first)."
        )
    raise SchemaVersionError(
        f"{location} is at revision {found}, this version of Tiebreak knows only {needed}. "
        "It was written by a newer version: update Tiebreak."
    )


def require_unchanged(connection: sa.Connection, location: str) -> None:
    """Raise `SchemaVersionError` where an open store was upgraded: this code may not write."""
    found = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    if found != head_revision():
        raise SchemaVersionError(
            f"{location} is at revision {found} now, this version of Tiebreak needs "
            f"{head_revision()}. Start it again, in the version that brought the store there."
        )


def _is_ours(revision: str) -> bool:
    """Whether it looks like ours: other programs keep their revision in the same table."""
    return re.fullmatch(r"\d{4}", revision) is not None


def _not_ours(location: str) -> StorageError:
    return StorageError(f"{location}: this database is no Tiebreak store.")


def _empty(location: str) -> EmptyStoreError:
    return EmptyStoreError(
        f"{location}: this file is empty. If it was to become a store and the import into it was "
        "stopped at its very beginning, nothing is lost: delete the file and repeat the import. If "
        "it is a copy of a store that was open, what it held stands in the log beside the "
        "original ('-wal'): copy with `tiebreak db backup`."
    )


def upgrade(
    writer: sa.Engine,
    reader: sa.Engine,
    location: str,
    *,
    revision: str = "head",
    before: Callable[[str], Path | None] | None = None,
) -> tuple[str, str, Path | None]:
    """Migrate a store.

    Parameters
    ----------
    writer, reader
        The engines of the store; the reader looks whether it is one.
    location
        What the store is called in error messages.
    revision
        Where to stop.
    before
        Called with the present revision before anything is changed; writes the backup.

    Returns
    -------
    tuple
        The revision before, the revision after, the backup if one was written.
    """
    old = current_revision(reader)
    if old is None or not _is_ours(old):
        raise _not_ours(location)
    target = head_revision() if revision == "head" else revision
    if old == target:
        return old, target, None
    if old > head_revision():
        raise SchemaVersionError(
            f"The store is at revision {old}, newer than this version of Tiebreak "
            f"({head_revision()}): update Tiebreak."
        )
    backup = before(old) if before is not None else None
    _migrate(writer, revision)
    return old, target, backup


def _migrate(engine: sa.Engine, revision: str) -> None:
    # Imported here: Alembic takes a moment, and only migrations need it.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    # Batch mode rebuilds tables. With foreign keys on, dropping the old copy of a parent would
    # silently delete all its children, and inside a transaction the pragma does nothing.
    with engine.connect() as connection:
        raw = connection.connection.driver_connection
        if isinstance(raw, sqlite3.Connection):
            raw.execute("PRAGMA foreign_keys=OFF")
        try:
            with connection.begin():
                config.attributes["connection"] = connection
                given = last_ids(connection)
                command.upgrade(config, revision)
                keep_counting_from(connection, given)
                if isinstance(raw, sqlite3.Connection):
                    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
                    if broken:
                        raise StoreError(f"Migration left {len(broken)} dangling references.")
        finally:
            if isinstance(raw, sqlite3.Connection):
                raw.execute("PRAGMA foreign_keys=ON")


def last_ids(connection: sa.Connection) -> list[tuple[str, int]]:
    """Return (table, largest id ever given) of every table that had a row."""
    if connection.dialect.name != "sqlite":
        found = connection.exec_driver_sql(
            "SELECT sequencename, last_value FROM pg_sequences "
            "WHERE schemaname = current_schema() AND last_value IS NOT NULL"
        )
        return [(name.removesuffix("_id_seq"), last) for name, last in found]
    is_kept = "SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'"
    if connection.exec_driver_sql(is_kept).first() is None:
        return []
    rows = connection.exec_driver_sql("SELECT name, seq FROM sqlite_sequence")
    return [(name, last) for name, last in rows]


def keep_counting_from(connection: sa.Connection, last_ids: list[tuple[str, int]]) -> None:
    """Go on counting after these ids: an id must never come to mean another row.

    SQLite forgets the count of a table that a migration rebuilds; a copy has none at first.
    """
    if connection.dialect.name != "sqlite":
        for name, last in last_ids:
            counter = f'"{name}_id_seq"'
            connection.exec_driver_sql(
                f"SELECT setval('{counter}', greatest({int(last)}, last_value)) FROM {counter} "
                f"WHERE {int(last)} > 0"
            )
        return
    for name, last in last_ids:
        set_back = "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?"
        if not connection.exec_driver_sql(set_back, (last, name)).rowcount:
            connection.exec_driver_sql(  # it has had no rows since then
                "INSERT INTO sqlite_sequence (name, seq) "
                "SELECT name, ? FROM sqlite_master WHERE type = 'table' AND name = ?",
                (last, name),
            )
