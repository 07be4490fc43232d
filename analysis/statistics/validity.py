"""Where the default tests of a difference hold, and what takes their place where they do not.

Sign flips and the t test take differences as symmetric, or items as many. Where neither is so,
equal systems are called different too often. `validity_bounds` has what is known of that; `guard`
applies it to any number of pairs at once. It looks at the data of a pair, and only ever makes an
answer more careful: p grows, the interval widens, or there is no answer.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from analysis.statistics._typing import Alternative, BoolArray, FloatArray
from analysis.statistics.validity_bounds import BOUNDS, DifferenceFacts, Moments, Reason

_SAME = 1e-9


class Guarded(NamedTuple):
    """The answers with the guard applied, in arrays of one shape."""

    pvalue: FloatArray
    low: FloatArray
    high: FloatArray
    reason: npt.NDArray[np.int8]
    """A `Reason`."""


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
        p is never below the one given, and the interval never narrower; each stays NaN where it
        is. The two-sided interval holds `null` where the two-sided p is above 1 - `level`.

    Notes
    -----
    Skewed differences: p and interval of Hall's monotone transformation of Student's t, with the
    skewness seen times ``BOUNDS["inflation"]``, of all differences and (p only) of those that are
    not 0, on which sign flips rest alone. The larger p and the wider interval count: the t test
    guards against heavy tails, the transformation against skewness.

    Few groups, and systems with several runs: the t test with the error and the degrees of freedom
    of the facts, see `difference_facts`.

    Differences that are small beside the largest loss L of an item: that n items hold none of
    the losses by which a mean m would come to 0 has a probability of at most (L / (L + m))^n.

    References
    ----------
    Hall (1992), On the removal of skewness by transformation, JRSS B 54; Bahadur and Savage
    (1956), The nonexistence of certain statistical procedures in nonparametric problems.
    """
    p, below, above = (np.array(part, dtype=np.float64) for part in (pvalue, low, high))
    skewed, refused = _skewed(facts)
    some = _chosen(facts, skewed)
    reason = np.zeros(p.shape, dtype=np.int8)
    for applies, other, ends, why in (
        (
            skewed,
            _placed(_adjusted_pvalue(some, alternative), skewed),
            tuple(_placed(end, skewed) for end in _adjusted_interval(some.units, level)),
            Reason.SKEWED,
        ),
        (_is_tight(facts), *_unseen(facts, alternative, 1 - level), Reason.UNSEEN),
        (~np.isnan(facts.error), *_by_t(facts, alternative, level), None),
    ):
        # What differs in the last digits is the same answer: it has no reason.
        higher, room = applies & (other > p * (1 + _SAME)), _SAME * (above - below)
        lower_end, upper_end = (
            applies & (ends[0] + null < below - room),
            applies & (ends[1] + null > above + room),
        )
        p = np.where(higher, other, p)
        below = np.where(lower_end, ends[0] + null, below)
        above = np.where(upper_end, ends[1] + null, above)
        changed = higher | lower_end | upper_end
        if why is None:
            reason[changed] = np.where(facts.runs, Reason.RUNS, Reason.UNEQUAL)[changed]
        else:
            reason[changed] = why
    if alternative == "two-sided":
        open_ = p > 1 - level
        below = np.where(open_ & (below > null), null, below)
        above = np.where(open_ & (above < null), null, above)
    reason[refused] = Reason.NO_VALID_TEST
    p, below, above = (np.where(refused, np.nan, part) for part in (p, below, above))
    return Guarded(p, below, above, reason)


class Counted(NamedTuple):
    """One-sided or two-sided p-values to combine over datasets, in arrays of one shape."""

    pvalue: FloatArray
    """NaN where no test is valid for either side; 1 where none is valid for the side tested."""
    reason: npt.NDArray[np.int8]
    """A `Reason`."""


