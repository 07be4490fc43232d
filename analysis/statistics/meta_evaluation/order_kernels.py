"""Compiled loops over pairs of cells: how much each cell weighs when two metrics exchange it.

For a pair of cells s, t with gold's order g, agreement A(d) is what the difference d of a metric's
two values earns. If the metrics x and y keep or exchange both cells together, the difference of
their agreements is ± (A(x_s - x_t) - A(y_s - y_t)); if one cell only, it is
± (A(x_s - y_t) - A(y_s - x_t)). Both are the same linear function of the two cells' signs.
"""

import numpy as np

from analysis.statistics._typing import BoolArray, CodeArray, FloatArray, IntArray
from analysis.statistics.resampling.kernels import called_with, compiled


@called_with("(f8[:, :, ::1], f8[::1], i4[:, ::1], b1[:, ::1], b1, i4[:, :, ::1])")
@compiled
def own_weights(
    values: FloatArray,
    halos: FloatArray,
    gold: CodeArray,
    present: BoolArray,
    ties_count: bool,
    own: CodeArray,
) -> None:
    """Write what each cell of short rows earns against the other cells of the same metric.

    Parameters
    ----------
    values : ndarray, shape (n_metrics, n, n_rows)
        Cells of a row along the second axis.
    halos : ndarray, shape (n_metrics,)
        Half the tie threshold.
    gold : ndarray of int32, shape (n, n_rows)
        CodeArray of gold's values.
    present : ndarray of bool, shape (n, n_rows)
    ties_count : bool
        Whether a tie where gold ties earns 1 and a wrong order 0 (an accuracy); else a tie earns
        0 and a wrong order -1 (Kendall).
    own : ndarray of int32, shape (n_metrics, n, n_rows)
    """
    n, n_rows = gold.shape
    own[:] = 0
    for metric in range(values.shape[0]):
        x, out, threshold = values[metric], own[metric], 2.0 * halos[metric]
        for s in range(n):
            for t in range(s):
                for row in range(n_rows):
                    g_s, g_t, x_s, x_t = gold[s, row], gold[t, row], x[s, row], x[t, row]
                    g = np.int32(g_s > g_t) - np.int32(g_s < g_t)
                    here = np.int32(present[s, row]) * np.int32(present[t, row])
                    sign = np.int32(x_s - x_t > threshold) - np.int32(x_t - x_s > threshold)
                    earned = here * (np.int32(sign == g) if ties_count else g * sign)
                    out[s, row] += earned
                    out[t, row] += earned


@called_with(
    "(f8[:, :, ::1], f8[::1], i4[:, ::1], b1[:, ::1], i8[::1], i8[::1], b1, "
    "i4[:, :, ::1], i4[:, :, ::1])",
)
@compiled
def short_row_weights(
    values: FloatArray,
    halos: FloatArray,
    gold: CodeArray,
    present: BoolArray,
    left: IntArray,
    right: IntArray,
    ties_count: bool,
    own: CodeArray,
    weights: CodeArray,
) -> None:
    """Write twice the weight of every cell of short rows, by comparing each pair of cells.

    Parameters
    ----------
    values, halos, gold, present, ties_count, own
        As for `own_weights`.
    left, right : ndarray of int, shape (n_pairs,)
    weights : ndarray of int32, shape (n_pairs, n, n_rows)
    """
    n, n_rows = gold.shape
    for p in range(left.size):
        x, y, out = values[left[p]], values[right[p]], weights[p]
        mixed = halos[left[p]] + halos[right[p]]
        own_x, own_y = own[left[p]], own[right[p]]
        for s in range(n):
            for row in range(n_rows):
                out[s, row] = own_x[s, row] - own_y[s, row]
        for s in range(n):
            for t in range(s):
                for row in range(n_rows):
                    g_s, g_t = gold[s, row], gold[t, row]
                    g = np.int32(g_s > g_t) - np.int32(g_s < g_t)
                    here = np.int32(present[s, row]) * np.int32(present[t, row])
                    x_s, x_t, y_s, y_t = x[s, row], x[t, row], y[s, row], y[t, row]
                    xy = np.int32(x_s - y_t > mixed) - np.int32(y_t - x_s > mixed)
                    yx = np.int32(y_s - x_t > mixed) - np.int32(x_t - y_s > mixed)
                    one = np.int32(xy == g) - np.int32(yx == g) if ties_count else g * (xy - yx)
                    out[s, row] += here * one
                    out[t, row] -= here * one


