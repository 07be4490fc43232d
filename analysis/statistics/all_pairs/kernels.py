"""Compiled inner loops of the shared plan; only the modules named `…kernels` import numba.

They work on whole numbers, so that no result depends on the order of work or on the instruction
set, and release the interpreter lock, so that threads can take different blocks.

Machine code on disk is renewed when the file of a loop changes, not when a loop that it calls in
another file does: after changing `difference_kernels.sizes_of`, say, touch the files that use it.
"""

from collections.abc import Callable
from typing import TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit

from analysis.statistics._typing import FloatArray, WordArray

_Loop = TypeVar("_Loop", bound=Callable[..., object])


def compiled(loop: _Loop) -> _Loop:
    """Compile on first call and keep the machine code on disk, where there is a place for it."""
    try:
        fast = njit(nogil=True, cache=True, error_model="numpy")(loop)
    except RuntimeError:
        # Neither beside the source nor in the user's cache folder may files be written.
        fast = njit(nogil=True, error_model="numpy")(loop)
    return cast(_Loop, fast)


@compiled
def scatter_counts(words: WordArray, counts: npt.NDArray[np.floating]) -> None:
    """Draw ``counts.shape[1]`` units per row with replacement and count each.

    Every 64-bit word gives two lanes of 32 bits, the lower first; lane · n / 2^32 is the unit.
    """
    n_rows, n_units = counts.shape
    low, half, n = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(n_units)
    for row in range(n_rows):
        for i in range(n_units):
            counts[row, i] = 0
        for i in range(n_units >> 1):
            word = words[row, i]
            counts[row, ((word & low) * n) >> half] += 1
            counts[row, ((word >> half) * n) >> half] += 1
        if n_units & 1:
            counts[row, ((words[row, n_units >> 1] & low) * n) >> half] += 1


@compiled
def add_rows(
    columns: npt.NDArray[np.floating],
    first: int,
    rows: npt.NDArray[np.int64],
    positions: npt.NDArray[np.uint8],
    minus: npt.NDArray[np.uint8],
    sums: npt.NDArray[np.floating],
) -> None:
    """Add ± the chosen `rows` of `columns`, (n_items, n_systems), to their positions in `sums`.

    Positions and signs belong to items; `sums`, (256, n_chosen), takes the systems from `first`.
    """
    last = first + sums.shape[1]
    for i in rows:
        # Plain slices: computed column numbers would keep the loop from wide registers.
        source, target = columns[i, first:last], sums[positions[i]]
        if minus[i]:
            for s in range(target.size):
                target[s] -= source[s]
        else:
            for s in range(target.size):
                target[s] += source[s]


@compiled
def hadamard(sums: npt.NDArray[np.floating]) -> None:
    """Transform the first axis in place; its length must be a power of 4."""
    n_rows, n_columns = sums.shape
    h = 1
    while h < n_rows:
        for start in range(0, n_rows, 4 * h):
            for i in range(start, start + h):
                for s in range(n_columns):
                    a, b = sums[i, s], sums[i + h, s]
                    c, d = sums[i + 2 * h, s], sums[i + 3 * h, s]
                    p, q, u, v = a + b, a - b, c + d, c - d
                    sums[i, s], sums[i + h, s] = p + u, q + v
                    sums[i + 2 * h, s], sums[i + 3 * h, s] = p - u, q - v
        h *= 4


@compiled
def turn(sums: npt.NDArray[np.floating], turned: npt.NDArray[np.floating]) -> None:
    """Write the transpose of `sums`, in squares that stay in cache."""
    n_rows, n_columns = sums.shape
    for column in range(0, n_columns, 16):
        for row in range(0, n_rows, 16):
            for s in range(column, min(n_columns, column + 16)):
                for r in range(row, min(n_rows, row + 16)):
                    turned[s, r] = sums[r, s]


