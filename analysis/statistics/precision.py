"""Scores as they are compared: what differs only by how it is written in binary is equal.

0.1 + 0.2 is not 0.3, and a file of float32 does not repeat the float64 numbers that it was made of.
No test, count, rank, tie or share may see a difference there: `comparable` makes such scores
equal, and `precision_of` says up to where differences and sums of scores are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from analysis.statistics._typing import BoolArray, FloatArray, IntArray

# Whole numbers, hundredths, all fractions with denominators 1..10, four and six decimals.
SCALES = (1.0, 100.0, 2520.0, 1e4, 1e6)
_FINE = 2.0**-40
"""Precision of float64 scores, relative to the largest of their system."""
_SIMPLE = 2.0**-47
"""The same of multiples of a simple fraction, and of means and metrics."""
_WRITTEN = 2.0**-49
"""How far, relative to its size, writing it in binary may move a number off such a multiple."""
_SINGLE = 2.0**-24
_TINY = float(np.finfo(np.float64).tiny)
_ROOM = 16
"""Multiples of fewer precisions of float32 are none."""
_WHOLE = 2.0**53
_PART = 0.125
"""Of a step: numbers farther off a multiple are none."""
_FEW = 64
_AT_ONCE = 65_536
"""Numbers that stay in cache."""


def comparable(scores: FloatArray) -> FloatArray:
    """Return scores of systems on the same items, in which equal on paper is equal.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_items) or (n_systems, n_items, n_components)
        NaN = missing. Each component is seen by itself.

    Returns
    -------
    ndarray
        Of the same shape; `scores` itself where nothing changes.

    Notes
    -----
    A row of whole multiples of a simple fraction (`SCALES`) gets the numbers nearest to these,
    whoever stands beside it; so does any other row of float32, which is as precise as that type.
    The rest are precise to 2^-40 of their largest. Numbers of an item that are the same at the
    precision of the coarser row become one. Time O(n_systems log n_systems · n_items) at most.
    """
    columns = [scores] if scores.ndim == 2 else list(np.moveaxis(scores, 2, 0))
    found = [_of_one_component(column) for column in columns]
    if all(new is old for new, old in zip(found, columns, strict=True)):
        return scores
    return found[0] if scores.ndim == 2 else np.stack(found, axis=2)


def precision_of(scores: FloatArray) -> FloatArray:
    """Return how far numbers of each row may lie apart that are equal on paper.

    A pair of rows has the coarser of the two precisions; so have its differences and their sums.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_items)
        NaN = missing.

    Returns
    -------
    ndarray, shape (n_systems,)
        Depends on the row's own numbers only.
    """
    sizes = np.max(np.abs(scores), axis=1, initial=0.0, where=~np.isnan(scores))
    simple = simple_rows(scores)
    part = _PART / np.array(SCALES)[np.argmax(simple, axis=1)]
    simply = np.minimum(_SIMPLE * sizes, part)
    return np.asarray(np.where(simple.any(axis=1), simply, _FINE * sizes))


def simple_rows(matrix: FloatArray, limit: float = _WHOLE) -> BoolArray:
    """Return which rows consist of whole multiples of 1 / scale, for each of `SCALES`.

    Parameters
    ----------
    matrix : ndarray, shape (n_systems, n_items)
        NaN where missing.
    limit : float
        Rows with so many steps or more do not count.

    Returns
    -------
    ndarray of bool, shape (n_systems, 5)
        A row depends on its own numbers only.
        Scales above one that serves all rows are not tried: no pair of rows needs them.
    """
    simple = np.zeros((len(matrix), len(SCALES)), np.bool_)
    at_once = max(1, _AT_ONCE // max(1, matrix.shape[1]))
    for place, scale in enumerate(SCALES):

        def fit(part: FloatArray, scale: float = scale) -> BoolArray:
            return np.asarray(np.all(are_whole(part, scale, limit) | np.isnan(part), axis=1))

        likely = np.flatnonzero(fit(matrix[:, :_FEW]))
        for start in range(0, likely.size, at_once):
            rows = likely[start : start + at_once]
            simple[rows, place] = fit(matrix[rows])
        if simple[:, place].all():
            break
    return simple


def coarser(precision: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """Return the precision of the pairs of rows ``first[k]``, ``second[k]``."""
    return np.maximum(precision[first], precision[second])


def without_rounding(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Return a - b of means or metrics, 0 where these are equal but for how they are computed."""
    gap = np.subtract(a, b)
    return np.where(np.abs(gap) <= _SIMPLE * np.fmax(np.abs(a), np.abs(b)), 0.0, gap)


