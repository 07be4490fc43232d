"""Tests of the median difference per item, by exchanging systems or by drawing items anew."""

import math
import warnings

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import Alternative, Groups, Seed
from analysis.statistics.paired.canonical import Canonical, canonical, tie_tolerance
from analysis.statistics.paired.null_hypotheses import null_hypothesis
from analysis.statistics.paired.result import (
    CompletePair,
    PairedTest,
    as_delta,
    complete_components,
    median_difference,
    metric_difference,
    side_of,
)
from analysis.statistics.resampling.median_flips import median_flip_test
from analysis.statistics.resampling.plan import replicates
from analysis.statistics.resampling.tails import OTHER_SIDE, TIE, FlipOutcome, reached
from analysis.statistics.results import DegenerateDataWarning
from analysis.statistics.validation import ALTERNATIVES, as_choice, as_count, as_seed


def median_test(
    test: str,
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    aggregation: str = "mean",
    alternative: Alternative = "two-sided",
    delta: float = 0.0,
    groups: Groups = None,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> PairedTest:
    """Test whether the median of a - b is `delta`.

    Parameters
    ----------
    test : {"signflip-median", "bootstrap-median"}
        Sign flips assume that the two scores of an item could be exchanged once `delta` is taken
        off a's. The bootstrap compares resampled medians less the observed one (shift method), and
        assumes enough items, some 50, to stand for the population.
    a, b, alternative, delta, groups, n_resamples, rng
        As for `paired_test`; one score per item.
    aggregation : {"mean", "median"}
        The metric whose difference the result shows.

    Returns
    -------
    PairedTest
        Sign flips are exact for at most 16 differing items and for scores in whole steps, else
        p = (count + 1) / (n_resamples + 1). NaN without items, and where all resamples give the
        same median other than `delta`: there is no spread to measure it against.

    Warns
    -----
    DegenerateDataWarning
        If every resample gives the same median other than `delta`.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, 16.4; Noreen (1989),
    Computer-Intensive Methods for Testing Hypotheses (shift method); Yeh (2000), More accurate
    tests for the statistical significance of result differences.

    Examples
    --------
    >>> median_test("signflip-median", [3, 2, 5, 4, 4], [1, 2, 2, 3, 1]).pvalue
    0.25
    """
    as_choice(alternative, "alternative", ALTERNATIVES)
    shift, resamples, seed = as_delta(delta), as_count(n_resamples, "n_resamples"), as_seed(rng)
    pair = complete_components(a, b, aggregation=aggregation, groups=groups)
    observed = median_difference(pair)
    if test == "signflip-median":
        outcome = _flips(pair, resamples, seed, shift, alternative)
    else:
        outcome = FlipOutcome(math.nan, 1 / (resamples + 1), False, resamples)
        if len(pair.a):
            problem = canonical(pair, aggregation, of_median=True)
            outcome = outcome._replace(pvalue=_pvalue(problem, resamples, seed, shift, alternative))
            if math.isnan(outcome.pvalue):
                warnings.warn(_no_spread(pair, observed), DegenerateDataWarning, stacklevel=2)
    return PairedTest(
        test=test,
        aggregation=aggregation,
        statistic=observed,
        pvalue=outcome.pvalue,
        difference=metric_difference(pair, aggregation),
        n_items=len(pair.a),
        n_missing=pair.n_missing,
        alternative=alternative,
        exact=outcome.exact,
        n_resamples=outcome.n_resamples,
        seed=None if outcome.exact else seed,
        pvalue_floor=None if math.isnan(outcome.pvalue) else outcome.floor,
        tests_that=null_hypothesis(
            test,
            alternative,
            aggregation=aggregation,
            delta=shift,
            grouped=pair.groups is not None,
        ),
        delta=shift,
        n_groups=pair.n_groups,
        statistic_name="median difference",
        direction=side_of(observed, shift),
    )


def _flips(
    pair: CompletePair, n_resamples: int, seed: int, delta: float, alternative: Alternative
) -> FlipOutcome:
    if not len(pair.a):
        return FlipOutcome(math.nan, math.nan, True, 0)
    return median_flip_test(
        pair.a[:, 0] - delta,
        pair.b[:, 0],
        of_differences=True,
        groups=pair.groups,
        alternative=alternative,
        n_resamples=n_resamples,
        seed=seed,
    )


def _pvalue(
    problem: Canonical, n_resamples: int, seed: int, delta: float, alternative: str
) -> float:
    centred = (
        replicates(problem.metric.values, problem.metric.n_units, n_resamples, seed)
        - problem.observed
    )
    gain = problem.observed - (-delta if problem.turned else delta)
    side = OTHER_SIDE[alternative] if problem.turned else alternative
    tolerance = max(tie_tolerance(problem, centred), TIE * abs(delta))
    if np.nanmax(np.abs(centred), initial=0.0) <= tolerance < abs(gain):
        return math.nan
    extreme = int(np.count_nonzero(reached(centred, gain, side, tolerance)))
    return (extreme + 1) / (n_resamples + 1)


def _no_spread(pair: CompletePair, observed: float) -> str:
    return (
        f"Every resample of {pair.n_units} {'items' if pair.groups is None else 'groups'} gives "
        f"the same difference ({observed:.6g}): the bootstrap has no spread to work with and its "
        "p-value is NaN. Use the sign-flip test."
    )
