"""The sign-flip permutation test (approximate randomization)."""

import math

import numpy.typing as npt

from analysis.statistics._typing import Alternative, Groups, Seed
from analysis.statistics.paired.inference import infer_pair
from analysis.statistics.paired.result import (
    PairedTest,
    as_delta,
    check_statistic,
    complete_components,
    of_median,
)
from analysis.statistics.resampling.median_flips import median_flip_test
from analysis.statistics.resampling.tails import FlipOutcome
from analysis.statistics.validation import ALTERNATIVES, as_choice, as_count, as_seed


def signflip(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    aggregation: str = "mean",
    statistic: str = "metric",
    alternative: Alternative = "two-sided",
    delta: float = 0.0,
    groups: Groups = None,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> PairedTest:
    """Test two systems by exchanging them item by item (approximate randomization).

    Assumes only that under the null hypothesis the two scores of an item could be exchanged, and
    that items, or groups of them, are independent of each other.

    Parameters
    ----------
    a, b : array_like, shape (n_items,) or (n_items, n_components)
        Scores, higher is better; or what a corpus metric is computed from. NaN in any component
        of either leaves the item out.
    aggregation : str
        One of `AGGREGATIONS`: "mean" or "median" of 1 component; "ratio" of the sums of
        (numerator, denominator); "f1" from the sums of (true positives, false positives, false
        negatives); "bleu" and "chrf" from summed counts; "pearson" or "spearman" of (prediction,
        gold). All but "mean" exchange the systems' components and compute the corpus metric
        again. Of a correlation, the predictions are exchanged, standardised or ranked per system
        because systems may have scales of their own; both systems must have the same gold.
    statistic : {"metric", "median"}
        "metric": the difference of the systems' metrics. "median": the median of the differences
        per item, for one score per item.
    alternative : {"two-sided", "greater", "less"}
        Two-sided counts patterns with ``|T| >= |t|``.
    delta : float
        Difference a - b under the null hypothesis, taken off a's scores; for "mean" and "median".
        The test is then of scores that could be exchanged after that, which means symmetric
        differences.
    groups : sequence, shape (n_items,), optional
        A label per item; whole groups are exchanged. None is a group of its own.
    n_resamples : int
        Random patterns, where no exact way is short enough.
    rng : int, Generator or None
        Seed; 0 is a seed. A Generator gives one draw, None fresh entropy; either way the
        signature tells the seed.

    Returns
    -------
    PairedTest
        Exact (``exact`` is True, ``n_resamples`` 0) for at most 16 differing items, and for means
        of scores in whole steps, such as ratings. Otherwise Monte Carlo:
        p = (count + 1) / (n_resamples + 1). Identical systems give 1. NaN without items, and
        where a system's metric is not defined; one that an exchange makes so counts as 0.

    Raises
    ------
    TypeError, ValueError
        If scores are no numbers, not finite, of the wrong shape, or negative counts; if
        `aggregation` is unknown, `delta` does not go with it, or gold differs.

    Notes
    -----
    Sums are exact (see `fixed_point`), so ties with the observed value are counted right, and the
    p-value does not depend on memory, threads or matrix library. A sign belongs to the place of an
    item, so that pairs of a board share them: where p is drawn, another order of items gives
    another draw. Exchanging a and b gives the same p-value, with "greater" and "less" exchanged.

    References
    ----------
    Yeh (2000), More accurate tests for the statistical significance of result differences;
    Deutsch, Dror, Roth (2021), A Statistical Analysis of Summarization Evaluation Metrics Using
    Resampling Methods (PERM-INPUTS, for correlations).

    Examples
    --------
    >>> signflip([3, 2, 5, 4, 4], [1, 2, 2, 3, 1]).pvalue
    0.125
    >>> signflip([[9, 10], [7, 8]], [[8, 10], [7, 8]], aggregation="ratio").pvalue
    1.0
    """
    as_choice(alternative, "alternative", ALTERNATIVES)
    shift, resamples, seed = as_delta(delta), as_count(n_resamples, "n_resamples"), as_seed(rng)
    if not check_statistic(statistic, aggregation):
        return infer_pair(
            a,
            b,
            test="signflip",
            aggregation=aggregation,
            alternative=alternative,
            delta=shift,
            groups=groups,
            interval="none",
            n_resamples=resamples,
            rng=seed,
        ).test
    pair = complete_components(a, b, aggregation=aggregation, groups=groups)
    outcome = FlipOutcome(math.nan, math.nan, True, 0)
    if len(pair.a):
        outcome = median_flip_test(
            pair.a[:, 0] - shift,
            pair.b[:, 0],
            of_differences=True,
            groups=pair.groups,
            alternative=alternative,
            n_resamples=resamples,
            seed=seed,
        )
    return of_median(
        pair,
        "signflip-median",
        outcome,
        aggregation=aggregation,
        alternative=alternative,
        delta=shift,
        seed=seed,
    )
