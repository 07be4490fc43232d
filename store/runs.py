"""Queries about runs. None of them reads a score vector."""

from __future__ import annotations

import sqlalchemy as sa

from store.engine import Store
from store.importers.kinds import COUNTED
from store.lookup import find_id
from store.models import (
    Dataset,
    Ingest,
    Metric,
    Run,
    ScoreVector,
    StatusVector,
    System,
)
from store.records import CoverageCell, RunRecord, StatusCounts, VectorRecord
from store.reported import standing_scores
from store.tags import tags_of_all


def list_runs(
    store: Store,
    *,
    system_uid: str | None = None,
    dataset_uid: str | None = None,
    deleted: bool = False,
) -> list[RunRecord]:
    """Return the living runs, the newest first; or the deleted ones."""
    with store.read() as connection:
        which: list[sa.ColumnElement[bool]] = [
            System.deleted_at.is_(None),
            Dataset.deleted_at.is_(None),
        ]
        which.append(Run.deleted_at.is_not(None) if deleted else Run.deleted_at.is_(None))
        if system_uid is not None:
            which.append(System.uid == system_uid)
        if dataset_uid is not None:
            which.append(Dataset.uid == dataset_uid)
        return _records(connection, sa.and_(*which))


def get_run(store: Store, uid: str) -> RunRecord:
    """Return the run with that uid.

    Raises
    ------
    NotFoundError
        There is none, or it was deleted.
    """
    with store.read() as connection:
        return _records(connection, Run.id == find_id(connection, "run", uid))[0]


_SCORED = (
    sa.select(Dataset.uid, Metric.uid, System.uid)
    .select_from(ScoreVector)
    .join(Run, Run.id == ScoreVector.run_id)
    .join(System, System.id == Run.system_id)
    .join(Dataset, Dataset.id == Run.dataset_id)
    .join(Metric, Metric.id == ScoreVector.metric_id)
    .where(
        ScoreVector.n_scored > 0,
        Run.deleted_at.is_(None),
        System.deleted_at.is_(None),
        Dataset.deleted_at.is_(None),
    )
    .order_by(Run.created_at, Run.id.desc(), ScoreVector.metric_id, ScoreVector.trial)
)


def list_scored(store: Store) -> list[tuple[str, str, str]]:
    """Return the uids of dataset, metric and system of each vector with a score, as stored."""
    with store.read() as connection:
        return [
            (dataset, metric, system) for dataset, metric, system in connection.execute(_SCORED)
        ]


def list_coverage(store: Store) -> list[CoverageCell]:
    """Return what the store holds of each system on each dataset; empty cells are left out."""
    scored = (
        sa.select(
            Run.system_id,
            Run.dataset_id,
            sa.func.count(sa.distinct(Run.id)).label("n_runs"),
            sa.func.max(ScoreVector.n_scored).label("n_scored"),
        )
        .outerjoin(ScoreVector, ScoreVector.run_id == Run.id)
        .where(Run.deleted_at.is_(None))
        .group_by(Run.system_id, Run.dataset_id)
        .subquery()
    )
    stated = standing_scores()
    reported = (
        sa.select(
            stated.c.system_id,
            stated.c.dataset_id,
            sa.func.count(stated.c.id).label("n_reported"),
        )
        .group_by(stated.c.system_id, stated.c.dataset_id)
        .subquery()
    )
    cells = sa.union(
        sa.select(scored.c.system_id, scored.c.dataset_id),
        sa.select(reported.c.system_id, reported.c.dataset_id),
    ).subquery()

    def of_cell(part: sa.Subquery) -> sa.ColumnElement[bool]:
        return sa.and_(
            part.c.system_id == cells.c.system_id, part.c.dataset_id == cells.c.dataset_id
        )

    query = (
        sa.select(
            System.name,
            System.uid,
            Dataset.name,
            Dataset.uid,
            Dataset.n_items,
            sa.func.coalesce(scored.c.n_runs, 0),
            sa.func.coalesce(scored.c.n_scored, 0),
            sa.func.coalesce(reported.c.n_reported, 0),
        )
        .select_from(cells)
        .join(System, System.id == cells.c.system_id)
        .join(Dataset, Dataset.id == cells.c.dataset_id)
        .outerjoin(scored, of_cell(scored))
        .outerjoin(reported, of_cell(reported))
        .where(System.deleted_at.is_(None), Dataset.deleted_at.is_(None))
        .order_by(System.name, Dataset.name, Dataset.id)
    )
    with store.read() as connection:
        return [CoverageCell(*row) for row in connection.execute(query)]


