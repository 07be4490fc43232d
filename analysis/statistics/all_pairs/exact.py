"""Exact p-values of the sign-flip test for many pairs, by the way that suits the scores."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from analysis.statistics._typing import FloatArray
from analysis.statistics.all_pairs.missing import Comparison, IntArray
from analysis.statistics.all_pairs.plan import Progress
from analysis.statistics.all_pairs.tiles import run_tiles

MAX_ENUMERATED = 20
"""Pairs that differ on up to this many units are settled by listing all patterns."""
MAX_LEVEL = 4_096
"""Largest difference, in steps, for which the exact distribution is considered."""
MAX_POINTS = 2**18
"""Most points of the frequency axis; a table of twice as many cosines is kept."""
AFFORDABLE_SECONDS = 1.0
"""Estimated processor time that exact p-values of all pairs may always take."""
PAIRS_AT_ONCE = 256


class Tails(NamedTuple):
    """Chances under exchange, for listed pairs i < j; T is their difference, t the observed."""

    upper: FloatArray
    """``P(T >= |t|)``."""
    point: FloatArray
    """``P(T = |t|)``."""
    different: IntArray
    """Units that differ; -1 where the pair was left alone."""


def settle(
    fill: Callable[[slice, Tails], None],
    n_pairs: int,
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Tails:
    """Let `fill` write the tails of all pairs, a few hundred at a time, in several threads."""
    tails = Tails(np.empty(n_pairs), np.empty(n_pairs), np.empty(n_pairs, np.int64))

    def work(tile: int) -> None:
        part = slice(tile * PAIRS_AT_ONCE, (tile + 1) * PAIRS_AT_ONCE)
        fill(part, Tails(tails.upper[part], tails.point[part], tails.different[part]))

    run_tiles(work, -(-n_pairs // PAIRS_AT_ONCE), n_threads=n_threads, progress=progress)
    return tails


def by_enumeration(
    comparison: Comparison,
    pairs: IntArray,
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Tails:
    """List all 2^m patterns of the pairs that differ on m <= 20 units; leave the others alone.

    Parameters
    ----------
    comparison : Comparison
    pairs : ndarray of int
        Places in the list of pairs.

    Returns
    -------
    Tails
        `different` is -1 where a pair differs on more units; its chances mean nothing then.

    Notes
    -----
    The sorted sums of both halves of the units are joined (Horowitz and Sahni 1974): 2^(m/2)
    steps and numbers per pair instead of 2^m; 5 µs for m = 20.
    """
    from analysis.statistics.all_pairs import difference_kernels

    def fill(part: slice, tails: Tails) -> None:
        chosen = pairs[part]
        difference_kernels.enumerate_pairs(
            comparison.scores,
            comparison.units,
            comparison.n_units,
            comparison.left[chosen],
            comparison.right[chosen],
            comparison.observed[chosen],
            MAX_ENUMERATED,
            *tails,
        )

    return settle(fill, pairs.size, n_threads=n_threads, progress=progress)


def by_inversion(
    comparison: Comparison,
    pairs: IntArray,
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Tails:
    """Invert the characteristic function of the exchange distribution of whole numbers.

    Parameters
    ----------
    comparison : Comparison
        Differences of at most `MAX_LEVEL` steps.
    pairs : ndarray of int
        Places in the list of pairs.

    Returns
    -------
    Tails
        Relative error below 1e-11, also of the smallest p-values: far out, the distribution is
        first tilted so that its mean is the observed value.

    References
    ----------
    Esscher (1932) for the tilt; Hoeffding (1963), Theorem 2, bounds what is left out.
    """
    from analysis.statistics.all_pairs import lattice_kernels

    size = 2 * _n_points(math.sqrt(comparison.n_units) * comparison.largest)
    circle = np.cos(np.arange(size) * (2 * math.pi / size))
    # The four zeros and ones are exact.
    circle[:: size // 4] = (1.0, 0.0, -1.0, 0.0)

    def fill(part: slice, tails: Tails) -> None:
        chosen = pairs[part]
        lattice_kernels.invert_pairs(
            comparison.scores,
            comparison.units,
            comparison.n_units,
            comparison.left[chosen],
            comparison.right[chosen],
            comparison.observed[chosen],
            int(comparison.largest),
            circle,
            *tails,
        )

    return settle(fill, pairs.size, n_threads=n_threads, progress=progress)


def inversion_seconds(comparison: Comparison, n_pairs: int) -> float:
    """Estimate the processor time of `by_inversion`; infinite where it cannot be used."""
    largest = comparison.largest
    if largest > MAX_LEVEL or not n_pairs:
        return math.inf if n_pairs else 0.0
    if _n_points(math.sqrt(comparison.n_units) * largest) > MAX_POINTS:
        return math.inf
    n, levels = comparison.n_units, min(largest, comparison.n_units)
    points = _n_points(math.sqrt(_mean_square(comparison)))
    # With few units the bound on the characteristic function leaves out no point.
    alive = points / 2 if n < 200 else 60
    per_pair = 1.5e-6 + n * (2e-10 * levels if levels <= 12 else 1.3e-9)
    return n_pairs * (per_pair + 2e-9 * points + 1.5e-8 * alive * levels)


def _n_points(spread: float) -> int:
    """Return how many frequencies serve a sum with this standard deviation."""
    return max(8, 1 << math.ceil(math.log2(9 * spread + 3)))


def _mean_square(comparison: Comparison) -> float:
    """Return the sum of squared differences of two systems, in the mean over pairs."""
    if comparison.n_systems < 2 or comparison.scores.size == 0:
        return 0.0
    if comparison.complete:
        variance = np.var(comparison.scores, axis=0, ddof=1, dtype=np.float64)
        return 2 * float(np.sum(variance))
    return comparison.n_units * comparison.largest**2 / 4


class BinaryTails(NamedTuple):
    """Exact chances from discordant counts, for listed pairs."""

    at_least: FloatArray
    """``P(T >= t)``."""
    at_most: FloatArray
    """``P(T <= t)``."""
    different: IntArray


def is_binary(comparison: Comparison) -> bool:
    """Return whether systems differ on an item by nothing or by one step, and items are units.

    Scores with two values have this form; the sign-flip test is then McNemar's exact test.
    """
    return comparison.largest <= 1 and not comparison.units.size


def by_binomial(comparison: Comparison) -> BinaryTails:
    """Give the closed form for scores of two values: each discordant item is a fair coin."""
    present, pattern = comparison.present, comparison.pattern
    if comparison.complete:
        high = comparison.scores - np.min(comparison.scores, axis=0, initial=np.inf)
    else:
        # Whole steps start at 0 where the range is one step.
        high = np.nan_to_num(comparison.scores)
    won = high @ present.T.astype(high.dtype)
    both = high @ high.T
    left, right = comparison.left, comparison.right
    # Whole numbers below 2^24 (float32) or 2^53: exact.
    joint = both[left, right].astype(np.int64)
    wins = won[left, pattern[right]].astype(np.int64) - joint
    losses = won[right, pattern[left]].astype(np.int64) - joint
    n = wins + losses
    return BinaryTails(_binomial(losses, n), _binomial(wins, n), n)


def _binomial(k: IntArray, n: IntArray) -> FloatArray:
    """Return ``P(X <= k)`` of n fair coins, each different (k, n) once."""
    cells, inverse = np.unique(np.stack([k, n]), axis=1, return_inverse=True)
    values = special.bdtr(cells[0].astype(np.float64), cells[1], 0.5)
    return np.asarray(values[inverse.reshape(-1)], dtype=np.float64)


def smallest_chance(different: npt.NDArray[np.integer]) -> FloatArray:
    """Return 2^-m, the chance of the most extreme pattern, or the smallest normal number."""
    tiny = np.finfo(np.float64).tiny
    return np.asarray(np.maximum(np.ldexp(1.0, -np.minimum(different, 1_100)), tiny))
