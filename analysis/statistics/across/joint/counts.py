"""Counts of cells with an effect for all pairs of systems, where cells share items."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.statistics._typing import BoolArray, CodeArray, IntArray, Progress, Seed
from analysis.statistics.across.joint.cells import JointCell, PreparedCell, prepare_cells
from analysis.statistics.across.joint.closed_sums import largest_unrejected, needed_reached
from analysis.statistics.across.joint.statistics import (
    inverse_norms,
    minus_two_log,
    tail_scale,
    with_room,
)
from analysis.statistics.resampling.plan import BLOCK, SignCodes, all_codes, signed_sums
from analysis.statistics.resampling.threads import run_tiles
from analysis.statistics.results import Result, read_only
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_count, as_level, as_seed

TILE_BYTES = 64 * 2**20
"""Memory for the replicates of the pairs that a thread works on."""
_WIDEST = 128
LIMIT = 20_000
"""Bounds that the search for one pair and size may look at."""
TABLE_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True, eq=False)
class JointCounts(Result):
    """Lower bounds on the number of cells on which a system is better, for all pairs.

    Attributes
    ----------
    k : ndarray of int, shape (n_systems, n_systems)
        ``[i, j]``: system i is better than system j on at least so many cells, with confidence
        1 - alpha for each pair. 0 on the diagonal.
    n_cells : ndarray of int, shape (n_systems, n_systems)
        Cells that the pair can be tested on.
    n_undecided : int
        Entries of `k` whose search was given up: they may be too low, never too high.
    alpha : float
    n_resamples, seed : int
    """

    k: IntArray
    n_cells: IntArray
    n_undecided: int
    alpha: float
    n_resamples: int
    seed: int

    @property
    def signature(self) -> str:
        """One line from which the counts can be repeated."""
        return build_signature(
            "joint-counts",
            systems=len(self.k),
            alpha=self.alpha,
            m=self.n_resamples,
            seed=self.seed,
        )


def joint_counts(
    cells: Sequence[JointCell],
    *,
    alpha: float = 0.05,
    n_resamples: int = 999,
    rng: Seed = 0,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> JointCounts:
    """Count the cells on which one system is better than another, for all pairs.

    Parameters
    ----------
    cells : sequence of JointCell
        Scores of all systems on each dataset by each metric. A pair is compared on the cells
        where both have scores, on the items that both have.
    alpha, n_resamples, rng
        As for `joint_replicability`; one draw of exchanges serves all pairs.
    n_threads : int, optional
        By default one per usable processor, at most 8. The result does not depend on it.
    progress : callable, optional
        Called as ``progress(done, total)``; an exception that it raises cancels.

    Returns
    -------
    JointCounts

    Raises
    ------
    TypeError, ValueError
        As `joint_replicability`.

    Notes
    -----
    What it assumes and how `k` comes about is told in `joint_replicability`, which gives the same
    `k` for a pair of the same cells, with the same seed and number of exchanges. No correction is
    made for the number of pairs: each entry has a confidence of its own.

    For S systems, N cells, n items in all and B exchanges: S² (n B / 1024 + N B + N² B / 8)
    operations, the last term for pairs with an effect on at least one cell only, and a bounded
    search. Memory: twice the scores, and about 200 MiB per thread.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> skill = np.array([0.0, 0.1, 1.0])[:, np.newaxis, np.newaxis]
    >>> cells = [
    ...     JointCell(skill + rng.normal(size=(3, 50, 1)), "mean", np.arange(50) + start)
    ...     for start in (0, 25, 50, 75)
    ... ]
    >>> joint_counts(cells).k
    array([[0, 0, 0],
           [0, 0, 0],
           [4, 4, 0]])
    """
    level, resamples, seed = as_level(alpha), as_count(n_resamples, "n_resamples"), as_seed(rng)
    needed = needed_reached(level, resamples)
    prepared, n_units = prepare_cells(cells)
    n_systems = len(cells[0].scores) if cells else 0
    k = np.zeros((n_systems, n_systems), dtype=np.int64)
    n_cells = np.zeros_like(k)
    undecided = np.zeros_like(k)
    if prepared:
        plan = _Plan(cells, prepared, all_codes(seed, resamples, n_units), resamples)
        tiles = plan.tiles(n_systems)

        def work(tile: int) -> None:
            left, right = tiles[tile]
            gains, observed, testable = plan.gains(left, right)
            for place, other in enumerate(range(right.start, right.stop)):
                able = np.flatnonzero(testable[place])
                n_cells[left, other] = n_cells[other, left] = able.size
                for way, (winner, loser) in enumerate(((left, other), (other, left))):
                    order = able[np.argsort(observed[way, place, able], kind="stable")]
                    found = largest_unrejected(
                        np.ascontiguousarray(gains[place, way, order]),
                        needed,
                        limit=LIMIT,
                        table_bytes=TABLE_BYTES,
                    )
                    k[winner, loser] = able.size - found.size
                    undecided[winner, loser] = not found.decided

        run_tiles(work, len(tiles), n_threads=n_threads, progress=progress)
    return JointCounts(
        k=read_only(k),
        n_cells=read_only(n_cells),
        n_undecided=int(undecided.sum()),
        alpha=level,
        n_resamples=resamples,
        seed=seed,
    )


class _Plan:
    """The shared draw of signs, and the cells that it is applied to."""

    def __init__(
        self,
        given: Sequence[JointCell],
        cells: Sequence[PreparedCell],
        codes: Sequence[SignCodes],
        n_resamples: int,
    ) -> None:
        self._given, self._cells, self._n_resamples = given, cells, n_resamples
        self._codes = codes

    def tiles(self, n_systems: int) -> list[tuple[int, slice]]:
        """Return runs of pairs: one system and several that come after it."""
        width = TILE_BYTES // (8 * len(self._cells) * self._n_resamples)
        width = min(max(1, width), _WIDEST)
        return [
            (left, slice(start, min(start + width, n_systems)))
            for left in range(n_systems - 1)
            for start in range(left + 1, n_systems, width)
        ]

    def gains(self, left: int, right: slice) -> tuple[CodeArray, CodeArray, BoolArray]:
        """Return gains (n_pairs, 2, n_cells, n_resamples), observed steps, and what is testable."""
        from analysis.statistics.across.joint import statistics_kernels as kernels

        n_pairs, n_cells = right.stop - right.start, len(self._cells)
        scale = tail_scale(n_cells)
        gains = np.zeros((n_pairs, 2, n_cells, self._n_resamples), dtype=np.int32)
        observed = np.zeros((2, n_pairs, n_cells), dtype=np.int32)
        testable = np.zeros((n_pairs, n_cells), dtype=np.bool_)
        for cell, prepared in enumerate(self._cells):
            found = prepared.differences(left, right)
            testable[:, cell] = found.testable
            if not found.testable.any():
                continue
            weights = inverse_norms(found.values)
            z = np.sum(found.values, axis=0) * weights
            seen = np.minimum(np.stack([z, -z]), self._given[cell].ceiling(left, right))
            steps = minus_two_log(with_room(seen), n_cells)
            observed[:, :, cell] = steps
            for block, first in enumerate(range(0, self._n_resamples, BLOCK)):
                rows = min(BLOCK, self._n_resamples - first)
                codes = self._codes[block].of(prepared.units)
                sums = np.asarray(signed_sums(found.values, codes), dtype=np.float64)
                kernels.enter_gains(sums, rows, weights, steps, scale, cell, first, gains)
        return gains, observed, testable
