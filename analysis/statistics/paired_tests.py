"""Is system a different from system b on the same items?"""

import math
import warnings
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy import special

from analysis.statistics._typing import Alternative, FloatArray, Seed
from analysis.statistics.aggregate import as_aggregation
from analysis.statistics.paired_result import (
    NULL_HYPOTHESES,
    PairedTest,
    complete_pair,
    metric_difference,
)
from analysis.statistics.results import DegenerateDataWarning
from analysis.statistics.sign_flips import FlipOutcome, flip_test
from analysis.statistics.validation import (
    ALTERNATIVES,
    as_choice,
    as_count,
    as_floats,
    as_seed,
)

TESTS = ("auto", "t", "mcnemar", "signflip")
_TINY = float(np.finfo(np.float64).tiny)


def paired_t(
    a: npt.ArrayLike, b: npt.ArrayLike, *, alternative: Alternative = "two-sided"
) -> PairedTest:
    """Test the mean difference of paired scores by Student's t.

    Assumes independent items whose differences are roughly normal, or many items.

    Parameters
    ----------
    a, b : array_like, shape (n_items,) or (n_items, 1)
        Scores, higher is better. NaN in either leaves the item out.
    alternative : {"two-sided", "greater", "less"}
        "greater": a above b.

    Returns
    -------
    PairedTest
        p = 1 for identical systems. NaN for fewer than two items, and where all items differ by
        the same non-zero amount: the sample has no spread to measure the mean against, and a
        p-value of 0 would claim certainty; the statistic is then ±inf.

    Raises
    ------
    TypeError, ValueError
        If scores are no numbers, not finite, or of different shapes.

    Warns
    -----
    DegenerateDataWarning
        If all items differ by the same non-zero amount.

    Examples
    --------
    >>> result = paired_t([0.8, 0.6, 0.9, 0.7], [0.7, 0.6, 0.7, 0.5])
    >>> round(result.pvalue, 4)
    0.0796
    """
    as_choice(alternative, "alternative", ALTERNATIVES)
    pair = complete_pair(a, b, n_components=1)
    first, second = pair.a[:, 0], pair.b[:, 0]
    n = first.size
    difference = metric_difference(pair, "mean")
    statistic, pvalue = math.nan, math.nan
    if n > 1:
        rounding = _rounding_error(first, second)
        if np.max(np.abs(first - second)) <= rounding:
            statistic, pvalue = 0.0, 1.0
        else:
            statistic = _t_statistic(first - second, rounding)
            pvalue = _t_pvalue(statistic, n - 1, alternative)
    if math.isinf(statistic):
        warnings.warn(
            f"All {n} items differ by the same amount ({difference:.6g}): the t test has no "
            "spread to work with and its p-value is NaN. Use the sign-flip test.",
            DegenerateDataWarning,
            stacklevel=2,
        )
    return PairedTest(
        test="t",
        aggregation="mean",
        statistic=statistic,
        pvalue=pvalue,
        difference=difference,
        n_items=n,
        n_missing=pair.n_missing,
        alternative=alternative,
        exact=False,
        n_resamples=0,
        seed=None,
        pvalue_floor=None,
        tests_that=NULL_HYPOTHESES["t"][alternative],
    )


