"""Coefficients that count pairs of cells, after exchanges: a weighted sum of the cells' signs.

See `order_kernels` for why. It holds where the divisor does not depend on the exchange: for the
pairwise accuracy always, for Kendall's tau where no two values of different cells tie.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, CodeArray, FloatArray, IntArray
from analysis.statistics.meta_evaluation.coefficients import prepare
from analysis.statistics.meta_evaluation.metric_pairs import Part, Request
from analysis.statistics.meta_evaluation.scaling import standardised_for_ranks
from analysis.statistics.meta_evaluation.swaps import SwapBlock, cell_codes
from analysis.statistics.meta_evaluation.unit_rows import UnitRows, unit_rows
from analysis.statistics.resampling.plan import signed_sums

LONG_ROW = 64
_SLACK = 1e-12
_SUM_BITS = 51


class OrderRows(NamedTuple):
    """Cells by unit, made ready for comparisons of pairs."""

    rows: UnitRows
    values: FloatArray
    """On one scale, shape (n_metrics, n_rows, n); 0 where there is no cell."""
    halos: FloatArray
    """Half the tie threshold of each metric on that scale, and a little for rounding."""
    codes: CodeArray
    """Gold's values numbered in ascending order, shape (n_rows, n)."""
    own: CodeArray
    """What each cell of short rows earns against others of its metric, (n_metrics, n, n_rows)."""
    factors: FloatArray
    """What a concordant pair adds to the mean over rows, shape (n_rows,)."""
    level: str
    accuracy: bool


def order_rows(part: Part, request: Request) -> OrderRows:
    """Prepare the cells of a part."""
    scaled = standardised_for_ranks(part.values, request.scale)
    rows = unit_rows(scaled, part.gold, request.level)
    # From the ranges, which do not depend on where a value stands, as sums would.
    reach, width = (_range(side) for side in (part.values, scaled))
    spread = np.ones(len(scaled))
    np.divide(reach, width, out=spread, where=width > 0)
    halos = np.nan_to_num(part.epsilons) / spread / 2
    halos += _SLACK * width * (halos > 0)
    codes = prepare(rows.gold).codes
    values = np.where(rows.present, rows.values, 0.0)
    accuracy = request.coefficient == "pairwise-accuracy"
    return OrderRows(
        rows,
        values,
        halos,
        codes,
        _own_weights(values, halos, codes, rows.present, accuracy),
        _factors(rows, codes, request.coefficient),
        request.level,
        accuracy,
    )


def _range(values: FloatArray) -> FloatArray:
    """Return the range of each metric."""
    flat = values.reshape(len(values), -1)
    return np.asarray(np.nanmax(flat, axis=1) - np.nanmin(flat, axis=1))


def _own_weights(
    values: FloatArray,
    halos: FloatArray,
    codes: CodeArray,
    present: BoolArray,
    accuracy: bool,
) -> CodeArray:
    from analysis.statistics.meta_evaluation.order_kernels import own_weights

    n_metrics, n_rows, n = values.shape
    if n > LONG_ROW:
        return np.zeros((0, n, n_rows), dtype=np.int32)
    own = np.empty((n_metrics, n, n_rows), dtype=np.int32)
    turned = np.ascontiguousarray(values.transpose(0, 2, 1))
    own_weights(
        turned,
        halos,
        np.ascontiguousarray(codes.T),
        np.ascontiguousarray(present.T),
        accuracy,
        own,
    )
    return own


class OrderSwaps:
    """The differences of listed pairs from the weights of their cells."""

    def __init__(self, weights: FloatArray, shape: tuple[int, int], kind: str) -> None:
        self._kind, self._shape = kind, shape
        units = np.where(np.isnan(weights), 0.0, weights).reshape(len(weights), *shape)
        if kind in ("perm-systems", "perm-inputs"):
            units = units.sum(axis=2 if kind == "perm-systems" else 1)
        flat: FloatArray = units.reshape(len(weights), -1)
        # On a grid on which every sum is exact, whatever its order.
        exponents = np.frexp(np.maximum(np.abs(flat).sum(axis=1), 1e-300))[1]
        shift = (_SUM_BITS - exponents)[:, np.newaxis]
        self._unit = np.ldexp(1.0, -shift)
        self._columns = np.ascontiguousarray(np.rint(np.ldexp(flat, shift)).T)
        # Without a row that defines it, a coefficient is not defined whatever is exchanged.
        self._unit[np.isnan(weights).all(axis=1)] = np.nan
        self.observed = self._columns.sum(axis=0) * self._unit[:, 0]

    def differences(self, block: SwapBlock) -> FloatArray:
        """Return the differences in one block of replicates."""
        if self._kind == "perm-systems":
            codes = block.rows
        elif self._kind == "perm-inputs":
            codes = block.columns
        else:
            codes = cell_codes(block, *self._shape)
        assert codes is not None
        return np.asarray(signed_sums(self._columns, codes).T * self._unit)


