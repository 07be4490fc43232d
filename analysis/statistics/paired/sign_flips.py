"""The distribution of a paired difference when the two systems are exchanged item by item.

Exchanging the systems on an item keeps the sum of their scores and turns the sign of their
difference. With S the sums over items and V = Σ ± (a - b), the exchanged systems have
(S + V) / 2 and (S - V) / 2: only V is random. The differences are brought into one canonical
order and sign first, so the result depends neither on the order of the items nor on which system
is called a.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray
from analysis.statistics.aggregate import CORRELATIONS, aggregate_sums
from analysis.statistics.correlations import exchangeable_moments, from_moments
from analysis.statistics.fixed_point import whole_differences
from analysis.statistics.random_streams import BLOCK_ROWS, Stream, random_bits

MAX_ENUMERATED = 16
"""Up to this many differing items all 2^n patterns are listed."""
MAX_CONVOLUTION = 400_000_000
"""Additions that the exact distribution of a sum of whole numbers may take (half a second)."""
_TIE = 1e-12
_HALVE_EVERY = 512
_TILE = 1024


class FlipOutcome(NamedTuple):
    """What the exchange distribution says about the observed difference."""

    pvalue: float
    floor: float
    """The smallest p-value that these data and this number of patterns could give."""
    exact: bool
    n_resamples: int
    """Random patterns drawn; 0 when the distribution is exact."""


class _Problem(NamedTuple):
    rows: FloatArray
    """Non-zero differences in whole steps, canonical, shape (n_different, n_components)."""
    observed: FloatArray
    """Their observed signed sum, shape (n_components,)."""
    steps: FloatArray
    """Value of one step per component."""
    totals: FloatArray
    """Sums of both systems over items, shape (n_components,)."""
    aggregation: str
    n_items: int


def flip_test(
    a: FloatArray,
    b: FloatArray,
    *,
    aggregation: str,
    alternative: str,
    n_resamples: int,
    seed: int,
    groups: npt.NDArray[np.int64] | None = None,
) -> FlipOutcome:
    """Test a difference of corpus metrics against the exchange distribution.

    Parameters
    ----------
    a, b : ndarray, shape (n_items, n_components)
        Complete items, at least one; the metric of both systems must be defined.
    aggregation : {"mean", "ratio", "f1", "bleu", "chrf", "pearson", "spearman"}
        For a correlation, predictions are exchanged, standardised or ranked per system; gold
        stays with its item.
    alternative : {"two-sided", "greater", "less"}
        Two-sided counts patterns with ``|T| >= |t|``.
    n_resamples : int
        Random patterns where no exact way is short enough.
    seed : int
    groups : ndarray of int, shape (n_items,), optional
        Numbers of the items' groups from 0; whole groups are exchanged.

    Returns
    -------
    FlipOutcome
        Exact by listing all patterns (at most 16 differing items), exact by convolution ("mean"
        of whole steps), else Monte Carlo with p = (count + 1) / (n_resamples + 1).

    Notes
    -----
    Monte Carlo takes 256 bytes of memory per differing item. Metrics other than "mean" are
    compared with a relative tolerance of 1e-12, so that equal quotients of different sums count
    as ties.
    """
    problem = _set_up(a, b, aggregation, groups)
    n_different = problem.rows.shape[0]
    if n_different <= MAX_ENUMERATED:
        patterns = _all_patterns(problem.rows)
        extreme = _count_extreme(problem, patterns, alternative)
        floor = _smallest_count(problem, patterns, alternative)
        return FlipOutcome(extreme / len(patterns), floor / len(patterns), True, 0)
    if aggregation == "mean":
        exact = _convolve(problem, alternative)
        if exact is not None:
            return exact
    count = 0
    for block in range(-(-n_resamples // BLOCK_ROWS)):
        bits = random_bits(seed, Stream.SIGN_FLIPS, block, n_different)
        bits = bits[: n_resamples - block * BLOCK_ROWS]
        sums = 2.0 * _sum_chosen(bits, problem.rows) - np.sum(problem.rows, axis=0)
        count += _count_extreme(problem, sums, alternative)
    total = n_resamples + 1
    return FlipOutcome((count + 1) / total, 1 / total, False, n_resamples)


def _set_up(
    a: FloatArray, b: FloatArray, aggregation: str, groups: npt.NDArray[np.int64] | None
) -> _Problem:
    if aggregation in CORRELATIONS:
        a, b = (exchangeable_moments(side, aggregation) for side in (a, b))
    columns = [whole_differences(a[:, c], b[:, c]) for c in range(a.shape[1])]
    signed = np.stack([column.steps for column in columns], axis=1)
    observed = np.sum(signed, axis=0)
    if groups is not None:
        signed = np.stack([np.bincount(groups, weights=steps) for steps in signed.T], axis=1)
    rows = signed[np.any(signed != 0, axis=1)]
    # The first component that differs decides the sign of a row.
    leading = rows[np.arange(len(rows)), np.argmax(rows != 0, axis=1)]
    rows = rows * np.sign(leading)[:, np.newaxis]
    rows = rows[np.lexsort(rows.T)]
    totals = [math.fsum([*a[:, c], *b[:, c]]) for c in range(a.shape[1])]
    steps = np.array([column.step for column in columns])
    return _Problem(rows, observed, steps, np.array(totals), aggregation, len(a))


def _all_patterns(rows: FloatArray) -> FloatArray:
    """Return Σ ± rows for all sign patterns, shape (2^n, n_components)."""
    sums = np.zeros((1, rows.shape[1]))
    for row in rows:
        sums = np.concatenate([sums + row, sums - row])
    return sums


def _sum_chosen(bits: npt.NDArray[np.uint8], rows: FloatArray) -> FloatArray:
    """Return ``bits @ rows``, tile by tile so that the bits stay in cache as float64."""
    sums = np.zeros((len(bits), rows.shape[1]))
    for start in range(0, len(rows), _TILE):
        tile = slice(start, start + _TILE)
        sums += bits[:, tile].astype(np.float64) @ rows[tile]
    return sums


def _differences(problem: _Problem, sums: FloatArray) -> FloatArray:
    """Return the metric difference of each signed sum; for a mean in exact whole steps."""
    if problem.aggregation == "mean":
        return sums[..., 0]
    values = sums * problem.steps
    first = _metric(problem, (problem.totals + values) / 2)
    return first - _metric(problem, (problem.totals - values) / 2)


def _metric(problem: _Problem, sums: FloatArray) -> FloatArray:
    """Return the metric; 0 where an exchange leaves a system nothing to be right about."""
    if problem.aggregation in CORRELATIONS:
        metric = from_moments(sums, problem.n_items)
    else:
        metric = aggregate_sums(sums, problem.aggregation, problem.n_items)
    return np.where(np.isnan(metric), 0.0, metric)


def _tolerance(problem: _Problem) -> float:
    if problem.aggregation == "mean":
        return 0.0
    if problem.aggregation in CORRELATIONS:
        return _TIE
    middle = float(_metric(problem, problem.totals / 2))
    return _TIE * max(abs(middle), abs(float(_differences(problem, problem.observed))))


def _count_extreme(problem: _Problem, sums: FloatArray, alternative: str) -> int:
    observed = float(_differences(problem, problem.observed))
    drawn = _differences(problem, sums)
    tolerance = _tolerance(problem)
    if alternative == "two-sided":
        return int(np.count_nonzero(np.abs(drawn) >= abs(observed) - tolerance))
    # The canonical rows ignore which system is a, so "less" is "greater" with the sign turned:
    # exchanging a and b then gives the same count.
    target = observed if alternative == "greater" else -observed
    return int(np.count_nonzero(drawn >= target - tolerance))


def _smallest_count(problem: _Problem, patterns: FloatArray, alternative: str) -> int:
    """Return how many patterns are as extreme as the most extreme one."""
    drawn = _differences(problem, patterns)
    if alternative == "two-sided":
        drawn = np.abs(drawn)
    return int(np.count_nonzero(drawn >= np.max(drawn) - _tolerance(problem)))


def _convolve(problem: _Problem, alternative: str) -> FlipOutcome | None:
    """Return the exact test of a sum of whole numbers, or None where that takes too long."""
    sizes = problem.rows[:, 0].astype(np.int64)
    divisor = int(np.gcd.reduce(sizes))
    sizes //= divisor
    reach = int(sizes.sum())
    if reach * sizes.size > MAX_CONVOLUTION:
        return None
    # Distribution of U = Σ size · (fair bit), by adding one item at a time; V = 2 U - reach.
    chances = np.zeros(reach + 1)
    chances[0] = 1.0
    filled = 1
    for done, size in enumerate(sizes, start=1):
        chances[size : size + filled] += chances[:filled].copy()
        filled += int(size)
        # Halving for each item, now and then: all at once would leave the range of float64.
        if done % _HALVE_EVERY == 0:
            chances[:filled] *= 2.0**-_HALVE_EVERY
    chances *= 2.0 ** -(sizes.size % _HALVE_EVERY)
    observed = int(problem.observed[0]) // divisor
    two_sided = alternative == "two-sided"
    target = abs(observed) if two_sided else observed if alternative == "greater" else -observed
    tail = math.fsum(chances[(target + reach + 1) // 2 :])
    pvalue = min(1.0, 2.0 * tail) if two_sided else min(1.0, tail)
    if two_sided and observed == 0:
        pvalue = 1.0
    # No exact p-value is 0: where 2^-n leaves the range of float64, its smallest value bounds it.
    smallest = float(np.finfo(np.float64).tiny)
    floor = max(math.ldexp(2.0 if two_sided else 1.0, -sizes.size), smallest)
    return FlipOutcome(max(pvalue, floor), floor, True, 0)
