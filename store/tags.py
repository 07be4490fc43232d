"""Tags and notes on systems, datasets and runs."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Session

from store.engine import Store
from store.errors import StoreError
from store.lookup import TABLES, Kind, find_id
from store.models import Note, Tag
from store.records import NoteRecord

_TAGS = (
    sa.select(Tag.target_id, Tag.name)
    .where(Tag.target_kind == sa.bindparam("kind"))
    .order_by(Tag.name)
)


def tags_of_all(connection: sa.Connection, kind: Kind) -> dict[int, tuple[str, ...]]:
    """Return target id -> tags, in alphabetical order."""
    found: dict[int, tuple[str, ...]] = {}
    for target_id, name in connection.execute(_TAGS, {"kind": kind}):
        found[target_id] = (*found.get(target_id, ()), name)
    return found


def add_tag(store: Store, kind: Kind, given: str, name: str, *, actor: str) -> None:
    """Put a tag on a system, dataset or run; once is enough."""
    name = name.strip()
    if not name or len(name) > 100 or "," in name:
        raise StoreError(f"'{name}' cannot be a tag: 1 to 100 characters, no comma.")
    with store.write(actor) as change:
        target_id = find_id(change.session.connection(), kind, given)
        identity = {"target_kind": kind, "target_id": target_id, "name": name}
        if change.session.scalar(sa.select(Tag.id).filter_by(**identity)) is None:
            change.session.add(Tag(**identity))
            change.record("tag", kind, _uid(change.session.connection(), kind, target_id), tag=name)


def remove_tag(store: Store, kind: Kind, given: str, name: str, *, actor: str) -> None:
    """Take a tag off.

    Raises
    ------
    StoreError
        It has no such tag.
    """
    with store.write(actor) as change:
        target_id = find_id(change.session.connection(), kind, given)
        tag = change.session.scalar(
            sa.select(Tag).filter_by(target_kind=kind, target_id=target_id, name=name)
        )
        if tag is None:
            raise StoreError(f"The {kind} '{given}' has no tag '{name}'.")
        change.session.delete(tag)
        change.record("untag", kind, _uid(change.session.connection(), kind, target_id), tag=name)


def add_note(store: Store, kind: Kind, given: str, text: str, *, actor: str) -> None:
    """Add a Markdown note to a system, dataset or run."""
    if not text.strip():
        raise StoreError("An empty note says nothing: give a text.")
    with store.write(actor) as change:
        target_id = find_id(change.session.connection(), kind, given)
        change.session.add(Note(target_kind=kind, target_id=target_id, text=text, actor=actor))
        change.record("note", kind, _uid(change.session.connection(), kind, target_id))


def list_notes(store: Store, kind: Kind, given: str) -> list[NoteRecord]:
    """Return the notes on a system, dataset or run, the oldest first."""
    with store.read() as connection:
        target_id = find_id(connection, kind, given)
        query = (
            sa.select(Note.text, Note.actor, Note.created_at)
            .where(Note.target_kind == kind, Note.target_id == target_id)
            .order_by(Note.id)
        )
        return [NoteRecord(*row) for row in connection.execute(query)]


def copy_attached(session: Session, kind: Kind, source_id: int, target_id: int) -> None:
    """Give one system, dataset or run the tags and notes of another."""
    for table in (Tag, Note):
        columns = [c.key for c in table.__table__.columns if c.key not in ("id", "target_id")]
        rows = session.scalars(
            sa.select(table).where(table.target_kind == kind, table.target_id == source_id)
        )
        copies = [{"target_id": target_id} | {c: getattr(row, c) for c in columns} for row in rows]
        if copies:
            session.execute(sa.insert(table), copies)


def _uid(connection: sa.Connection, kind: Kind, target_id: int) -> str:
    table = TABLES[kind]
    return str(connection.scalar(sa.select(table.uid).where(table.id == target_id)))
