"""Compiled inner loops over pairs of systems.

All release the interpreter lock and write only where they are told to, so threads can take
different pairs. Whole numbers and counts come out the same in any order of work.
"""

import math

import numpy as np

from analysis.statistics._typing import ByteArray, FloatArray, Floats, IntArray
from analysis.statistics.resampling.kernels import called_with, compiled

_ROOT_TWO_PI = math.sqrt(2.0 * math.pi)
_STEPS = 4
_NEAR = 24
_MARGIN = 24
_LAST_BITS = np.uint64(0x0101010101010101)
"""Of each byte of a word."""


@called_with("(f8[:, ::1], i8[::1], i8[::1], i8[::1], f8[:, ::1])")
@compiled
def pair_moments(
    scores: FloatArray, starts: IntArray, first: IntArray, second: IntArray, out: FloatArray
) -> None:
    """Moments of the differences of listed pairs, in two passes, NaN left out.

    `starts` says where each group of consecutive items begins, with the number of items at its
    end. A row of `out` gets: items, groups, mean, sum over groups of squared sums of centred
    differences, lowest and highest difference.
    """
    n_groups = starts.size - 1
    for p in range(first.size):
        a, b = scores[first[p]], scores[second[p]]
        n, low, high = 0, np.inf, -np.inf
        for i in range(a.size):
            d = a[i] - b[i]
            if not np.isnan(d):
                n += 1
                low, high = min(low, d), max(high, d)
        scale = max(abs(low), abs(high)) if n else 1.0
        if scale == 0.0:
            scale = 1.0
        mean = 0.0
        for i in range(a.size):
            d = a[i] - b[i]
            if not np.isnan(d):
                mean += d / scale
        mean /= max(n, 1)
        rest = 0.0
        for i in range(a.size):
            d = a[i] - b[i]
            if not np.isnan(d):
                rest += d / scale - mean
        mean += rest / max(n, 1)
        squares, groups = 0.0, 0
        for g in range(n_groups):
            part, filled = 0.0, 0
            for i in range(starts[g], starts[g + 1]):
                d = a[i] - b[i]
                if not np.isnan(d):
                    part += d / scale - mean
                    filled = 1
            squares += part * part
            groups += filled
        out[p, 0], out[p, 1] = n, groups
        out[p, 2] = mean * scale
        # The root, so that squares of tiny differences do not vanish.
        out[p, 3] = np.sqrt(squares) * scale
        out[p, 4], out[p, 5] = low, high


@called_with("(f8[:, ::1], f8[::1], i8, i8, i8[:, ::1])")
@compiled
def count_wins(scores: FloatArray, near: FloatArray, start: int, stop: int, wins: IntArray) -> None:
    """Count the items on which each of the rows from `start` to `stop` is above a later one.

    Both directions are written; NaN is neither above nor below, nor is a difference no larger
    than the `near` of either row.
    """
    n_systems, n_items = scores.shape
    for a in range(start, stop):
        for b in range(a + 1, n_systems):
            least = max(near[a], near[b])
            above = np.int32(0)
            below = np.int32(0)
            for i in range(n_items):
                d = scores[a, i] - scores[b, i]
                above += np.int32(d > least)
                below += np.int32(d < -least)
            wins[a, b] = above
            wins[b, a] = below


@compiled
def binary_grid(a: FloatArray, b: FloatArray) -> float:
    """Steps per unit of a pair's finest binary grid with exact sums."""
    peak, n_shared = 0.0, 0
    for i in range(a.size):
        size = abs(a[i] - b[i])
        n_shared += int(size == size)
        peak = size if size > peak else peak
    n_bits = 52
    while n_shared:
        n_shared >>= 1
        n_bits -= 1
    return math.ldexp(1.0, n_bits - max(math.frexp(peak)[1], -900))


@called_with(
    "(floats[:, ::1], f8[::1], i8[::1], i8[::1], floats[::1], floats[::1], i8[:, ::1])",
)
@compiled
def count_two_sided(
    values: Floats,
    scale: FloatArray,
    left: IntArray,
    right: IntArray,
    low: Floats,
    high: Floats,
    counts: IntArray,
) -> None:
    """Count the replicates in which a pair's difference is at most `low` or at least `high`.

    `values` holds a row per system; `scale` is what the differences of each replicate are
    multiplied by, empty for nothing. A difference that is NaN counts as well.
    """
    n_rows = values.shape[1]
    for p in range(left.size):
        a, b = values[left[p]], values[right[p]]
        least, most, found = low[p], high[p], np.int32(0)
        if scale.size:
            for r in range(n_rows):
                d = (a[r] - b[r]) * scale[r]
                found += np.int32(1) - np.int32((d > least) & (d < most))
        else:
            for r in range(n_rows):
                d = a[r] - b[r]
                found += np.int32(1) - np.int32((d > least) & (d < most))
        counts[0, p] += found


