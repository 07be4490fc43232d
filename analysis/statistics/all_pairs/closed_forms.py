"""Tests of all pairs that need no resampling: t, sign and McNemar, from a few matrix products."""

import functools
import warnings
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from analysis.statistics._typing import (
    BoolArray,
    ByteArray,
    FloatArray,
    Floats,
    Groups,
    IntArray,
)
from analysis.statistics.all_pairs.complete_sets import order_of_visits, triangle
from analysis.statistics.all_pairs.result import PairMethod, PairPvalues
from analysis.statistics.item_groups import as_group_codes
from analysis.statistics.paired.result import TINY
from analysis.statistics.precision import coarser, precision_of
from analysis.statistics.resampling.tails import both_ways, of_t
from analysis.statistics.results import DegenerateDataWarning

_SINGLE_COUNTS = 2**24
_PAIRS_AT_ONCE = 4_096


class Moments(NamedTuple):
    """What the differences of all pairs look like; matrices of shape (n_systems, n_systems)."""

    n_items: IntArray
    """Items that both systems have scores for."""
    n_units: IntArray
    """Groups among them; items where there are no groups."""
    difference: FloatArray
    """Mean of i minus mean of j; NaN without shared items."""
    standard_error: FloatArray
    """NaN for fewer than two units; 0 where all differences are equal."""
    identical: BoolArray
    """Whether all differences are 0, at the precision of the scores."""


def paired_moments(scores: FloatArray, *, groups: Groups = None) -> Moments:
    """Return mean differences and their standard errors for all pairs.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_items)
        NaN where a system has no score; a pair uses the items that both have.
    groups : sequence, shape (n_items,), optional
        Items with the same label are one unit; None is a unit of its own.

    Returns
    -------
    Moments
        With G groups the squared standard error is G / (G - 1) Σ (Σ (d - d̄))² / n², the outer
        sum over groups; without groups that is the usual s² / n.

    Notes
    -----
    Every pair is computed from its own differences, in a fixed order of sums, or where both have
    right and wrong answers only from its counts, which are exact: what a pair gives does not depend
    on the other systems. Time O(n_systems² · n_items).
    """
    n_systems, n_items = scores.shape
    first, second = triangle(n_systems, 0)
    codes, found = group_codes(groups, n_items), np.empty((first.size, 6))
    counted = np.zeros(n_systems, np.bool_) if codes is not None else binary_rows(scores)
    by_counts = counted[first] & counted[second]
    found[by_counts] = _moments_by_counts(scores[counted])
    if not by_counts.all():
        found[~by_counts] = _moments_of(scores, codes, first[~by_counts], second[~by_counts])
    items, units = found[:, 0].astype(np.int64), found[:, 1].astype(np.int64)
    low, high, rounding = found[:, 4], found[:, 5], coarser(precision_of(scores), first, second)
    identical = (np.maximum(np.abs(low), np.abs(high)) <= rounding) & (items > 0)
    factor = np.where(units > 1, units / np.maximum(units - 1, 1), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = found[:, 3] * np.sqrt(factor) / items
        error[(high - low <= rounding) & (units > 1)] = 0.0
    equal = np.abs(found[:, 2]) <= rounding
    difference = np.where(items > 0, np.where(equal, 0.0, found[:, 2]), np.nan)
    shape = (n_systems, n_systems)
    moments = Moments(
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int64),
        np.zeros(shape),
        np.zeros(shape),
        np.ones(shape, np.bool_),
    )
    for at, sign in (((first, second), 1.0), ((second, first), -1.0)):
        moments.n_items[at], moments.n_units[at] = items, units
        moments.difference[at] = sign * difference
        moments.standard_error[at] = error
        moments.identical[at] = identical
    np.fill_diagonal(moments.difference, 0.0)
    np.fill_diagonal(moments.standard_error, 0.0)
    np.fill_diagonal(moments.identical, True)
    return moments


