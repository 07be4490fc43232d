"""Scores of all systems as numbers with exact sums, and the items that each pair shares.

A pair is compared on the items that both systems have. Systems that miss the same items share a
pattern: with q(b) the pattern of b, the signed sum of a's scores over the items that a and b
share is one row of a matrix per pattern, so the shared plan serves pairs with missing items too:
T_ab = W_q(b)[a] - W_q(a)[b]. Whole steps, or multiples of a step of each system's own
(`fixed_point`), have sums that are exact in any order.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray, Floats, IntArray
from analysis.statistics.all_pairs.complete_sets import distinct_rows, triangle
from analysis.statistics.fixed_point import WholeScores, whole_scores
from analysis.statistics.item_groups import as_group_codes
from analysis.statistics.resampling.plan import (
    BLOCK,
    SignCodes,
    blocks_at_once,
    sign_codes,
    signed_sums_of,
)
from analysis.statistics.validation import as_floats

TILE = 64
"""Systems per tile where items are missing."""
SLAB = 64 * 2**20
"""Bytes that the sums of all systems over the items of all patterns may take."""
_FEWEST_ROWS = 16


class Scores(NamedTuple):
    """Scores as they were given, checked."""

    values: FloatArray
    """NaN where missing, shape (n_systems, n_items)."""
    units: IntArray
    """Unit of each item; empty where every item is one."""
    n_units: int


class Comparison(NamedTuple):
    """What the tests of all pairs work on; pairs are listed as i < j."""

    scores: Floats
    """Numbers whose sums are exact, NaN where missing, shape (n_systems, n_items)."""
    units: IntArray
    """Unit of each item; empty where every item is one."""
    n_units: int
    pattern: IntArray
    """Which items a system has: a row of `present`, shape (n_systems,)."""
    present: BoolArray
    """Shape (n_patterns, n_items)."""
    left: IntArray
    """First system of each pair, shape (n_pairs,)."""
    right: IntArray
    observed: FloatArray
    """Sum of the differences of each pair."""
    n_shared: IntArray
    """Items that both systems of each pair have."""

    @property
    def n_systems(self) -> int:
        """Number of systems."""
        return len(self.scores)

    @property
    def complete(self) -> bool:
        """Whether no score is missing."""
        return bool(np.all(self.present))


def set_up(
    scores: npt.ArrayLike,
    groups: Sequence[Hashable] | npt.NDArray[np.generic] | None,
) -> Comparison:
    """Check the scores and bring all of them into whole steps of one grid.

    Parameters
    ----------
    scores : array_like, shape (n_systems, n_items)
        Finite; NaN where a system has no score.
    groups : sequence, shape (n_items,), or None
        Label per item; items with one label are exchanged together.

    Raises
    ------
    TypeError, ValueError
        If scores are no finite numbers or not 2-D, or the labels do not fit.
    """
    given = check(scores, groups)
    return compare(steps_of(whole_scores(given.values)), given.units, given.n_units)


def steps_of(whole: WholeScores) -> Floats:
    """Return whole steps, NaN where there is no score."""
    if whole.present is None:
        return whole.steps
    return np.where(whole.present, whole.steps, whole.steps.dtype.type(np.nan))


def check(
    scores: npt.ArrayLike,
    groups: Sequence[Hashable] | npt.NDArray[np.generic] | None,
) -> Scores:
    """Check scores and groups, as `set_up` describes them."""
    values = as_floats(scores, "scores")
    if values.ndim != 2:
        raise ValueError(f"`scores` must be 2-D (systems x items), got shape {values.shape}.")
    if np.any(np.isinf(values)):
        system, item = (int(place) for place in np.argwhere(np.isinf(values))[0])
        raise ValueError(
            f"`scores` must be finite (NaN = missing), got {values[system, item]} for system "
            f"{system}, item {item}."
        )
    if groups is not None:
        codes = as_group_codes(groups, values.shape[1])
        if np.max(codes, initial=-1) + 1 < codes.size:
            return Scores(values, codes, int(np.max(codes)) + 1)
    return Scores(values, np.empty(0, np.int64), values.shape[1])


def compare(scores: Floats, units: IntArray, n_units: int) -> Comparison:
    """List all pairs of rows whose sums are exact in any order; NaN where missing."""
    there = ~np.isnan(scores)
    if there.all():
        steps, pattern = scores, np.zeros(len(scores), np.int64)
        present = np.ones((1, scores.shape[1]), np.bool_)
    else:
        steps = np.where(there, scores, scores.dtype.type(0))
        present, pattern = distinct_rows(there)
    left, right = (side.copy() for side in triangle(len(scores)))
    sums = steps.astype(np.float64, copy=False) @ present.T.astype(np.float64)
    shared = np.rint(present.astype(np.float64) @ present.T.astype(np.float64)).astype(np.int64)
    observed = sums[left, pattern[right]] - sums[right, pattern[left]]
    n_shared = shared[pattern[left], pattern[right]]
    return Comparison(scores, units, n_units, pattern, present, left, right, observed, n_shared)


class Tile(NamedTuple):
    """Signed sums of two runs of systems, on what each shares with the other's patterns."""

    rows: slice
    columns: slice
    first: Floats
    """Shape (n_rows, n_patterns_of_columns, 256)."""
    second: Floats
    """Shape (n_columns, n_patterns_of_rows, 256)."""
    first_pattern: IntArray
    """Pattern of each row, as an index into `second`."""
    second_pattern: IntArray


class Slab(NamedTuple):
    """Signed sums of all systems on the items of all patterns, for some replicates of a block."""

    start: int
    """First replicate of the block."""
    sums: Floats
    """Shape (n_systems, n_patterns, n_replicates)."""


