"""What is known of all pairs of systems across datasets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from analysis import numbers
from analysis.setting import Setting
from analysis.statistics._typing import FloatArray, IntArray
from analysis.studies.dependence import ASSUMES, ESTIMATOR_NAMES, EstimatorChoice
from analysis.studies.study import Study, count
from analysis.studies.test_names import PairsTestName
from store.records import MetricRecord, OverlapRecord

PairsConfidence = Annotated[
    Literal["together", "alone"],
    Setting(
        "For all pairs: whether the counts hold for all of them at once, or for each by itself.",
        label="The counts hold for",
        words={"together": "all pairs at once", "alone": "each pair by itself"},
        main=True,
    ),
]


@dataclass(frozen=True, slots=True, eq=False)
class ReplicabilityMatrix(Study):
    """All pairs of systems over several datasets; matrices are row against column."""

    metric: MetricRecord
    metrics: tuple[str, ...]
    """Labels of the metrics with item scores on at least two datasets, the most used first."""
    systems: tuple[str, ...]
    """The one that is better most often first."""
    system_uids: tuple[str, ...]
    datasets: tuple[str, ...]
    dataset_uids: tuple[str, ...]
    alpha: float
    test: PairsTestName
    estimator: EstimatorChoice
    pairs: PairsConfidence
    """Whether `k` holds for all ordered pairs at once, or for each by itself."""
    n_ordered: int
    """Ordered pairs that can be tested."""
    used: Mapping[str, int]
    """How many pairs were counted by which estimator."""
    k: IntArray
    """The row is better than the column on at least so many datasets."""
    n_shared: IntArray
    """Datasets on which the pair can be tested."""
    k_by_estimator: Mapping[str, IntArray]
    """The same by every estimator; "count" is of p-values up to `alpha`, whatever `pairs` is."""
    mean_difference: FloatArray
    """Row minus column on the metric's own scale, a mean over the shared datasets."""
    estimators: tuple[tuple[str, ...], ...]
    """Name of the estimator behind each entry of `k`; empty on the diagonal."""
    overlaps: tuple[OverlapRecord, ...]
    n_unknown_pairs: int
    """Pairs of datasets of which nothing says whether they share items."""
    because: str
    """Why datasets are counted so, taking them all together."""

    @property
    def how(self) -> str:
        """Say how the counts came about."""
        parts = [
            f"{ESTIMATOR_NAMES[name]} for {count(n, 'pair')}, which assumes {ASSUMES[name]}"
            for name, n in self.used.items()
        ]
        why = f" {self.because}"
        of = "each pair and direction by itself"
        if self.pairs == "together":
            of = (
                f"all {self.n_ordered:,} ordered pairs at once (α ÷ {self.n_ordered:,}; the page "
                "of a pair takes it by itself)"
            )
        sure = f"k̂ at {numbers.confidence(self.alpha)} confidence for {of}"
        return f"{sure}; {'; '.join(parts)}.{why}"
