"""Is one system's correlation with gold higher than another's on the same items?

The two correlations share gold and items, so they depend on each other; Fisher's z for
independent samples does not apply.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import Alternative, Groups
from analysis.statistics.aggregate import CORRELATIONS
from analysis.statistics.correlations import as_ranked, correlate
from analysis.statistics.paired.null_hypotheses import null_hypothesis
from analysis.statistics.paired.result import (
    TINY,
    CompletePair,
    PairedTest,
    check_same_gold,
    complete_components,
    refuse_groups,
    sign_of,
)
from analysis.statistics.resampling.tails import of_normal, of_t
from analysis.statistics.validation import ALTERNATIVES, as_choice

_EQUAL = 1e-14


class DependentCorrelations(NamedTuple):
    """The three correlations of two systems and their gold."""

    a_gold: float
    b_gold: float
    a_b: float


def steiger(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    aggregation: str = "pearson",
    alternative: Alternative = "two-sided",
    groups: Groups = None,
) -> PairedTest:
    """Test two dependent correlations with one gold by Steiger's Z (averaged correlation).

    Assumes independent items from a trivariate normal distribution, and many of them; for ranks
    ("spearman") it is an approximation.

    Parameters
    ----------
    a, b : array_like, shape (n_items, 2)
        Prediction and gold. NaN in either leaves the item out.
    aggregation : {"pearson", "spearman"}
    alternative : {"two-sided", "greater", "less"}
        "greater": a's correlation is the higher one.
    groups : sequence, optional
        Refused where it joins items, which this test takes as independent.

    Returns
    -------
    PairedTest
        The statistic is z. p = 1 where both correlations are equal; NaN for fewer than four
        items, where a correlation is not defined, and where it is 1 in size on average.

    Raises
    ------
    TypeError, ValueError
        If `aggregation` is no correlation, gold differs between the systems, or `groups` joins
        items.

    References
    ----------
    Steiger (1980), Tests for comparing elements of a correlation matrix, eqs. 3, 11 and 14, with
    Fisher's z of both correlations and their covariance at the averaged correlation.

    Examples
    --------
    >>> gold = [1, 2, 3, 4, 5, 6]
    >>> a, b = [1, 2, 3, 5, 4, 6], [2, 1, 6, 3, 4, 5]
    >>> result = steiger(list(zip(a, gold)), list(zip(b, gold)))
    >>> round(result.statistic, 4)
    1.5135
    """
    return _test("steiger", a, b, aggregation, alternative, groups)


def williams(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    aggregation: str = "pearson",
    alternative: Alternative = "two-sided",
    groups: Groups = None,
) -> PairedTest:
    """Test two dependent correlations with one gold by Williams' t.

    Assumes what `steiger` does, and suits fewer items.

    Parameters
    ----------
    a, b, aggregation, alternative, groups
        As for `steiger`.

    Returns
    -------
    PairedTest
        The statistic is t with n - 3 degrees of freedom. p = 1 where both correlations are equal;
        NaN for fewer than four items and where a correlation is not defined.

    Raises
    ------
    TypeError, ValueError
        As `steiger`.

    References
    ----------
    Williams (1959), The comparison of regression variables; Steiger (1980), eq. 7; Graham and
    Baldwin (2014), Testing for significance of increased correlation with human judgment.

    Examples
    --------
    >>> gold = [1, 2, 3, 4, 5, 6]
    >>> a, b = [1, 2, 3, 5, 4, 6], [2, 1, 6, 3, 4, 5]
    >>> round(williams(list(zip(a, gold)), list(zip(b, gold))).pvalue, 4)
    0.1762
    """
    return _test("williams", a, b, aggregation, alternative, groups)


def steiger_z(r: DependentCorrelations, n_items: int) -> float:
    """Return Steiger's Z; NaN for fewer than four items or correlations of size 1."""
    if abs(r.a_gold - r.b_gold) <= _EQUAL:
        return 0.0
    mean = (r.a_gold + r.b_gold) / 2
    rest = 1 - mean**2
    if n_items < 4 or max(abs(r.a_gold), abs(r.b_gold)) >= 1 or rest <= 0:
        return math.nan
    # Steiger eq. 3 at the averaged correlation, eq. 11 for the scale of Fisher's z.
    covariance = r.a_b * (1 - 2 * mean**2) - mean**2 * (1 - 2 * mean**2 - r.a_b**2) / 2
    spread = 2 - 2 * covariance / rest**2
    if spread <= 0:
        return math.nan
    gap = math.atanh(r.a_gold) - math.atanh(r.b_gold)
    return gap * math.sqrt((n_items - 3) / spread)


def williams_t(r: DependentCorrelations, n_items: int) -> float:
    """Return Williams' t with n - 3 degrees of freedom; NaN for fewer than four items."""
    if abs(r.a_gold - r.b_gold) <= _EQUAL:
        return 0.0
    if n_items < 4:
        return math.nan
    mean = (r.a_gold + r.b_gold) / 2
    determinant = 1 - r.a_gold**2 - r.b_gold**2 - r.a_b**2 + 2 * r.a_gold * r.b_gold * r.a_b
    scale = 2 * (n_items - 1) / (n_items - 3) * max(0.0, determinant)
    denominator = scale + mean**2 * (1 - r.a_b) ** 3
    if denominator <= 0:
        return math.nan
    return (r.a_gold - r.b_gold) * math.sqrt((n_items - 1) * (1 + r.a_b) / denominator)


def _test(
    test: str,
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    aggregation: str,
    alternative: Alternative,
    groups: Groups,
) -> PairedTest:
    as_choice(alternative, "alternative", ALTERNATIVES)
    as_choice(aggregation, "aggregation", CORRELATIONS)
    pair = complete_components(a, b, aggregation=aggregation, groups=groups)
    refuse_groups(pair, test)
    check_same_gold(pair)
    r = _correlations(pair, aggregation)
    n = len(pair.a)
    statistic = pvalue = math.nan
    if not math.isnan(r.a_gold + r.b_gold):
        statistic = steiger_z(r, n) if test == "steiger" else williams_t(r, n)
    if statistic == 0 and np.array_equal(pair.a, pair.b):
        pvalue = 1.0
    elif not math.isnan(statistic):
        pvalue = _pvalue(statistic, alternative, None if test == "steiger" else n - 3)
    return PairedTest(
        test=test,
        aggregation=aggregation,
        statistic=statistic,
        pvalue=pvalue,
        difference=r.a_gold - r.b_gold,
        n_items=n,
        n_missing=pair.n_missing,
        alternative=alternative,
        exact=False,
        n_resamples=0,
        seed=None,
        pvalue_floor=None,
        tests_that=null_hypothesis(test, alternative, aggregation=aggregation),
        n_groups=pair.n_groups,
        statistic_name="z" if test == "steiger" else "t",
        direction=sign_of(statistic),
    )


def _correlations(pair: CompletePair, aggregation: str) -> DependentCorrelations:
    a, b, gold = (
        as_ranked(column, aggregation) for column in (pair.a[:, 0], pair.b[:, 0], pair.a[:, 1])
    )
    return DependentCorrelations(correlate(a, gold), correlate(b, gold), correlate(a, b))


def _pvalue(statistic: float, alternative: str, df: int | None) -> float:
    if statistic == 0 and alternative == "two-sided":
        return 1.0
    if df is not None and df < 1:
        return 1.0 if alternative == "two-sided" else 0.5
    pvalue = of_normal(statistic, alternative) if df is None else of_t(statistic, alternative, df)
    return max(float(pvalue), TINY)
