"""Two systems on each group of items that a dataset declares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.answer_table import AnswerTable, fields_of
from analysis.columns import Column, with_interval
from analysis.statistics._typing import FloatArray
from analysis.statistics.multiplicity import adjust
from analysis.statistics.paired.inference import infer_pair
from analysis.statistics.validity_bounds import RunSpread
from analysis.studies.pair_analysis import (
    PairAnalysis,
    PairSettings,
    decimals_of,
)
from analysis.studies.run_spread import side_by_side, spread_of
from store import vectors
from store.records import ScoreMatrix


@dataclass(frozen=True, slots=True, eq=False)
class GroupRow:
    """Two systems on one group of items."""

    group: str
    n_items: int
    score_a: float
    score_b: float
    difference: float
    """A minus B on the metric's own scale."""
    ci: tuple[float, float]
    pvalue: float
    pvalue_adjusted: float
    """By Holm over the groups."""
    better: int
    """Items on which A is better; for a metric without item values 0, like the next."""
    worse: int


def groups_table(
    groups: Sequence[GroupRow], analysis: PairAnalysis, system_a: str, system_b: str
) -> AnswerTable:
    """Return a row per group of items that the dataset declares."""
    digits = decimals_of(analysis)
    difference = Column("difference", "difference", decimals=digits)
    alpha = analysis.alpha
    differ = [k for k, row in enumerate(groups) if row.pvalue_adjusted <= alpha]
    return AnswerTable(
        name="groups",
        noun="group",
        columns={
            "group": Column("group", pinned=True),
            "n_items": Column("items", "count"),
            "score_a": Column(system_a, "number", decimals=digits, is_name=True),
            "score_b": Column(system_b, "number", decimals=digits, is_name=True),
            **with_interval("difference", difference, "low", "high"),
            "pvalue": Column("p", "pvalue", shown=False),
            "pvalue_adjusted": Column("p (Holm)", "pvalue", help="Over all groups"),
        },
        rows=[
            {
                **fields_of(row, "group n_items score_a score_b difference pvalue pvalue_adjusted"),
                "low": row.ci[0],
                "high": row.ci[1],
            }
            for row in groups
        ],
        caption="By group of items",
        strong=f"differs at {alpha:g}, by Holm over the groups",
        stands_out={"difference": differ},
    )


def rows_by_group(
    matrix: ScoreMatrix,
    labels: Sequence[str | None],
    repeats: Sequence[FloatArray],
    settings: PairSettings,
) -> tuple[GroupRow, ...]:
    """Return a row per declared group that has items with a score from both systems."""
    scores_a, scores_b = matrix.scores
    aggregation, sign = matrix.metric.aggregation, matrix.metric.sign
    both = vectors.scored(scores_a) & vectors.scored(scores_b)
    members: dict[str, list[int]] = {}
    for position in np.flatnonzero(both):
        label = labels[int(position)]
        if label is not None:
            members.setdefault(label, []).append(int(position))
    if not members or max(map(len, members.values())) == 1:
        return ()
    rows = [
        _group_row(
            name,
            scores_a[at],
            scores_b[at],
            aggregation,
            sign,
            side_by_side(*(spread_of(runs[:, at]) for runs in repeats[::sign]))
            if repeats
            else None,
            matrix.metric.bounds,
            settings,
        )
        for name, at in sorted(members.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    ]
    adjusted = adjust([row.pvalue for row in rows], "holm").pvalues_adjusted
    return tuple(
        GroupRow(
            row.group,
            row.n_items,
            row.score_a,
            row.score_b,
            row.difference,
            row.ci,
            row.pvalue,
            float(p),
            row.better,
            row.worse,
        )
        for row, p in zip(rows, adjusted, strict=True)
    )


def _group_row(
    name: str,
    scores_a: FloatArray,
    scores_b: FloatArray,
    aggregation: Any,
    sign: int,
    runs: RunSpread | None,
    bounds: tuple[float, float] | None,
    settings: PairSettings,
) -> GroupRow:
    first, second = (scores_a, scores_b) if sign > 0 else (scores_b, scores_a)
    inferred = infer_pair(
        first,
        second,
        aggregation=aggregation,
        runs=runs,
        alpha=settings.alpha,
        bounds=bounds,
        n_resamples=settings.n_resamples,
        rng=settings.seed,
    )
    result, interval = inferred.test, inferred.interval
    gains = vectors.item_values(first, aggregation) - vectors.item_values(second, aggregation)
    return GroupRow(
        group=name,
        n_items=len(scores_a),
        score_a=vectors.aggregate(scores_a, aggregation),
        score_b=vectors.aggregate(scores_b, aggregation),
        difference=sign * result.difference,
        ci=(interval.low, interval.high) if sign > 0 else (-interval.high, -interval.low),
        pvalue=result.pvalue,
        pvalue_adjusted=math.nan,
        better=int(np.count_nonzero(gains > 0)),
        worse=int(np.count_nonzero(gains < 0)),
    )
