"""Compiled approximations of far tails: the saddlepoint, and steps where T moves by steps.

The saddlepoint approximation takes T = Σ ± d as smooth. Where a few large differences, or equal
ones, stand beside tiny ones, T moves by steps that these follow, and the approximation may be off
by factors. Such steps are found from the sizes and followed sign by sign.
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
from analysis.statistics.resampling.kernels import compiled

_LANES = 64
_SAMPLE = 128
_ROUGH = 0.05
"""Relative error by steps from which on they are followed one by one."""
_FAR_ROUGH = 0.5
"""The same for chances below 1e-12."""
_FAR = 27.0
_CORE = 5.0
_FEWEST_NORMAL = 50
"""Fewer small differences than these are not taken together as normal."""
_EQUAL = 1e-9
"""Differences within this share of each other make one level."""
_SURE = 350.0
_UNLIKELY = -28.0
_MOST_SUMS = 2**16
_MOST_DRAWS = 2**13
_FEWEST_DRAWS = 2**11
_MOST_SIGNS = 2**21


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
def _saddlepoint(
    sizes: FloatArray, t: float, square: float, series: FloatArray, rest: FloatArray
) -> tuple[float, float, float]:
    """Return θ with K'(θ) = t, θ t - K(θ) and K''(θ), for 0 < t < Σ sizes; `square` is Σ sizes²."""
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
    return theta, theta * t - value, second


@compiled
def _lugannani_rice(theta: float, exponent: float, second: float, lattice: float) -> float:
    """Return the tail; on a lattice by Daniels (1987), first continuity correction."""
    w = math.sqrt(2 * exponent)
    stretch = -math.expm1(-theta * lattice) / lattice if lattice > 0 else theta
    u = stretch * math.sqrt(second)
    density = math.exp(-exponent) / math.sqrt(2 * math.pi)
    return 0.5 * math.erfc(w / math.sqrt(2.0)) + density * (1 / u - 1 / w)


@compiled
def _smooth(sizes: FloatArray, theta: float, lattice: float, top: float, rough: float) -> bool:
    """Return whether a few hundred sizes already show that there is no `_rough_from`."""
    r1, r2, r3, r4, r5, r6 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    c1 = top / 2
    for size in sizes[:_SAMPLE]:
        square = size * size
        r1 += square if size <= c1 else 0.0
        r2 += square if size <= c1 / 2 else 0.0
        r3 += square if size <= c1 / 4 else 0.0
        r4 += square if size <= c1 / 8 else 0.0
        r5 += square if size <= c1 / 16 else 0.0
        r6 += square if size <= c1 / 32 else 0.0
    for smaller in (r1, r2, r3, r4, r5, r6):
        if theta * top <= rough or top < lattice:
            return True
        if _error(theta, top, smaller, sizes.size) > rough:
            return False
        top /= 2
    return theta * top <= rough


@compiled
def _error(theta: float, size: float, smaller: float, count: float) -> float:
    """Bound the relative error of taking steps by `count` sizes from size / 2 to `size` as fine.

    T is smooth on the scale of these steps if what the smaller sizes add, with variance `smaller`,
    spreads out further than that: the characteristic function at pi / size is then small. Steps
    matter as far as they are long beside 1 / θ, and as far as they are not all but sure.
    """
    flips = min(1.0, count / math.cosh(min(0.5 * theta * size, 300.0)) ** 2)
    return theta * size * flips * math.exp(-0.5 * smaller * (math.pi / size) ** 2)


@compiled
def _steps_matter(
    sizes: FloatArray,
    theta: float,
    second: float,
    lattice: float,
    rough: float,
    work: FloatArray,
) -> bool:
    """Return whether the characteristic function of tilted T comes back beyond its core.

    Its value at frequency u, ``|ψ|² = Π (1 - sin²(u d) / cosh²(θ d))``, changes the tail by about
    2 θ / u times it. Frequencies are tried as closely as ψ can change.
    """
    n, step = sizes.size, 1.0 / math.sqrt(second)
    weight, now, before, double = work[0, :n], work[1, :n], work[2, :n], work[3, :n]
    u = _CORE * step
    last = 2 * theta / rough
    if lattice > 0:
        last = min(last, 2 * math.pi / lattice - u)
    total = 0.0
    for i in range(n):
        weight[i] = 1.0 / math.cosh(min(theta * sizes[i], _SURE)) ** 2
        total += weight[i]
        # cos 2 u d at successive u by the recurrence of Chebyshev.
        now[i], before[i] = math.cos(2 * u * sizes[i]), math.cos(2 * (u - step) * sizes[i])
        double[i] = 2 * math.cos(2 * step * sizes[i])
    while u < last:
        turned = _weighted_step(weight, now, before, double)
        if 2 * theta / u * math.exp(-0.25 * (total - turned)) > rough:
            return True
        now, before = before, now
        u += step
    return False


