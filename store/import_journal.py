"""What an import adds, changes and removes, kept so that it can be taken back whole.

Added rows are those with ids above the largest one before: ids are never reused, and nobody else
writes in the same transaction. Rows that were there are copied before they are first touched.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.orm import ORMExecuteState, Session

from store.engine import Change
from store.models import Base, Import, ImportChange
from store.seals import ONLY_KEYS

OWN_TABLES = frozenset(
    {
        *("import", "import_change", "import_answer", "audit_event", "analysis_result"),
        *("token", "kept_answer", "seal", "server_work", "board_snapshot"),
    }
)
"""Tables that no import is about: they stay as they are when one is taken back."""


class Journal:
    """Watches the session of one import."""

    def __init__(self, change: Change) -> None:
        self._change = change
        self._before: dict[tuple[str, int], dict[str, Any] | None] = {}
        self._last_ids = _last_ids(change.session)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Copy rows before they are changed while this lasts."""
        session = self._change.session
        event.listen(session, "before_flush", self._before_flush)
        event.listen(session, "do_orm_execute", self._before_statement)
        try:
            yield
        finally:
            event.remove(session, "before_flush", self._before_flush)
            event.remove(session, "do_orm_execute", self._before_statement)

    def keep(self, summary: Mapping[str, Any]) -> str:
        """Write down what was done; return the uid of the import."""
        session = self._change.session
        session.flush()
        added = {
            name: [self._last_ids[name] + 1, last]
            for name, last in _last_ids(session).items()
            if last > self._last_ids[name] and key_of(tables()[name]).name == "id"
        }
        row = Import(actor=self._change.actor, added=added, summary=dict(summary))
        session.add(row)
        session.flush()
        for (name, row_id), before in self._before.items():
            after = row_of(session, tables()[name], row_id)
            if after != before:
                session.add(
                    ImportChange(
                        import_id=row.id, table_name=name, row_id=row_id, before=before, after=after
                    )
                )
        self._change.record("import", "import", row.uid, added=added)
        return row.uid

    def _before_flush(self, session: Session, *_: object) -> None:
        for one in (*session.dirty, *session.deleted):
            self._copy(one.__table__, sa.inspect(one).identity[0])

    def _before_statement(self, state: ORMExecuteState) -> None:
        table = getattr(state.statement, "table", None)
        if not isinstance(table, sa.Table) or table.name not in tables():
            return
        table = tables()[table.name]  # the statement's own copy leaves deferred columns out
        given = state.parameters
        rows = [given] if isinstance(given, Mapping) else list(given or ())
        key = key_of(table)
        if state.is_insert and key.name != "id":
            for row in rows:  # texts of items
                if row[key.name] <= self._last_ids["item"]:
                    self._copy(table, row[key.name])
        elif state.is_update or state.is_delete:
            where = state.statement.whereclause  # type: ignore[attr-defined]  # of UPDATE and DELETE
            if where is None:
                ids = [row[key.name] for row in rows]
            else:
                ids = list(state.session.connection().scalars(sa.select(key).where(where)))
            for row_id in ids:
                self._copy(table, row_id)

    def _copy(self, table: Any, row_id: int) -> None:
        place = (table.name, row_id)
        is_new = key_of(table).name == "id" and row_id > self._last_ids.get(table.name, 0)
        if table.name not in OWN_TABLES and place not in self._before and not is_new:
            self._before[place] = row_of(self._change.session, table, row_id)


@lru_cache(maxsize=1)
def tables() -> dict[str, sa.Table]:
    """Return the tables that imports are about, parents before children."""
    return {one.name: one for one in Base.metadata.sorted_tables if one.name not in OWN_TABLES}


def key_of(table: sa.Table) -> sa.Column[int]:
    """Return the one column of a table's primary key."""
    (key,) = table.primary_key.columns
    return key


def _last_ids(session: Session) -> dict[str, int]:
    """Return table -> its largest key, 0 for none; all in one statement."""
    found = (
        session.connection()
        .exec_driver_sql(_last_ids_query(), execution_options={ONLY_KEYS: True})
        .one()
    )
    return {name: last or 0 for name, last in zip(tables(), found, strict=True)}


@lru_cache(maxsize=1)
def _last_ids_query() -> str:
    each = (
        f'(SELECT max("{key_of(table).name}") FROM "{name}")' for name, table in tables().items()
    )
    return f"SELECT {', '.join(each)}"


def row_of(session: Session, table: sa.Table, row_id: int) -> dict[str, Any] | None:
    """Return a row as JSON-safe values, as it is in the database."""
    found = session.connection().execute(sa.select(table).where(key_of(table) == row_id)).first()
    if found is None:
        return None
    return {column.name: _packed(value) for column, value in zip(table.columns, found, strict=True)}


def values_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a row that `row_of` gave."""
    return {name: _unpacked(value) for name, value in row.items()}


def _packed(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, datetime):
        return {"time": value.isoformat()}
    return {"json": value} if isinstance(value, (dict, list)) else value


def _unpacked(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "bytes":
        return base64.b64decode(content)
    return datetime.fromisoformat(content) if kind == "time" else content