@called_with(
    "(floats[:, ::1], f8[::1], i8[::1], i8[::1], floats[::1], floats[::1], i8[:, ::1])",
)
@compiled
def count_one_sided(
    values: Floats,
    scale: FloatArray,
    left: IntArray,
    right: IntArray,
    low: Floats,
    high: Floats,
    counts: IntArray,
) -> None:
    """Count differences of at least `high` (first row of `counts`) and of at most `low`."""
    n_rows = values.shape[1]
    for p in range(left.size):
        a, b = values[left[p]], values[right[p]]
        least, most = low[p], high[p]
        above, below = np.int32(0), np.int32(0)
        if scale.size:
            for r in range(n_rows):
                d = (a[r] - b[r]) * scale[r]
                above += np.int32(1) - np.int32(d < most)
                below += np.int32(1) - np.int32(d > least)
        else:
            for r in range(n_rows):
                d = a[r] - b[r]
                above += np.int32(1) - np.int32(d < most)
                below += np.int32(1) - np.int32(d > least)
        counts[0, p] += above
        counts[1, p] += below


@called_with(
    "(floats[:, ::1], b1, i8[::1], i8[::1], f8[::1], f8[::1], f8, f8, f8[::1], f8[::1])",
)
@compiled
def pair_intervals(
    replicates: Floats,
    complete: bool,
    left: IntArray,
    right: IntArray,
    middle: FloatArray,
    spread: FloatArray,
    share: float,
    reach: float,
    low: FloatArray,
    high: FloatArray,
) -> None:
    """Percentiles of the replicated differences of listed pairs, NaN left out.

    `replicates` holds a row per system, `complete` if none is NaN; `share` of them lie below the
    lower percentile, linear interpolation between. Percentiles are first looked for `reach`
    spreads from the middle.
    """
    n_replicates = replicates.shape[1]
    row = np.empty(n_replicates, np.float64)
    room = np.empty((2, n_replicates), np.float64)
    for p in range(left.size):
        a, b = replicates[left[p]], replicates[right[p]]
        for r in range(n_replicates):
            row[r] = np.float64(a[r]) - np.float64(b[r])
        low[p], high[p] = _percentiles(row, complete, middle[p], spread[p], share, reach, room)


@called_with("(f8[:, ::1], b1, f8[::1], f8[::1], f8, f8, f8[::1], f8[::1])")
@compiled
def row_intervals(
    replicates: FloatArray,
    complete: bool,
    middle: FloatArray,
    spread: FloatArray,
    share: float,
    reach: float,
    low: FloatArray,
    high: FloatArray,
) -> None:
    """Percentiles as `pair_intervals`, of replicates that are a row per pair."""
    room = np.empty((2, replicates.shape[1]), np.float64)
    for p in range(replicates.shape[0]):
        low[p], high[p] = _percentiles(
            replicates[p], complete, middle[p], spread[p], share, reach, room
        )


@compiled
def _percentiles(
    row: FloatArray,
    complete: bool,
    middle: float,
    spread: float,
    share: float,
    reach: float,
    room: FloatArray,
) -> tuple[float, float]:
    """Lower and upper percentile of one row.

    Counts how many values lie beyond where a normal distribution would have the percentiles,
    moves there, and then orders only what lies within a few ranks.
    """
    n = row.size
    if not complete:
        n = 0
        for i in range(row.size):
            n += int(row[i] == row[i])
    if n == 0:
        return np.nan, np.nan
    place = share * (n - 1)
    index = int(place)
    part = place - index
    if spread > 0.0:
        # Ranks per unit of the value, there.
        density = n * math.exp(-0.5 * reach * reach) / (_ROOT_TWO_PI * spread)
        below, above = middle - reach * spread, middle + reach * spread
        for _ in range(_STEPS):
            n_below, n_above = _count_tails(row, below, above)
            if abs(n_below - index) <= _NEAR and abs(n_above - index) <= _NEAR:
                break
            below += (index - n_below) / density
            above -= (index - n_above) / density
        ends = np.array(
            (
                below - (n_below - index + _MARGIN) / density,
                below + (index - n_below + _MARGIN) / density,
                above - (index - n_above + _MARGIN) / density,
                above + (n_above - index + _MARGIN) / density,
            )
        )
        counts = _gather(row, ends, room)
        low_at, high_at = index - counts[0], index - counts[1]
        needed = min(index + 2, n)
        if (
            low_at >= 0
            and high_at >= 0
            and counts[0] + counts[2] >= needed
            and counts[1] + counts[3] >= needed
        ):
            return (
                _interpolated(room[0], counts[2], low_at, part),
                0.0 - _interpolated(room[1], counts[3], high_at, part),
            )
    return _percentiles_of_all(row, n, index, part, room)


