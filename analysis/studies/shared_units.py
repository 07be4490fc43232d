"""Which items are exchanged together when several cells are resampled at once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from analysis.statistics.item_groups import as_group_codes
from analysis.studies.cells import Cell
from store.arrays import load_shared_items
from store.engine import Store

IntArray = npt.NDArray[np.int64]


def load_units(store: Store, cells: Sequence[Cell]) -> list[IntArray]:
    """Return a number per item for each cell; equal numbers are exchanged together.

    The same item in two datasets, or under two metrics, is one unit, and so are the items of a
    group where groups are the independent units of a dataset.
    """
    datasets = list(dict.fromkeys(cell.matrix.dataset.uid for cell in cells))
    shared = dict(zip(datasets, load_shared_items(store, datasets), strict=True))
    groups = {cell.matrix.dataset.uid: cell.clusters.groups for cell in cells}
    joined = join_units([shared[uid] for uid in datasets], [groups[uid] for uid in datasets])
    units = dict(zip(datasets, joined, strict=True))
    return [units[cell.matrix.dataset.uid] for cell in cells]


def join_units(
    shared: Sequence[IntArray], groups: Sequence[Sequence[Hashable] | None]
) -> list[IntArray]:
    """Number the units that hang together through shared items and through groups.

    Parameters
    ----------
    shared
        Per dataset, a number per item; equal numbers are the same item.
    groups
        Per dataset, the group of each item, or ``None`` where items stand for themselves.

    Examples
    --------
    >>> [u.tolist() for u in join_units([np.array([0, 1]), np.array([1, 2, 3])], [None, "xxy"])]
    [[0, 1], [1, 1, 2]]
    """
    if not shared or all(labels is None for labels in groups):
        return list(shared)
    items = np.concatenate(list(shared))
    n_items = int(items.max(initial=-1)) + 1
    knots, first = [], n_items
    for numbers, labels in zip(shared, groups, strict=True):
        if labels is None:
            knots.append(numbers)  # an edge from an item to itself joins nothing
            continue
        codes = as_group_codes(list(labels), len(numbers))
        knots.append(codes + first)
        first += int(codes.max(initial=-1)) + 1
    edges = sparse.coo_matrix(
        (np.ones(len(items), np.int8), (items, np.concatenate(knots))), shape=(first, first)
    )
    _, unit_of = csgraph.connected_components(edges, directed=False)
    ends = np.cumsum([len(numbers) for numbers in shared])[:-1]
    _, compact = np.unique(unit_of[items], return_inverse=True)
    return [part.astype(np.int64) for part in np.split(compact, ends)]
