"""Exact p-values of the sign-flip test for many pairs, by the way that suits the scores."""

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from analysis.statistics._typing import BoolArray, FloatArray, IntArray, Progress
from analysis.statistics.resampling.threads import run_tiles

MAX_ENUMERATED = 20
"""Pairs that differ on up to this many units are settled by listing all patterns."""
MAX_LEVEL = 4_096
"""Largest difference, in steps, for which the exact distribution is considered."""
AFFORDABLE_SECONDS = 5e-5
"""Estimated processor time that the exact p-value of a pair may take, whatever the others take."""
MAX_POINTS = 2**14
"""Most points of the frequency axis that can be had in that time."""
PAIRS_AT_ONCE = 256
_PRODUCT_AHEAD = 8
"""A matrix product counts this many pairs while one is counted by itself."""
_CELLS_AT_ONCE = 1 << 22


class Pairs(NamedTuple):
    """Pairs of rows of one matrix; T is the sum of their differences with random signs."""

    scores: FloatArray
    """NaN where missing, shape (n_rows, n_items)."""
    units: IntArray
    """Unit of each item; empty where every item is one."""
    n_units: int
    left: IntArray
    """A row, shape (n_pairs,)."""
    right: IntArray
    whole: bool
    """Whether all scores are whole numbers."""
    tolerance: FloatArray
    """How far two equal values of T may lie apart by rounding; 0 for whole numbers."""
    observed: FloatArray
    """t, the observed value."""
    squares: FloatArray
    """Sum of the squared differences of units, the variance of T."""
    different: IntArray
    """Units that differ."""

    @property
    def least(self) -> FloatArray:
        """Differences of units up to this size are rounding errors."""
        return self.tolerance / (2 * self.scores.shape[1] if self.units.size == 0 else 2)

    def chosen(self, which: npt.NDArray[np.integer] | BoolArray) -> "Pairs":
        """Return some of the pairs."""
        return self._replace(
            left=self.left[which],
            right=self.right[which],
            tolerance=self.tolerance[which],
            observed=self.observed[which],
            squares=self.squares[which],
            different=self.different[which],
        )

    def tiles(self) -> list["Pairs"]:
        """Return the pairs a few hundred at a time."""
        starts = range(0, self.left.size, PAIRS_AT_ONCE)
        return [self.chosen(np.arange(s, min(s + PAIRS_AT_ONCE, self.left.size))) for s in starts]


class Tails(NamedTuple):
    """Chances under exchange."""

    upper: FloatArray
    """``P(T >= |t|)``."""
    point: FloatArray
    """``P(T = |t|)``."""


def list_pairs(
    scores: FloatArray,
    units: IntArray,
    n_units: int,
    left: IntArray,
    right: IntArray,
    tolerance: FloatArray | None = None,
    *,
    n_threads: int | None = None,
) -> Pairs:
    """Look at the differences of the pairs once; without `tolerance` scores are whole numbers."""
    from analysis.statistics.all_pairs import difference_kernels

    bound = np.zeros(left.size) if tolerance is None else tolerance
    number, count = np.empty(left.size), np.empty(left.size, np.int64)
    pairs = Pairs(
        scores,
        units,
        n_units,
        left,
        right,
        tolerance is None,
        bound,
        number,
        number.copy(),
        count,
    )

    def fill(part: Pairs, at: slice) -> None:
        difference_kernels.summarise_pairs(
            scores,
            units,
            n_units,
            part.left,
            part.right,
            part.least,
            pairs.observed[at],
            pairs.squares[at],
            pairs.different[at],
        )

    settle(fill, pairs, n_threads=n_threads)
    # Nothing but rounding is left of such a difference.
    pairs.observed[np.abs(pairs.observed) <= pairs.tolerance] = 0.0
    return pairs


