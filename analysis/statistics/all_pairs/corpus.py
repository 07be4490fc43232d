"""Corpus metrics of all pairs, tested by exchanging two systems item by item."""

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

_VALUES_AT_ONCE = 1 << 17


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
    aggregation : str
        Not "mean", which `signflip_all_pairs` tests exactly.
    testable : ndarray of bool, shape (n_systems, n_systems)
        Pairs whose metrics are defined on the items that they share.
    codes : ndarray of int, shape (n_items,), or None
        Numbers of the items' groups from 0, exchanged as a whole.
    alternative, n_resamples, seed, n_threads, progress
        As for `signflip_all_pairs`. Pairs that share the same items share a plan.

    Returns
    -------
    PairPvalues
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
    first, second = triangle(len(values))
    tails, method = np.full((3, first.size), np.nan), np.zeros(first.size, np.uint8)
    wanted = np.flatnonzero(testable[first, second])
    sets = list(complete_sets(~np.isnan(values[:, :, 0]), wanted))
    for index, part in enumerate(sets):
        own = _Pairs(
            values[np.ix_(part.systems, part.items)],
            part.left,
            part.right,
            aggregation,
            None if codes is None else renumber(codes[part.items]),
            alternative,
            n_resamples,
            seed,
            n_threads,
            part_of(progress, index, len(sets)),
        )
        tails[:, part.pairs], method[part.pairs] = own.test()
    above, below, floor = tails
    return square(len(values), above, below, floor, floor, method)


class _Pairs(NamedTuple):
    """Pairs of systems on the same items, shape (n_systems, n_items, n_components)."""

    values: FloatArray
    left: IntArray
    right: IntArray
    aggregation: str
    codes: IntArray | None
    alternative: str
    n_resamples: int
    seed: int
    n_threads: int | None
    progress: Progress | None

    def test(self) -> tuple[FloatArray, ByteArray]:
        """Return p-values for left and for right and their floor, (3, n_pairs), and methods."""
        everything = np.arange(self.left.size)
        tails = np.full((3, everything.size), 1 / (self.n_resamples + 1))
        method = np.full(everything.size, PairMethod.MONTE_CARLO, np.uint8)
        if self.aggregation == "median":
            self._test_singly(everything, tails, method, self.progress)
            return tails, method
        units = self._units()
        by_system = np.ascontiguousarray(units.transpose(1, 0, 2))
        different = [
            np.count_nonzero((by_system[i] != by_system[j]).any(axis=1))
            for i, j in zip(self.left, self.right, strict=True)
        ]
        few = np.array(different, dtype=np.int64) <= MAX_ENUMERATED
        self._test_singly(everything[few], tails, method, None)
        if not few.all():
            tails[:2, ~few] = self._draw(units, self.left[~few], self.right[~few])
        return tails, method

    def _test_singly(
        self, pairs: IntArray, tails: FloatArray, method: ByteArray, progress: Progress | None
    ) -> None:
        """Write what exchanging the systems of each listed pair gives."""

        def work(tile: int) -> None:
            pair = pairs[tile]
            a, b = self.values[self.left[pair]], self.values[self.right[pair]]
            above = below = self._test_one(a, b, self.alternative)
            if self.alternative != "two-sided":
                below = self._test_one(a, b, OTHER_SIDE[self.alternative])
            tails[:, pair] = above.pvalue, below.pvalue, above.floor
            method[pair] = PairMethod.ENUMERATED if above.exact else PairMethod.MONTE_CARLO

        run_tiles(work, pairs.size, n_threads=self.n_threads, progress=progress)

    def _test_one(self, a: FloatArray, b: FloatArray, side: str) -> FlipOutcome:
        if self.aggregation != "median":
            return list_flips(
                a, b, aggregation=self.aggregation, alternative=side, groups=self.codes
            )
        return median_flip_test(
            a[:, 0],
            b[:, 0],
            of_differences=False,
            alternative=side,
            n_resamples=self.n_resamples,
            seed=self.seed,
            groups=self.codes,
        )

    def _units(self) -> FloatArray:
        """Return what an exchange moves per unit, shape (n_units, n_systems, n_components)."""
        values = self.values
        if self.aggregation in CORRELATIONS:
            values = np.stack([exchangeable_moments(side, self.aggregation) for side in values])
        units = np.ascontiguousarray(values.transpose(1, 0, 2))
        if self.codes is None:
            return units
        sums = sum_units(units.reshape(len(units), -1), self.codes)
        return sums.reshape(-1, *units.shape[1:])

    def _draw(self, units: FloatArray, left: IntArray, right: IntArray) -> FloatArray:
        """Return both p-values of listed pairs from the shared plan."""
        n_items, columns = self.values.shape[1], np.ascontiguousarray(units.reshape(len(units), -1))
        totals = np.sum(units, axis=0)
        sums, side = totals[left] + totals[right], self.alternative

        def differences(signed: FloatArray, at: slice) -> FloatArray:
            first, second = (sums[at] + signed) / 2, (sums[at] - signed) / 2
            metric = exchanged_metric(first, self.aggregation, n_items)
            return metric - exchanged_metric(second, self.aggregation, n_items)

        observed = differences(totals[left] - totals[right], slice(None))
        room = np.maximum(TIE, TIE * np.abs(observed))
        if self.aggregation not in CORRELATIONS:
            middle = np.abs(exchanged_metric(sums / 2, self.aggregation, n_items))
            room = TIE * np.maximum(middle, np.abs(observed))

        def count(block: int, rows: int) -> IntArray:
            signed = signed_sums(columns, sign_codes(self.seed, block, len(columns)))
            signed = signed.reshape(-1, *units.shape[1:])[:rows]
            counts = np.empty((2, left.size), dtype=np.int64)
            step = max(1, _VALUES_AT_ONCE // (rows * units.shape[1]))
            for start in range(0, left.size, step):
                at = slice(start, start + step)
                drawn = differences(signed[:, left[at]] - signed[:, right[at]], at)
                extreme = reached(drawn, observed[at], side, room[at])
                counts[:, at] = np.count_nonzero(extreme, axis=0)
                if side != "two-sided":
                    extreme = reached(drawn, observed[at], OTHER_SIDE[side], room[at])
                    counts[1, at] = np.count_nonzero(extreme, axis=0)
            return counts

        counts = count_blocks(
            count,
            np.zeros((2, left.size), dtype=np.int64),
            self.n_resamples,
            n_threads=self.n_threads,
            progress=self.progress,
        )
        return np.asarray((counts + 1) / (self.n_resamples + 1))
