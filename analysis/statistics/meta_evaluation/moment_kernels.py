"""Compiled loops of Pearson's correlation after exchanges."""

import math

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.resampling.kernels import called_with, compiled

_CONSTANT = 1e-13
"""A variance this small, relative to the squares of both metrics, is rounding."""
_MANY = 100


@called_with("(f8[:, :, :, ::1], f8[:, :, ::1], f8[::1], i8[::1], i8[::1], f8[:, :, ::1])")
@compiled
def add_correlations(
    sums: FloatArray,
    totals: FloatArray,
    sizes: FloatArray,
    left: IntArray,
    right: IntArray,
    found: FloatArray,
) -> None:
    """Add each row's correlation after the exchange, of both sides of each pair.

    Parameters
    ----------
    sums : ndarray, shape (n_rows, 3, n_metrics, n_replicates)
        Half the signed sums of z, z² and z times gold, which has mean 0 and variance 1 in a row.
    totals : ndarray, shape (n_rows, 3, n_metrics)
        Half the sums without signs.
    sizes : ndarray, shape (n_rows,)
        Cells of each row; 0 leaves it out.
    left, right : ndarray of int, shape (n_pairs,)
    found : ndarray, shape (n_pairs, 4, n_replicates)
        Added to: correlations of the first and of the second side, and how many are defined.
    """
    n_replicates = sums.shape[3]
    for p in range(left.size):
        a, b = left[p], right[p]
        first, second, n_first, n_second = found[p, 0], found[p, 1], found[p, 2], found[p, 3]
        for row in range(sums.shape[0]):
            n = sizes[row]
            if n == 0:
                continue
            total, square, product = totals[row, 0], totals[row, 1], totals[row, 2]
            t, s, c = total[a] + total[b], square[a] + square[b], product[a] + product[b]
            rounding = _CONSTANT * max(1.0, n / _MANY) * n * s
            t_a, s_a, c_a = sums[row, 0, a], sums[row, 1, a], sums[row, 2, a]
            t_b, s_b, c_b = sums[row, 0, b], sums[row, 1, b], sums[row, 2, b]
            for r in range(n_replicates):
                dt, ds, dc = t_a[r] - t_b[r], s_a[r] - s_b[r], c_a[r] - c_b[r]
                spread = n * (s + ds) - (t + dt) * (t + dt)
                defined = spread > rounding
                value = (c + dc) / math.sqrt(spread if defined else 1.0)
                first[r] += value if defined else 0.0
                n_first[r] += 1.0 if defined else 0.0
                spread = n * (s - ds) - (t - dt) * (t - dt)
                defined = spread > rounding
                value = (c - dc) / math.sqrt(spread if defined else 1.0)
                second[r] += value if defined else 0.0
                n_second[r] += 1.0 if defined else 0.0
