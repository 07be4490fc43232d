"""Item scores as studies take them from a store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analysis.statistics.precision import comparable
from store.arrays import load_matrix
from store.engine import Store
from store.records import ScoreMatrix


def read_matrix(
    store: Store, dataset: str, metric: str, *, systems: Sequence[str] | None = None
) -> ScoreMatrix:
    """Return what `store.arrays.load_matrix` does, with equal scores for what is equal on paper."""
    matrix = load_matrix(store, dataset, metric, systems=systems)
    return replace(matrix, scores=comparable(matrix.scores))
