"""Compiled loops over the means of systems after exchanges."""

import math

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.meta_evaluation.coefficient_kernels import (
    ACCURACY,
    KENDALL_A,
    KENDALL_B,
    PEARSON,
    SPEARMAN,
)
from analysis.statistics.resampling.kernels import called_with, compiled

_Signs = npt.NDArray[np.int8]


@called_with(
    "(i8, f8[:, ::1], f8[:, :, ::1], f8[:, ::1], f8[:, :, ::1], f8[::1], i8[::1], "
    "i8[::1], f8[::1], i1[:, ::1], i8, f8[:, ::1])",
)
@compiled
def mean_differences(
    kind: int,
    fixed: FloatArray,
    moved: FloatArray,
    halo_fixed: FloatArray,
    halo_moved: FloatArray,
    tie: FloatArray,
    left: IntArray,
    right: IntArray,
    gold: FloatArray,
    order: _Signs,
    n_levels: int,
    found: FloatArray,
) -> None:
    """Write the differences of two coefficients of systems' means, pair by pair.

    After an exchange, the first side has ``fixed[a] + moved[a] + fixed[b] - moved[b]`` and the
    second ``fixed[a] - moved[a] + fixed[b] + moved[b]``.

    Parameters
    ----------
    kind : int
    fixed : ndarray, shape (n_metrics, n_systems)
        Half the means.
    moved : ndarray, shape (n_metrics, n_systems, n_replicates)
        Half the signed means.
    halo_fixed, halo_moved : ndarray
        Half the tie threshold of a system in the same form; `halo_moved` has shape
        (n_metrics, n_systems, n_replicates), or no replicates where there are no thresholds.
    tie : ndarray, shape (n_metrics,)
        Differences up to this are rounding.
    left, right : ndarray of int, shape (n_pairs,)
    gold : ndarray, shape (n_systems,)
        For "pearson" and "spearman": gold's means or ranks, with mean 0 and square sum 1.
    order : ndarray of int8, shape (n_systems, n_systems)
        Sign of gold's difference.
    n_levels : int
        Distinct values of gold, for "kendall-c".
    found : ndarray, shape (n_pairs, n_replicates)
    """
    n_systems, n_replicates = moved.shape[1], moved.shape[2]
    x, halo = np.empty((n_systems, n_replicates)), np.zeros((n_systems, n_replicates))
    room, value = np.empty((4, n_replicates)), np.empty(n_replicates)
    with_halo = halo_moved.shape[2] > 0
    for p in range(left.size):
        a, b = left[p], right[p]
        rounding = max(tie[a], tie[b])
        for side in range(2):
            sign = 1.0 - 2.0 * side
            for s in range(n_systems):
                base, up, down = fixed[a, s] + fixed[b, s], moved[a, s], moved[b, s]
                for r in range(n_replicates):
                    x[s, r] = base + sign * (up[r] - down[r])
                if with_halo:
                    base = halo_fixed[a, s] + halo_fixed[b, s]
                    up, down = halo_moved[a, s], halo_moved[b, s]
                    for r in range(n_replicates):
                        halo[s, r] = base + sign * (up[r] - down[r])
            if kind == PEARSON:
                _pearson(x, gold, rounding, room, value)
            elif kind == SPEARMAN:
                _spearman(x, gold, rounding, halo, room, value)
            else:
                _count(kind, x, halo, order, rounding, n_levels, room, value)
            for r in range(n_replicates):
                found[p, r] = value[r] if side == 0 else found[p, r] - value[r]


