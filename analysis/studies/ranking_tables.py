"""The tables of a ranking over datasets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from analysis import numbers
from analysis.answer_table import AnswerTable
from analysis.columns import Column, Value, with_interval
from analysis.statistics._typing import FloatArray
from analysis.statistics.across.aggregates import Aggregates, AggregateSet
from analysis.statistics.across.drawn_ranks import doubled_ranks
from analysis.studies.ranking_result import Bars, RankingResult
from analysis.studies.ranking_words import NEMENYI, STEPWISE, WILCOXON

SUMMARIES: Final[Mapping[str, str]] = {
    "mean": "macro mean",
    "median": "median",
    "iqm": "IQM",
    "optimality_gap": "optimality gap",
}
"""Aggregates that weigh every dataset alike."""


def bars_by(study: RankingResult) -> dict[str, Bars]:
    """Return the bars by each test that there is."""
    found = {
        WILCOXON: study.bars,
        STEPWISE: study.stepwise_bars,
        NEMENYI: study.nemenyi_bars,
    }
    return {rule: bars for rule, bars in found.items() if bars is not None}


def _pvalues_by(study: RankingResult, rule: str) -> FloatArray:
    """Return the p-values of pairs by one of the tests, adjusted for all pairs."""
    if rule == NEMENYI and study.nemenyi is not None:
        return study.nemenyi.pvalue
    if rule == STEPWISE and study.stepwise is not None:
        return study.stepwise.pvalue
    return study.pairs.pvalue_adjusted


def ranks(study: RankingResult, rule: str) -> AnswerTable:
    """Return a row per system, the best mean rank first, with p by one of `bars_by`."""
    place = 1 + np.searchsorted(np.sort(study.mean_ranks), study.mean_ranks)
    against_first = _pvalues_by(study, rule)[0]
    met = study.pairs.n_datasets[0] > 0
    alike = [0, *np.flatnonzero(met & (against_first > study.alpha)).tolist()]
    return AnswerTable(
        name="rank_table",
        noun="system",
        columns={
            "place": Column("place", "count", help="By mean rank", in_report=False),
            "system": Column("system", pinned=True),
            **with_interval(
                "mean_rank", Column("mean rank", "number", decimals=2), "rank_low", "rank_high"
            ),
            "against_first": Column(
                "p against the first", "pvalue", help=f"{rule}: adjusted for all pairs"
            ),
            "n_datasets": Column("datasets", "count"),
            "n_missing": Column("missing", "count").when(not study.complete),
        },
        rows=[
            {
                "place": int(place[i]),
                "system": study.systems[i],
                "system_uid": study.system_uids[i],
                "mean_rank": float(study.mean_ranks[i]),
                "rank_low": float(study.rank_low[i]),
                "rank_high": float(study.rank_high[i]),
                "against_first": float(against_first[i]),
                "n_datasets": int(study.n_datasets[i]),
                "n_missing": len(study.datasets) - int(study.n_datasets[i]),
            }
            for i in range(len(study.systems))
        ],
        caption=f"Mean ranks over {len(study.datasets)} datasets, {study.metric.label}; 1 is best",
        strong=f"{rule} over datasets does not tell it apart from the first",
        stands_out={"system": alike},
    )


def aggregates(study: RankingResult, figures: Aggregates | AggregateSet) -> AnswerTable:
    """Return a row per system: every aggregate with its interval."""
    is_own = figures is study.aggregates
    digits, bounds = places(study), study.aggregates.mean_bounds
    level = numbers.confidence(study.alpha)
    has_interval = bool(np.isfinite(study.aggregates.mean.low).any())
    has_bounds = is_own and not study.complete
    titles = dict(SUMMARIES)
    if np.isfinite(study.aggregates.micro.value).any():
        titles["micro"] = "micro mean"
    columns = {"system": Column("system", pinned=True)}
    hidden = {}
    for name, title in titles.items():
        ends = (f"{name}_low", f"{name}_high")
        columns[name] = Column(
            title,
            "number",
            decimals=digits,
            ends=ends if has_interval else None,
            help=f"With its {level} interval" if has_interval else None,
        )
        for end, side in zip(ends, ("from", "to"), strict=True):
            hidden[end] = Column(f"{title} {side}", "number", decimals=digits).when(False)
    columns |= {
        "mean_bounds": Column(
            "bounds of the macro mean",
            decimals=digits,
            shown=has_bounds,
            in_report=has_bounds,
            help="With the worst, and with the best possible score wherever one is missing",
        ),
        "n_datasets": Column("datasets", "count").when(has_bounds),
        **hidden,
    }
    rows: list[dict[str, Value]] = []
    for i, system in enumerate(study.systems):
        row: dict[str, Value] = {"system": system, "n_datasets": int(study.n_datasets[i])}
        for name in titles:
            value, low, high = getattr(figures, name)
            row |= {
                name: float(value[i]),
                f"{name}_low": float(low[i]),
                f"{name}_high": float(high[i]),
            }
        rows.append(row | {"mean_bounds": (float(bounds.low[i]), float(bounds.high[i]))})
    return AnswerTable(
        name="aggregates_table",
        noun="system",
        columns=columns,
        rows=rows,
        caption=f"Aggregates over datasets, {study.metric.label}",
        notes=_about_aggregates(study, is_own),
    )


def _about_aggregates(study: RankingResult, is_own: bool) -> list[str]:
    n, n_common = len(study.datasets), int(study.aggregates.common_datasets.sum())
    told = []
    if study.complete:
        told.append(f"Over {numbers.counted(n, 'dataset')}.")
    elif is_own:
        told.append("Over the datasets that each system has: not to be compared where they differ.")
    else:
        told.append(f"Over the {n_common} of {n} datasets on which every system has a score.")
    told.append(
        "The macro mean and the others weigh every dataset alike. IQM: mean of the middle half. "
        f"Optimality gap: mean shortfall from {study.target:.4g}; low is good."
    )
    if np.isfinite(study.aggregates.micro.value).any():
        told.append("The micro mean weighs every item alike.")
    if np.isfinite(study.aggregates.mean.low).any():
        told.append(
            f"Intervals at {numbers.confidence(study.alpha)} by drawing the items of each dataset "
            "anew: they speak of these datasets, not of others."
        )
    return told


def scores(study: RankingResult) -> AnswerTable:
    """Return a row per dataset and a column per system."""
    oriented = study.metric.sign * study.scores
    best = oriented == np.nanmax(oriented, axis=0)
    has_items = bool(study.n_items.any())
    columns = {
        "dataset": Column("dataset", pinned=True),
        "n_items": Column("items", "count").when(has_items),
    }
    columns |= {
        name: Column(name, "number", decimals=score_places(study), is_name=True)
        for name in study.systems
    }
    return AnswerTable(
        name="scores",
        noun="dataset",
        columns=columns,
        rows=[
            {
                "dataset": dataset,
                "n_items": int(study.n_items[j]),
                **dict(zip(study.systems, map(float, study.scores[:, j]), strict=True)),
            }
            for j, dataset in enumerate(study.datasets)
        ],
        caption=f"{study.metric.label} on each dataset",
        strong="best on the dataset",
        stands_out={name: np.flatnonzero(best[i]) for i, name in enumerate(study.systems)},
    )


def pairs(study: RankingResult, rule: str) -> AnswerTable:
    """Return a row per pair, its verdict by one of `bars_by`; differences on the metric's scale."""
    found, better = study.pairs, study.improvement
    adjusted = _pvalues_by(study, rule)
    ahead = _ahead(study, rule)
    sign, has_items = study.metric.sign, has_intervals(study)
    rows: list[dict[str, Value]] = []
    at = list(zip(*np.triu_indices(len(study.systems), 1), strict=True))
    for i, j in at:
        verdict = "cannot tell" if found.n_datasets[i, j] else "not comparable"
        if adjusted[i, j] <= study.alpha:
            verdict = "better" if ahead[i, j] else "worse"
        rows.append(
            {
                "a": study.systems[i],
                "b": study.systems[j],
                "verdict": verdict,
                "wins": int(found.wins[i, j]),
                "ties": int(found.ties[i, j]),
                "losses": int(found.losses[i, j]),
                "n_datasets": int(found.n_datasets[i, j]),
                "mean_difference": float(sign * found.mean_difference[i, j]),
                "pvalue": float(found.pvalue[i, j]),
                "pvalue_adjusted": float(adjusted[i, j]),
                "improvement": float(better.value[i, j]),
                "improvement_low": float(better.low[i, j]),
                "improvement_high": float(better.high[i, j]),
            }
        )
    ends = ("improvement_low", "improvement_high")
    return AnswerTable(
        name="pairs",
        noun="pair",
        columns={
            "a": Column("A", pinned=True),
            "b": Column("B"),
            "verdict": Column("A is", help=f"{rule}, α = {study.alpha:g}"),
            "wins": Column(
                "wins",
                "count",
                help="Datasets on which A scores better; shared items count once",
            ),
            "ties": Column("ties", "count"),
            "losses": Column("losses", "count"),
            "mean_difference": Column(
                "mean difference", "difference", decimals=places(study), help="A minus B"
            ),
            "pvalue": Column("p", "pvalue", shown=False),
            "pvalue_adjusted": Column("adjusted p", "pvalue", help=rule),
            "improvement": Column("improvement", "share", ends=ends if has_items else None),
            **{
                end: Column(side, "share").when(False)
                for end, side in zip(ends, ("from", "to"), strict=True)
            },
        },
        rows=rows,
        caption=f"Every pair over datasets, {rule}",
        strong=f"the pair differs at α = {study.alpha:g}",
        stands_out={
            "pvalue_adjusted": [k for k, (i, j) in enumerate(at) if adjusted[i, j] <= study.alpha]
        },
    )


