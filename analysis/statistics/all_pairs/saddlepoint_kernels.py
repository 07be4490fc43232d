"""Compiled approximations of far tails: the formula of Lugannani and Rice, or steps one by one.

The formula takes T = Σ ± d as smooth. Where it is not, `step_kernels` take its place.
"""

import math

import numpy as np

from analysis.statistics._typing import FloatArray, Floats, IntArray
from analysis.statistics.all_pairs.difference_kernels import (
    common_divisor,
    largest_of,
    sizes_of,
)
from analysis.statistics.all_pairs.lattice_kernels import log_cosh
from analysis.statistics.all_pairs.step_kernels import MOST_SUMS, cut_at, stepwise_tail
from analysis.statistics.resampling.kernels import called_with, compiled

_LANES = 64


@compiled
def _power_sums(sizes: FloatArray, cut: float, powers: FloatArray, rest: FloatArray) -> int:
    """Sum the even powers 2 to 16 of sizes up to `cut`, relative to it.

    The larger ones are written into `rest`; returns how many there are.
    """
    # Eight sums per lane in registers; separate arrays let the compiler see that none overlap.
    s1, s2, s3, s4 = np.zeros(_LANES), np.zeros(_LANES), np.zeros(_LANES), np.zeros(_LANES)
    s5, s6, s7, s8 = np.zeros(_LANES), np.zeros(_LANES), np.zeros(_LANES), np.zeros(_LANES)
    inverse = 1.0 / cut
    larger = np.int32(0)
    whole = sizes.size - sizes.size % _LANES
    for start in range(0, whole, _LANES):
        for i in range(_LANES):
            ratio = sizes[start + i] * inverse
            larger += np.int32(ratio > 1.0)
            p1 = ratio * ratio if ratio <= 1.0 else 0.0
            p2 = p1 * p1
            p4 = p2 * p2
            s1[i] += p1
            s2[i] += p2
            s3[i] += p2 * p1
            s4[i] += p4
            s5[i] += p4 * p1
            s6[i] += p4 * p2
            s7[i] += p4 * p2 * p1
            s8[i] += p4 * p4
    powers[0], powers[1], powers[2], powers[3] = s1.sum(), s2.sum(), s3.sum(), s4.sum()
    powers[4], powers[5], powers[6], powers[7] = s5.sum(), s6.sum(), s7.sum(), s8.sum()
    for i in range(whole, sizes.size):
        ratio = sizes[i] * inverse
        larger += np.int32(ratio > 1.0)
        square = ratio * ratio if ratio <= 1.0 else 0.0
        power = 1.0
        for term in range(powers.size):
            power *= square
            powers[term] += power
    found = 0
    for i in range(sizes.size if larger else 0):
        if sizes[i] * inverse > 1.0:
            rest[found] = sizes[i]
            found += 1
    return found


@compiled
def _cumulant_function(
    theta: float, cut: float, powers: FloatArray, series: FloatArray, rest: FloatArray
) -> tuple[float, float, float]:
    """Return K = Σ log cosh(θ d) and its first two derivatives."""
    value, first, second = 0.0, 0.0, 0.0
    square = (theta * cut) ** 2
    power = 1.0
    for term in range(powers.size):
        power *= square
        order = 2.0 * (term + 1)
        part = series[term] * powers[term] * power
        value += part
        first += order * part
        second += order * (order - 1) * part
    first, second = first / theta, second / (theta * theta)
    for size in rest:
        h = math.tanh(theta * size)
        value += log_cosh(theta * size)
        first += size * h
        second += size * size * (1 - h * h)
    return value, first, second


@compiled
def _higher_derivatives(
    theta: float, cut: float, powers: FloatArray, series: FloatArray, rest: FloatArray
) -> tuple[float, float]:
    """Return the third and fourth derivatives of K."""
    third, fourth = 0.0, 0.0
    square = (theta * cut) ** 2
    power = 1.0
    for term in range(powers.size):
        power *= square
        order = 2.0 * (term + 1)
        part = order * (order - 1) * (order - 2) * series[term] * powers[term] * power
        third += part
        fourth += (order - 3) * part
    third, fourth = third / theta**3, fourth / theta**4
    for size in rest:
        h = math.tanh(theta * size)
        flat = size**3 * (1 - h * h)
        third -= 2 * h * flat
        fourth += size * flat * (6 * h * h - 2)
    return third, fourth


