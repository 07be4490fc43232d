"""Counts of datasets for all pairs with the dependence that shared items really make."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.across.joint.cells import JointCell
from analysis.statistics.across.joint.counts import joint_counts
from analysis.studies.cells import CellKey, load_cell
from analysis.studies.joint_evidence import check_resamples
from analysis.studies.shared_units import load_units, unlinked
from analysis.studies.study import count
from store.engine import Store
from store.records import OverlapRecord


def count_all_jointly(
    store: Store,
    keys: Sequence[CellKey],
    systems: Sequence[str],
    overlaps: Sequence[OverlapRecord],
    floors: FloatArray,
    *,
    alpha: float,
    n_resamples: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[IntArray, IntArray, list[str]]:
    """Resample all cells at once.

    Returns the count for each ordered pair, the cells that it is out of, and what to know of it.

    `keys` are the cells and `systems` the uids in the order of the matrix; a system without
    scores on a cell is missing there. `floors` are the p-values that skewed differences ask for at
    least, shape (n_keys, n_systems, n_systems), 0 where exchanges suffice.
    """
    check_resamples(n_resamples, alpha)
    cells = [load_cell(store, key) for key in keys]
    place = {uid: i for i, uid in enumerate(systems)}
    joint, all_units = [], load_units(store, cells)
    for cell, units, floor in zip(cells, all_units, floors, strict=True):
        matrix = cell.matrix
        scores = np.full((len(systems), *matrix.scores.shape[1:]), np.nan)
        for uid, row in zip(matrix.system_uids, matrix.scores, strict=True):
            if uid in place:
                scores[place[uid]] = row
        joint.append(JointCell(scores, matrix.metric.aggregation, units, matrix.metric.sign, floor))
    found = joint_counts(joint, alpha=alpha, n_resamples=n_resamples, rng=seed, progress=progress)
    warnings = unlinked(overlaps, cells, all_units)
    if found.n_undecided:
        warnings.append(
            f"For {count(found.n_undecided, 'ordered pair')} there were too many sets of datasets "
            "to look at them all: these counts may be too low, never too high."
        )
    return found.k, found.n_cells, warnings
