"""Which systems score how much on a dataset, on how many items, in how many runs.

The order is the order of the scores, nothing more: whether neighbours really differ is another
question, and the sentence says so.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from analysis.statistics import BoolArray
from analysis.statistics.signature import build_signature
from analysis.studies.study import Study, count, listed
from store import vectors
from store.arrays import load_matrix
from store.datasets import get_dataset
from store.engine import Store
from store.errors import NotFoundError
from store.metrics import get_metric, list_metrics
from store.records import DatasetRecord, MetricRecord, ReportedScoreRecord, RunRecord, ScoreMatrix
from store.reported import list_reported_scores
from store.runs import list_runs


@dataclass(frozen=True, slots=True, eq=False)
class LeaderboardRow:
    """One system on one dataset and metric."""

    system: str
    label: str
    """The system's name; with run or source where several figures of it are reported."""
    system_uid: str
    rank: int
    """1 is best; equal scores share a rank."""
    score: float
    score_on_shared: float | None
    """The metric on the items that every system with item scores was scored on; ``None`` when
    that is all items."""
    basis: Literal["items", "reported"]
    n_items: int
    """Items of the dataset; for a reported score the number stated, 0 when it is not."""
    n_scored: int
    n_missing: int
    n_runs: int
    run_scores: tuple[float, ...]
    """The metric of each run and trial by itself."""
    run_std: float | None
    """Standard deviation between runs; ``None`` with fewer than two."""
    source: str
    """Citation of a reported score."""


@dataclass(frozen=True, slots=True, eq=False)
class Leaderboard(Study):
    """The systems of a dataset on a metric, the best first."""

    dataset: DatasetRecord
    metric: MetricRecord
    metrics: tuple[MetricRecord, ...]
    """All metrics with scores on this dataset, the most used first."""
    rows: tuple[LeaderboardRow, ...]
    n_shared: int
    """Items that every system with item scores was scored on."""


def study_leaderboard(store: Store, dataset: str, *, metric: str | None = None) -> Leaderboard:
    """Return the leaderboard of a dataset.

    Parameters
    ----------
    store
        Where from.
    dataset, metric
        Uid or name; by default the metric with most scores on the dataset.

    Raises
    ------
    NotFoundError
        No such dataset or metric, or the dataset has no scores.
    """
    chosen = get_dataset(store, dataset)
    available = list_metrics(store, dataset_uid=chosen.uid)
    if not available:
        raise NotFoundError(f"The store has no scores on '{chosen.label}' yet.")
    measure = available[0] if metric is None else get_metric(store, metric)
    if measure.uid not in {m.uid for m in available}:
        raise NotFoundError(
            f"The store has no scores on '{chosen.label}' for the metric '{measure.label}'. "
            f"It has {listed([m.label for m in available])}."
        )
    matrix = load_matrix(store, chosen.uid, measure.uid)
    scored = np.asarray(~np.isnan(matrix.scores).any(axis=2))
    shared = np.asarray(scored.all(axis=0)) if len(scored) else np.zeros(chosen.n_items, bool)
    runs = list_runs(store, dataset_uid=chosen.uid)
    rows = [
        *_rows_from_items(matrix, scored, shared, runs),
        *_rows_from_reports(
            list_reported_scores(store, dataset_uid=chosen.uid, metric_uid=measure.uid),
            set(matrix.system_uids),
            runs,
        ),
    ]
    ranked = _rank(rows, measure)
    return Leaderboard(
        sentence=_sentence(ranked, chosen, measure),
        signature=build_signature(
            "leaderboard", dataset=chosen.label, metric=measure.label, store=store.revision()
        ),
        warnings=tuple(_warnings(ranked, matrix, shared)),
        store_revision=store.revision(),
        dataset=chosen,
        metric=measure,
        metrics=tuple(available),
        rows=tuple(ranked),
        n_shared=int(shared.sum()),
    )


def _rows_from_items(
    matrix: ScoreMatrix, scored: BoolArray, shared: BoolArray, runs: list[RunRecord]
) -> list[LeaderboardRow]:
    aggregation = matrix.metric.aggregation
    n_items = matrix.dataset.n_items
    rows = []
    for i, (system, uid) in enumerate(zip(matrix.systems, matrix.system_uids, strict=True)):
        n_scored = int(scored[i].sum())
        own_runs = [
            [v.value for v in run.vectors if v.metric_uid == matrix.metric.uid]
            for run in reversed(runs)  # the oldest first
            if run.system_uid == uid
        ]
        values = tuple(v for run in own_runs for v in run if v is not None)
        on_shared = vectors.aggregate(matrix.scores[i][shared], aggregation)
        rows.append(
            LeaderboardRow(
                system=system,
                label=system,
                system_uid=uid,
                rank=0,
                score=vectors.aggregate(matrix.scores[i], aggregation),
                score_on_shared=None if shared.all() or math.isnan(on_shared) else on_shared,
                basis="items",
                n_items=n_items,
                n_scored=n_scored,
                n_missing=n_items - n_scored,
                n_runs=sum(bool(run) for run in own_runs),
                run_scores=values,
                run_std=float(np.std(values, ddof=1)) if len(values) > 1 else None,
                source="",
            )
        )
    return rows