def cell_weights(
    ready: OrderRows, left: IntArray, right: IntArray, coefficient: str
) -> tuple[FloatArray, BoolArray]:
    """Return what each cell's sign adds to the difference of listed pairs.

    Returns
    -------
    weights : ndarray, shape (n_pairs, n_systems * n_items)
        0 where there is no cell; all NaN where no row defines the coefficient.
    suits : ndarray of bool, shape (n_pairs,)
        Whether they say all: no exchange changes the divisor.
    """
    from analysis.statistics.meta_evaluation import order_kernels

    n_rows, n = ready.codes.shape
    present = ready.rows.present
    if n <= LONG_ROW:
        counted = np.empty((left.size, n, n_rows), dtype=np.int32)
        order_kernels.short_row_weights(
            np.ascontiguousarray(ready.values.transpose(0, 2, 1)),
            ready.halos,
            np.ascontiguousarray(ready.codes.T),
            np.ascontiguousarray(present.T),
            left,
            right,
            ready.accuracy,
            ready.own,
            counted,
        )
        found = counted.transpose(0, 2, 1).astype(np.float64)
    else:
        found = np.zeros((left.size, n_rows, n))
        for pair, (i, j) in enumerate(zip(left, right, strict=True)):
            for row in range(n_rows):
                at = np.flatnonzero(present[row])
                found[pair, row, at] = _long_row(ready, i, j, row, at)
    suits = np.array(
        [
            ready.accuracy or _suits(ready, i, j, coefficient)
            for i, j in zip(left, right, strict=True)
        ]
    )
    weights = np.zeros((left.size, present.size))
    if not ready.factors.any():
        weights[:] = np.nan
        return weights, suits
    scaled = found * (ready.factors / 2)[:, np.newaxis]
    weights[:, ready.rows.cells.reshape(-1)] = scaled.reshape(left.size, -1)
    return weights, suits


def _long_row(ready: OrderRows, i: int, j: int, row: int, at: npt.NDArray[np.intp]) -> FloatArray:
    from analysis.statistics.meta_evaluation.order_kernels import long_row_weights

    x, y = ready.values[i, row, at], ready.values[j, row, at]
    gold = np.unique(ready.codes[row, at], return_inverse=True)[1].astype(np.int32)
    weights = np.empty(at.size)
    long_row_weights(
        x,
        y,
        np.argsort(x, kind="stable").astype(np.int32),
        np.argsort(y, kind="stable").astype(np.int32),
        gold,
        float(ready.halos[i]),
        float(ready.halos[j]),
        ready.accuracy,
        weights,
    )
    return weights


def _suits(ready: OrderRows, i: int, j: int, coefficient: str) -> bool:
    """Return whether Kendall's divisor is the same after every exchange of two metrics."""
    used = ready.factors > 0
    present = ready.rows.present[used]
    x, y = (ready.values[k][used] for k in (i, j))
    if coefficient == "kendall-a":
        return not _can_be_constant(x, y, present)
    same = present & (x == y)
    # A cell with equal values can be exchanged or not; it is one value.
    values = np.concatenate([np.where(present, x, np.nan), np.where(present & ~same, y, np.nan)], 1)
    values.sort(axis=1)
    return not bool(np.any(values[:, 1:] == values[:, :-1]))


def _can_be_constant(x: FloatArray, y: FloatArray, present: BoolArray) -> bool:
    """Return whether some exchange leaves a row with one value only."""
    first = present.argmax(axis=1)
    rows = np.arange(len(present))
    for side in (x, y):
        value = side[rows, first][:, np.newaxis]
        if bool(np.any(((x == value) | (y == value) | ~present).all(axis=1))):
            return True
    return False


def _factors(rows: UnitRows, codes: CodeArray, coefficient: str) -> FloatArray:
    """Return what a concordant pair adds; 0 for rows whose coefficient is never defined."""
    n = rows.present.sum(axis=1).astype(np.float64)
    pairs = n * (n - 1) / 2
    levels, untied = np.zeros(len(n)), pairs.copy()
    for row, present in enumerate(rows.present):
        counts = np.bincount(codes[row][present])
        levels[row] = np.count_nonzero(counts)
        untied[row] -= np.sum(counts * (counts - 1.0)) / 2
    defined = pairs > 0 if coefficient == "pairwise-accuracy" else untied > 0
    factors = np.zeros(len(n))
    if coefficient == "kendall-b":
        divisor = np.sqrt(pairs) * np.sqrt(untied)
    elif coefficient == "kendall-c":
        divisor = n * n * (levels - 1) / np.maximum(2 * levels, 1)
    else:
        divisor = pairs
    np.divide(1.0, divisor, out=factors, where=defined)
    return np.asarray(factors / max(1, int(np.count_nonzero(defined))))
