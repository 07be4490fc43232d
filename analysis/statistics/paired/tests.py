"""Is system a different from system b on the same items?"""

from dataclasses import replace
from typing import Any

import numpy.typing as npt

from analysis.statistics._typing import Alternative, Groups, Seed
from analysis.statistics.aggregate import CORRELATIONS, as_aggregation
from analysis.statistics.paired.correlation_tests import steiger, williams
from analysis.statistics.paired.inference import infer_pair
from analysis.statistics.paired.mcnemar import mcnemar
from analysis.statistics.paired.medians import median_test
from analysis.statistics.paired.rank_tests import sign_test, wilcoxon
from analysis.statistics.paired.result import PairedTest, as_delta
from analysis.statistics.registry import TESTS as _TESTS
from analysis.statistics.validation import as_choice

TESTS = ("auto", *_TESTS)
_WITH_STATISTIC = ("wilcoxon", "sign", "mcnemar", "steiger")
"""Tests on all pairs whose statistic is computed for the pair alone."""


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
        One of `TESTS`. "auto" chooses as `pairwise` does.
    aggregation : str
        One of `AGGREGATIONS`.
    alternative : {"two-sided", "greater", "less"}
        "greater": a above b by more than `delta`.
    delta : float
        Difference a - b under the null hypothesis.
    groups : sequence, shape (n_items,), optional
        A label per item; items with equal labels may depend on each other, None is a group of its
        own. "t", sign-flip and bootstrap take whole groups; the others refuse.
    n_resamples : int
        Of the sign-flip and bootstrap tests, where no exact way is short enough.
    rng : int, Generator or None
        Their seed; 0 is a seed. A Generator gives one draw, None fresh entropy; either way the
        signature tells the seed.
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
    >>> paired_test([1, 0, 1] * 5, [0, 0, 1] * 5).test
    'score'
    """
    as_choice(test, "test", TESTS)
    as_aggregation(aggregation)
    given = {"zeros": zeros, "method": method, "continuity": continuity}
    options = {name: value for name, value in given.items() if value is not None}
    if options and test != "wilcoxon":
        raise ValueError(f"`{next(iter(options))}` is for `test` 'wilcoxon', got '{test}'.")
    shared: dict[str, Any] = {"alternative": alternative, "groups": groups}
    resampling: dict[str, Any] = {"n_resamples": n_resamples, "rng": rng}
    shift = as_delta(delta)
    alone = None
    if test in _WITH_STATISTIC or (test != "auto" and not _TESTS[test].together):
        alone = _single(test, a, b, aggregation, shift, shared, options, resampling)
        if options or not _TESTS[test].together:
            return alone
    together = infer_pair(
        a,
        b,
        test=test,
        aggregation=aggregation,
        delta=shift,
        interval="none",
        **shared,
        **resampling,
    ).test
    if alone is None:
        return together
    # One p-value for a pair, alone or on a board; the statistic is that of the pair alone.
    return replace(
        alone,
        pvalue=together.pvalue,
        exact=together.exact,
        pvalue_floor=together.pvalue_floor,
        options=tuple(
            (name, "exact" if together.exact else "normal") if name == "p" else (name, value)
            for name, value in alone.options
        ),
    )


def _single(
    test: str,
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    aggregation: str,
    delta: float,
    shared: dict[str, Any],
    options: dict[str, Any],
    resampling: dict[str, Any],
) -> PairedTest:
    """Run a test that is about one pair only, or has options that all pairs do not."""
    row = _TESTS[test]
    if row.of in ("means", "shares") and aggregation not in ("mean", "median"):
        raise ValueError(
            f"`test` '{test}' compares means per item, got `aggregation` '{aggregation}'. "
            "Use 'signflip', which recomputes the corpus metric."
        )
    if row.of == "correlations" and aggregation not in CORRELATIONS:
        raise ValueError(
            f"`test` '{test}' compares correlations with gold, got `aggregation` "
            f"'{aggregation}'. Use 'signflip'."
        )
    if not row.delta and delta:
        raise ValueError(
            f"`delta` must be 0 for `test` '{test}', got {delta:g}. Use the bootstrap."
        )
    if test.endswith("-median"):
        return median_test(test, a, b, aggregation=aggregation, delta=delta, **shared, **resampling)
    if row.of == "correlations":
        correlated = steiger if test == "steiger" else williams
        return correlated(a, b, aggregation=aggregation, **shared)
    if test == "sign":
        return sign_test(a, b, delta=delta, **shared)
    if test == "wilcoxon":
        return wilcoxon(a, b, delta=delta, **shared, **options)
    return mcnemar(
        a, b, variant=test.removeprefix("mcnemar").removeprefix("-") or "exact", **shared
    )
