"""On which items did one system do better than the other?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.studies.reading import read_matrix
from store import vectors
from store.datasets import list_items
from store.engine import Store
from store.records import DatasetRecord, MetricRecord
from store.systems import get_system

Change = Literal["improved", "regressed", "equal", "missing"]


@dataclass(frozen=True, slots=True, eq=False)
class ItemChanges:
    """The items of a dataset by how much A's score differs from B's."""

    system_a: str
    system_b: str
    dataset: DatasetRecord
    metric: MetricRecord
    positions: tuple[int, ...]
    """Items with the largest gain of A first, then by position; those without a score last."""
    keys: tuple[str, ...]
    groups: tuple[str | None, ...]
    score_a: FloatArray
    score_b: FloatArray
    gain: FloatArray
    """A's advantage, whichever way the metric runs; NaN where a score is missing."""
    changes: tuple[Change, ...]

    def count(self, change: Change) -> int:
        """Return how many items there are of one kind."""
        return self.changes.count(change)


def study_item_changes(store: Store, a: str, b: str, *, dataset: str, metric: str) -> ItemChanges:
    """Return the items of a dataset, sorted by A's advantage over B.

    Parameters
    ----------
    store
        Where from.
    a, b, dataset, metric
        Uids or names.

    Raises
    ------
    StoreError
        A name is unknown, or a system has no item scores there.
    """
    systems = [get_system(store, name) for name in (a, b)]
    matrix = read_matrix(store, dataset, metric, systems=[system.uid for system in systems])
    values = [vectors.item_values(rows, matrix.metric.aggregation) for rows in matrix.scores]
    gain = matrix.metric.sign * (values[0] - values[1])
    order = np.lexsort((np.arange(len(gain)), -np.where(np.isnan(gain), -np.inf, gain)))
    items = list_items(store, matrix.dataset.uid)
    return ItemChanges(
        system_a=matrix.systems[0],
        system_b=matrix.systems[1],
        dataset=matrix.dataset,
        metric=matrix.metric,
        positions=tuple(int(i) for i in order),
        keys=tuple(items[i].key for i in order),
        groups=tuple(items[i].group for i in order),
        score_a=values[0][order],
        score_b=values[1][order],
        gain=gain[order],
        changes=tuple(_change(float(value)) for value in gain[order]),
    )


def _change(gain: float) -> Change:
    if gain != gain:
        return "missing"
    return "improved" if gain > 0 else "regressed" if gain < 0 else "equal"
