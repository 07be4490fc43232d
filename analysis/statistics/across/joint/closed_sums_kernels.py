"""Compiled loops of closed testing by sums.

All work on gains: what a replicate's statistic has more than the observed one, in whole steps,
shape (n_cells, n_resamples), cells in ascending order of the observed statistic. A set of cells
is rejected when fewer than `needed` replicates have a sum of gains over the set of 0 or more.
"""

import numpy as np

from analysis.statistics._typing import CodeArray, IntArray
from analysis.statistics.resampling.kernels import called_with, compiled

Steps = CodeArray
Counts = IntArray
_STRIP = 256


@compiled
def count_sum(first: Steps, second: Steps) -> int:
    """Count the replicates where two parts of a sum reach 0 together."""
    count = np.int32(0)
    for b in range(first.size):
        count += np.int32(np.int32(first[b] + second[b]) >= 0)
    return int(count)


@called_with("(i4[:, ::1], i4[:, ::1], i8[::1])")
@compiled
def prefix_sums(gains: Steps, sums: Steps, counts: Counts) -> None:
    """Sum the first m cells for every m = 0..n, and count the replicates that reach 0."""
    n, n_resamples = gains.shape
    sums[0] = 0
    counts[0] = n_resamples
    for m in range(n):
        count = np.int32(0)
        row, last, new = gains[m], sums[m], sums[m + 1]
        for b in range(n_resamples):
            value = np.int32(last[b] + row[b])
            new[b] = value
            count += np.int32(value >= 0)
        counts[m + 1] = count


@called_with("(i4[:, ::1], i4[:, ::1], i8[::1])")
@compiled
def largest_sums(gains: Steps, sums: Steps, counts: Counts) -> None:
    """Sum the m largest gains of each replicate for every m = 0..n, and count those from 0 up."""
    n, n_resamples = gains.shape
    counts[:] = 0
    counts[0] = n_resamples
    sums[0] = 0
    ordered = np.empty((n, _STRIP), np.int32)
    new = np.empty(_STRIP, np.int32)
    for start in range(0, n_resamples, _STRIP):
        width = min(_STRIP, n_resamples - start)
        for m in range(n):
            _insert(gains[m, start : start + width], m, ordered, new)
        for m in range(n):
            row, last, target = ordered[m], sums[m], sums[m + 1]
            count = np.int32(0)
            for b in range(width):
                value = np.int32(last[start + b] + row[b])
                target[start + b] = value
                count += np.int32(value >= 0)
            counts[m + 1] += count


@compiled
def _insert(row: Steps, m: int, ordered: Steps, new: Steps) -> None:
    """Insert one value per replicate into the first m rows, which are in descending order."""
    width = row.size
    for b in range(width):
        new[b] = row[b]
    for i in range(m):
        place = ordered[i]
        for b in range(width):
            x, y = place[b], new[b]
            place[b] = max(x, y)
            new[b] = min(x, y)
    last = ordered[m]
    for b in range(width):
        last[b] = new[b]


@called_with("(i4[:, ::1], i4[:, ::1])")
@compiled
def table_of_largest(gains: Steps, table: Steps) -> None:
    """Sum the r largest of the first j gains: row j (j + 1) / 2 + r of `table`, r = 0..j."""
    n, n_resamples = gains.shape
    ordered = np.empty((n, _STRIP), np.int32)
    new = np.empty(_STRIP, np.int32)
    for start in range(0, n_resamples, _STRIP):
        width = min(_STRIP, n_resamples - start)
        table[0, start : start + width] = 0
        for j in range(1, n + 1):
            _insert(gains[j - 1, start : start + width], j - 1, ordered, new)
            base = j * (j + 1) // 2
            table[base, start : start + width] = 0
            for r in range(j):
                row, last, target = ordered[r], table[base + r], table[base + r + 1]
                for b in range(width):
                    target[start + b] = np.int32(last[start + b] + row[b])


@called_with("(i4[:, ::1], i4[:, ::1], i4[:, ::1], i8, i8, i8, i8, i4[:, ::1])")
@compiled
def most_reached(
    gains: Steps,
    prefixes: Steps,
    table: Steps,
    size: int,
    best: int,
    enough: int,
    limit: int,
    partial: Steps,
) -> tuple[int, int]:
    """Search the set of `size` cells whose sum most replicates reach, by branch and bound.

    Parameters
    ----------
    gains : ndarray of int32, shape (n_cells, n_resamples)
    prefixes : ndarray of int32, shape (n_cells + 1, n_resamples)
        Of `prefix_sums`.
    table : ndarray of int32
        Of `table_of_largest`.
    size : int
    best : int
        Sets with no more than so many are of no interest.
    enough : int
        Stop at a set with so many.
    limit : int
        Bounds to look at, at most.
    partial : ndarray of int32, shape (size + 1, n_resamples)
        Room to work in.

    Returns
    -------
    best, upper : int
        The count of the best set found, or `best` as given, and a bound for the count of any set:
        the same where the search came to its end.
    """
    n = len(gains)
    partial[0] = 0
    # Members are chosen from the highest cell down; `highest[d]` is what the next may be at most.
    highest = np.empty(size + 1, np.int64)
    depth, looked = 0, 0
    highest[0] = n - 1
    while depth >= 0:
        cell, r = highest[depth], size - depth
        if cell < r - 1:
            depth -= 1
            continue
        if looked >= limit:
            upper = best
            for d in range(depth + 1):
                j, left = highest[d] + 1, size - d
                if j >= left:
                    upper = max(upper, count_sum(partial[d], table[j * (j + 1) // 2 + left]))
            return best, upper
        looked += 1
        j = cell + 1
        if count_sum(partial[depth], table[j * (j + 1) // 2 + r]) <= best:
            depth -= 1
            continue
        highest[depth] = cell - 1
        row, now, deeper = gains[cell], partial[depth], partial[depth + 1]
        for b in range(row.size):
            deeper[b] = np.int32(now[b] + row[b])
        # With it the lowest of the rest: the likeliest set.
        best = max(best, count_sum(deeper, prefixes[r - 1]))
        if best >= enough:
            return best, best
        if r > 1:
            depth += 1
            highest[depth] = cell - 1
    return best, best