@compiled
def _saddlepoint(
    sizes: FloatArray,
    t: float,
    square: float,
    series: FloatArray,
    rest: FloatArray,
    shape: FloatArray,
) -> tuple[float, float]:
    """Return θ with K'(θ) = t and θ t - K(θ), for 0 < t < Σ sizes; `square` is Σ sizes².

    K''(θ) and the next two derivatives are written into `shape`.
    """
    theta = t / square
    powers = np.empty(series.size)
    value, first, second = 0.0, 0.0, 0.0
    cut, larger = 0.0, 0
    for _ in range(200):
        if theta * cut < 0.5 or theta * cut > 0.85:
            # Sizes with θ d below 0.7 go into a power series, the few others one by one.
            cut = 0.7 / theta
            larger = _power_sums(sizes, cut, powers, rest)
        value, first, second = _cumulant_function(theta, cut, powers, series, rest[:larger])
        change = (t - first) / second
        if not change > 1e-6 * theta:
            break
        theta += change
    shape[0] = second
    shape[1], shape[2] = _higher_derivatives(theta, cut, powers, series, rest[:larger])
    return theta, theta * t - value


@compiled
def _lugannani_rice(theta: float, exponent: float, second: float, lattice: float) -> float:
    """Return the tail; on a lattice by Daniels (1987), first continuity correction."""
    w = math.sqrt(2 * exponent)
    stretch = -math.expm1(-theta * lattice) / lattice if lattice > 0 else theta
    u = stretch * math.sqrt(second)
    density = math.exp(-exponent) / math.sqrt(2 * math.pi)
    return 0.5 * math.erfc(w / math.sqrt(2.0)) + density * (1 / u - 1 / w)


@called_with(
    "(f8[:, ::1], i8[::1], i8, i8[::1], i8[::1], f8[::1], f8[::1], f8[::1], f8[::1], b1, "
    "f8[::1], i8, f8[::1])",
)
@compiled
def approximate_pairs(
    scores: Floats,
    units: IntArray,
    n_units: int,
    left: IntArray,
    right: IntArray,
    least: FloatArray,
    tolerance: FloatArray,
    observed: FloatArray,
    squares: FloatArray,
    whole: bool,
    series: FloatArray,
    start: int,
    upper: FloatArray,
) -> None:
    """Give the far tail of pairs of numbers of any size; `start` begins the random numbers."""
    sizes, rest, shape = np.empty(n_units), np.empty(n_units), np.empty(3)
    buffers = np.empty((4, max(n_units, MOST_SUMS)))
    for k in range(left.size):
        above, below = sizes_of(scores[left[k]], scores[right[k]], units, least[k], sizes)
        t = abs(observed[k])
        if t == 0:
            upper[k] = 1.0
            continue
        if above == 0 or below == 0:
            upper[k] = math.ldexp(1.0, -(above + below))
            continue
        divisor = 0
        for size in sizes:
            if divisor == 1 or not whole:
                break
            divisor = common_divisor(int(size), divisor)
        lattice = 2.0 * divisor
        theta, exponent = _saddlepoint(sizes, t, squares[k], series, rest, shape)
        if not exponent > 0:
            upper[k] = 0.5
            continue
        cut = cut_at(sizes, theta, exponent, shape, lattice, largest_of(sizes), buffers)
        if cut == np.inf:
            upper[k] = _lugannani_rice(theta, exponent, shape[0], lattice)
        else:
            upper[k] = stepwise_tail(
                sizes,
                t,
                tolerance[k],
                least[k],
                cut,
                theta,
                exponent,
                lattice,
                start,
                buffers,
            )