@compiled
def _pearson(
    x: FloatArray, gold: FloatArray, rounding: float, room: FloatArray, value: FloatArray
) -> None:
    """Write Pearson's correlation of each column with gold (mean 0, square sum 1)."""
    n_systems, n_replicates = x.shape
    mean, squares, reach = room[0], room[1], room[2]
    mean[:], squares[:], reach[:], value[:] = 0.0, 0.0, 0.0, 0.0
    for s in range(n_systems):
        row = x[s]
        for r in range(n_replicates):
            mean[r] += row[r]
    for r in range(n_replicates):
        mean[r] /= n_systems
    for s in range(n_systems):
        row, g = x[s], gold[s]
        for r in range(n_replicates):
            d = row[r] - mean[r]
            squares[r] += d * d
            value[r] += d * g
            reach[r] = max(reach[r], abs(d))
    for r in range(n_replicates):
        defined = reach[r] > rounding
        part = value[r] / math.sqrt(squares[r] if defined else 1.0)
        value[r] = part if defined else np.nan


@compiled
def _spearman(
    x: FloatArray,
    gold: FloatArray,
    rounding: float,
    ranks: FloatArray,
    room: FloatArray,
    value: FloatArray,
) -> None:
    """Write Spearman's correlation of each column; `ranks` is room like `x`."""
    n_systems, n_replicates = x.shape
    ranks[:] = 0.0
    for s in range(n_systems):
        for t in range(s):
            upper, lower, rank_s, rank_t = x[s], x[t], ranks[s], ranks[t]
            for r in range(n_replicates):
                d = upper[r] - lower[r]
                # Twice the rank around its middle: wins less losses.
                step = (1.0 if d > rounding else 0.0) - (1.0 if d < -rounding else 0.0)
                rank_s[r] += step
                rank_t[r] -= step
    _pearson(ranks, gold, 0.0, room, value)
    ranks[:] = 0.0


@compiled
def _count(
    kind: int,
    x: FloatArray,
    halo: FloatArray,
    order: _Signs,
    rounding: float,
    n_levels: int,
    room: FloatArray,
    value: FloatArray,
) -> None:
    """Write Kendall's tau of each column, or the share of pairs ordered as gold does."""
    n_systems, n_replicates = x.shape
    tied, new, levels = room[0], room[1], room[2]
    tied[:], levels[:], value[:] = 0.0, 0.0, 0.0
    pairs, untied_gold = n_systems * (n_systems - 1) / 2, 0
    if kind == ACCURACY:
        _share(x, halo, order, rounding, value)
        for r in range(n_replicates):
            value[r] = value[r] / pairs if pairs > 0 else np.nan
        return
    for s in range(n_systems):
        new[:] = 1.0
        for t in range(s):
            upper, lower, g = x[s], x[t], float(order[s, t])
            untied_gold += int(g != 0.0)
            for r in range(n_replicates):
                d = upper[r] - lower[r]
                sign = (1.0 if d > rounding else 0.0) - (1.0 if d < -rounding else 0.0)
                is_tied = 1.0 - abs(sign)
                value[r] += sign * g
                tied[r] += is_tied
                new[r] = min(new[r], 1.0 - is_tied)
        for r in range(n_replicates):
            levels[r] += new[r]
    for r in range(n_replicates):
        untied = pairs - tied[r]
        if untied <= 0 or untied_gold == 0:
            value[r] = np.nan
        elif kind == KENDALL_A:
            value[r] /= pairs
        elif kind == KENDALL_B:
            value[r] /= math.sqrt(untied) * math.sqrt(untied_gold)
        else:
            m = min(levels[r], float(n_levels))
            value[r] *= 2.0 * m / (n_systems * n_systems * (m - 1.0))


@compiled
def _share(
    x: FloatArray, halo: FloatArray, order: _Signs, rounding: float, value: FloatArray
) -> None:
    """Write how many pairs each column orders, or ties, as gold does."""
    n_systems, n_replicates = x.shape
    value[:] = 0.0
    for s in range(n_systems):
        for t in range(s):
            upper, lower, near, far, g = x[s], x[t], halo[s], halo[t], float(order[s, t])
            for r in range(n_replicates):
                d, room_of_tie = upper[r] - lower[r], near[r] + far[r] + rounding
                sign = (1.0 if d > room_of_tie else 0.0) - (1.0 if d < -room_of_tie else 0.0)
                value[r] += 1.0 if sign == g else 0.0
