"""Corpus metrics of many resamples at once.

A resample of items, or of whole groups of items, is how often each one was drawn. Metrics of sums
(means, ratios, F1, BLEU, chrF, Pearson's correlation by its moments) come from one matrix product
of these counts with the units' sums; medians and Spearman's correlation from cumulated counts in
the order of the scores. No metric is computed item by item in Python.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.aggregate import aggregate_sums, is_sum_based
from analysis.statistics.correlations import standardise
from analysis.statistics.fixed_point import whole_differences
from analysis.statistics.random_streams import BLOCK_ROWS, Stream, raw_words

_Codes: TypeAlias = IntArray | None
_FromSums: TypeAlias = Callable[[FloatArray], FloatArray]
_INNER_RESAMPLES = 32
_INNER_BLOCKS = 1 << 32  # keys of inner resamples lie beyond those of any block of outer ones
_TILE = 1 << 15
_RELATIVE_STEP = 1e-6
_CONSTANT = 1e-12
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


class ResampledMetric(Protocol):
    """A metric, or a difference of two, as a function of how often each unit was drawn."""

    @property
    def n_units(self) -> int:
        """Items, or groups that are drawn as a whole."""

    def values(self, counts: FloatArray) -> FloatArray:
        """Return the metric of each row of `counts`, (n_rows, n_units); NaN where undefined."""

    def leave_one_out(self) -> FloatArray:
        """Return the metric without each unit in turn, shape (n_units,)."""

    def standard_errors(self, counts: FloatArray, seed: int, first: int) -> FloatArray:
        """Return a standard error for each row; `seed` and the number of the first row key it."""


def _units(words: npt.NDArray[np.uint64], n_units: int) -> IntArray:
    """Return the units that rows of words stand for, shape (n_rows, n_units)."""
    n = np.uint64(n_units)
    lanes = np.stack([((words & _LOW) * n) >> _HALF, ((words >> _HALF) * n) >> _HALF], axis=2)
    return lanes.reshape(len(words), -1)[:, :n_units].astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class _OfSums:
    """A smooth function of the sums of what units bring along."""

    sums: FloatArray
    """Shape (n_units, n_columns); the last column is the number of items."""
    function: _FromSums

    @property
    def n_units(self) -> int:
        return len(self.sums)

    def values(self, counts: FloatArray) -> FloatArray:
        return self.function(counts @ self.sums)

    def leave_one_out(self) -> FloatArray:
        return self.function(np.sum(self.sums, axis=0) - self.sums)

    def standard_errors(self, counts: FloatArray, seed: int, first: int) -> FloatArray:
        """Linearise: the variance of the units' influence (delta method)."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._linearised(counts)

    def _linearised(self, counts: FloatArray) -> FloatArray:
        totals = counts @ self.sums
        steps = _RELATIVE_STEP * (counts @ np.abs(self.sums))
        gradient = np.zeros_like(totals)
        for column in range(totals.shape[1]):
            # A column without a step is 0 for every unit drawn: its slope does not matter.
            step = np.zeros_like(totals)
            step[:, column] = steps[:, column]
            rise = self.function(totals + step) - self.function(totals - step)
            np.divide(
                rise, 2 * steps[:, column], out=gradient[:, column], where=steps[:, column] > 0
            )
        influence = gradient @ self.sums.T
        n = np.sum(counts, axis=1)
        mean = np.sum(counts * influence, axis=1) / n
        variance = np.sum(counts * (influence - mean[:, np.newaxis]) ** 2, axis=1)
        return np.asarray(np.sqrt(variance * n / np.maximum(n - 1, 1)))