@compiled
def _weighted_step(
    weight: FloatArray, now: FloatArray, before: FloatArray, double: FloatArray
) -> float:
    """Return Σ weight · now, and write what follows `now` over `before`."""
    lanes = np.zeros(_LANES)
    whole = now.size - now.size % _LANES
    for start in range(0, whole, _LANES):
        end = start + _LANES
        w, x, y, z = weight[start:end], now[start:end], before[start:end], double[start:end]
        for i in range(_LANES):
            lanes[i] += w[i] * x[i]
            y[i] = z[i] * x[i] - y[i]
    total = lanes.sum()
    for i in range(whole, now.size):
        total += weight[i] * now[i]
        before[i] = double[i] * now[i] - before[i]
    return float(total)


@compiled
def _rough_from(sizes: FloatArray, theta: float, lattice: float, top: float, rough: float) -> float:
    """Return a size below which T is smooth, and from which it moves by steps; infinite if none."""
    found = np.inf
    while theta * top > rough and top >= lattice:
        smaller, count = 0.0, 0.0
        for size in sizes:
            if size <= top / 2:
                smaller += size * size
            elif size <= top:
                count += 1.0
        if count and _error(theta, top, smaller, count) > rough:
            found = top / 2
        top /= 2
    return found


@compiled
def _gather(
    sizes: FloatArray, cut: float, least: float, levels: FloatArray, multiplicity: FloatArray
) -> int:
    """Write the sizes above `cut`, equal ones together; return how many levels there are."""
    large = np.sort(sizes[sizes > cut])[::-1]
    n_levels = 0
    for size in large:
        near = max(least, _EQUAL * size)
        if n_levels and levels[n_levels - 1] - size <= near:
            multiplicity[n_levels - 1] += 1
        else:
            levels[n_levels], multiplicity[n_levels] = size, 1
            n_levels += 1
    return n_levels


@compiled
def _log_chance(minus: int, m: int, odds: float) -> float:
    """Return the log of the chance of so many minus signs among m, each by itself with `odds`."""
    choose = math.lgamma(m + 1.0) - math.lgamma(minus + 1.0) - math.lgamma(m - minus + 1.0)
    return choose + minus * math.log(odds) - m * math.log1p(odds)


@compiled
def _all_tilted_sums(
    theta: float,
    levels: FloatArray,
    multiplicity: FloatArray,
    sums: FloatArray,
    chances: FloatArray,
) -> int:
    """Write all sums of ± levels and their tilted chances; return how many, 0 if too many.

    Numbers of minus signs that are next to impossible are left out.
    """
    found = 1
    sums[0], chances[0] = 0.0, 1.0
    for j in range(levels.size):
        m, level = int(multiplicity[j]), levels[j]
        odds = math.exp(-2 * min(theta * level, _SURE))
        first, kept = 0, 0
        for minus in range(m + 1):
            if _log_chance(minus, m, odds) > _UNLIKELY:
                first, kept = (first, kept + 1) if kept else (minus, 1)
        if found * kept > sums.size:
            return 0
        # From the back: the first part, which the others are made from, is the last to change.
        for part in range(kept - 1, -1, -1):
            minus = first + part
            chance, shift = math.exp(_log_chance(minus, m, odds)), level * (m - 2 * minus)
            for k in range(found):
                sums[part * found + k] = sums[k] + shift
                chances[part * found + k] = chances[k] * chance
        found *= kept
    return found


