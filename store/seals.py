"""Tables that are not what was written: a flipped byte in a name or a direction is seen, and told.

Score vectors have a digest each (`store.damage`). All else that answers read is small: of every
table of up to `MOST_ROWS` rows one digest is kept, renewed in the transaction that changes it, and
held against the table before the first statement that names it in a state of the store. Only files
need it: a database server has checksums of its own.
"""

from __future__ import annotations

import hashlib
import marshal
import re
import sqlite3
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, Final

import sqlalchemy as sa

from store import damage
from store.models import (
    AnalysisResult,
    AuditEvent,
    Base,
    ItemText,
    Output,
    RequestAnswer,
    ScoreVector,
    Seal,
    ServerWork,
)

MOST_ROWS: Final = 100_000
"""Of a table that has a digest: to look through as many takes some 70 ms."""
_AT_ONCE: Final = 1_000
_FORM: Final = 2
"""Of `marshal`: the last one whose bytes depend on values alone, whichever Python writes them."""
_OWN_DIGEST: Final = {(ScoreVector.__tablename__, "data")}
_LEFT_OUT: Final = {
    one.__tablename__
    for one in (AnalysisResult, AuditEvent, ItemText, Output, RequestAnswer, Seal, ServerWork)
}
"""Kept answers have digests of their own; of texts and of work at hand nothing is computed."""
_READ: Final = "SELECT digest FROM seal WHERE table_name = ?"
_WRITE: Final = (
    "INSERT INTO seal (table_name, digest) VALUES (?, ?) ON CONFLICT (table_name) "
    "DO UPDATE SET digest = excluded.digest WHERE digest <> excluded.digest"
)
_CHANGES: Final = re.compile(r"\s*(?:INSERT|UPDATE|DELETE|REPLACE|WITH)\b", re.IGNORECASE)
_CHANGED: Final = "changed tables"
_STATE: Final = "state of the store"


def tables() -> list[str]:
    """Return the names of the tables that have a digest."""
    return sorted(set(Base.metadata.tables) - _LEFT_OUT)


def watch(writer: sa.Engine, reader: sa.Engine) -> None:
    """Have the engines of a file look at each table first, and note which tables they change."""
    for engine in (writer, reader):
        sa.event.listen(engine, "begin", _begin)
        sa.event.listen(engine, "before_cursor_execute", _look_first)


def _begin(connection: sa.Connection) -> None:
    connection.info[_CHANGED] = set()
    connection.info.pop(_STATE, None)


def _look_first(connection: sa.Connection, _cursor: Any, statement: str, *_: Any) -> None:
    named, changed = _tables_of(statement)
    if not named:
        return
    connection.info.setdefault(_CHANGED, set()).update(changed)
    state = connection.info.get(_STATE)
    if state is None:
        state = connection.info[_STATE] = damage.state_of(connection)
    for name in named - damage.tables_known(state):
        try:
            if not _is_whole(connection, name):
                damage.remember_table(state, name)
        except sqlite3.DatabaseError:
            continue  # so damaged that reading says it, or of a revision without digests
        damage.know_tables(state, {name})


@lru_cache(maxsize=4_000)
def _tables_of(statement: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the tables that a statement names, and those that it may change."""
    known, words = frozenset(tables()), set(re.findall(r"\w+", statement))
    if not _CHANGES.match(statement):
        return known & words, frozenset()
    if re.search(r"\bDELETE\b", statement, re.IGNORECASE):  # what belongs to a row goes with it
        return known, known
    return known & words, known & words


def renew(connection: sa.Connection, names: set[str] | None = None) -> None:
    """Write the digests of the tables that a transaction has changed, or of these.

    A table that was damaged before keeps its digest, so that this is not forgotten.
    """
    if connection.dialect.name != "sqlite":
        return
    changed = connection.info.get(_CHANGED, set()) if names is None else names
    state = connection.info.get(_STATE)  # before the change, which is a state of its own
    for name in sorted(changed - (damage.tables_damaged(state) if state else set())):
        digest = _digest(connection, name)
        if digest is None:
            connection.execute(sa.delete(Seal).where(Seal.table_name == name))
        else:
            _driver(connection).execute(_WRITE, (name, digest))


def still_known(connection: sa.Connection) -> Callable[[], None]:
    """Return what to call after a commit: what was looked at before it need not be again."""
    state = connection.info.get(_STATE)
    if state is None:
        return lambda: None
    sound = damage.tables_known(state) - damage.tables_damaged(state)
    after = damage.state_of(connection)
    return lambda: damage.know_tables(after, sound)


def wrong(connection: sa.Connection) -> list[str]:
    """Return the names of tables that are not what was written."""
    if connection.dialect.name != "sqlite":
        return []
    return [name for name in tables() if not _is_whole(connection, name)]


def _is_whole(connection: sa.Connection, name: str) -> bool:
    """Return whether a table is what was written, as far as a digest of it is kept."""
    kept = _driver(connection).execute(_READ, (name,)).fetchone()
    try:
        return kept is None or _digest(connection, name) in (kept[0], None)
    except (sqlite3.DatabaseError, UnicodeDecodeError):  # text that is none
        return False


@cache
def _query(name: str) -> tuple[str, str]:
    table = Base.metadata.tables[name]
    columns = [one.name for one in table.columns if (name, one.name) not in _OWN_DIGEST]
    [key] = table.primary_key.columns
    listed = ", ".join(f'"{one}"' for one in columns)
    return f'SELECT max("{key.name}") FROM "{name}"', (
        f'SELECT {listed} FROM "{name}" ORDER BY "{key.name}"'
    )


def _digest(connection: sa.Connection, name: str) -> str | None:
    """Return the SHA-256 of a table's rows as SQLite holds them; None of one that is too large."""
    last, rows = _query(name)
    driver = _driver(connection)
    if (driver.execute(last).fetchone()[0] or 0) > MOST_ROWS:
        return None
    whole, cursor = hashlib.sha256(), driver.execute(rows)
    while part := cursor.fetchmany(_AT_ONCE):
        whole.update(marshal.dumps(part, _FORM))
    return whole.hexdigest()


def _driver(connection: sa.Connection) -> Any:
    """Return the driver's own connection: no row of these tables is worth an object."""
    return connection.connection.driver_connection
