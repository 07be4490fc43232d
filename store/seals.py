"""Tables that are not what was written: a flipped byte in a name or a direction is seen, and told.

Score vectors and texts have a digest each (`store.damage`, `store.text_checks`). Of all else that
answers read, a digest is kept of each `PART` ids of a table, renewed in the transaction that
changes it, and held against the table before the first statement that names it in a state of the
store. Of items the parts of the datasets are looked at that a statement is about; of other tables
all parts, up to `MOST_ROWS`. Only files need it: a database server has checksums of its own.
"""

from __future__ import annotations

import hashlib
import marshal
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, Final

import sqlalchemy as sa

from store import damage
from store import sealed_statements as statements
from store.models import Base, Item
from store.sealed_statements import tables as tables

PART: Final = 1 << 14
"""Ids that share a digest: to look through as many rows takes some 12 ms."""
MOST_ROWS: Final = 300_000
"""Of a table that is looked at as a whole before it is read: that takes some 0.2 s."""
ONLY_KEYS: Final = "only_keys"
"""Option of a statement that reads no more of its tables than keys."""
_AT_ONCE: Final = 1_000
_FORM: Final = 2
"""Of `marshal`: the last one whose bytes depend on values alone, whichever Python writes them."""
_OWN_DIGEST: Final = {
    *(("score_vector", "data"), ("analysis_result", "payload"), ("kept_answer", "body")),
    *(("output", "text"), ("item_text", "input_text"), ("item_text", "reference_text")),
}
"""Long values that have a digest or checksum in a column of their own."""
_READ: Final = "SELECT part, digest FROM seal WHERE table_name = ?"
_WRITE: Final = (
    "INSERT INTO seal (table_name, part, digest) VALUES (?, ?, ?) ON CONFLICT (table_name, part) "
    "DO UPDATE SET digest = excluded.digest"
)
_REMOVE: Final = "DELETE FROM seal WHERE table_name = ? AND part = ?"
_OF_DATASET: Final = "SELECT min(id), max(id) FROM item WHERE dataset_id = ?"
_CHANGED: Final = "changed tables"
_STATE: Final = "state of the store"


def watch(writer: sa.Engine, reader: sa.Engine) -> None:
    """Have the engines of a file look at each table first, and note which tables they change."""
    for engine in (writer, reader):
        sa.event.listen(engine, "begin", _begin)
        sa.event.listen(engine, "before_cursor_execute", _look_first)


def _begin(connection: sa.Connection) -> None:
    connection.info[_CHANGED] = {}
    connection.info.pop(_STATE, None)


