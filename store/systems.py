"""Queries about systems."""

from __future__ import annotations

import sqlalchemy as sa

from store.engine import Store
from store.lookup import find_id
from store.models import Dataset, Run, System, SystemAlias
from store.natural_order import natural_key
from store.records import SystemRecord
from store.reported import standing_scores
from store.tags import tags_of_all


def list_systems(store: Store, *, deleted: bool = False) -> list[SystemRecord]:
    """Return all living systems by name, or all deleted ones."""
    with store.read() as connection:
        return _records(
            connection,
            System.deleted_at.is_not(None) if deleted else System.deleted_at.is_(None),
        )


def get_system(store: Store, given: str) -> SystemRecord:
    """Return the system with that uid, name or alias.

    Raises
    ------
    NotFoundError
        There is none; the message lists the nearest names.
    """
    with store.read() as connection:
        return _records(connection, System.id == find_id(connection, "system", given))[0]


def _records(connection: sa.Connection, which: sa.ColumnElement[bool]) -> list[SystemRecord]:
    runs = (
        sa.select(
            Run.system_id,
            sa.func.count(Run.id).label("n_runs"),
            sa.func.max(Run.evaluated_on).label("last"),
        )
        .join(Dataset, Dataset.id == Run.dataset_id)
        .where(Run.deleted_at.is_(None), Dataset.deleted_at.is_(None))
        .group_by(Run.system_id)
        .subquery()
    )
    stated = standing_scores()
    reported = (
        sa.select(stated.c.system_id, sa.func.count(stated.c.id).label("n_reported"))
        .join(Dataset, Dataset.id == stated.c.dataset_id)
        .where(Dataset.deleted_at.is_(None))
        .group_by(stated.c.system_id)
        .subquery()
    )
    touched = sa.union(
        sa.select(Run.system_id, Run.dataset_id).where(Run.deleted_at.is_(None)),
        sa.select(stated.c.system_id, stated.c.dataset_id),
    ).subquery()
    datasets = (
        sa.select(touched.c.system_id, sa.func.count(touched.c.dataset_id).label("n_datasets"))
        .join(Dataset, Dataset.id == touched.c.dataset_id)
        .where(Dataset.deleted_at.is_(None))
        .group_by(touched.c.system_id)
        .subquery()
    )
    query = (
        sa.select(System, runs.c.n_runs, runs.c.last, reported.c.n_reported, datasets.c.n_datasets)
        .outerjoin(runs, runs.c.system_id == System.id)
        .outerjoin(reported, reported.c.system_id == System.id)
        .outerjoin(datasets, datasets.c.system_id == System.id)
        .where(which)
        .order_by(System.id)
    )
    aliases: dict[int, list[str]] = {}
    for system_id, alias in connection.execute(
        sa.select(SystemAlias.system_id, SystemAlias.alias).order_by(SystemAlias.alias)
    ):
        aliases.setdefault(system_id, []).append(alias)
    tags = tags_of_all(connection, "system")
    return [
        SystemRecord(
            uid=row.uid,
            name=row.name,
            aliases=tuple(aliases.get(row.id, ())),
            tags=tags.get(row.id, ()),
            n_runs=row.n_runs or 0,
            n_datasets=row.n_datasets or 0,
            n_reported=row.n_reported or 0,
            last_evaluated_on=row.last,
            created_at=row.created_at,
            deleted_at=row.deleted_at,
        )
        for row in sorted(connection.execute(query), key=lambda row: natural_key(row.name))
    ]
