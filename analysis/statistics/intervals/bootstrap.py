"""Confidence intervals from the bootstrap: percentile, basic, BCa and studentized."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from analysis.statistics._typing import FloatArray, Groups, Seed
from analysis.statistics.intervals.interval import Interval
from analysis.statistics.paired.canonical import Canonical, canonical, tie_tolerance
from analysis.statistics.paired.result import (
    TINY,
    CompletePair,
    complete_components,
)
from analysis.statistics.random_streams import BLOCK_ROWS
from analysis.statistics.resampling.metrics import ResampledMetric
from analysis.statistics.resampling.plan import count_block, replicates
from analysis.statistics.validation import as_choice, as_count, as_level, as_seed

_OWN_KEY = 1 << 31  # the sample itself is keyed like a resample that no plan reaches
STATISTICS = ("metric", "median")
BOOTSTRAP_INTERVALS = ("percentile", "basic", "bca", "studentized")


class _Ends(NamedTuple):
    low: float
    high: float


def bootstrap_interval(
    a: npt.ArrayLike,
    b: npt.ArrayLike | None = None,
    *,
    aggregation: str = "mean",
    statistic: str = "metric",
    groups: Groups = None,
    method: str = "bca",
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> Interval:
    """Return a bootstrap interval of a metric, or of the difference of two systems' metrics.

    Parameters
    ----------
    a : array_like, shape (n_items,) or (n_items, n_components)
        Scores; NaN in any component of either system leaves the item out.
    b : array_like of the same shape, optional
        The interval is that of a minus b; without `b`, of a alone.
    aggregation : str
        One of `AGGREGATIONS`.
    statistic : {"metric", "median"}
        "median": the median of the differences per item, for one score per item.
    groups : sequence, shape (n_items,), optional
        A label per item; whole groups are drawn. None is a group of its own.
    method : {"percentile", "basic", "bca", "studentized"}
    confidence_level : float
        Of the two-sided interval.
    n_resamples : int
    rng : int, Generator or None
        Seed; 0 is a seed. The same seed draws the same units as a bootstrap test.

    Returns
    -------
    Interval
        Both ends NaN with fewer than two items or groups, and where the metric is not defined.
        Resamples without a defined metric are left out. Where all resamples agree, an interval
        of no width.

    Raises
    ------
    TypeError, ValueError
        If scores are no numbers, not finite, of the wrong shape, or negative counts.

    Notes
    -----
    With t the metric, T* that of a resample and q its quantiles:

    - percentile: q(α/2) to q(1 - α/2);
    - basic: 2t - q(1 - α/2) to 2t - q(α/2);
    - bca: quantiles moved for bias z0 = Φ⁻¹(share of T* below t, ties by half) and acceleration,
      from the skewness of the metrics without each item or group in turn;
    - studentized: t less the quantiles of (T* - t) / se* times se. The standard error is
      linearised (delta method) for metrics of sums and Pearson's correlation; medians and
      Spearman's correlation take 32 resamples of every resample, some 32 times the work.

    Memory: 6 KB per item. Cost of bca for medians and Spearman's correlation grows with the
    square of the number of items.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, 12.5, 13.3, 14.3 (eqs. 14.9,
    14.10, 14.14, 14.15); Davison and Hinkley (1997), Bootstrap Methods and their Application, 5.2.

    Examples
    --------
    >>> interval = bootstrap_interval([3, 2, 5, 4, 4], [1, 2, 2, 3, 1], method="percentile")
    >>> interval.low >= 0
    True
    """
    as_choice(method, "method", BOOTSTRAP_INTERVALS)
    level = as_level(confidence_level, name="confidence_level")
    resamples, seed = as_count(n_resamples, "n_resamples"), as_seed(rng)
    of_median = _check_statistic(statistic, aggregation)
    pair = complete_components(a, a if b is None else b, aggregation=aggregation, groups=groups)
    none = Interval(math.nan, math.nan, method, level)
    if pair.n_units < 2:
        return none
    problem = _problem(pair, aggregation, of_median=of_median, single=b is None)
    if math.isnan(problem.observed):
        return none
    ends = _ends(problem, method, 1 - level, resamples, seed)
    if problem.turned:
        ends = _Ends(-ends.high, -ends.low)
    return Interval(ends.low, ends.high, method, level)


def _problem(pair: CompletePair, aggregation: str, *, of_median: bool, single: bool) -> Canonical:
    if not single:
        return canonical(pair, aggregation, of_median=of_median)
    if of_median or aggregation == "mean":
        zeros = pair._replace(b=np.zeros_like(pair.b))
        return canonical(zeros, aggregation, of_median=of_median)
    return canonical(pair, aggregation, single=True)


def _ends(problem: Canonical, method: str, alpha: float, n_resamples: int, seed: int) -> _Ends:
    observed, metric = problem.observed, problem.metric
    if method == "studentized":
        values, errors = _with_errors(metric, n_resamples, seed)
    else:
        values = replicates(metric.values, metric.n_units, n_resamples, seed)
        errors = np.empty(0)
    defined = ~np.isnan(values)
    if not defined.any():
        return _Ends(math.nan, math.nan)
    if np.ptp(values[defined]) <= tie_tolerance(problem, values):
        return _Ends(observed, observed)
    if method == "studentized":
        return _studentized(problem, values, errors, alpha, seed)
    values = values[defined]
    if method == "bca":
        return _quantiles(values, *_bca_levels(problem, values, alpha))
    low, high = _quantiles(values, alpha / 2, 1 - alpha / 2)
    return (
        _Ends(low, high)
        if method == "percentile"
        else _Ends(2 * observed - high, 2 * observed - low)
    )


def _bca_levels(problem: Canonical, values: FloatArray, alpha: float) -> _Ends:
    """Return the quantile levels that BCa reads instead of α/2 and 1 - α/2."""
    observed = problem.observed
    tolerance = tie_tolerance(problem, values)
    below = np.count_nonzero(values < observed - tolerance)
    tied = np.count_nonzero(np.abs(values - observed) <= tolerance)
    # Within the range that this many resamples can tell, or the bias would be infinite.
    share = min(max((below + tied / 2) / values.size, 0.5 / values.size), 1 - 0.5 / values.size)
    bias = float(scipy.special.ndtri(share))  # Efron and Tibshirani, eq. 14.14
    left = problem.metric.leave_one_out()
    left = left[~np.isnan(left)]
    left = np.mean(left) - left if left.size else left
    left = left / max(float(np.max(np.abs(left), initial=0.0)), TINY)
    spread = float(np.sum(left**2))
    # eq. 14.15; a metric that no single unit moves has no skewness
    acceleration = float(np.sum(left**3)) / (6 * spread**1.5) if spread > 0 else 0.0
    levels = [
        float(scipy.special.ndtr(bias + (bias + z) / (1 - acceleration * (bias + z))))  # eq. 14.10
        for z in (float(scipy.special.ndtri(alpha / 2)), float(scipy.special.ndtri(1 - alpha / 2)))
    ]
    return _Ends(*levels)


def _with_errors(
    metric: ResampledMetric, n_resamples: int, seed: int
) -> tuple[FloatArray, FloatArray]:
    values, errors = np.empty(n_resamples), np.empty(n_resamples)
    for block, start in enumerate(range(0, n_resamples, BLOCK_ROWS)):
        rows = min(BLOCK_ROWS, n_resamples - start)
        counts = count_block(seed, block, metric.n_units, np.float64)
        values[start : start + rows] = metric.values(counts)[:rows]
        errors[start : start + rows] = metric.standard_errors(counts[:rows], seed, start)
    return values, errors


def _studentized(
    problem: Canonical, values: FloatArray, errors: FloatArray, alpha: float, seed: int
) -> _Ends:
    observed = problem.observed
    ones = np.ones((1, problem.metric.n_units))
    error = float(problem.metric.standard_errors(ones, seed, _OWN_KEY)[0])
    usable = (errors > 0) & np.isfinite(errors) & ~np.isnan(values)
    if not usable.any():
        return _Ends(math.nan, math.nan)
    pivots = (values[usable] - observed) / errors[usable]
    low, high = _quantiles(pivots, alpha / 2, 1 - alpha / 2)
    return _Ends(observed - high * error, observed - low * error)


def _quantiles(values: FloatArray, low: float, high: float) -> _Ends:
    ends = np.quantile(values, [low, high])
    return _Ends(float(ends[0]), float(ends[1]))


def _check_statistic(statistic: str, aggregation: str) -> bool:
    """Return whether the statistic is the median of differences, or raise ValueError."""
    of_median = as_choice(statistic, "statistic", STATISTICS) == "median"
    if of_median and aggregation not in ("mean", "median"):
        raise ValueError(
            "`statistic` 'median' takes one score per item, got `aggregation` "
            f"'{aggregation}'. Use 'metric'."
        )
    return of_median