@compiled
def _percentiles_of_all(
    row: FloatArray, n: int, index: int, part: float, room: FloatArray
) -> tuple[float, float]:
    """Lower and upper percentile of the n defined values, by ordering them all."""
    filled = 0
    for value in row:
        if value == value:
            room[0, filled], room[1, filled] = value, -value
            filled += 1
    return (
        _interpolated(room[0], n, index, part),
        0.0 - _interpolated(room[1], n, index, part),
    )


@compiled
def _count_tails(row: FloatArray, below: float, above: float) -> tuple[int, int]:
    n_below, n_above = 0, 0
    for i in range(row.size):
        n_below += int(row[i] < below)
        n_above += int(row[i] > above)
    return n_below, n_above


@compiled
def _gather(row: FloatArray, ends: FloatArray, room: FloatArray) -> tuple[int, int, int, int]:
    """Gather values from the first end to the second, and from the third to the fourth turned.

    How many lie below the first, above the fourth, and how many were gathered on either side.
    """
    first, second, third, fourth = ends[0], ends[1], ends[2], ends[3]
    n_below, n_above = _count_tails(row, first, fourth)
    n_low, n_high = 0, 0
    # One comparison that few values pass.
    middle = (first + fourth) / 2
    inner, outer = min(middle - second, third - middle), (fourth - first) / 2
    centre, width = (inner + outer) / 2, (outer - inner) / 2 + 1e-9 * outer
    marks = np.zeros(row.size + -row.size % 8, np.uint8)
    for i in range(row.size):
        marks[i] = abs(abs(row[i] - middle) - centre) <= width
    near = np.empty(row.size, np.int64)
    for i in near[: marked(marks, near)]:
        value = row[i]
        if (value >= first) & (value < second):
            room[0, n_low] = value
            n_low += 1
        if (value > third) & (value <= fourth):
            room[1, n_high] = -value
            n_high += 1
    return n_below, n_above, n_low, n_high


@compiled
def marked(marks: ByteArray, found: IntArray) -> int:
    """Write the places of the bytes that are 1, not 0, in their order; how many there are.

    The number of bytes must be a multiple of 8. Where few are marked this is twice as quick as to
    look at each: comparisons write bytes in wide registers, and eight of them are one number.
    """
    words = marks.view(np.uint64)
    n = 0
    for place in range(words.size):
        word = words[place]
        while word:
            # The bytes below the lowest that is 1 are all ones then: their number by adding up.
            below = ((word & (np.uint64(0) - word)) - np.uint64(1)) & _LAST_BITS
            found[n] = 8 * place + np.int64((below * _LAST_BITS) >> np.uint64(56))
            n += 1
            word &= word - np.uint64(1)
    return n


@compiled
def _interpolated(values: FloatArray, n: int, index: int, share: float) -> float:
    """Value at ``index + share`` of the n first values in order; reorders them."""
    left, right = 0, n
    while right - left > 1:
        pivot = values[(left + right) >> 1]
        place = _partition(values, left, right, pivot, False)
        if index < place:
            right = place
            continue
        # What equals the pivot next, so that many equal values cost no more.
        stop = _partition(values, place, right, pivot, True)
        if index < stop:
            break
        left = stop
    found = float(values[index])
    if share == 0.0 or index + 1 >= n:
        return found
    after = float(values[index + 1])
    for i in range(index + 2, n):
        after = min(after, float(values[i]))
    return found + (after - found) * share


@compiled
def _partition(values: FloatArray, left: int, right: int, pivot: float, equal: bool) -> int:
    """Bring what is below the pivot, or `equal` to it, to the left; where the rest begins."""
    place = left
    # Without a branch on the values, which no processor could foresee.
    for i in range(left, right):
        value = values[i]
        values[i] = values[place]
        values[place] = value
        place += int((value == pivot) if equal else (value < pivot))
    return place
