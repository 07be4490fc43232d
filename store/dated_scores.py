"""All scores of a dataset and metric with their dates: what a history of records is made of."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from store.claim_records import DatedScoreRecord
from store.engine import Store
from store.lookup import find_id, find_metric_id
from store.models import ReportedScore, Run, ScoreVector, System

_LAST = datetime.max.replace(tzinfo=UTC)

# Built once: to put a query together takes longer than to run it.
_RUNS = (
    sa.select(
        *(System.name, System.uid, Run.uid.label("run_uid"), Run.label, Run.evaluated_on),
        Run.complete,
        sa.func.avg(ScoreVector.value).label("value"),
        sa.func.max(ScoreVector.n_scored).label("n_items"),
    )
    .join(Run, Run.id == ScoreVector.run_id)
    .join(System, System.id == Run.system_id)
    .where(
        Run.dataset_id == sa.bindparam("dataset_id"),
        ScoreVector.metric_id == sa.bindparam("metric_id"),
        ScoreVector.value.is_not(None),
        Run.deleted_at.is_(None),
        System.deleted_at.is_(None),
    )
    .group_by(
        *(System.name, System.uid, Run.id, Run.uid, Run.label, Run.evaluated_on, Run.complete)
    )
    .order_by(Run.id)
)
_REPORTED = (
    sa.select(
        *(System.name, System.uid, ReportedScore.uid.label("reported_uid"), ReportedScore.value),
        *(ReportedScore.reported_on, ReportedScore.stderr, ReportedScore.n_items),
        *(ReportedScore.source, Run.uid.label("run_uid"), Run.label, Run.evaluated_on),
        Run.complete,
    )
    .join(System, System.id == ReportedScore.system_id)
    .outerjoin(Run, Run.id == ReportedScore.run_id)
    .where(
        ReportedScore.dataset_id == sa.bindparam("dataset_id"),
        ReportedScore.metric_id == sa.bindparam("metric_id"),
        Run.deleted_at.is_(None),
        System.deleted_at.is_(None),
    )
    .order_by(ReportedScore.id)
)


def list_dated_scores(store: Store, dataset: str, metric: str) -> list[DatedScoreRecord]:
    """Return all runs and reported scores of a dataset and metric, the oldest first.

    Parameters
    ----------
    store
        Where to look.
    dataset, metric
        Uid or name.

    Returns
    -------
    list of DatedScoreRecord
        A run counts with the mean of its trials, on the day it was evaluated; a reported score on
        the day it was reported, else on that of its run. Those of one day are in the order in
        which they came into the store, runs first. What nobody dates comes last.

    Notes
    -----
    The aggregate that a run's own file states is left out where the run has item scores of the
    metric: it is the same score again.
    """
    with store.read() as connection:
        which = {
            "dataset_id": find_id(connection, "dataset", dataset),
            "metric_id": find_metric_id(connection, metric),
        }
        runs = connection.execute(_RUNS, which).all()
        stated = connection.execute(_REPORTED, which).all()
    found = [_of_run(row) for row in runs]
    scored = {record.run_uid for record in found}
    found += [_as_reported(row) for row in stated if row.run_uid not in scored]
    return sorted(found, key=lambda record: record.dated_on or _LAST)


def _of_run(row: sa.Row[*tuple[Any, ...]]) -> DatedScoreRecord:
    return DatedScoreRecord(
        system=row.name,
        system_uid=row.uid,
        value=row.value,
        dated_on=row.evaluated_on,
        kind="run",
        run_uid=row.run_uid,
        reported_uid=None,
        label=row.label,
        source="",
        stderr=None,
        n_items=row.n_items,
        is_complete=row.complete,
    )


def _as_reported(row: sa.Row[*tuple[Any, ...]]) -> DatedScoreRecord:
    return DatedScoreRecord(
        system=row.name,
        system_uid=row.uid,
        value=row.value,
        dated_on=row.reported_on or row.evaluated_on,
        kind="reported",
        run_uid=row.run_uid,
        reported_uid=row.reported_uid,
        label=row.label or "",
        source=row.source,
        stderr=row.stderr,
        n_items=row.n_items,
        is_complete=row.complete is not False,
    )
