"""Where the default tests of a difference hold, and what takes their place where they do not.

Sign flips and the t test take differences as symmetric, or items as many. Where neither is so,
equal systems are called different too often. What is known of that stands in `BOUNDS`; `guard`
applies it to any number of pairs at once. It looks at the data of a pair, and only ever makes an
answer more careful: p grows, the interval widens, or there is no answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from analysis.statistics._typing import Alternative, BoolArray, FloatArray
from analysis.statistics.standard_error import CodeArray


class Bound(NamedTuple):
    """A threshold and what it stands for."""

    value: float
    means: str


BOUNDS: Mapping[str, Bound] = {
    "binary-units": Bound(
        10,
        "from so many items on the score test of two shares keeps its level",
    ),
    "binary-discordant": Bound(
        0.9,
        "up to this share of items that tell the systems apart it keeps it, too",
    ),
    "skewness": Bound(
        0.1,
        "from this skewness of the differences, over the root of their number, they are skewed",
    ),
    "inflation": Bound(
        1.5,
        "how much more skewed all items are taken to be than those seen",
    ),
    "few-units": Bound(
        10,
        "with fewer differences than this, skewness cannot be corrected for",
    ),
    "few-skewness": Bound(
        0.5,
        "of its largest possible value, from which few differences count as skewed",
    ),
    "tight": Bound(
        8,
        "standard deviations that fit into the range of the scores from which on an unseen loss "
        "could outweigh what was seen",
    ),
}
"""By name."""


class Reason(IntEnum):
    """What was done to the answer about a pair."""

    KEPT = 0
    SKEWED = 1
    """Adjusted for skewed differences."""
    UNSEEN = 2
    """Widened by what no item shows: differences are small beside the range of the scores."""
    NO_VALID_TEST = 3
    """Nothing is known to hold: no p-value, no interval."""
    EXACT = 4
    """Right or wrong: the exact test's p, where it is the larger one."""


class Moments(NamedTuple):
    """Number, mean, standard deviation (n - 1) and skewness of differences; arrays or numbers."""

    n: FloatArray
    mean: FloatArray
    sd: FloatArray
    skewness: FloatArray


class DifferenceFacts(NamedTuple):
    """What the guard needs to know of each pair, in arrays of one shape.

    Units are those of the test: items, or groups of items, which count by the sum of their
    differences over the mean size of a group. All differences less the one under the null.
    """

    units: Moments
    differing: Moments
    """Of the units whose difference is not 0."""
    items: Moments
    largest: FloatArray
    """How far the item scores of both systems spread; NaN = not known."""


class Guarded(NamedTuple):
    """The answers with the guard applied, in arrays of one shape."""

    pvalue: FloatArray
    low: FloatArray
    high: FloatArray
    reason: npt.NDArray[np.int8]
    """A `Reason`."""


def difference_facts(
    differences: FloatArray, largest: npt.ArrayLike = np.nan, groups: CodeArray | None = None
) -> DifferenceFacts:
    """Return what the guard needs to know.

    Parameters
    ----------
    differences : ndarray, shape (n_items,) or (n_pairs, n_items)
        Of items both have, less the difference under the null hypothesis.
    largest : float or ndarray, shape (n_pairs,)
        How far the item scores of both systems spread.
    groups : ndarray of int, shape (n_items,), optional
        Numbers from 0 of groups that are the units of the test.
    """
    items = np.asarray(differences, dtype=np.float64)
    units = items if groups is None else _group_sums(items, groups)
    return DifferenceFacts(
        _moments(units, np.ones(units.shape, dtype=np.bool_)),
        _moments(units, units != 0),
        _moments(items, np.ones(items.shape, dtype=np.bool_)),
        np.broadcast_to(np.asarray(largest, dtype=np.float64), items.shape[:-1]).copy(),
    )


def _group_sums(items: FloatArray, groups: CodeArray) -> FloatArray:
    """Return the sum of each group over the mean size of a group."""
    sizes = np.bincount(groups)
    in_order = items[..., np.argsort(groups, kind="stable")]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    sums = np.add.reduceat(in_order, starts, axis=-1)
    return np.asarray(sums * len(sizes) / items.shape[-1])