def joined_differences(a: FloatArray, b: FloatArray) -> tuple[FloatArray, float]:
    """Return a - b, shape (n_items,), equal where sizes are equal on paper, and its precision.

    Sizes in ascending order are the same where no step between them is above the precision of the
    pair: no border is drawn where two of them may lie on either side.
    """
    differences = a - b
    near = float(np.max(precision_of(np.stack([a, b])), initial=0.0))
    sizes = np.where(np.abs(differences) <= near, 0.0, np.abs(differences))
    order = np.argsort(sizes, kind="stable")
    ordered = sizes[order]
    first = np.diff(ordered, prepend=-np.inf) > near
    sizes[order] = ordered[first][np.cumsum(first) - 1]
    return np.copysign(sizes, differences), near


def _of_one_component(values: FloatArray) -> FloatArray:
    sizes = np.max(np.abs(values), axis=1, initial=0.0, where=~np.isnan(values))
    simple, single = (np.zeros(len(values), np.bool_) for _ in range(2))
    found = values
    for row, (own, size) in enumerate(zip(values, sizes, strict=True)):
        present = own[~np.isnan(own)]
        single[row] = _is_single(present[:_FEW]) and _is_single(present)
        written = _as_single(own) if single[row] else own
        for scale in SCALES:
            if _is_simple(present[:_FEW], scale, size, single=bool(single[row])) and _is_simple(
                present, scale, size, single=bool(single[row])
            ):
                simple[row] = True
                written = np.rint(own * scale) / scale
                break
        if written is not own and np.any(written[~np.isnan(own)] != present):
            found = values.copy() if found is values else found
            found[row] = written
    if simple.all() or (single & ~simple).all():
        return found
    precision = np.where(simple | single | np.isinf(sizes), 0.0, _FINE * sizes)
    at_once = max(1, _AT_ONCE // len(values))
    for start in range(0, values.shape[1], at_once):
        items = slice(start, start + at_once)
        joined = _joined(found[:, items], simple, single & ~simple, precision)
        if joined is not None:
            found = values.copy() if found is values else found
            found[:, items] = joined
    return found


def _as_single(values: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        return values.astype(np.float32).astype(np.float64)


def _is_single(values: FloatArray) -> bool:
    """Return whether all are of float32, but for how they are written in binary."""
    return _is_near(_as_single(values), values)


def _is_near(found: FloatArray, values: FloatArray) -> bool:
    return bool(np.all(np.abs(found - values) <= _FINE * np.abs(values) + _TINY))


def _is_simple(values: FloatArray, scale: float, size: float, *, single: bool) -> bool:
    """Return whether all are whole multiples of 1 / `scale`, at their precision."""
    written = np.rint(values * scale) / scale
    if scale == 1 and size < _WHOLE and np.all(written == values):
        return True
    if single:
        return _SINGLE * size * _ROOM * scale <= 1 and _is_near(_as_single(written), values)
    near = min(_FINE * size, _PART / scale)
    return _WRITTEN / 2 * size <= near and bool(np.all(np.abs(written - values) <= near))


def _joined(
    values: FloatArray, simple: BoolArray, single: BoolArray, precision: FloatArray
) -> FloatArray | None:
    """Return scores with one number for those of an item that are the same; None: no change.

    Simple rows keep their numbers; others take one of theirs, else that of a row of float32.
    """
    n_systems, n_items = values.shape
    order = np.argsort(values, axis=0, kind="stable")
    ordered = np.take_along_axis(values, order, axis=0)
    rounded, near = _as_single(ordered), precision[order]
    alike = rounded[1:] == rounded[:-1]
    beside = single[order]
    for row in range(1, n_systems):
        beside[row] |= beside[row - 1] & alike[row - 1]
    for row in range(n_systems - 2, -1, -1):
        beside[row] |= beside[row + 1] & alike[row]
    gaps = ordered[1:] - ordered[:-1]
    same = (alike & beside[1:]) | (gaps <= np.maximum(near[1:], near[:-1]))
    if not np.any(same & (gaps != 0)):
        return None
    # Each number of an item by which of them it is the same as, and the place of the one to keep.
    label = np.zeros(ordered.shape, np.int64)
    label[1:] = np.cumsum(~same, axis=0)
    label += np.arange(n_items) * n_systems
    places = np.arange(n_systems)[:, np.newaxis]
    rank = np.where(simple[order], 0, np.where(single[order], 1, 2)) * n_systems + places
    kept = np.full(ordered.size, 3 * n_systems)
    np.minimum.at(kept, label, rank)
    chosen = np.take_along_axis(ordered, kept[label] % n_systems, axis=0)
    found = np.empty_like(values)
    np.put_along_axis(found, order, np.where(simple[order], ordered, chosen), axis=0)
    return found


def are_whole(values: FloatArray, scale: float, limit: float = _WHOLE) -> BoolArray:
    """Return which are whole multiples of 1 / `scale`, fewer than `limit`, but for writing them."""
    scaled = values * scale
    size = np.abs(scaled)
    off = np.abs(scaled - np.rint(scaled))
    return np.asarray((off <= np.minimum(_WRITTEN * size, _PART)) & (size < limit))
