"""Imports as a whole: listed, shown, taken back."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session, undefer

from store.engine import Change, Store
from store.errors import ConflictError, ForbiddenError, NotFoundError
from store.import_journal import key_of, row_of, tables, values_of
from store.models import (
    AnalysisResult,
    AuditEvent,
    Import,
    ImportChange,
    Ingest,
    Note,
    Tag,
    utc_now,
)
from store.people import current_person, require_role

_NOUNS = {
    "run": "runs", "dataset": "datasets", "system": "systems", "metric": "metrics",
    "item": "items", "score_vector": "scores", "claim": "claims", "rating": "ratings",
    "preference": "preferences", "reported_score": "reported figures", "annotator": "annotators",
    "criterion": "criteria", "system_alias": "aliases",
}  # fmt: skip

_GO_ALONG = (("item_text", "item"), ("claim_evidence", "claim"))
"""Tables whose rows go with those that they belong to, whenever they came."""


def show_import(store: Store, uid: str) -> dict[str, Any]:
    """Return what an import added, changed and guessed, by its uid or that of one of its ingests.

    Raises
    ------
    NotFoundError
        There is no such import.
    """
    with store.read() as connection, Session(connection) as session:
        row = _find(session, uid)
        changed = session.execute(
            sa.select(ImportChange.table_name, sa.func.count())
            .where(ImportChange.import_id == row.id)
            .group_by(ImportChange.table_name)
        )
        return {
            "uid": row.uid,
            "actor": row.actor,
            "created_at": row.created_at,
            "undone_at": row.undone_at,
            "n_added": {name: last - first + 1 for name, (first, last) in row.added.items()},
            "n_changed": {name: number for name, number in changed},
            **row.summary,
        }


def undo(store: Store, uid: str, *, actor: str, dry_run: bool = False) -> dict[str, Any]:
    """Take an import back whole: what it added goes, what it changed is as before.

    Raises
    ------
    ForbiddenError
        Another person, or another token, brought it, and who is at work is no admin.
    NotFoundError
        There is no such import.
    ConflictError
        It is undone already, or later results build on it; the message says which.
    """
    with store.write(actor, dry_run=dry_run, about=()) as change:  # a token undoes its own only
        session = change.session
        row = _find(session, uid)
        _require_own(change, row)
        if row.undone_at is not None:
            raise ConflictError(f"The import '{row.uid}' is undone already.")
        added = {name: (first, last) for name, (first, last) in row.added.items()}
        changes = session.scalars(
            sa.select(ImportChange)
            .options(undefer(ImportChange.before), undefer(ImportChange.after))
            .where(ImportChange.import_id == row.id)
            .order_by(ImportChange.id)
        ).all()
        _require_nothing_later(session, row, added, changes)
        ingests = {name: ids for name, ids in added.items() if name == "ingest"}
        _remove_added(session, {name: ids for name, ids in added.items() if name != "ingest"})
        for one in reversed(changes):  # a changed row may name its new ingest, and gets its old one
            _put_back(session, one)
        _remove_added(session, ingests)
        session.execute(sa.delete(AnalysisResult))
        row.undone_at = utc_now()
        change.record("undo", "import", row.uid)
        return {
            "uid": row.uid,
            "removed": {name: last - first + 1 for name, (first, last) in added.items()},
            "put_back": len(changes),
            "files": row.summary.get("files", []),
        }


def _find(session: Session, uid: str) -> Import:
    row = session.scalar(sa.select(Import).where(Import.uid == uid))
    if row is not None:
        return row
    ingest_id = session.scalar(sa.select(Ingest.id).where(Ingest.uid == uid))
    for one in session.scalars(sa.select(Import).order_by(Import.id.desc())):
        first, last = one.added.get("ingest", (1, 0))
        if ingest_id is not None and first <= ingest_id <= last:
            return one
    if ingest_id is not None:
        raise NotFoundError(
            f"'{uid}' is not kept so that it could be undone: it is older than revision 0006, or "
            "brought claims before these could be. `tiebreak audit` has what came in. Delete its "
            "runs with `tiebreak delete run UID`."
        )
    raise NotFoundError(f"There is no import '{uid}'. `tiebreak ls ingests` lists them.")


def _require_own(change: Change, row: Import) -> None:
    person = current_person()
    if row.actor != change.actor:
        require_role("admin", f"Undoing what {row.actor} imported")
    if person.token:
        events = sa.select(AuditEvent.via).where(
            AuditEvent.action == "import", AuditEvent.target_uid == row.uid
        )
        if change.session.scalar(events) != person.via:
            raise ForbiddenError("A token undoes only what it brought itself.")


def _way_out(session: Session, row: Import, table: str, row_id: int) -> str:
    """Say which later import brought a row, so that it can be undone first."""
    later = sa.select(Import).where(Import.id > row.id, Import.undone_at.is_(None))
    for one in session.scalars(later.order_by(Import.id.desc())):
        first, last = one.added.get(table, (1, 0))
        if first <= row_id <= last:
            return f"They came with the import '{one.uid}': `tiebreak undo {one.uid}` first."
    return "Undo or delete those first."


def _require_nothing_later(
    session: Session,
    row: Import,
    added: dict[str, tuple[int, int]],
    changes: Any,
) -> None:
    """Raise `ConflictError` when something that came later needs what the import brought."""
    known = tables()
    put_back: dict[str, list[int]] = {}
    for one in changes:
        put_back.setdefault(one.table_name, []).append(one.row_id)
    for table in known.values():
        own = added.get(table.name, (1, 0))
        for key in table.foreign_keys:
            parent = key.column.table.name
            if parent not in added:
                continue
            is_later = ~key_of(table).between(*own) & key.parent.between(*added[parent])
            is_later &= key_of(table).not_in(put_back.get(table.name, []))
            key_row = sa.func.min(key_of(table)).label("first")
            number, first = session.execute(
                sa.select(sa.func.count(), key_row).select_from(table).where(is_later)
            ).one()
            if number and (table.name, parent) not in _GO_ALONG:
                raise ConflictError(
                    f"Later results build on {_NOUNS.get(parent, parent)} of the import "
                    f"'{row.uid}': {_NOUNS.get(table.name, table.name)}, {number:,} in all. "
                    f"{_way_out(session, row, table.name, int(first))}"
                )
    later = session.execute(
        sa.select(ImportChange.table_name, ImportChange.row_id, Import.uid)
        .join(Import, Import.id == ImportChange.import_id)
        .where(Import.id > row.id, Import.undone_at.is_(None))
    )
    for name, row_id, uid in later:
        first, last = added.get(name, (1, 0))
        if first <= row_id <= last:
            raise ConflictError(
                f"The later import '{uid}' changed {_NOUNS.get(name, name)} of '{row.uid}'. Undo "
                f"that one first: `tiebreak undo {uid}`."
            )
    for one in changes:
        if row_of(session, known[one.table_name], one.row_id) != one.after:
            raise ConflictError(
                f"{_NOUNS.get(one.table_name, one.table_name).capitalize()} that the import "
                f"'{row.uid}' changed were changed again since. Undo the later changes first."
            )


def _remove_added(session: Session, added: dict[str, tuple[int, int]]) -> None:
    for kind in ("system", "dataset", "run", "item"):
        if kind in added:
            for attached in (Tag, Note):
                session.execute(
                    sa.delete(attached).where(
                        attached.target_kind == kind, attached.target_id.between(*added[kind])
                    )
                )
    for name, table in reversed(tables().items()):
        if name in added:
            session.connection().execute(
                sa.delete(table).where(key_of(table).between(*added[name]))
            )


def _put_back(session: Session, one: ImportChange) -> None:
    table = tables()[one.table_name]
    connection = session.connection()
    here = key_of(table) == one.row_id
    if one.before is None:
        connection.execute(sa.delete(table).where(here))
    elif one.after is None:
        connection.execute(sa.insert(table).values(values_of(one.before)))
    else:
        connection.execute(sa.update(table).where(here).values(values_of(one.before)))