def mcnemar_exact(
    a: npt.ArrayLike, b: npt.ArrayLike, *, alternative: Alternative = "two-sided"
) -> PairedTest:
    """Test two systems that are right or wrong on each item, by the exact binomial.

    Only items that exactly one system gets right say anything; under the null hypothesis each is
    a fair coin.

    Parameters
    ----------
    a, b : array_like, shape (n_items,) or (n_items, 1)
        1 right, 0 wrong. NaN in either leaves the item out.
    alternative : {"two-sided", "greater", "less"}
        Two-sided is twice the smaller tail, at most 1.

    Returns
    -------
    PairedTest
        p = 1 where no item tells the systems apart, NaN without items.

    Raises
    ------
    TypeError, ValueError
        If a score is none of 0, 1 and NaN, or the shapes differ.

    References
    ----------
    McNemar (1947), Note on the sampling error of the difference between correlated proportions.

    Examples
    --------
    >>> result = mcnemar_exact([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 1, 0])
    >>> result.pvalue, result.pvalue_floor
    (0.125, 0.125)
    """
    as_choice(alternative, "alternative", ALTERNATIVES)
    pair = complete_pair(a, b, n_components=1)
    for name, values in (("a", pair.a), ("b", pair.b)):
        wrong = values[(values != 0) & (values != 1)]
        if wrong.size:
            raise ValueError(
                f"`{name}` must hold only 0, 1 and NaN for McNemar's test, got {wrong[0]}. "
                "Use the sign-flip test for graded scores."
            )
    only_a = int(np.count_nonzero(pair.a > pair.b))
    only_b = int(np.count_nonzero(pair.b > pair.a))
    n_discordant = only_a + only_b
    pvalue = floor = math.nan
    if pair.a.size:
        sides = 2.0 if alternative == "two-sided" else 1.0
        # P(X >= only_a) for a fair coin is P(X <= only_b).
        at_most = {"greater": only_b, "less": only_a, "two-sided": min(only_a, only_b)}
        tail = float(special.bdtr(at_most[alternative], n_discordant, 0.5))
        floor = min(1.0, max(math.ldexp(sides, -n_discordant), _TINY))
        pvalue = min(1.0, max(sides * tail, floor))
    return PairedTest(
        test="mcnemar",
        aggregation="mean",
        statistic=float(only_a),
        pvalue=pvalue,
        difference=metric_difference(pair, "mean"),
        n_items=pair.a.size,
        n_missing=pair.n_missing,
        alternative=alternative,
        exact=True,
        n_resamples=0,
        seed=None,
        pvalue_floor=None if math.isnan(floor) else floor,
        tests_that=NULL_HYPOTHESES["mcnemar"][alternative],
    )


