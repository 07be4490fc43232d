"""Noncentral t: intervals of standardised differences, and the power of t tests.

The distribution function is integrated here because scipy's (1.17) is NaN in parts of the range
that steady systems reach, such as t = 27 of 1,000 items.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterable

import numpy as np
import scipy

from analysis.statistics._typing import FloatArray

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_PANELS = 24
_ROOT = 8
_NEGLIGIBLE = 1e-100
_REACH = 9.0
"""Standard deviations beyond which a normal tail is 0 in float64."""


def noncentral_t_cdf(t: float, df: int, noncentrality: float) -> float:
    """Return P(T <= t) for T = (Z + noncentrality) / S, S = sqrt(chi-squared(df) / df).

    Absolute error about 1e-14, for all finite arguments.

    Examples
    --------
    >>> round(noncentral_t_cdf(3.0, 5, 2.0), 12)
    0.731109843508
    """
    if t < 0:
        return 1.0 - noncentral_t_cdf(-t, df, -noncentrality)
    if t < _NEGLIGIBLE:
        return float(scipy.special.ndtr(-noncentrality))
    # P = E[Phi(t S - noncentrality)]: 0 for small S, 1 for large S, a step between.
    lowest, highest = _range_of_s(df)
    step, half_width = noncentrality / t, _REACH / t
    start = min(max(step - half_width, lowest), highest)
    end = min(max(step + half_width, lowest), highest)
    nodes, weights = _panels(start, end)
    within = np.sum(weights * scipy.special.ndtr(t * nodes - noncentrality) * _density(nodes, df))
    return min(1.0, float(within) / _whole(df) + float(scipy.special.chdtrc(df, df * end**2)))


@functools.lru_cache(maxsize=4_096)
def _whole(df: int) -> float:
    """Return what the density of S sums to: nearly the constant that it is without."""
    nodes, weights = _panels(*_range_of_s(df))
    return float(np.sum(weights * _density(nodes, df)))


def noncentrality_bounds(t: float, df: int, confidence_level: float) -> tuple[float, float]:
    """Return the noncentrality parameters between which `t` is not surprising.

    Parameters
    ----------
    t : float
        Observed, finite.
    df : int
    confidence_level : float

    References
    ----------
    Steiger and Fouladi (1997), Noncentrality interval estimation.
    """
    tail = (1 - confidence_level) / 2
    if t < 0:
        low, high = noncentrality_bounds(-t, df, confidence_level)
        return -high, -low
    return _noncentrality(t, df, 1 - tail), _noncentrality(t, df, tail)


def t_power(noncentrality: float, df: int, alpha: float, alternative: str) -> float:
    """Return the probability that a t test rejects on the upper side.

    "greater" and "less" are one-sided in the direction of a positive `noncentrality`.
    """
    tail = alpha / 2 if alternative == "two-sided" else alpha
    return noncentral_t_cdf(float(scipy.special.stdtrit(df, tail)), df, -noncentrality)


@functools.lru_cache(maxsize=4_096)
def noncentrality_for(power: float, df: int, alpha: float, alternative: str) -> float:
    """Return the noncentrality at which a t test has the power asked for (more than alpha)."""

    def missing(noncentrality: float) -> float:
        return t_power(noncentrality, df, alpha, alternative) - power

    high = 1.0
    while missing(high) < 0:
        high *= 2

    return float(scipy.optimize.brentq(missing, 0.0, high, xtol=1e-13, rtol=1e-13))


def expect_over_s(
    function: Callable[[FloatArray], FloatArray], df: float, breaks: Iterable[float] = ()
) -> float:
    """Return E[f(S)] for S = sqrt(chi-squared(df) / df), and smooth f between the `breaks`.

    `df` need not be whole.

    Examples
    --------
    >>> round(expect_over_s(np.square, 5), 12), round(expect_over_s(np.square, 1.3), 12)
    (1.0, 1.0)
    """
    lowest, highest = _range_of_s(df)
    ends = np.unique(np.clip([lowest, *breaks, highest], lowest, highest))
    # The density goes like s^(df-1) near 0, which is not smooth where df is not whole; as a
    # function of the eighth root it is smooth enough.
    root = 1 if df == int(df) else _ROOT
    total = whole = 0.0
    for start, end in itertools.pairwise((ends ** (1 / root)).tolist()):
        nodes, weights = _panels(start, end)
        s = nodes**root
        density = weights * root * nodes ** (root - 1) * _density(s, df)
        total += float(np.sum(density * function(s)))
        whole += float(np.sum(density))
    return total / whole


def _noncentrality(t: float, df: int, probability: float) -> float:
    """Return the noncentrality at which P(T <= t) is `probability`, for t >= 0."""

    def excess(noncentrality: float) -> float:
        return noncentral_t_cdf(t, df, noncentrality) - probability

    # Z + noncentrality <= t S holds if Z alone is small enough, and needs either a very small Z
    # or a large S: the root lies between.
    low = -float(scipy.special.ndtri(probability)) - 1e-6
    scale = math.sqrt(float(scipy.special.chdtri(df, probability / 2)) / df)
    high = t * scale - float(scipy.special.ndtri(probability / 2)) + 1e-6

    return float(scipy.optimize.brentq(excess, low, high, xtol=1e-13, rtol=1e-13))


def _range_of_s(df: float) -> tuple[float, float]:
    deviations = _REACH / math.sqrt(2 * df)
    return max(0.0, 1 - deviations), 1 + deviations + 4 / df


def _density(s: FloatArray, df: float) -> FloatArray:
    """Return the density of S up to a factor: s^(df-1) exp(-df s^2 / 2), largest near 1."""
    away = s - 1
    return np.asarray(np.exp(scipy.special.xlog1py(df - 1, away) - df * (away + away**2 / 2)))


def _panels(start: float, end: float) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights of Gauss-Legendre quadrature on equal panels."""
    half = (end - start) / (2 * _PANELS)
    middles = start + half * (2 * np.arange(_PANELS) + 1)
    nodes = middles[:, np.newaxis] + half * _NODES
    return nodes.ravel(), np.tile(half * _WEIGHTS, _PANELS)
