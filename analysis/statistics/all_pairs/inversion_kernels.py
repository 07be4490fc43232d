"""Compiled loops that turn a sign-flip test inside out: means of random halves, in order."""

import numpy as np

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.all_pairs.pair_kernels import _interpolated, marked
from analysis.statistics.resampling.kernels import called_with, compiled

_TIE = 1e-11
_NARROWER = 0.75
_NEARLY = 0.96
"""Of where the end is expected: chance puts it nearer to the mean by some 1 %."""
_DEEPLY = 1.04
"""Of the same: where the rank is not small, what lies beyond is counted and not put in order."""
_MANY = 64


@called_with(
    "(f8[:, ::1], f8[::1], f8[::1], f8, i8[::1], i8[::1], f8[::1], i8, f8, f8[::1], f8[::1])",
)
@compiled
def half_means(
    sums: FloatArray,
    totals: FloatArray,
    balance: FloatArray,
    size: float,
    left: IntArray,
    right: IntArray,
    spread: FloatArray,
    rank: int,
    reach: float,
    low: FloatArray,
    high: FloatArray,
) -> None:
    """Order statistics of the mean differences over random halves of the items, pair by pair.

    `sums` holds a row of signed sums per system, `totals` their plain sums, `balance` the signed
    sum of the sizes of the units and `size` their plain sum. Every replicate gives two halves: the
    units with a minus and those with a plus. `low` and `high` get the `rank`-th smallest and
    largest mean (rank 1 is the extreme). `spread` is the root of the sum of squared centred
    differences, `reach` the normal quantile where that rank is expected.
    """
    n_replicates = sums.shape[1]
    # How far a half mean lies from the mean, at most, for a signed sum of 1.
    scale = np.empty(n_replicates, np.float64)
    for r in range(n_replicates):
        smaller = size - abs(balance[r])
        scale[r] = 1.0 / smaller if smaller > 0.0 else np.inf
    marks = np.zeros(n_replicates + -n_replicates % 8, np.uint8)
    far = np.empty(n_replicates, np.int64)
    below = np.empty(2 * n_replicates + 1, np.float64)
    above = np.empty(2 * n_replicates + 1, np.float64)
    for p in range(left.size):
        a, b = sums[left[p]], sums[right[p]]
        total = totals[left[p]] - totals[right[p]]
        mean = total / size
        room = _TIE * abs(total)
        expected = reach * spread[p] / size
        bar, deep = _NEARLY * expected, _DEEPLY * expected if rank >= _MANY else np.inf
        while True:
            n_below, n_above, beyond_low, beyond_high = 0, 0, 0, 0
            floor, ceiling = mean - deep, mean + deep
            for r in range(n_replicates):
                marks[r] = not abs(a[r] - b[r] - mean * balance[r]) * scale[r] < bar
            n_far = marked(marks, far)
            # Written always, kept by moving on: no processor could foresee on which side a half is.
            for k in range(n_far):
                r = far[k]
                signed = a[r] - b[r]
                minus, plus = size - balance[r], size + balance[r]
                value = total - signed
                value = 0.0 if abs(value) <= room else value
                other = total + signed
                other = 0.0 if abs(other) <= room else other
                # No unit on one side: the pattern is as extreme as any, in both directions.
                first = value / minus if minus > 0.0 else -np.inf
                second = other / plus if plus > 0.0 else -np.inf
                below[n_below] = first
                n_below += int((first < mean) & (first >= floor))
                below[n_below] = second
                n_below += int((second < mean) & (second >= floor))
                beyond_low += int(first < floor) + int(second < floor)
                first = first if minus > 0.0 else np.inf
                second = second if plus > 0.0 else np.inf
                above[n_above] = -first
                n_above += int((first > mean) & (first <= ceiling))
                above[n_above] = -second
                n_above += int((second > mean) & (second <= ceiling))
                beyond_high += int(first > ceiling) + int(second > ceiling)
            if deep < np.inf and (beyond_low >= rank or beyond_high >= rank):
                deep = np.inf
                continue
            below_at, above_at = rank - 1 - beyond_low, rank - 1 - beyond_high
            least, most = mean, mean
            if n_below > below_at:
                least = _interpolated(below, n_below, below_at, 0.0)
            if n_above > above_at:
                most = -_interpolated(above, n_above, above_at, 0.0)
            # No half that was passed over lies further from the mean than this.
            passed = bar * (1.0 + 1e-9)
            if bar == 0.0 or (
                n_below > below_at
                and n_above > above_at
                and mean - least > passed
                and most - mean > passed
            ):
                low[p], high[p] = least, most
                break
            bar = bar * _NARROWER if bar * size > 1e-3 * spread[p] else 0.0


@called_with(
    "(f8[:, ::1], Array(f8, 2, 'C', True), i8, f8[::1], f8[::1])",
    "(f8[:, ::1], f8[:, ::1], i8, f8[::1], f8[::1])",
)
@compiled
def all_half_means(
    differences: FloatArray, sizes: FloatArray, rank: int, low: FloatArray, high: FloatArray
) -> None:
    """Do as `half_means` over all sets of units, (n_pairs, n_units), for up to some 12 units."""
    n_units = differences.shape[1]
    n_sets = 1 << n_units
    sums, counts = np.zeros(n_sets), np.zeros(n_sets)
    values = np.empty(n_sets)
    for p in range(differences.shape[0]):
        largest = 0.0
        for i in range(n_units):
            half = 1 << i
            largest = max(largest, abs(differences[p, i]))
            for k in range(half):
                sums[half + k] = sums[k] + differences[p, i]
                counts[half + k] = counts[k] + sizes[p, i]
        room = _TIE * largest
        for k in range(1, n_sets):
            values[k - 1] = 0.0 if abs(sums[k]) <= room else sums[k] / counts[k]
        least = _interpolated(values, n_sets - 1, rank - 1, 0.0)
        for k in range(n_sets - 1):
            values[k] = -values[k]
        low[p], high[p] = least, 0.0 - _interpolated(values, n_sets - 1, rank - 1, 0.0)
