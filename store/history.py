"""What happened to the store: recorded changes, looked through and written to files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

import sqlalchemy as sa

from store import audit_chain
from store.engine import Store
from store.errors import StoreError
from store.models import AuditEvent
from store.records import EventRecord
from store.shown import spreadsheet_safe

LogFormat = Literal["jsonl", "csv"]
MEDIA_TYPES: Final[dict[LogFormat, str]] = {"jsonl": "application/x-ndjson", "csv": "text/csv"}
_EVENTS: Final = sa.select(
    *(AuditEvent.id, AuditEvent.at, AuditEvent.actor, AuditEvent.action, AuditEvent.target_kind),
    *(AuditEvent.target_uid, AuditEvent.detail, AuditEvent.via, AuditEvent.chain_hash),
).order_by(AuditEvent.id.desc())
_COLUMNS: Final = (*(each.name for each in fields(EventRecord)), "why")
_AT_ONCE: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which recorded changes; what is empty leaves them all."""

    find: str = ""
    """Words that stand anywhere in a change, whatever their capitals."""
    who: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    """Of what was changed: system, dataset, run, …"""
    since: datetime | None = None
    until: datetime | None = None
    """Before this moment."""


@dataclass(frozen=True, slots=True)
class Found:
    """Recorded changes that were looked for, the newest first."""

    events: list[EventRecord]
    n_found: int
    """How many there are, also where fewer are returned."""
    n_all: int
    """In the whole store."""


def list_events(
    store: Store, *, target_uid: str | None = None, limit: int = 100
) -> list[EventRecord]:
    """Return recorded changes, the newest first; those of one target if asked."""
    query = _EVENTS if target_uid is None else _EVENTS.where(AuditEvent.target_uid == target_uid)
    with store.read() as connection:
        return [EventRecord(*row) for row in connection.execute(query.limit(limit))]


def find_events(store: Store, wanted: Wanted, *, limit: int | None = None) -> Found:
    """Return the recorded changes that fit, up to a limit, and how many there are."""
    events: list[EventRecord] = []
    n_found = 0
    with store.read() as connection:
        for event in _fitting(connection, wanted):
            n_found += 1
            if limit is None or n_found <= limit:
                events.append(event)
        n_all = connection.scalar(sa.select(sa.func.count()).select_from(AuditEvent)) or 0
    return Found(events, n_found, n_all)


def log_of(store: Store, wanted: Wanted, format: LogFormat) -> Iterator[str]:
    """Yield the lines of a file with the recorded changes that fit, each with its line end.

    CSV has the detail as JSON, and no cell that a spreadsheet would compute.
    """
    with store.read() as connection:
        if format == "csv":
            yield _csv_line(_COLUMNS)
        for event in _fitting(connection, wanted):
            if format == "jsonl":
                yield json.dumps(event.to_dict(), ensure_ascii=False) + "\n"
            else:
                row = event.to_dict() | {"why": event.detail.get("why", "")}
                row["detail"] = json.dumps(row["detail"], ensure_ascii=False)
                yield _csv_line([spreadsheet_safe(row[name]) for name in _COLUMNS])


def head_of_log(store: Store, *, kept: str = "") -> str:
    """Return the hash of the whole log, to be kept elsewhere; empty in a new store.

    With `kept`, one that was, the log is held against it first.

    Raises
    ------
    StoreError
        Something of the log is not what was written, or it never had that hash.
    """
    with store.read() as connection:
        if kept:
            for problem in audit_chain.wrong(connection):
                raise StoreError(f"{problem} `tiebreak db check` tells all that is wrong.")
            if not audit_chain.had(connection, kept):
                raise StoreError(
                    f"The audit log never ended with {kept}: it is cut off, was written anew, or "
                    "is of another store."
                )
        return audit_chain.head(connection)


def known_words(store: Store) -> tuple[list[str], list[str], list[str]]:
    """Return who made changes, which kinds of changes there are, and of what; each sorted."""
    columns = (AuditEvent.actor, AuditEvent.action, AuditEvent.target_kind)
    with store.read() as connection:
        who, actions, kinds = (
            sorted(connection.scalars(sa.select(one).distinct())) for one in columns
        )
    return who, actions, kinds


def moment_of(text: str, *, is_end: bool = False) -> datetime:
    """Return the moment that a text states, in UTC where it names no offset.

    A day alone is its beginning; as an end it is included.

    Raises
    ------
    StoreError
        It is no date.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise StoreError(f"'{text}' is no date: write it as 2026-11-21.") from None
    try:
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        is_day = len(text.strip()) <= len("2026-11-21")
        return moment.astimezone(UTC) + timedelta(days=1 if is_end and is_day else 0)
    except OverflowError:
        raise StoreError(f"'{text}' lies outside of the calendar.") from None


def _fitting(connection: sa.Connection, wanted: Wanted) -> Iterator[EventRecord]:
    query = _EVENTS
    for column, given in (
        (AuditEvent.actor, wanted.who),
        (AuditEvent.action, wanted.actions),
        (AuditEvent.target_kind, wanted.kinds),
    ):
        query = query.where(column.in_(given)) if given else query
    if wanted.since is not None:
        query = query.where(AuditEvent.at >= wanted.since)
    if wanted.until is not None:
        query = query.where(AuditEvent.at < wanted.until)
    words = wanted.find.strip().casefold()
    for row in connection.execute(query.execution_options(yield_per=_AT_ONCE)):
        event = EventRecord(*row)
        if not words or words in _text_of(event):
            yield event


def _text_of(event: EventRecord) -> str:
    """Return all that a change says, to look for words in; a detail is kept in many spellings."""
    detail = " ".join(f"{key} {_plain(value)}" for key, value in event.detail.items())
    parts = (
        *(event.id, f"{event.at:%Y-%m-%d %H:%M}", event.actor, event.action, event.target_kind),
        *(event.target_uid, detail, event.via or ""),
    )
    return " ".join(map(str, parts)).casefold()


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _csv_line(cells: Any) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()
