"""Which items are exchanged together when several cells are resampled at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from analysis.statistics.across.joint.units import joint_units
from analysis.statistics.item_groups import as_group_codes
from analysis.studies.cells import Cell
from store.arrays import load_shared_items
from store.engine import Store
from store.records import OverlapRecord


def load_units(store: Store, cells: Sequence[Cell]) -> list[npt.NDArray[np.int64]]:
    """Return a number per item for each cell; equal numbers are exchanged together.

    The same item in two datasets, or under two metrics, is one unit, and so are the items of a
    group where groups are the independent units of a dataset.
    """
    datasets = list(dict.fromkeys(cell.matrix.dataset.uid for cell in cells))
    shared = dict(zip(datasets, load_shared_items(store, datasets), strict=True))
    groups = [
        None
        if cell.clusters.groups is None
        else as_group_codes(cell.clusters.groups, len(cell.clusters.groups))
        for cell in cells
    ]
    return joint_units([shared[cell.matrix.dataset.uid] for cell in cells], groups)


def unlinked(
    overlaps: Sequence[OverlapRecord],
    cells: Sequence[Cell],
    units: Sequence[npt.NDArray[np.int64]],
) -> list[str]:
    """Tell of datasets that overlap although no item of one is known to be an item of the other."""
    of_dataset = {cell.matrix.dataset.uid: u for cell, u in zip(cells, units, strict=True)}
    return [
        f"{o.dataset_a} and {o.dataset_b} overlap, but which of their items are the same is not "
        "known: joint resampling takes them as independent of each other."
        for o in overlaps
        if o.dataset_a_uid in of_dataset
        and o.dataset_b_uid in of_dataset
        and not np.isin(of_dataset[o.dataset_a_uid], of_dataset[o.dataset_b_uid]).any()
    ]
