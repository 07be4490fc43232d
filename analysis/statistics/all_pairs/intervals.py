"""Intervals for the differences of all pairs, each pair by itself."""

from typing import NamedTuple

import numpy as np
from scipy import special
from scipy.optimize import elementwise

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.all_pairs.closed_forms import Moments, square
from analysis.statistics.all_pairs.complete_sets import triangle
from analysis.statistics.all_pairs.result import PairMethod, PairPvalues
from analysis.statistics.intervals.no_spread import no_spread_bounds, score_range
from analysis.statistics.paired.result import TINY
from analysis.statistics.standard_error import z_quantile


class Ends(NamedTuple):
    """Lower and upper ends, shape (n_systems, n_systems); NaN where there is no interval."""

    low: FloatArray
    high: FloatArray


class _Outcomes(NamedTuple):
    """Right and wrong answers of pairs i < j on the items they share, shape (n_pairs,)."""

    both: FloatArray
    only_a: FloatArray
    only_b: FloatArray
    n: FloatArray


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
        NaN for fewer than two units. Where all differences are equal, what `difference_interval`
        gives without spread: how far off a share of the units that was not seen could be.
    """
    n_systems = len(scores)
    first, second = triangle(n_systems)
    units = moments.n_units[first, second]
    difference = moments.difference[first, second]
    error = np.where(units > 1, moments.standard_error[first, second], np.nan)
    sizes, back = np.unique(np.maximum(units, 2), return_inverse=True)
    quantiles = special.stdtrit((sizes - 1).astype(np.float64), 0.5 + confidence_level / 2)
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
    statistic = score_statistics(counts.only_a, counts.only_b, counts.n, delta)
    if alternative == "two-sided":
        above = below = np.minimum(1.0, 2.0 * special.ndtr(-np.abs(statistic)))
    else:
        above, below = special.ndtr(-statistic), special.ndtr(statistic)
        if alternative == "less":
            above, below = below, above
    floor = np.zeros(counts.n.size)
    tails = [np.where(counts.n > 0, np.maximum(tail, TINY), np.nan) for tail in (above, below)]
    return square(n_systems, tails[0], tails[1], floor, floor, PairMethod.CLOSED_FORM)


def score_statistics(
    only_a: FloatArray, only_b: FloatArray, n: FloatArray, delta: float
) -> FloatArray:
    """Return Tango's z of items that only one of two systems gets right; 0 without any."""
    excess = only_a - only_b - n * delta
    error = _tango_error(only_a, only_b, n, np.full(n.shape, delta))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(excess == 0, 0.0, excess / error)


def newcombe_intervals(scores: FloatArray, wins: IntArray, confidence_level: float) -> Ends:
    """Return Newcombe's intervals (his method 10) of differences of paired shares.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_items)
        1 right, 0 wrong, NaN missing.
    wins : ndarray of int, shape (n_systems, n_systems)
        From `wins_all_pairs`.
    confidence_level : float

    References
    ----------
    Newcombe (1998), Improved confidence intervals for the difference between binomial
    proportions based on paired data, method 10.
    """
    counts, quantile = _outcomes(scores, wins), z_quantile(confidence_level)
    with np.errstate(divide="ignore", invalid="ignore"):
        right_a, right_b = counts.both + counts.only_a, counts.both + counts.only_b
        share_a, share_b = right_a / counts.n, right_b / counts.n
        low_a, high_a = _wilson(share_a, counts.n, quantile)
        low_b, high_b = _wilson(share_b, counts.n, quantile)
        neither = counts.n - counts.both - counts.only_a - counts.only_b
        product = counts.both * neither - counts.only_a * counts.only_b
        corrected = np.where(product > 0, np.maximum(product - counts.n / 2, 0.0), product)
        margins = right_a * (counts.n - right_a) * right_b * (counts.n - right_b)
        phi = np.where(margins > 0, corrected / np.sqrt(margins), 0.0)
        difference = (counts.only_a - counts.only_b) / counts.n

        def reach(from_a: FloatArray, from_b: FloatArray) -> FloatArray:
            squares = from_a**2 - 2 * phi * from_a * from_b + from_b**2
            return np.sqrt(np.maximum(squares, 0.0))

        low = difference - reach(share_a - low_a, high_b - share_b)
        high = difference + reach(high_a - share_a, share_b - low_b)
    return _ends(len(scores), np.maximum(low, -1.0), np.minimum(high, 1.0))


