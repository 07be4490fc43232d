"""The sign-flip test of all pairs: exchange two systems item by item, one plan for all."""

import threading
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import Alternative, BoolArray, FloatArray
from analysis.statistics.all_pairs.exact import (
    AFFORDABLE_SECONDS,
    Tails,
    by_binomial,
    by_enumeration,
    by_inversion,
    inversion_seconds,
    is_binary,
    smallest_chance,
)
from analysis.statistics.all_pairs.missing import Comparison, IntArray, SharedSums, set_up
from analysis.statistics.all_pairs.plan import BLOCK, Progress, run_blocks
from analysis.statistics.all_pairs.result import PairMethod, PairPvalues
from analysis.statistics.all_pairs.saddlepoint import FEW_HITS, believable, by_saddlepoint
from analysis.statistics.results import read_only
from analysis.statistics.validation import ALTERNATIVES, as_choice, as_count, as_seed

_EXACT_PER_DRAWN = 4.0
"""Exact p-values are preferred while they take at most this many times as long as drawn ones."""


def signflip_all_pairs(
    scores: npt.ArrayLike,
    *,
    groups: Sequence[Hashable] | npt.NDArray[np.generic] | None = None,
    alternative: Alternative = "two-sided",
    n_resamples: int = 9_999,
    seed: int = 0,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> PairPvalues:
    """Test the mean difference of all pairs of systems by exchanging them item by item.

    Assumes only that under the null hypothesis the two scores of an item could be exchanged, and
    that items, or groups of items, are independent of each other.

    Parameters
    ----------
    scores : array_like, shape (n_systems, n_items)
        Higher is better. NaN: missing; a pair is tested on the items that both systems have.
    groups : sequence, shape (n_items,), optional
        Label per item; the items of a group are exchanged together. None: its own group.
    alternative : {"two-sided", "greater", "less"}
        One-sided ``[i, j]`` tests whether system i is above ("greater") or below ("less") j.
        Two-sided counts patterns with ``|T| >= |t|``.
    n_resamples : int
        Random patterns, where exact p-values would take too long.
    seed : int
        Of the shared plan.
    n_threads : int, optional
        By default one per usable processor, at most 8. The result does not depend on it.
    progress : callable, optional
        Called as ``progress(done, total)``; an exception that it raises cancels.

    Returns
    -------
    PairPvalues
        The method of each pair is the first that fits:

        - CLOSED_FORM: all scores have one of two values; McNemar's exact test, a binomial.
        - ENUMERATED: the pair differs on at most 20 units; all patterns. Identical systems: p = 1.
        - EXACT: whole steps of a small number of sizes; the characteristic function inverted, if
          that is estimated to take below a second or four times as long as random patterns.
        - MONTE_CARLO: p = (count + 1) / (n_resamples + 1), at least 10 patterns as extreme.
        - TAIL: fewer than 10 were. The saddlepoint approximation takes the place of a p-value
          that the number of patterns would decide, unless the draws contradict it.
        - NOT_TESTABLE: no shared items; NaN.

    Raises
    ------
    TypeError, ValueError
        If scores are no finite numbers or not 2-D, labels do not fit, or an option is unknown.

    Notes
    -----
    Sums are exact (`fixed_point.whole_scores`): ties with the observed value count, and the
    result depends neither on threads nor on the matrix library. For S systems, n items and B
    patterns the time is S n B / 256 additions and S² B / 2 comparisons. Peak memory: four float64
    copies of the scores, twelve (S, S) matrices, and per thread 4 kB per system (at most 24 MiB
    more with missing items).

    References
    ----------
    Noreen (1989), Computer-Intensive Methods for Testing Hypotheses. Yeh (2000), More accurate
    tests for the statistical significance of result differences.

    Examples
    --------
    >>> result = signflip_all_pairs([[3, 2, 5, 4, 4], [1, 2, 2, 3, 1], [3, 2, 5, 4, 4]])
    >>> result.pvalue.round(3)
    array([[  nan, 0.125, 1.   ],
           [0.125,   nan, 0.125],
           [1.   , 0.125,   nan]])
    """
    as_choice(alternative, "alternative", ALTERNATIVES)
    resamples, plan = as_count(n_resamples, "n_resamples"), as_seed(seed)
    comparison = set_up(scores, groups)
    table = _Table(comparison, alternative)
    todo = np.flatnonzero(comparison.n_shared)
    if todo.size == 0:
        return table.finish()
    if is_binary(comparison):
        binary = by_binomial(comparison)
        table.enter(
            todo,
            PairMethod.CLOSED_FORM,
            binary.at_least[todo],
            binary.at_most[todo],
            binary.different[todo],
        )
        return table.finish()
    few = by_enumeration(comparison, todo, n_threads=n_threads)
    table.enter_tails(todo, PairMethod.ENUMERATED, few, few.different >= 0)
    todo = todo[few.different < 0]
    if todo.size == 0:
        return table.finish()
    if _prefer_exact(comparison, todo.size, resamples):
        tails = by_inversion(comparison, todo, n_threads=n_threads, progress=progress)
        table.enter_tails(todo, PairMethod.EXACT, tails, np.ones(todo.size, np.bool_))
        return table.finish()
    counts = _count(comparison, todo, alternative, resamples, plan, n_threads, progress)
    table.enter_counts(todo, counts, resamples)
    _mend_tails(comparison, table, todo, counts, resamples, n_threads)
    return table.finish()


def _prefer_exact(comparison: Comparison, n_pairs: int, n_resamples: int) -> bool:
    """Return whether exact p-values are affordable, measured against random patterns."""
    exact = inversion_seconds(comparison, n_pairs)
    blocks = n_resamples / BLOCK
    drawn = (
        1e-10 * n_pairs * n_resamples
        + 3e-10 * comparison.n_systems * comparison.scores.shape[1] * blocks
        # The far tails of every pair.
        + n_pairs * (1e-6 + 1.5e-9 * comparison.n_units)
    )
    return bool(exact <= max(AFFORDABLE_SECONDS, _EXACT_PER_DRAWN * drawn))


class _Counts(NamedTuple):
    """How many random patterns were as extreme, for listed pairs i < j."""

    at_least: IntArray
    """``T >= t``; two-sided ``|T| >= |t|``."""
    at_most: IntArray


def _count(
    comparison: Comparison,
    pairs: IntArray,
    alternative: str,
    n_resamples: int,
    seed: int,
    n_threads: int | None,
    progress: Progress | None,
) -> _Counts:
    from analysis.statistics.all_pairs import kernels

    sums = SharedSums(comparison, seed)
    n_systems = comparison.n_systems
    left, right = sums.place[comparison.left[pairs]], sums.place[comparison.right[pairs]]
    # Tiles bring up every pair with the system first that the shared sums put first.
    turned = left > right
    left, right = np.where(turned, right, left), np.where(turned, left, right)
    observed = np.where(turned, -1.0, 1.0) * comparison.observed[pairs]
    two_sided = alternative == "two-sided"
    count_tile = kernels.count_two_sided if two_sided else kernels.count_one_sided
    targets = np.full((n_systems, n_systems), np.nan, comparison.scores.dtype)
    targets[left, right] = np.abs(observed) if two_sided else observed
    counts = np.zeros((1 if two_sided else 2, n_systems, n_systems), np.int64)
    adding = threading.Lock()

    def work(block: int, rows: int) -> None:
        found = np.zeros(counts.shape, np.int32)
        for tile in sums.tiles(block):
            count_tile(
                tile.first,
                tile.second,
                tile.first_pattern,
                tile.second_pattern,
                tile.rows.start,
                tile.columns.start,
                rows,
                targets,
                found,
            )
        with adding:
            np.add(counts, found, out=counts)

    run_blocks(work, n_resamples, n_threads=n_threads, progress=progress)
    ahead, behind = counts[0, left, right], counts[-1, left, right]
    return _Counts(np.where(turned, behind, ahead), np.where(turned, ahead, behind))


def _mend_tails(
    comparison: Comparison,
    table: "_Table",
    pairs: IntArray,
    counts: _Counts,
    n_resamples: int,
    n_threads: int | None,
) -> None:
    """Replace p-values from fewer than 10 extreme patterns by the saddlepoint approximation."""
    observed = comparison.observed[pairs]
    hits = np.where(observed > 0, counts.at_least, counts.at_most)
    rare = (hits < FEW_HITS) & (observed != 0)
    if not np.any(rare):
        return
    tails = by_saddlepoint(comparison, pairs[rare], n_threads=n_threads)
    chances = np.minimum(1.0, (2.0 if table.two_sided else 1.0) * tails.upper)
    table.enter_rare(pairs[rare], tails, believable(hits[rare], chances, n_resamples))


class _Table:
    """P-values, methods and floors of all pairs, filled method by method.

    ``[i, j]`` asks whether i is above j.
    """

    def __init__(self, comparison: Comparison, alternative: str) -> None:
        shape = (comparison.n_systems, comparison.n_systems)
        self.two_sided = alternative == "two-sided"
        self._turned = alternative == "less"
        self._comparison = comparison
        self._pvalue = np.full(shape, np.nan)
        self._floor = np.full(shape, np.nan)
        self._method = np.full(shape, PairMethod.NOT_TESTABLE, np.uint8)

    def enter(
        self,
        pairs: IntArray,
        method: PairMethod,
        at_least: FloatArray,
        at_most: FloatArray,
        different: IntArray,
    ) -> None:
        """Enter exact chances of ``T >= t`` and ``T <= t``."""
        floor = smallest_chance(different)
        if self.two_sided:
            floor = np.minimum(1.0, 2.0 * floor)
            at_least = at_most = 2.0 * np.minimum(at_least, at_most)
        self._write(pairs, method, at_least, at_most, floor)

    def enter_tails(
        self, pairs: IntArray, method: PairMethod, tails: Tails, settled: BoolArray
    ) -> None:
        """Enter exact chances of ``T >= |t|`` and ``T = |t|`` of the pairs that are settled."""
        pairs, upper = pairs[settled], tails.upper[settled]
        observed = self._comparison.observed[pairs]
        # Both tails hold the observed value itself; at t = 0 they are the same.
        lower = np.where(observed == 0, upper, 1.0 - upper + tails.point[settled])
        at_least = np.where(observed >= 0, upper, lower)
        at_most = np.where(observed > 0, lower, upper)
        self.enter(pairs, method, at_least, at_most, tails.different[settled])

    def enter_counts(self, pairs: IntArray, counts: _Counts, n_resamples: int) -> None:
        """Enter Monte Carlo p-values."""
        total = n_resamples + 1
        floor = np.full(pairs.size, 1 / total)
        at_least, at_most = (counts.at_least + 1) / total, (counts.at_most + 1) / total
        self._write(pairs, PairMethod.MONTE_CARLO, at_least, at_most, floor)

    def enter_rare(self, pairs: IntArray, tails: Tails, believed: BoolArray) -> None:
        """Enter approximate ``P(T >= |t|)`` where t is rare; the other side stays as it was."""
        pairs, upper = pairs[believed], tails.upper[believed]
        floor = smallest_chance(tails.different[believed])
        left, right = self._comparison.left[pairs], self._comparison.right[pairs]
        ahead = self._comparison.observed[pairs] > 0
        above, below = np.where(ahead, left, right), np.where(ahead, right, left)
        if self.two_sided:
            floor = np.minimum(1.0, 2.0 * floor)
            self._write(pairs, PairMethod.TAIL, 2.0 * upper, 2.0 * upper, floor)
            return
        self._pvalue[above, below] = np.clip(upper, floor, 1.0)
        self._floor[above, below] = floor
        self._method[above, below] = PairMethod.TAIL

    def _write(
        self,
        pairs: IntArray,
        method: PairMethod,
        at_least: FloatArray,
        at_most: FloatArray,
        floor: FloatArray,
    ) -> None:
        left, right = self._comparison.left[pairs], self._comparison.right[pairs]
        # No exact p-value is 0, and rounding must not take one above 1.
        self._pvalue[left, right] = np.clip(at_least, floor, 1.0)
        self._pvalue[right, left] = np.clip(at_most, floor, 1.0)
        self._floor[left, right] = self._floor[right, left] = floor
        self._method[left, right] = self._method[right, left] = method

    def finish(self) -> PairPvalues:
        """Return the matrices, for "less" the other way round."""
        pvalue, method, floor = self._pvalue, self._method, self._floor
        if self._turned:
            pvalue, method, floor = pvalue.T.copy(), method.T.copy(), floor.T.copy()
        return PairPvalues(read_only(pvalue), read_only(method), read_only(floor))
