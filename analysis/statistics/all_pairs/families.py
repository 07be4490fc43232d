"""Adjusted p-values over all pairs, and what the number of replicates has to do with them."""

import math
from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.all_pairs.complete_sets import triangle
from analysis.statistics.all_pairs.result import PairMethod, PairPvalues
from analysis.statistics.multiplicity import adjust

_AT_FLOOR = 1 + 1e-9
_HALVINGS = 60


class Family(NamedTuple):
    """Adjusted p-values of a family of pairs."""

    pvalue_adjusted: FloatArray
    n_tests: int
    floor_note: str
    """What must be known where the number of replicates decides a verdict; else empty."""


def adjust_family(
    pvalues: PairPvalues,
    correction: str,
    joint: FloatArray | None,
    *,
    alternative: str,
    alpha: float,
    n_resamples: int,
) -> Family:
    """Adjust the p-values of all pairs.

    Parameters
    ----------
    pvalues : PairPvalues
        NaN does not count in the family.
    correction : str
        One of `CORRECTIONS`.
    joint : ndarray, shape (n_systems, n_systems), or None
        Adjusted p-values of a correction that is no method of `adjust`.
    alternative : {"two-sided", "greater", "less"}
        One-sided, both directions of a pair are in the family.
    alpha : float
    n_resamples : int

    Returns
    -------
    Family
    """
    n_systems = len(pvalues.pvalue)
    first, second = triangle(n_systems)
    if alternative != "two-sided":
        first, second = np.concatenate([first, second]), np.concatenate([second, first])
    listed = pvalues.pvalue[first, second]
    n_tests = int(np.count_nonzero(~np.isnan(listed)))
    if joint is not None:
        # A pair that cannot be tested by itself is not in the family either; and no correction
        # may make a p-value smaller.
        adjusted = np.maximum(joint, pvalues.pvalue)
        drawn = n_tests and correction != "tukey"
        note = _max_t_note(alpha, n_resamples) if drawn else ""
        return Family(adjusted, n_tests, note)
    adjusted = np.full((n_systems, n_systems), np.nan)
    family = adjust(listed, correction, alpha=alpha)
    adjusted[first, second] = family.pvalues_adjusted
    if alternative == "two-sided":
        adjusted[second, first] = family.pvalues_adjusted
    drawn = pvalues.method[first, second] == PairMethod.MONTE_CARLO
    at_floor = drawn & (listed <= pvalues.floor[first, second] * _AT_FLOOR)
    note = _floor_note(listed, at_floor, family.rejected, correction, alpha, n_resamples)
    return Family(adjusted, n_tests, note)


def _floor_note(
    pvalues: FloatArray,
    at_floor: np.ndarray,
    rejected: np.ndarray,
    correction: str,
    alpha: float,
    n_resamples: int,
) -> str:
    """Say how many replicates it would take, if more of them could reject what these cannot."""
    open_pairs = at_floor & ~rejected

    def could_reject(pvalue: float) -> bool:
        lower = np.where(at_floor, np.minimum(pvalue, pvalues), pvalues)
        return bool(np.any(adjust(lower, correction, alpha=alpha).rejected & open_pairs))

    if not open_pairs.any() or not could_reject(0.0):
        return ""
    low, high = 0.0, float(np.max(pvalues[open_pairs]))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if could_reject(middle) else (low, middle)
    n_open, n_tests = int(np.count_nonzero(open_pairs)), int(np.count_nonzero(~np.isnan(pvalues)))
    needed = "many more" if low == 0 else f"at least {math.ceil(round(1 / low, 6)) - 1:,}"
    none = "it" if n_open == 1 else "any of them"
    return (
        f"{n_open:,} of {n_tests:,} p-values {'is' if n_open == 1 else 'are'} as small as "
        f"{n_resamples:,} replicates can give, and '{correction}' over {n_tests:,} tests cannot "
        f"reject {none} at {alpha:g}: that is for want of replicates, not of evidence. Take "
        f"{needed}, or a test without replicates."
    )


def _max_t_note(alpha: float, n_resamples: int) -> str:
    if 1 / (n_resamples + 1) <= alpha:
        return ""
    return (
        f"The smallest adjusted p-value that {n_resamples:,} replicates can give is "
        f"{1 / (n_resamples + 1):.4g}, above {alpha:g}: nothing can be rejected. Take at least "
        f"{math.ceil(round(1 / alpha, 6)) - 1:,}."
    )
