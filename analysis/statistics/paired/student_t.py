"""Student's t test of the mean difference, for independent items or for groups of them."""

import math
import warnings

import numpy as np
import numpy.typing as npt
from scipy import special

from analysis.statistics._typing import Alternative, FloatArray
from analysis.statistics.paired.null_hypotheses import null_hypothesis
from analysis.statistics.paired.result import (
    TINY,
    CompletePair,
    Groups,
    PairedTest,
    as_delta,
    complete_pair,
    metric_difference,
    sign_of,
)
from analysis.statistics.results import DegenerateDataWarning
from analysis.statistics.validation import ALTERNATIVES, as_choice


def paired_t(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    delta: float = 0.0,
    groups: Groups = None,
) -> PairedTest:
    """Test the mean difference of paired scores by Student's t.

    Assumes independent items whose differences are roughly normal, or many items; with `groups`,
    independent groups.

    Parameters
    ----------
    a, b : array_like, shape (n_items,) or (n_items, 1)
        Scores, higher is better. NaN in either leaves the item out.
    alternative : {"two-sided", "greater", "less"}
        "greater": a above b by more than `delta`.
    delta : float
        Mean difference a - b under the null hypothesis.
    groups : sequence, shape (n_items,), optional
        A label per item; items with equal labels may depend on each other, None is a group of its
        own. The standard error is then cluster-robust, with G - 1 degrees of freedom.

    Returns
    -------
    PairedTest
        p = 1 for identical systems. NaN for fewer than two items or groups, and where all items
        differ by the same amount other than `delta`: the sample has no spread to measure the
        mean against, and a p-value of 0 would claim certainty; the statistic is then ±inf.

    Raises
    ------
    TypeError, ValueError
        If scores are no numbers, not finite, or of different shapes.

    Warns
    -----
    DegenerateDataWarning
        If all items differ by the same amount other than `delta`.

    Notes
    -----
    The mean of n items in G groups has the variance
    G / (G - 1) · Σ over groups (Σ over its items (d - mean))² / n². With a group per item that is
    the plain one.

    References
    ----------
    Student (1908); Liang and Zeger (1986), Longitudinal data analysis using generalized linear
    models; Cameron and Miller (2015), A practitioner's guide to cluster-robust inference, II.

    Examples
    --------
    >>> result = paired_t([0.8, 0.6, 0.9, 0.7], [0.7, 0.6, 0.7, 0.5])
    >>> round(result.pvalue, 4)
    0.0796
    """
    as_choice(alternative, "alternative", ALTERNATIVES)
    shift = as_delta(delta)
    pair = complete_pair(a, b, n_components=1, groups=groups)
    first, second = pair.a[:, 0] - shift, pair.b[:, 0]
    difference = metric_difference(pair, "mean")
    statistic, pvalue = math.nan, math.nan
    if pair.n_units > 1:
        rounding = _rounding_error(pair, shift)
        if np.max(np.abs(first - second)) <= rounding:
            statistic, pvalue = 0.0, 1.0
        else:
            statistic = _t_statistic(first - second, rounding, pair.groups)
            pvalue = _t_pvalue(statistic, pair.n_units - 1, alternative)
    if math.isinf(statistic):
        warnings.warn(
            f"All {pair.n_units} {'items' if pair.groups is None else 'groups'} differ by the "
            f"same amount ({difference:.6g}): the t test has no spread to work with and its "
            "p-value is NaN. Use the sign-flip test.",
            DegenerateDataWarning,
            stacklevel=2,
        )
    return PairedTest(
        test="t",
        aggregation="mean",
        statistic=statistic,
        pvalue=pvalue,
        difference=difference,
        n_items=len(first),
        n_missing=pair.n_missing,
        alternative=alternative,
        exact=False,
        n_resamples=0,
        seed=None,
        pvalue_floor=None,
        tests_that=null_hypothesis("t", alternative, delta=shift, grouped=pair.groups is not None),
        delta=shift,
        n_groups=pair.n_groups,
        statistic_name="t",
        direction=sign_of(statistic),
    )


def _rounding_error(pair: CompletePair, shift: float) -> float:
    """Return how far differences that are equal on paper may lie apart in binary."""
    largest = max(float(np.max(np.abs(pair.a))), float(np.max(np.abs(pair.b))), abs(shift))
    return 4 * float(np.finfo(np.float64).eps) * largest


def _t_statistic(
    differences: FloatArray, rounding: float, groups: npt.NDArray[np.int64] | None
) -> float:
    """Return t of differences that are not all zero; ±inf where they do not spread."""
    n = differences.size
    peak = float(np.max(np.abs(differences)))
    mean = math.fsum(differences) / n
    if np.ptp(differences) <= rounding:
        return math.copysign(math.inf, mean)
    # Scaled by the peak so that squares of tiny differences do not vanish.
    residuals = (differences - mean) / peak
    if groups is not None:
        # In ascending order, so that the sums do not depend on the order of items.
        order = np.lexsort((residuals, groups))
        residuals = np.asarray(np.bincount(groups[order], weights=residuals[order]), np.float64)
        if np.max(np.abs(residuals)) <= n * rounding / peak:
            return 0.0 if abs(mean) <= rounding else math.copysign(math.inf, mean)
    n_units = residuals.size
    variance = math.fsum(residuals**2) / (n_units - 1) * n_units
    return mean / peak * n / math.sqrt(variance)


def _t_pvalue(statistic: float, df: int, alternative: str) -> float:
    if math.isinf(statistic):
        return math.nan
    if alternative == "two-sided":
        return min(1.0, max(2.0 * float(special.stdtr(df, -abs(statistic))), TINY))
    return max(
        float(special.stdtr(df, -statistic if alternative == "greater" else statistic)), TINY
    )
