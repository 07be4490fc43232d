"""McNemar's test of two systems that are right or wrong on each item, in its four variants."""

import math

import numpy as np
import numpy.typing as npt
import scipy

from analysis.statistics._typing import Alternative, Groups
from analysis.statistics.paired.null_hypotheses import null_hypothesis
from analysis.statistics.paired.rank_tests import CoinTails, fair_coin
from analysis.statistics.paired.result import (
    TINY,
    PairedTest,
    complete_pair,
    metric_difference,
    refuse_groups,
    sign_of,
)
from analysis.statistics.resampling.tails import of_normal
from analysis.statistics.validation import ALTERNATIVES, as_choice

VARIANTS = ("exact", "midp", "chi2", "chi2-cc")


def mcnemar(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    variant: str = "exact",
    alternative: Alternative = "two-sided",
    groups: Groups = None,
) -> PairedTest:
    """Test two systems that are right or wrong on each item.

    Assumes independent items. Only items that exactly one system gets right say anything.

    Parameters
    ----------
    a, b : array_like, shape (n_items,) or (n_items, 1)
        1 right, 0 wrong. NaN in either leaves the item out.
    alternative : {"two-sided", "greater", "less"}
        Two-sided is twice the smaller tail, at most 1.
    variant : {"exact", "midp", "chi2", "chi2-cc"}
        "exact": the binomial, which never rejects too often. "midp": the observed count weighs
        half, which is closer to the level but can exceed it slightly. "chi2": the normal
        approximation, "chi2-cc" with Edwards' correction; both for many discordant items.
    groups : sequence, optional
        Refused where it joins items, which this test takes as independent.

    Returns
    -------
    PairedTest
        The statistic counts the items that only a gets right, or is chi-squared with one degree
        of freedom; its signed root z gives the one-sided p-values. p = 1 where no item tells the
        systems apart, NaN without items.

    Raises
    ------
    TypeError, ValueError
        If a score is none of 0, 1 and NaN, the shapes differ, or `groups` joins items.

    Notes
    -----
    Two-sided mid-p is twice the smaller mid-p tail. Where both systems are right alone equally
    often that is 1; Fagerland et al. take 1 - P(X = x) / 2 there.

    References
    ----------
    McNemar (1947), Note on the sampling error of the difference between correlated proportions;
    Edwards (1948), Note on the correction for continuity; Fagerland, Lydersen, Laake (2013), The
    McNemar test for binary matched-pairs data.

    Examples
    --------
    >>> mcnemar([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 1, 0], variant="midp").pvalue
    0.0625
    """
    as_choice(alternative, "alternative", ALTERNATIVES)
    as_choice(variant, "variant", VARIANTS)
    name = "mcnemar" if variant == "exact" else f"mcnemar-{variant}"
    pair = complete_pair(a, b, n_components=1, groups=groups)
    refuse_groups(pair, name)
    for side, values in (("a", pair.a), ("b", pair.b)):
        wrong = values[(values != 0) & (values != 1)]
        if wrong.size:
            raise ValueError(
                f"`{side}` must hold only 0, 1 and NaN for McNemar's test, got {wrong[0]}. "
                "Use the sign-flip test for graded scores."
            )
    only_a = int(np.count_nonzero(pair.a > pair.b))
    only_b = int(np.count_nonzero(pair.b > pair.a))
    statistic, pvalue, floor = float(only_a), math.nan, math.nan
    if variant.startswith("chi2"):
        root = _root(only_a, only_b, variant, alternative)
        statistic = root**2
        if pair.a.size:
            pvalue = max(float(of_normal(root, alternative)), TINY) if only_a + only_b else 1.0
    elif pair.a.size:
        coins = fair_coin if variant == "exact" else _mid_coin
        pvalue, floor = coins(only_a, only_b, alternative)
    return PairedTest(
        test=name,
        aggregation="mean",
        statistic=statistic,
        pvalue=pvalue,
        difference=metric_difference(pair, "mean"),
        n_items=pair.a.size,
        n_missing=pair.n_missing,
        alternative=alternative,
        exact=variant == "exact",
        n_resamples=0,
        seed=None,
        pvalue_floor=None if math.isnan(floor) else floor,
        tests_that=null_hypothesis(name, alternative),
        n_groups=pair.n_groups,
        statistic_name="chi2" if variant.startswith("chi2") else "wins",
        direction=sign_of(only_a - only_b),
    )


def _mid_coin(only_a: int, only_b: int, alternative: str) -> CoinTails:
    """Return the binomial p-value in which the observed count weighs half."""
    n = only_a + only_b
    if n == 0:
        return CoinTails(1.0, 1.0)
    sides = 2.0 if alternative == "two-sided" else 1.0
    floor = min(1.0, max(math.ldexp(sides, -n - 1), TINY))
    count = {"greater": only_b, "less": only_a, "two-sided": min(only_a, only_b)}[alternative]
    below = float(scipy.special.bdtr(count - 1, n, 0.5)) if count else 0.0
    half = (float(scipy.special.bdtr(count, n, 0.5)) + below) / 2
    return CoinTails(min(1.0, max(sides * half, floor)), floor)


def _root(only_a: int, only_b: int, variant: str, alternative: str) -> float:
    """Return z, the signed root of chi-squared."""
    n, excess = only_a + only_b, float(only_a - only_b)
    if n == 0:
        return 0.0
    if variant == "chi2-cc" and alternative == "two-sided":
        # No further than 0: otherwise equal counts would look different.
        excess = math.copysign(max(0.0, abs(excess) - 1), excess)
    elif variant == "chi2-cc":
        excess += -1 if alternative == "greater" else 1
    return excess / math.sqrt(n)
