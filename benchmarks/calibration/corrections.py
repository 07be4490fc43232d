"""The corrections for many pairs, on boards of systems of which some are equally good."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy import special

from analysis.statistics.all_pairs.pairwise import pairwise
from analysis.statistics.all_pairs.simultaneous import SIMULTANEOUS
from analysis.statistics.multiplicity import METHODS, adjust
from analysis.statistics.paired.result import Groups
from benchmarks.calibration.populations import Truth
from benchmarks.calibration.samples import RIGHT_FROM, Sample

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
CORRECTIONS = (*METHODS, "max-t")
"""Those by one critical value are counted with their intervals, by `correct_at_once`."""
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
        # The options of both calls are of several types, which mypy joins into object.
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


def _true_shift(scores: FloatArray, effect: float) -> float:
    """Return how much better the first half of a board is in truth, on the scale of its scores."""
    shift = effect * math.sqrt(2 / scores.shape[1])
    if not np.isin(scores, (0.0, 1.0)).all():
        return shift
    right = special.ndtr((shift - RIGHT_FROM) / math.sqrt(2))
    return float(right - special.ndtr(-RIGHT_FROM / math.sqrt(2)))


def correct_at_once(sample: Sample, truth: Truth, groups: Groups, seed: int) -> FloatArray:
    """Correct by default tests in every way that has intervals for all pairs at once.

    Returns
    -------
    ndarray, shape (2 * number of corrections, 3)
        False rejections of each correction, then whether any of its intervals misses the truth.
    """
    scores = sample.a
    first, second = np.triu_indices(len(scores), 1)
    better = np.arange(len(scores)) < len(scores) // 2
    true = _true_shift(scores, truth.difference) * (
        better[first].astype(float) - better[second].astype(float)
    )
    false, missed = [], []
    for correction in SIMULTANEOUS:
        found = pairwise(
            scores, correction=correction, n_resamples=N_RESAMPLES, n_threads=1, rng=seed
        )
        low, high = (
            ends[first, second] for ends in (found.ci_simultaneous_low, found.ci_simultaneous_high)
        )
        false.append(false_rejections(found.pvalue_adjusted[first, second], true == 0, False))
        misses = bool(np.any((low > true) | (high < true)))
        missed.append([float(misses), math.nan, float(np.isnan(low).any())])
    return np.array(false + missed)