@called_with("(f8[::1], f8[::1], i4[::1], i4[::1], i4[::1], f8, f8, b1, f8[::1])")
@compiled
def long_row_weights(
    x: FloatArray,
    y: FloatArray,
    x_order: CodeArray,
    y_order: CodeArray,
    gold: CodeArray,
    halo_x: float,
    halo_y: float,
    ties_count: bool,
    weights: FloatArray,
) -> None:
    """Write twice the weight of every cell of one complete row, in n log n steps.

    Parameters
    ----------
    x, y : ndarray, shape (n,)
    x_order, y_order : ndarray of int32, shape (n,)
        Places in ascending order.
    gold : ndarray of int32, shape (n,)
        CodeArray from 0.
    halo_x, halo_y : float
    ties_count : bool
        As for `short_row_weights`.
    weights : ndarray, shape (n,)
    """
    n = x.size
    trees, totals = np.empty((2, n + 1)), np.zeros(n + 1)
    for i in range(n):
        totals[gold[i] + 1] += 1.0
    for code in range(n):
        totals[code + 1] += totals[code]
    weights[:] = 0.0
    mixed = halo_x + halo_y
    _earn(x, x_order, x, x_order, gold, 2.0 * halo_x, ties_count, 1.0, trees, totals, weights)
    _earn(x, x_order, y, y_order, gold, mixed, ties_count, 1.0, trees, totals, weights)
    _earn(y, y_order, x, x_order, gold, mixed, ties_count, -1.0, trees, totals, weights)
    _earn(y, y_order, y, y_order, gold, 2.0 * halo_y, ties_count, -1.0, trees, totals, weights)


@compiled
def _earn(
    at: FloatArray,
    at_order: CodeArray,
    of: FloatArray,
    of_order: CodeArray,
    gold: CodeArray,
    threshold: float,
    ties_count: bool,
    sign: float,
    trees: FloatArray,
    totals: FloatArray,
    weights: FloatArray,
) -> None:
    """Add `sign` times what each value in `at` earns against the values in `of` elsewhere.

    Goes through both in ascending order. The trees count, by gold's codes, the values that lie
    below by more than the threshold, and those that do not lie above by more; `totals[g]` is how
    many cells have a lower code than g.
    """
    trees[:] = 0.0
    n = at.size
    below, near = 0, 0
    for k in range(n):
        i = at_order[k]
        v, g = at[i], gold[i]
        while below < n and v - of[of_order[below]] > threshold:
            _count_in(trees[0], gold[of_order[below]])
            below += 1
        while near < n and of[of_order[near]] - v <= threshold:
            _count_in(trees[1], gold[of_order[near]])
            near += 1
        below_less, below_up_to = _up_to(trees[0], g - 1), _up_to(trees[0], g)
        near_less, near_up_to = _up_to(trees[1], g - 1), _up_to(trees[1], g)
        above_less = totals[g] - near_less
        above_greater = (n - totals[g + 1]) - (near - near_up_to)
        if ties_count:
            tied = (near_up_to - near_less) - (below_up_to - below_less)
            # The cell itself.
            tied -= 1.0 if abs(v - of[i]) <= threshold else 0.0
            weights[i] += sign * (below_less + above_greater + tied)
        else:
            right = below_less + above_greater
            weights[i] += sign * (right - (below - below_up_to) - above_less)


@compiled
def _count_in(tree: FloatArray, code: int) -> None:
    node = code + 1
    while node < tree.size:
        tree[node] += 1.0
        node += node & -node


@compiled
def _up_to(tree: FloatArray, code: int) -> float:
    """Return how many codes up to this one were counted in."""
    total, node = 0.0, code + 1
    while node > 0:
        total += tree[node]
        node -= node & -node
    return total