def _look_first(
    connection: sa.Connection, _cursor: Any, statement: str, _parameters: Any, context: Any, *_: Any
) -> None:
    about = statements.tables_of(statement)
    if not about.named or (context is not None and context.execution_options.get(ONLY_KEYS)):
        return
    state = connection.info.get(_STATE)
    if state is None:
        state = connection.info[_STATE] = damage.state_of(connection)
    changed = connection.info.setdefault(_CHANGED, {})
    for name in about.named - damage.tables_known(state):
        with suppress(sqlite3.DatabaseError):  # of a revision without digests; damage says itself
            if name in statements.CACHES:
                continue
            if name in about.changed:
                _look(connection, state, name, None)
            elif name in about.added:
                if name not in changed:
                    _look(connection, state, name, {_last_id(connection, name) // PART})
            else:
                _look_before_reading(connection, state, name, context)
    changed |= dict.fromkeys(about.changed, 0)
    for name in about.added - changed.keys():
        changed[name] = _last_id(connection, name) // PART


def _look_before_reading(
    connection: sa.Connection, state: damage.State, name: str, context: Any
) -> None:
    """Look at what a statement may read of a table."""
    last = _last_id(connection, name)
    datasets = statements.datasets_of(context) if name == Item.__tablename__ else None
    if last < PART or (datasets is None and last <= MOST_ROWS):
        _look(connection, state, name, None)
    elif datasets is not None:
        driver, read = _driver(connection), damage.tables_known(state)
        for dataset_id in datasets:
            known = f"{name} of {dataset_id}"
            if known in read:
                continue
            first, end = driver.execute(_OF_DATASET, (dataset_id,)).fetchone()
            if first is not None:
                _look(connection, state, name, set(range(first // PART, end // PART + 1)))
            damage.know_tables(state, {known})


def _look(
    connection: sa.Connection, state: damage.State, name: str, parts: set[int] | None
) -> None:
    """Hold some parts of a table, or all, against their digests; remember what was found.

    What this transaction adds to was looked at before, and has no digest yet.
    """
    end = connection.info[_CHANGED].get(name)
    if not _is_whole(connection, name, parts, end):
        damage.remember_table(state, name)
    if parts is None:
        damage.know_tables(state, {name})


def renew(connection: sa.Connection, names: set[str] | None = None) -> None:
    """Write the digests of the parts that a transaction has changed, or of these tables.

    A table that was damaged before keeps its digests, so that this is not forgotten.
    """
    if connection.dialect.name != "sqlite":
        return
    changed: dict[str, int] = connection.info.get(_CHANGED, {})
    if names is not None:
        changed = dict.fromkeys(names, 0)
    state = connection.info.get(_STATE)  # before the change, which is a state of its own
    damaged = damage.tables_damaged(state) if state else set()
    driver = _driver(connection)
    for name in sorted(changed.keys() - damaged):
        first = changed[name]
        kept = {part: digest for part, digest in driver.execute(_READ, (name,)) if part >= first}
        new = {part: _digest(connection, name, part) for part in _parts(connection, name, first)}
        told = [(name, *one) for one in new.items() if kept.get(one[0]) != one[1]]
        driver.executemany(_WRITE, told)
        driver.executemany(_REMOVE, [(name, part) for part in kept.keys() - new.keys()])


def still_known(connection: sa.Connection) -> Callable[[], None]:
    """Return what to call after a commit: what was looked at before it need not be again."""
    state = connection.info.get(_STATE)
    if state is None:
        return lambda: None
    damaged = damage.tables_damaged(state)
    sound = {one for one in damage.tables_known(state) if one.split(" ")[0] not in damaged}
    after = damage.state_of(connection)
    return lambda: damage.know_tables(after, sound)


def wrong(connection: sa.Connection) -> list[str]:
    """Return the names of tables that are not what was written, however large they are."""
    if connection.dialect.name != "sqlite":
        return []
    return [
        name
        for name in tables()
        if not (_is_whole(connection, name) and _is_covered(connection, name))
    ]


def _is_covered(connection: sa.Connection, name: str) -> bool:
    """Return whether each part of a table that has rows has a digest."""
    kept = {part for part, _ in _driver(connection).execute(_READ, (name,))}
    return {part for (part,) in _driver(connection).execute(_queries(name)[1], (0,))} <= kept


def _is_whole(
    connection: sa.Connection, name: str, parts: set[int] | None = None, end: int | None = None
) -> bool:
    """Return whether parts of a table, or all, up to an end, agree with the digests there are."""
    kept = _driver(connection).execute(_READ, (name,)).fetchall()
    try:
        return all(
            _digest(connection, name, part) == digest
            for part, digest in kept
            if (parts is None or part in parts) and (end is None or part < end)
        )
    except (sqlite3.DatabaseError, UnicodeDecodeError):  # text that is none
        return False


@cache
def _queries(name: str) -> tuple[str, str, str]:
    """Return what asks for the last id, for the parts from an id on, and for the rows of a part."""
    table = Base.metadata.tables[name]
    columns = [one.name for one in table.columns if (name, one.name) not in _OWN_DIGEST]
    [key] = table.primary_key.columns
    listed = ", ".join(f'"{one}"' for one in columns)
    own = f'"{key.name}"'
    return (
        f'SELECT max({own}) FROM "{name}"',
        f'SELECT DISTINCT {own} / {PART} FROM "{name}" WHERE {own} >= ?',
        f'SELECT {listed} FROM "{name}" WHERE {own} >= ? AND {own} < ? ORDER BY {own}',
    )


def _last_id(connection: sa.Connection, name: str) -> int:
    return _driver(connection).execute(_queries(name)[0]).fetchone()[0] or 0


def _parts(connection: sa.Connection, name: str, first: int) -> set[int]:
    """Return the parts from one on that have rows, and that one."""
    found = _driver(connection).execute(_queries(name)[1], (first * PART,))
    return {first, *(part for (part,) in found)}


def _digest(connection: sa.Connection, name: str, part: int) -> str:
    """Return the SHA-256 of the rows of a part as SQLite holds them."""
    whole = hashlib.sha256()
    cursor = _driver(connection).execute(_queries(name)[2], (part * PART, (part + 1) * PART))
    while rows := cursor.fetchmany(_AT_ONCE):
        whole.update(marshal.dumps(rows, _FORM))
    return whole.hexdigest()


def _driver(connection: sa.Connection) -> Any:
    """Return the driver's own connection: no row of these tables is worth an object."""
    return connection.connection.driver_connection
