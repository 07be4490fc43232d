"""Compiled saddlepoint approximation of far tails."""

import math

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray
from analysis.statistics.all_pairs.difference_kernels import (
    common_divisor,
    sizes_of,
    sum_of_squares,
)
from analysis.statistics.all_pairs.kernels import compiled
from analysis.statistics.all_pairs.lattice_kernels import log_cosh

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
def saddlepoint_tail(
    sizes: FloatArray,
    t: float,
    square: float,
    lattice: float,
    series: FloatArray,
    rest: FloatArray,
) -> float:
    """Return ``P(T >= t)`` approximately, for 0 < t < Σ sizes.

    `square` is Σ sizes², `lattice` the distance between neighbouring values of T, or 0.
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
    # Lugannani and Rice (1980); on a lattice Daniels (1987), first continuity correction.
    exponent = theta * t - value
    if not exponent > 0:
        return 0.5
    w = math.sqrt(2 * exponent)
    stretch = -math.expm1(-theta * lattice) / lattice if lattice > 0 else theta
    u = stretch * math.sqrt(second)
    density = math.exp(-exponent) / math.sqrt(2 * math.pi)
    return 0.5 * math.erfc(w / math.sqrt(2.0)) + density * (1 / u - 1 / w)


@compiled
def approximate_pairs(
    scores: npt.NDArray[np.floating],
    units: npt.NDArray[np.int64],
    n_units: int,
    left: npt.NDArray[np.int64],
    right: npt.NDArray[np.int64],
    least: FloatArray,
    observed: FloatArray,
    whole: bool,
    series: FloatArray,
    upper: FloatArray,
) -> None:
    """Give the saddlepoint tail of pairs of numbers of any size."""
    sizes, rest = np.empty(n_units), np.empty(n_units)
    for k in range(left.size):
        above, below = sizes_of(scores[left[k]], scores[right[k]], units, least[k], sizes)
        t = abs(observed[k])
        if t == 0:
            upper[k] = 1.0
        elif above == 0 or below == 0:
            upper[k] = math.ldexp(1.0, -(above + below))
        else:
            divisor = 0
            for size in sizes:
                if divisor == 1 or not whole:
                    break
                divisor = common_divisor(int(size), divisor)
            upper[k] = saddlepoint_tail(
                sizes, t, sum_of_squares(sizes), 2.0 * divisor, series, rest
            )
