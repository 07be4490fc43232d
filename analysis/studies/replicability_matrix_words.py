"""What the counts of datasets for all pairs say in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import IntArray
from analysis.statistics.validity_bounds import Reason
from analysis.studies.study import count


def coverage(n_testable: IntArray, n_datasets: int) -> list[str]:
    """Tell of pairs that are counted out of fewer datasets than there are."""
    shared = n_testable[np.triu_indices(len(n_testable), 1)]
    partial = int(np.count_nonzero(shared < n_datasets))
    if not partial:
        return []
    return [
        f"{count(partial, 'pair')} of {len(shared):,} can be tested on fewer than all "
        f"{n_datasets} datasets; each count is out of the datasets that the pair shares."
    ]


def leaning(reason: npt.NDArray[np.int8], pvalue: npt.NDArray[np.float64]) -> list[str]:
    """Tell of p-values that skewed differences ask to be raised; shape (n_cells, n, n) each."""
    n_tests = int(np.count_nonzero(~np.isnan(pvalue)))
    n_raised = int(np.count_nonzero((reason != Reason.KEPT) & ~np.isnan(pvalue)))
    if not n_raised:
        return []
    n_invalid = int(np.count_nonzero((reason == Reason.NO_VALID_TEST) & ~np.isnan(pvalue)))
    told = (
        f"{n_raised:,} of {n_tests:,} one-sided p-values are raised, since the differences lean to "
        "the other side, or may hide large losses, and a count adds up such errors."
    )
    if n_invalid:
        told += f" For {n_invalid:,} of them no test is valid: there nothing is counted."
    return [told]


def sentence(
    systems: Sequence[str],
    k: IntArray,
    n_shared: IntArray,
    over: str,
) -> str:
    """Name who leads, and how many pairs stay open.

    `over` says over what, by which estimator, and whether pairs are taken together.
    """
    upper = np.triu_indices(len(systems), 1)
    testable = n_shared[upper] > 0
    n_pairs = int(np.count_nonzero(testable))
    undecided = int(np.count_nonzero((np.maximum(k, k.T)[upper] == 0) & testable))
    if not n_pairs:
        return f"No pair of systems can be tested ({over})."
    half = np.maximum(np.ceil(n_shared / 2).astype(np.int64), 1)
    beaten = np.count_nonzero((k >= half) & (n_shared > 0), axis=1)
    best = int(np.argmax(beaten))
    first = (
        f"{systems[best]} is better than {int(beaten[best])} of {len(systems) - 1} other systems "
        f"on at least half of the datasets they share ({over})"
        if beaten[best]
        else f"No system is shown better than another on half of the datasets they share ({over})"
    )
    second = (
        f"no dataset can be counted for either side in {undecided:,} of {count(n_pairs, 'pair')}"
        if undecided
        else f"at least one dataset counts for one side in each of {n_pairs:,} pairs"
        if n_pairs > 1
        else "at least one dataset counts for at least one side"
    )
    return f"{first}; {second}."
