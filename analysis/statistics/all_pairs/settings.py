"""What a comparison of all pairs is asked for, checked, and what that means for the scores."""

from typing import NamedTuple

import numpy.typing as npt

from analysis.statistics._typing import Alternative, FloatArray, Groups, IntArray, Seed
from analysis.statistics.aggregate import CORRELATIONS
from analysis.statistics.all_pairs.closed_forms import binary_rows, group_codes
from analysis.statistics.all_pairs.components import as_components
from analysis.statistics.all_pairs.simultaneous import SINGLE_STEP
from analysis.statistics.item_groups import as_group_codes
from analysis.statistics.multiplicity import METHODS
from analysis.statistics.paired.result import as_delta
from analysis.statistics.registry import TESTS, PairedTestRow
from analysis.statistics.validation import (
    ALTERNATIVES,
    as_bounds,
    as_choice,
    as_count,
    as_level,
    as_seed,
)

PAIRWISE_TESTS = ("auto", *(row.name for row in TESTS.values() if row.together))
CORRECTIONS = (*METHODS, "max-t", *SINGLE_STEP)
SHIFTABLE = ("mean", "median")
"""Metrics that a difference can be taken off of item by item."""
INTERVALS = ("auto", "t", "newcombe", "tango", "inverted", "percentile", "none")


class Settings(NamedTuple):
    """The arguments, checked, and what was chosen."""

    values: FloatArray
    aggregation: str
    codes: IntArray | None
    """Groups of items, where they join any."""
    n_groups: int | None
    """How many groups were named."""
    test: str
    """As asked for: "auto" chooses for each pair."""
    interval: str
    """As asked for: "auto" inverts the test of each pair where that can be done."""
    delta: float
    correction: str
    alternative: Alternative
    alpha: float
    n_resamples: int
    seed: int
    n_threads: int | None
    bounds: tuple[float, float] | None
    """The lowest and the highest value of the metric, as stated."""


def settle(
    scores: npt.ArrayLike,
    *,
    aggregation: str,
    test: str,
    interval: str,
    correction: str,
    alternative: Alternative,
    alpha: float,
    groups: Groups,
    n_resamples: int,
    rng: Seed,
    n_threads: int | None,
    delta: float,
    bounds: tuple[float, float] | None,
) -> Settings:
    """Check the arguments."""
    as_choice(test, "test", PAIRWISE_TESTS)
    as_choice(correction, "correction", CORRECTIONS)
    as_choice(interval, "interval", INTERVALS)
    as_choice(alternative, "alternative", ALTERNATIVES)
    level, resamples = as_level(alpha), as_count(n_resamples, "n_resamples")
    if n_threads is not None:
        as_count(n_threads, "n_threads")
    seed = as_seed(rng)
    values = as_components(scores, aggregation)
    n_items = values.shape[1]
    codes = group_codes(groups, n_items)
    n_groups = None if groups is None else int(as_group_codes(groups, n_items).max(initial=-1)) + 1
    binary = aggregation == "mean" and bool(binary_rows(values).all())
    shift = as_delta(delta)
    if shift and len(values) != 2:
        raise ValueError(
            f"`delta` is for two systems, got {shift:g} with {len(values)} of them. Leave it at 0."
        )
    if test != "auto":
        _check_test(TESTS[test], aggregation, binary, codes, n_groups, shift)
    _check_correction(correction, test, aggregation, alternative, codes)
    _check_interval(interval, aggregation, binary, codes)
    return Settings(
        values,
        aggregation,
        codes,
        n_groups,
        test,
        interval,
        shift,
        correction,
        alternative,
        level,
        resamples,
        seed,
        n_threads,
        None if bounds is None else as_bounds(bounds),
    )


def _check_test(
    test: PairedTestRow,
    aggregation: str,
    binary: bool,
    codes: IntArray | None,
    n_groups: int | None,
    delta: float,
) -> None:
    if test.of in ("means", "shares") and aggregation != "mean":
        raise ValueError(
            f"`test` '{test.name}' compares means per item, got `aggregation` '{aggregation}'. "
            "Use 'signflip', which recomputes the corpus metric."
        )
    if test.of == "correlations" and aggregation not in CORRELATIONS:
        raise ValueError(
            f"`test` '{test.name}' compares correlations with gold, got `aggregation` "
            f"'{aggregation}'. Use 'signflip'."
        )
    if test.of == "shares" and not binary:
        raise ValueError(
            f"`scores` must hold only 0, 1 and NaN for `test` '{test.name}'. Use 'signflip' for "
            "graded scores."
        )
    if not test.groups and codes is not None:
        raise ValueError(
            f"`test` '{test.name}' takes items as independent, but `groups` joins {codes.size} "
            f"items into {n_groups} groups. Use 'signflip', 't' or 'bootstrap', which take whole "
            "groups."
        )
    if delta and (not test.delta or (test.name == "signflip" and aggregation not in SHIFTABLE)):
        raise ValueError(
            f"`delta` must be 0 for `test` '{test.name}' of `aggregation` '{aggregation}', got "
            f"{delta:g}. Use the bootstrap."
        )


def _check_correction(
    correction: str, test: str, aggregation: str, alternative: str, codes: IntArray | None
) -> None:
    if correction not in ("max-t", *SINGLE_STEP):
        return
    if aggregation != "mean" or not (test == "auto" or TESTS[test].max_t):
        raise ValueError(
            f"`correction` '{correction}' is for means and takes `test` 't', 'score', 'mcnemar' "
            f"or 'signflip', got '{test}' with `aggregation` '{aggregation}'. Use 'holm'."
        )
    if correction in SINGLE_STEP and alternative != "two-sided":
        raise ValueError(
            f"`correction` '{correction}' is two-sided, got `alternative` '{alternative}'. Use "
            "'max-t' or 'holm'."
        )
    if correction == "tukey" and codes is not None:
        raise ValueError(
            "`correction` 'tukey' takes items as independent, but `groups` joins some. Use "
            "'max-t-single', which takes whole groups."
        )


def _check_interval(method: str, aggregation: str, binary: bool, codes: IntArray | None) -> None:
    if method in ("t", "newcombe", "tango", "inverted") and aggregation != "mean":
        raise ValueError(
            f"`interval` '{method}' is for means over items, got `aggregation` '{aggregation}'. "
            "Use 'percentile'."
        )
    if method not in ("newcombe", "tango"):
        return
    if not binary:
        raise ValueError(
            f"`scores` must hold only 0, 1 and NaN for `interval` '{method}'. Use 't' for graded "
            "scores."
        )
    if codes is not None:
        raise ValueError(
            f"`interval` '{method}' takes items as independent, but `groups` joins some. Use 't', "
            "which is cluster-robust."
        )
