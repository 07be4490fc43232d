"""How probably does one system score higher than another on one of the datasets?"""

from dataclasses import dataclass

import numpy as np

from analysis.statistics._typing import BoolArray, FloatArray, IntArray
from analysis.statistics.across.count_intervals import (
    Spread,
    count_interval,
    spread_of_counts,
    spread_of_draws,
)
from analysis.statistics.across.friedman import dataset_ranks
from analysis.statistics.across.resampled_scores import Estimate, ResampledScores
from analysis.statistics.resampling.threads import run_tiles
from analysis.statistics.results import Result, read_only
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_level


@dataclass(frozen=True, slots=True, eq=False)
class Improvement(Result):
    """Probability of improvement of all pairs; matrices of shape (n_systems, n_systems).

    ``[i, j]`` is for system i above system j, ``[j, i]`` its complement to 1. NaN on the diagonal
    and for pairs without a shared dataset.

    Attributes
    ----------
    value : ndarray of float
        Share of the shared datasets on which i scores higher, ties by half.
    low, high : ndarray of float
        Interval; NaN where a score of the pair has no items to draw.
    on_new_items : ndarray of float
        Mean share over the replicates: chances of each dataset, rather than who won it.
    n_datasets : ndarray of int
        Datasets on which both have scores.
    confidence_level : float
    n_resamples : int
    seed : int
    """

    value: FloatArray
    low: FloatArray
    high: FloatArray
    on_new_items: FloatArray
    n_datasets: IntArray
    confidence_level: float
    n_resamples: int
    seed: int

    @property
    def signature(self) -> str:
        """One line from which the probabilities can be repeated."""
        return build_signature(
            "improvement",
            systems=len(self.value),
            level=self.confidence_level,
            n_resamples=self.n_resamples,
            seed=self.seed,
        )


def probability_of_improvement(
    resampled: ResampledScores, *, confidence_level: float = 0.95
) -> Improvement:
    """Return how probably each system scores higher than each other one.

    Not by how much, and no test: small consistent gains give 1.

    Parameters
    ----------
    resampled : ResampledScores
    confidence_level : float
        Of the interval of each pair by itself.

    Returns
    -------
    Improvement

    Raises
    ------
    TypeError, ValueError
        If the level is none.

    Notes
    -----
    [1]_ averages P(X_d > Y_d) + P(X_d = Y_d) / 2 over tasks d, the chance being in the runs. Here
    it is in the items: X_d and Y_d are the metrics on one new draw of as many items of dataset d.
    What was observed is one such draw per dataset, so the share of datasets won estimates the
    average without bias; `count_interval` tells how the interval comes about. `on_new_items` is
    the mean over replicates. It moves less, but replicates scatter around the observed
    difference, so it lies nearer to 1/2 than what it estimates.

    References
    ----------
    .. [1] Agarwal et al. (2021), Deep Reinforcement Learning at the Edge of the Statistical
       Precipice, section 4.3.

    Examples
    --------
    >>> from analysis.statistics.across.resampled_datasets import (
    ...     DatasetScores, resample_over_datasets)
    >>> figures = np.array([[0.9, 0.8], [0.5, 0.8], [0.5, 0.5], [0.7, 0.1]])
    >>> datasets = [DatasetScores(np.empty((2, 0, 1)), "mean", point=row) for row in figures]
    >>> probability_of_improvement(resample_over_datasets(datasets)).value
    array([[  nan, 0.625],
           [0.375,   nan]])
    """
    level = as_level(confidence_level, name="confidence_level")
    scored, n_systems = ~np.isnan(resampled.observed), resampled.n_systems
    n_datasets = _count_shared(scored)
    value = _shares_won(resampled.observed, n_datasets)
    low, high, new = (np.full((n_systems, n_systems), np.nan) for _ in range(3))
    has_gaps = np.array(
        [bool((resampled.ranks[i][resampled.drawn[i]] == 0).any()) for i in range(n_systems)]
    )

    def against_later(i: int) -> None:
        later = slice(i + 1, n_systems)
        spread = _spread(resampled, i, scored, has_gaps, level)
        low[i, later], high[i, later] = count_interval(value[i, later], spread)
        new[i, later] = spread.middle

    if resampled.n_resamples:
        run_tiles(against_later, n_systems - 1)
    below = np.tril_indices(n_systems, -1)
    low[below], high[below] = 1.0 - high.T[below], 1.0 - low.T[below]
    new[below] = 1.0 - new.T[below]
    return Improvement(
        read_only(value),
        read_only(low),
        read_only(high),
        read_only(new),
        read_only(n_datasets),
        level,
        resampled.n_resamples,
        resampled.seed,
    )


