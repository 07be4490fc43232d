"""Performance profiles: on what share of the datasets does a system score above a threshold?"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.across.count_intervals import count_interval, spread_of_counts
from analysis.statistics.across.resampled_scores import ResampledScores
from analysis.statistics.resampling.threads import run_tiles
from analysis.statistics.results import Result, read_only
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_floats, as_level

_GRID = 101
_MARGIN = 0.02
_SAME = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Profiles(Result):
    """Performance profiles of several systems, higher is better.

    Attributes
    ----------
    thresholds : ndarray of float, shape (n_thresholds,)
        Ascending.
    value : ndarray of float, shape (n_systems, n_thresholds)
        Share of the system's datasets with a score above the threshold; NaN without scores.
    low, high : ndarray of float, shape (n_systems, n_thresholds)
        Pointwise interval; NaN where a score of the system has no items to draw.
    n_datasets : ndarray of int, shape (n_systems,)
        Datasets with a score. Profiles over unequal sets are not to be compared.
    confidence_level : float
    n_resamples : int
    seed : int
    """

    thresholds: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    n_datasets: IntArray
    confidence_level: float
    n_resamples: int
    seed: int

    @property
    def signature(self) -> str:
        """One line from which the profiles can be repeated."""
        return build_signature(
            "profiles",
            systems=len(self.value),
            thresholds=self.thresholds.size,
            level=self.confidence_level,
            n_resamples=self.n_resamples,
            seed=self.seed,
        )


def performance_profiles(
    resampled: ResampledScores,
    *,
    thresholds: npt.ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> Profiles:
    """Return the share of datasets on which each system scores above each threshold.

    A profile that lies above another everywhere is better by every aggregate; where two cross,
    which system is better depends on the aggregate.

    Parameters
    ----------
    resampled : ResampledScores
    thresholds : array_like, shape (n_thresholds,), optional
        On the scale of `resampled`; by default 101 from just below the lowest score to just above
        the highest.
    confidence_level : float
        Of the interval at each threshold by itself.

    Returns
    -------
    Profiles

    Raises
    ------
    TypeError, ValueError
        If the level is none, or thresholds are not finite.

    Notes
    -----
    The interval is for the share that new draws of items, as many as there are, give on average;
    see `count_interval`. A score within 1e-12 of a threshold is not above it.

    References
    ----------
    Dolan and Moré (2002), Benchmarking optimization software with performance profiles; Agarwal
    et al. (2021), Deep Reinforcement Learning at the Edge of the Statistical Precipice, 4.2.

    Examples
    --------
    >>> from analysis.statistics.across.resampled_datasets import (
    ...     DatasetScores, resample_over_datasets)
    >>> figures = np.array([[0.9, 0.8], [0.5, 0.8]])
    >>> datasets = [DatasetScores(np.empty((2, 0, 1)), "mean", point=row) for row in figures]
    >>> performance_profiles(resample_over_datasets(datasets), thresholds=[0.4, 0.6, 0.8]).value
    array([[1. , 0.5, 0.5],
           [1. , 1. , 0. ]])
    """
    level = as_level(confidence_level, name="confidence_level")
    if thresholds is None:
        taus = _default_thresholds(resampled.observed)
    else:
        taus = np.sort(np.atleast_1d(as_floats(thresholds, "thresholds")))
        if taus.ndim != 1 or not np.isfinite(taus).all():
            raise ValueError("`thresholds` must be finite and 1-D.")
    scored = ~np.isnan(resampled.observed)
    value, low, high = (np.full((resampled.n_systems, taus.size), np.nan) for _ in range(3))

    def count(system: int) -> None:
        row = scored[system]
        n_datasets = int(np.count_nonzero(row))
        if not n_datasets:
            return
        shares = np.arange(n_datasets + 1) / n_datasets
        times = _counts_above(resampled.observed[system, row, np.newaxis], taus)
        value[system] = shares[times.argmax(axis=1)]
        if resampled.drawn[system, row].all():
            times = _counts_above(resampled.of_system(system)[row], taus)
            spread = spread_of_counts(times, shares, level)
            low[system], high[system] = count_interval(value[system], spread)

    run_tiles(count, resampled.n_systems)
    return Profiles(
        read_only(taus),
        read_only(value),
        read_only(low),
        read_only(high),
        read_only(np.count_nonzero(scored, axis=1)),
        level,
        resampled.n_resamples,
        resampled.seed,
    )


def _default_thresholds(observed: FloatArray) -> FloatArray:
    if np.isnan(observed).all():
        return np.empty(0)
    low, high = float(np.nanmin(observed)), float(np.nanmax(observed))
    margin = _MARGIN * ((high - low) or abs(high) or 1.0)
    return np.linspace(low - margin, high + margin, _GRID)


def _counts_above(scores: FloatArray, thresholds: FloatArray) -> IntArray:
    """Return in how many columns so many scores are above each threshold.

    From scores (n_datasets, n_columns) to shape (n_thresholds, n_datasets + 1). Columns with NaN
    are left out.
    """
    from analysis.statistics.across.counting_kernels import add_columns

    scores = scores[:, ~np.isnan(scores).any(axis=0)]
    room = _SAME * np.maximum(np.abs(scores), 1.0)
    # A score counts for all thresholds before its place.
    place = np.searchsorted(thresholds, scores - room, side="left")
    times = np.zeros((thresholds.size, len(scores) + 1), np.int64)
    add_columns(np.ascontiguousarray(place.T), times)
    return times