def _moments(values: FloatArray, counted: BoolArray) -> Moments:
    n = counted.sum(axis=-1).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(counted, values, 0.0).sum(axis=-1) / n
        centred = np.where(counted, values - mean[..., np.newaxis], 0.0)
        peak = np.max(np.abs(centred), axis=-1, initial=0.0)
        scaled = np.where(
            peak[..., np.newaxis] > 0, centred / peak[..., np.newaxis], 0.0
        )  # so that powers of tiny differences do not vanish
        second = (scaled**2).sum(axis=-1) / n
        third = (scaled**3).sum(axis=-1) / n
        sd = peak * np.sqrt(second * n / (n - 1))
        skewness = np.where(second > 0, third / second**1.5, 0.0)
    return Moments(n, np.asarray(mean), np.asarray(sd), np.asarray(skewness))


def guard(
    facts: DifferenceFacts,
    pvalue: npt.ArrayLike,
    low: npt.ArrayLike,
    high: npt.ArrayLike,
    *,
    level: float,
    alternative: Alternative = "two-sided",
    null: float = 0.0,
) -> Guarded:
    """Make the answers about mean differences as careful as the data ask for.

    Parameters
    ----------
    facts : DifferenceFacts
    pvalue, low, high : array_like
        Of the test, and the two-sided interval of the mean difference.
    level : float
        Confidence of the interval; p at most 1 - `level` counts as found.
    alternative : {"two-sided", "greater", "less"}
    null : float
        The mean difference under the null hypothesis.

    Returns
    -------
    Guarded
        p is never below the one given, and the interval never narrower. NaN stays NaN. The
        two-sided interval holds `null` where the two-sided p is above 1 - `level`.

    Notes
    -----
    Skewed differences: p and interval of Hall's monotone transformation of Student's t, with the
    skewness seen times ``BOUNDS["inflation"]``, of all differences and (p only) of those that are
    not 0, on which sign flips rest alone. The larger p and the wider interval count: the t test
    guards against heavy tails, the transformation against skewness.

    Differences that are small beside the range R of the scores: that n units hold none of the
    worst losses by which a mean m would come to 0 has a probability of at most (R / (R + m))^n.

    References
    ----------
    Hall (1992), On the removal of skewness by transformation, JRSS B 54; Bahadur and Savage
    (1956), The nonexistence of certain statistical procedures in nonparametric problems.
    """
    p, below, above = (np.array(part, dtype=np.float64) for part in (pvalue, low, high))
    asked = ~np.isnan(p)
    skewed, refused = _skewed(facts.differing)
    adjusted = _adjusted_pvalue(facts, alternative)
    reach_low, reach_high = _adjusted_interval(facts.units, level)
    unseen = _is_tight(facts)
    p_unseen, unseen_low, unseen_high = _unseen(facts, alternative, 1 - level)
    reason = np.zeros(p.shape, dtype=np.int8)
    for applies, other, bound_low, bound_high, why in (
        (skewed, adjusted, reach_low + null, reach_high + null, Reason.SKEWED),
        (unseen, p_unseen, unseen_low + null, unseen_high + null, Reason.UNSEEN),
    ):
        counts = asked & applies & ~np.isnan(other)
        reason[counts & ((other > p) | (bound_low < below) | (bound_high > above))] = why
        p = np.where(counts, np.fmax(p, other), p)
        below = np.where(counts, np.fmin(below, bound_low), below)
        above = np.where(counts, np.fmax(above, bound_high), above)
    if alternative == "two-sided":
        open_ = asked & (p > 1 - level)
        below = np.where(open_, np.fmin(below, null), below)
        above = np.where(open_, np.fmax(above, null), above)
    none = asked & refused
    reason[none] = Reason.NO_VALID_TEST
    p, below, above = (np.where(none, np.nan, part) for part in (p, below, above))
    return Guarded(p, below, above, reason)


def guard_shares(
    n_items: npt.ArrayLike,
    only_a: npt.ArrayLike,
    only_b: npt.ArrayLike,
    pvalue: npt.ArrayLike,
    low: npt.ArrayLike,
    high: npt.ArrayLike,
    *,
    level: float,
    alternative: Alternative = "two-sided",
) -> Guarded:
    """Make score tests of two shares of right items as careful as their numbers ask for.

    Parameters
    ----------
    n_items, only_a, only_b : array_like of int
        Items of both, those that only a and those that only b has right.
    pvalue, low, high, level, alternative
        As for `guard`; the null hypothesis is no difference.

    Notes
    -----
    With few items, or where nearly every item tells the systems apart, the score test exceeds its
    level (up to 7.8 % at 5 %): there p is at least that of the exact McNemar test.
    """
    n, more, less = (np.asarray(part, dtype=np.float64) for part in (n_items, only_a, only_b))
    p, below, above = (np.array(part, dtype=np.float64) for part in (pvalue, low, high))
    differing = more + less
    applies = ~np.isnan(p) & (
        (n < BOUNDS["binary-units"].value) | (differing > BOUNDS["binary-discordant"].value * n)
    )
    lower = _at_most(more, differing)
    upper = _at_most(less, differing)
    exact = _of_tails(lower, upper, more - less, alternative)
    reason = np.where(applies & (exact > p), Reason.EXACT, Reason.KEPT).astype(np.int8)
    p = np.where(applies, np.fmax(p, exact), p)
    if alternative == "two-sided":
        open_ = applies & (p > 1 - level)
        below = np.where(open_, np.fmin(below, 0.0), below)
        above = np.where(open_, np.fmax(above, 0.0), above)
    return Guarded(p, below, above, reason)


