"""Corpus metrics of all pairs, tested by exchanging two systems item by item."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import BoolArray, ByteArray, FloatArray, IntArray, Progress
from analysis.statistics.aggregate import CORRELATIONS
from analysis.statistics.all_pairs.closed_forms import square
from analysis.statistics.all_pairs.complete_sets import complete_sets, triangle
from analysis.statistics.all_pairs.result import PairMethod, PairPvalues
from analysis.statistics.correlations import exchangeable_moments
from analysis.statistics.item_groups import renumber
from analysis.statistics.resampling.listed_flips import MAX_ENUMERATED, exchanged_metric, list_flips
from analysis.statistics.resampling.median_flips import median_flip_test
from analysis.statistics.resampling.plan import sign_codes, signed_sums
from analysis.statistics.resampling.system_metric import sum_units
from analysis.statistics.resampling.tails import OTHER_SIDE, TIE, FlipOutcome, reached
from analysis.statistics.resampling.threads import count_blocks, part_of, run_tiles

_Metric = Callable[[FloatArray], FloatArray]
_VALUES_AT_ONCE = 1 << 17


class Exchanged(NamedTuple):
    """P-values of listed pairs; arrays of shape (n_pairs,)."""

    above: FloatArray
    """Of the chosen alternative for left against right."""
    below: FloatArray
    """The same for right against left."""
    floor: FloatArray
    method: ByteArray


def exchange_pairs(
    values: FloatArray,
    left: IntArray,
    right: IntArray,
    aggregation: str,
    codes: IntArray | None,
    *,
    alternative: str,
    n_resamples: int,
    seed: int,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Exchanged:
    """Test listed pairs by what exchanging the two systems item by item gives.

    Parameters
    ----------
    values : ndarray, shape (n_systems, n_items, n_components)
        Complete components, of systems whose metric is defined.
    left, right : ndarray of int, shape (n_pairs,)
    aggregation : str
        Not "mean", which `signflip_all_pairs` tests exactly.
    codes : ndarray of int, shape (n_items,), or None
        Numbers of the items' groups from 0, exchanged as a whole.
    alternative, n_resamples, seed, n_threads, progress
        As for `signflip_all_pairs`.

    Returns
    -------
    Exchanged
        ENUMERATED where a pair differs on at most 16 units, else MONTE_CARLO.

    Notes
    -----
    Exchanging keeps the sum of both systems' components and turns the sign of their difference.
    With G the signed sums of a system's components over units, the exchanged sums of a and b are
    (S_a + S_b ± (G_a - G_b)) / 2: G comes once per system, pairs take differences. A metric that
    an exchange leaves undefined counts as 0; equality is to a relative 1e-12.

    References
    ----------
    Yeh (2000), More accurate tests for the statistical significance of result differences.
    """
    found = Exchanged(
        np.full(left.size, np.nan),
        np.full(left.size, np.nan),
        np.full(left.size, 1 / (n_resamples + 1)),
        np.full(left.size, PairMethod.MONTE_CARLO, np.uint8),
    )
    single = _SinglePairs(values, aggregation, codes, alternative, n_resamples, seed)
    if aggregation == "median":
        everything = np.arange(left.size)
        single.enter(found, left, right, everything, n_threads=n_threads, progress=progress)
        return found
    units, metric = _exchangeable(values, aggregation, codes)
    few = np.flatnonzero(_count_different(units, left, right) <= MAX_ENUMERATED)
    single.enter(found, left, right, few, n_threads=n_threads, progress=None)
    many = np.setdiff1d(np.arange(left.size), few)
    if not many.size:
        return found
    pairs = _DrawnPairs(units, metric, left[many], right[many], aggregation)
    counts = count_blocks(
        lambda block, rows: pairs.count(seed, block, rows, alternative),
        np.zeros((2, many.size), dtype=np.int64),
        n_resamples,
        n_threads=n_threads,
        progress=progress,
    )
    above, below = counts
    found.above[many] = (above + 1) / (n_resamples + 1)
    found.below[many] = (below + 1) / (n_resamples + 1)
    return found


def exchange_all_pairs(
    values: FloatArray,
    aggregation: str,
    testable: BoolArray,
    *,
    codes: IntArray | None,
    alternative: str,
    n_resamples: int,
    seed: int,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> PairPvalues:
    """Test all pairs by what exchanging the two systems item by item gives.

    Parameters
    ----------
    values : ndarray, shape (n_systems, n_items, n_components)
        An item that a system misses has NaN in all components.
    testable : ndarray of bool, shape (n_systems, n_systems)
        Pairs whose metrics are defined on the items that they share.
    aggregation, codes, alternative, n_resamples, seed, n_threads, progress
        As for `exchange_pairs`. Pairs that share the same items share a plan.

    Returns
    -------
    PairPvalues
    """
    n_systems = len(values)
    first, second = triangle(n_systems)
    found = Exchanged(
        np.full(first.size, np.nan),
        np.full(first.size, np.nan),
        np.full(first.size, np.nan),
        np.zeros(first.size, np.uint8),
    )
    wanted = np.flatnonzero(testable[first, second])
    sets = list(complete_sets(~np.isnan(values[:, :, 0]), wanted))
    for index, part in enumerate(sets):
        outcome = exchange_pairs(
            values[np.ix_(part.systems, part.items)],
            part.left,
            part.right,
            aggregation,
            None if codes is None else renumber(codes[part.items]),
            alternative=alternative,
            n_resamples=n_resamples,
            seed=seed,
            n_threads=n_threads,
            progress=part_of(progress, index, len(sets)),
        )
        found.above[part.pairs], found.below[part.pairs] = outcome.above, outcome.below
        found.floor[part.pairs], found.method[part.pairs] = outcome.floor, outcome.method
    return square(n_systems, found.above, found.below, found.floor, found.floor, found.method)


class _DrawnPairs:
    """Pairs whose exchanged metrics come from the shared plan."""

    def __init__(
        self, units: FloatArray, metric: _Metric, left: IntArray, right: IntArray, aggregation: str
    ) -> None:
        self._shape = units.shape[1:]
        self._columns = np.ascontiguousarray(units.reshape(len(units), -1))
        self._metric, self._left, self._right = metric, left, right
        totals = np.sum(units, axis=0)
        self._sums = totals[left] + totals[right]
        self._observed = self._differences(totals[left] - totals[right], slice(None))
        middle = np.abs(metric(self._sums / 2))
        if aggregation in CORRELATIONS:
            middle = np.ones_like(middle)
        self._room = TIE * np.maximum(middle, np.abs(self._observed))

    def count(self, seed: int, block: int, rows: int, side: str) -> IntArray:
        """Return how many patterns of a block are as extreme, to this side and to the other."""
        codes = sign_codes(seed, block, len(self._columns))
        signed = signed_sums(self._columns, codes).reshape(-1, *self._shape)[:rows]
        n_pairs = self._left.size
        counts = np.empty((2, n_pairs), dtype=np.int64)
        step = max(1, _VALUES_AT_ONCE // (rows * self._shape[1]))
        for start in range(0, n_pairs, step):
            at = slice(start, start + step)
            drawn = self._differences(signed[:, self._left[at]] - signed[:, self._right[at]], at)
            observed, room = self._observed[at], self._room[at]
            counts[:, at] = np.count_nonzero(reached(drawn, observed, side, room), axis=0)
            if side != "two-sided":
                other = reached(drawn, observed, OTHER_SIDE[side], room)
                counts[1, at] = np.count_nonzero(other, axis=0)
        return counts

    def _differences(self, signed: FloatArray, at: slice) -> FloatArray:
        sums = self._sums[at]
        return self._metric((sums + signed) / 2) - self._metric((sums - signed) / 2)


class _SinglePairs:
    """Pairs that are handed, one by one, to the test of a single pair."""

    def __init__(
        self,
        values: FloatArray,
        aggregation: str,
        codes: IntArray | None,
        alternative: str,
        n_resamples: int,
        seed: int,
    ) -> None:
        self._values, self._aggregation, self._codes = values, aggregation, codes
        self._alternative, self._n_resamples, self._seed = alternative, n_resamples, seed

    def enter(
        self,
        found: Exchanged,
        left: IntArray,
        right: IntArray,
        pairs: IntArray,
        *,
        n_threads: int | None,
        progress: Progress | None,
    ) -> None:
        """Write the outcome of the listed pairs."""

        def work(tile: int) -> None:
            pair = pairs[tile]
            a, b = self._values[left[pair]], self._values[right[pair]]
            above = below = self._test(a, b, self._alternative)
            if self._alternative != "two-sided":
                below = self._test(a, b, OTHER_SIDE[self._alternative])
            found.above[pair], found.below[pair] = above.pvalue, below.pvalue
            found.floor[pair] = above.floor
            found.method[pair] = PairMethod.ENUMERATED if above.exact else PairMethod.MONTE_CARLO

        run_tiles(work, pairs.size, n_threads=n_threads, progress=progress)

    def _test(self, a: FloatArray, b: FloatArray, alternative: str) -> FlipOutcome:
        if self._aggregation == "median":
            return median_flip_test(
                a[:, 0],
                b[:, 0],
                of_differences=False,
                alternative=alternative,
                n_resamples=self._n_resamples,
                seed=self._seed,
                groups=self._codes,
            )
        return list_flips(
            a, b, aggregation=self._aggregation, alternative=alternative, groups=self._codes
        )


def _exchangeable(
    values: FloatArray, aggregation: str, codes: IntArray | None
) -> tuple[FloatArray, _Metric]:
    """Return sums per unit, (n_units, n_systems, n_components), and the metric of their sums."""
    n_items = values.shape[1]
    if aggregation in CORRELATIONS:
        values = np.stack([exchangeable_moments(system, aggregation) for system in values])
    units = np.ascontiguousarray(values.transpose(1, 0, 2))
    if codes is not None:
        units = sum_units(units.reshape(n_items, -1), codes).reshape(-1, *units.shape[1:])

    return units, lambda sums: exchanged_metric(sums, aggregation, n_items)


def _count_different(units: FloatArray, left: IntArray, right: IntArray) -> IntArray:
    """Return on how many units each pair differs in any component."""
    counts = np.empty(left.size, dtype=np.int64)
    by_system = np.ascontiguousarray(units.transpose(1, 0, 2))
    for pair in range(left.size):
        different = by_system[left[pair]] != by_system[right[pair]]
        counts[pair] = np.count_nonzero(different.any(axis=1))
    return counts
