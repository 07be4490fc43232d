"""Compiled loops of Spearman's and Kendall's coefficients of cells after exchanges."""

import math

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, ByteArray, CodeArray, FloatArray, IntArray
from analysis.statistics.meta_evaluation.coefficient_kernels import (
    KENDALL_A,
    KENDALL_B,
    KENDALL_C,
    SPEARMAN,
)
from analysis.statistics.resampling.kernels import called_with, compiled


@called_with(
    "(i8, f8[:, ::1], f8[:, ::1], i4[:, ::1], b1[:, ::1], u1[:, ::1], u1[:, ::1], "
    "u1[:, ::1], f8[:, ::1])",
)
@compiled
def short_rows(
    kind: int,
    x: FloatArray,
    y: FloatArray,
    gold: CodeArray,
    present: BoolArray,
    positions: ByteArray,
    minus: ByteArray,
    odd: ByteArray,
    found: FloatArray,
) -> None:
    """Add the coefficients of short rows after an exchange, all replicates side by side.

    Parameters
    ----------
    kind : int
    x, y : ndarray, shape (n_rows, n)
        On one scale.
    gold : ndarray of int32, shape (n_rows, n)
        CodeArray of gold's values.
    present : ndarray of bool, shape (n_rows, n)
    positions, minus : ndarray of uint8, shape (n_rows, n)
        Signs of the cells, see `plan.SignCodes`.
    odd : ndarray of uint8, shape (256, n_replicates)
        Whether the sign of replicate r at a position is -1.
    found : ndarray, shape (4, n_replicates)
        Added to: coefficients of the first and of the second side, and how many are defined.
    """
    n_rows, n = x.shape
    n_replicates = odd.shape[1]
    swapped = np.empty((n, n_replicates), np.int16)
    ranks = np.empty((2, n, n_replicates), np.int16)
    pairs = np.empty((6, n_replicates), np.int16)
    at, order = np.empty(n, np.int64), np.empty((n, n), np.int16)
    for row in range(n_rows):
        size, untied_gold, n_levels = _gold_order(gold[row], present[row], at, order)
        if size < 2 or untied_gold == 0:
            continue
        for s in range(size):
            of_sign, turned = odd[positions[row, at[s]]], np.int16(minus[row, at[s]])
            for r in range(n_replicates):
                swapped[s, r] = np.int16(of_sign[r]) ^ turned
        if kind == SPEARMAN:
            _rank(x[row], y[row], at, size, swapped, ranks)
            _add_spearman(ranks, order, size, found)
        else:
            _compare(kind, x[row], y[row], at, size, order, swapped, pairs)
            for side in range(2):
                _add_kendall(
                    kind,
                    pairs[3 * side : 3 * side + 3],
                    size,
                    untied_gold,
                    n_levels,
                    found[side],
                    found[2 + side],
                )


@compiled
def _gold_order(
    gold: CodeArray, present: BoolArray, at: IntArray, order: npt.NDArray[np.int16]
) -> tuple[int, int, int]:
    """Write where cells are and their order by gold; return cells, untied pairs, levels."""
    size, untied, levels = 0, 0, 0
    for place in range(gold.size):
        if present[place]:
            at[size] = place
            size += 1
    for s in range(size):
        new = 1
        for t in range(s):
            a, b = gold[at[s]], gold[at[t]]
            sign = np.int16(a > b) - np.int16(a < b)
            order[s, t], order[t, s] = sign, -sign
            untied += int(sign != 0)
            new = min(new, int(sign != 0))
        order[s, s] = 0
        levels += new
    return size, untied, levels


@compiled
def _sign(a: float, b: float) -> np.int16:
    return np.int16(a > b) - np.int16(a < b)


@compiled
def _rank(
    x: FloatArray,
    y: FloatArray,
    at: IntArray,
    size: int,
    swapped: npt.NDArray[np.int16],
    ranks: npt.NDArray[np.int16],
) -> None:
    """Write twice the mid-ranks of both sides, measured from their middle."""
    n_replicates = swapped.shape[1]
    ranks[:, :size] = 0
    for s in range(size):
        for t in range(s):
            i, j = at[s], at[t]
            xx, yy = _sign(x[i], x[j]), _sign(y[i], y[j])
            xy, yx = _sign(x[i], y[j]), _sign(y[i], x[j])
            both = np.int16(xx + yy - xy - yx)
            a, b = swapped[s], swapped[t]
            up_s, up_t, down_s, down_t = ranks[0, s], ranks[0, t], ranks[1, s], ranks[1, t]
            for r in range(n_replicates):
                ab = a[r] & b[r]
                first = xx + a[r] * (yx - xx) + b[r] * (xy - xx) + ab * both
                second = yy + a[r] * (xy - yy) + b[r] * (yx - yy) + ab * both
                up_s[r] += np.int16(first)
                up_t[r] -= np.int16(first)
                down_s[r] += np.int16(second)
                down_t[r] -= np.int16(second)


