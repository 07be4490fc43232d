"""The items that two systems were both scored on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import BoolArray, FloatArray
from analysis.statistics.precision import without_rounding
from store import vectors
from store.importers.bundle import Aggregation

"""Sums of the same scores in another order differ by less."""


class PairScores(NamedTuple):
    """The items that two systems were both scored on.

    Where lower is better the two have changed places, so that a positive difference is always the
    gain of the first one named.
    """

    first: FloatArray
    """Shape (n_items, n_components)."""
    second: FloatArray
    aggregation: Aggregation
    groups: list[str | None] | None
    """Of the items; None where every item stands for itself."""
    n_missing: int
    labels: list[str | None]
    """Group of each item as the dataset declares it, whether or not it is a unit."""

    @property
    def n_items(self) -> int:
        """Return how many items both have."""
        return len(self.first)

    @property
    def n_units(self) -> int:
        """Return the independent ones of them."""
        if self.groups is None:
            return self.n_items
        named = {group for group in self.groups if group is not None}
        return len(named) + self.groups.count(None)

    @property
    def is_right_or_wrong(self) -> bool:
        """Whether all scores are 0 or 1."""
        return self.aggregation == "mean" and all(
            bool(np.isin(side, (0.0, 1.0)).all()) for side in (self.first, self.second)
        )

    @property
    def difference(self) -> float:
        """Return the metric of the first less that of the second, higher is better."""
        first, second = (
            vectors.aggregate(side, self.aggregation) for side in (self.first, self.second)
        )
        return float(without_rounding(first, second))

    @property
    def agreement(self) -> float:
        """Return the share of items both get right or both wrong."""
        return float(np.mean(self.first[:, 0] == self.second[:, 0]))


def shared_scores(
    a: FloatArray,
    b: FloatArray,
    *,
    aggregation: Aggregation,
    sign: int,
    labels: Sequence[str | None],
    clustered: bool,
) -> PairScores:
    """Return the items that both systems were scored on; `clustered`: groups are the units."""
    present: BoolArray = np.asarray(~(np.isnan(a).any(axis=1) | np.isnan(b).any(axis=1)))
    first, second = (a[present], b[present]) if sign > 0 else (b[present], a[present])
    kept = [label for label, yes in zip(labels, present, strict=True) if yes]
    missing = int(np.count_nonzero(~present))
    return PairScores(first, second, aggregation, kept if clustered else None, missing, kept)


def column(values: FloatArray) -> FloatArray:
    """Return scores as the statistics take them: 1-D where there is one component."""
    return values[:, 0] if values.shape[1] == 1 else values
