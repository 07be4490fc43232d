"""Exchanges that turn whole units: the units' coefficients change places between two metrics."""

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.meta_evaluation.levels import unit_correlations
from analysis.statistics.meta_evaluation.metric_pairs import Part, Request
from analysis.statistics.meta_evaluation.swaps import SwapBlock
from analysis.statistics.resampling.plan import signed_sums


def turns_units(level: str, test: str) -> bool:
    """Return whether the cells of a unit are always exchanged together."""
    return (level, test) in (("item", "perm-inputs"), ("per-system", "perm-systems"))


class RowSwaps:
    """The differences of listed pairs from the coefficients of units, which stay as they are.

    Any coefficient that is averaged over units will do.
    """

    def __init__(self, part: Part, request: Request) -> None:
        self._left, self._right = part.left, part.right
        found = np.stack(
            [
                unit_correlations(
                    values,
                    part.gold,
                    level=request.level,
                    coefficient=request.coefficient,
                    epsilon=0.0 if np.isnan(epsilon) else float(epsilon),
                )
                for values, epsilon in zip(part.values, part.epsilons, strict=True)
            ],
            axis=1,
        )
        defined = ~np.isnan(found)
        # Values, then whether they are defined: shape (n_units, 2 · n_metrics).
        self._columns = np.ascontiguousarray(np.hstack([np.where(defined, found, 0.0), defined]))
        self._totals = self._columns.sum(axis=0)
        self.observed = self._from_sums(self._totals[:, np.newaxis])[:, 0]

    def differences(self, block: SwapBlock) -> FloatArray:
        """Return the differences in one block of replicates."""
        codes = block.columns if block.columns is not None else block.rows
        assert codes is not None
        return self._from_sums(signed_sums(self._columns, codes).T)

    def _from_sums(self, sums: FloatArray) -> FloatArray:
        """Return differences from signed sums, shape (2 · n_metrics, n_replicates)."""
        values, counts = np.split(sums, 2)
        half = len(values)
        totals, sizes = self._totals[:half, np.newaxis], self._totals[half:, np.newaxis]
        a, b = self._left, self._right
        turned, moved = values[a] - values[b], counts[a] - counts[b]
        total, size = totals[a] + totals[b], sizes[a] + sizes[b]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((total + turned) / (size + moved) - (total - turned) / (size - moved))
