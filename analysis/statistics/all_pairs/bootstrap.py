"""The paired bootstrap of all pairs: items, or groups of them, drawn once for all systems."""

import warnings
from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import BoolArray, FloatArray, IntArray, Progress
from analysis.statistics.all_pairs.closed_forms import Moments, paired_moments, square
from analysis.statistics.all_pairs.complete_sets import (
    CompleteSet,
    complete_sets,
    count_sets,
    triangle,
)
from analysis.statistics.all_pairs.resampling import (
    Resampled,
    ResamplingOptions,
    resample_pairs,
    resample_rows,
)
from analysis.statistics.all_pairs.result import PairMethod, PairPvalues
from analysis.statistics.fixed_point import whole_scores
from analysis.statistics.item_groups import renumber
from analysis.statistics.precision import coarser, precision_of
from analysis.statistics.resampling.system_metric import corpus_metric, mean_metric, sum_units
from analysis.statistics.resampling.threads import part_of
from analysis.statistics.results import DegenerateDataWarning

MAX_SETS = 64
"""Up to this many different sets of shared items, each gets a plan of its own."""
_ENOUGH_SHARED = 64
_VALUES_AT_ONCE = 1 << 23


class BootstrapPairs(NamedTuple):
    """P-values and intervals of all pairs; matrices of shape (n_systems, n_systems)."""

    pvalues: PairPvalues
    low: FloatArray
    high: FloatArray
    standard_error: FloatArray


