"""How many pairs have which k̂: a histogram, as Dror et al. 2017 draw their estimates."""

from __future__ import annotations

import numpy as np

from analysis import glossary
from analysis.answer_table import AnswerTable
from analysis.columns import Column, Value
from analysis.studies.dependence import ESTIMATOR_NAMES
from analysis.studies.replicability_matrix_result import ReplicabilityMatrix


def histogram(study: ReplicabilityMatrix) -> AnswerTable:
    """Return a row per count, from 0 to the largest: how many pairs, in each direction, have it.

    Pairs without a dataset on which both can be tested are left out.
    """
    directed = study.n_shared > 0
    np.fill_diagonal(directed, False)
    counted = {"pairs": study.k, **study.k_by_estimator}
    found = {name: np.bincount(k[directed], minlength=1) for name, k in counted.items()}
    columns = {
        "k": Column("k̂", "count"),
        "pairs": Column("pairs", "count", help=f"In each direction. {glossary.help('k̂')}"),
    }
    for name in study.k_by_estimator:
        title = ESTIMATOR_NAMES.get(name, "p ≤ α")
        columns[name] = Column(title, "count").when(name in ("count", *study.used))
    n_rows = max(map(len, found.values()))
    rows: list[dict[str, Value]] = [
        {"k": k, **{name: int(n[k]) if k < len(n) else 0 for name, n in found.items()}}
        for k in range(n_rows)
    ]
    return AnswerTable(
        name="histogram",
        noun="count",
        columns=columns,
        rows=rows,
        caption=f"Pairs by k̂, each in both directions, {study.metric.label}",
        notes=("p ≤ α counts the datasets with such a p-value, which promises nothing.",),
    )
