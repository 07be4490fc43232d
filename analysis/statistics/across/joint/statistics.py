"""One statistic per cell, observed and for every replicate of one shared draw of signs."""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from analysis.statistics._typing import BoolArray, FloatArray
from analysis.statistics.across.joint.cells import PreparedCell
from analysis.statistics.all_pairs.plan import BLOCK, SignCodes, sign_codes, signed_sums
from analysis.statistics.results import read_only

IntArray = npt.NDArray[np.int64]
GainArray = npt.NDArray[np.int32]

GRID = 1024
"""Steps per unit of -2 ln p: sums of them are sums of whole numbers."""
TABLE_START, TABLE_STEPS, TABLE_END = -8.0, 64.0, 40.0
TIE = 1e-9
"""An equal statistic may come out lower by this, relative."""


class ExchangeStatistics(NamedTuple):
    """Standardised sums of all cells for one pair of systems."""

    observed: FloatArray
    """Σ d / sqrt(Σ d²), shape (n_cells,); 0 where the systems are identical."""
    drawn: FloatArray
    """The same under each exchange, shape (n_cells, n_resamples)."""
    testable: BoolArray
    correlation: FloatArray
    """Of the statistics over all exchanges, shape (n_cells, n_cells); NaN where there is none."""


def exchange_statistics(
    cells: Sequence[PreparedCell], codes: Sequence[SignCodes], n_resamples: int
) -> ExchangeStatistics:
    """Exchange the first two systems in all cells at once.

    Parameters
    ----------
    cells : sequence of PreparedCell
    codes : sequence of SignCodes
        One per block of 256 replicates; of all units of all cells.
    n_resamples : int
    """
    n = len(cells)
    observed, testable = np.zeros(n), np.zeros(n, dtype=np.bool_)
    drawn = np.zeros((n, n_resamples))
    n_units = 1 + max((int(cell.units[-1]) for cell in cells if cell.units.size), default=-1)
    scaled = np.zeros((n, n_units))
    for row, cell in enumerate(cells):
        found = cell.differences(0, slice(1, 2))
        testable[row] = found.testable[0]
        weight = inverse_norms(found.values)
        if not testable[row] or weight[0] == 0:
            continue
        observed[row] = np.sum(found.values) * weight[0]
        scaled[row, cell.units] = found.values[:, 0] * weight[0]
        for block, first in enumerate(range(0, n_resamples, BLOCK)):
            sums = signed_sums(found.values, of_units(codes[block], cell.units))[:, 0]
            drawn[row, first : first + BLOCK] = sums[: n_resamples - first] * weight[0]
    correlation = scaled @ scaled.T
    varies = np.diag(correlation) > 0
    correlation[~varies] = correlation[:, ~varies] = np.nan
    np.fill_diagonal(correlation, np.where(varies, 1.0, np.nan))
    return ExchangeStatistics(observed, drawn, testable, np.clip(correlation, -1.0, 1.0))


def draw_codes(seed: int, n_resamples: int, n_units: int) -> list[SignCodes]:
    """Draw the signs of all units, block by block."""
    return [sign_codes(seed, block, n_units) for block in range(-(-n_resamples // BLOCK))]


def of_units(codes: SignCodes, units: IntArray) -> SignCodes:
    """Return the signs of some units."""
    return SignCodes(codes.positions[units], codes.minus[units])


def inverse_norms(values: FloatArray) -> FloatArray:
    """Return 1 / sqrt(Σ d²) of each column; 0 where all is 0."""
    # Divided first: squares of the largest and smallest floats leave their range.
    peak = np.max(np.abs(values), axis=0, initial=0.0)
    scaled = np.divide(values, peak, out=np.zeros_like(values), where=peak > 0)
    norms = np.sqrt(np.sum(scaled * scaled, axis=0)) * peak
    return np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)


def minus_two_log(statistic: npt.ArrayLike, n_cells: int) -> GainArray:
    """Return -2 ln of the normal upper tail, in steps of 1 / `GRID`.

    Non-decreasing in the statistic, which is all that the validity of a sum of them needs. Bounded
    so that no sum over `n_cells` cells leaves 32 bits.
    """
    from analysis.statistics.across.joint import statistics_kernels

    values = np.ascontiguousarray(statistic, dtype=np.float64)
    steps = np.empty(values.shape, dtype=np.int32)
    statistics_kernels.to_steps(values.reshape(-1), tail_table(), bound(n_cells), steps.reshape(-1))
    return steps


def bound(n_cells: int) -> int:
    """Return the largest value, in steps, that sums over all cells stay within 32 bits of."""
    return (2**30 - 1) // max(1, n_cells)


def with_room(observed: FloatArray) -> FloatArray:
    """Return observed statistics a little lower, so that equal ones count as reached."""
    return observed - TIE * np.maximum(1.0, np.abs(observed))


@functools.cache
def tail_table() -> FloatArray:
    """Return -2 ln of the normal upper tail from -8 to 40, in steps of 1/64."""
    n_steps = int((TABLE_END - TABLE_START) * TABLE_STEPS)
    points = TABLE_START + np.arange(n_steps + 1) / TABLE_STEPS
    return read_only(np.asarray(-2.0 * special.log_ndtr(-points)))
