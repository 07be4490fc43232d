"""Corpus metrics as functions of sums, with their derivatives.

Quotients have them in closed form, so that systems that only seem to differ by rounding do not;
BLEU and chrF take small steps.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.aggregate import aggregate_sums

_OfSums: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
_Slopes: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
_STEP = 1e-6
_CONSTANT = 1e-12


class SumMetric(NamedTuple):
    """A metric of sums over items, shape (..., n_components)."""

    value: _OfSums
    """From sums and numbers of items, shape (...); NaN where not defined."""
    slopes: _Slopes
    """From sums, sums of absolute values and numbers of items to derivatives, shape of the sums;
    not finite where there are none."""


def sum_metric(aggregation: str) -> SumMetric:
    """Return a metric of sums of components.

    Parameters
    ----------
    aggregation : {"ratio", "f1", "bleu", "chrf", "pearson", "spearman"}
        Of correlations the components are `exchangeable_moments`.
    """
    if aggregation in _CLOSED:
        slopes = _CLOSED[aggregation]

        def closed(sums: FloatArray, sizes: FloatArray, n_items: FloatArray) -> FloatArray:
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                return slopes(sums, n_items)

        if slopes is _correlation_slopes:
            return SumMetric(_correlation, closed)
        return SumMetric(_value(aggregation), closed)
    value = _value(aggregation)

    def stepped(sums: FloatArray, sizes: FloatArray, n_items: FloatArray) -> FloatArray:
        found = np.zeros_like(sums)
        for column in range(sums.shape[1]):
            # A component without size is 0 for every item: its slope does not matter.
            step = np.zeros_like(sums)
            step[:, column] = _STEP * sizes[:, column]
            rise = value(sums + step, n_items) - value(sums - step, n_items)
            width = 2 * step[:, column]
            np.divide(rise, width, out=found[:, column], where=width > 0)
        return found

    return SumMetric(value, stepped)


def _value(aggregation: str) -> _OfSums:
    def value(sums: FloatArray, n_items: FloatArray) -> FloatArray:
        return aggregate_sums(sums, aggregation, n_items)

    return value


def _ratio_slopes(sums: FloatArray, n_items: FloatArray) -> FloatArray:
    numerator, denominator = sums.T
    slopes = np.stack([np.ones_like(numerator), -numerator / denominator]) / denominator
    return np.ascontiguousarray(slopes.T)


def _f1_slopes(sums: FloatArray, n_items: FloatArray) -> FloatArray:
    true, wrong, missed = sums.T
    denominator = 2 * true + wrong + missed
    f1 = 2 * true / denominator
    return np.ascontiguousarray((np.stack([2 - 2 * f1, -f1, -f1]) / denominator).T)


def _correlation(sums: FloatArray, n_items: FloatArray) -> FloatArray:
    total, squares, products = np.moveaxis(sums, -1, 0)
    spread = n_items * squares - total * total
    defined = spread > _CONSTANT * n_items * np.abs(squares)
    root = np.sqrt(np.where(defined, spread, 1.0))
    return np.asarray(np.where(defined, products / root, np.nan))


def _correlation_slopes(sums: FloatArray, n_items: FloatArray) -> FloatArray:
    total, squares, products = sums.T
    spread = n_items * squares - total * total
    fall = products / spread
    found = np.stack([fall * total, -0.5 * fall * n_items, np.ones_like(total)])
    return np.ascontiguousarray((found / np.sqrt(spread)).T)


_CLOSED = {
    "ratio": _ratio_slopes,
    "f1": _f1_slopes,
    "pearson": _correlation_slopes,
    "spearman": _correlation_slopes,
}
