"""Compiled inner loops of the coefficients.

A coefficient is taken of two vectors with a whole-numbered weight per position: how often it was
drawn; 0 leaves it out. Ranks and pairs are counted on codes, the numbers of the distinct values
in ascending order, so that equal values are tied whatever the arithmetic.
"""

import math

import numpy as np

from analysis.statistics._typing import BoolArray, CodeArray, FloatArray
from analysis.statistics.resampling.kernels import called_with, compiled

# In the order of `coefficients.COEFFICIENTS`.
PEARSON, SPEARMAN, KENDALL_A, KENDALL_B, KENDALL_C, ACCURACY = range(6)


@compiled
def pearson(x: FloatArray, y: FloatArray, weight: FloatArray, tolerance: float) -> float:
    """Return Pearson's correlation; NaN where a side varies by no more than `tolerance`."""
    n, sum_x, sum_y = 0.0, 0.0, 0.0
    low_x = low_y = np.inf
    high_x = high_y = -np.inf
    for i in range(x.size):
        w = weight[i]
        if w > 0:
            n += w
            sum_x += w * x[i]
            sum_y += w * y[i]
            low_x, high_x = min(low_x, x[i]), max(high_x, x[i])
            low_y, high_y = min(low_y, y[i]), max(high_y, y[i])
    if not (high_x - low_x > tolerance and high_y - low_y > tolerance):
        return math.nan
    mean_x, mean_y = sum_x / n, sum_y / n
    # In units of the ranges: squares of very small or large numbers are no numbers.
    unit_x, unit_y = high_x - low_x, high_y - low_y
    xx, yy, xy = 0.0, 0.0, 0.0
    for i in range(x.size):
        w = weight[i]
        if w > 0:
            dx, dy = (x[i] - mean_x) / unit_x, (y[i] - mean_y) / unit_y
            xx += w * dx * dx
            yy += w * dy * dy
            xy += w * dx * dy
    r = xy / math.sqrt(xx * yy)
    return min(1.0, max(-1.0, r))


@compiled
def _mid_ranks(codes: CodeArray, weight: FloatArray, counts: FloatArray, ranks: FloatArray) -> None:
    """Write the mid-rank of every position that has a weight; `counts` is room."""
    counts[:] = 0.0
    for i in range(codes.size):
        counts[codes[i]] += weight[i]
    below = 0.0
    for level in range(counts.size):
        tied = counts[level]
        counts[level] = below + (tied + 1.0) / 2.0
        below += tied
    for i in range(codes.size):
        ranks[i] = counts[codes[i]]


@compiled
def _n_levels(codes: CodeArray, weight: FloatArray, counts: FloatArray) -> int:
    """Return how many different values have a weight."""
    counts[:] = 0.0
    for i in range(codes.size):
        counts[codes[i]] += weight[i]
    found = 0
    for level in range(counts.size):
        found += int(counts[level] > 0)
    return found


@compiled
def _count_up_to(tree: FloatArray, code: int) -> float:
    """Return the weight of codes up to and including `code`."""
    total, node = 0.0, code + 1
    while node > 0:
        total += tree[node]
        node -= node & -node
    return total


@compiled
def count_pairs(
    order: CodeArray,
    x: FloatArray,
    y: CodeArray,
    weight: FloatArray,
    epsilon: float,
    tree: FloatArray,
    near: FloatArray,
    sums: FloatArray,
) -> None:
    """Count pairs of different positions, each as often as the product of their weights.

    Parameters
    ----------
    order : ndarray of int, shape (n,)
        Positions in ascending order of `x`.
    x : ndarray, shape (n,)
    y : ndarray of int, shape (n,)
        CodeArray.
    weight : ndarray, shape (n,)
    epsilon : float
        A pair is tied in `x` where it differs by at most this.
    tree, near : ndarray, shapes (n + 1,), (n,)
        Room.
    sums : ndarray, shape (5,)
        Written: concordant, discordant, tied in x only, tied in y only, tied in both.
    """
    tree[:] = 0.0
    near[:] = 0.0
    sums[:] = 0.0
    far_weight, near_weight, first = 0.0, 0.0, 0
    for k in range(order.size):
        i = order[k]
        w, code = weight[i], y[i]
        if w == 0:
            continue
        # What lies further below than epsilon moves from the near ones into the tree.
        while first < k:
            j = order[first]
            if weight[j] > 0:
                if x[i] - x[j] <= epsilon:
                    break
                near[y[j]] -= weight[j]
                near_weight -= weight[j]
                far_weight += weight[j]
                node = y[j] + 1
                while node < tree.size:
                    tree[node] += weight[j]
                    node += node & -node
            first += 1
        up_to = _count_up_to(tree, code)
        less = _count_up_to(tree, code - 1)
        sums[0] += w * less
        sums[1] += w * (far_weight - up_to)
        sums[2] += w * (near_weight - near[code])
        sums[3] += w * (up_to - less)
        sums[4] += w * near[code]
        near[code] += w
        near_weight += w


