"""Queries about figures that files and papers state."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from functools import cache
from statistics import fmean
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased

from store.engine import Store
from store.models import Dataset, Metric, ReportedComparison, ReportedScore, Run, System
from store.records import (
    DisputedFigure,
    ReportedComparisonRecord,
    ReportedScoreRecord,
    RunRecord,
)


def list_reported_scores(
    store: Store,
    *,
    system_uid: str | None = None,
    dataset_uid: str | None = None,
    metric_uid: str | None = None,
    run_uid: str | None = None,
) -> list[ReportedScoreRecord]:
    """Return reported scores in the order of their sources."""
    query = (
        sa.select(
            ReportedScore.uid,
            System.name.label("system"),
            System.uid.label("system_uid"),
            Dataset.name.label("dataset"),
            Dataset.uid.label("dataset_uid"),
            _metric_label().label("metric"),
            Metric.uid.label("metric_uid"),
            ReportedScore.value,
            ReportedScore.stderr,
            ReportedScore.n_items,
            ReportedScore.printed,
            ReportedScore.source,
            ReportedScore.source_url,
            ReportedScore.reported_on,
            Run.uid.label("run_uid"),
        )
        .join(System, System.id == ReportedScore.system_id)
        .join(Dataset, Dataset.id == ReportedScore.dataset_id)
        .join(Metric, Metric.id == ReportedScore.metric_id)
        .outerjoin(Run, Run.id == ReportedScore.run_id)
        .where(System.deleted_at.is_(None), Dataset.deleted_at.is_(None), Run.deleted_at.is_(None))
        .order_by(ReportedScore.id)
    )
    chosen = (
        (System.uid, system_uid),
        (Dataset.uid, dataset_uid),
        (Metric.uid, metric_uid),
        (Run.uid, run_uid),
    )
    for column, wanted in chosen:
        if wanted is not None:
            query = query.where(column == wanted)
    with store.read() as connection:
        return [ReportedScoreRecord(**row) for row in connection.execute(query).mappings()]


def disputed_figures(
    scores: Sequence[ReportedScoreRecord], runs: Sequence[RunRecord]
) -> list[DisputedFigure]:
    """Return the figures stated for a run, or for its system, that its item scores do not give.

    Parameters
    ----------
    scores
        Reported figures.
    runs
        Runs with their scores. A figure of a run is held against that run, any other one against
        all runs of the system on the dataset.
    """
    found = []
    for score in scores:
        values = [
            vector.value
            for run in runs
            for vector in run.vectors
            if (run.system_uid, run.dataset_uid) == (score.system_uid, score.dataset_uid)
            and score.run_uid in (run.uid, None)
            and vector.metric_uid == score.metric_uid
            and vector.value is not None
        ]
        if values and is_another(recomputed := fmean(values), score.value, score.printed):
            found.append(
                DisputedFigure(
                    score.system, score.run_uid, score.metric, score.value, recomputed, score.source
                )
            )
    return found


def is_another(recomputed: float, stated: float, printed: str) -> bool:
    """Return whether two figures differ by more than the stated one was rounded, as printed."""
    return abs(recomputed - stated) > rounding(printed, stated)


def rounding(printed: str, value: float) -> float:
    """Return how far a value may be off by rounding: half of its last printed digit.

    A value that was printed in percent and is stored as a proportion is off by as much less.
    """
    slack = 1e-6 * max(1.0, abs(value))
    try:
        number = Decimal(printed)
    except InvalidOperation:
        return slack
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or not number:
        return slack
    half_digit = 0.5 * 10.0**exponent * abs(value / float(number))
    return max(half_digit * (1 + 1e-9), slack)


def list_reported_comparisons(
    store: Store,
    *,
    between: tuple[str, str] | None = None,
    dataset_uid: str | None = None,
    metric_uid: str | None = None,
) -> list[ReportedComparisonRecord]:
    """Return reported p-values with the two scores that the same source states beside them.

    Parameters
    ----------
    store
        Where to look.
    between
        Uids of two systems, in either order. The records keep the order of the source.
    dataset_uid, metric_uid
        Only those on this dataset, of this metric.
    """
    given = {"between": between, "dataset_uid": dataset_uid, "metric_uid": metric_uid}
    wanted = {name: value for name, value in given.items() if value is not None}
    with store.read() as connection:
        rows = connection.execute(_comparisons(*wanted), wanted).mappings()
        return [ReportedComparisonRecord(**row) for row in rows]


@cache  # to put the query together takes longer than to run it
def _comparisons(*names: str) -> sa.Select[*tuple[Any, ...]]:
    """Return the query of those of some systems, dataset or metric, or of all."""
    a, b = aliased(System), aliased(System)
    between: sa.BindParameter[Any] = sa.bindparam("between", expanding=True)
    wanted = {
        "between": sa.and_(a.uid.in_(between), b.uid.in_(between)),
        "dataset_uid": Dataset.uid == sa.bindparam("dataset_uid"),
        "metric_uid": Metric.uid == sa.bindparam("metric_uid"),
    }
    return (
        sa.select(
            ReportedComparison.uid,
            a.name.label("system_a"),
            b.name.label("system_b"),
            Dataset.name.label("dataset"),
            Dataset.uid.label("dataset_uid"),
            _metric_label().label("metric"),
            Metric.uid.label("metric_uid"),
            ReportedComparison.pvalue,
            ReportedComparison.test,
            ReportedComparison.sidedness,
            ReportedComparison.printed,
            ReportedComparison.source,
            ReportedComparison.source_url,
            _stated_beside(a).label("score_a"),
            _stated_beside(b).label("score_b"),
        )
        .join(a, a.id == ReportedComparison.system_a_id)
        .join(b, b.id == ReportedComparison.system_b_id)
        .join(Dataset, Dataset.id == ReportedComparison.dataset_id)
        .join(Metric, Metric.id == ReportedComparison.metric_id)
        .where(a.deleted_at.is_(None), b.deleted_at.is_(None), Dataset.deleted_at.is_(None))
        .where(*(wanted[name] for name in names))
        .order_by(ReportedComparison.id)
    )


def standing_scores() -> sa.Subquery:
    """Return (id, system_id, dataset_id, metric_id) of all but those of deleted runs."""
    return (
        sa.select(
            ReportedScore.id,
            ReportedScore.system_id,
            ReportedScore.dataset_id,
            ReportedScore.metric_id,
        )
        .outerjoin(Run, Run.id == ReportedScore.run_id)
        .where(Run.deleted_at.is_(None))
        .subquery()
    )


def _stated_beside(system: type[System]) -> sa.ScalarSelect[float]:
    """Return the score that the source of a comparison states for one of its systems.

    One of the system in general goes before one of a single run.
    """
    return (
        sa.select(ReportedScore.value)
        .outerjoin(Run, Run.id == ReportedScore.run_id)
        .where(
            ReportedScore.system_id == system.id,
            ReportedScore.dataset_id == ReportedComparison.dataset_id,
            ReportedScore.metric_id == ReportedComparison.metric_id,
            ReportedScore.source == ReportedComparison.source,
            Run.deleted_at.is_(None),
        )
        .order_by(ReportedScore.run_id.is_not(None), ReportedScore.id)
        .limit(1)
        .correlate(system, ReportedComparison)
        .scalar_subquery()
    )


def _metric_label() -> sa.ColumnElement[str]:
    bracketed = Metric.name + " [" + Metric.signature + "]"
    return sa.case((Metric.signature == "", Metric.name), else_=bracketed)
