"""Metrics of several systems as functions of how often each item, or group of items, counts."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import FloatArray, Floats, IntArray
from analysis.statistics.aggregate import aggregate_sums, aggregate_systems, is_sum_based
from analysis.statistics.fixed_point import whole_scores
from analysis.statistics.precision import precision_of
from analysis.statistics.resampling.metrics import resampled_metric
from analysis.statistics.resampling.tails import TIE

_SINGLE, _DOUBLE = 2.0**24, 2.0**53
_NO_SCALE = np.empty(0)


class SystemMetric(NamedTuple):
    """A metric of several systems on the same items, by how often each unit is drawn."""

    n_units: int
    observed: FloatArray
    """Value of each system on all items, shape (n_systems,)."""
    values: Callable[[Floats], Floats]
    """From counts (n_rows, n_units) to (n_systems, n_rows); NaN where not defined."""
    scale: Callable[[Floats], FloatArray]
    """What the differences of each row are to be multiplied by; empty for nothing."""
    unit: float
    """What differences are to be multiplied by to be differences of the metric."""
    dtype: type[np.floating]
    exact: bool
    """Whether differences are whole numbers, so that no sum of them is rounded."""
    room: FloatArray
    """How far differences of each system may lie apart that are equal, shape (n_systems,)."""


def mean_metric(scores: FloatArray, codes: IntArray | None) -> SystemMetric:
    """Prepare the mean of complete scores, shape (n_systems, n_items), for resampling.

    With `codes`, the numbers of the items' groups, whole groups are drawn, and a replicate's mean
    is over the items that its groups bring along.
    """
    n_items = scores.shape[1]
    whole = whole_scores(scores)
    steps = whole.steps.astype(np.float64)
    observed = np.sum(steps, axis=1)
    sizes = np.ones(n_items)
    if codes is not None:
        sizes = np.bincount(codes).astype(np.float64)
        steps = sum_units(np.ascontiguousarray(steps.T), codes).T
    # No replicate, no difference of two and no threshold is larger.
    bound = 4.0 * sizes.size * float(np.max(np.abs(steps), initial=0.0))
    equal = bool(np.all(sizes == sizes[0]))
    room = np.zeros(len(scores))
    if not whole.exact:  # every step of each item is rounded, on either side and twice in 2 t
        room += precision_of(scores) / whole.step + 4 * n_items
    exact = equal and bound < _DOUBLE
    if not exact:
        room += TIE * np.sum(np.abs(steps), axis=1)
    dtype = np.float32 if equal and bound < _SINGLE else np.float64
    sums: Floats = np.ascontiguousarray(steps, dtype=dtype)

    def values(counts: Floats) -> Floats:
        return np.asarray(sums @ counts.T)

    def scale(counts: Floats) -> FloatArray:
        return _NO_SCALE if equal else n_items / (counts.astype(np.float64) @ sizes)

    return SystemMetric(
        sizes.size,
        observed,
        values,
        scale,
        whole.step / n_items,
        dtype,
        exact,
        room,
    )


def corpus_metric(values: FloatArray, aggregation: str, codes: IntArray | None) -> SystemMetric:
    """Prepare a metric of complete components for resampling.

    Parameters
    ----------
    values : ndarray, shape (n_systems, n_items, n_components)
    aggregation : str
        One of `AGGREGATIONS`.
    codes : ndarray of int, shape (n_items,), or None
        Numbers of the items' groups from 0, drawn as a whole.
    """
    observed = aggregate_systems(values, aggregation)
    n_units = values.shape[1] if codes is None else int(codes.max(initial=-1)) + 1
    if is_sum_based(aggregation):
        of_counts = _from_sums(values, aggregation, codes)
    else:
        metrics = [resampled_metric((system,), aggregation, codes) for system in values]

        def of_counts(counts: Floats) -> Floats:
            drawn = counts.astype(np.float64)
            return np.stack([metric.values(drawn) for metric in metrics])

    return SystemMetric(
        n_units,
        observed,
        of_counts,
        lambda counts: _NO_SCALE,
        1.0,
        np.float64,
        False,
        TIE * np.abs(observed),
    )


def sum_units(columns: FloatArray, codes: IntArray) -> FloatArray:
    """Return the sums of rows of `columns` over groups, shape (n_groups, n_columns)."""
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return np.ascontiguousarray(np.add.reduceat(columns[order], starts, axis=0))


def _from_sums(
    values: FloatArray, aggregation: str, codes: IntArray | None
) -> Callable[[Floats], Floats]:
    """Return a function from counts to the metrics of all systems."""
    n_systems, n_items, n_components = values.shape
    sizes = np.ones(n_items)
    columns = np.ascontiguousarray(values.transpose(1, 0, 2)).reshape(n_items, -1)
    if codes is not None:
        columns, sizes = sum_units(columns, codes), np.bincount(codes).astype(np.float64)

    def of_counts(counts: Floats) -> Floats:
        sums = (counts @ columns).reshape(len(counts), n_systems, n_components)
        metric = aggregate_sums(sums, aggregation, (counts @ sizes)[:, np.newaxis])
        return np.ascontiguousarray(metric.T)

    return of_counts
