"""The tables of metrics against humans over several datasets."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from analysis.answer_table import AnswerTable
from analysis.columns import Column, with_interval
from analysis.statistics.boards.groups import shorten_letters
from analysis.studies.humans.correlations.settings import COEFFICIENTS_IN_WORDS
from analysis.studies.humans.metric_names import bare_names
from analysis.studies.humans.over_datasets.marks import BETTER, WORSE
from analysis.studies.humans.over_datasets.result import OverResult
from analysis.studies.humans.over_datasets.words import mean_test_in_words

PLACES: Final = 3
"""Decimals of coefficients and means."""


def metrics(study: OverResult) -> AnswerTable:
    """Return a row per metric: means, how often it differs, and every dataset's coefficient."""
    names = bare_names(study.metrics)
    reference = names[study.reference]
    against = f"Datasets, α = {study.alpha:g}, corrected on each"
    rows: list[dict[str, Any]] = []
    for i, metric in enumerate(study.metrics):
        own = dict(zip(_columns_of_datasets(study), map(float, study.values[i]), strict=True))
        rows.append(
            {
                "name": names[metric],
                "metric": metric,
                "mean": float(study.mean[i]),
                "low": float(study.mean_low[i]),
                "high": float(study.mean_high[i]),
                "by_units": float(study.mean_by_units[i]),
                "group": shorten_letters(study.groups[i]),
                "p": float(study.pvalue_vs_reference[i]),
                "n_datasets": int((~np.isnan(study.values[i])).sum()),
                "n_better": int((study.differs[i] == BETTER).sum()),
                "n_worse": int((study.differs[i] == WORSE).sum()),
                **own,
            }
        )
    mean = Column("mean", "number", decimals=PLACES, help=mean_test_in_words(study))
    differs = (study.differs == BETTER) | (study.differs == WORSE)
    return AnswerTable(
        name="metrics_over",
        noun="metric",
        columns={
            "name": Column("metric", pinned=True),
            "metric": Column("full name").when(False),
            **with_interval("mean", mean, "low", "high"),
            "by_units": Column(
                "by units", "number", decimals=PLACES, help="Larger datasets count more"
            ),
            "group": Column("group", help="Who shares a letter cannot be separated on the mean"),
            "p": Column(
                f"p, {reference}", "pvalue", help=f"Of the means; corrected, α = {study.alpha:g}"
            ),
            "n_datasets": Column("datasets", "count"),
            "n_better": Column(f"Better than {reference}", "count", help=against),
            "n_worse": Column(f"Worse than {reference}", "count", help=against),
            **{
                name: Column(label, "number", decimals=PLACES, shown=False, is_name=True)
                for name, label in _columns_of_datasets(study).items()
            },
        },
        rows=rows,
        caption=f"{COEFFICIENTS_IN_WORDS[study.coefficient]} with '{study.gold}'",
        strong=f"differs from {study.reference} on that dataset",
        stands_out={
            name: np.flatnonzero(differs[:, k])
            for k, name in enumerate(_columns_of_datasets(study))
        },
    )


def _columns_of_datasets(study: OverResult) -> dict[str, str]:
    return {f"on {label}": label for label in study.dataset_labels}


def datasets(study: OverResult) -> AnswerTable:
    """Return a row per dataset: its best metric, and how many cannot be told from it."""
    rows: list[dict[str, Any]] = []
    for one, human in zip(study.studies, study.human_lines, strict=True):
        best = one.rows[0]
        rows.append(
            {
                "dataset": one.dataset.label,
                "best": best.metric,
                "value": best.coefficient,
                "low": best.ci[0],
                "high": best.ci[1],
                "n_alike": sum(row.versus_best == "undecided" for row in one.rows),
                "human": human,
                "n_metrics": len(one.rows),
                "n_systems": one.n_systems,
                "n_items": None if one.kind == "reported" else one.n_items,
            }
        )
    value = Column(COEFFICIENTS_IN_WORDS[study.coefficient], "number", decimals=PLACES)
    return AnswerTable(
        name="datasets_over",
        noun="dataset",
        columns={
            "dataset": Column("dataset", pinned=True),
            "best": Column("best metric"),
            **with_interval("value", value, "low", "high"),
            "n_alike": Column("not separated from it", "count"),
            "human": Column(
                "one annotator", "number", decimals=PLACES, help="Against the others"
            ).when(bool(np.isfinite(study.human_lines).any())),
            "n_metrics": Column("metrics", "count"),
            "n_systems": Column("systems", "count"),
            "n_items": Column("items", "count"),
        },
        rows=rows,
        caption="Dataset by dataset",
    )
