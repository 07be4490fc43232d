"""Intervals of figures that count scores above a border, or above each other."""

import math
from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import FloatArray, IntArray


class Spread(NamedTuple):
    """Where the replicates of some figures lie; three arrays of shape (n,)."""

    low: FloatArray
    """Attained percentiles, the outer ones where one lies between two."""
    middle: FloatArray
    """Mean."""
    high: FloatArray


def spread_of_draws(replicates: FloatArray, confidence_level: float) -> Spread:
    """Return the spread of replicates, shape (n, n_replicates), complete; NaN without any."""
    n_draws = replicates.shape[1]
    if not n_draws:
        return Spread(*(np.full(len(replicates), np.nan) for _ in Spread._fields))
    first = _first(n_draws, confidence_level)
    last = n_draws - 1 - first
    ordered = np.partition(replicates, (first, last), axis=1)
    return Spread(ordered[:, first], np.mean(replicates, axis=1), ordered[:, last])


def spread_of_counts(times: IntArray, figures: FloatArray, confidence_level: float) -> Spread:
    """Return the spread of replicates by how often each figure came.

    Parameters
    ----------
    times : ndarray of int, shape (n, n_figures)
    figures : ndarray of float, shape (n_figures,) or (n, n_figures)
        Ascending in each row.
    confidence_level : float

    Returns
    -------
    Spread
        As `spread_of_draws` gives; NaN where nothing came.
    """
    up_to = np.cumsum(times, axis=1)
    n_draws = up_to[:, -1:]
    first = _first(n_draws, confidence_level)
    any_came = n_draws[:, 0] > 0
    figures = np.broadcast_to(figures, times.shape)

    def at(place: IntArray) -> FloatArray:
        column = np.count_nonzero(up_to <= place, axis=1)
        column = np.where(any_came, column, 0)
        return np.where(any_came, figures[np.arange(len(times)), column], np.nan)

    total = np.sum(times * figures, axis=1)
    middle = np.divide(total, n_draws[:, 0], out=np.full(len(times), np.nan), where=any_came)
    return Spread(at(first), middle, at(n_draws - 1 - first))


def count_interval(
    value: FloatArray,
    spread: Spread,
    *,
    n_compared: int = 2,
    ends: tuple[float, float] = (0.0, 1.0),
) -> tuple[FloatArray, FloatArray]:
    """Return the interval of figures that count scores above a border, or above each other.

    Parameters
    ----------
    value : ndarray, shape (n,)
        Observed shares of datasets, or mean ranks.
    spread : Spread
        Of their replicates.
    n_compared : int
        Scores that are compared: 2 for a share, the number of systems for a mean rank.
    ends : (float, float)
        What the figures cannot leave.

    Returns
    -------
    low, high : ndarray, shape (n,)
        Around `value`; NaN without replicates.

    Notes
    -----
    What is estimated is the mean of the figure over new draws of items. The observed one is such a
    draw. A replicate adds a second draw to the first, so it lies on the wrong side of a border
    more often, and the percentiles of many small gains in one direction miss what they are for,
    up to the observed figure itself. Therefore the percentiles are taken relative to the
    replicates' own mean, and put around the observed figure.

    Given the first draw the second varies less than both: by 1 - E[r] of the variance where all
    are equal, with r Spearman's correlation of two drawn orders whose scores correlate by 1/2 (2/3
    for two). The percentiles' distances are divided by the root of that, which is right for equal
    scores and mostly wide for others. In simulations 95 % intervals hold the truth in 90 to 100 %
    of samples on average over systems; single thresholds of profiles over 4 to 10 datasets with
    less than 100 items each come down to 83 %.

    References
    ----------
    Moran (1948), Rank correlation and product-moment correlation: E[r] in normal samples.
    """
    pairs = math.asin(0.5) + (n_compared - 2) * math.asin(0.25)
    width = 1 / math.sqrt(1 - 6 * pairs / (math.pi * (n_compared + 1)))
    low = value - width * np.maximum(spread.middle - spread.low, 0.0)
    high = value + width * np.maximum(spread.high - spread.middle, 0.0)
    return np.maximum(low, ends[0]), np.minimum(high, ends[1])


def _first(n_draws: IntArray | int, confidence_level: float) -> IntArray:
    """Return the place of the lower percentile among ordered draws."""
    return np.floor((1 - confidence_level) / 2 * (np.asarray(n_draws) - 1)).astype(np.int64)