def tango_intervals(scores: FloatArray, wins: IntArray, confidence_level: float) -> Ends:
    """Return Tango's score intervals of differences of paired shares.

    Parameters
    ----------
    scores, wins, confidence_level
        As for `newcombe_intervals`.

    References
    ----------
    Tango (1998), Equivalence test and confidence interval for the difference in proportions for
    the paired-sample design.
    """
    counts = _outcomes(scores, wins)
    quantile = z_quantile(confidence_level)
    # An upper end is the lower end of the other direction, turned.
    ends = np.stack(
        [
            np.concatenate([counts.only_a, counts.only_b]),
            np.concatenate([counts.only_b, counts.only_a]),
            np.concatenate([counts.n, counts.n]),
        ]
    )
    found, back = np.unique(ends, axis=1, return_inverse=True)
    only_a, only_b, n = found
    bounds = _tango_lower(only_a, only_b, n, quantile)[back.reshape(-1)]
    half = counts.n.size
    return _ends(len(scores), bounds[:half], -bounds[half:])


def _tango_lower(
    only_a: FloatArray, only_b: FloatArray, n: FloatArray, quantile: float
) -> FloatArray:
    """Return the smallest difference that Tango's score test does not reject."""
    lower = np.full(n.size, np.nan)
    # Two edges where the estimate itself is a second root of the equation.
    none, all_a, all_b = (n > 0) & (only_a + only_b == 0), only_a == n, only_b == n
    square = quantile**2
    lower[none] = -square / (n[none] + square)
    lower[all_a & (n > 0)] = ((n - square) / (n + square))[all_a & (n > 0)]
    lower[all_b & (n > 0)] = -1.0
    rest = (n > 0) & ~none & ~all_a & ~all_b
    if rest.any():
        a, b, m = only_a[rest], only_b[rest], n[rest]

        def excess(
            difference: FloatArray, a: FloatArray, b: FloatArray, m: FloatArray
        ) -> FloatArray:
            return a - b - m * difference - quantile * _tango_error(a, b, m, difference)

        roots = elementwise.find_root(
            excess,
            (np.full(m.size, -1.0), (a - b) / m),
            args=(a, b, m),
            tolerances={"xatol": 1e-15, "xrtol": 1e-14},
        )
        lower[rest] = roots.x
    return lower


def _tango_error(
    only_a: FloatArray, only_b: FloatArray, n: FloatArray, difference: FloatArray
) -> FloatArray:
    """Return the standard error of ``only_a - only_b`` if the shares differ by `difference`."""
    # Tango (1998), equations (8) to (10): the likeliest share of only_b under that difference.
    linear = (2 * n - only_a + only_b) * difference - only_a - only_b
    constant = -only_b * difference * (1 - difference)
    root = np.sqrt(np.maximum(linear**2 - 8 * n * constant, 0.0))
    # The form without cancellation.
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(linear <= 0, (root - linear) / (4 * n), -2 * constant / (root + linear))
        square = n * (2 * share + difference * (1 - difference))
    return np.sqrt(np.maximum(square, 0.0))


def _wilson(share: FloatArray, n: FloatArray, quantile: float) -> tuple[FloatArray, FloatArray]:
    """Return Wilson's bounds, exactly 0 and 1 at the edges."""
    spare = quantile**2 / n
    centre = (share + spare / 2) / (1 + spare)
    reach = quantile * np.sqrt(share * (1 - share) / n + spare / n / 4) / (1 + spare)
    low = np.where(share == 0, 0.0, np.maximum(centre - reach, 0.0))
    return low, np.where(share == 1, 1.0, np.minimum(centre + reach, 1.0))


def _outcomes(scores: FloatArray, wins: IntArray) -> _Outcomes:
    first, second = triangle(len(scores))
    right = (scores == 1).astype(np.float64)
    wrong = (scores == 0).astype(np.float64)
    present = right + wrong
    at = (first, second)
    return _Outcomes(
        np.rint(right @ right.T)[at],
        wins[first, second].astype(np.float64),
        wins[second, first].astype(np.float64),
        np.rint(present @ present.T)[at],
    )


def _ends(n_systems: int, low: FloatArray, high: FloatArray) -> Ends:
    first, second = triangle(n_systems)
    ends = Ends(*(np.full((n_systems, n_systems), np.nan) for _ in range(2)))
    ends.low[first, second], ends.high[first, second] = low, high
    ends.low[second, first], ends.high[second, first] = 0.0 - high, 0.0 - low
    return ends
