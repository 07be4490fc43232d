"""What a comparison of all pairs is asked for, checked, and what that means for the scores."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import Alternative, FloatArray, Seed
from analysis.statistics.aggregate import CORRELATIONS
from analysis.statistics.all_pairs.closed_forms import group_codes, is_binary
from analysis.statistics.all_pairs.components import as_components
from analysis.statistics.item_groups import as_group_codes
from analysis.statistics.multiplicity import METHODS
from analysis.statistics.paired.result import Groups
from analysis.statistics.validation import (
    ALTERNATIVES,
    as_choice,
    as_count,
    as_level,
    as_seed,
)

IntArray = npt.NDArray[np.int64]

PAIRWISE_TESTS = ("auto", "t", "wilcoxon", "sign", "signflip", "bootstrap", "mcnemar", "steiger")
CORRECTIONS = (*METHODS, "max-t")
INTERVALS = ("auto", "t", "newcombe", "tango", "percentile", "none")
_OF_MEANS = ("t", "wilcoxon", "sign", "mcnemar")
_OF_INDEPENDENT_ITEMS = ("wilcoxon", "sign", "mcnemar", "steiger")
_FOR_MAX_T = ("t", "mcnemar", "signflip")


class Settings(NamedTuple):
    """The arguments, checked, and what was chosen."""

    values: FloatArray
    aggregation: str
    codes: IntArray | None
    """Groups of items, where they join any."""
    test: str
    interval: str
    correction: str
    alternative: Alternative
    alpha: float
    n_resamples: int
    seed: int
    n_threads: int | None


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
) -> tuple[Settings, str, int | None]:
    """Check the arguments and choose; the reason and the number of groups come along."""
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
    binary = aggregation == "mean" and is_binary(values)
    chosen, why = test, "Asked for by name."
    if test == "auto":
        chosen, why = _choose_test(aggregation, binary, grouped=codes is not None)
    _check_test(chosen, aggregation, binary, codes, n_groups)
    _check_correction(correction, chosen, aggregation)
    method = interval
    if interval == "auto":
        method = _choose_interval(aggregation, binary, grouped=codes is not None)
    _check_interval(method, aggregation, binary, codes)
    settings = Settings(
        values,
        aggregation,
        codes,
        chosen,
        method,
        correction,
        alternative,
        level,
        resamples,
        seed,
        n_threads,
    )
    return settings, why, n_groups


def _choose_test(aggregation: str, binary: bool, *, grouped: bool) -> tuple[str, str]:
    """Return the test that suits the scores, and why."""
    if grouped:
        return "signflip", "Items of one group depend on each other: whole groups are exchanged."
    if aggregation in CORRELATIONS:
        return "steiger", "All correlations share gold and items: they depend on each other."
    if aggregation == "median":
        # Exchanging systems ranks every pair again in every resample; drawing items, every system.
        return "bootstrap", "The median of every system is computed again on items drawn anew."
    if aggregation != "mean":
        return "signflip", (
            "The corpus metric is recomputed from sums over items: systems are exchanged."
        )
    if binary:
        return "mcnemar", "All scores are 0 or 1: McNemar's exact test needs no approximation."
    return "signflip", (
        "Graded scores: exchanging systems needs no assumption about their distribution."
    )


def _choose_interval(aggregation: str, binary: bool, *, grouped: bool) -> str:
    if aggregation != "mean":
        return "percentile"
    return "tango" if binary and not grouped else "t"


def _check_test(
    test: str, aggregation: str, binary: bool, codes: IntArray | None, n_groups: int | None
) -> None:
    if test in _OF_MEANS and aggregation != "mean":
        raise ValueError(
            f"`test` '{test}' compares means per item, got `aggregation` '{aggregation}'. Use "
            "'signflip', which recomputes the corpus metric."
        )
    if test == "steiger" and aggregation not in CORRELATIONS:
        raise ValueError(
            f"`test` 'steiger' compares correlations with gold, got `aggregation` "
            f"'{aggregation}'. Use 'signflip'."
        )
    if test == "mcnemar" and not binary:
        raise ValueError(
            "`scores` must hold only 0, 1 and NaN for `test` 'mcnemar'. Use 'signflip' for graded "
            "scores."
        )
    if test in _OF_INDEPENDENT_ITEMS and codes is not None:
        raise ValueError(
            f"`test` '{test}' takes items as independent, but `groups` joins {codes.size} items "
            f"into {n_groups} groups. Use 'signflip', 't' or 'bootstrap', which take whole groups."
        )


def _check_correction(correction: str, test: str, aggregation: str) -> None:
    if correction == "max-t" and (test not in _FOR_MAX_T or aggregation != "mean"):
        raise ValueError(
            "`correction` 'max-t' goes by the sign-flip test of means and takes `test` 't', "
            f"'mcnemar' or 'signflip', got '{test}' with `aggregation` '{aggregation}'. Use "
            "'holm'."
        )


def _check_interval(method: str, aggregation: str, binary: bool, codes: IntArray | None) -> None:
    if method in ("t", "newcombe", "tango") and aggregation != "mean":
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
