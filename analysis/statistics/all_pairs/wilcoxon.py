"""Wilcoxon's signed-rank test of all pairs."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy

from analysis.statistics._typing import FloatArray, IntArray, Progress
from analysis.statistics.all_pairs.closed_forms import square
from analysis.statistics.all_pairs.complete_sets import triangle
from analysis.statistics.all_pairs.rank_kernels import (
    MISSING_STEP,
    rank_by_counting,
    rank_floats,
    rank_steps,
)
from analysis.statistics.all_pairs.result import PairMethod, PairPvalues
from analysis.statistics.fixed_point import of_ordinary_size, whole_scores
from analysis.statistics.paired.rank_tests import MAX_EXACT_RANKS, rank_sum_tails
from analysis.statistics.paired.result import TINY
from analysis.statistics.precision import precision_of
from analysis.statistics.resampling.threads import run_tiles

_COUNTED_PER_ITEM = 2
_ALWAYS_COUNTED = 2_048
_SHORT_REACH = 2**30
_MISSING_LONG = -(2**62)


class SignedRanks(NamedTuple):
    """Signed ranks of all pairs; matrices of shape (n_systems, n_systems)."""

    n_nonzero: IntArray
    """Items on which the two differ."""
    doubled: IntArray
    """Twice the sum of the ranks of |i - j| over items on which i is above j; ties share their
    mean rank, items without a difference have none."""
    ties: IntArray
    """Sum of t³ - t over groups of t equal sizes of difference."""
    at_least: FloatArray
    """Exact chance of a sum at least as large, for few differences some of which are tied; NaN
    for other pairs."""


def wilcoxon_all_pairs(
    scores: FloatArray,
    n_items: IntArray,
    *,
    alternative: str = "two-sided",
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> PairPvalues:
    """Test all pairs by Wilcoxon's signed-rank test; items without a difference are left out.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_items)
        NaN where a system has no score.
    n_items : ndarray of int, shape (n_systems, n_systems)
        Items that both have; a pair with none cannot be tested.
    alternative : {"two-sided", "greater", "less"}
    n_threads, progress
        As for `run_tiles`; a tile is one system against all later ones.

    Returns
    -------
    PairPvalues
        1 where no item tells the two apart. EXACT, by the distribution of the ranks that occur,
        for at most 128 differing items, and for at most 500 where no two differences have the same
        size, or so few sizes that a smooth distribution would not do (groups of ties, but for the
        largest, can be divided in at most 16,384 ways). CLOSED_FORM for the others: the normal
        approximation with the variance of the ranks that occur, without continuity correction.

    References
    ----------
    Wilcoxon (1945), Individual comparisons by ranking methods; Hollander, Wolfe, Chicken (2014),
    Nonparametric Statistical Methods, 3.1.
    """
    ranks = signed_ranks(scores, n_threads=n_threads, progress=progress)
    n_systems = len(scores)
    up = triangle(n_systems)
    down = up[::-1]
    n = ranks.n_nonzero[up]
    untied = (ranks.ties[up] == 0) & (n <= MAX_EXACT_RANKS)
    tied = ~np.isnan(ranks.at_least[up])
    sides = 2.0 if alternative == "two-sided" else 1.0
    floor = np.where(untied | tied, np.minimum(1.0, np.ldexp(sides, -np.minimum(n, 999))), 0.0)
    tails = []
    for at in (up, down):
        tail = _normal_tail(n, ranks.doubled[at], ranks.ties[at])
        tail[tied] = ranks.at_least[at][tied]
        tail[untied] = _untied_tail(n[untied], ranks.doubled[at][untied])
        tails.append(np.minimum(1.0, tail))
    above, below = tails
    if alternative == "two-sided":
        above = below = np.minimum(1.0, 2.0 * np.minimum(above, below))
    elif alternative == "less":
        above, below = below, above
    shared = n_items[up] > 0
    above, below = (
        np.where(shared, np.maximum(tail, np.maximum(floor, TINY)), np.nan)
        for tail in (above, below)
    )
    method = np.where(untied | tied, PairMethod.EXACT, PairMethod.CLOSED_FORM).astype(np.uint8)
    return square(n_systems, above, below, floor, floor, method)


def signed_ranks(
    scores: FloatArray, *, n_threads: int | None = None, progress: Progress | None = None
) -> SignedRanks:
    """Rank the differences of all pairs.

    Parameters
    ----------
    scores, n_threads, progress
        As for `wilcoxon_all_pairs`.

    Returns
    -------
    SignedRanks

    Notes
    -----
    Scores in whole steps give exact ties. Few different sizes are counted, O(n_items) a pair;
    many are sorted, digit by digit, as whole numbers that carry the sign in their lowest bit.
    Sizes of other differences are tied that follow each other by no more than their precision.
    """
    n_systems = len(scores)
    found = np.zeros((3, n_systems, n_systems), dtype=np.int64)
    at_least = np.full((n_systems, n_systems), np.nan)
    rank_row = _choose_way(scores)

    def work(a: int) -> None:
        sums = np.zeros((n_systems, 3), dtype=np.int64)
        tails = np.full((n_systems, 2), np.nan)
        rank_row(a, sums, tails)
        later = slice(a + 1, None)
        for matrix, row in zip(found, sums.T, strict=True):
            matrix[a, later] = matrix[later, a] = row[later]
        n_nonzero = sums[later, 0]
        found[1, later, a] = n_nonzero * (n_nonzero + 1) - sums[later, 1]
        at_least[a, later], at_least[later, a] = tails[later].T

    run_tiles(work, max(n_systems - 1, 0), n_threads=n_threads, progress=progress)
    return SignedRanks(found[0], found[1], found[2], at_least)


def _choose_way(scores: FloatArray) -> Callable[[int, IntArray, FloatArray], None]:
    """Return a function that writes sums and tails of a system against every later one."""
    n_items = scores.shape[1]
    whole = whole_scores(scores)
    if not whole.exact:
        values = np.ascontiguousarray(of_ordinary_size(scores))
        near = precision_of(values)

        def by_floats(a: int, sums: IntArray, tails: FloatArray) -> None:
            room = np.empty((2, n_items + 1), dtype=np.uint64)
            rank_floats(values, near, a, room, sums, tails)

        return by_floats
    # From the middle of an item's range: no difference is more than twice as large.
    reach = 2 * int(np.max(np.abs(whole.steps), initial=0))
    short = reach < _SHORT_REACH
    missing = MISSING_STEP if short else _MISSING_LONG
    # int32 where that is enough: the loops are compiled for either.
    steps: IntArray = np.ascontiguousarray(whole.steps, dtype=np.int32 if short else np.int64)
    if whole.present is not None:
        steps[~whole.present] = missing
    counted = short and reach <= max(_COUNTED_PER_ITEM * n_items, _ALWAYS_COUNTED)

    def by_steps(a: int, sums: IntArray, tails: FloatArray) -> None:
        if counted:
            counts = np.zeros(2 * reach + 1, dtype=np.int64)
            rank_by_counting(steps, a, reach, counts, sums, tails)
        else:
            room = np.empty((2, n_items + 1), dtype=np.uint32 if short else np.uint64)
            rank_steps(steps, a, missing, room, sums, tails)

    return by_steps


def _normal_tail(n: IntArray, doubled: IntArray, ties: IntArray) -> FloatArray:
    """Return the chance of a sum at least as large, by mean and variance of the ranks."""
    excess = (2 * doubled - n * (n + 1)).astype(np.float64)  # four times W+ less its mean
    count = n.astype(np.float64)
    spread = np.sqrt(4.0 * (count * (count + 1) * (2 * count + 1) / 6 - ties / 12.0))
    z = np.divide(excess, spread, out=np.zeros_like(excess), where=spread > 0)
    return np.asarray(np.where(spread > 0, scipy.special.ndtr(-z), 1.0))


def _untied_tail(n: IntArray, doubled: IntArray) -> FloatArray:
    """Return the exact chance of a sum at least as large, of the ranks 1 ... n."""
    tail = np.ones(n.size)
    for size in np.unique(n[n > 0]):
        here = n == size
        tail[here] = rank_sum_tails(np.arange(1, size + 1))[0][doubled[here] // 2]
    return tail