def signflip(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    aggregation: str = "mean",
    alternative: Alternative = "two-sided",
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> PairedTest:
    """Test two systems by exchanging them item by item (approximate randomization).

    Assumes only that under the null hypothesis the two scores of an item could be exchanged, and
    that items are independent of each other.

    Parameters
    ----------
    a, b : array_like, shape (n_items,) or (n_items, n_components)
        Scores, higher is better; or what a corpus metric is computed from. NaN in any component
        of either leaves the item out.
    aggregation : {"mean", "ratio", "f1"}
        "mean" of 1 component; "ratio" of the sums of (numerator, denominator); "f1" from the
        sums of (true positives, false positives, false negatives). The latter two exchange the
        systems' components and compute the corpus metric again.
    alternative : {"two-sided", "greater", "less"}
        Two-sided counts patterns with ``|T| >= |t|``.
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
        where a denominator summed over items is 0; one that an exchange makes 0 counts as a
        metric of 0.

    Raises
    ------
    TypeError, ValueError
        If scores are no numbers, not finite, of the wrong shape, or negative counts; if
        `aggregation` is a correlation or unknown.

    Notes
    -----
    Sums are exact (see `fixed_point`), so ties with the observed value are counted right, and the
    p-value depends neither on the order of items nor on memory, threads or matrix library;
    exchanging a and b gives the same p-value, with "greater" and "less" exchanged.

    References
    ----------
    Yeh (2000), More accurate tests for the statistical significance of result differences.

    Examples
    --------
    >>> signflip([3, 2, 5, 4, 4], [1, 2, 2, 3, 1]).pvalue
    0.125
    >>> signflip([[9, 10], [7, 8]], [[8, 10], [7, 8]], aggregation="ratio").pvalue
    1.0
    """
    as_choice(alternative, "alternative", ALTERNATIVES)
    kind = as_aggregation(aggregation)
    resamples, seed = as_count(n_resamples, "n_resamples"), as_seed(rng)
    pair = complete_pair(a, b, n_components=len(kind.components), aggregation=aggregation)
    for name, values in (("a", pair.a), ("b", pair.b)):
        for column in kind.non_negative:
            if np.any(values[:, column] < 0):
                raise ValueError(
                    f"`{name}` must not be negative in component {column} "
                    f"({kind.components[column]}), got {np.min(values[:, column])}."
                )
    difference = metric_difference(pair, aggregation)
    outcome = FlipOutcome(math.nan, math.nan, True, 0)
    if not math.isnan(difference):
        outcome = flip_test(
            pair.a,
            pair.b,
            aggregation=aggregation,
            alternative=alternative,
            n_resamples=resamples,
            seed=seed,
        )
    return PairedTest(
        test="signflip",
        aggregation=aggregation,
        statistic=difference,
        pvalue=outcome.pvalue,
        difference=difference,
        n_items=len(pair.a),
        n_missing=pair.n_missing,
        alternative=alternative,
        exact=outcome.exact,
        n_resamples=outcome.n_resamples,
        seed=None if outcome.exact else seed,
        pvalue_floor=None if math.isnan(outcome.floor) else outcome.floor,
        tests_that=NULL_HYPOTHESES["signflip"][alternative],
    )


def paired_test(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    test: str = "auto",
    aggregation: str = "mean",
    alternative: Alternative = "two-sided",
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> PairedTest:
    """Test two systems on the same items, by the test that suits the scores or the one named.

    Parameters
    ----------
    a, b, aggregation, alternative, n_resamples, rng
        As for `signflip`; the last two play no part in the other tests.
    test : {"auto", "t", "mcnemar", "signflip"}
        "auto" takes McNemar's exact test where all scores are 0 or 1, else the sign-flip test.

    Returns
    -------
    PairedTest
        `why` says which rule chose the test.

    Raises
    ------
    TypeError, ValueError
        As the tests do; and if "t" or "mcnemar" is asked of an aggregation other than "mean".

    Examples
    --------
    >>> paired_test([1, 0, 1], [0, 0, 1]).test
    'mcnemar'
    """
    as_choice(test, "test", TESTS)
    as_aggregation(aggregation)
    if test in ("t", "mcnemar") and aggregation != "mean":
        raise ValueError(
            f"`test` '{test}' compares means per item, got `aggregation` '{aggregation}'. "
            "Use 'signflip', which recomputes the corpus metric."
        )
    chosen, why = test, "Asked for by name."
    if test == "auto":
        chosen = "signflip"
        if aggregation != "mean":
            why = "The corpus metric is recomputed from sums over items: systems are exchanged."
        elif _is_binary(a) and _is_binary(b):
            chosen = "mcnemar"
            why = "All scores are 0 or 1: McNemar's exact test needs no approximation."
        else:
            why = "Graded scores: exchanging systems needs no assumption about their distribution."
    if chosen == "t":
        result = paired_t(a, b, alternative=alternative)
    elif chosen == "mcnemar":
        result = mcnemar_exact(a, b, alternative=alternative)
    else:
        result = signflip(
            a,
            b,
            aggregation=aggregation,
            alternative=alternative,
            n_resamples=n_resamples,
            rng=rng,
        )
    return replace(result, why=why)


def _rounding_error(a: FloatArray, b: FloatArray) -> float:
    """Return how far differences that are equal on paper may lie apart in binary."""
    largest = max(float(np.max(np.abs(a))), float(np.max(np.abs(b))))
    return 4 * float(np.finfo(np.float64).eps) * largest


def _t_statistic(differences: FloatArray, rounding: float) -> float:
    """Return t of differences that are not all zero; ±inf where they are constant."""
    peak = float(np.max(np.abs(differences)))
    mean = math.fsum(differences) / differences.size
    if np.ptp(differences) <= rounding:
        return math.copysign(math.inf, mean)
    # Scaled by the peak so that squares of tiny differences do not vanish.
    variance = math.fsum(((differences - mean) / peak) ** 2) / (differences.size - 1)
    return mean / peak / math.sqrt(variance / differences.size)


def _t_pvalue(statistic: float, df: int, alternative: str) -> float:
    if math.isinf(statistic):
        return math.nan
    if alternative == "two-sided":
        return min(1.0, 2.0 * float(special.stdtr(df, -abs(statistic))))
    return float(special.stdtr(df, -statistic if alternative == "greater" else statistic))


def _is_binary(scores: npt.ArrayLike) -> bool:
    values = as_floats(scores, "scores")
    return bool(np.all((values == 0) | (values == 1) | np.isnan(values)))