@compiled
def _add_spearman(
    ranks: npt.NDArray[np.int16], order: npt.NDArray[np.int16], size: int, found: FloatArray
) -> None:
    n_replicates = ranks.shape[2]
    squares, products = np.empty(n_replicates), np.empty(n_replicates)
    gold_squares = 0.0
    of_gold = np.zeros(size)
    for s in range(size):
        for t in range(size):
            of_gold[s] += order[s, t]
        gold_squares += of_gold[s] * of_gold[s]
    for side in range(2):
        squares[:], products[:] = 0.0, 0.0
        for s in range(size):
            g, its = of_gold[s], ranks[side, s]
            for r in range(n_replicates):
                rank = float(its[r])
                squares[r] += rank * rank
                products[r] += rank * g
        for r in range(n_replicates):
            defined = squares[r] > 0
            value = products[r] / math.sqrt(squares[r] * gold_squares if defined else 1.0)
            found[side, r] += value if defined else 0.0
            found[2 + side, r] += 1.0 if defined else 0.0


@compiled
def _compare(
    kind: int,
    x: FloatArray,
    y: FloatArray,
    at: IntArray,
    size: int,
    order: npt.NDArray[np.int16],
    swapped: npt.NDArray[np.int16],
    pairs: npt.NDArray[np.int16],
) -> None:
    """Write concordant less discordant, and untied pairs, and distinct values, of both sides."""
    n_replicates = swapped.shape[1]
    room, new = np.empty((2, n_replicates), np.int16), np.empty((2, n_replicates), np.int16)
    always = 0
    pairs[:] = 0
    for s in range(size):
        new[:] = 1
        for t in range(s):
            i, j = at[s], at[t]
            xx, yy = _sign(x[i], x[j]), _sign(y[i], y[j])
            xy, yx = _sign(x[i], y[j]), _sign(y[i], x[j])
            both = np.int16(xx + yy - xy - yx)
            a, b, first, second = swapped[s], swapped[t], room[0], room[1]
            for r in range(n_replicates):
                ab = a[r] & b[r]
                first[r] = np.int16(xx + a[r] * (yx - xx) + b[r] * (xy - xx) + ab * both)
                second[r] = np.int16(yy + a[r] * (xy - yy) + b[r] * (yx - yy) + ab * both)
            never_tied = xx != 0 and yy != 0 and xy != 0 and yx != 0
            always += int(never_tied)
            for side in range(2):
                _add_net(room[side], order[s, t], pairs[3 * side])
                if never_tied:
                    continue
                _add_untied(room[side], pairs[3 * side + 1])
                if kind == KENDALL_C:
                    its, still = room[side], new[side]
                    for r in range(n_replicates):
                        still[r] = np.int16(still[r] * its[r] * its[r])
        for side in range(2):
            levels, its = pairs[3 * side + 2], new[side]
            for r in range(n_replicates):
                levels[r] += its[r]
    pairs[1::3] += np.int16(always)


@compiled
def _add_net(signs: npt.NDArray[np.int16], g: int, net: npt.NDArray[np.int16]) -> None:
    for r in range(signs.size):
        net[r] += np.int16(signs[r] * g)


@compiled
def _add_untied(signs: npt.NDArray[np.int16], untied: npt.NDArray[np.int16]) -> None:
    for r in range(signs.size):
        untied[r] += np.int16(signs[r] * signs[r])


@compiled
def _add_kendall(
    kind: int,
    pairs: npt.NDArray[np.int16],
    size: int,
    untied_gold: int,
    n_levels: int,
    values: FloatArray,
    counts: FloatArray,
) -> None:
    total = size * (size - 1) / 2
    for r in range(values.size):
        untied = float(pairs[1, r])
        if untied == 0:
            continue
        value = float(pairs[0, r])
        if kind == KENDALL_A:
            value /= total
        elif kind == KENDALL_B:
            value /= math.sqrt(untied * untied_gold)
        else:
            m = min(int(pairs[2, r]), n_levels)
            value *= 2.0 * m / (size * size * (m - 1.0))
        values[r] += value
        counts[r] += 1.0


