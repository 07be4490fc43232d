"""The people whose names a store holds: listed, and removed on request."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from store.audit_chain import REMOVAL, spans
from store.claim_models import Claim, ClaimEvidence
from store.engine import Change, Store
from store.erasing import erase_for_good, leave_no_trace
from store.errors import NotFoundError, StoreError
from store.import_models import Import, ImportAnswer, ImportChange
from store.judgment_models import Annotator
from store.model_base import new_uid, utc_now
from store.models import AnalysisResult, AuditEvent, Ingest, Metric, Note
from store.records import Record
from store.token_models import RequestAnswer, Token
from store.view_models import SavedView

REMOVED: Final = "removed person "
"""What the names begin with that stand for others."""
_NAMES: Final = (
    *(AuditEvent.actor, Note.actor, Import.actor, ImportAnswer.actor, Ingest.actor),
    *(Claim.actor, ClaimEvidence.actor, SavedView.owner, Token.owner, Annotator.name),
)
"""Columns that hold a name and nothing else."""
_WORDS: Final = (
    *(AuditEvent.detail, Note.text, Import.summary, Ingest.report, Metric.sources),
    *(ImportChange.before, ImportChange.after, SavedView.name, Token.name),
)
"""Columns that may hold a name among other words."""
_UNSALT: Final = (
    sa.update(AuditEvent).where(AuditEvent.id == sa.bindparam("line")).values(salt=None)
)
_OF_THINGS: Final = ("setting", "system", "dataset", "person")
"""Kinds of changes whose words are names of things, or in place of one, but for the reason."""


@dataclass(frozen=True, slots=True)
class KnownPerson(Record):
    """Somebody who changed the store."""

    name: str
    n_changes: int
    first_seen: datetime
    last_seen: datetime


@dataclass(frozen=True, slots=True)
class Removal(Record):
    """What became of a name."""

    stands_for_it: str
    """The name that is there now."""
    n_rows: int
    """Rows that held it."""
    n_tokens: int
    """Tokens that were closed."""


def list_people(store: Store) -> list[KnownPerson]:
    """Return who changed the store, the latest first."""
    at = AuditEvent.at
    query = (
        sa.select(AuditEvent.actor, sa.func.count(), sa.func.min(at), sa.func.max(at))
        .group_by(AuditEvent.actor)
        .order_by(sa.func.max(at).desc(), AuditEvent.actor)
    )
    with store.read() as connection:
        return [KnownPerson(*row) for row in connection.execute(query)]


def remove_person(store: Store, name: str, *, actor: str, dry_run: bool = False) -> Removal:
    """Put another name in place of a person's, everywhere in the store.

    Each change keeps its number, time and content; only who made it has another name, the same
    everywhere. The person's tokens are closed.

    Raises
    ------
    NotFoundError
        Nothing in the store is that person's.
    ForbiddenError
        Whoever is at work is no admin.
    """
    if not name or name.startswith(REMOVED):
        raise StoreError("Name the person whose name is to be removed.")
    other = f"{REMOVED}{new_uid()[:6]}"
    within = _other_words(name, other)
    with store.write(actor, dry_run=dry_run) as change:
        change.record(REMOVAL, "person", name=other)
        [event] = change.events
        event["actor"] = other if event["actor"] == name else event["actor"]
        connection = change.session.connection()
        erase_for_good(connection)
        n_tokens = _close_tokens(change, name)
        n_rows = 0
        lines = set(connection.scalars(sa.select(AuditEvent.id).where(AuditEvent.actor == name)))
        for column in _NAMES:
            here = sa.update(column.class_).where(column == name).values({column.key: other})
            n_rows += connection.execute(here).rowcount
        if not n_rows:
            raise NotFoundError(f"Nothing here is called '{name}'. `tiebreak people ls` lists all.")
        for words in _WORDS:
            reworded = _reword(connection, words, within)
            n_rows += len(reworded)
            lines |= reworded if words.class_ is AuditEvent else set()
        if lines:
            connection.execute(_UNSALT, [{"line": line} for line in lines])
        event["detail"]["lines"] = spans(lines)
        connection.execute(sa.delete(AnalysisResult))  # they may name annotators
        connection.execute(sa.delete(RequestAnswer))
        change.session.expire_all()
    if not dry_run:
        leave_no_trace(store.path)
    return Removal(other, n_rows, n_tokens)


def _close_tokens(change: Change, name: str) -> int:
    """Close what the person holds: nobody could tell any more what its owner may do."""
    here = (Token.owner == name) & Token.revoked_at.is_(None)
    closed = list(change.session.scalars(sa.select(Token.uid).where(here)))
    change.session.execute(sa.update(Token).where(here).values(revoked_at=utc_now()))
    return len(closed)


def _other_words(name: str, other: str) -> Callable[[Any], Any]:
    """Return what puts `other` wherever `name` stands as words of their own."""
    found = re.compile(rf"(?<![\w@.+-]){re.escape(name)}(?![\w@]|[.+-]\w)")

    def replaced(value: Any) -> Any:
        if isinstance(value, str):
            return found.sub(other, value)
        if isinstance(value, dict):
            return {key: replaced(one) for key, one in value.items()}
        return [replaced(one) for one in value] if isinstance(value, list) else value

    return replaced


def _reword(connection: sa.Connection, column: Any, within: Callable[[Any], Any]) -> set[int]:
    """Put the other name into the words of a column; return the ids of the rows that had it."""
    table = column.class_
    reworded = set()
    more = [AuditEvent.target_kind] if table is AuditEvent else []
    query = sa.select(table.id, column, *more).where(column.is_not(None))
    for row_id, value, *kind in connection.execute(query).all():
        if kind and kind[0] in _OF_THINGS:  # a system may be called as a person is
            new = value | ({"why": within(value["why"])} if "why" in value else {})
        else:
            new = within(value)
        if new != value:
            reworded.add(row_id)
            changed = sa.update(table).where(table.id == row_id).values({column.key: new})
            connection.execute(changed)
    return reworded