def _rows_from_reports(
    reports: list[ReportedScoreRecord], with_items: set[str], runs: list[RunRecord]
) -> list[LeaderboardRow]:
    """Return a row per reported score of a system that has no item scores here."""
    figures = Counter(report.system_uid for report in reports)
    run_labels = {run.uid: run.label for run in runs}
    return [
        LeaderboardRow(
            system=report.system,
            label=report.system
            if figures[report.system_uid] == 1
            else f"{report.system}, {run_labels.get(report.run_uid or '') or report.source}",
            system_uid=report.system_uid,
            rank=0,
            score=report.value,
            score_on_shared=None,
            basis="reported",
            n_items=report.n_items or 0,
            n_scored=report.n_items or 0,
            n_missing=0,
            n_runs=0,
            run_scores=(),
            run_std=None,
            source=report.source,
        )
        for report in reports
        if report.system_uid not in with_items
    ]


def _rank(rows: list[LeaderboardRow], metric: MetricRecord) -> list[LeaderboardRow]:
    """Return the rows by score, the best first, with ranks; undefined scores come last."""

    def key(row: LeaderboardRow) -> tuple[bool, float, str]:
        undefined = math.isnan(row.score)
        return (undefined, 0.0 if undefined else -metric.sign * row.score, row.system.casefold())

    ordered = sorted(rows, key=key)
    ranked: list[LeaderboardRow] = []
    for position, row in enumerate(ordered, start=1):
        ties = ranked and math.isclose(ranked[-1].score, row.score, rel_tol=1e-12)
        ranked.append(replace(row, rank=ranked[-1].rank if ties else position))
    return ranked


def _sentence(rows: list[LeaderboardRow], dataset: DatasetRecord, metric: MetricRecord) -> str:
    defined = [row for row in rows if not math.isnan(row.score)]
    if not defined:
        return f"'{metric.label}' is not defined for any system on {dataset.label}."
    first = [row.label for row in defined if row.rank == 1]
    verb = "leads" if len(first) == 1 else "lead"
    sentence = f"{listed(first)} {verb} on {dataset.label} with {metric.label}"
    sentence += f" {defined[0].score:.4g}" + (
        "" if metric.higher_is_better else " (lower is better)"
    )
    n_scored = min(row.n_scored for row in defined if row.rank == 1)
    sentence += f" over {count(n_scored, 'item')}" if n_scored else " as reported"
    others = len({row.system for row in defined if row.rank > 1})
    if not others:
        return sentence + "."
    sentence += f"; {count(others, 'system')} {'follows' if others == 1 else 'follow'}."
    if len({row.n_scored for row in defined if row.basis == "items"}) > 1:
        sentence += " Not all were scored on the same items."
    return sentence + " Order is not evidence: neighbours may well be tied."


def _warnings(rows: list[LeaderboardRow], matrix: ScoreMatrix, shared: BoolArray) -> list[str]:
    warnings = []
    from_items = [row for row in rows if row.basis == "items"]
    partial = [row for row in from_items if row.n_missing]
    if partial and len(from_items) > 1:
        warnings.append(
            f"Unequal coverage: {listed([row.system for row in partial], most=4)} "
            f"{'was' if len(partial) == 1 else 'were'} not scored on all "
            f"{count(matrix.dataset.n_items, 'item')}. Scores over different items cannot be "
            f"compared; 'on shared items' uses the {int(shared.sum()):,} that all were scored on."
        )
    if from_items and len(from_items) < len(rows):
        warnings.append(
            "Some scores are as reported, without item scores: they cannot be tested here."
        )
    runs = {row.n_runs for row in from_items}
    if len(runs) > 1:
        warnings.append(
            f"Systems have between {min(runs)} and {max(runs)} runs; a score is the mean over a "
            "system's runs, item by item."
        )
    undefined = [row.system for row in rows if math.isnan(row.score)]
    if undefined:
        warnings.append(f"Not defined for {listed(undefined)}: no item was scored.")
    return warnings
