"""What to write down about a ranking over datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from analysis import numbers
from analysis.numbers import counted
from analysis.report import Cell, Column, Report, Strong, Table
from analysis.statistics.across.resampled_datasets import Estimate
from analysis.studies.ranking_words import name_of

if TYPE_CHECKING:
    from analysis.studies.ranking import RankingStudy


def ranking_report(study: RankingStudy) -> Report:
    """Return the tables of a ranking: ranks, aggregates, scores, pairs."""
    return Report(
        title=f"Ranking over {len(study.datasets)} datasets",
        sentences=tuple(
            filter(None, (study.sentence, rank_test_in_words(study), study.order_note))
        ),
        tables=(_ranks(study), _aggregates(study), _scores(study), _pairs(study)),
        signature=study.signature,
        warnings=study.warnings,
    )


def rank_test_in_words(study: RankingStudy) -> str:
    """Say what the test of all ranks together found."""
    test = study.rank_test
    return (
        f"{name_of(test)} test over {test.n_datasets} datasets: χ² = "
        f"{numbers.fixed(test.statistic, 2)}, {counted(test.df, 'degree')} of freedom, "
        f"p {numbers.relation(test.pvalue)} (by permutation of ranks "
        f"{numbers.relation(test.pvalue_permutation)})."
    )


def _ranks(study: RankingStudy) -> Table:
    rows: list[list[Cell]] = [
        [
            Strong(name) if _stands_with_the_first(study, i) else name,
            float(study.mean_ranks[i]),
            (float(study.rank_low[i]), float(study.rank_high[i])),
            int(study.n_datasets[i]),
        ]
        for i, name in enumerate(study.systems)
    ]
    return Table(
        ("system", Column("mean rank", decimals=2), Column("interval", decimals=2), "datasets"),
        rows,
        caption=f"Mean ranks over {len(study.datasets)} datasets, {study.metric.label}; 1 is best",
        strong=f"{study.rule} over datasets does not tell it apart from the first",
    )


def _stands_with_the_first(study: RankingStudy, i: int) -> bool:
    return i == 0 or bool(study.pairs.n_datasets[0, i] and not study.different[0, i])


def _aggregates(study: RankingStudy) -> Table:
    found = study.aggregates
    kinds = ("mean", "median", "iqm", "optimality_gap")
    titles = ("macro mean", "median", "IQM", f"gap to {study.target:g}")
    estimates = [getattr(found, kind) for kind in kinds]
    columns = ["system"]
    for title in titles:
        columns += [title, f"{title}, interval"]
    if not study.complete:
        estimates.append(found.common.mean)
        columns += ["mean over common", "mean over common, interval", "mean, bounds"]
    has_micro = bool(np.isfinite(found.micro.value).any())
    if has_micro:
        estimates.append(found.micro)
        columns += ["micro mean", "micro mean, interval"]
    rows: list[list[Cell]] = []
    for i, name in enumerate(study.systems):
        row: list[Cell] = [name]
        for place, estimate in enumerate(estimates):
            row += _cells(estimate, i)
            if not study.complete and place == len(kinds):
                row.append((float(found.mean_bounds.low[i]), float(found.mean_bounds.high[i])))
        rows.append(row)
    notes = ["Macro figures weigh every dataset alike, the micro mean every item."]
    if np.isfinite(found.mean.low).any():
        notes.append(
            f"Intervals at {100 * (1 - study.alpha):g} % by drawing the items of each dataset "
            "anew: they speak of these datasets, not of others."
        )
    return Table(
        tuple(columns),
        rows,
        caption=f"Aggregates over datasets, {study.metric.label}",
        notes=tuple(notes),
    )


def _cells(estimate: Estimate, i: int) -> list[float | tuple[float, float]]:
    return [
        float(estimate.value[i]),
        (float(estimate.low[i]), float(estimate.high[i])),
    ]


def _scores(study: RankingStudy) -> Table:
    best = np.nanmax(study.metric.sign * study.scores, axis=0)
    rows: list[list[Cell]] = []
    for j, dataset in enumerate(study.datasets):
        values = [float(v) for v in study.scores[:, j]]
        rows.append(
            [
                dataset,
                *(Strong(v) if study.metric.sign * v == best[j] else v for v in values),
            ]
        )
    return Table(
        ("dataset", *study.systems),
        rows,
        caption=f"{study.metric.label} on each dataset",
        strong="best on the dataset",
    )


def _pairs(study: RankingStudy) -> Table:
    pairs, steps = study.pairs, study.stepwise
    found = pairs.pvalue_adjusted if steps is None else steps.pvalue
    rows: list[list[Cell]] = []
    for i, j in zip(*np.triu_indices(len(study.systems), 1), strict=True):
        adjusted = float(found[i, j])
        rows.append(
            [
                study.systems[i],
                study.systems[j],
                f"{pairs.wins[i, j]}/{pairs.ties[i, j]}/{pairs.losses[i, j]}",
                int(pairs.n_datasets[i, j]),
                float(pairs.pvalue[i, j]),
                Strong(adjusted) if study.different[i, j] else adjusted,
            ]
        )
    return Table(
        (
            "A",
            "B",
            "wins/ties/losses of A",
            "datasets",
            Column("p", "pvalue"),
            Column("adjusted", "pvalue"),
        ),
        rows,
        caption="Wilcoxon's signed-rank test over datasets, "
        + ("corrected by Holm" if steps is None else f"adjusted p by {study.rule}"),
        strong=f"the pair differs at α = {study.alpha:g}",
    )
