"""All pairs of systems on one cell, each in both directions: is the row better than the column?"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.statistics import Alternative, FloatArray
from analysis.statistics.all_pairs.pairwise import pairwise
from analysis.statistics.all_pairs.result import Pairwise
from analysis.statistics.results import DegenerateDataWarning, Result, read_only
from analysis.statistics.signature import build_signature
from analysis.studies.cells import Cell
from analysis.studies.kept_results import kept
from analysis.studies.test_names import PairsTestName, to_public, to_statistics
from store.engine import Store
from store.results_cache import data_fingerprint

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class TestSettings:
    """How the pairs of a cell are tested."""

    test: PairsTestName = "auto"
    n_resamples: int = 9_999
    seed: int = 0
    clusters: bool | None = None


@dataclass(frozen=True, slots=True, eq=False)
class DirectedPairs(Result):
    """One-sided p-values of all ordered pairs on one cell."""

    pvalue: FloatArray
    """``[i, j]``: system i is better than system j; NaN where that cannot be tested."""
    difference: FloatArray
    """Row minus column on the metric's own scale."""
    n_items: npt.NDArray[np.int64]
    test: str

    @property
    def signature(self) -> str:
        """One line from which the p-values can be repeated."""
        return build_signature("directed-pairs", test=self.test, systems=len(self.pvalue))


def directed_pairs(
    store: Store, cell: Cell, settings: TestSettings, *, progress: Progress | None = None
) -> DirectedPairs:
    """Return the one-sided p-values of all pairs of a cell's systems, kept in the store.

    Raises
    ------
    ValueError
        If the test does not suit the scores; the message says which does.
    """

    def compute() -> DirectedPairs:
        found = compare_pairs(cell, settings, directed=True, progress=progress)
        return DirectedPairs(
            pvalue=read_only(found.pvalue.copy()),
            difference=read_only(found.difference.copy()),
            n_items=read_only(found.n_items.copy()),
            test=to_public(found.test),
        )

    arguments = {name: getattr(settings, name) for name in settings.__slots__}
    matrix = cell.matrix
    fingerprint = data_fingerprint(
        store, matrix.dataset.uid, matrix.metric.uid, systems=matrix.system_uids
    )
    return kept(store, "directed pairs", arguments, fingerprint, DirectedPairs, compute)


def compare_pairs(
    cell: Cell,
    settings: TestSettings,
    *,
    directed: bool,
    alpha: float = 0.05,
    progress: Progress | None = None,
) -> Pairwise:
    """Test all pairs of a cell's systems, in both directions or two-sided with intervals.

    The p-values of a pair do not depend on which other systems are compared, and are those of the
    page of all pairs for the same seed.
    """
    matrix = cell.matrix
    better: Alternative = "greater" if matrix.metric.higher_is_better else "less"
    with warnings.catch_warnings():
        # A pair without spread is NaN or 1 here; the study says so in its own words.
        warnings.simplefilter("ignore", DegenerateDataWarning)
        return pairwise(
            matrix.scores,
            aggregation=matrix.metric.aggregation,
            test=to_statistics(settings.test),
            correction="none",
            alternative=better if directed else "two-sided",
            alpha=alpha,
            groups=cell.clusters.groups,
            interval="none" if directed else "auto",
            n_resamples=settings.n_resamples,
            rng=settings.seed,
            progress=progress,
        )