@called_with(
    "(i8, i4[::1], i4[::1], i4[::1], f8[::1], u1[::1], u1[::1], u1[:, ::1], i8, f8[:, ::1])",
)
@compiled
def long_row(
    kind: int,
    order: CodeArray,
    starts: CodeArray,
    gold: CodeArray,
    ranks: FloatArray,
    positions: ByteArray,
    minus: ByteArray,
    odd: ByteArray,
    n_levels: int,
    found: FloatArray,
) -> None:
    """Add the coefficient of one complete long row after an exchange, replicate by replicate.

    Parameters
    ----------
    kind : int
    order : ndarray of int32, shape (2 n,)
        Places of both metrics' values together in ascending order: below n the first metric's.
    starts : ndarray of int32, shape (n_values + 1,)
        Where each distinct value begins in `order`, and 2 n.
    gold : ndarray of int32, shape (n,)
        CodeArray of gold's values.
    ranks : ndarray, shape (n,)
        Gold's mid-ranks measured from their mean.
    positions, minus, odd
        As for `short_rows`, of one row.
    n_levels : int
        Distinct values of gold.
    found : ndarray, shape (4, n_replicates)
    """
    n = gold.size
    tied_gold, square_gold = 0.0, 0.0
    trees, counts = np.zeros((2, n + 1)), np.zeros(n)
    for i in range(n):
        tied_gold += counts[gold[i]]
        counts[gold[i]] += 1.0
        square_gold += ranks[i] * ranks[i]
    total = n * (n - 1) / 2
    if total - tied_gold <= 0:
        return
    side_of, seen, in_group = np.empty(2 * n, np.uint8), np.zeros(2), np.zeros(2)
    sums = np.zeros((2, 4))
    for r in range(odd.shape[1]):
        for i in range(n):
            turned = odd[positions[i], r] ^ minus[i]
            side_of[i], side_of[n + i] = turned, 1 - turned
        trees[:], sums[:], seen[:] = 0.0, 0.0, 0.0
        for group in range(starts.size - 1):
            first, last = starts[group], starts[group + 1]
            if kind == SPEARMAN:
                _pass_ranks(order[first:last], n, side_of, ranks, seen, in_group, sums)
            else:
                _pass_pairs(order[first:last], n, side_of, gold, trees, seen, in_group, sums)
        for side in range(2):
            net, tied, levels = sums[side, 0], sums[side, 1], sums[side, 2]
            if kind == SPEARMAN:
                square = sums[side, 1]
                defined = square > 0
                value = net / math.sqrt(square * square_gold) if defined else 0.0
            else:
                untied = total - tied
                defined = untied > 0
                value = net / total
                if kind == KENDALL_B and defined:
                    value = net / math.sqrt(untied) / math.sqrt(total - tied_gold)
                elif kind == KENDALL_C and defined:
                    m = min(levels, float(n_levels))
                    value = net * 2.0 * m / (float(n) * n * (m - 1.0))
            if defined:
                found[side, r] += value
                found[2 + side, r] += 1.0


@compiled
def _pass_ranks(
    members: CodeArray,
    n: int,
    side_of: ByteArray,
    ranks: FloatArray,
    seen: FloatArray,
    in_group: FloatArray,
    sums: FloatArray,
) -> None:
    """Add rank times gold's rank and the squared ranks of one group of equal values."""
    in_group[:], sums[:, 3] = 0.0, 0.0
    for place in members:
        side = side_of[place]
        in_group[side] += 1.0
        sums[side, 3] += ranks[place if place < n else place - n]
    for side in range(2):
        rank = seen[side] + (in_group[side] + 1.0) / 2.0 - (n + 1.0) / 2.0
        sums[side, 0] += rank * sums[side, 3]
        sums[side, 1] += in_group[side] * rank * rank
        seen[side] += in_group[side]


@compiled
def _pass_pairs(
    members: CodeArray,
    n: int,
    side_of: ByteArray,
    gold: CodeArray,
    trees: FloatArray,
    seen: FloatArray,
    in_group: FloatArray,
    sums: FloatArray,
) -> None:
    """Add the pairs of one group of equal values with all lower ones, and those within it."""
    in_group[:] = 0.0
    for place in members:
        side, code = side_of[place], gold[place if place < n else place - n]
        less, up_to, node = 0.0, 0.0, code
        while node > 0:
            less += trees[side, node]
            node -= node & -node
        node = code + 1
        while node > 0:
            up_to += trees[side, node]
            node -= node & -node
        sums[side, 0] += less - (seen[side] - up_to)
        sums[side, 1] += in_group[side]
        in_group[side] += 1.0
    for place in members:
        side, node = side_of[place], gold[place if place < n else place - n] + 1
        while node <= n:
            trees[side, node] += 1.0
            node += node & -node
    for side in range(2):
        sums[side, 2] += 1.0 if in_group[side] > 0 else 0.0
        seen[side] += in_group[side]
