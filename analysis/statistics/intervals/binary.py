"""Intervals for items that are right or wrong.

Wilson's and Clopper and Pearson's for one system, Newcombe's and Tango's for two. All stay inside
the possible values and keep their coverage for small samples and at the edges, where intervals
made of an estimate and its standard error collapse.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy import optimize, special

from analysis.statistics._typing import FloatArray
from analysis.statistics.intervals.interval import Interval
from analysis.statistics.standard_error import z_quantile


class PairCounts(NamedTuple):
    """How often both, one or none of two systems is right."""

    both: int
    only_a: int
    only_b: int
    neither: int

    @property
    def n_items(self) -> int:
        """Number of items."""
        return sum(self)

    @property
    def difference(self) -> float:
        """Share of a minus share of b."""
        return (self.only_a - self.only_b) / self.n_items


def count_pairs(a: FloatArray, b: FloatArray) -> PairCounts:
    """Count the four outcomes of binary scores."""
    both = int(np.count_nonzero((a == 1) & (b == 1)))
    only_a, only_b = int(np.count_nonzero(a > b)), int(np.count_nonzero(b > a))
    return PairCounts(both, only_a, only_b, a.size - both - only_a - only_b)


def wilson_bounds(share: float, n: float, quantile: float) -> tuple[float, float]:
    """Return Wilson's bounds of a share of `n` items; `n` need not be whole."""
    spare = quantile**2 / n
    centre = (share + spare / 2) / (1 + spare)
    reach = quantile * math.sqrt(share * (1 - share) / n + spare / n / 4) / (1 + spare)
    # Exactly 0 and 1 at the edges, whatever the rounding.
    low = 0.0 if share == 0 else max(0.0, centre - reach)
    high = 1.0 if share == 1 else min(1.0, centre + reach)
    return low, high


def wilson_interval(n_right: int, n_items: int, confidence_level: float) -> Interval:
    """Return Wilson's score interval of a share.

    References
    ----------
    Wilson (1927), Probable inference, the law of succession, and statistical inference.
    """
    bounds = wilson_bounds(n_right / n_items, n_items, z_quantile(confidence_level))
    return Interval(*bounds, "wilson", confidence_level)


def clopper_pearson_bounds(share: float, n: float, level: float) -> tuple[float, float]:
    """Return the bounds of a share of `n` items by the binomial distribution's own tails.

    Coverage is never below the level, and mostly above. `n` need not be whole.

    References
    ----------
    Clopper and Pearson (1934), The use of confidence or fiducial limits.
    """
    right, wrong, tail = share * n, n - share * n, (1 - level) / 2
    low = float(special.betaincinv(right, wrong + 1, tail)) if share > 0 else 0.0
    high = float(special.betaincinv(right + 1, wrong, 1 - tail)) if share < 1 else 1.0
    return low, high


def newcombe_interval(counts: PairCounts, confidence_level: float) -> Interval:
    """Return Newcombe's interval of a difference of paired shares (his method 10).

    References
    ----------
    Newcombe (1998), Improved confidence intervals for the difference between binomial
    proportions based on paired data, method 10.
    """
    n, quantile = counts.n_items, z_quantile(confidence_level)
    right_a, right_b = counts.both + counts.only_a, counts.both + counts.only_b
    low_a, high_a = wilson_bounds(right_a / n, n, quantile)
    low_b, high_b = wilson_bounds(right_b / n, n, quantile)
    phi = _corrected_phi(counts, right_a, right_b)

    def reach(from_a: float, from_b: float) -> float:
        return math.sqrt(max(0.0, from_a**2 - 2 * phi * from_a * from_b + from_b**2))

    share_a, share_b = right_a / n, right_b / n
    low = counts.difference - reach(share_a - low_a, high_b - share_b)
    high = counts.difference + reach(high_a - share_a, share_b - low_b)
    return Interval(max(-1.0, low), min(1.0, high), "newcombe", confidence_level)


def _corrected_phi(counts: PairCounts, right_a: int, right_b: int) -> float:
    n = counts.n_items
    product = counts.both * counts.neither - counts.only_a * counts.only_b
    corrected = max(0.0, product - n / 2) if product > 0 else float(product)
    margins = float(right_a) * (n - right_a) * right_b * (n - right_b)
    return corrected / math.sqrt(margins) if margins else 0.0


def tango_interval(counts: PairCounts, confidence_level: float) -> Interval:
    """Return Tango's score interval of a difference of paired shares.

    The differences that Tango's score test does not reject; it is never empty, not even where no
    item tells the systems apart.

    References
    ----------
    Tango (1998), Equivalence test and confidence interval for the difference in proportions for
    the paired-sample design.
    """
    low = _lower_bound(counts.only_a, counts.only_b, counts.n_items, confidence_level)
    high = -_lower_bound(counts.only_b, counts.only_a, counts.n_items, confidence_level)
    return Interval(low, high, "tango", confidence_level)


def _lower_bound(only_a: int, only_b: int, n: int, confidence_level: float) -> float:
    quantile = z_quantile(confidence_level)
    # Two edges where the estimate itself is a second root of the equation.
    if only_a == only_b == 0:
        return -(quantile**2) / (n + quantile**2)
    if only_a == n:
        return (n - quantile**2) / (n + quantile**2)
    if only_b == n:
        return -1.0

    def excess(difference: float) -> float:
        gap = only_a - only_b - n * difference
        return gap - quantile * _tango_error(only_a, only_b, n, difference)

    return float(optimize.brentq(excess, -1.0, (only_a - only_b) / n, xtol=1e-15, rtol=1e-14))


def tango_z(counts: PairCounts, difference: float) -> float:
    """Return Tango's score statistic against a hypothesised `difference`.

    Standard normal where the shares differ by just that; ±inf where the data are impossible.
    """
    n = counts.n_items
    at = min(1.0, max(-1.0, difference))
    gap = counts.only_a - counts.only_b - n * at
    error = _tango_error(counts.only_a, counts.only_b, n, at)
    if error == 0:
        return math.copysign(math.inf, gap) if gap else 0.0
    return gap / error


def _tango_error(only_a: int, only_b: int, n: int, difference: float) -> float:
    """Return the standard error of ``only_a - only_b`` if the shares differ by `difference`."""
    # Tango (1998), equations (8) to (10): the likeliest share of only_b under that difference.
    linear = (2 * n - only_a + only_b) * difference - only_a - only_b
    constant = -only_b * difference * (1 - difference)
    root = math.sqrt(max(0.0, linear**2 - 8 * n * constant))
    # The form without cancellation.
    share = (root - linear) / (4 * n) if linear <= 0 else -2 * constant / (root + linear)
    return math.sqrt(max(0.0, n * (2 * share + difference * (1 - difference))))