def _at_most(count: FloatArray, of: FloatArray) -> FloatArray:
    """Return the probability of at most so many heads of a fair coin."""
    return np.asarray(special.bdtr(count, of.astype(np.int64), 0.5), dtype=np.float64)


def _skewed(differing: Moments) -> tuple[BoolArray, BoolArray]:
    """Return which pairs have skewed differences, and which of these nothing is valid for."""
    n, size = differing.n, np.abs(differing.skewness)
    with np.errstate(invalid="ignore", divide="ignore"):
        skewed = size > BOUNDS["skewness"].value * np.sqrt(n)
        largest = (n - 2) / np.sqrt(n - 1)
        few = (n > 2) & (n < BOUNDS["few-units"].value)
        return skewed, few & (size > BOUNDS["few-skewness"].value * largest)


def _hall(moments: Moments) -> FloatArray:
    """Return Hall's transformation of the t statistic of a mean against 0."""
    n, mean, sd, skewness = moments
    gamma = BOUNDS["inflation"].value * skewness
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        ratio = mean / sd
        return np.asarray(
            np.sqrt(n) * (ratio + gamma * ratio**2 / 3 + gamma**2 * ratio**3 / 27 + gamma / (6 * n))
        )


def _adjusted_pvalue(facts: DifferenceFacts, alternative: Alternative) -> FloatArray:
    """Return the larger p of the transformed t of all differences and of those not 0."""
    found = []
    for moments in (facts.units, facts.differing):
        statistic = _hall(moments)
        lower = special.stdtr(moments.n - 1, statistic)
        upper = special.stdtr(moments.n - 1, -statistic)
        found.append(_of_tails(lower, upper, facts.units.mean, alternative))
    return np.asarray(np.fmax(*found))


def _of_tails(
    lower: FloatArray, upper: FloatArray, mean: FloatArray, alternative: Alternative
) -> FloatArray:
    """Return p; two-sided: twice the tail on the side of the mean."""
    if alternative == "greater":
        return upper
    if alternative == "less":
        return lower
    tail = np.where(mean > 0, upper, np.where(mean < 0, lower, 0.5))
    return np.asarray(np.minimum(1.0, 2 * tail))


def _adjusted_interval(moments: Moments, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the interval of the mean that the transformed t gives."""
    n, mean, sd, skewness = moments
    with np.errstate(invalid="ignore", divide="ignore"):
        quantile = special.stdtrit(n - 1, 0.5 + level / 2) / np.sqrt(n)
        gamma = BOUNDS["inflation"].value * skewness

        def ratio(at: FloatArray) -> FloatArray:
            curved = 3 / gamma * (np.cbrt(1 + gamma * (at - gamma / (6 * n))) - 1)
            return np.where(np.abs(gamma) > 1e-6, curved, at)

        low, high = mean - sd * ratio(quantile), mean - sd * ratio(-quantile)
    return np.asarray(low), np.asarray(high)


def _is_tight(facts: DifferenceFacts) -> BoolArray:
    with np.errstate(invalid="ignore"):
        return np.asarray(BOUNDS["tight"].value * facts.items.sd <= facts.largest)


def _unseen(
    facts: DifferenceFacts, alternative: Alternative, alpha: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return p and interval where a share of units that nobody saw may lose all there is."""
    n, mean, largest = facts.items.n, facts.items.mean, facts.largest
    with np.errstate(invalid="ignore", divide="ignore"):
        none_seen = np.exp(-n * np.log1p(np.abs(mean) / largest))
        share = -np.expm1(math.log(alpha) / n)
        low, high = mean - share * (largest + mean), mean + share * (largest - mean)
    against = {"greater": mean < 0, "less": mean > 0}.get(alternative, np.zeros_like(mean) > 0)
    return np.where(against, np.nan, none_seen), low, high
