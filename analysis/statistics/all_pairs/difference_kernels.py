"""Compiled loops over the differences of single pairs, and all their sign patterns listed.

Loops over pairs take a list of them with their observed t = Σ d, and write per pair
``P(T >= |t|)`` of T = Σ ± d over units, the exact ones also ``P(T = |t|)``, and the number of
units that differ.
"""

import math

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray
from analysis.statistics.all_pairs.kernels import compiled

_LANES = 64


@compiled
def sizes_of(
    x: npt.NDArray[np.floating],
    y: npt.NDArray[np.floating],
    units: npt.NDArray[np.int64],
    sizes: FloatArray,
) -> tuple[int, int]:
    """Write |d| per unit, 0 where missing; return how many d are positive and negative.

    Without `units` every item is one. Scores are NaN where missing.
    """
    above, below = np.int32(0), np.int32(0)
    if units.size == 0:
        for i in range(x.size):
            d = x[i] - y[i]
            above += np.int32(d > 0)
            below += np.int32(d < 0)
            size = abs(d)
            sizes[i] = size if size > 0 else 0.0
        return int(above), int(below)
    sizes[:] = 0.0
    for i in range(x.size):
        d = x[i] - y[i]
        if not np.isnan(d):
            sizes[units[i]] += d
    for unit in range(sizes.size):
        above += np.int32(sizes[unit] > 0)
        below += np.int32(sizes[unit] < 0)
        sizes[unit] = abs(sizes[unit])
    return int(above), int(below)


@compiled
def _few_sizes(
    x: npt.NDArray[np.floating],
    y: npt.NDArray[np.floating],
    units: npt.NDArray[np.int64],
    sizes: FloatArray,
    few: FloatArray,
) -> int:
    """Write |d| of the units that differ; return how many, or -1 where `few` is too short."""
    found = 0
    if units.size:
        sizes_of(x, y, units, sizes)
        for size in sizes:
            if size > 0:
                if found == few.size:
                    return -1
                few[found] = size
                found += 1
        return found
    for i in range(x.size):
        size = abs(x[i] - y[i])
        if size > 0:
            if found == few.size:
                return -1
            few[found] = size
            found += 1
    return found


@compiled
def sum_of_squares(sizes: FloatArray) -> float:
    # One sum per lane: the order of additions is fixed, and the loop can use wide registers.
    lanes = np.zeros(_LANES)
    whole = sizes.size - sizes.size % _LANES
    for start in range(0, whole, _LANES):
        for i in range(_LANES):
            lanes[i] += sizes[start + i] * sizes[start + i]
    total = lanes.sum()
    for i in range(whole, sizes.size):
        total += sizes[i] ** 2
    return float(total)


@compiled
def square_pairs(
    scores: npt.NDArray[np.floating],
    units: npt.NDArray[np.int64],
    n_units: int,
    left: npt.NDArray[np.int64],
    right: npt.NDArray[np.int64],
    squares: FloatArray,
) -> None:
    """Write Σ d² over units of each pair; exactly 0 for identical systems only."""
    sizes = np.empty(n_units)
    for k in range(left.size):
        sizes_of(scores[left[k]], scores[right[k]], units, sizes)
        squares[k] = sum_of_squares(sizes)


@compiled
def common_divisor(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a


@compiled
def _all_sums(sizes: FloatArray, sums: FloatArray, other: FloatArray) -> FloatArray:
    """Return Σ ± sizes for all patterns, ascending, in one of the two buffers."""
    sums[0] = 0.0
    length = 1
    for size in sizes:
        low, high = 0, 0
        for k in range(2 * length):
            if high == length or (low < length and sums[low] - size <= sums[high] + size):
                other[k] = sums[low] - size
                low += 1
            else:
                other[k] = sums[high] + size
                high += 1
        sums, other = other, sums
        length *= 2
    return sums[:length]


@compiled
def enumerate_pairs(
    scores: npt.NDArray[np.floating],
    units: npt.NDArray[np.int64],
    n_units: int,
    left: npt.NDArray[np.int64],
    right: npt.NDArray[np.int64],
    observed: FloatArray,
    limit: int,
    upper: FloatArray,
    point: FloatArray,
    different: npt.NDArray[np.int64],
) -> None:
    """List all patterns of pairs that differ in at most `limit` units; -1 in `different` else.

    The sums of either half of the units, all of them and sorted, are joined by two pointers:
    2^(m/2) steps instead of 2^m.
    """
    sizes = np.empty(n_units)
    few = np.empty(limit)
    buffers = np.empty((4, 1 << (limit + 1) // 2))
    for k in range(left.size):
        m = _few_sizes(scores[left[k]], scores[right[k]], units, sizes, few)
        different[k] = m
        if m < 0:
            continue
        low = _all_sums(few[: m // 2], buffers[0], buffers[1])
        high = _all_sums(few[m // 2 : m], buffers[2], buffers[3])
        t = abs(observed[k])
        at_least, above = 0, 0
        i, j = high.size, high.size
        for value in low:
            # `low` ascends, so the smallest partner that reaches t descends.
            while i > 0 and value + high[i - 1] >= t:
                i -= 1
            while j > 0 and value + high[j - 1] > t:
                j -= 1
            at_least += high.size - i
            above += high.size - j
        upper[k] = math.ldexp(np.float64(at_least), -m)
        point[k] = math.ldexp(np.float64(at_least - above), -m)
