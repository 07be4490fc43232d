"""The corrections for many pairs, on boards of systems of which some are equally good."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from analysis.statistics.all_pairs.pairwise import pairwise
from analysis.statistics.multiplicity import METHODS, adjust
from analysis.statistics.paired.result import Groups
from benchmarks.calibration.populations import Truth
from benchmarks.calibration.samples import Sample

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
CORRECTIONS = (*METHODS, "max-t")
"""Single-step ones are counted by a test of their own: they follow from one critical value."""
LEVELS = (0.05, 0.01)
N_RESAMPLES = 999
OF_SHARES = ("bh", "by")
"""Corrections that bound the expected share of false ones among the differences found."""


def false_rejections(adjusted: FloatArray, true_null: BoolArray, share: bool) -> list[float]:
    """Return, at both levels, whether any true null is rejected; or their share of all."""
    found = []
    for level in LEVELS:
        rejected = adjusted <= level
        false, all_ = int(np.sum(rejected & true_null)), int(np.sum(rejected))
        found.append(false / max(1, all_) if share else float(false > 0))
    return [*found, float(np.isnan(adjusted).any())]


def correct(test: str) -> Callable[..., FloatArray]:
    """Return a run that corrects the p-values of a board's pairs in every way."""

    def run(sample: Sample, truth: Truth, groups: Groups, seed: int) -> FloatArray:
        scores = sample.a
        first, second = np.triu_indices(len(scores), 1)
        half = len(scores) // 2
        true_null = (truth.difference == 0) | ((first < half) == (second < half))
        options = {"test": test, "interval": "none", "n_resamples": N_RESAMPLES, "n_threads": 1}
        plain = pairwise(scores, correction="none", rng=seed, **options)  # type: ignore[arg-type]
        largest = pairwise(scores, correction="max-t", rng=seed, **options)  # type: ignore[arg-type]
        outcomes = []
        for correction in CORRECTIONS:
            if correction == "max-t":
                adjusted = largest.pvalue_adjusted[first, second]
            else:
                adjusted = adjust(plain.pvalue[first, second], correction).pvalues_adjusted
            share = correction in OF_SHARES
            outcomes.append(false_rejections(adjusted, true_null, share))
        return np.array(outcomes)

    return run
