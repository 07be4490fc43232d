"""Tests by the bootstrap: systems, items or both are drawn anew, the same ones for all metrics."""

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.meta_evaluation.exchange import count_reached
from analysis.statistics.meta_evaluation.metric_pairs import Part, Request, Tested
from analysis.statistics.meta_evaluation.resampled_levels import resampled_values
from analysis.statistics.meta_evaluation.resamples import plan_resamples
from analysis.statistics.resampling.tails import COEFFICIENT_TIE

_PAIRS_AT_ONCE = 64


def test_bootstrap(part: Part, request: Request) -> Tested:
    """Test all pairs of a part by the bootstrap (shift method), with percentile intervals.

    Notes
    -----
    A metric's coefficient is computed once per replicate, whatever the number of pairs. NaN where
    there is nothing to draw, and where every replicate gives the same difference other than 0.
    Where every replicate gives the same difference there is no interval.
    """
    plan = plan_resamples(request.test, *part.gold.shape, seed=request.seed, groups=part.codes)
    n_pairs = part.left.size
    observed = part.observed[part.left] - part.observed[part.right]
    tails, ends = np.full((3, n_pairs), np.nan), np.full((2, n_pairs), np.nan)
    if plan.draws_systems or plan.draws_items:
        replicates = resampled_values(
            part.values,
            part.gold,
            plan,
            level=request.level,
            coefficient=request.coefficient,
            epsilons=np.nan_to_num(part.epsilons),
            n_resamples=request.n_resamples,
            n_threads=request.n_threads,
            progress=request.progress,
        )
        for start in range(0, n_pairs, _PAIRS_AT_ONCE):
            at = slice(start, start + _PAIRS_AT_ONCE)
            drawn = replicates[part.left[at]] - replicates[part.right[at]]
            tails[:, at] = _tails(drawn, observed[at])
            ends[:, at] = _percentiles(drawn, request.confidence_level)
    undefined = np.isnan(observed)
    tails[:, undefined] = ends[:, undefined] = np.nan
    floor = 1 / (request.n_resamples + 1)
    return Tested(
        statistic=observed,
        two_sided=tails[0],
        greater=tails[1],
        less=tails[2],
        floor=floor,
        n_replicates=request.n_resamples,
        exact=False,
        low=ends[0],
        high=ends[1],
    )


def _tails(drawn: FloatArray, observed: FloatArray) -> FloatArray:
    """Return p-values, two-sided, greater and less, of replicates moved to a difference of 0."""
    moved = drawn - observed[:, np.newaxis]
    tails = (count_reached(moved, observed[:, np.newaxis]) + 1) / (drawn.shape[1] + 1)
    tails[:, ~(_spread(drawn) > COEFFICIENT_TIE) & (np.abs(observed) > COEFFICIENT_TIE)] = np.nan
    return np.asarray(tails)


def _spread(drawn: FloatArray) -> FloatArray:
    """Return the range of each row; negative without a defined value."""
    high = np.nanmax(drawn, axis=1, initial=-np.inf)
    return np.asarray(high - np.nanmin(drawn, axis=1, initial=np.inf))


def _percentiles(drawn: FloatArray, confidence_level: float) -> FloatArray:
    share = (1 - confidence_level) / 2
    ends = np.full((2, len(drawn)), np.nan)
    # Without any spread there is no interval, as in `intervals.percentiles`.
    known = _spread(drawn) > COEFFICIENT_TIE
    ends[:, known] = np.nanquantile(drawn[known], [share, 1 - share], axis=1)
    return ends
