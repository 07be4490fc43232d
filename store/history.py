"""What happened to the store: recorded changes."""

from __future__ import annotations

import sqlalchemy as sa

from store.engine import Store
from store.models import AuditEvent
from store.records import EventRecord


def list_events(
    store: Store, *, target_uid: str | None = None, limit: int = 100
) -> list[EventRecord]:
    """Return recorded changes, the newest first; those of one target if asked."""
    query = sa.select(
        AuditEvent.id,
        AuditEvent.at,
        AuditEvent.actor,
        AuditEvent.action,
        AuditEvent.target_kind,
        AuditEvent.target_uid,
        AuditEvent.detail,
        AuditEvent.via,
    ).order_by(AuditEvent.id.desc())
    if target_uid is not None:
        query = query.where(AuditEvent.target_uid == target_uid)
    with store.read() as connection:
        return [EventRecord(*row) for row in connection.execute(query.limit(limit))]
