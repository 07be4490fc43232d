"""Intervals for items that are right or wrong.

Wilson's and Clopper and Pearson's for one system, Newcombe's and Tango's for two, of one pair or of
many at once. All stay inside the possible values and keep their coverage for small samples and at
the edges, where intervals made of an estimate and its standard error collapse.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
import scipy

from analysis.statistics._typing import FloatArray
from analysis.statistics.intervals.interval import Interval
from analysis.statistics.standard_error import z_quantile

Bounds: TypeAlias = tuple[FloatArray, FloatArray]


class PairCounts(NamedTuple):
    """How often both, one or none of two systems is right; of one pair, or arrays of many."""

    both: int | FloatArray
    only_a: int | FloatArray
    only_b: int | FloatArray
    neither: int | FloatArray

    @property
    def columns(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Both, only a, only b, and all items, as arrays."""
        both, only_a, only_b, neither = (
            np.atleast_1d(np.asarray(count, dtype=np.float64)) for count in self
        )
        return both, only_a, only_b, both + only_a + only_b + neither


def count_pairs(a: FloatArray, b: FloatArray) -> PairCounts:
    """Count the four outcomes of binary scores."""
    both = int(np.count_nonzero((a == 1) & (b == 1)))
    only_a, only_b = int(np.count_nonzero(a > b)), int(np.count_nonzero(b > a))
    return PairCounts(both, only_a, only_b, a.size - both - only_a - only_b)


def wilson_bounds(share: FloatArray | float, n: FloatArray | float, quantile: float) -> Bounds:
    """Return Wilson's bounds of a share of `n` items; `n` need not be whole."""
    spare = quantile**2 / n
    centre = (share + spare / 2) / (1 + spare)
    reach = quantile * np.sqrt(share * (1 - share) / n + spare / n / 4) / (1 + spare)
    # Exactly 0 and 1 at the edges, whatever the rounding.
    low = np.where(share == 0, 0.0, np.maximum(centre - reach, 0.0))
    return low, np.where(share == 1, 1.0, np.minimum(centre + reach, 1.0))


def wilson_interval(n_right: int, n_items: int, confidence_level: float) -> Interval:
    """Return Wilson's score interval of a share.

    References
    ----------
    Wilson (1927), Probable inference, the law of succession, and statistical inference.
    """
    low, high = wilson_bounds(n_right / n_items, n_items, z_quantile(confidence_level))
    return Interval(float(low), float(high), "wilson", confidence_level)


def clopper_pearson_bounds(share: float, n: float, level: float) -> tuple[float, float]:
    """Return the bounds of a share of `n` items by the binomial distribution's own tails.

    Coverage is never below the level, and mostly above. `n` need not be whole.

    References
    ----------
    Clopper and Pearson (1934), The use of confidence or fiducial limits.
    """
    right, wrong, tail = share * n, n - share * n, (1 - level) / 2
    low = float(scipy.special.betaincinv(right, wrong + 1, tail)) if share > 0 else 0.0
    high = float(scipy.special.betaincinv(right + 1, wrong, 1 - tail)) if share < 1 else 1.0
    return low, high


def tango_interval(counts: PairCounts, confidence_level: float) -> Interval:
    """Return `tango_bounds` of one pair."""
    low, high = tango_bounds(counts, confidence_level)
    return Interval(float(low[0]), float(high[0]), "tango", confidence_level)


def newcombe_bounds(counts: PairCounts, confidence_level: float) -> Bounds:
    """Return Newcombe's intervals of differences of paired shares (his method 10).

    References
    ----------
    Newcombe (1998), Improved confidence intervals for the difference between binomial
    proportions based on paired data, method 10.
    """
    both, only_a, only_b, n = counts.columns
    quantile = z_quantile(confidence_level)
    with np.errstate(divide="ignore", invalid="ignore"):
        right_a, right_b = both + only_a, both + only_b
        share_a, share_b = right_a / n, right_b / n
        low_a, high_a = wilson_bounds(share_a, n, quantile)
        low_b, high_b = wilson_bounds(share_b, n, quantile)
        product = both * (n - both - only_a - only_b) - only_a * only_b
        corrected = np.where(product > 0, np.maximum(product - n / 2, 0.0), product)
        margins = right_a * (n - right_a) * right_b * (n - right_b)
        phi = np.where(margins > 0, corrected / np.sqrt(margins), 0.0)
        difference = (only_a - only_b) / n

        def reach(from_a: FloatArray, from_b: FloatArray) -> FloatArray:
            squares = from_a**2 - 2 * phi * from_a * from_b + from_b**2
            return np.sqrt(np.maximum(squares, 0.0))

        low = difference - reach(share_a - low_a, high_b - share_b)
        high = difference + reach(high_a - share_a, share_b - low_b)
    return np.maximum(low, -1.0), np.minimum(high, 1.0)


def tango_bounds(counts: PairCounts, confidence_level: float) -> Bounds:
    """Return Tango's score intervals of differences of paired shares.

    The differences that Tango's score test does not reject; never empty, not even where no item
    tells the systems apart. NaN without items.

    References
    ----------
    Tango (1998), Equivalence test and confidence interval for the difference in proportions for
    the paired-sample design.
    """
    _, only_a, only_b, n = counts.columns
    # An upper end is the lower end of the other direction, turned.
    ends = np.stack([np.append(only_a, only_b), np.append(only_b, only_a), np.append(n, n)])
    found, back = np.unique(ends, axis=1, return_inverse=True)
    lower = _tango_lower(found[0], found[1], found[2], z_quantile(confidence_level))
    bounds = lower[back.reshape(-1)]
    return bounds[: n.size], -bounds[n.size :]


def tango_z(counts: PairCounts, difference: float) -> FloatArray:
    """Return Tango's score statistics against a hypothesised `difference`.

    Standard normal where the shares differ by just that; ±inf where the data are impossible.
    """
    _, only_a, only_b, n = counts.columns
    at = np.full(n.shape, min(1.0, max(-1.0, difference)))
    excess = only_a - only_b - n * at
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(excess == 0, 0.0, excess / _tango_error(only_a, only_b, n, at))


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

        from scipy.optimize import elementwise

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