def t_all_pairs(moments: Moments, *, alternative: str = "two-sided") -> PairPvalues:
    """Test the mean differences of all pairs by Student's t.

    Parameters
    ----------
    moments : Moments
        From `paired_moments`; with groups the test is cluster-robust, with one degree of freedom
        less than there are groups.
    alternative : {"two-sided", "greater", "less"}

    Returns
    -------
    PairPvalues
        1 for identical systems. NaN for fewer than two units, and where all differences are the
        same but not 0: there is no spread to measure the mean against.

    Warns
    -----
    DegenerateDataWarning
        If a pair differs by the same amount everywhere.
    """
    n_systems = len(moments.difference)
    first, second = triangle(n_systems)
    units = moments.n_units[first, second]
    error = moments.standard_error[first, second]
    identical = moments.identical[first, second]
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(identical, 0.0, moments.difference[first, second] / error)
    constant = np.isinf(statistic)
    if constant.any():
        warnings.warn(
            f"{np.count_nonzero(constant)} of {constant.size} pairs differ by the same amount on "
            "all their items: the t test has no spread to work with and their p-value is NaN. Use "
            "the sign-flip test.",
            DegenerateDataWarning,
            stacklevel=2,
        )
    statistic[constant] = np.nan
    df = np.maximum(units - 1, 1).astype(np.float64)
    floor = np.zeros(first.size)
    tails = both_ways(functools.partial(of_t, df=df), statistic, alternative)
    above, below = (
        np.where(units < 2, np.nan, np.where(identical, 1.0, np.maximum(tail, TINY)))
        for tail in tails
    )
    return square(n_systems, above, below, floor, floor, PairMethod.CLOSED_FORM)


def wins_all_pairs(scores: FloatArray) -> IntArray:
    """Return on how many items system i is above system j, shape (n_systems, n_systems).

    Scores of a pair that are equal at its precision are equal. A missing score is neither above
    nor below.
    """
    from analysis.statistics.all_pairs.pair_kernels import count_wins
    from analysis.statistics.resampling.threads import run_tiles

    n_systems = len(scores)
    if binary_rows(scores).all():
        return _right_and_wrong(scores)[0]
    wins = np.zeros((n_systems, n_systems), dtype=np.int64)
    values, near = np.ascontiguousarray(scores), precision_of(scores)
    run_tiles(lambda row: count_wins(values, near, row, row + 1, wins), n_systems)
    return wins


def fair_coin_all_pairs(
    wins: IntArray, n_items: IntArray, *, alternative: str = "two-sided"
) -> PairPvalues:
    """Test all pairs by the exact binomial of the items that only one of the two wins.

    The sign test; of right and wrong answers it is McNemar's exact test.

    Parameters
    ----------
    wins : ndarray of int, shape (n_systems, n_systems)
        From `wins_all_pairs`.
    n_items : ndarray of int, shape (n_systems, n_systems)
        Items that both have; a pair with none cannot be tested.
    alternative : {"two-sided", "greater", "less"}
        Two-sided is twice the smaller tail, at most 1.

    Returns
    -------
    PairPvalues
        1 where no item tells the two apart.

    Notes
    -----
    Each distinct (wins, losses) is computed once.
    """
    n_systems = len(wins)
    first, second = triangle(n_systems)
    up, down = wins[first, second], wins[second, first]
    shared = n_items[first, second] > 0
    sides = 2.0 if alternative == "two-sided" else 1.0
    decided = up + down
    lowest = np.minimum(1.0, np.maximum(np.ldexp(sides, -decided), TINY))
    if alternative == "two-sided":
        above = below = np.minimum(1.0, sides * _at_most(np.minimum(up, down), decided))
    else:
        # P(X >= wins) for a fair coin is P(X <= losses).
        above, below = _at_most(down, decided), _at_most(up, decided)
        if alternative == "less":
            above, below = below, above
    tails = [np.where(shared, np.maximum(tail, lowest), np.nan) for tail in (above, below)]
    return square(n_systems, tails[0], tails[1], lowest, lowest, PairMethod.EXACT)


def square(
    n_systems: int,
    above: FloatArray,
    below: FloatArray,
    floor_above: FloatArray,
    floor_below: FloatArray,
    method: PairMethod | ByteArray,
) -> PairPvalues:
    """Lay values of the upper triangle and their mirror images out as matrices."""
    first, second = triangle(n_systems)
    pvalue = np.full((n_systems, n_systems), np.nan)
    floor = np.full((n_systems, n_systems), np.nan)
    codes = np.zeros((n_systems, n_systems), dtype=np.uint8)
    pvalue[first, second], pvalue[second, first] = above, below
    floor[first, second], floor[second, first] = floor_above, floor_below
    codes[first, second] = method
    codes[second, first] = method
    untestable = np.isnan(pvalue)
    codes[untestable] = PairMethod.NOT_TESTABLE
    floor[untestable] = np.nan
    return PairPvalues(pvalue, codes, floor)


