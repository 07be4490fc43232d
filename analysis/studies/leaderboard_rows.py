"""The rows of a leaderboard, from item scores and from reports, in the order of the scores."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from analysis.statistics._typing import BoolArray
from analysis.statistics.precision import without_rounding
from analysis.studies.coverage import Coverage, coverage_of, runs_by_system
from analysis.studies.leaderboard_comparable import Comparable
from store import vectors
from store.records import MetricRecord, ReportedScoreRecord, RunRecord, ScoreMatrix


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
    """By which it is ranked: comparable where systems have different items."""
    score_own: float
    """The metric on the system's own items."""
    score_comparable: float | None
    """`score`; ``None`` where nothing makes the scores comparable, and for reported ones."""
    bounds: tuple[float, float] | None
    """Where the score lies whatever the missing items would have brought; ``None`` where none are
    missing, and for metrics that are no means."""
    score_on_shared: float | None
    """The metric on the items that every system with item scores was scored on; ``None`` when
    that is all items."""
    basis: Literal["items", "reported"]
    n_items: int
    """Items of the dataset; for a reported score the number stated, 0 when it is not."""
    n_scored: int
    n_missing: int
    n_lost: int
    """Scores that are missing in single runs or trials, of items that others of them scored."""
    n_by_rule: int
    """Scores that a rule gave where there was no answer to score."""
    n_crashed: int
    """Attempts, over runs and trials, at which the system or the harness failed."""
    n_timed_out: int
    n_judge_failed: int
    n_unscored: int
    n_runs: int
    run_scores: tuple[float, ...]
    """The metric of each run and trial by itself."""
    run_std: float | None
    """Standard deviation between runs; ``None`` with fewer than two."""
    source: str
    """Citation of a reported score."""
    ci: tuple[float, float] | None
    """Interval of the score by itself; ``None`` where there is none, as for a reported score."""
    rank_interval: tuple[int, int] | None
    """Ranks that the comparison of all pairs leaves open; ``None`` without item scores."""
    group: str | None
    """Letters: systems that share one cannot be told apart, and those that share none can."""
    p_best: float | None
    """Share of resamples, of the items that all share, in which the system comes first."""
    may_be_best: bool | None
    """Whether no system is better beyond doubt; ``None`` without item scores."""


_UNCOUNTED: dict[str, Any] = dict.fromkeys(Coverage._fields, 0)
_UNTESTED: dict[str, Any] = dict.fromkeys(("ci", "rank_interval", "group", "p_best", "may_be_best"))


def rows_from_items(
    matrix: ScoreMatrix,
    scored: BoolArray,
    shared: BoolArray,
    comparable: Comparable,
    own: Sequence[float],
    runs: list[RunRecord],
) -> list[LeaderboardRow]:
    """Return a row per system with item scores, in the order of the matrix."""
    aggregation = matrix.metric.aggregation
    n_items = matrix.dataset.n_items
    rows, of_system = [], runs_by_system(runs)
    for i, (system, uid) in enumerate(zip(matrix.systems, matrix.system_uids, strict=True)):
        n_scored = int(scored[i].sum())
        own_runs = [
            [v.value for v in run.vectors if v.metric_uid == matrix.metric.uid]
            for run in reversed(of_system[uid])  # the oldest first
        ]
        values = tuple(v for run in own_runs for v in run if v is not None)
        coverage = coverage_of(matrix, n_scored, of_system[uid])
        on_shared = vectors.aggregate(matrix.scores[i][shared], aggregation)
        rows.append(
            LeaderboardRow(
                system=system,
                label=system,
                system_uid=uid,
                rank=0,
                score=comparable.scores[i],
                score_own=own[i],
                score_comparable=None
                if comparable.way == "none" or math.isnan(comparable.scores[i])
                else comparable.scores[i],
                bounds=comparable.bounds[i],
                score_on_shared=None if shared.all() or math.isnan(on_shared) else on_shared,
                basis="items",
                n_items=n_items,
                n_scored=n_scored,
                n_missing=n_items - n_scored,
                **coverage._asdict(),
                n_runs=sum(bool(run) for run in own_runs),
                run_scores=values,
                run_std=float(np.std(values, ddof=1)) if len(values) > 1 else None,
                source="",
                **_UNTESTED,
            )
        )
    return rows


def rows_from_reports(
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
            score_own=report.value,
            score_comparable=None,
            bounds=None,
            score_on_shared=None,
            basis="reported",
            n_items=report.n_items or 0,
            n_scored=report.n_items or 0,
            n_missing=0,
            **_UNCOUNTED,
            n_runs=0,
            run_scores=(),
            run_std=None,
            source=report.source,
            **_UNTESTED,
        )
        for report in reports
        if report.system_uid not in with_items
    ]


def rank_rows(rows: list[LeaderboardRow], metric: MetricRecord) -> list[LeaderboardRow]:
    """Return the rows by score, the best first, with ranks; undefined scores come last."""

    def key(row: LeaderboardRow) -> tuple[bool, float, str]:
        undefined = math.isnan(row.score)
        return (undefined, 0.0 if undefined else -metric.sign * row.score, row.system.casefold())

    ordered = sorted(rows, key=key)
    ranked: list[LeaderboardRow] = []
    for position, row in enumerate(ordered, start=1):
        ties = ranked and not without_rounding(ranked[-1].score, row.score)
        ranked.append(replace(row, rank=ranked[-1].rank if ties else position))
    return ranked
