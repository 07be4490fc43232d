"""Compiled loops of the soft pairwise accuracy after exchanges."""

import math

import numpy as np

from analysis.statistics._typing import BoolArray, ByteArray, FloatArray
from analysis.statistics.resampling.kernels import called_with, compiled, hadamard

_ROUNDING = 1e-13
"""A sum of squares this small, relative to those that it is the difference of, is none."""


@called_with(
    "(f8[:, ::1], f8[:, ::1], b1[:, ::1], u1[:, ::1], u1[:, ::1], f8[:, ::1], f8[::1])",
)
@compiled
def soft_differences(
    middle: FloatArray,
    half: FloatArray,
    present: BoolArray,
    positions: ByteArray,
    minus: ByteArray,
    doubt: FloatArray,
    found: FloatArray,
) -> None:
    """Write how much softer pairwise accuracy the first side has than the second.

    After an exchange the sides have ``middle ± sign · half``. The sum over items of a difference
    of two systems, and of its square, are linear in the signs of both systems and their products.

    Parameters
    ----------
    middle, half : ndarray, shape (n_systems, n_items)
        0 where there is no cell.
    present : ndarray of bool, same shape
    positions, minus : ndarray of uint8, same shape
        Signs of the cells, see `plan.SignCodes`.
    doubt : ndarray, shape (n_systems, n_systems)
        Gold's p-value of "i is better than j"; NaN without shared items.
    found : ndarray, shape (256,)
        NaN where a side gives all systems the same values, item by item.
    """
    n_systems, n_items = middle.shape
    total = np.zeros((n_systems, n_systems, 256))
    square = np.zeros((n_systems, n_systems, 256))
    both = np.zeros((n_systems, n_systems, 256))
    base = np.zeros((2, n_systems, n_systems))
    for i in range(n_systems):
        sums, products = np.zeros((256, 2 * n_systems)), np.zeros((256, n_systems))
        for k in range(n_items):
            if present[i, k]:
                _add_cell(i, k, middle, half, present, positions, minus, sums, products, base)
        hadamard(sums)
        hadamard(products)
        for j in range(n_systems):
            for r in range(256):
                total[i, j, r], square[i, j, r] = sums[r, j], sums[r, n_systems + j]
                both[i, j, r] = products[r, j]
    found[:] = 0.0
    n_pairs = 0
    tells = np.zeros((2, 256))
    for i in range(n_systems):
        for j in range(i):
            p = doubt[i, j]
            if np.isnan(p):
                continue
            n_pairs += 1
            for r in range(256):
                d, q = total[i, j, r] - total[j, i, r], square[i, j, r] + square[j, i, r]
                at, about = base[0, i, j], base[1, i, j] + both[i, j, r]
                rounding = _ROUNDING * (abs(about) + abs(q))
                first, second = about - q, about + q
                tells[0, r] = max(tells[0, r], 1.0 if first > rounding else 0.0)
                tells[1, r] = max(tells[1, r], 1.0 if second > rounding else 0.0)
                found[r] += abs(_chance(at - d, first, rounding) - p) - abs(
                    _chance(at + d, second, rounding) - p
                )
    for r in range(256):
        told = n_pairs > 0 and tells[0, r] * tells[1, r] > 0
        found[r] = found[r] / n_pairs if told else np.nan


@compiled
def _add_cell(
    i: int,
    k: int,
    middle: FloatArray,
    half: FloatArray,
    present: BoolArray,
    positions: ByteArray,
    minus: ByteArray,
    sums: FloatArray,
    products: FloatArray,
    base: FloatArray,
) -> None:
    """Add what one cell of system i gives its pairs with all others."""
    n_systems = middle.shape[0]
    position, sign = positions[i, k], 1.0 - 2.0 * minus[i, k]
    m, h = middle[i, k], half[i, k]
    for j in range(n_systems):
        if j == i or not present[j, k]:
            continue
        gap = m - middle[j, k]
        sums[position, j] += sign * h
        sums[position, n_systems + j] += sign * 2.0 * h * gap
        if j < i:
            other = half[j, k]
            base[0, i, j] += gap
            base[1, i, j] += gap * gap + h * h + other * other
            turned = 1.0 - 2.0 * (minus[i, k] ^ minus[j, k])
            products[position ^ positions[j, k], j] -= turned * 2.0 * h * other


@compiled
def _chance(total: float, square: float, rounding: float) -> float:
    """Return the normal approximation of P(T >= t): T is the sum with fair signs."""
    if square <= rounding:
        return 0.5
    return 0.5 * math.erfc(total / math.sqrt(2.0 * square))
