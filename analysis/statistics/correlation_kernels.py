"""Compiled inner loop of the jackknife of rank correlations."""

import numpy as np

from analysis.statistics._typing import IntArray
from analysis.statistics.resampling.kernels import called_with, compiled


@called_with("(i8[::1], i8[::1], i8[::1], i8[::1])")
@compiled
def ranks_left(x: IntArray, y: IntArray, members: IntArray, ends: IntArray) -> IntArray:
    """Return sums over what is left without each group, and in the last row over everything.

    Sums of products and squares of ranks, counted from their middle in half steps, and the number
    of items; all whole, so that their order does not matter. `members` lists items by group.
    """
    n, n_rows = x.size, ends.size - 1
    below = np.zeros((2, n), dtype=np.int64)
    for j in range(n):
        for k in range(n):
            below[0, k] += 2 * (x[j] < x[k]) + (x[j] == x[k])
            below[1, k] += 2 * (y[j] < y[k]) + (y[j] == y[k])
    sums = np.zeros((n_rows, 4), dtype=np.int64)
    ranks, kept = np.empty((2, n), dtype=np.int64), np.empty(n, dtype=np.int64)
    for row in range(n_rows):
        ranks[:], kept[:] = below, 1
        for at in range(ends[row], ends[row + 1]):
            i = members[at]
            kept[i] = 0
            for k in range(n):
                ranks[0, k] -= 2 * (x[i] < x[k]) + (x[i] == x[k])
                ranks[1, k] -= 2 * (y[i] < y[k]) + (y[i] == y[k])
        left = n - (ends[row + 1] - ends[row])
        for k in range(n):
            of_x, of_y = ranks[0, k] - left, ranks[1, k] - left
            sums[row, 0] += kept[k] * of_x * of_y
            sums[row, 1] += kept[k] * of_x * of_x
            sums[row, 2] += kept[k] * of_y * of_y
        sums[row, 3] = left
    return sums
