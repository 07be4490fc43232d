"""The tables of the page *Across datasets*."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from analysis import numbers
from analysis.statistics import Replicability
from analysis.studies.evidence import DatasetEvidence
from analysis.studies.replicability import ReplicabilityStudy
from dashboard.charts import Evidence
from dashboard.ui.tables import Column, show_table

_ESTIMATORS = {
    "fisher": ("Fisher", "independence"),
    "bonferroni": ("Bonferroni", "nothing"),
    "simes": ("Simes", "positive dependence"),
    "stouffer": ("Stouffer", "independence; is 0 beside a p of 1"),
    "count": ("Count of p ≤ α", "nothing; promises nothing"),
}


def count_table(study: ReplicabilityStudy, directions: Mapping[str, Replicability]) -> None:
    """Show every estimator's count in every direction, the recommended one first."""
    first = study.recommended.estimator
    order = [first, *(name for name in _ESTIMATORS if name != first)]
    frame = pd.DataFrame(
        [
            {
                "estimator": _ESTIMATORS[name][0] + (" (recommended)" if name == first else ""),
                **{title: getattr(result, f"k_{name}") for title, result in directions.items()},
                "assumes": _ESTIMATORS[name][1],
            }
            for name in order
        ]
    )
    columns = {
        "estimator": Column("Estimator", pinned=True),
        **{title: Column(title, "count") for title in directions},
        "assumes": Column("Assumes about the datasets"),
    }
    show_table(frame, key="counts", columns=columns, filename="counts", noun="estimator")


def evidence_frame(study: ReplicabilityStudy) -> pd.DataFrame:
    """Return one row per dataset: scores, difference, p-values, what each method identifies."""
    frame = pd.DataFrame(
        [
            {
                "dataset": e.dataset,
                "score_a": e.score_a,
                "score_b": e.score_b,
                "difference": e.difference,
                "favours": e.favours or "",
                "pvalue": e.pvalue,
                "pvalue_a_over_b": e.pvalue_a_over_b,
                "pvalue_b_over_a": e.pvalue_b_over_a,
                "printed": e.printed,
                "n_items": e.n_items if study.basis == "items" else None,
                "n_missing": e.n_missing if study.basis == "items" else None,
                "test": e.test,
                "sidedness": e.sidedness,
                "not_testable": e.not_testable,
                "source": e.source,
            }
            for e in study.datasets
        ]
    )
    for method, chosen in study.undirected.identified.items():
        frame[method] = ["yes" if yes else "" for yes in chosen]
    frame["p"] = [numbers.pvalue(e.pvalue) if not e.not_testable else "" for e in study.datasets]
    frame["evidence"] = [
        _evidence(e, yes == "yes", study.alpha)
        for e, yes in zip(study.datasets, frame["holm"], strict=True)
    ]
    return frame


def evidence_table(study: ReplicabilityStudy, frame: pd.DataFrame) -> None:
    """Show the datasets with scores and p-values; more columns can be chosen."""
    from_items = study.basis == "items"
    columns: dict[str, Column] = {
        "dataset": Column("Dataset", pinned=True),
        "score_a": Column(study.system_a, "number", decimals=_places(study)),
        "score_b": Column(study.system_b, "number", decimals=_places(study)),
        "difference": Column("Difference", "difference", decimals=_places(study)),
        "favours": Column("Scores better"),
        "pvalue": Column("p", "pvalue", help="Two-sided, or as the source states it"),
        "holm": Column("Holm", help="Identified with family-wise error at most α, any dependence"),
        "pvalue_a_over_b": Column(f"p, {study.system_a} over", "pvalue"),
        "pvalue_b_over_a": Column(f"p, {study.system_b} over", "pvalue"),
        "n_items": Column("Items", "count", shown=from_items),
        "n_missing": Column("Missing", "count", shown=from_items),
        "test": Column("Test", shown=from_items),
        "bonferroni": Column("Bonferroni", shown=False),
        "hochberg": Column("Hochberg", shown=False, help="Assumes positive dependence"),
        "hommel": Column("Hommel", shown=False, help="Assumes positive dependence"),
        "bh": Column("BH", shown=False, help="False discovery rate, positive dependence"),
        "by": Column("BY", shown=False, help="False discovery rate, any dependence"),
        "printed": Column("p as printed", shown=False),
        "sidedness": Column("Sidedness", shown=False),
        "source": Column("Source", shown=False),
    }
    show_table(
        frame.drop(columns=["p", "evidence"]),
        key="evidence",
        columns=columns,
        filename=f"{study.system_a}_{study.system_b}_across_datasets",
        noun="dataset",
    )


def _places(study: ReplicabilityStudy) -> int:
    largest = max((abs(e.score_a) for e in study.datasets if not math.isnan(e.score_a)), default=1)
    return 2 if largest > 1.5 else 4


def _evidence(evidence: DatasetEvidence, identified: bool, alpha: float) -> Evidence | Any:
    if evidence.not_testable or math.isnan(evidence.pvalue):
        return "not testable"
    if identified:
        return "identified"
    return "small p" if evidence.pvalue <= alpha else "cannot tell"
