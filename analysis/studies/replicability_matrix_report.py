"""What to write down about all pairs across datasets."""

from __future__ import annotations

from typing import Final

import numpy as np

from analysis import glossary, numbers
from analysis.answer_table import AnswerTable
from analysis.columns import Column, Value
from analysis.report import Cell, Report, Strong, Table
from analysis.studies.dependence import ESTIMATOR_NAMES
from analysis.studies.replicability_matrix_histogram import histogram
from analysis.studies.replicability_matrix_result import ReplicabilityMatrix
from analysis.studies.study import count

WIDEST_MATRIX: Final = 20
"""Systems of a matrix that still fits a printed page; more are written pair by pair."""


def replicability_matrix_report(study: ReplicabilityMatrix) -> Report:
    """Return the matrix of counts, where it fits a page, their histogram, and the pairs."""
    matrix = [_matrix(study)] if len(study.systems) <= WIDEST_MATRIX else []
    return Report(
        title="Replicability of all pairs",
        sentences=(study.sentence,),
        tables=(*matrix, histogram(study).as_report(), pairs(study).as_report()),
        signature=study.signature,
        warnings=study.warnings,
    )


def _matrix(study: ReplicabilityMatrix) -> Table:
    places = [str(n) for n in range(1, len(study.systems) + 1)]
    rows: list[list[Cell]] = [
        [
            f"{n} {name}",
            *("" if i == j else _count(int(k)) for j, k in enumerate(study.k[i])),
        ]
        for i, (n, name) in enumerate(zip(places, study.systems, strict=True))
    ]
    return Table(
        ("better \\ than", *places),
        rows,
        caption=f"Row better than column on at least so many of "
        f"{count(len(study.datasets), 'dataset')}, {study.metric.label}",
        strong="at least one dataset",
    )


def pairs(study: ReplicabilityMatrix) -> AnswerTable:
    """Return a row per pair, the clearest first, with the counts of every estimator."""
    at = sorted(
        zip(*np.triu_indices(len(study.systems), 1), strict=True),
        key=lambda pair: -abs(int(study.k[pair]) - int(study.k[pair[::-1]])),
    )
    columns = {
        "a": Column("A", pinned=True),
        "b": Column("B"),
        "k_a_over_b": Column("A better on", "count", help=glossary.help("k̂")),
        "k_b_over_a": Column("B better on", "count", help=glossary.help("k̂")),
        "n_datasets": Column("of datasets", "count", help="Those on which both can be tested"),
        "mean_difference": Column(
            "mean difference",
            "difference",
            decimals=decimals(study),
            help=f"{study.metric.label}, A minus B, a mean over the datasets that both have",
        ),
        "estimator": Column("counted by", words=ESTIMATOR_NAMES),
    }
    for name in study.k_by_estimator:
        estimator = ESTIMATOR_NAMES.get(name, "p ≤ α")
        columns[f"{name}_a"] = Column(f"{estimator}, A", "count").when(False)
        columns[f"{name}_b"] = Column(f"{estimator}, B", "count").when(False)
    rows: list[dict[str, Value]] = [
        {
            "a": study.systems[i],
            "b": study.systems[j],
            "k_a_over_b": int(study.k[i, j]),
            "k_b_over_a": int(study.k[j, i]),
            "n_datasets": int(study.n_shared[i, j]),
            "mean_difference": float(study.mean_difference[i, j]),
            "estimator": study.estimators[i][j],
            **{f"{name}_a": int(k[i, j]) for name, k in study.k_by_estimator.items()},
            **{f"{name}_b": int(k[j, i]) for name, k in study.k_by_estimator.items()},
        }
        for i, j in at
    ]
    return AnswerTable(
        name="pairs",
        noun="pair",
        columns=columns,
        rows=rows,
        caption=f"Better on at least so many datasets, {study.metric.label}",
        notes=(study.how,),
        strong="at least one dataset",
        stands_out={
            name: [k for k, row in enumerate(rows) if row[name]]
            for name in ("k_a_over_b", "k_b_over_a")
        },
    )


def decimals(study: ReplicabilityMatrix) -> int:
    """Return those of mean differences: two digits of the usual one."""
    sizes = np.abs(study.mean_difference)
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    return numbers.decimals(half_width=float(np.median(sizes)) if sizes.size else None)


def _count(k: int) -> Cell:
    return Strong(k) if k else 0