def _records(connection: sa.Connection, which: sa.ColumnElement[bool]) -> list[RunRecord]:
    query = (
        sa.select(
            Run,
            System.name.label("system"),
            System.uid.label("system_uid"),
            Dataset.name.label("dataset"),
            Dataset.uid.label("dataset_uid"),
            Dataset.version.label("dataset_version"),
            Dataset.n_items.label("dataset_n_items"),
            Ingest.uid.label("ingest_uid"),
        )
        .join(System, System.id == Run.system_id)
        .join(Dataset, Dataset.id == Run.dataset_id)
        .join(Ingest, Ingest.id == Run.ingest_id)
        .where(which)
        .order_by(Run.id.desc())
    )
    rows = connection.execute(query).all()
    chosen = (
        sa.select(Run.id)
        .join(System, System.id == Run.system_id)
        .join(Dataset, Dataset.id == Run.dataset_id)
        .where(which)
    )
    vectors = _vectors(connection, chosen)
    statuses = _statuses(connection, chosen)
    tags = tags_of_all(connection, "run")
    return [
        RunRecord(
            **{name: getattr(row, name) for name in _SAME_NAME},
            n_items=row.dataset_n_items,
            tags=tags.get(row.id, ()),
            vectors=tuple(vectors.get(row.id, ())),
            statuses=tuple(statuses.get(row.id, ())),
        )
        for row in rows
    ]


def _vectors(connection: sa.Connection, run_ids: sa.Select[int]) -> dict[int, list[VectorRecord]]:
    found: dict[int, list[VectorRecord]] = {}
    query = (
        sa.select(
            ScoreVector.run_id,
            Metric.uid,
            Metric.name,
            Metric.signature,
            ScoreVector.trial,
            ScoreVector.n_items,
            ScoreVector.n_scored,
            ScoreVector.value,
            ScoreVector.std,
            ScoreVector.min,
            ScoreVector.max,
        )
        .join(Metric, Metric.id == ScoreVector.metric_id)
        .where(ScoreVector.run_id.in_(run_ids))
        .order_by(ScoreVector.metric_id, ScoreVector.trial)
    )
    for run_id, uid, name, signature, *rest in connection.execute(query):
        label = f"{name} [{signature}]" if signature else name
        found.setdefault(run_id, []).append(VectorRecord(uid, label, *rest))
    return found


def _statuses(connection: sa.Connection, run_ids: sa.Select[int]) -> dict[int, list[StatusCounts]]:
    found: dict[int, list[StatusCounts]] = {}
    query = (
        sa.select(
            StatusVector.run_id,
            StatusVector.trial,
            StatusVector.n_items,
            *(getattr(StatusVector, name) for name in COUNTED.values()),
        )
        .where(StatusVector.run_id.in_(run_ids))
        .order_by(StatusVector.trial)
    )
    for run_id, *counts in connection.execute(query):
        found.setdefault(run_id, []).append(StatusCounts(*counts))
    return found


# Fields of a record that the row holds under the same name.
_SAME_NAME = (
    *("uid", "label", "complete", "evaluated_on", "tz_assumed", "seed", "command", "harness"),
    *("harness_version", "git_origin", "git_commit", "git_dirty", "source_url", "packages"),
    *("config", "created_at", "deleted_at", "system", "system_uid", "dataset", "dataset_uid"),
    *("dataset_version", "ingest_uid"),
)