@dataclass(frozen=True, slots=True, eq=False)
class _OfOrder:
    """A function of how often each item counts, which no sums can give."""

    n_units: int
    codes: _Codes
    metric: _FromSums
    """From counts of items, (n_rows, n_items), to (n_rows,)."""

    def values(self, counts: FloatArray) -> FloatArray:
        values = np.empty(len(counts))
        # A few rows at a time, so that cumulated counts stay in cache.
        rows = max(1, _TILE // max(1, counts.shape[1]))
        for start in range(0, len(counts), rows):
            tile = counts[start : start + rows]
            values[start : start + rows] = self.metric(
                tile if self.codes is None else tile[:, self.codes]
            )
        return values

    def leave_one_out(self) -> FloatArray:
        values = np.empty(self.n_units)
        for start in range(0, self.n_units, BLOCK_ROWS):
            left_out = np.arange(start, min(start + BLOCK_ROWS, self.n_units))
            counts = np.ones((left_out.size, self.n_units))
            counts[np.arange(left_out.size), left_out] = 0.0
            values[left_out] = self.values(counts)
        return values

    def standard_errors(self, counts: FloatArray, seed: int, first: int) -> FloatArray:
        """Resample each resample: the standard deviation of 32 inner resamples."""
        errors = np.empty(len(counts))
        n = self.n_units
        per_row = -(-n // 2)
        rows = np.arange(_INNER_RESAMPLES)[:, np.newaxis] * n
        for row, count in enumerate(counts):
            block = _INNER_BLOCKS + first + row
            words = raw_words(seed, Stream.BOOTSTRAP, block, _INNER_RESAMPLES * per_row)
            drawn = np.repeat(np.arange(n), count.astype(np.int64))
            units = drawn[_units(words.reshape(_INNER_RESAMPLES, per_row), n)]
            inner = np.bincount((units + rows).reshape(-1), minlength=_INNER_RESAMPLES * n)
            values = self.values(inner.reshape(_INNER_RESAMPLES, n).astype(np.float64))
            values = values[~np.isnan(values)]
            errors[row] = np.std(values, ddof=1) if values.size > 1 else math.nan
        return errors


def resampled_metric(
    sides: tuple[FloatArray, ...], aggregation: str, codes: _Codes = None
) -> ResampledMetric:
    """Prepare a metric, or the difference of two, for resampling.

    Parameters
    ----------
    sides : tuple of ndarray, shape (n_items, n_components)
        One system, or two of which the first less the second is wanted; complete items.
    aggregation : str
        One of `AGGREGATIONS`.
    codes : ndarray of int, shape (n_items,), optional
        Numbers of the items' groups from 0, drawn as a whole.
    """
    if aggregation == "mean":
        return _mean(sides, codes)
    if aggregation == "pearson":
        moments = [_moments(side) for side in sides]
        return _of_sums(moments, codes, [_pearson for _ in sides])
    if is_sum_based(aggregation):

        def metric(sums: FloatArray) -> FloatArray:
            return aggregate_sums(sums[..., :-1], aggregation, sums[..., -1])

        return _of_sums(list(sides), codes, [metric for _ in sides])
    prepare = _median if aggregation == "median" else _spearman
    metrics = [prepare(side) for side in sides]

    def difference(counts: FloatArray) -> FloatArray:
        values = [metric(counts) for metric in metrics]
        return values[0] if len(values) == 1 else values[0] - values[1]

    n_units = len(sides[0]) if codes is None else int(np.max(codes, initial=-1)) + 1
    return _OfOrder(n_units, codes, difference)


def _mean(sides: tuple[FloatArray, ...], codes: _Codes) -> _OfSums:
    """Return a mean of whole steps, whose sums are exact."""
    second = sides[1][:, 0] if len(sides) == 2 else np.zeros(len(sides[0]))
    whole = whole_differences(sides[0][:, 0], second)

    def mean(sums: FloatArray) -> FloatArray:
        return _over(sums[..., 0], sums[..., 1]) * whole.step

    return _of_sums([whole.steps[:, np.newaxis]], codes, [mean])


def _of_sums(columns: list[FloatArray], codes: _Codes, metrics: list[_FromSums]) -> _OfSums:
    width = columns[0].shape[1]
    ones = np.ones((len(columns[0]), 1))
    units = _sum_units(np.concatenate([*columns, ones], axis=1), codes)

    def function(sums: FloatArray) -> FloatArray:
        size = sums[..., -1:]
        values = [
            metric(np.concatenate([sums[..., i * width : (i + 1) * width], size], axis=-1))
            for i, metric in enumerate(metrics)
        ]
        return values[0] if len(values) == 1 else values[0] - values[1]

    return _OfSums(units, function)


def _sum_units(columns: FloatArray, codes: _Codes) -> FloatArray:
    if codes is None:
        return columns
    n_groups = int(np.max(codes, initial=-1)) + 1
    sums = [np.bincount(codes, weights=column, minlength=n_groups) for column in columns.T]
    return np.stack(sums, axis=1)


def _moments(side: FloatArray) -> FloatArray:
    """Return x, y, x², y², xy of standardised prediction x and gold y."""
    x, y = standardise(side[:, 0]), standardise(side[:, 1])
    return np.stack([x, y, x * x, y * y, x * y], axis=1)


def _pearson(sums: FloatArray) -> FloatArray:
    sx, sy, sxx, syy, sxy, n = np.moveaxis(sums, -1, 0)
    spread_x, spread_y = n * sxx - sx * sx, n * syy - sy * sy
    defined = (spread_x > _CONSTANT * n * sxx) & (spread_y > _CONSTANT * n * syy)
    r = _over(n * sxy - sx * sy, np.sqrt(np.where(defined, spread_x * spread_y, 0.0)))
    return np.clip(r, -1.0, 1.0)


def _median(side: FloatArray) -> _FromSums:
    order = np.argsort(side[:, 0], kind="stable")
    ascending = side[order, 0]

    def median(counts: FloatArray) -> FloatArray:
        reached = np.cumsum(counts[:, order], axis=1)
        n = reached[:, -1:]
        last = len(ascending) - 1
        low = np.sum(reached <= np.floor((n - 1) / 2), axis=1)
        high = np.sum(reached <= np.floor(n / 2), axis=1)
        middle = (ascending[np.minimum(low, last)] + ascending[np.minimum(high, last)]) / 2
        return np.where(n[:, 0] > 0, middle, math.nan)

    return median


class _Ranking(NamedTuple):
    order: npt.NDArray[np.intp]
    first: npt.NDArray[np.intp]
    """Position of the first and of the last item tied with each, in ascending order."""
    last: npt.NDArray[np.intp]
    back: npt.NDArray[np.intp]
    tied: bool


def _spearman(side: FloatArray) -> _FromSums:
    prediction, gold = _ranking(side[:, 0]), _ranking(side[:, 1])

    def spearman(counts: FloatArray) -> FloatArray:
        n = np.sum(counts, axis=1)
        x, y = _middle_ranks(prediction, counts), _middle_ranks(gold, counts)
        product = np.einsum("ri,ri,ri->r", counts, x, y)
        spread_x = np.einsum("ri,ri,ri->r", counts, x, x)
        spread_y = np.einsum("ri,ri,ri->r", counts, y, y)
        defined = (spread_x > _CONSTANT * n) & (spread_y > _CONSTANT * n)
        r = _over(product, np.sqrt(np.where(defined, spread_x * spread_y, 0.0)))
        return np.clip(r, -1.0, 1.0)

    return spearman


def _ranking(values: FloatArray) -> _Ranking:
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    first = np.searchsorted(ascending, ascending, side="left")
    last = np.searchsorted(ascending, ascending, side="right") - 1
    return _Ranking(order, first, last, np.argsort(order), bool(np.any(first != last)))


def _middle_ranks(ranking: _Ranking, counts: FloatArray) -> FloatArray:
    """Return each item's rank in the resample less the mean rank; ties share the middle."""
    ordered = counts[:, ranking.order]
    reached = np.cumsum(ordered, axis=1)
    n, before = reached[:, -1:], reached - ordered
    if ranking.tied:
        before, reached = before[:, ranking.first], reached[:, ranking.last]
    ranks = (before + reached - n) / 2
    return np.asarray(ranks[:, ranking.back])


def _over(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    quotient = np.full(np.shape(denominator), math.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return quotient
