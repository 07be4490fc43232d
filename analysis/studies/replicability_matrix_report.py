"""What to write down about all pairs across datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from analysis.columns import Column
from analysis.report import Cell, Report, Strong, Table
from analysis.studies.study import count

if TYPE_CHECKING:
    from analysis.studies.replicability_matrix import ReplicabilityMatrixStudy

WIDEST_MATRIX: Final = 20
"""Systems of a matrix that still fits a printed page; more are written pair by pair."""


def replicability_matrix_report(study: ReplicabilityMatrixStudy) -> Report:
    """Return the matrix of counts, or the pairs where it is too wide for a page."""
    return Report(
        title="Replicability of all pairs",
        sentences=(study.sentence,),
        tables=(_matrix(study) if len(study.systems) <= WIDEST_MATRIX else _pairs(study),),
        signature=study.signature,
        warnings=study.warnings,
    )


def _matrix(study: ReplicabilityMatrixStudy) -> Table:
    numbers = [str(n) for n in range(1, len(study.systems) + 1)]
    rows: list[list[Cell]] = [
        [
            f"{n} {name}",
            *("" if i == j else _count(int(k)) for j, k in enumerate(study.k[i])),
        ]
        for i, (n, name) in enumerate(zip(numbers, study.systems, strict=True))
    ]
    return Table(
        ("better \\ than", *numbers),
        rows,
        caption=f"Row better than column on at least so many of "
        f"{count(len(study.datasets), 'dataset')}, {study.metric.label}",
        notes=(study.how,),
        strong="at least one dataset",
    )


def _pairs(study: ReplicabilityMatrixStudy) -> Table:
    rows: list[list[Cell]] = [
        [
            row["a"],
            row["b"],
            _count(row["k_a_over_b"]),
            _count(row["k_b_over_a"]),
            row["n_datasets"],
            row["mean_difference"],
        ]
        for row in study.rows()
    ]
    return Table(
        ("A", "B", "A better", "B better", "of datasets", Column("mean difference", signed=True)),
        rows,
        caption=f"Better on at least so many datasets, {study.metric.label}",
        notes=(study.how,),
        strong="at least one dataset",
    )


def _count(k: int) -> Cell:
    return Strong(k) if k else 0
