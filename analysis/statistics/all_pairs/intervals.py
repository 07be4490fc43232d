"""Intervals for the differences of all pairs, each pair by itself."""

from typing import NamedTuple

import numpy as np
import scipy

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.all_pairs.closed_forms import Moments, square
from analysis.statistics.all_pairs.complete_sets import triangle
from analysis.statistics.all_pairs.result import PairMethod, PairPvalues
from analysis.statistics.intervals.binary import (
    PairCounts,
    newcombe_bounds,
    tango_bounds,
    tango_z,
)
from analysis.statistics.intervals.no_spread import no_spread_bounds, score_range
from analysis.statistics.paired.result import TINY
from analysis.statistics.resampling.tails import both_ways, of_normal


class Ends(NamedTuple):
    """Lower and upper ends, shape (n_systems, n_systems); NaN where there is no interval."""

    low: FloatArray
    high: FloatArray


def t_intervals(scores: FloatArray, moments: Moments, confidence_level: float) -> Ends:
    """Return Student's t intervals of mean differences, cluster-robust if the moments are.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_items)
        What the moments are of.
    moments : Moments
    confidence_level : float

    Returns
    -------
    Ends
        NaN for fewer than two units. Where all differences are equal, the ends
        say how far off a share of the units that was not seen could be.
    """
    n_systems = len(scores)
    first, second = triangle(n_systems)
    units = moments.n_units[first, second]
    difference = moments.difference[first, second]
    error = np.where(units > 1, moments.standard_error[first, second], np.nan)
    sizes, back = np.unique(np.maximum(units, 2), return_inverse=True)
    quantiles = scipy.special.stdtrit((sizes - 1).astype(np.float64), 0.5 + confidence_level / 2)
    reach = quantiles[back.reshape(-1)] * error
    low, high = difference - reach, difference + reach
    tail = (1 - confidence_level) / 2
    for pair in np.flatnonzero(error == 0):
        a, b = scores[first[pair]], scores[second[pair]]
        shared = ~np.isnan(a - b)
        largest = score_range(a[shared], b[shared])
        low[pair], high[pair] = no_spread_bounds(
            float(difference[pair]), largest, int(units[pair]), tail
        )
    return _ends(n_systems, low, high)


def score_all_pairs(
    scores: FloatArray, wins: IntArray, *, alternative: str = "two-sided", delta: float = 0.0
) -> PairPvalues:
    """Test differences of paired shares by Tango's score test, which his interval inverts.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_items)
        1 right, 0 wrong, NaN missing.
    wins : ndarray of int, shape (n_systems, n_systems)
        From `wins_all_pairs`.
    alternative : {"two-sided", "greater", "less"}
    delta : float
        The difference under the null hypothesis, first minus second. At 0 the test is McNemar's
        chi-squared test without correction.

    Returns
    -------
    PairPvalues
        1 where no item tells two systems apart and `delta` is 0.

    References
    ----------
    Tango (1998), Equivalence test and confidence interval for the difference in proportions for
    the paired-sample design.
    """
    n_systems = len(scores)
    counts = _outcomes(scores, wins)
    statistic, n_items = tango_z(counts, delta), counts.columns[3]
    above, below = both_ways(of_normal, statistic, alternative)
    floor = np.zeros(n_items.size)
    tails = [np.where(n_items > 0, np.maximum(tail, TINY), np.nan) for tail in (above, below)]
    return square(n_systems, tails[0], tails[1], floor, floor, PairMethod.CLOSED_FORM)


def share_intervals(kind: str, scores: FloatArray, wins: IntArray, confidence_level: float) -> Ends:
    """Return intervals of differences of paired shares.

    Parameters
    ----------
    kind : {"newcombe", "tango"}
    scores : ndarray, shape (n_systems, n_items)
        1 right, 0 wrong, NaN missing.
    wins : ndarray of int, shape (n_systems, n_systems)
        From `wins_all_pairs`.
    confidence_level : float
    """
    bounds = newcombe_bounds if kind == "newcombe" else tango_bounds
    return _ends(len(scores), *bounds(_outcomes(scores, wins), confidence_level))


def _outcomes(scores: FloatArray, wins: IntArray) -> PairCounts:
    """Count right and wrong answers of pairs i < j on the items they share."""
    at = triangle(len(scores))
    right, wrong = (scores == 1).astype(np.float64), (scores == 0).astype(np.float64)
    both, neither = (np.rint(side @ side.T)[at] for side in (right, wrong))
    up, down = (wins[side].astype(np.float64) for side in (at, at[::-1]))
    return PairCounts(both, up, down, neither)


def _ends(n_systems: int, low: FloatArray, high: FloatArray) -> Ends:
    first, second = triangle(n_systems)
    ends = Ends(*(np.full((n_systems, n_systems), np.nan) for _ in range(2)))
    ends.low[first, second], ends.high[first, second] = low, high
    ends.low[second, first], ends.high[second, first] = 0.0 - high, 0.0 - low
    return ends