class SharedSums:
    """The signed sums of all systems for any block of the plan.

    Systems are put in order of their patterns: `order` gives the original number of each, `place`
    where each has gone. Immutable once made: threads share it. Memory per block and thread: 512 ·
    n_systems numbers for complete scores; with missing items also 2 · 64 · 64 · 256 numbers at
    most (16 MiB in float64), whatever the number of systems and patterns.
    """

    def __init__(self, comparison: Comparison, seed: int) -> None:
        self.order = np.argsort(comparison.pattern, kind="stable")
        self.place = np.empty_like(self.order)
        self.place[self.order] = np.arange(len(self.order))
        self.pattern = comparison.pattern[self.order]
        self._comparison = comparison
        self._seed = seed
        # One item after the other: the sums of all systems are added in one stride.
        columns = np.ascontiguousarray(comparison.scores[self.order].T)
        self._columns = columns if comparison.complete else np.nan_to_num(columns, copy=False)
        self._all = np.arange(len(columns))
        self._absent = [np.flatnonzero(~row) for row in comparison.present]
        self.together = blocks_at_once(*columns.shape) if comparison.complete else 1
        """Of how many blocks the sums should be taken at once."""

    def tiles(self, block: int) -> Iterator[Tile]:
        """Yield the sums of one block, so that every pair of systems comes up once."""
        codes = self._codes(block)
        n_systems = len(self.order)
        base = self._accumulate(codes, slice(0, n_systems), self._all)
        if len(self._absent) == 1:
            sums = _transform(base)[:, np.newaxis]
            everyone, zeros = slice(0, n_systems), np.zeros(n_systems, np.int64)
            yield Tile(everyone, everyone, sums, sums, zeros, zeros)
            return
        for start in range(0, n_systems, TILE):
            rows = slice(start, min(start + TILE, n_systems))
            of_rows, first_pattern = np.unique(self.pattern[rows], return_inverse=True)
            for other in range(start, n_systems, TILE):
                columns = slice(other, min(other + TILE, n_systems))
                of_columns, second_pattern = np.unique(self.pattern[columns], return_inverse=True)
                first = self._restricted(base, codes, rows, of_columns)
                second = (
                    first if other == start else self._restricted(base, codes, columns, of_rows)
                )
                yield Tile(rows, columns, first, second, first_pattern, second_pattern)

    def of_blocks(self, first: int, n_blocks: int) -> Floats:
        """Return the sums of complete scores, shape (n_systems, n_blocks * 256)."""
        blocks = [self._codes(block) for block in range(first, first + n_blocks)]
        stacked = SignCodes(*(np.stack(side) for side in zip(*blocks, strict=True)))
        sums = signed_sums_of(self._columns, stacked)
        return np.ascontiguousarray(sums.swapaxes(0, 1)).reshape(len(self.order), -1)

    def slabs(self, block: int) -> Iterator[Slab]:
        """Yield the sums of one block for all pairs at once, some replicates after the others.

        As many replicates as take at most 64 MiB, or 16.
        """
        codes = self._codes(block)
        everyone, patterns = slice(0, len(self.order)), np.arange(len(self._absent))
        base = self._accumulate(codes, everyone, self._all)
        size = BLOCK
        while size > _FEWEST_ROWS and base.itemsize * len(self.order) * patterns.size * size > SLAB:
            size //= 4
        for start in range(0, BLOCK, size):
            yield Slab(start, self._restricted(base, codes, everyone, patterns, start, size))

    def _restricted(
        self,
        base: Floats,
        codes: SignCodes,
        systems: slice,
        patterns: IntArray,
        start: int = 0,
        size: int = BLOCK,
    ) -> Floats:
        """Return the sums of some systems over the items of each pattern.

        Shape (n_systems, n_patterns, size), for the replicates from `start`, a multiple of `size`.
        """
        sums = np.empty((systems.stop - systems.start, len(patterns), size), base.dtype)
        for place, pattern in enumerate(patterns):
            part = np.ascontiguousarray(base[:, systems])
            absent = self._absent[pattern]
            if absent.size:
                part = part - self._accumulate(codes, systems, absent)
            sums[:, place] = _transform(_fold(part, start // size, size))
        return sums

    def _codes(self, block: int) -> SignCodes:
        """Return the codes of the columns; those of one unit are the same."""
        comparison = self._comparison
        codes = sign_codes(self._seed, block, comparison.n_units)
        if not comparison.units.size:
            return codes
        return codes.of(comparison.units)

    def _accumulate(self, codes: SignCodes, systems: slice, rows: IntArray) -> Floats:
        from analysis.statistics.resampling import kernels

        sums = np.zeros((BLOCK, systems.stop - systems.start), self._columns.dtype)
        kernels.add_rows(self._columns, systems.start, rows, codes.positions, codes.minus, sums)
        return sums


def _fold(sums: Floats, part: int, size: int) -> Floats:
    """Prepare the transform of `size` replicates, the `part`-th of a block.

    Sylvester's matrix is a Kronecker product: of the 8 bits of a replicate, the high ones act on
    the high bits of the position only.
    """
    if size == BLOCK:
        # The transform works in place.
        return sums.copy()
    high = np.arange(BLOCK // size)
    signs = 1 - 2 * (np.bitwise_count(high & part) & 1).astype(sums.dtype)
    return np.ascontiguousarray(np.tensordot(signs, sums.reshape(high.size, size, -1), axes=1))


def _transform(sums: Floats) -> Floats:
    """Return the sums per system and replicate; `sums` is used up."""
    from analysis.statistics.resampling import kernels

    kernels.hadamard(sums)
    turned = np.empty(sums.shape[::-1], sums.dtype)
    kernels.turn(sums, turned)
    return turned
