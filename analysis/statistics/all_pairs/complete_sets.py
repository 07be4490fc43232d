"""Pairs that share the same items, so that one plan over these items serves them all."""

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import BoolArray, IntArray
from analysis.statistics.results import read_only

_VALUES_IN_CACHE = 1 << 20
_SYSTEMS_TOGETHER = 16


class CompleteSet(NamedTuple):
    """Pairs of systems that all have scores for the same items, and for no others in common."""

    systems: IntArray
    items: IntArray
    left: IntArray
    """First system of each pair, as a position in `systems`."""
    right: IntArray
    pairs: IntArray
    """Where each pair stands in the upper triangle, row by row."""


@functools.lru_cache(maxsize=8)
def triangle(n_systems: int, above: int = 1) -> tuple[IntArray, IntArray]:
    """Return both systems of every pair i + above <= j, row by row; read-only and kept."""
    first, second = (side.astype(np.int64) for side in np.triu_indices(n_systems, above))
    return read_only(first), read_only(second)


def count_sets(present: BoolArray) -> int:
    """Return how many sets `complete_sets` would give, without making them."""
    n_patterns = len(distinct_rows(present)[0])
    return n_patterns * (n_patterns + 1) // 2


def complete_sets(present: BoolArray, wanted: IntArray | None = None) -> Iterator[CompleteSet]:
    """Divide all pairs by the items that they share.

    Parameters
    ----------
    present : ndarray of bool, shape (n_systems, n_items)
        Which scores there are.
    wanted : ndarray of int, optional
        Pairs to divide, by their places in the upper triangle; by default all.

    Yields
    ------
    CompleteSet
        Pairs without shared items are in none. Complete scores give one set.
    """
    first, second = triangle(len(present))
    listed = np.arange(first.size) if wanted is None else wanted
    if not listed.size:
        return
    first, second = first[listed], second[listed]
    patterns, pattern = distinct_rows(present)
    low = np.minimum(pattern[first], pattern[second])
    high = np.maximum(pattern[first], pattern[second])
    key = low * len(patterns) + high
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    for pairs in np.split(order, starts[1:]):
        items = np.flatnonzero(patterns[low[pairs[0]]] & patterns[high[pairs[0]]])
        if not items.size:
            continue
        systems, place = np.unique(
            np.concatenate([first[pairs], second[pairs]]), return_inverse=True
        )
        place = place.reshape(-1)
        half = pairs.size
        yield CompleteSet(systems, items, place[:half], place[half:], listed[pairs])


def distinct_rows(present: BoolArray) -> tuple[BoolArray, IntArray]:
    """Return the different rows, and which of them each row is."""
    if len(present) == 0 or bool(np.all(present == present[0])):
        return present[:1], np.zeros(len(present), dtype=np.int64)
    _, first, pattern = np.unique(
        np.packbits(present, axis=1), axis=0, return_index=True, return_inverse=True
    )
    return present[first], pattern.reshape(-1).astype(np.int64)


def order_of_visits(left: IntArray, right: IntArray, n_values: int) -> IntArray | slice:
    """Return in which order to take pairs whose systems have rows of so many values.

    Where rows are more than caches hold, pairs among 16 and 16 systems come together, so that a row
    is met again while it is near. Whatever is computed pair by pair is the same in any order.
    """
    if int(right.max(initial=0)) * n_values <= _VALUES_IN_CACHE:
        return slice(None)
    tiles = int(right.max(initial=0)) // _SYSTEMS_TOGETHER + 1
    key = left // _SYSTEMS_TOGETHER * tiles + right // _SYSTEMS_TOGETHER
    return np.argsort(key, kind="stable")
