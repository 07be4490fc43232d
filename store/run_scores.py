"""All scores of runs, one run after the other: for exports, and for the page of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
import sqlalchemy as sa

from store import vectors
from store.damage import are_sound
from store.engine import Store
from store.importers.kinds import FloatArray, StatusArray
from store.lookup import find_ids
from store.models import Dataset, Metric, Run, ScoreVector, StatusVector
from store.records import RunRecord

_TOGETHER = 1_000_000
"""Scores that are read at once, unless a run alone has more."""
_MOST_RUNS = 500


class RunScores(NamedTuple):
    """The scores and statuses of one run in item order."""

    metric_uid: str
    trial: int
    scores: FloatArray
    """Shape (n_items, n_components), padded to the dataset's present length."""
    item_values: FloatArray
    """Shape (n_items,): one number per item, NaN where there is none."""
    status: StatusArray
    """Shape (n_items,)."""


_THOSE_RUNS: sa.BindParameter[int] = sa.bindparam("run_ids", expanding=True)
_RUN_SIZES = (
    sa.select(Run.id, Dataset.n_items)
    .join(Dataset, Run.dataset_id == Dataset.id)
    .where(Run.id.in_(_THOSE_RUNS))
)
_STATUSES_OF_RUNS = sa.select(StatusVector.run_id, StatusVector.trial, StatusVector.data).where(
    StatusVector.run_id.in_(_THOSE_RUNS)
)
_ALL_OF_RUNS = (
    sa.select(
        ScoreVector.run_id,
        Metric.uid,
        Metric.aggregation,
        ScoreVector.trial,
        ScoreVector.id,
        ScoreVector.data,
        ScoreVector.digest,
        ScoreVector.n_components,
    )
    .join(Metric, Metric.id == ScoreVector.metric_id)
    .where(ScoreVector.run_id.in_(_THOSE_RUNS))
    .order_by(ScoreVector.run_id, ScoreVector.metric_id, ScoreVector.trial)
)


def load_run_scores(store: Store, run_uid: str) -> list[RunScores]:
    """Return every vector of a run, by metric and trial."""
    (found,) = load_scores_of_runs(store, [run_uid])
    return found


def load_scores_of_runs(store: Store, run_uids: Sequence[str]) -> list[list[RunScores]]:
    """Return every vector of some runs, those of each by metric and trial, from few questions."""
    with store.read() as connection:
        run_ids = find_ids(connection, "run", run_uids)
        which = {"run_ids": run_ids}
        sizes = {row.id: row.n_items for row in connection.execute(_RUN_SIZES, which)}
        statuses = {
            (run_id, trial): vectors.decode_status(data)
            for run_id, trial, data in connection.execute(_STATUSES_OF_RUNS, which)
        }
        loaded: dict[int, list[RunScores]] = {run_id: [] for run_id in run_ids}
        rows = connection.execute(_ALL_OF_RUNS, which).all()
        sound = are_sound(connection, [(row.id, row.data, row.digest) for row in rows])
        for run_id, uid, aggregation, trial, _, data, _, n_components in compress(rows, sound):
            scores = vectors.pad(vectors.decode(data, n_components), sizes[run_id])
            status = np.full(sizes[run_id], 1, np.uint8)  # NOT_ATTEMPTED
            stored = statuses.get((run_id, trial), np.empty(0, np.uint8))
            status[: len(stored)] = stored
            values = vectors.item_values(scores, aggregation)
            loaded[run_id].append(RunScores(uid, trial, scores, values, status))
        return [loaded[run_id] for run_id in run_ids]


def scores_in_turn(
    store: Store, runs: Sequence[RunRecord]
) -> Iterator[tuple[RunRecord, list[RunScores]]]:
    """Yield each run with every vector of it; short ones are read together."""
    start, n_scores = 0, 0
    for end, run in enumerate([*runs, None]):
        n_more = 0 if run is None else run.n_items * len(run.vectors)
        is_full = n_scores + n_more > _TOGETHER or end - start == _MOST_RUNS
        if end > start and (run is None or is_full):
            part = runs[start:end]
            yield from zip(part, load_scores_of_runs(store, [r.uid for r in part]), strict=True)
            start, n_scores = end, 0
        n_scores += n_more
