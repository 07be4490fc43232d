"""Compiled inversion of characteristic functions: exact tails of sums of whole numbers."""

import math

import numpy as np

from analysis.statistics._typing import BoolArray, FloatArray, Floats, IntArray
from analysis.statistics.all_pairs.difference_kernels import common_divisor, largest_of, sizes_of
from analysis.statistics.resampling.kernels import called_with, compiled

PRUNED = -40.0
"""Log of the size below which a value of the characteristic function is left out."""
_POINTS_AT_ONCE = 64
_FEW_LEVELS = 12
_LONGEST = 2**15


@compiled
def log_cosh(x: float) -> float:
    return abs(x) + math.log1p(math.exp(-2 * abs(x))) - math.log(2.0)


@compiled
def _tilt(levels: FloatArray, weights: FloatArray, t: float) -> float:
    """Return θ with Σ weight · level · tanh(level · θ) = t, for 0 < t < Σ weight · level."""
    square = 0.0
    for k in range(levels.size):
        square += weights[k] * levels[k] * levels[k]
    # The sum is concave in θ and below its tangent at 0: Newton's steps approach from the left.
    theta = t / square
    for _ in range(200):
        value, slope = -t, 0.0
        for k in range(levels.size):
            h = math.tanh(levels[k] * theta)
            value += weights[k] * levels[k] * h
            slope += weights[k] * levels[k] * levels[k] * (1 - h * h)
        if slope <= 0:
            break
        change = -value / slope
        theta += change
        if change <= 1e-10 * theta:
            break
    return theta


@compiled
def _bound_block(
    bound: FloatArray,
    first: int,
    stride: int,
    levels: FloatArray,
    weights: FloatArray,
    circle: FloatArray,
) -> bool:
    """Bound log |ψ| at the points from `first` on; False where none of them can matter.

    ``|ψ|² = Π (1 - sin²(vω) / cosh²(vθ))^m <= exp(-Σ weight · sin²(vω))``, where
    weight = m / cosh²(vθ).
    """
    wrap = circle.size - 1
    for k in range(bound.size):
        bound[k] = 0.0
    for j in range(levels.size):
        step = 2 * int(levels[j]) * stride
        quarter = 0.25 * weights[j]
        for k in range(bound.size):
            bound[k] -= quarter * (1.0 - circle[((first + k) * step) & wrap])
        highest = PRUNED
        for k in range(bound.size):
            highest = max(highest, bound[k])
        if highest <= PRUNED:
            return False
    return True


@compiled
def _characteristic(
    angle: int,
    levels: FloatArray,
    multiplicity: FloatArray,
    slant: FloatArray,
    circle: FloatArray,
) -> complex:
    """Return Π (cos vω + i tanh(vθ) sin vω)^m; ω is `angle` steps of the circle."""
    wrap, quarter = circle.size - 1, circle.size // 4
    value = complex(1.0, 0.0)
    for j in range(levels.size):
        place = angle * int(levels[j])
        base = complex(circle[place & wrap], circle[(place - quarter) & wrap] * slant[j])
        exponent = int(multiplicity[j])
        while exponent:
            if exponent & 1:
                value *= base
            base *= base
            exponent >>= 1
    return value