@compiled
def _drawn_tilted_sums(
    theta: float,
    levels: FloatArray,
    multiplicity: FloatArray,
    start: int,
    most: int,
    sums: FloatArray,
    chances: FloatArray,
) -> int:
    """Draw sums of ± levels with their tilted chances; return how many.

    Random words are those of SplitMix64 (Steele, Lea and Flood 2014) from `start`.
    """
    n_signs, drawn = int(multiplicity.sum()), 0
    n_draws = max(_FEWEST_DRAWS, min(most, _MOST_SIGNS // n_signs))
    step, half, third = np.uint64(0x9E3779B97F4A7C15), np.uint64(27), np.uint64(31)
    sums[:n_draws] = 0.0
    for j in range(levels.size):
        odds = math.exp(-2 * min(theta * levels[j], _SURE))
        minus = np.uint64(odds / (1.0 + odds) * 2.0**32)
        for _ in range(int(multiplicity[j])):
            state = np.uint64(start) + np.uint64(drawn) * step
            drawn += n_draws
            # Independent of each other: the loop can use wide registers.
            for k in range(n_draws):
                word = state + np.uint64(k) * step
                word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
                word = (word ^ (word >> half)) * np.uint64(0x94D049BB133111EB)
                word ^= word >> third
                sums[k] += -levels[j] if word >> np.uint64(32) < minus else levels[j]
    chances[:n_draws] = 1.0 / n_draws
    return n_draws


@compiled
def _tilted_normal_tail(theta: float, x: float, spread: float) -> float:
    """Return E exp(-θ (R - x)) over R >= x, for a normal R with mean 0."""
    y = x / spread
    z = y + theta * spread
    if z > 10:
        inverse = 1 / (z * z)
        mills = (1 - inverse * (1 - 3 * inverse * (1 - 5 * inverse))) / z
        return math.exp(-0.5 * y * y) / math.sqrt(2 * math.pi) * mills
    return math.exp(0.5 * (z - y) * (z + y)) * 0.5 * math.erfc(z / math.sqrt(2.0))


@compiled
def _stepwise_tail(
    sizes: FloatArray,
    t: float,
    tolerance: float,
    least: float,
    cut: float,
    theta: float,
    exponent: float,
    lattice: float,
    start: int,
    buffers: FloatArray,
) -> float:
    """Return ``P(T >= t)``: sizes above `cut` sign by sign, the sum of the others as normal.

    Under chances tilted so that the mean of T is t, the large sizes take all their sums, or so
    many random ones; what the others add to each is normal in good approximation, because its
    mean, not its tail, is wanted. ``P(T >= t) = exp(K - θ t) E exp(-θ (T - t)) 1(T >= t)``.
    """
    n_small = 0
    for size in sizes:
        n_small += 0 < size <= cut
    if n_small < _FEWEST_NORMAL:
        cut, n_small = 0.0, 0
    mean, variance = 0.0, 0.0
    for size in sizes:
        if size <= cut:
            h = math.tanh(theta * size)
            mean += size * h
            variance += size * size * (1 - h * h)
    levels, multiplicity, sums, chances = buffers[0], buffers[1], buffers[2], buffers[3]
    n_levels = _gather(sizes, cut, least, levels, multiplicity)
    levels, multiplicity = levels[:n_levels], multiplicity[:n_levels]
    found = _all_tilted_sums(theta, levels, multiplicity, sums[:_MOST_SUMS], chances)
    if not found:
        most = _MOST_DRAWS if exponent < _FAR else _FEWEST_DRAWS
        found = _drawn_tilted_sums(theta, levels, multiplicity, start, most, sums, chances)
    half = 0.5 * theta * lattice
    correction = 2 * half / -math.expm1(-2 * half) if half > 0 else 1.0
    total = 0.0
    for k in range(found):
        x = t - sums[k]
        if n_small:
            tail = _tilted_normal_tail(theta, x - mean - 0.5 * lattice, math.sqrt(variance))
            total += chances[k] * correction * tail
        elif x <= tolerance:
            total += chances[k] * math.exp(theta * min(x, 0.0))
    return math.exp(-exponent) * total


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
    sizes, rest = np.empty(n_units), np.empty(n_units)
    buffers = np.empty((4, max(n_units, _MOST_SUMS)))
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
        theta, exponent, second = _saddlepoint(sizes, t, squares[k], series, rest)
        if not exponent > 0:
            upper[k] = 0.5
            continue
        top = largest_of(sizes)
        cut = np.inf
        rough = _ROUGH if exponent < _FAR else _FAR_ROUGH
        if not _smooth(sizes, theta, lattice, top, rough) and _steps_matter(
            sizes, theta, second, lattice, rough, buffers
        ):
            cut = _rough_from(sizes, theta, lattice, top, rough)
        if cut == np.inf:
            upper[k] = _lugannani_rice(theta, exponent, second, lattice)
        else:
            upper[k] = _stepwise_tail(
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
