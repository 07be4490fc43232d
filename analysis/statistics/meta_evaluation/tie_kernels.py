"""Compiled inner loops over the pairs whose ties are being calibrated."""

import numpy as np

from analysis.statistics._typing import BoolArray, CodeArray, FloatArray
from analysis.statistics.resampling.kernels import called_with, compiled


@compiled
def _right(x_difference: float, y_difference: int) -> int:
    """Return 1 if a pair, tied in neither, is ordered alike."""
    return int((x_difference > 0 and y_difference > 0) or (x_difference < 0 and y_difference < 0))


@called_with("(f8[:, ::1], i4[:, ::1], b1[:, ::1], f8[::1], f8[::1], f8[::1])")
@compiled
def list_pairs(
    x: FloatArray,
    y: CodeArray,
    present: BoolArray,
    shares: FloatArray,
    sizes: FloatArray,
    gains: FloatArray,
) -> float:
    """List what the accuracy gains when a pair becomes a tie; return it without any ties.

    Parameters
    ----------
    x, y, present : ndarray, shape (n_rows, n)
        A metric's scores, codes of gold.
    shares : ndarray, shape (n_rows,)
        What a pair of each row counts.
    sizes, gains : ndarray, shape (n_pairs,)
        Written: size of the metric's difference, and the gain.
    """
    place, start = 0, 0.0
    for u in range(x.shape[0]):
        right = 0
        for i in range(x.shape[1]):
            if not present[u, i]:
                continue
            for j in range(i):
                if not present[u, j]:
                    continue
                difference, other = x[u, i] - x[u, j], y[u, i] - y[u, j]
                alike = _right(difference, other)
                right += alike
                sizes[place] = abs(difference)
                gains[place] = (int(other == 0) - alike) * shares[u]
                place += 1
        start += right * shares[u]
    return start


@called_with("(f8[:, ::1], i4[:, ::1], b1[:, ::1], f8[::1], f8, f8[::1])")
@compiled
def add_to_bins(
    x: FloatArray,
    y: CodeArray,
    present: BoolArray,
    shares: FloatArray,
    width: float,
    gained: FloatArray,
) -> float:
    """Add the gains that `list_pairs` lists to bins of sizes up to 0, `width`, 2 `width`, …"""
    start = 0.0
    counts = np.empty(gained.size, np.int64)
    for u in range(x.shape[0]):
        right = 0
        counts[:] = 0
        for i in range(x.shape[1]):
            if not present[u, i]:
                continue
            for j in range(i):
                if not present[u, j]:
                    continue
                difference, other = x[u, i] - x[u, j], y[u, i] - y[u, j]
                alike = _right(difference, other)
                right += alike
                counts[int(np.ceil(abs(difference) / width))] += int(other == 0) - alike
        start += right * shares[u]
        for k in range(gained.size):
            gained[k] += counts[k] * shares[u]
    return start
