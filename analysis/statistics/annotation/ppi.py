"""Prediction-powered inference: many of a judge's scores, put right by a few of humans."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from analysis.statistics._typing import BoolArray, FloatArray
from analysis.statistics.annotation.judged import Groups, IntArray, group_codes
from analysis.statistics.intervals.interval import Interval
from analysis.statistics.results import Result
from analysis.statistics.signature import build_signature
from analysis.statistics.standard_error import exact_mean, spread_of_mean, t_quantile
from analysis.statistics.validation import as_floats, as_level

_ROUNDING = 1e-14


@dataclass(frozen=True, slots=True, eq=False)
class PredictionPowered(Result):
    """A mean of human scores, estimated from human and judged ones together.

    Attributes
    ----------
    estimate : float
        Mean of the judge's scores times `weight`, plus what humans give more on average than that.
    interval : Interval
    standard_error : float
    pvalue : float
        Two-sided, of a mean of 0; for differences.
    weight : float
        What a point of the judge's counts for: 0 is the classical estimate. It is above 1 where the
        judge's scale is the smaller one.
    classical : float
        Mean of the human scores alone.
    classical_interval : Interval
    classical_error, classical_pvalue : float
    judge : float
        Mean of the judge's scores of all items, as it is.
    bias : float
        Judge less human, on the items that both scored.
    bias_interval : Interval
    correlation : float
        Of judge and human on these items; NaN where either is constant.
    effective_n : float
        Human scores that would give the same standard error without the judge.
    n_human : int
        Items with both scores.
    n_judged_only : int
        Items with the judge's score alone.
    n_human_only : int
        Items with a human score alone, which are left out.
    """

    estimate: float
    interval: Interval
    standard_error: float
    pvalue: float
    weight: float
    classical: float
    classical_interval: Interval
    classical_error: float
    classical_pvalue: float
    judge: float
    bias: float
    bias_interval: Interval
    correlation: float
    effective_n: float
    n_human: int
    n_judged_only: int
    n_human_only: int

    @property
    def signature(self) -> str:
        """One line from which the estimate can be computed again."""
        return build_signature(
            "ppi++",
            human=self.n_human,
            judged_only=self.n_judged_only,
            left_out=self.n_human_only,
            conf=self.interval.confidence_level,
        )


class _Mean(NamedTuple):
    value: float
    error: float
    df: int


def prediction_powered_mean(
    human: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    groups: Groups = None,
    weight: float | None = None,
    confidence_level: float = 0.95,
) -> PredictionPowered:
    """Estimate the mean that humans would give, from few human and many judged scores.

    Parameters
    ----------
    human : array_like, shape (n_items,)
        NaN where no human judged. Of the difference between two systems: differences per item.
    judge : array_like, shape (n_items,)
        NaN where the judge has no score.
    groups : sequence, shape (n_items,), optional
        Items that may depend on each other; standard errors are then those of whole groups, also
        where humans judged some items of a group and the judge alone the others.
    weight : float, optional
        What a point of the judge's counts for, at least 0; by default what makes the standard
        error of single items least.
    confidence_level : float

    Raises
    ------
    TypeError, ValueError
        If the arrays do not fit or hold no finite numbers, or the weight is below 0.

    Notes
    -----
    estimate = w·mean(judge, judged only) + mean(human - w·judge, both), with variance
    w²·s²(judge)/N + s²(human - w·judge)/n and w = cov(human, judge) / ((1 + n/N)·var(judge)), at
    least 0. Another scale of the judge changes w alone. The estimate is right however wrong the
    judge is, if the items with human scores are a random choice of all. The quantile is Student's
    with n - 1 degrees of freedom (the paper takes the normal one), since the humans' part decides
    with few of them. Without further judged items it is the classical estimate.

    With groups the deviations of both parts are summed per group, then squared: parts of one
    group go together. The weight stays that of single items: fitted to a few groups it would
    follow chance, and intervals were too narrow.

    References
    ----------
    Angelopoulos et al. (2023), Prediction-powered inference; Angelopoulos, Duchi, Zrnic (2023),
    PPI++: efficient prediction-powered inference, example 6.1 and section 6.

    Examples
    --------
    >>> nan = float("nan")
    >>> found = prediction_powered_mean([1, 0, 1, nan, nan, nan], [1, 0, 0, 1, 1, 0], weight=1.0)
    >>> found.estimate == 2 / 3 + 1 / 3
    True
    """
    humans, judged = _column(human, "human"), _column(judge, "judge")
    if humans.shape != judged.shape:
        raise ValueError(
            f"`human` and `judge` must have one value per item each, got {humans.size} and "
            f"{judged.size}."
        )
    level = as_level(confidence_level, name="confidence_level")
    if weight is not None and not 0 <= weight < math.inf:
        raise ValueError(f"`weight` must be a number from 0 on, got {weight}.")
    codes = None if groups is None else group_codes(groups, humans.size)
    both = ~np.isnan(humans) & ~np.isnan(judged)
    alone = np.isnan(humans) & ~np.isnan(judged)
    y, f = humans[both], judged[both]
    trust = _best_weight(y, f, int(np.count_nonzero(alone))) if weight is None else float(weight)
    if not alone.any():
        trust = 0.0

    classical, gap = _mean_of(y, both, codes), _mean_of(f - y, both, codes)
    estimate = _mean_of(y - trust * f, both, codes)
    # With weight 0, items of the judge alone add nothing, not even where there is but one.
    if trust:
        estimate = _with_judge(estimate, y - trust * f, both, trust * judged[alone], alone, codes)
    error = estimate.error
    shrunk = (classical.error / error) ** 2 if error > 0 else math.nan
    return PredictionPowered(
        estimate=estimate.value,
        interval=_interval(estimate, level),
        standard_error=error,
        pvalue=_pvalue(estimate),
        weight=trust if y.size else math.nan,
        classical=classical.value,
        classical_interval=_interval(classical, level),
        classical_error=classical.error,
        classical_pvalue=_pvalue(classical),
        judge=exact_mean(judged[~np.isnan(judged)]),
        bias=gap.value,
        bias_interval=_interval(gap, level),
        correlation=_correlation(y, f),
        effective_n=y.size * shrunk,
        n_human=y.size,
        n_judged_only=int(np.count_nonzero(alone)),
        n_human_only=int(np.count_nonzero(~np.isnan(humans) & np.isnan(judged))),
    )


def _mean_of(values: FloatArray, rows: BoolArray, groups: IntArray | None) -> _Mean:
    """Return the mean of the values of some items, by whole groups."""
    own = None
    if groups is not None:
        own = np.unique(groups[rows], return_inverse=True)[1].reshape(-1)
    spread = spread_of_mean(values, own, _ROUNDING)
    return _Mean(exact_mean(values), spread.standard_error, spread.df)


def _with_judge(
    rest: _Mean,
    gaps: FloatArray,
    both: BoolArray,
    own: FloatArray,
    alone: BoolArray,
    groups: IntArray | None,
) -> _Mean:
    """Return the sum of the mean of `gaps`, which is `rest`, and that of `own`."""
    judge = _mean_of(own, alone, groups)
    value = rest.value + judge.value
    if groups is None or not (rest.error >= 0 and judge.error >= 0):
        return _Mean(value, math.hypot(rest.error, judge.error), rest.df)
    # A group may have items in both parts, whose deviations then go together.
    sums = np.zeros(int(groups.max()) + 1)
    for values, rows in ((gaps, both), (own, alone)):
        deviations = (values - exact_mean(values)) / values.size
        order = np.lexsort((deviations, groups[rows]))  # as `spread_of_mean` adds up
        n = np.unique(groups[rows]).size
        sums += math.sqrt(n / (n - 1)) * np.bincount(
            groups[rows][order], weights=deviations[order], minlength=sums.size
        )
    error = math.sqrt(math.fsum(sums**2))
    return _Mean(value, 0.0 if error <= _ROUNDING else error, rest.df)


def _column(values: npt.ArrayLike, name: str) -> FloatArray:
    column = as_floats(values, name)
    if column.ndim != 1:
        raise ValueError(f"`{name}` must be 1-D (one value per item), got shape {column.shape}.")
    if np.any(np.isinf(column)):
        raise ValueError(f"`{name}` must be finite (NaN where there is none).")
    return column


def _best_weight(y: FloatArray, f: FloatArray, n_alone: int) -> float:
    if y.size < 2 or not n_alone:
        return 0.0
    deviations = f - exact_mean(f)
    spread = math.fsum(deviations**2)
    if spread <= _ROUNDING * float(np.max(np.abs(f))) ** 2 * f.size:
        return 0.0
    shared = math.fsum((y - exact_mean(y)) * deviations)
    return max(0.0, shared / spread / (1 + y.size / n_alone))


def _correlation(y: FloatArray, f: FloatArray) -> float:
    if y.size < 2 or np.ptp(y) == 0 or np.ptp(f) == 0:
        return math.nan
    return float(np.corrcoef(y, f)[0, 1])


def _interval(mean: _Mean, confidence_level: float) -> Interval:
    if math.isnan(mean.error) or not mean.df:
        return Interval(math.nan, math.nan, "t", confidence_level)
    reach = t_quantile(mean.df, confidence_level) * mean.error
    return Interval(mean.value - reach, mean.value + reach, "t", confidence_level)


def _pvalue(mean: _Mean) -> float:
    if math.isnan(mean.error) or not mean.df:
        return math.nan
    if mean.error == 0:
        return 1.0 if mean.value == 0 else math.nan
    return 2 * float(special.stdtr(mean.df, -abs(mean.value) / mean.error))
