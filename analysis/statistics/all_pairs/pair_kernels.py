"""Compiled inner loops over pairs of systems.

All release the interpreter lock and write only where they are told to, so threads can take
different pairs. Whole numbers and counts come out the same in any order of work.
"""

import math

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray
from analysis.statistics.all_pairs.kernels import compiled

IntArray = npt.NDArray[np.int64]
Floats = npt.NDArray[np.floating]


@compiled
def pair_moments(
    scores: FloatArray, starts: IntArray, first: IntArray, second: IntArray, out: FloatArray
) -> None:
    """Moments of the differences of listed pairs, in two passes, NaN left out.

    `starts` says where each group of consecutive items begins, with the number of items at its
    end. A row of `out` gets: items, groups, mean, sum over groups of squared sums of centred
    differences, lowest and highest difference, largest score in size.
    """
    n_groups = starts.size - 1
    for p in range(first.size):
        a, b = scores[first[p]], scores[second[p]]
        n, low, high, largest = 0, np.inf, -np.inf, 0.0
        for i in range(a.size):
            d = a[i] - b[i]
            if not np.isnan(d):
                n += 1
                low, high = min(low, d), max(high, d)
                largest = max(largest, abs(a[i]), abs(b[i]))
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
        out[p, 4], out[p, 5], out[p, 6] = low, high, largest


@compiled
def count_wins(scores: Floats, start: int, stop: int, wins: npt.NDArray[np.int64]) -> None:
    """Count the items on which each of the rows from `start` to `stop` is above a later one.

    Both directions are written; NaN is neither above nor below.
    """
    n_systems, n_items = scores.shape
    for a in range(start, stop):
        for b in range(a + 1, n_systems):
            above = np.int32(0)
            below = np.int32(0)
            for i in range(n_items):
                above += np.int32(scores[a, i] > scores[b, i])
                below += np.int32(scores[a, i] < scores[b, i])
            wins[a, b] = above
            wins[b, a] = below


@compiled
def count_wins_of_floats(scores: FloatArray, start: int, stop: int, wins: IntArray) -> None:
    """Count as `count_wins`, differences rounded to each pair's finest grid with exact sums."""
    n_systems, n_items = scores.shape
    for a in range(start, stop):
        for b in range(a + 1, n_systems):
            least = 0.5 / binary_grid(scores[a], scores[b])
            above, below = 0, 0
            for i in range(n_items):
                d = scores[a, i] - scores[b, i]
                above += int(d > least)
                below += int(d < -least)
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


@compiled
def pair_intervals(
    replicates: Floats,
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

    `replicates` holds a row per system; `share` of them lie below the lower percentile, linear
    interpolation between. Only what lies more than `reach` spreads from the middle is looked at,
    unless that leaves too few.
    """
    n_replicates = replicates.shape[1]
    row = np.empty(n_replicates, np.float64)
    lower, upper = np.empty(n_replicates, np.float64), np.empty(n_replicates, np.float64)
    for p in range(left.size):
        a, b = replicates[left[p]], replicates[right[p]]
        for r in range(n_replicates):
            row[r] = np.float64(a[r]) - np.float64(b[r])
        margin = reach * spread[p]
        low[p], high[p] = _row_interval(
            row, middle[p] - margin, middle[p] + margin, share, lower, upper
        )


@compiled
def row_intervals(
    replicates: FloatArray,
    middle: FloatArray,
    spread: FloatArray,
    share: float,
    reach: float,
    low: FloatArray,
    high: FloatArray,
) -> None:
    """Percentiles as `pair_intervals`, of replicates that are a row per pair."""
    n_replicates = replicates.shape[1]
    lower, upper = np.empty(n_replicates, np.float64), np.empty(n_replicates, np.float64)
    for p in range(replicates.shape[0]):
        margin = reach * spread[p]
        low[p], high[p] = _row_interval(
            replicates[p], middle[p] - margin, middle[p] + margin, share, lower, upper
        )


@compiled
def _row_interval(
    row: FloatArray,
    below: float,
    above: float,
    share: float,
    lower: FloatArray,
    upper: FloatArray,
) -> tuple[float, float]:
    """Percentiles of one row, looking only at what is below `below` and above `above`."""
    n, n_lower, n_upper = 0, 0, 0
    for value in row:
        n += int(value == value)
    # A branch that is rarely taken: quicker than storing every value.
    for value in row:
        if (value < below) | (value > above):
            if value < below:
                lower[n_lower] = value
                n_lower += 1
            else:
                upper[n_upper] = -value
                n_upper += 1
    if n == 0:
        return np.nan, np.nan
    place = share * (n - 1)
    index = int(place)
    needed = min(index + 2, n)
    if n_lower < needed:
        n_lower = 0
        for value in row:
            if value == value:
                lower[n_lower] = value
                n_lower += 1
    if n_upper < needed:
        n_upper = 0
        for value in row:
            if value == value:
                upper[n_upper] = -value
                n_upper += 1
    return (
        _interpolated(lower, n_lower, index, place - index),
        0.0 - _interpolated(upper, n_upper, index, place - index),
    )


@compiled
def _interpolated(values: FloatArray, n: int, index: int, share: float) -> float:
    """Value at ``index + share`` of the n first values in order; reorders them."""
    left, right = 0, n - 1
    while left < right:
        pivot = values[(left + right) >> 1]
        i, j = left, right
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if index <= j:
            right = j
        elif index >= i:
            left = i
        else:
            break
    found = float(values[index])
    if share == 0.0 or index + 1 >= n:
        return found
    after = float(values[index + 1])
    for i in range(index + 2, n):
        after = min(after, float(values[i]))
    return found + (after - found) * share