def _ahead(study: RankingResult, rule: str) -> np.ndarray:
    """Return whom a test favours, row over column; of Wilcoxon's in rows where a pair differs."""
    if rule == NEMENYI:
        return np.asarray(study.mean_ranks[:, np.newaxis] < study.mean_ranks)
    if rule == STEPWISE:
        return np.asarray(study.pairs.wins > study.pairs.losses)
    scores = study.metric.sign * study.scores
    ahead = np.zeros((len(scores), len(scores)), dtype=np.bool_)
    for i in np.flatnonzero((_pvalues_by(study, rule) <= study.alpha).any(axis=1)):
        gains = scores[i] - scores
        ranks = doubled_ranks(-np.abs(np.where(gains == 0, np.nan, gains)))
        ahead[i] = np.sum(ranks * (gains > 0), axis=1) > np.sum(ranks * (gains < 0), axis=1)
    return ahead


def places(study: RankingResult) -> int:
    """Return the decimals of means: what their intervals support, else one more than scores."""
    half_widths = _half_widths(study)
    if half_widths.size:
        return numbers.decimals(half_width=float(np.median(half_widths)))
    return score_places(study) + 1


def score_places(study: RankingResult) -> int:
    """Return the decimals of scores: of figures those they were stated with, at most three."""
    if has_intervals(study) and _half_widths(study).size:
        return places(study)
    known = study.scores[np.isfinite(study.scores)]
    return next((d for d in range(3) if np.allclose(known, known.round(d), rtol=0, atol=1e-9)), 3)


def _half_widths(study: RankingResult) -> FloatArray:
    mean = study.aggregates.mean
    half_widths = (mean.high - mean.low) / 2
    return np.asarray(half_widths[np.isfinite(half_widths) & (half_widths > 0)])


def has_intervals(study: RankingResult) -> bool:
    """Whether there are items to draw anew."""
    return bool(np.isfinite(study.rank_low).any())