def guard_counts(
    facts: DifferenceFacts, pvalue: npt.ArrayLike, *, alternative: Alternative
) -> Counted:
    """Make p-values of mean differences as careful as a count over datasets asks for.

    Parameters
    ----------
    facts : DifferenceFacts
    pvalue : array_like
        Of the test; NaN stays NaN.
    alternative : {"two-sided", "greater", "less"}

    Notes
    -----
    A count over N datasets reads p-values down to alpha / N and adds up their errors, so that more
    is asked for than by `guard`, whose p this one is never below. Where the longer tail of the
    differences lies on the side opposite to the one that is tested, p is at least that of Hall's
    transformation with the skewness seen less two standard errors, of those differences that are
    not 0. Where a few of them decide, no test of that side is valid and p is 1.

    With differences that are small gains but for a rare large loss, no test of few items keeps its
    level: what other datasets show of such losses counts by `guard_unseen`; losses that no dataset
    shows cannot be guarded against.
    """
    blank = np.full(np.shape(pvalue), np.nan)
    kept = guard(facts, pvalue, blank, blank, level=0.95, alternative=alternative)
    n, mean, sd, seen = facts.differing
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = seen * np.sqrt(n * (n - 1)) / (n - 2)
        upper = np.where(alternative == "two-sided", mean > 0, alternative == "greater")
        against = np.where(upper, scaled, -scaled)
        applies = (n > 2) & (sd > 0) & (against < -BOUNDS["counted-skewness"].value * np.sqrt(n))
        error = np.sqrt(6 / n * (1 + scaled**2 / 2))
        assumed = np.where(upper, 1, -1) * (against - BOUNDS["counted-margin"].value * error)
        statistic = _hall(Moments(n, mean, sd, assumed / BOUNDS["inflation"].value))
        tail = scipy.special.stdtr(n - 1, np.where(upper, -statistic, statistic))
        other = np.minimum(1.0, 2 * tail) if alternative == "two-sided" else tail
        invalid = applies & (against <= -BOUNDS["few-hold-it"].value * np.sqrt(n))
    raised = np.where(invalid, 1.0, np.where(applies, np.fmax(kept.pvalue, other), kept.pvalue))
    raised = np.where(np.isnan(kept.pvalue), np.nan, raised)
    reason = np.where(raised > kept.pvalue, Reason.SKEWED, kept.reason)
    reason = np.where(invalid & ~np.isnan(raised), Reason.NO_VALID_TEST, reason)
    return Counted(np.asarray(raised), reason.astype(np.int8))


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
    Where nearly every item tells the systems apart, the score test exceeds its level (up to 7.8 %
    at 5 %): there p is at least that of the exact McNemar test. Where fewer
    items do, p is at least what it would be if the further ones of them spoke for the same system:
    with more items won, p never grows.
    """
    n, more, less = (np.asarray(part, dtype=np.float64) for part in (n_items, only_a, only_b))
    p, below, above = (np.array(part, dtype=np.float64) for part in (pvalue, low, high))
    differing = more + less
    counted = np.fmax(differing, np.floor(BOUNDS["binary-discordant"].value * n) + 1)
    exact = _of_tails(_at_most(more, counted), _at_most(less, counted), more - less, alternative)
    raised = exact > p
    reason = np.where(raised, Reason.EXACT, Reason.KEPT).astype(np.int8)
    p = np.where(raised, exact, p)
    if alternative == "two-sided":
        open_ = p > 1 - level
        below = np.where(open_, np.fmin(below, 0.0), below)
        above = np.where(open_, np.fmax(above, 0.0), above)
    return Guarded(p, below, above, reason)


def _at_most(count: FloatArray, of: FloatArray) -> FloatArray:
    """Return the probability of at most so many heads of a fair coin."""
    return np.asarray(scipy.special.bdtr(count, of.astype(np.int64), 0.5), dtype=np.float64)


def _skewed(facts: DifferenceFacts) -> tuple[BoolArray, BoolArray]:
    """Return which pairs have skewed differences, and which of these nothing is valid for."""
    n, of_groups = facts.units.n, facts.units.n < facts.items.n
    with np.errstate(invalid="ignore", divide="ignore"):
        size, of_differing = np.abs(facts.units.skewness), np.abs(facts.differing.skewness)
        bound = BOUNDS["skewness"].value
        skewed = (size > bound * np.sqrt(n)) | (of_differing > bound * np.sqrt(facts.differing.n))
        largest = (n - 2) / np.sqrt(n - 1)
        few = of_groups & (n > 2) & (n < BOUNDS["few-groups"].value)
        return skewed, few & (size > BOUNDS["few-skewness"].value * largest)


def _chosen(facts: DifferenceFacts, which: BoolArray) -> DifferenceFacts:
    """Return the facts of some pairs, shape (n_chosen,)."""

    def of(moments: Moments) -> Moments:
        return Moments(*(np.broadcast_to(part, which.shape)[which] for part in moments))

    largest, error, df = (
        np.broadcast_to(part, which.shape)[which] for part in (facts.largest, facts.error, facts.df)
    )
    runs = np.broadcast_to(facts.runs, which.shape)[which]
    units, differing, items = (of(part) for part in (facts.units, facts.differing, facts.items))
    return DifferenceFacts(units, differing, items, largest, error, df, runs)


def _placed(values: FloatArray, which: BoolArray) -> FloatArray:
    """Return the values of some pairs among all, NaN elsewhere."""
    found = np.full(which.shape, np.nan)
    found[which] = values
    return found


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
        lower = scipy.special.stdtr(moments.n - 1, statistic)
        upper = scipy.special.stdtr(moments.n - 1, -statistic)
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
        quantile = scipy.special.stdtrit(n - 1, 0.5 + level / 2) / np.sqrt(n)
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
) -> tuple[FloatArray, tuple[FloatArray, FloatArray]]:
    """Return p and interval where a share of items that nobody saw may lose all there is."""
    n, mean, largest = facts.items.n, facts.items.mean, facts.largest
    with np.errstate(invalid="ignore", divide="ignore"):
        none_seen = np.exp(-n * np.log1p(np.abs(mean) / largest))
        share = -np.expm1(math.log(alpha) / n)
        low, high = mean - share * (largest + mean), mean + share * (largest - mean)
    against = {"greater": mean < 0, "less": mean > 0}.get(alternative, np.zeros_like(mean) > 0)
    return np.where(against, np.nan, none_seen), (low, high)


def _by_t(
    facts: DifferenceFacts, alternative: Alternative, level: float
) -> tuple[FloatArray, tuple[FloatArray, FloatArray]]:
    """Return p and interval of the t test with the error of the facts."""
    mean, error, df = facts.units.mean, facts.error, facts.df
    with np.errstate(invalid="ignore", divide="ignore"):
        statistic = np.where(mean == 0, 0.0, mean / error)
        lower, upper = scipy.special.stdtr(df, statistic), scipy.special.stdtr(df, -statistic)
        reach = scipy.special.stdtrit(df, 0.5 + level / 2) * error
    return _of_tails(lower, upper, mean, alternative), (mean - reach, mean + reach)
