"""Queries about metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased

from store.engine import Store
from store.importers.known_facts import known_facts
from store.importers.known_metrics import is_cost
from store.kept_settings import settings_in
from store.lookup import find_metric_id
from store.models import Dataset, Metric, ReportedComparison, Run, ScoreVector, System
from store.records import MetricRecord
from store.reported import standing_scores

_ALL = sa.select(Metric).order_by(sa.func.lower(Metric.name), Metric.id)
_BY_ID = sa.select(Metric).where(Metric.id == sa.bindparam("metric_id"))
_SEEN = sa.select(
    Metric.id,
    *(
        sa.select(end).where(ScoreVector.metric_id == Metric.id).scalar_subquery()
        for end in (sa.func.min(ScoreVector.min), sa.func.max(ScoreVector.max))
    ),
).where(Metric.id.in_(sa.bindparam("ids", expanding=True)))
"""How far the scores of metrics go."""


def list_metrics(store: Store, *, dataset_uid: str | None = None) -> list[MetricRecord]:
    """Return all metrics by name, or those with scores on a dataset.

    Of those the one comes first that the store's settings name for it, then the most used. What
    an output took (time, money, tokens) comes after what it is worth.
    """
    with store.read() as connection:
        if dataset_uid is None:
            return _records(connection, connection.execute(_ALL).all())
        used = _records(connection, connection.execute(_used_on(dataset_uid)).all())
        primary = settings_in(connection, dataset_uid).get("metric")
        return sorted(used, key=lambda metric: (metric.uid != primary, is_cost(metric.name)))


def get_metric(store: Store, given: str) -> MetricRecord:
    """Return the metric with that uid, name or label.

    Raises
    ------
    NotFoundError
        There is none, or several have that name.
    """
    with store.read() as connection:
        return metric_by_id(connection, find_metric_id(connection, given))


def _used_on(dataset_uid: str) -> sa.Select[Metric]:
    stated, a, b = standing_scores(), aliased(System), aliased(System)
    used = sa.union_all(
        sa.select(ScoreVector.metric_id)
        .join(Run, Run.id == ScoreVector.run_id)
        .join(System, System.id == Run.system_id)
        .join(Dataset, Dataset.id == Run.dataset_id)
        .where(Dataset.uid == dataset_uid, Run.deleted_at.is_(None), System.deleted_at.is_(None)),
        sa.select(stated.c.metric_id)
        .join(System, System.id == stated.c.system_id)
        .join(Dataset, Dataset.id == stated.c.dataset_id)
        .where(Dataset.uid == dataset_uid, System.deleted_at.is_(None)),
        sa.select(ReportedComparison.metric_id)
        .join(a, a.id == ReportedComparison.system_a_id)
        .join(b, b.id == ReportedComparison.system_b_id)
        .join(Dataset, Dataset.id == ReportedComparison.dataset_id)
        .where(Dataset.uid == dataset_uid, a.deleted_at.is_(None), b.deleted_at.is_(None)),
    ).subquery()
    count = sa.func.count()
    return (
        sa.select(Metric)
        .join(used, used.c.metric_id == Metric.id)
        .group_by(Metric.id)
        .order_by(count.desc(), Metric.id)
    )


def metric_by_id(connection: sa.Connection, metric_id: int) -> MetricRecord:
    """Return the metric with that id."""
    return _records(connection, [connection.execute(_BY_ID, {"metric_id": metric_id}).one()])[0]


def _records(connection: sa.Connection, rows: Sequence[sa.Row[Any]]) -> list[MetricRecord]:
    """Return metrics with their range and kind: as stated, else as generally known."""
    open_ids = [row.id for row in rows if row.lower is None or row.upper is None]
    seen = {
        metric_id: ends
        for metric_id, *ends in connection.execute(_SEEN, {"ids": open_ids})
        if None not in ends
    }
    return [_record(row, seen.get(row.id)) for row in rows]


def _record(row: sa.Row[Any], seen: Sequence[float] | None) -> MetricRecord:
    known = known_facts(row.name, row.aggregation, seen, row.unit)
    stated = row.sources or {}
    ends = {
        end: getattr(known, end)
        if getattr(row, end) is None and end not in stated
        else getattr(row, end)
        for end in ("lower", "upper")
    }
    kind = row.kind
    if not kind and "kind" not in stated:
        is_bounded = known.kind in ("", "unbounded") and None not in ends.values()
        kind = "bounded" if is_bounded else known.kind
    return MetricRecord(
        uid=row.uid,
        name=row.name,
        signature=row.signature,
        higher_is_better=row.higher_is_better,
        aggregation=row.aggregation,
        unit=row.unit,
        **ends,
        source=row.source,
        kind=kind,
    )
