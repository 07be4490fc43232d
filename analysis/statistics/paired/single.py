"""Tests that all pairs do not have, or not with their own statistic."""

from dataclasses import replace
from typing import Any, Final

import numpy.typing as npt

from analysis.statistics.aggregate import CORRELATIONS
from analysis.statistics.paired.correlation_tests import steiger, williams
from analysis.statistics.paired.mcnemar import mcnemar
from analysis.statistics.paired.medians import median_test
from analysis.statistics.paired.rank_tests import sign_test, wilcoxon
from analysis.statistics.paired.result import PairedTest
from analysis.statistics.registry import TESTS

WITH_STATISTIC: Final = ("wilcoxon", "sign", "mcnemar", "steiger")
"""Tests on all pairs whose statistic is computed for the pair alone."""


def with_pvalue_of(alone: PairedTest, together: PairedTest) -> PairedTest:
    """Return the test of a pair alone with the p-value that the pair has on a board."""
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


def single_test(
    test: str,
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    aggregation: str,
    delta: float,
    shared: dict[str, Any],
    resampling: dict[str, Any],
    of_wilcoxon: dict[str, Any],
) -> PairedTest:
    """Run a test that is about one pair only, has a statistic of its own, or options.

    Parameters
    ----------
    test, a, b, aggregation, delta
        As for `paired_test`; not "auto".
    shared : dict
        `alternative` and `groups`.
    resampling : dict
        `n_resamples` and `rng`, of tests of medians.
    of_wilcoxon : dict
        `zeros`, `method` and `continuity`, as for `wilcoxon`.

    Raises
    ------
    TypeError, ValueError
        If the test does not know the aggregation, the `delta` or such scores.
    """
    row = TESTS[test]
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
        return wilcoxon(a, b, delta=delta, **shared, **of_wilcoxon)
    return mcnemar(
        a, b, variant=test.removeprefix("mcnemar").removeprefix("-") or "exact", **shared
    )
