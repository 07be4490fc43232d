"""Scores of all systems, checked, and the metric differences of all pairs."""

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray, Floats, IntArray
from analysis.statistics.aggregate import CORRELATIONS, aggregate_systems, as_aggregation
from analysis.statistics.all_pairs.complete_sets import complete_sets, triangle
from analysis.statistics.precision import without_rounding
from analysis.statistics.validation import as_floats

_LARGEST_SCORE = 1e100
_SINGLE = 1 << 24


def as_components(scores: npt.ArrayLike, aggregation: str) -> FloatArray:
    """Return checked scores, shape (n_systems, n_items, n_components).

    An item that lacks a component for a system lacks all of them there: NaN.

    Raises
    ------
    TypeError, ValueError
        If scores are no numbers, not finite, of the wrong shape, or negative counts; if
        `aggregation` is unknown, or a correlation whose gold differs between systems.
    """
    kind = as_aggregation(aggregation)
    values = as_floats(scores, "scores")
    n_components = len(kind.components)
    if values.ndim == 2 and n_components == 1:
        values = values[:, :, np.newaxis]
    if values.ndim != 3 or values.shape[2] != n_components or len(values) == 0:
        wanted = "(n_systems, n_items)"
        if n_components > 1:
            wanted = f"(n_systems, n_items, {n_components})"
        raise ValueError(
            f"`scores` must have shape {wanted}, with at least one system, for aggregation "
            f"'{aggregation}', got {np.shape(scores)}."
        )
    too_large = np.argwhere(np.abs(values) > _LARGEST_SCORE)
    if too_large.size:
        system, item, column = (int(place) for place in too_large[0])
        raise ValueError(
            "`scores` must be finite and at most 1e100 in size (NaN = missing), got "
            f"{values[system, item, column]} for system {system}, item {item}."
        )
    for column in kind.non_negative:
        negative = np.argwhere(values[:, :, column] < 0)
        if negative.size:
            system, item = (int(place) for place in negative[0])
            raise ValueError(
                f"`scores` must not be negative in component {column} "
                f"({kind.components[column]}), got {values[system, item, column]} for system "
                f"{system}, item {item}."
            )
    values[np.isnan(values).any(axis=2)] = np.nan
    if aggregation in CORRELATIONS:
        _check_same_gold(values[:, :, 1])
    return values


def count_items(values: FloatArray) -> IntArray:
    """Return how many items every two systems share, shape (n_systems, n_systems)."""
    present = ~np.isnan(values[:, :, 0])
    n_systems, n_items = present.shape
    if present.all():
        return np.full((n_systems, n_systems), n_items)
    # Whole numbers up to 2^24 are exact in float32.
    counts: Floats = present.astype(np.float32 if n_items < _SINGLE else np.float64)
    shared: IntArray = np.rint(np.matmul(counts, counts.T)).astype(np.int64)
    return shared


def count_units(values: FloatArray, codes: IntArray) -> IntArray:
    """Return how many groups the items of every two systems belong to, (n_systems, n_systems)."""
    n_systems, n_groups = len(values), int(codes.max(initial=-1)) + 1
    present = ~np.isnan(values[:, :, 0])
    counts = np.zeros((n_systems, n_systems), np.int64)
    for system in range(n_systems):
        shared = present[system] & present[system:]
        for other, items in enumerate(shared, start=system):
            filled = np.zeros(n_groups, np.bool_)
            filled[codes[items]] = True
            counts[system, other] = counts[other, system] = np.count_nonzero(filled)
    return counts


def metric_differences(values: FloatArray, aggregation: str) -> FloatArray:
    """Return metric of i minus metric of j on the items both have, shape (n_systems, n_systems).

    0 on the diagonal, NaN without shared items and where a metric is not defined.
    """
    n_systems = len(values)
    first, second = triangle(n_systems)
    difference = np.full((n_systems, n_systems), np.nan)
    np.fill_diagonal(difference, 0.0)
    for part in complete_sets(~np.isnan(values[:, :, 0])):
        is_all = part.systems.size == n_systems and part.items.size == values.shape[1]
        own = values if is_all else values[np.ix_(part.systems, part.items)]
        metric = aggregate_systems(own, aggregation)
        i, j = first[part.pairs], second[part.pairs]
        difference[i, j] = without_rounding(metric[part.left], metric[part.right])
        difference[j, i] = -difference[i, j]
    return difference


def _check_same_gold(gold: FloatArray) -> None:
    present = ~np.isnan(gold)
    low = np.min(gold, axis=0, where=present, initial=np.inf)
    high = np.max(gold, axis=0, where=present, initial=-np.inf)
    different = np.flatnonzero(low < high)
    if different.size:
        item = int(different[0])
        raise ValueError(
            f"`scores` must have the same gold (component 1) for all systems, they differ on "
            f"{different.size} of {gold.shape[1]} items ({low[item]:g} and {high[item]:g} on item "
            f"{item}). Compare runs of one dataset."
        )