def mean_ranks(resampled: ResampledScores, *, confidence_level: float = 0.95) -> Estimate:
    """Return the mean rank of each system over its datasets; 1 is best, ties share the middle.

    Parameters
    ----------
    resampled : ResampledScores
        Systems are ranked on each dataset among those that have a score there.
    confidence_level : float
        Of the interval of each system by itself.

    Returns
    -------
    Estimate
        Arrays of shape (n_systems,). ``low`` (better) and ``high`` are NaN where a dataset of the
        system has a score without items to draw, whoever's. NaN without scores.

    Raises
    ------
    TypeError, ValueError
        If the level is none.

    Notes
    -----
    A rank counts the systems that score higher, so the interval is `count_interval`. It says how
    the mean rank depends on the items, not on the choice of datasets, and moves with the pool.

    Examples
    --------
    >>> from analysis.statistics.across.resampled_datasets import (
    ...     DatasetScores, resample_over_datasets)
    >>> figures = np.array([[0.9, 0.8], [0.5, 0.8], [0.5, 0.5], [0.7, 0.1]])
    >>> datasets = [DatasetScores(np.empty((2, 0, 1)), "mean", point=row) for row in figures]
    >>> mean_ranks(resample_over_datasets(datasets)).value
    array([1.375, 1.625])
    """
    level = as_level(confidence_level, name="confidence_level")
    scored = ~np.isnan(resampled.observed)
    n_ranked = np.count_nonzero(scored, axis=1)
    observed_ranks = dataset_ranks(resampled.observed)
    ranks = resampled.ranks
    # An undefined score leaves nobody a rank in that replicate.
    whole = np.array([(ranks[rows, d] != 0).all(axis=0) for d, rows in enumerate(scored.T)])
    value, low, high = (np.full(resampled.n_systems, np.nan) for _ in range(3))
    ranked = n_ranked > 0
    value[ranked] = np.nansum(observed_ranks[ranked], axis=1) / n_ranked[ranked]
    for system in np.flatnonzero(ranked):
        on = scored[system]
        n = int(np.max(np.count_nonzero(scored[:, on], axis=0)))
        doubled: IntArray = np.asarray(np.sum(ranks[system, on], axis=0, dtype=np.int64))
        own = doubled[whole[on].all(axis=0)] / (2 * n_ranked[system])
        spread = spread_of_draws(own[np.newaxis], level)
        ends = count_interval(
            value[system : system + 1], spread, n_compared=max(n, 2), ends=(1.0, n)
        )
        low[system], high[system] = ends[0][0], ends[1][0]
    return Estimate(read_only(value), read_only(low), read_only(high))


def _shares_won(observed: FloatArray, n_datasets: IntArray) -> FloatArray:
    """Return on what share of its shared datasets each system is higher, ties by half."""
    points = [
        np.count_nonzero(row > observed, axis=1) - np.count_nonzero(row < observed, axis=1)
        for row in observed
    ]
    known = n_datasets > 0
    np.fill_diagonal(known, False)
    share = 0.5 + np.array(points) / (2 * np.maximum(n_datasets, 1))
    return np.where(known, share, np.nan)


def _spread(
    resampled: ResampledScores, i: int, scored: BoolArray, has_gaps: BoolArray, level: float
) -> Spread:
    """Return the spread of the shares that a system wins against each later one."""
    from analysis.statistics.across.counting_kernels import count_points

    shared = scored[i] & scored
    counted = shared & resampled.drawn[i] & resampled.drawn
    times = np.zeros((len(scored), 2 * resampled.n_datasets + 1), np.int64)
    count_points(resampled.ranks, i, counted, has_gaps, times)
    # No replicates where a score has none.
    times[(counted != shared).any(axis=1)] = 0
    n_shared = np.maximum(np.count_nonzero(shared, axis=1), 1)
    points = np.arange(-resampled.n_datasets, resampled.n_datasets + 1)
    shares = 0.5 + points / (2 * n_shared[:, np.newaxis])
    return spread_of_counts(times[i + 1 :], shares[i + 1 :], level)


def _count_shared(scored: BoolArray) -> IntArray:
    counts = scored.astype(np.int64)
    return np.asarray(counts @ counts.T)