def settle(
    fill: Callable[[Pairs, slice], None],
    pairs: Pairs,
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Let `fill` work on all pairs, a few hundred at a time, in several threads."""
    tiles = pairs.tiles()

    def work(tile: int) -> None:
        fill(tiles[tile], slice(tile * PAIRS_AT_ONCE, (tile + 1) * PAIRS_AT_ONCE))

    run_tiles(work, len(tiles), n_threads=n_threads, progress=progress)


def by_enumeration(pairs: Pairs, *, n_threads: int | None = None) -> Tails:
    """List all 2^m patterns of pairs that differ on m <= 20 units.

    Notes
    -----
    The sorted sums of both halves of the units are joined (Horowitz and Sahni 1974): 2^(m/2)
    steps and numbers per pair instead of 2^m; 5 µs for m = 20.
    """
    from analysis.statistics.all_pairs import difference_kernels

    tails = Tails(np.empty(pairs.left.size), np.empty(pairs.left.size))

    def fill(part: Pairs, at: slice) -> None:
        difference_kernels.enumerate_pairs(
            part.scores,
            part.units,
            part.n_units,
            part.left,
            part.right,
            part.least,
            part.observed,
            part.tolerance,
            MAX_ENUMERATED,
            tails.upper[at],
            tails.point[at],
        )

    settle(fill, pairs, n_threads=n_threads)
    return tails


def by_inversion(
    pairs: Pairs, *, n_threads: int | None = None, progress: Progress | None = None
) -> tuple[Tails, BoolArray]:
    """Compute the exchange distribution of whole numbers where that is quick.

    Parameters
    ----------
    pairs : Pairs
        Of whole numbers.

    Returns
    -------
    Tails
        Relative error below 1e-11, also of the smallest p-values.
    ndarray of bool
        Which pairs are settled: those with differences of at most `MAX_LEVEL` steps of their own
        that take at most `AFFORDABLE_SECONDS`.

    Notes
    -----
    The quicker of two ways: the ± differences of few units are convolved one after the other;
    for more, the characteristic function is inverted. Far out, the distribution is first tilted
    so that its mean is the observed value.

    References
    ----------
    Esscher (1932) for the tilt; Hoeffding (1963), Theorem 2, bounds what is left out.
    """
    from analysis.statistics.all_pairs import lattice_kernels

    tails = Tails(np.empty(pairs.left.size), np.empty(pairs.left.size))
    settled = np.empty(pairs.left.size, np.bool_)
    circle = _circle()

    def fill(part: Pairs, at: slice) -> None:
        lattice_kernels.invert_pairs(
            part.scores,
            part.units,
            part.n_units,
            part.left,
            part.right,
            part.observed,
            MAX_LEVEL,
            AFFORDABLE_SECONDS,
            circle,
            tails.upper[at],
            tails.point[at],
            settled[at],
        )

    settle(fill, pairs, n_threads=n_threads, progress=progress)
    return tails, settled


@functools.cache
def _circle() -> FloatArray:
    """Return the cosines of the frequencies; the four zeros and ones are exact."""
    size = 2 * MAX_POINTS
    circle = np.cos(np.arange(size) * (2 * math.pi / size))
    circle[:: size // 4] = (1.0, 0.0, -1.0, 0.0)
    return np.asarray(circle)


class BinaryTails(NamedTuple):
    """Exact chances from discordant counts, for listed pairs."""

    at_least: FloatArray
    """``P(T >= t)``."""
    at_most: FloatArray
    """``P(T <= t)``."""
    different: IntArray


def by_binomial(
    high: BoolArray, present: BoolArray, left: IntArray, right: IntArray
) -> BinaryTails:
    """Give the closed form for scores of two values: each discordant item is a fair coin.

    Parameters
    ----------
    high, present : ndarray of bool, shape (n_systems, n_items)
        Which scores have the higher value, and which there are.
    left, right : ndarray of int, shape (n_pairs,)
    """
    if left.size * _PRODUCT_AHEAD < len(high) ** 2:
        wins, losses = _won_by_pair(high, present & ~high, left, right)
    else:
        # Counts below 2^24 or 2^53 are exact.
        single = high.shape[1] < 2**24
        numbers, there = (
            side.astype(np.float32) if single else side.astype(np.float64)
            for side in (high, present)
        )
        both, won = numbers @ numbers.T, numbers @ there.T
        joint = both[left, right].astype(np.int64)
        wins = won[left, right].astype(np.int64) - joint
        losses = won[right, left].astype(np.int64) - joint
    n = wins + losses
    return BinaryTails(_binomial(losses, n), _binomial(wins, n), n)


def _won_by_pair(
    high: BoolArray, low: BoolArray, left: IntArray, right: IntArray
) -> tuple[IntArray, IntArray]:
    """Count the items that each system of a pair has high and the other low, pair by pair."""
    wins, losses = np.empty_like(left), np.empty_like(left)
    step = max(1, _CELLS_AT_ONCE // max(1, high.shape[1]))
    for begin in range(0, left.size, step):
        some = slice(begin, begin + step)
        wins[some] = np.count_nonzero(high[left[some]] & low[right[some]], axis=1)
        losses[some] = np.count_nonzero(low[left[some]] & high[right[some]], axis=1)
    return wins, losses


def _binomial(k: IntArray, n: IntArray) -> FloatArray:
    """Return ``P(X <= k)`` of n fair coins, each different (k, n) once."""
    cells, inverse = np.unique(np.stack([k, n]), axis=1, return_inverse=True)
    values = scipy.special.bdtr(cells[0].astype(np.float64), cells[1], 0.5)
    return np.asarray(values[inverse.reshape(-1)], dtype=np.float64)


def smallest_chance(different: npt.NDArray[np.integer]) -> FloatArray:
    """Return 2^-m, the chance of the most extreme pattern, or the smallest normal number."""
    tiny = np.finfo(np.float64).tiny
    return np.asarray(np.maximum(np.ldexp(1.0, -np.minimum(different, 1_100)), tiny))
