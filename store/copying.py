"""A store copied to another place or back-end: row for row, and compared bit for bit.

What is half copied is no store: its revision says so, until every row has been compared. A copy
that was stopped goes on where it was.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

import sqlalchemy as sa

from store import schema, seals
from store.engine import Store, make_engines, plain_errors
from store.errors import StoreError
from store.location import sqlite_path, without_password
from store.models import (
    AnalysisResult,
    AuditEvent,
    Base,
    RequestAnswer,
    Seal,
    ServerWork,
    UTCDateTime,
)
from store.records import Record

_MOST_ROWS: Final = 2_000
_MOST_BYTES: Final = 16_000_000
"""Of one transaction: so much is written anew when a copy was stopped."""

_LEFT_OUT: Final = (Seal.__tablename__, ServerWork.__tablename__)
"""Digests of a copy are made where it lies; no server works on it yet."""


@dataclass(frozen=True, slots=True)
class Copied(Record):
    """A copy that was compared with what it was made from."""

    source: str
    target: str
    rows: dict[str, int]
    """Number of rows by table."""
    digest: str
    """SHA-256 of all rows of all tables, the same on both sides."""
    resumed: bool
    """Whether it went on with what an earlier copy had written."""


def copy_store(source: Store, target: str) -> Copied:
    """Copy everything that a store holds, while others may read and write.

    Parameters
    ----------
    source
        What is copied, as it is at the beginning.
    target
        Path of a file or address of a database: new, empty, or left by a copy that was stopped.

    Raises
    ------
    StoreError
        There is a store already, or what arrived is not what was sent.
    """
    path, shown = sqlite_path(target), without_password(target)
    is_new = path is not None and not path.exists()
    writer, reader = make_engines(target)
    try:
        with plain_errors(source.location), source.read() as sent, plain_errors(shown):
            mark = _mark(sent)
            resumed = _prepare(writer, reader, shown, mark, is_new=is_new)
            for table in _tables():
                for rows in _batches(_rows_after(sent, table, _last_id(writer, table))):
                    with writer.begin() as received:
                        received.execute(sa.insert(table), rows)
            with writer.begin() as received:
                schema.keep_counting_from(received, schema.last_ids(sent))
            found, arrived = _digests(sent), {}
            with reader.connect() as received:
                arrived = _digests(received)
            wrong = [name for name, told in found.items() if arrived[name] != told]
            if wrong:
                raise StoreError(
                    f"{shown}: what arrived in {', '.join(wrong)} is not what was sent. Delete the "
                    "copy and repeat; check the source with `tiebreak db check`."
                )
            with writer.begin() as received:
                seals.renew(received, set(seals.tables()))
                _set_revision(received, schema.head_revision())
    finally:
        reader.dispose()
        writer.dispose()
    return Copied(
        source=source.location,
        target=shown,
        rows={name: n_rows for name, (n_rows, _) in found.items()},
        digest=hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest(),
        resumed=resumed,
    )


def _tables() -> list[sa.Table]:
    """Return all tables, parents first, with columns that change no text: no JSON, no times."""
    plain = {sa.JSON: sa.Text(), UTCDateTime: sa.Text()}
    return [
        sa.Table(
            table.name,
            sa.MetaData(),
            *(
                sa.Column(c.name, plain.get(type(c.type), c.type), primary_key=c.primary_key)
                for c in table.columns
            ),
        )
        for table in Base.metadata.sorted_tables
        if table.name not in _LEFT_OUT
    ]


def _mark(sent: sa.Connection) -> str:
    """Return what stands for the source as it is now, in place of a revision."""
    last = sa.select(AuditEvent.id, AuditEvent.at).order_by(AuditEvent.id.desc()).limit(1)
    found = sent.execute(last).one_or_none()
    said = "" if found is None else f"{found.id} {found.at.isoformat()}"
    return f"{schema.HALF_COPIED} {hashlib.sha256(said.encode()).hexdigest()[:16]}"


def _prepare(writer: sa.Engine, reader: sa.Engine, shown: str, mark: str, *, is_new: bool) -> bool:
    """Make the tables, or empty those that another state was copied into; say if one goes on."""
    if is_new or schema.is_empty(reader):
        schema.create(writer)
    found = schema.current_revision(reader) or ""
    is_half = found.startswith(schema.HALF_COPIED)
    if not is_half:
        schema.require_current(reader, shown)
        with reader.connect() as received:
            if received.scalar(sa.select(sa.func.max(AuditEvent.id))) is not None:
                raise StoreError(
                    f"There is a store at {shown} already. Name a new file or an empty database."
                )
    with writer.begin() as received:
        for changing in (AnalysisResult, RequestAnswer):  # without being recorded
            received.execute(sa.delete(changing))
        if found != mark:
            for table in reversed(Base.metadata.sorted_tables):
                received.execute(sa.delete(table))
        _set_revision(received, mark)
    return found == mark


def _set_revision(received: sa.Connection, revision: str) -> None:
    received.execute(sa.text("UPDATE alembic_version SET version_num = :new"), {"new": revision})


def _last_id(writer: sa.Engine, table: sa.Table) -> int:
    [key] = table.primary_key.columns
    with writer.connect() as received:
        return received.scalar(sa.select(sa.func.max(key))) or 0


def _rows_after(sent: sa.Connection, table: sa.Table, last: int) -> Iterator[dict[str, Any]]:
    [key] = table.primary_key.columns
    query = sa.select(table).where(key > last).order_by(key)
    for row in sent.execute(query.execution_options(yield_per=100)).mappings():
        yield dict(row)


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Split rows so that a transaction holds neither too many nor too large ones."""
    n_rows = n_bytes = number = 0

    def batch_of(row: dict[str, Any]) -> int:
        nonlocal n_rows, n_bytes, number
        size = sum(len(value) for value in row.values() if isinstance(value, bytes | str))
        n_rows, n_bytes = n_rows + 1, n_bytes + size
        if n_rows > _MOST_ROWS or n_bytes > _MOST_BYTES:
            n_rows, n_bytes, number = 1, size, number + 1
        return number

    for _, batch in groupby(rows, batch_of):
        yield list(batch)


def _digests(connection: sa.Connection) -> dict[str, tuple[int, str]]:
    """Return table -> (number of rows, SHA-256 of all of them in the order of their ids)."""
    found = {}
    for table in _tables():
        whole, n_rows = hashlib.sha256(), 0
        for row in _rows_after(connection, table, -1):
            n_rows += 1
            for value in row.values():
                is_bytes = isinstance(value, bytes)
                told = value if is_bytes else repr(value).encode("utf-8", "surrogatepass")
                whole.update(b"%d %d " % (is_bytes, len(told)))
                whole.update(told)
        found[table.name] = (n_rows, whole.hexdigest())
    return found
