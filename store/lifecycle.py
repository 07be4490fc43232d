"""Delete, restore, purge; seal a dataset.

Deleting is soft: the row stays, hidden, and its name can be used again. Purging is for good.
Judgments are hidden, come back and go with the systems and datasets that they are about.
"""

from __future__ import annotations

from typing import cast

import sqlalchemy as sa

from store.engine import Change, Store
from store.errors import ConflictError, StoreError
from store.gold import recompute_comparisons
from store.lookup import TABLES, Kind, find_id
from store.models import AnalysisResult, Dataset, Item, Note, Run, System, Tag, utc_now


def delete(store: Store, kind: Kind, given: str, *, actor: str) -> str:
    """Hide a system, dataset or run; return its uid."""
    with store.write(actor) as change:
        row = _row(change, kind, given, deleted=False)
        row.deleted_at = utc_now()
        change.record("delete", kind, row.uid, **_described(row))
        if kind == "system":
            recompute_comparisons(change, row.id)
        return row.uid


def restore(store: Store, kind: Kind, uid: str, *, actor: str) -> str:
    """Bring a deleted system, dataset or run back; return its uid.

    Raises
    ------
    ConflictError
        Its name was used again in the meantime.
    StoreError
        It is not deleted.
    """
    with store.write(actor) as change:
        row = _row(change, kind, uid, deleted=True)
        if row.deleted_at is None:
            raise StoreError(f"The {kind} '{uid}' is not deleted.")
        row.deleted_at = None
        change.record("restore", kind, row.uid, **_described(row))
        try:
            change.session.flush()
        except sa.exc.IntegrityError as error:
            raise ConflictError(
                f"The {kind} '{uid}' cannot come back: another {kind} has its name now. "
                "Delete that one first."
            ) from error
        if kind == "system":
            recompute_comparisons(change, row.id)
        return row.uid


def purge(store: Store, kind: Kind, uid: str, *, actor: str) -> str:
    """Remove a deleted system, dataset or run for good, with all its scores; return its uid.

    All computed results go with it: some may show it, the others are computed again.

    Raises
    ------
    StoreError
        It was not deleted first.
    """
    with store.write(actor) as change:
        row = _row(change, kind, uid, deleted=True)
        if row.deleted_at is None:
            raise StoreError(
                f"The {kind} '{uid}' is not deleted. `tiebreak delete {kind} {uid}` hides it; "
                "only then can it be purged."
            )
        session = change.session
        runs = [row.id]
        if kind != "run":
            owner = Run.system_id if kind == "system" else Run.dataset_id
            runs = list(session.scalars(sa.select(Run.id).where(owner == row.id)))
        for table in (Tag, Note):
            session.execute(
                sa.delete(table).where(table.target_kind == "run", table.target_id.in_(runs))
            )
            session.execute(
                sa.delete(table).where(table.target_kind == kind, table.target_id == row.id)
            )
            if kind == "dataset":
                items = sa.select(Item.id).where(Item.dataset_id == row.id)
                session.execute(
                    sa.delete(table).where(table.target_kind == "item", table.target_id.in_(items))
                )
        session.execute(sa.delete(AnalysisResult))
        change.record("purge", kind, row.uid, **_described(row), n_runs=len(runs))
        uid = row.uid
        session.execute(sa.delete(TABLES[kind]).where(TABLES[kind].id == row.id))
        return uid


def seal_dataset(store: Store, given: str, *, actor: str) -> str:
    """Close a dataset, so that no item can be added any more; return its uid."""
    with store.write(actor) as change:
        dataset_id = find_id(change.session.connection(), "dataset", given)
        dataset = change.session.get_one(Dataset, dataset_id)
        dataset.sealed = True
        now = str(utc_now())
        change.record("seal", "dataset", dataset.uid, n_items=dataset.n_items, at=now)
        return dataset.uid


def _row(change: Change, kind: Kind, given: str, *, deleted: bool) -> System | Dataset | Run:
    found = find_id(change.session.connection(), kind, given, deleted=deleted)
    return cast(System | Dataset | Run, change.session.get_one(TABLES[kind], found))


def _described(row: System | Dataset | Run) -> dict[str, str]:
    return {"label": row.label} if isinstance(row, Run) else {"name": row.name}