@compiled
def _from_pairs(kind: int, sums: FloatArray, n: float, n_levels: int) -> float:
    """Return Kendall's tau or the share of pairs ordered alike."""
    concordant, discordant = float(sums[0]), float(sums[1])
    only_x, only_y, both = float(sums[2]), float(sums[3]), float(sums[4])
    ordered = concordant + discordant
    pairs = ordered + only_x + only_y + both
    if kind == ACCURACY:
        return (concordant + both) / pairs if pairs > 0 else math.nan
    in_x, in_y = ordered + only_y, ordered + only_x
    if in_x == 0 or in_y == 0:
        return math.nan
    if kind == KENDALL_A:
        return (concordant - discordant) / pairs
    if kind == KENDALL_B:
        return (concordant - discordant) / math.sqrt(in_x * in_y)
    # Copies of one position are no pair: there may be fewer pairs than levels would allow.
    return (concordant - discordant) / min(n * n * (n_levels - 1) / (2.0 * n_levels), pairs)


@compiled
def _one_value(
    kind: int,
    x: FloatArray,
    y: FloatArray,
    x_codes: CodeArray,
    y_codes: CodeArray,
    order: CodeArray,
    weight: FloatArray,
    tolerance: float,
    epsilon: float,
    room: FloatArray,
) -> float:
    """Return the coefficient of two vectors; `room` has shape (4, n + 5)."""
    n = x.size
    if kind == PEARSON:
        return pearson(x, y, weight, tolerance)
    if kind == SPEARMAN:
        _mid_ranks(x_codes, weight, room[0, :n], room[1, :n])
        _mid_ranks(y_codes, weight, room[0, :n], room[2, :n])
        return pearson(room[1, :n], room[2, :n], weight, 0.0)
    sums = room[3, :5]
    count_pairs(order, x, y_codes, weight, epsilon, room[0, : n + 1], room[1, :n], sums)
    levels, total = 0, 0.0
    if kind == KENDALL_C:
        levels = min(
            _n_levels(x_codes, weight, room[2, :n]), _n_levels(y_codes, weight, room[2, :n])
        )
        total = np.sum(weight)
    return _from_pairs(kind, sums, total, levels)


@called_with(
    "(i8, f8[:, ::1], f8[:, ::1], i4[:, ::1], i4[:, ::1], i4[:, ::1], b1[:, ::1], "
    "f8[:, ::1], f8, f8, f8[::1])",
)
@compiled
def row_values(
    kind: int,
    x: FloatArray,
    y: FloatArray,
    x_codes: CodeArray,
    y_codes: CodeArray,
    order: CodeArray,
    present: BoolArray,
    weights: FloatArray,
    tolerance: float,
    epsilon: float,
    out: FloatArray,
) -> None:
    """Write the coefficient of every row, with weights of its own.

    All matrices have shape (n_rows, n); `y` and its codes and the weights may have one row for
    all.
    """
    n_rows, n = x.shape
    room, weight = np.empty((4, n + 5)), np.empty(n)
    for u in range(n_rows):
        of_y, of_weight = min(u, y.shape[0] - 1), min(u, weights.shape[0] - 1)
        for i in range(n):
            weight[i] = weights[of_weight, i] if present[u, i] else 0.0
        out[u] = _one_value(
            kind,
            x[u],
            y[of_y],
            x_codes[u],
            y_codes[of_y],
            order[u],
            weight,
            tolerance,
            epsilon,
            room,
        )


@called_with(
    "(i8, f8[:, ::1], f8[:, ::1], i4[:, ::1], i4[:, ::1], i4[:, ::1], b1[:, ::1], "
    "f8[:, ::1], f8[:, ::1], f8, f8[::1])",
)
@compiled
def resampled_averages(
    kind: int,
    x: FloatArray,
    y: FloatArray,
    x_codes: CodeArray,
    y_codes: CodeArray,
    order: CodeArray,
    present: BoolArray,
    weights: FloatArray,
    times: FloatArray,
    epsilon: float,
    out: FloatArray,
) -> None:
    """Write, for each resample, the mean over rows of their coefficients, where defined.

    Parameters
    ----------
    kind : int
    x, y, x_codes, y_codes, order, present : ndarray, shape (n_rows, n)
    weights : ndarray, shape (n_resamples, n)
        How often each position was drawn, in every row alike.
    times : ndarray, shape (n_resamples, n_rows)
        How often each row was drawn.
    epsilon : float
    out : ndarray, shape (n_resamples,)
    """
    n_rows, n = x.shape
    room, weight = np.empty((4, n + 5)), np.empty(n)
    for b in range(weights.shape[0]):
        total, count = 0.0, 0.0
        for u in range(n_rows):
            if times[b, u] == 0:
                continue
            for i in range(n):
                weight[i] = weights[b, i] if present[u, i] else 0.0
            value = _one_value(
                kind,
                x[u],
                y[u],
                x_codes[u],
                y_codes[u],
                order[u],
                weight,
                0.0,
                epsilon,
                room,
            )
            if not math.isnan(value):
                total += times[b, u] * value
                count += times[b, u]
        out[b] = total / count if count > 0 else math.nan
