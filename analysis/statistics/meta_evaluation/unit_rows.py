"""Cells as the vectors that a level takes its coefficients of."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray
from analysis.statistics.meta_evaluation.cells import as_units
from analysis.statistics.meta_evaluation.swaps import SwapBlock, cell_codes
from analysis.statistics.resampling.plan import SignCodes


class UnitRows(NamedTuple):
    """One row per item ("item"), per system ("per-system"), or one for all cells ("global")."""

    values: FloatArray
    """Of all metrics, shape (n_metrics, n_rows, n); NaN where there is no cell."""
    gold: FloatArray
    """Shape (n_rows, n)."""
    present: BoolArray
    """Same shape."""
    cells: npt.NDArray[np.intp]
    """Where each entry stands among all cells, system by system; same shape."""

    def codes(self, block: SwapBlock, n_systems: int, n_items: int) -> SignCodes:
        """Return the signs of all entries, fields of the shape of `gold`."""
        codes = cell_codes(block, n_systems, n_items)
        return codes.of(self.cells)


def unit_rows(values: FloatArray, gold: FloatArray, level: str) -> UnitRows:
    """Arrange cells by the units of a level; a single item is one unit at level "system"."""
    if level == "system":
        level = "item"
    rows = np.stack([as_units(metric, level) for metric in values])
    human = as_units(gold, level)
    places = np.arange(gold.size).reshape(gold.shape).astype(np.float64)
    cells = as_units(places, level).astype(np.intp)
    return UnitRows(rows, human, ~np.isnan(human), cells)
