"""Moments of the differences of pairs, each from its own differences, in wide registers.

Sums are taken in two parts: each number rounded to a grid on which sums are exact in any order, and
what that leaves. The parts may therefore be added in any order, which compilers need for wide
registers; a sum is off by far less than its last digit (Rump, Ogita and Oishi 2008, Accurate
floating-point summation, part I). Least and largest values are found as whole numbers that are in
the same order, since compilers do not dare to reorder comparisons of floats that may be NaN.
"""

import math

import numpy as np

from analysis.statistics._typing import BoolArray, FloatArray, IntArray
from analysis.statistics.resampling.kernels import called_with, compiled, compiled_in_any_order

_SMALL, _LARGE = 1e-100, 1e100
_ALL_BUT_SIGN = 0x7FFFFFFFFFFFFFFF


@called_with("(f8[:, ::1], b1[::1], i8[::1], i8[::1], f8[:, ::1])")
@compiled
def plain_moments(
    scores: FloatArray, complete: BoolArray, first: IntArray, second: IntArray, out: FloatArray
) -> None:
    """Moments of listed pairs as `pair_moments`, every item a unit of its own.

    `complete` says which systems miss no score.
    A pair's figures depend neither on who else is listed nor on the order of items. Differences
    whose squares could leave the range of numbers are left to `pair_moments`: they get -1 items.
    """
    for p in range(first.size):
        a, b = scores[first[p]], scores[second[p]]
        if complete[first[p]] and complete[second[p]]:
            n = a.size
            low, high = _ends(a, b)
        else:
            n, low, high = _extent(a, b)
        scale = max(abs(low), abs(high)) if n else 0.0
        if scale != 0.0 and (scale < _SMALL or scale > _LARGE):
            out[p, 0] = -1.0
            continue
        mean = _sum(a, b, _above_sums(scale, n)) / max(n, 1)
        farthest = max(abs(low - mean), abs(high - mean)) if n else 0.0
        squares = _sum_of_squares(a, b, mean, _above_sums(farthest * farthest, n))
        out[p, 0], out[p, 1], out[p, 2], out[p, 3] = n, n, mean, math.sqrt(squares)
        out[p, 4], out[p, 5] = low, high


@compiled
def _ends(a: FloatArray, b: FloatArray) -> tuple[float, float]:
    """Least and largest difference, where none is missing."""
    low, high = _in_order(np.inf), _in_order(-np.inf)
    for i in range(a.size):
        d = _in_order(a[i] - b[i])
        low, high = min(low, d), max(high, d)
    return _number(low), _number(high)


@compiled
def _extent(a: FloatArray, b: FloatArray) -> tuple[int, float, float]:
    """Items that both have, least and largest difference on these."""
    n, low, high = 0, _in_order(np.inf), _in_order(-np.inf)
    for i in range(a.size):
        d = a[i] - b[i]
        there = d == d
        n += int(there)
        low = min(low, _in_order(d if there else np.inf))
        high = max(high, _in_order(d if there else -np.inf))
    return n, _number(low), _number(high)


@compiled_in_any_order
def _sum(a: FloatArray, b: FloatArray, above: float) -> float:
    """Sum of the differences; those that are NaN count as 0."""
    on_grid, rest = 0.0, 0.0
    for i in range(a.size):
        value = _difference(a[i], b[i], 0.0)
        rounded = _to_grid(value, above)
        on_grid += rounded
        rest += _left(value, rounded)
    return on_grid + rest


@compiled_in_any_order
def _sum_of_squares(a: FloatArray, b: FloatArray, mean: float, above: float) -> float:
    """Sum of the squared differences from the mean; those that are NaN count as 0."""
    on_grid, rest = 0.0, 0.0
    for i in range(a.size):
        value = _squared(_left(_difference(a[i], b[i], mean), mean))
        rounded = _to_grid(value, above)
        on_grid += rounded
        rest += _left(value, rounded)
    return on_grid + rest


@compiled
def _above_sums(peak: float, n: int) -> float:
    """A number whose last digit is the grid: sums of `n` numbers up to `peak` are exact on it."""
    return math.ldexp(1.5, math.frexp(peak)[1] + math.frexp(float(n))[1])


# Single operations keep their order where they are written into sums that need not.


@compiled
def _difference(x: float, y: float, otherwise: float) -> float:
    d = x - y
    return d if d == d else otherwise


@compiled
def _to_grid(value: float, above: float) -> float:
    return (value + above) - above


@compiled
def _left(value: float, part: float) -> float:
    return value - part


@compiled
def _squared(value: float) -> float:
    return value * value


@compiled
def _in_order(value: float) -> int:
    """A whole number; in the order of the numbers that they stand for."""
    bits = np.float64(value).view(np.int64)
    return int(bits ^ ((bits >> 63) & _ALL_BUT_SIGN))


@compiled
def _number(ordered: int) -> float:
    bits = np.int64(ordered ^ ((ordered >> 63) & _ALL_BUT_SIGN))
    return float(bits.view(np.float64))
