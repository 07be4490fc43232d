"""Intervals for one system's score; those of a difference are `infer_pair`'s."""

import math
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray, Groups, IntArray, Seed
from analysis.statistics.aggregate import as_aggregation
from analysis.statistics.intervals.binary import (
    clopper_pearson_bounds,
    wilson_bounds,
    wilson_interval,
)
from analysis.statistics.intervals.bootstrap import bootstrap_interval
from analysis.statistics.intervals.interval import Interval
from analysis.statistics.item_groups import as_group_codes, keep_groups
from analysis.statistics.standard_error import (
    exact_mean,
    is_binary,
    n_units_of,
    rounding_error,
    spread_of_mean,
    t_quantile,
    z_quantile,
)
from analysis.statistics.validation import as_choice, as_floats, as_level

ScoreMethod: TypeAlias = Literal[
    "auto", "t", "wilson", "clopper-pearson", "percentile", "basic", "bca", "studentized"
]
SCORE_METHODS: tuple[str, ...] = get_args(ScoreMethod)
_OF_SHARES = ("wilson", "clopper-pearson")


def score_interval(
    values: npt.ArrayLike,
    *,
    aggregation: str = "mean",
    groups: Groups = None,
    method: str = "auto",
    confidence_level: float = 0.95,
    bounds: tuple[float, float] | None = None,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> Interval:
    """Return an interval for one system's metric.

    Two systems are not compared by whether their intervals overlap: use `infer_pair`.

    Parameters
    ----------
    values : array_like, shape (n_items,) or (n_items, n_components)
        Scores; NaN leaves the item out.
    aggregation : str
        As for `paired_test`.
    groups : sequence, shape (n_items,), optional
        Items with the same label depend on each other; None is a group of its own.
    confidence_level : float
    n_resamples, rng
        For the methods that resample.
    method : {"auto", "t", "wilson", "clopper-pearson", "percentile", "basic", "bca", "studentized"}
        "auto": Wilson's where all scores are 0 or 1 or within `bounds`, Student's t for other
        means (both cluster-robust with groups), "bca" for other functions of sums, "percentile"
        for medians and correlations.
    bounds : (float, float), optional
        The lowest and the highest score that an item can have; no interval leaves them.

    Returns
    -------
    Interval
        NaN for fewer than two independent items (binary scores: without items), and for graded
        scores that are all the same.

    Raises
    ------
    TypeError, ValueError
        If scores do not suit the method or the aggregation, or an argument is out of range.

    Notes
    -----
    Clopper and Pearson's never covers less than it says, and is longer for it.
    Wilson's interval with groups takes as many items as would have the cluster-robust standard
    error if they were independent (at most the items there are, and as many as there are groups
    where all scores are equal), and the t quantile. Graded scores within `bounds` are shares of
    that range, and it takes as many items as would have their standard error if they were 0 or 1.

    References
    ----------
    Wilson (1927); Clopper and Pearson (1934); Korn and Graubard (1998), Confidence intervals for
    proportions with small expected number of positive counts estimated from survey data, for the
    number of items.

    Examples
    --------
    >>> low, high, method, _ = score_interval([1, 1, 1, 1, 1, 1, 1, 1])
    >>> method, round(low, 3), high
    ('wilson', 0.676, 1.0)
    """
    as_choice(method, "method", SCORE_METHODS)
    level = as_level(confidence_level, name="confidence_level")
    scores, codes = _complete_scores(values, aggregation, groups)
    chosen = _choose_score(scores, aggregation, bounds) if method == "auto" else method
    if chosen in ("t", *_OF_SHARES):
        _need_means(method, aggregation)
    if chosen in _OF_SHARES:
        if scores.size and not (is_binary(scores[:, 0]) or _is_within(scores[:, 0], bounds)):
            raise ValueError(
                f"`method` '{chosen}' needs scores of 0 and 1, or within `bounds`. Use 't' for "
                "others."
            )
        least, most = bounds if bounds and _is_within(scores[:, 0], bounds) else (0.0, 1.0)
        found = _of_shares(chosen, (scores[:, 0] - least) / (most - least), codes, level)
        low, high = (min(least + (most - least) * end, most) for end in found[:2])
        return found._replace(low=low, high=high)
    if chosen == "t":
        spread = spread_of_mean(scores[:, 0], codes, rounding_error(scores[:, 0]))
        if not spread.standard_error > 0:
            return Interval(math.nan, math.nan, "t", level)
        mean, reach = exact_mean(scores[:, 0]), t_quantile(spread.df, level)
        reach *= spread.standard_error
        known = bounds or ((0.0, 1.0) if is_binary(scores[:, 0]) else None)
        held = known is not None and _is_within(scores[:, 0], known)
        least, most = known if known and held else (-math.inf, math.inf)
        return Interval(max(mean - reach, least), min(mean + reach, most), "t", level)
    return bootstrap_interval(
        scores,
        aggregation=aggregation,
        groups=codes,
        method=chosen,
        confidence_level=level,
        n_resamples=n_resamples,
        rng=rng,
    )


def _choose_score(scores: FloatArray, aggregation: str, bounds: tuple[float, float] | None) -> str:
    if aggregation != "mean":
        return _choose_resampling(aggregation)
    values = scores[:, 0]
    if bounds is None:
        return "wilson" if is_binary(values) else "t"
    return "wilson" if _is_within(values, bounds) else "t"


def _is_within(scores: FloatArray, bounds: tuple[float, float] | None) -> bool:
    return bounds is not None and bool(np.all((bounds[0] <= scores) & (scores <= bounds[1])))


def _choose_resampling(aggregation: str) -> str:
    return "percentile" if aggregation in ("median", "pearson", "spearman") else "bca"


def _need_means(method: str, aggregation: str) -> None:
    if aggregation != "mean":
        raise ValueError(
            f"`method` '{method}' is for means over items, got `aggregation` '{aggregation}'. "
            "Use 'bca' or 'percentile'."
        )


def _of_shares(method: str, shares: FloatArray, codes: IntArray | None, level: float) -> Interval:
    """Return an interval of the mean of shares of a whole, from 0 to 1 each."""
    if not shares.size:
        return Interval(math.nan, math.nan, method, level)
    binary = is_binary(shares)
    n_units = n_units_of(shares.size, codes)
    if binary and n_units == shares.size:
        if method == "wilson":
            return wilson_interval(int(np.count_nonzero(shares)), shares.size, level)
        exact = clopper_pearson_bounds(float(shares.mean()), shares.size, level)
        return Interval(*exact, method, level)
    share, spread = exact_mean(shares), spread_of_mean(shares, codes, rounding_error(shares))
    if n_units < 2 or (not binary and not spread.standard_error > 0):
        return Interval(math.nan, math.nan, method, level)
    # Korn and Graubard (1998), equation (3); of right or wrong items never more than there are.
    n_effective = float(n_units)
    if 0 < share < 1:
        variance = spread.standard_error**2
        n_effective = share * (1 - share) / variance if variance else math.inf
        n_effective = min(n_effective, float(shares.size)) if binary else n_effective
    quantile = t_quantile(spread.df, level)
    if method == "wilson":
        low, high = wilson_bounds(share, n_effective, quantile)
        return Interval(float(low), float(high), method, level)
    n_effective *= (z_quantile(level) / quantile) ** 2  # the same, equation (5)
    return Interval(*clopper_pearson_bounds(share, n_effective, level), method, level)


def _complete_scores(
    values: npt.ArrayLike, aggregation: str, groups: Groups
) -> tuple[FloatArray, IntArray | None]:
    """Check one system's scores and leave out items with a NaN."""
    kind = as_aggregation(aggregation)
    scores = as_floats(values, "values")
    if scores.ndim == 1:
        scores = scores[:, np.newaxis]
    if scores.ndim != 2 or scores.shape[1] != len(kind.components):
        raise ValueError(
            f"`values` must have shape (n_items, {len(kind.components)}) for aggregation "
            f"'{aggregation}', got {np.shape(values)}."
        )
    if np.any(np.isinf(scores)):
        raise ValueError("`values` must be finite (NaN = missing), got an infinite score.")
    complete = ~np.any(np.isnan(scores), axis=1)
    codes = None if groups is None else keep_groups(as_group_codes(groups, len(scores)), complete)
    return scores[complete], codes
