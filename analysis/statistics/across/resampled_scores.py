"""What scores over datasets are when items are drawn anew: figures, replicates and their ranks."""

import functools
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import BoolArray, FloatArray, IntArray, RankArray
from analysis.statistics.across.drawn_ranks import doubled_ranks
from analysis.statistics.resampling.threads import run_tiles
from analysis.statistics.results import read_only
from analysis.statistics.signature import build_signature


class Estimate(NamedTuple):
    """A figure with its interval; three arrays of the same shape, NaN where there is none."""

    value: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class ResampledScores:
    """Scores over datasets, and what they are when items are drawn anew; higher is better.

    Attributes
    ----------
    observed : ndarray of float, shape (n_systems, n_datasets)
        Metric times `DatasetScores.sign`; NaN where a system has no score.
    resampled : ndarray of float, shape (n_resamples, n_systems, n_datasets)
        The same of each replicate. NaN where there is nothing to draw (`drawn` is False), and
        where a replicate leaves the metric undefined. No replicates where no dataset has items.
    drawn : ndarray of bool, shape (n_systems, n_datasets)
        Whether there are replicates: the metric is defined on at least two items, or groups.
    n_items : ndarray of int, shape (n_systems, n_datasets)
        Items that the metric is over; 0 for figures that are only reported.
    aggregations : tuple of str
        One per dataset.
    n_resamples : int
    seed : int
    """

    observed: FloatArray
    resampled: FloatArray
    drawn: BoolArray
    n_items: IntArray
    aggregations: tuple[str, ...]
    n_resamples: int
    seed: int

    @property
    def n_systems(self) -> int:
        """Return the number of systems."""
        return len(self.observed)

    @property
    def n_datasets(self) -> int:
        """Return the number of datasets."""
        return int(self.observed.shape[1])

    @property
    def signature(self) -> str:
        """One line from which the replicates can be repeated."""
        return build_signature(
            "resampled-datasets",
            systems=self.n_systems,
            datasets=self.n_datasets,
            n_resamples=self.n_resamples,
            seed=self.seed,
        )

    def without_draws(self) -> "ResampledScores":
        """Return the scores alone, where nobody knows which items datasets share."""
        return replace(
            self,
            resampled=read_only(np.empty((0, *self.observed.shape))),
            drawn=read_only(np.zeros_like(self.drawn)),
            n_resamples=0,
        )

    @functools.cached_property
    def ranks(self) -> RankArray:
        """Twice the rank of each system in each replicate of each dataset, computed once.

        Shape (n_systems, n_datasets, n_resamples), contiguous; 2 is best, ties share their middle
        rank, 0 where there is no score.
        """
        ranks = run_tiles(lambda d: doubled_ranks(self.resampled[:, :, d]), self.n_datasets)
        by_system = np.empty((self.n_systems, self.n_datasets, self.n_resamples), ranks[0].dtype)
        for dataset, found in enumerate(ranks):
            by_system[:, dataset] = found.T
        return read_only(by_system)

    def of_system(self, system: int) -> FloatArray:
        """Return the replicates of one system, shape (n_datasets, n_resamples), contiguous."""
        return np.asarray(self.resampled.transpose(1, 2, 0)[system])
