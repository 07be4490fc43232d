"""Sizes of a difference by ranks and signs, with intervals, for items or groups of items."""

import math
from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.intervals.binary import PairCounts, tango_interval
from analysis.statistics.intervals.interval import Interval
from analysis.statistics.paired.walsh_averages import (
    Convention,
    n_outside_interval,
    n_outside_normal,
    walsh_bounds,
    walsh_median,
)
from analysis.statistics.standard_error import n_units_of, spread_of_mean, t_quantile


class SizeWithInterval(NamedTuple):
    """An estimate and its interval."""

    estimate: float
    interval: Interval


class RankSizes(NamedTuple):
    """Two sizes from the sum of the signed ranks."""

    biserial: SizeWithInterval
    wilcoxon_r: SizeWithInterval


def rank_sizes(steps: FloatArray, groups: IntArray | None, confidence_level: float) -> RankSizes:
    """Return the rank-biserial correlation and Wilcoxon r of the differences that are not 0.

    Parameters
    ----------
    steps : ndarray, shape (n_items,)
        Differences in whole steps, so that equal ones are equal.
    groups : ndarray of int, shape (n_items,), or None
    confidence_level : float

    Notes
    -----
    r = |Z| / sqrt(n), Z with the tie correction by group sizes of ties (NLPStatTest cubes the
    values instead), and proportional to the correlation given n and the ties.

    References
    ----------
    Zhu et al. (2020), equation 4; Sen (1967), A note on asymptotically distribution-free
    confidence bounds for P(X < Y), for the variance.
    """
    differing = steps != 0
    values = steps[differing]
    n = values.size
    if n == 0:
        none = _unknown("U-statistic", confidence_level)
        estimate = 0.0 if steps.size else math.nan
        return RankSizes(SizeWithInterval(estimate, none), SizeWithInterval(estimate, none))
    if groups is not None:
        groups = np.unique(groups[differing], return_inverse=True)[1].reshape(-1)
    ranks = _mid_ranks(np.abs(values))
    rank_sum = n * (n + 1) / 2
    biserial = float(np.sum(np.where(values > 0, ranks, -ranks))) / rank_sum
    low, high = _biserial_bounds(values, biserial, groups, confidence_level)
    # Z / sqrt(n) over the correlation; the variance of mid-ranks is that with the tie correction.
    factor = rank_sum / math.sqrt(n * float(np.sum(ranks**2)))
    sides = (abs(low), abs(high))
    r_low = 0.0 if low <= 0 <= high else factor * min(sides)
    return RankSizes(
        SizeWithInterval(biserial, Interval(low, high, "U-statistic", confidence_level)),
        SizeWithInterval(
            factor * abs(biserial),
            Interval(
                math.nan if math.isnan(low) else r_low,
                factor * max(sides),
                "U-statistic",
                confidence_level,
            ),
        ),
    )


def hodges_lehmann(
    differences: FloatArray,
    groups: IntArray | None,
    convention: Convention,
    confidence_level: float,
) -> SizeWithInterval:
    """Return the Hodges-Lehmann estimate with the differences that signed ranks do not reject.

    References
    ----------
    Hollander, Wolfe, Chicken (2014), Nonparametric Statistical Methods, 3.2 and 3.3; Rosner,
    Glynn, Lee (2006), The Wilcoxon signed rank test for paired comparisons of clustered data, for
    the variance with groups.
    """
    n = differences.size
    centre = walsh_median(differences, convention)
    n_units = n_units_of(n, groups)
    if math.isnan(centre) or n_units < 2:
        return SizeWithInterval(centre, _unknown("signed-rank", confidence_level))
    if groups is None or n_units == n:
        n_outside = n_outside_interval(n, convention, confidence_level)
    else:
        away = differences - centre
        ranks = _mid_ranks(np.abs(away)) - (0 if convention == "i<=j" else 1)
        sums = np.bincount(groups, weights=np.sign(away) * ranks)
        error = math.sqrt(float(np.sum(sums**2))) / 2
        reach = t_quantile(n_units - 1, confidence_level) * error
        n_outside = n_outside_normal(n, convention, reach)
    low, high = walsh_bounds(differences, convention, n_outside)
    return SizeWithInterval(centre, Interval(low, high, "signed-rank", confidence_level))


def superiority(
    steps: FloatArray, groups: IntArray | None, confidence_level: float
) -> SizeWithInterval:
    """Return the share of items where a is above b, ties counted half."""
    n = steps.size
    if n == 0:
        return SizeWithInterval(math.nan, _unknown("tango", confidence_level))
    win, loss = int(np.count_nonzero(steps > 0)), int(np.count_nonzero(steps < 0))
    share = 0.5 + (win - loss) / n / 2
    n_units = n_units_of(n, groups)
    if n_units == n:
        # Twice the share less 1 is the share of wins minus the share of losses.
        low, high, method, _ = tango_interval(
            PairCounts(n - win - loss, win, loss, 0), confidence_level
        )
        low, high = (1 + low) / 2, (1 + high) / 2
    else:
        method = "t"
        spread = spread_of_mean((1 + np.sign(steps)) / 2, groups, 1e-15)
        if spread.standard_error == 0:
            method = "no-spread"
            other = -math.expm1(math.log((1 - confidence_level) / 2) / n_units)
            low, high = (1 - other) * share, (1 - other) * share + other
        elif spread.df:
            reach = t_quantile(spread.df, confidence_level) * spread.standard_error
            low, high = max(0.0, share - reach), min(1.0, share + reach)
        else:
            low = high = math.nan
    return SizeWithInterval(share, Interval(low, high, method, confidence_level))


def _biserial_bounds(
    values: FloatArray, biserial: float, groups: IntArray | None, confidence_level: float
) -> tuple[float, float]:
    """Return bounds on the scale of Fisher's z by the variance of the U-statistic."""
    n = values.size
    n_units = n_units_of(n, groups)
    if n_units < 2:
        return math.nan, math.nan
    if abs(biserial) > 1 - 1e-12:
        # All differences have one sign. If that had a chance below p it would be a surprise, and
        # two items of that sign have an average of that sign.
        chance = ((1 - confidence_level) / 2) ** (1 / n_units)
        edge = 2 * chance**2 - 1
        return (edge, 1.0) if biserial > 0 else (-1.0, -edge)
    ordered = np.sort(values)
    below = np.searchsorted(ordered, -values, side="left")
    upto = np.searchsorted(ordered, -values, side="right")
    # Mean sign of the averages of each difference with all others.
    influence = (n - below - upto) / n
    spread = spread_of_mean(2 * influence, groups)
    reach = t_quantile(spread.df, confidence_level) * spread.standard_error
    reach /= 1 - biserial**2
    centre = math.atanh(biserial)
    return math.tanh(centre - reach), math.tanh(centre + reach)


def _mid_ranks(sizes: FloatArray) -> FloatArray:
    _, inverse, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    middles = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(middles[inverse.reshape(-1)])


def _unknown(method: str, confidence_level: float) -> Interval:
    return Interval(math.nan, math.nan, method, confidence_level)
