"""Scores as they are compared: what differs only by how it is written in binary is equal.

0.1 + 0.2 is not 0.3, and a file of float32 does not repeat the float64 numbers that it was made of.
No test, count, rank, tie or share may see a difference there.
"""

from __future__ import annotations

import numpy as np

from analysis.statistics._typing import BoolArray, FloatArray
from analysis.statistics.fixed_point import SCALES

_FINE = 2.0**-40
"""Precision of float64 scores, relative to the largest of their system."""
_SINGLE = 2.0**-24
_TINY = float(np.finfo(np.float64).tiny)
_ROOM = 16
"""So many times the precision is the smallest step that numbers are taken as multiples of."""
_WHOLE = 2.0**53
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
    A row of whole multiples of a simple fraction (`fixed_point.SCALES`) gets the numbers nearest to
    these, whoever stands beside it. Any other row is as precise as float32 where all its numbers
    are of that type, else to 2^-40 of its largest. Numbers of an item that are the same at the
    precision of the coarser row become one. Time O(n_systems log n_systems · n_items) at most.
    """
    columns = [scores] if scores.ndim == 2 else list(np.moveaxis(scores, 2, 0))
    found = [_of_one_component(column) for column in columns]
    if all(new is old for new, old in zip(found, columns, strict=True)):
        return scores
    return found[0] if scores.ndim == 2 else np.stack(found, axis=2)


def _of_one_component(values: FloatArray) -> FloatArray:
    sizes = np.max(np.abs(values), axis=1, initial=0.0, where=~np.isnan(values))
    simple, single = (np.zeros(len(values), np.bool_) for _ in range(2))
    found = values
    for row, (own, size) in enumerate(zip(values, sizes, strict=True)):
        present = own[~np.isnan(own)]
        single[row] = _is_single(present[:_FEW]) and _is_single(present)
        for scale in SCALES:
            if _is_simple(present[:_FEW], scale, size, single=bool(single[row])) and _is_simple(
                present, scale, size, single=bool(single[row])
            ):
                simple[row] = True
                written = np.rint(own * scale) / scale
                if np.any(written[~np.isnan(own)] != present):
                    found = values.copy() if found is values else found
                    found[row] = written
                break
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
    precision = (_SINGLE if single else _FINE) * size
    if precision * _ROOM * scale > 1:
        return False
    if single:
        return _is_near(_as_single(written), values)
    return bool(np.all(np.abs(written - values) <= precision))


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
