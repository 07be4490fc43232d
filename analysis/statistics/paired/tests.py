"""Is system a different from system b on the same items?"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import Alternative, Seed
from analysis.statistics.aggregate import CORRELATIONS, as_aggregation
from analysis.statistics.paired.bootstrap import bootstrap
from analysis.statistics.paired.correlation_tests import steiger, williams
from analysis.statistics.paired.mcnemar import mcnemar, mcnemar_exact
from analysis.statistics.paired.rank_tests import sign_test, wilcoxon
from analysis.statistics.paired.result import Groups, PairedTest, as_delta, complete_pair
from analysis.statistics.paired.signflip import signflip
from analysis.statistics.paired.student_t import paired_t
from analysis.statistics.validation import as_choice, as_floats

__all__ = ["TESTS", "mcnemar_exact", "paired_t", "paired_test", "signflip"]

TESTS = (
    "auto",
    "t",
    "wilcoxon",
    "sign",
    "signflip",
    "signflip-median",
    "bootstrap",
    "bootstrap-median",
    "mcnemar",
    "mcnemar-midp",
    "mcnemar-chi2",
    "mcnemar-chi2-cc",
    "steiger",
    "williams",
)
_RESAMPLING = ("signflip", "signflip-median", "bootstrap", "bootstrap-median")
_OF_MEANS = ("t", "wilcoxon", "sign")
_CORRELATION_TESTS = {"steiger": steiger, "williams": williams}


def paired_test(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    test: str = "auto",
    aggregation: str = "mean",
    alternative: Alternative = "two-sided",
    delta: float = 0.0,
    groups: Groups = None,
    n_resamples: int = 9_999,
    rng: Seed = 0,
    zeros: str | None = None,
    method: str | None = None,
    continuity: bool | None = None,
) -> PairedTest:
    """Test two systems on the same items, by the test that suits the scores or the one named.

    Parameters
    ----------
    a, b : array_like, shape (n_items,) or (n_items, n_components)
        Scores, higher is better; or what a corpus metric is computed from. NaN in any component
        of either leaves the item out.
    test : str
        One of `TESTS`. "auto" takes Steiger's test for correlations, McNemar's exact test where
        all scores are 0 or 1, else the sign-flip test; with `groups` that join items the
        sign-flip test by group. With a `delta` that these cannot take, the sign-flip test of
        means and medians and the bootstrap of other metrics.
    aggregation : str
        One of `AGGREGATIONS`.
    alternative : {"two-sided", "greater", "less"}
        "greater": a above b by more than `delta`.
    delta : float
        Difference a - b under the null hypothesis.
    groups : sequence, shape (n_items,), optional
        A label per item; items with equal labels may depend on each other, None is a group of its
        own. "t", sign-flip and bootstrap take whole groups; the others refuse.
    n_resamples, rng
        Of the sign-flip and bootstrap tests, as for `signflip`.
    zeros, method, continuity
        Of the Wilcoxon test, as for `wilcoxon`.

    Returns
    -------
    PairedTest
        `why` says which rule chose the test.

    Raises
    ------
    TypeError, ValueError
        As the tests do; and if a test is asked for an aggregation, a `delta` or an option that it
        does not know.

    Examples
    --------
    >>> paired_test([1, 0, 1], [0, 0, 1]).test
    'mcnemar'
    """
    as_choice(test, "test", TESTS)
    as_aggregation(aggregation)
    shift = as_delta(delta)
    _check_aggregation(test, aggregation)
    chosen, why = test, "Asked for by name."
    if test == "auto":
        chosen, why = _choose(a, b, aggregation, shift, groups)
    given = {"zeros": zeros, "method": method, "continuity": continuity}
    options = {name: value for name, value in given.items() if value is not None}
    if options and chosen != "wilcoxon":
        raise ValueError(f"`{next(iter(options))}` is for `test` 'wilcoxon', got '{chosen}'.")
    if shift and chosen.startswith(("mcnemar", "steiger", "williams")):
        raise ValueError(
            f"`delta` must be 0 for `test` '{chosen}', got {shift:g}. Use the bootstrap."
        )
    if chosen in _RESAMPLING:
        run = signflip if chosen.startswith("signflip") else bootstrap
        result = run(
            a,
            b,
            aggregation=aggregation,
            statistic="median" if chosen.endswith("-median") else "metric",
            alternative=alternative,
            delta=shift,
            groups=groups,
            n_resamples=n_resamples,
            rng=rng,
        )
    elif chosen in _CORRELATION_TESTS:
        result = _CORRELATION_TESTS[chosen](
            a, b, aggregation=aggregation, alternative=alternative, groups=groups
        )
    else:
        result = _of_scores(chosen, a, b, alternative, shift, groups, options)
    return replace(result, why=why)


def _of_scores(
    test: str,
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    alternative: Alternative,
    delta: float,
    groups: Groups,
    options: Mapping[str, str | bool],
) -> PairedTest:
    if test == "t":
        return paired_t(a, b, alternative=alternative, delta=delta, groups=groups)
    if test == "sign":
        return sign_test(a, b, alternative=alternative, delta=delta, groups=groups)
    if test == "wilcoxon":
        return wilcoxon(
            a,
            b,
            alternative=alternative,
            delta=delta,
            groups=groups,
            zeros=str(options.get("zeros", "wilcox")),
            method=str(options.get("method", "auto")),
            continuity=bool(options.get("continuity", False)),
        )
    variant = test.removeprefix("mcnemar").removeprefix("-") or "exact"
    return mcnemar(a, b, variant=variant, alternative=alternative, groups=groups)


def _check_aggregation(test: str, aggregation: str) -> None:
    if (test in _OF_MEANS or test.startswith("mcnemar")) and aggregation != "mean":
        raise ValueError(
            f"`test` '{test}' compares means per item, got `aggregation` '{aggregation}'. "
            "Use 'signflip', which recomputes the corpus metric."
        )
    if test in _CORRELATION_TESTS and aggregation not in CORRELATIONS:
        raise ValueError(
            f"`test` '{test}' compares correlations with gold, got `aggregation` "
            f"'{aggregation}'. Use 'signflip'."
        )


def _choose(
    a: npt.ArrayLike, b: npt.ArrayLike, aggregation: str, delta: float, groups: Groups
) -> tuple[str, str]:
    """Return the test that suits the scores, and why."""
    if delta and aggregation not in ("mean", "median"):
        return "bootstrap", (
            f"A difference of {delta:g} cannot be taken off the items of a corpus metric: items "
            "are drawn anew."
        )
    if _joins_items(a, b, aggregation, groups):
        return "signflip", "Items of one group depend on each other: whole groups are exchanged."
    if aggregation in CORRELATIONS:
        return "steiger", "Both systems' correlations share gold and items: they are dependent."
    if aggregation == "median":
        return "signflip", "The median is computed again: systems are exchanged."
    if aggregation != "mean":
        return "signflip", (
            "The corpus metric is recomputed from sums over items: systems are exchanged."
        )
    if not delta and _is_binary(a) and _is_binary(b):
        return "mcnemar", "All scores are 0 or 1: McNemar's exact test needs no approximation."
    return "signflip", (
        "Graded scores: exchanging systems needs no assumption about their distribution."
        if not delta
        else f"Exchanging systems once {delta:g} is taken off needs only symmetric differences."
    )


def _joins_items(a: npt.ArrayLike, b: npt.ArrayLike, aggregation: str, groups: Groups) -> bool:
    if groups is None:
        return False
    n_components = len(as_aggregation(aggregation).components)
    pair = complete_pair(a, b, n_components=n_components, aggregation=aggregation, groups=groups)
    return pair.n_units < len(pair.a)


def _is_binary(scores: npt.ArrayLike) -> bool:
    values = as_floats(scores, "scores")
    return bool(np.all((values == 0) | (values == 1) | np.isnan(values)))