@compiled
def lattice_tail(
    levels: FloatArray, multiplicity: FloatArray, t: float, circle: FloatArray
) -> tuple[float, float]:
    """Return ``P(T >= t)`` and ``P(T = t)`` of T = Σ ± level, each level `multiplicity` times.

    Parameters
    ----------
    levels : ndarray
        Positive whole numbers without a common divisor, the most frequent first.
    t : float
        At least 0; T and t have the parity of the largest sum.
    circle : ndarray
        Cosine at ``2 pi k / size``; the size a power of 2.

    Notes
    -----
    The characteristic function of T, or of T tilted so that its mean is t, is inverted on M
    points of [0, pi): exact up to rounding and to chances below 1e-17 of the result, because
    beyond 9 standard deviations nothing is left to fold over (Hoeffding).
    """
    m, reach, square = 0.0, 0.0, 0.0
    for j in range(levels.size):
        m += multiplicity[j]
        reach += multiplicity[j] * levels[j]
        square += multiplicity[j] * levels[j] * levels[j]
    if t == reach:
        last = math.ldexp(1.0, -int(m))
        return last, last
    spread = math.sqrt(square)
    tilted = t > 2.5 * spread
    theta = _tilt(levels, multiplicity, t) if tilted else 0.0
    points = 8
    while points < min(9 * spread, (reach + t) / 2) + 2:
        points *= 2
    # Frequencies pi k / points; the second half of the circle mirrors the first.
    stride = circle.size // (2 * points)
    wrap, quarter = circle.size - 1, circle.size // 4
    slant, weights = np.empty(levels.size), np.empty(levels.size)
    log_scale = -theta * t
    for j in range(levels.size):
        slant[j] = math.tanh(levels[j] * theta)
        weights[j] = multiplicity[j] * (1 - slant[j] * slant[j])
        log_scale += multiplicity[j] * log_cosh(levels[j] * theta)
    fade = math.exp(-2 * theta)
    tail, point = 0.0, 0.0
    bound = np.empty(_POINTS_AT_ONCE)
    for first in range(0, points // 2 + 1, _POINTS_AT_ONCE):
        length = min(_POINTS_AT_ONCE, points // 2 + 1 - first)
        if not _bound_block(bound[:length], first, stride, levels, weights, circle):
            continue
        for k in range(length):
            if bound[k] <= PRUNED:
                continue
            place = first + k
            value = _characteristic(place * stride, levels, multiplicity, slant, circle)
            if place not in (0, points // 2):
                value *= 2.0
            turn = place * int(t) * stride
            turned = value * complex(circle[turn & wrap], -circle[(turn - quarter) & wrap])
            point += turned.real
            if tilted:
                double = 2 * place * stride
                step = complex(circle[double & wrap], -circle[(double - quarter) & wrap])
                tail += (turned / (1.0 - fade * step)).real
            elif place == 0:
                tail += t - 1
            else:
                before = circle[(turn - place * stride - quarter) & wrap]
                tail += value.real * before / circle[(place * stride - quarter) & wrap]
    scale = math.exp(log_scale) / points
    if tilted:
        return scale * tail, scale * point
    point /= points
    if t == 0:
        return 0.5 * (1 + point), point
    # `tail` is now the chance of |T| < t.
    return 0.5 * (1 - tail / points), point


@compiled
def _convolved_tail(
    levels: FloatArray, multiplicity: FloatArray, t: float, chances: FloatArray, next_: FloatArray
) -> tuple[float, float]:
    """Return the same as `lattice_tail`, adding one ± level after the other.

    The buffers hold one number more than Σ multiplicity · level. All terms are positive, so
    nothing cancels.
    """
    filled = 1
    chances[0] = 1.0
    for j in range(levels.size):
        level = int(levels[j])
        for _ in range(int(multiplicity[j])):
            for u in range(filled):
                next_[u] = 0.5 * chances[u]
            for u in range(filled, filled + level):
                next_[u] = 0.0
            for u in range(filled):
                next_[level + u] += 0.5 * chances[u]
            chances, next_ = next_, chances
            filled += level
    # Index u stands for T = 2 u - reach; the smallest chances are added first.
    first = (int(t) + filled - 1) // 2
    tail = 0.0
    for u in range(filled - 1, first - 1, -1):
        tail += chances[u]
    return tail, float(chances[first])


@compiled
def _seconds(n_levels: int, n_units: float, reach: float, square: float) -> tuple[float, float]:
    """Estimate the processor time of `lattice_tail` and of `_convolved_tail`."""
    points = 8.0
    while points < 9 * math.sqrt(square) + 3:
        points *= 2
    # With few units the bound on the characteristic function leaves out no point.
    alive = points / 2 if n_units < 200 else 60.0
    inverted = 2e-9 * points + 1.5e-8 * alive * n_levels
    convolved = 2e-7 + 1e-10 * n_units * reach + 2e-8 * n_units if n_units <= 1_000 else np.inf
    return inverted, convolved


@compiled
def _count_equal(sizes: FloatArray, level: float) -> int:
    count = np.int32(0)
    for i in range(sizes.size):
        count += np.int32(sizes[i] == level)
    return int(count)


@compiled
def _divisor(sizes: FloatArray) -> int:
    divisor = 0
    for size in sizes:
        if divisor == 1:
            break
        divisor = common_divisor(int(size), divisor)
    return divisor


@compiled
def _count_levels(
    sizes: FloatArray,
    divisor: int,
    top: int,
    counts: IntArray,
    levels: FloatArray,
    multiplicity: FloatArray,
) -> int:
    """Write the sizes that occur, over their divisor, the most frequent first."""
    counts[: top + 1] = 0
    if top <= _FEW_LEVELS:
        for v in range(1, top + 1):
            counts[v] = _count_equal(sizes, float(v * divisor))
    else:
        for size in sizes:
            counts[int(size) // divisor] += 1
    n_levels = 0
    for v in range(1, top + 1):
        if counts[v]:
            place = n_levels
            while place > 0 and multiplicity[place - 1] < counts[v]:
                multiplicity[place] = multiplicity[place - 1]
                levels[place] = levels[place - 1]
                place -= 1
            multiplicity[place], levels[place] = counts[v], v
            n_levels += 1
    return n_levels


@called_with(
    "(f8[:, ::1], i8[::1], i8, i8[::1], i8[::1], f8[::1], i8, f8, f8[::1], f8[::1], "
    "f8[::1], b1[::1])",
)
@compiled
def invert_pairs(
    scores: Floats,
    units: IntArray,
    n_units: int,
    left: IntArray,
    right: IntArray,
    observed: FloatArray,
    most_levels: int,
    affordable: float,
    circle: FloatArray,
    upper: FloatArray,
    point: FloatArray,
    settled: BoolArray,
) -> None:
    """Give the exact tail of pairs of whole numbers that takes at most `affordable` seconds."""
    sizes = np.empty(n_units)
    counts = np.empty(most_levels + 1, np.int64)
    levels, multiplicity = np.empty(most_levels), np.empty(most_levels)
    buffers = np.empty((2, _LONGEST))
    for k in range(left.size):
        sizes_of(scores[left[k]], scores[right[k]], units, 0.0, sizes)
        settled[k] = True
        divisor, top = _divisor(sizes), largest_of(sizes)
        if divisor == 0:
            upper[k] = point[k] = 1.0
            continue
        top /= divisor
        if top > most_levels:
            settled[k] = False
            continue
        n_levels = _count_levels(sizes, divisor, int(top), counts, levels, multiplicity)
        m, reach, square = 0.0, 0.0, 0.0
        for j in range(n_levels):
            m += multiplicity[j]
            reach += multiplicity[j] * levels[j]
            square += multiplicity[j] * levels[j] * levels[j]
        inverted, convolved = _seconds(n_levels, m, reach, square)
        t = abs(observed[k]) / divisor
        if reach >= buffers.shape[1]:
            convolved = np.inf
        if min(inverted, convolved) > affordable:
            settled[k] = False
        elif convolved < inverted:
            upper[k], point[k] = _convolved_tail(
                levels[:n_levels], multiplicity[:n_levels], t, buffers[0], buffers[1]
            )
        else:
            upper[k], point[k] = lattice_tail(levels[:n_levels], multiplicity[:n_levels], t, circle)
