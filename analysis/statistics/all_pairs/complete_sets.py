"""Pairs that share the same items, so that one plan over these items serves them all."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray

IntArray = npt.NDArray[np.int64]


class CompleteSet(NamedTuple):
    """Pairs of systems that all have scores for the same items, and for no others in common."""

    systems: IntArray
    items: IntArray
    left: IntArray
    """First system of each pair, as a position in `systems`."""
    right: IntArray
    pairs: IntArray
    """Where each pair stands in the upper triangle, row by row."""


def triangle(n_systems: int) -> tuple[IntArray, IntArray]:
    """Return both systems of every pair i < j, row by row."""
    first, second = np.triu_indices(n_systems, 1)
    return first.astype(np.int64), second.astype(np.int64)


def count_sets(present: BoolArray) -> int:
    """Return how many sets `complete_sets` would give, without making them."""
    n_patterns = len(np.unique(present, axis=0)) if len(present) else 0
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
    patterns, pattern = np.unique(present, axis=0, return_inverse=True)
    pattern = pattern.reshape(-1)
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
