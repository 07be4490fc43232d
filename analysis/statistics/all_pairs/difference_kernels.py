"""Compiled loops over the differences of single pairs, and all their sign patterns listed.

Loops over pairs take a list of them with their observed t = Σ d, and write per pair
``P(T >= |t|)`` of T = Σ ± d over units, the exact ones also ``P(T = |t|)``, and the number of
units that differ. Differences up to `least` are rounding errors and count as 0.
"""

import math

import numpy as np

from analysis.statistics._typing import FloatArray, Floats, IntArray
from analysis.statistics.resampling.kernels import called_with, compiled

_LANES = 64


@compiled
def sizes_of(
    x: Floats,
    y: Floats,
    units: IntArray,
    least: float,
    sizes: FloatArray,
) -> tuple[int, int]:
    """Write |d| per unit, 0 where missing; return how many d are positive and negative.

    Without `units` every item is one. Scores are NaN where missing.
    """
    above, below = np.int32(0), np.int32(0)
    if units.size == 0:
        for i in range(x.size):
            d = x[i] - y[i]
            above += np.int32(d > least)
            below += np.int32(d < -least)
            size = abs(d)
            sizes[i] = size if size > least else 0.0
        return int(above), int(below)
    sizes[:] = 0.0
    for i in range(x.size):
        d = x[i] - y[i]
        if not np.isnan(d):
            sizes[units[i]] += d
    for unit in range(sizes.size):
        above += np.int32(sizes[unit] > least)
        below += np.int32(sizes[unit] < -least)
        size = abs(sizes[unit])
        sizes[unit] = size if size > least else 0.0
    return int(above), int(below)


@called_with("(f8[:, ::1], i8[::1], i8, i8[::1], i8[::1], f8[::1], f8[::1], f8[::1], i8[::1])")
@compiled
def summarise_pairs(
    scores: Floats,
    units: IntArray,
    n_units: int,
    left: IntArray,
    right: IntArray,
    least: FloatArray,
    observed: FloatArray,
    squares: FloatArray,
    different: IntArray,
) -> None:
    """Write t = Σ d, Σ d² over units, and the number of units that differ, of each pair."""
    sums = np.zeros(n_units if units.size else 1)
    for k in range(left.size):
        x, y = scores[left[k]], scores[right[k]]
        if units.size == 0:
            observed[k], squares[k], different[k] = _look_at(x, y, least[k])
            continue
        above, below = sizes_of(x, y, units, least[k], sums)
        squares[k], different[k] = sum_of_squares(sums), above + below
        total = 0.0
        for i in range(x.size):
            d = x[i] - y[i]
            total += d if d == d else 0.0
        observed[k] = total


@compiled
def _look_at(x: Floats, y: Floats, least: float) -> tuple[float, float, int]:
    """Return Σ d, Σ d² and how many differ."""
    # Arrays made here, one sum per lane: only so does the loop use wide registers.
    totals, squares, counts = np.zeros(_LANES), np.zeros(_LANES), np.zeros(_LANES)
    whole = x.size - x.size % _LANES
    for start in range(0, whole, _LANES):
        for i in range(_LANES):
            d = x[start + i] - y[start + i]
            d = d if abs(d) > least else 0.0
            totals[i] += d
            squares[i] += d * d
            counts[i] += 1.0 if d != 0.0 else 0.0
    total, square, count = totals.sum(), squares.sum(), counts.sum()
    for i in range(whole, x.size):
        d = x[i] - y[i]
        if abs(d) > least:
            total += d
            square += d * d
            count += 1.0
    return float(total), float(square), int(count)


@compiled
def _few_sizes(
    x: Floats,
    y: Floats,
    units: IntArray,
    least: float,
    sizes: FloatArray,
    few: FloatArray,
) -> int:
    """Write |d| of the units that differ; return how many."""
    sizes_of(x, y, units, least, sizes)
    found = 0
    for size in sizes:
        if size > 0:
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
def largest_of(sizes: FloatArray) -> float:
    lanes = np.zeros(_LANES)
    whole = sizes.size - sizes.size % _LANES
    for start in range(0, whole, _LANES):
        part = sizes[start : start + _LANES]
        for i in range(_LANES):
            lanes[i] = part[i] if part[i] > lanes[i] else lanes[i]
    top = lanes.max()
    for i in range(whole, sizes.size):
        top = max(top, sizes[i])
    return float(top)


@called_with("(floats[:, ::1], i8[::1], i8, i8[::1], i8[::1], f8[::1])")
@compiled
def square_pairs(
    scores: Floats,
    units: IntArray,
    n_units: int,
    left: IntArray,
    right: IntArray,
    squares: FloatArray,
) -> None:
    """Write Σ d² over units of each pair; exactly 0 for identical systems only."""
    sizes = np.empty(n_units)
    for k in range(left.size):
        sizes_of(scores[left[k]], scores[right[k]], units, 0.0, sizes)
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


@called_with(
    "(f8[:, ::1], i8[::1], i8, i8[::1], i8[::1], f8[::1], f8[::1], f8[::1], i8, f8[::1], f8[::1])",
)
@compiled
def enumerate_pairs(
    scores: Floats,
    units: IntArray,
    n_units: int,
    left: IntArray,
    right: IntArray,
    least: FloatArray,
    observed: FloatArray,
    tolerance: FloatArray,
    limit: int,
    upper: FloatArray,
    point: FloatArray,
) -> None:
    """List all patterns of pairs that differ in at most `limit` units.

    The sums of either half of the units, all of them and sorted, are joined by two pointers:
    2^(m/2) steps instead of 2^m. Sums within `tolerance` of t are equal to it.
    """
    sizes = np.empty(n_units)
    few = np.empty(limit)
    buffers = np.empty((4, 1 << (limit + 1) // 2))
    for k in range(left.size):
        m = _few_sizes(scores[left[k]], scores[right[k]], units, least[k], sizes, few)
        low = _all_sums(few[: m // 2], buffers[0], buffers[1])
        high = _all_sums(few[m // 2 : m], buffers[2], buffers[3])
        reached, passed = abs(observed[k]) - tolerance[k], abs(observed[k]) + tolerance[k]
        at_least, above = 0, 0
        i, j = high.size, high.size
        for value in low:
            # `low` ascends, so the smallest partner that reaches t descends.
            while i > 0 and value + high[i - 1] >= reached:
                i -= 1
            while j > 0 and value + high[j - 1] > passed:
                j -= 1
            at_least += high.size - i
            above += high.size - j
        upper[k] = math.ldexp(np.float64(at_least), -m)
        point[k] = math.ldexp(np.float64(at_least - above), -m)