def binary_rows(scores: FloatArray) -> BoolArray:
    """Return which systems have no other scores than 0 and 1."""
    return np.asarray(((scores == 0) | (scores == 1) | np.isnan(scores)).all(axis=1))


def _right_and_wrong(scores: FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """Count, of scores 0 and 1, items where i is right and j wrong, both are right, both wrong."""
    exact = np.float32 if scores.shape[1] < _SINGLE_COUNTS else np.float64
    right, wrong = (scores == 1).astype(exact), (scores == 0).astype(exact)

    def together(these: Floats, those: Floats) -> IntArray:
        return np.rint(these @ those.T).astype(np.int64)

    both = together(right, right)
    n_right = np.diag(both)
    if n_right.sum() + np.count_nonzero(wrong) == scores.size:
        # No score is missing: the rest follows from how many are right.
        return (
            n_right[:, np.newaxis] - both,
            both,
            scores.shape[1] - n_right[:, np.newaxis] - n_right + both,
        )
    return together(right, wrong), both, together(wrong, wrong)


def group_codes(groups: Groups, n_items: int) -> IntArray | None:
    """Number the groups of items; None where every item is its own."""
    if groups is None:
        return None
    codes = as_group_codes(groups, n_items)
    return codes if int(codes.max(initial=-1)) + 1 < n_items else None


def _moments_by_counts(scores: FloatArray) -> FloatArray:
    """Return what `_moments_of` does for all pairs of systems that are right or wrong."""
    wins, both, neither = _right_and_wrong(scores)
    at = triangle(len(scores), 0)
    up, down, right, wrong = wins[at], wins.T[at], both[at], neither[at]
    n_items = up + down + right + wrong
    gap, divisor = up - down, np.maximum(n_items, 1)
    squares = (n_items * (up + down) - gap * gap) / divisor  # whole numbers below 2^63 above
    low = np.where(down > 0, -1.0, np.where(up < n_items, 0.0, 1.0))
    high = np.where(up > 0, 1.0, np.where(down < n_items, 0.0, -1.0))
    columns = (n_items, n_items, gap / divisor, np.sqrt(squares), low, high)
    return np.stack([np.asarray(one, np.float64) for one in columns], axis=1)


def _moments_of(
    scores: FloatArray,
    codes: IntArray | None,
    first: npt.NDArray[np.intp],
    second: npt.NDArray[np.intp],
) -> FloatArray:
    """Return a row of `pair_moments` for each listed pair."""
    from analysis.statistics.all_pairs.moment_kernels import plain_moments
    from analysis.statistics.all_pairs.pair_kernels import pair_moments
    from analysis.statistics.resampling.threads import run_tiles

    visits = order_of_visits(first, second, scores.shape[1])
    first, second = first[visits], second[visits]
    in_turn, found = np.empty((first.size, 6)), np.empty((first.size, 6))
    pieces = -(-first.size // _PAIRS_AT_ONCE)
    values, n_items = np.ascontiguousarray(scores), scores.shape[1]
    starts, complete = np.arange(n_items + 1), np.all(values == values, axis=1)
    if codes is not None:
        order = np.argsort(codes, kind="stable")
        values = np.ascontiguousarray(scores[:, order])
        starts = np.append(np.flatnonzero(np.diff(codes[order], prepend=-1)), n_items)

    def work(tile: int) -> None:
        at = slice(tile * _PAIRS_AT_ONCE, (tile + 1) * _PAIRS_AT_ONCE)
        left, right, out = first[at], second[at], in_turn[at]
        if codes is not None:
            pair_moments(values, starts, left, right, out)
            return
        plain_moments(values, complete, left, right, out)
        for pair in np.flatnonzero(out[:, 0] < 0):
            one = slice(pair, pair + 1)
            pair_moments(values, starts, left[one], right[one], out[one])

    run_tiles(work, pieces)
    found[visits] = in_turn
    return found


def _at_most(successes: IntArray, trials: IntArray) -> FloatArray:
    """Return P(X <= successes) of a fair coin, each distinct pair of numbers computed once."""
    key = trials * (int(trials.max(initial=0)) + 1) + successes
    _, where, back = np.unique(key, return_index=True, return_inverse=True)
    chances = scipy.special.bdtr(successes[where].astype(np.float64), trials[where], 0.5)
    return np.asarray(chances[back])