@compiled
def count_two_sided(
    first: npt.NDArray[np.floating],
    second: npt.NDArray[np.floating],
    first_pattern: npt.NDArray[np.int64],
    second_pattern: npt.NDArray[np.int64],
    first_system: int,
    second_system: int,
    n_rows: int,
    targets: npt.NDArray[np.floating],
    counts: npt.NDArray[np.int32],
) -> None:
    """Count the replicates with ``|T| >= |t|`` for all pairs of two runs of systems.

    Parameters
    ----------
    first : ndarray, shape (n_first, n_second_patterns, 256)
        Signed sums of each system over the items that a partner of each pattern has too.
    second : ndarray, shape (n_second, n_first_patterns, 256)
    first_pattern, second_pattern : ndarray
        Pattern of each system, as an index into the other's second axis.
    first_system, second_system : int
        Where the runs begin.
    n_rows : int
        Replicates that count.
    targets : ndarray, shape (1, n_systems, n_systems)
        ``|t|``, less what may be rounding; a pair with NaN is left out.
    counts : ndarray, shape (1, n_systems, n_systems)
        Added to.
    """
    for a in range(first.shape[0]):
        for b in range(second.shape[0]):
            t = targets[0, first_system + a, second_system + b]
            if np.isnan(t):
                continue
            x, y = first[a, second_pattern[b]], second[b, first_pattern[a]]
            count = np.int32(0)
            for r in range(n_rows):
                count += np.int32(abs(x[r] - y[r]) >= t)
            counts[0, first_system + a, second_system + b] += count


@compiled
def count_one_sided(
    first: npt.NDArray[np.floating],
    second: npt.NDArray[np.floating],
    first_pattern: npt.NDArray[np.int64],
    second_pattern: npt.NDArray[np.int64],
    first_system: int,
    second_system: int,
    n_rows: int,
    targets: npt.NDArray[np.floating],
    counts: npt.NDArray[np.int32],
) -> None:
    """Count ``T >= t`` into ``counts[0]`` and ``T <= t`` into ``counts[1]``.

    ``targets[0]`` is t, with its sign, less what may be rounding; ``targets[1]`` t and that.
    """
    for a in range(first.shape[0]):
        for b in range(second.shape[0]):
            t = targets[0, first_system + a, second_system + b]
            if np.isnan(t):
                continue
            most = targets[1, first_system + a, second_system + b]
            x, y = first[a, second_pattern[b]], second[b, first_pattern[a]]
            above, below = np.int32(0), np.int32(0)
            for r in range(n_rows):
                difference = x[r] - y[r]
                above += np.int32(difference >= t)
                below += np.int32(difference <= most)
            counts[0, first_system + a, second_system + b] += above
            counts[1, first_system + a, second_system + b] += below


@compiled
def count_maxima(
    sums: npt.NDArray[np.floating],
    pattern: npt.NDArray[np.int64],
    n_rows: int,
    left: npt.NDArray[np.int64],
    right: npt.NDArray[np.int64],
    weight: FloatArray,
    target: FloatArray,
    two_sided: bool,
    counts: npt.NDArray[np.int64],
) -> None:
    """Count, hypothesis by hypothesis, the replicates whose running maximum reaches the target.

    Parameters
    ----------
    sums : ndarray, shape (n_systems, n_patterns, n_replicates)
        Signed sums of each system over the items that a partner of each pattern has too.
    pattern : ndarray, shape (n_systems,)
    n_rows : int
        Replicates that count.
    left, right, weight, target : ndarray, shape (n_hypotheses,)
        In ascending order of the observed statistic ``T · weight``.
    counts : ndarray, shape (n_hypotheses,)
        Added to.
    """
    highest = np.full(n_rows, -np.inf)
    for k in range(left.size):
        x, y = sums[left[k], pattern[right[k]]], sums[right[k], pattern[left[k]]]
        w, t = weight[k], target[k]
        count = np.int32(0)
        for r in range(n_rows):
            value = np.float64(x[r]) - np.float64(y[r])
            if two_sided:
                value = abs(value)
            value *= w
            top = value if value > highest[r] else highest[r]
            highest[r] = top
            count += np.int32(top >= t)
        counts[k] += count


@compiled
def raise_maxima(
    sums: npt.NDArray[np.floating],
    pattern: npt.NDArray[np.int64],
    left: npt.NDArray[np.int64],
    right: npt.NDArray[np.int64],
    weight: FloatArray,
    highest: FloatArray,
) -> None:
    """Raise to the largest absolute statistic of each replicate over all pairs.

    Parameters
    ----------
    sums : ndarray, shape (n_systems, n_patterns, n_replicates)
        As for `count_maxima`.
    pattern : ndarray, shape (n_systems,)
    left, right, weight : ndarray, shape (n_pairs,)
    highest : ndarray, shape (n_rows,)
        Of the first replicates; changed.
    """
    for k in range(left.size):
        x, y = sums[left[k], pattern[right[k]]], sums[right[k], pattern[left[k]]]
        w = weight[k]
        for r in range(highest.size):
            value = abs(np.float64(x[r]) - np.float64(y[r])) * w
            highest[r] = value if value > highest[r] else highest[r]
