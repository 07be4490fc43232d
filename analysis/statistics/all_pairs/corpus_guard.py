"""The guard of the bootstrap of corpus metrics: the most careful of three answers.

The bootstrap's; the jackknife's; and that of the guard of means, applied to the pseudo-values of
the jackknife: what each item adds to the metric of its system.
"""

from __future__ import annotations

import numpy as np
import scipy

from analysis.statistics._typing import Alternative, BoolArray, ByteArray, FloatArray, IntArray
from analysis.statistics.aggregate import aggregate_sums
from analysis.statistics.all_pairs.choice import Choice
from analysis.statistics.all_pairs.complete_sets import CompleteSet, complete_sets, triangle
from analysis.statistics.all_pairs.guarding import Guarding
from analysis.statistics.resampling.tails import of_t
from analysis.statistics.validity_bounds import BOUNDS, Reason

_PAIRS_AT_ONCE = 256


class CorpusGuard:
    """The jackknife of all pairs and the guard of means, applied to the answers of the bootstrap.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 11; Tukey (1958), Bias
    and confidence in not quite large samples, for pseudo-values.
    """

    def __init__(
        self,
        values: FloatArray,
        difference: FloatArray,
        n_units: IntArray,
        choice: Choice,
        *,
        aggregation: str,
        codes: IntArray | None,
        alternative: Alternative,
        null: float,
        n_threads: int | None,
    ) -> None:
        """Look at component scores, shape (n_systems, n_items, n_components)."""
        self._difference, self._alternative, self._null = difference, alternative, null
        self._error = _errors(values, aggregation, codes)
        self._df = np.maximum(n_units - 1, 1).astype(np.float64)
        self._applies = (n_units <= BOUNDS["corpus-units"].value) & (self._error > 0)
        pseudo = pseudo_values(values, aggregation)
        if null:
            pseudo[0] -= null
        self._by_items = Guarding(
            pseudo,
            choice,
            codes=codes,
            runs=None,
            alternative=alternative,
            null=null,
            few_groups=np.inf,
            n_threads=n_threads,
        )
        self._jackknifed: BoolArray = np.zeros(difference.shape, np.bool_)

    @property
    def reason(self) -> ByteArray:
        """`Reason` of each pair."""
        found = self._by_items.reason
        alone = self._jackknifed & (found == Reason.KEPT)
        return np.where(alone, np.uint8(Reason.JACKKNIFE), found)

    def pvalues(self, pvalue: FloatArray, choice: Choice) -> tuple[FloatArray, Choice]:
        """Return p-values, nowhere below the jackknife's, and the choice less what is refused."""
        with np.errstate(invalid="ignore", divide="ignore"):
            statistic = (self._difference - self._null) / self._error
        other = of_t(statistic, self._alternative, self._df)
        higher = self._applies & (other > pvalue)
        self._jackknifed |= higher
        return self._by_items.pvalues(np.where(higher, other, pvalue), choice)

    def ends(
        self, low: FloatArray, high: FloatArray, level: float
    ) -> tuple[FloatArray, FloatArray]:
        """Return intervals that hold the jackknife's and what the guard of means asks for."""
        reach = scipy.special.stdtrit(self._df, 0.5 + level / 2) * self._error
        reach = np.where(self._applies, reach, np.nan)
        below = np.where(self._difference - reach < low, self._difference - reach, low)
        above = np.where(self._difference + reach > high, self._difference + reach, high)
        self._jackknifed |= (below < low) | (above > high)
        return self._by_items.ends(below, above, level)


def pseudo_values(values: FloatArray, aggregation: str) -> FloatArray:
    """Return n times the metric less n - 1 times that without an item, (n_systems, n_items).

    NaN = missing, or undefined without the item.
    """
    found = np.full(values.shape[:2], np.nan)
    for system in range(len(values)):
        there = ~np.isnan(values[system]).any(axis=1)
        own, n = values[system, there], int(there.sum())
        if n < 2:
            continue
        whole = aggregate_sums(own.sum(axis=0, keepdims=True), aggregation, n)
        left = np.clip(own.sum(axis=0) - own, 0.0, None)
        found[system, there] = n * whole - (n - 1) * aggregate_sums(left, aggregation, n - 1)
    return found


def _errors(values: FloatArray, aggregation: str, codes: IntArray | None) -> FloatArray:
    """Return jackknife standard errors of all differences; NaN where there are none."""
    n_systems = len(values)
    first, second = triangle(n_systems)
    found = np.full((n_systems, n_systems), np.nan)
    for part in complete_sets(~np.isnan(values[:, :, 0])):
        without = _without_units(values, part, aggregation, codes)
        n_units = without.shape[1]
        if n_units < 2:
            continue
        for start in range(0, part.pairs.size, _PAIRS_AT_ONCE):
            at = slice(start, start + _PAIRS_AT_ONCE)
            apart = without[part.left[at]] - without[part.right[at]]
            spread = np.sqrt((n_units - 1) * np.var(apart, axis=1))
            i, j = first[part.pairs[at]], second[part.pairs[at]]
            found[i, j] = found[j, i] = spread
    return found


def _without_units(
    values: FloatArray, part: CompleteSet, aggregation: str, codes: IntArray | None
) -> FloatArray:
    """Return each system's metric without one unit after the other, (n_systems, n_units)."""
    own = values[np.ix_(part.systems, part.items)]
    sizes = np.ones(part.items.size)
    if codes is not None:
        labels = codes[part.items]
        order = np.argsort(labels, kind="stable")
        starts = np.unique(labels[order], return_index=True)[1]
        own = np.add.reduceat(own[:, order], starts, axis=1)
        sizes = np.add.reduceat(sizes, starts)
    left = np.clip(own.sum(axis=1, keepdims=True) - own, 0.0, None)
    return aggregate_sums(left, aggregation, np.maximum(sizes.sum() - sizes, 1.0))
