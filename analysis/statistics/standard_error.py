"""Means of item scores, how far they may be off, and what counts as an independent unit."""

import math
from typing import NamedTuple

import numpy as np
import scipy

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.exact_sums import exact_sum
from analysis.statistics.precision import precision_of


class Spread(NamedTuple):
    """Standard error of a mean, and the degrees of freedom behind it."""

    standard_error: float
    """NaN with fewer than two independent units; 0 where no unit differs from another."""
    df: int


def exact_mean(values: FloatArray) -> float:
    """Return the mean, the same in any order of items; NaN without any."""
    return exact_sum(values) / values.size if values.size else math.nan


def exact_std(values: FloatArray) -> float:
    """Return the standard deviation with n - 1, the same in any order; NaN for n < 2."""
    if values.size < 2:
        return math.nan
    centred = values - exact_mean(values)
    peak = float(np.max(np.abs(centred)))
    if peak == 0:
        return 0.0
    # Scaled by the peak so that squares of tiny values do not vanish.
    return peak * math.sqrt(exact_sum((centred / peak) ** 2) / (values.size - 1))


def n_units_of(n_items: int, groups: IntArray | None) -> int:
    """Return the number of independent units: groups, or else items."""
    return n_items if groups is None else int(np.max(groups, initial=-1)) + 1


def spread_of_mean(influence: FloatArray, groups: IntArray | None, rounding: float = 0.0) -> Spread:
    """Return the standard error of a mean of `influence`, cluster-robust with `groups`.

    Parameters
    ----------
    influence : ndarray, shape (n_items,)
        Item values, or what each item adds to a statistic that is nearly a mean.
    groups : ndarray of int, shape (n_items,), or None
        Numbers from 0 of groups whose items may depend on each other.
    rounding : float
        Standard errors up to this size are rounding errors and become 0.

    Notes
    -----
    With groups: residuals are summed per group, with the factor G/(G-1), and G-1 degrees of
    freedom. With as many groups as items this is the usual s/sqrt(n).
    """
    n_items = influence.size
    n_units = n_units_of(n_items, groups)
    if n_units < 2:
        return Spread(math.nan, 0)
    if groups is None:
        error = exact_std(influence) / math.sqrt(n_items)
    else:
        residuals = influence - exact_mean(influence)
        # In ascending order, so that the sums do not depend on the order of items.
        order = np.lexsort((residuals, groups))
        sums = np.bincount(groups[order], weights=residuals[order], minlength=n_units)
        error = math.sqrt(n_units / (n_units - 1) * math.fsum(sums**2)) / n_items
    return Spread(0.0 if error <= rounding else error, n_units - 1)


def rounding_error(*scores: FloatArray) -> float:
    """Return how far differences that are equal on paper may lie apart in binary."""
    return max((float(precision_of(values[np.newaxis])[0]) for values in scores), default=0.0)


def t_quantile(df: int, confidence_level: float) -> float:
    """Return the quantile that a two-sided interval reaches out to, in standard errors."""
    return float(scipy.special.stdtrit(df, 0.5 + confidence_level / 2))


def z_quantile(confidence_level: float) -> float:
    """Return the normal quantile of a two-sided interval."""
    return float(scipy.special.ndtri(0.5 + confidence_level / 2))


def is_binary(values: FloatArray) -> bool:
    """Return whether there are values and all are 0 or 1."""
    return bool(values.size and np.all((values == 0) | (values == 1)))