def bootstrap_all_pairs(
    values: FloatArray,
    aggregation: str = "mean",
    *,
    by_percentiles: bool = False,
    codes: IntArray | None = None,
    alternative: str = "two-sided",
    delta: float = 0.0,
    n_resamples: int = 9_999,
    seed: int = 0,
    confidence_level: float | None = 0.95,
    n_threads: int | None = None,
    progress: Progress | None = None,
    moments: Moments | None = None,
    warn: bool = True,
) -> BootstrapPairs:
    """Test all pairs by drawing items anew, with percentile intervals.

    Parameters
    ----------
    values : ndarray, shape (n_systems, n_items, n_components)
        An item that a system misses has NaN in all components.
    aggregation : str
        One of `AGGREGATIONS`; the metric is computed anew for each replicate.
    by_percentiles : bool
        False: the shift method, ``|T* - t| >= |t - delta|``. True: twice the smaller share of
        replicates on one side of `delta`, which the percentile interval inverts.
    codes : ndarray of int, shape (n_items,), optional
        Numbers of the items' groups from 0; whole groups are drawn.
    alternative : {"two-sided", "greater", "less"}
    delta : float
        Difference under the null hypothesis.
    n_resamples, seed : int
    confidence_level : float, optional
        Of the percentile intervals; None saves time and memory.
    n_threads, progress
        As for `run_blocks`.
    moments : Moments, optional
        Of the same scores, if they are at hand; used by "mean".
    warn : bool
        False if only the intervals are wanted.

    Returns
    -------
    BootstrapPairs
        p = (count + 1) / (n_resamples + 1). Where every replicate gives the same difference, 1 if
        it is `delta`, and NaN otherwise; NaN without shared items and where a metric is not
        defined. A replicate whose metric is not defined counts as extreme and is left out of the
        interval; no interval for fewer than two units.

    Warns
    -----
    DegenerateDataWarning
        If every replicate of a pair gives the same difference other than `delta`.

    Notes
    -----
    Pairs that share the same items are resampled together, from a plan over just these items, so
    a missing item is as good as left out. Where that would take more than 64 plans, means of
    pairs with at least 64 shared items are taken over those of the items drawn, out of all there
    are, that both systems have. Memory: n_systems · n_resamples values for intervals, and 64 MiB.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, 13.3 and 16.4; Noreen (1989),
    Computer-Intensive Methods for Testing Hypotheses (shift method).
    """
    first, second = triangle(len(values))
    present = ~np.isnan(values[:, :, 0])
    plan = _Plan(
        values,
        aggregation,
        codes,
        {
            "two_sided": alternative == "two-sided" and not by_percentiles,
            "by_percentiles": by_percentiles,
            "delta": delta,
            "n_resamples": n_resamples,
            "seed": seed,
            # Metrics other than means need the spread of the replicates to be tested at all.
            "confidence_level": 0.95 if confidence_level is None else confidence_level,
            "n_threads": n_threads,
        },
    )
    if aggregation == "mean" and confidence_level is None:
        plan.options["confidence_level"] = None
    in_rows = np.zeros(first.size, dtype=np.bool_)
    if aggregation == "mean" and count_sets(present) > MAX_SETS:
        mask = present.astype(np.float64)
        in_rows = (mask @ mask.T)[first, second] >= _ENOUGH_SHARED
    sets = list(complete_sets(present, np.flatnonzero(~in_rows)))
    at_once = max(1, _VALUES_AT_ONCE // max(n_resamples, present.shape[1]))
    listed = np.flatnonzero(in_rows)
    tiles = [listed[start : start + at_once] for start in range(0, listed.size, at_once)]
    n_parts = len(sets) + len(tiles)
    for index, part in enumerate(sets):
        plan.resample_set(part, part_of(progress, index, n_parts))
    for index, tile in enumerate(tiles, start=len(sets)):
        plan.resample_tile(tile, part_of(progress, index, n_parts))
    return plan.finish(alternative, moments, warn)


class _Plan:
    """What is resampled, and what was found for each pair of the upper triangle."""

    def __init__(
        self,
        values: FloatArray,
        aggregation: str,
        codes: IntArray | None,
        options: ResamplingOptions,
    ) -> None:
        self._values, self._aggregation, self._codes = values, aggregation, codes
        self.options = options
        self._first, self._second = triangle(len(values))
        n_pairs = self._first.size
        self._counts = np.zeros((2, n_pairs), dtype=np.int64)
        self._ends = np.full((3, n_pairs), np.nan)
        self._testable = np.zeros(n_pairs, dtype=np.bool_)
        self._constant = np.zeros(n_pairs, dtype=np.bool_)
        self._at_delta = np.zeros(n_pairs, dtype=np.bool_)

    def resample_set(self, part: CompleteSet, progress: Progress | None) -> None:
        """Resample pairs that share the same items."""
        values = self._values[np.ix_(part.systems, part.items)]
        codes = None if self._codes is None else renumber(self._codes[part.items])
        if self._aggregation == "mean":
            metric = mean_metric(values[:, :, 0], codes)
        else:
            metric = corpus_metric(values, self._aggregation, codes)
        found = resample_pairs(metric, part.left, part.right, progress=progress, **self.options)
        observed = metric.observed[part.left] - metric.observed[part.right]
        self._enter(part.pairs, found, metric.n_units > 1)
        self._testable[part.pairs] = ~np.isnan(observed)
        if self._aggregation != "mean":
            room = coarser(metric.room, part.left, part.right)
            # No spread at all also where no replicate is defined: then the spread is NaN.
            self._constant[part.pairs] = ~(found.standard_error > room)
            self._at_delta[part.pairs] = ~(np.abs(observed - self.options["delta"]) > room)

    def resample_tile(self, pairs: IntArray, progress: Progress | None) -> None:
        """Resample the means of pairs that each have items of their own."""
        whole = whole_scores(self._values[:, :, 0])
        left, right = self._first[pairs], self._second[pairs]
        present = ~np.isnan(self._values[:, :, 0])
        shared = present[left] & present[right]
        steps = whole.steps.astype(np.float64)
        differences = np.where(shared, steps[left] - steps[right], 0.0)
        sizes = shared.astype(np.float64)
        if self._codes is not None:
            differences = sum_units(np.ascontiguousarray(differences.T), self._codes).T
            sizes = sum_units(np.ascontiguousarray(sizes.T), self._codes).T
        rounding = np.zeros(pairs.size)
        if not whole.exact:
            near = coarser(precision_of(self._values[:, :, 0]), left, right)
            rounding = near / whole.step / np.sum(sizes, axis=1) + 4
        options = self.options.copy()
        options["delta"] /= whole.step
        found = resample_rows(differences, sizes, rounding, progress=progress, **options)
        several = np.count_nonzero(sizes, axis=1) > 1
        low, high, error = (end * whole.step for end in found[2:])
        self._enter(pairs, found._replace(low=low, high=high, standard_error=error), several)
        self._testable[pairs] = True

    def finish(self, alternative: str, moments: Moments | None, warn: bool) -> BootstrapPairs:
        """Return what was found as matrices."""
        at = (self._first, self._second)
        if self._aggregation == "mean":
            delta = self.options["delta"]
            if moments is None or delta:
                scores = self._values[:, :, 0]
                if delta:
                    scores = scores - np.array([[delta], [0.0]])
                moments = paired_moments(scores, groups=self._codes)
            # A single unit, or the same difference on all of them.
            self._constant = ~(moments.standard_error[at] > 0)
            self._at_delta = moments.identical[at]
        n_systems = len(self._values)
        low, high = (np.full((n_systems, n_systems), np.nan) for _ in range(2))
        # Where every replicate is the same, an interval of no width would read as certainty.
        self._ends[:2, ~(self._ends[2] > 0)] = np.nan
        low[at], high[at] = self._ends[0], self._ends[1]
        low[at[::-1]], high[at[::-1]] = 0.0 - self._ends[1], 0.0 - self._ends[0]
        error = np.full((n_systems, n_systems), np.nan)
        error[at] = error[at[::-1]] = self._ends[2]
        pvalues = self._pvalues(alternative, warn)
        return BootstrapPairs(pvalues, low, high, error)

    def _enter(self, pairs: IntArray, found: Resampled, several: BoolArray | bool) -> None:
        self._counts[0, pairs], self._counts[1, pairs] = found.at_least, found.at_most
        ends = np.stack([found.low, found.high, found.standard_error])
        self._ends[:, pairs] = np.where(several, ends, np.nan)

    def _pvalues(self, alternative: str, warn: bool) -> PairPvalues:
        constant = self._constant & ~self._at_delta & self._testable
        if warn and constant.any():
            warnings.warn(
                f"Every resample gives {np.count_nonzero(constant)} of {constant.size} pairs the "
                "same difference: the bootstrap has no spread to work with and their p-value is "
                "NaN. Use the sign-flip test.",
                DegenerateDataWarning,
                stacklevel=4,
            )
        total = self.options["n_resamples"] + 1
        above, below = (self._counts + 1) / total
        floor = np.full(above.size, 1 / total)
        if self.options["by_percentiles"] and alternative == "two-sided":
            above = below = np.minimum(1.0, 2.0 * np.minimum(above, below))
            floor = np.minimum(1.0, 2.0 * floor)
        if alternative == "less":
            above, below = below, above
        settled = self._constant & self._at_delta
        above, below = (np.where(settled, 1.0, tail) for tail in (above, below))
        untestable = constant | ~self._testable
        above, below = (np.where(untestable, np.nan, tail) for tail in (above, below))
        n_systems = len(self._values)
        return square(n_systems, above, below, floor, floor, PairMethod.MONTE_CARLO)
