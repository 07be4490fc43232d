"""The mean of skewed differences by a Gumbel distribution that fits them (after Søgaard 2013)."""

import functools
import math
from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.intervals.interval import Interval
from analysis.statistics.random_streams import BLOCK_ROWS, Stream, random_uniforms
from analysis.statistics.results import read_only
from analysis.statistics.standard_error import exact_mean

_EULER = float(np.euler_gamma)
_FEWEST_FOR_GUMBEL = 3
_PIVOT_SEED = 0x9E3779B9
_N_PIVOTS = 9_999
_MOST_STEPS = 100
_CONVERGED = 1e-12
_EVEN = 1e-6


class GumbelMean(NamedTuple):
    """The mean of a fitted Gumbel distribution."""

    mean: float
    ci: Interval
    scale: float
    tail: int
    """1 where the longer tail is up, -1 where it is down, 0 where nothing was fitted."""


def fit_gumbel(differences: FloatArray, rounding: float, level: float) -> GumbelMean:
    """Return the likelier Gumbel distribution, with its longer tail up or down."""
    n = differences.size
    if n < _FEWEST_FOR_GUMBEL or np.ptp(differences) <= rounding:
        return GumbelMean(math.nan, Interval(math.nan, math.nan, "gumbel", level), math.nan, 0)
    ascending = np.sort(differences)[np.newaxis]  # sums do not depend on the order of datasets
    up, down = _fit_gumbels(ascending)[:, 0], _fit_gumbels(-ascending[:, ::-1])[:, 0]
    gain = up[2] - down[2]
    # Differences that lean to neither side fit both alike: the mean's side is taken.
    lean = gain if abs(gain) > _EVEN else exact_mean(differences)
    tail, (mean, scale) = (-1, down[:2]) if lean < 0 else (1, up[:2])
    pivots = np.quantile(_gumbel_pivots(n), [0.5 - level / 2, 0.5 + level / 2])
    ends = np.sort(tail * (mean - pivots * scale))
    ci = Interval(float(ends[0]), float(ends[1]), "gumbel", level)
    return GumbelMean(tail * float(mean), ci, float(scale), tail)


@functools.lru_cache(64)
def _gumbel_pivots(n: int) -> FloatArray:
    """Return (estimate - mean) / scale of samples of n, measured towards the tail chosen."""
    pivots = []
    for block in range(-(-_N_PIVOTS // BLOCK_ROWS)):
        sample = -np.log(-np.log(random_uniforms(_PIVOT_SEED, Stream.RANKS, block, n)))
        up, down = _fit_gumbels(sample), _fit_gumbels(-sample)
        upwards = (up[0] - _EULER) / up[1]
        pivots.append(np.where(up[2] >= down[2], upwards, (down[0] + _EULER) / down[1]))
    return read_only(np.concatenate(pivots)[:_N_PIVOTS])


def _fit_gumbels(samples: FloatArray) -> FloatArray:
    """Fit Gumbel distributions with the longer tail up by maximum likelihood.

    Takes samples that spread, (n_samples, n); returns mean, scale and log-likelihood per value,
    (3, n_samples). The scale b solves b = mean(x) - (mean of x weighted by exp(-x / b)), whose
    sides cross once; Newton's steps start from the moments' estimate.
    """
    centre = np.mean(samples, axis=1, keepdims=True)
    unit = np.std(samples, axis=1, keepdims=True)
    values = (samples - centre) / unit
    lowest = np.min(values, axis=1, keepdims=True)
    scale = np.full_like(centre, math.sqrt(6) / math.pi)
    for _ in range(_MOST_STEPS):
        weights = np.exp((lowest - values) / scale)
        total = np.sum(weights, axis=1, keepdims=True)
        mean = np.sum(weights * values, axis=1, keepdims=True) / total
        variance = np.sum(weights * (values - mean) ** 2, axis=1, keepdims=True) / total
        step = (scale + mean) / (1 + variance / scale**2)
        scale = np.where(step < scale, scale - step, scale / 2)
        if np.max(np.abs(step)) <= _CONVERGED:
            break
    mean_weight = np.mean(np.exp((lowest - values) / scale), axis=1, keepdims=True)
    location = lowest - scale * np.log(mean_weight)
    log_likelihood = location / scale - np.log(scale * unit) - 1
    mean = centre + unit * (location + _EULER * scale)
    return np.stack([mean, unit * scale, log_likelihood])[:, :, 0]
