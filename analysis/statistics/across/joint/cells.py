"""Scores of a dataset by a metric, as differences per unit that an exchange turns the sign of.

Exchanging systems a and b on a unit leaves the sum S of both systems' components as it is and
turns the sign of their difference g. For a metric f of sums, f(a) - f(b) is to third order
Σ h_u with h_u = f'(S / 2) g_u: the slope does not change either. So every metric comes down to
one number per unit, exchanging turns its sign, and Σ h² is the same whoever is who.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray
from analysis.statistics.aggregate import CORRELATIONS, aggregate_sums, as_aggregation
from analysis.statistics.correlations import exchangeable_moments
from analysis.statistics.fixed_point import whole_scores

IntArray = npt.NDArray[np.int64]
_Metric = Callable[[FloatArray, FloatArray], FloatArray]
_STEP = 1e-6
_RELATIVE_ZERO = 1e-12


class JointCell(NamedTuple):
    """Scores of all systems on one dataset by one metric."""

    scores: FloatArray
    """Shape (n_systems, n_items, n_components); NaN where missing."""
    aggregation: str
    """One of `AGGREGATIONS`."""
    units: IntArray
    """Shape (n_items,). Items with the same number are exchanged together: within a cell, because
    they are one group; across cells, because they are the same item."""
    sign: int = 1
    """-1 where lower is better."""


class UnitDifferences(NamedTuple):
    """What one system is ahead of others by, unit by unit."""

    values: FloatArray
    """Shape (n_units, n_others); 0 where either has no score."""
    testable: BoolArray
    """Whether the metric of both is defined on the items that they share, shape (n_others,)."""


class PreparedCell(ABC):
    """A cell whose differences per unit can be asked for."""

    def __init__(self, cell: JointCell) -> None:
        self.units, codes = np.unique(cell.units, return_inverse=True)
        codes = codes.reshape(-1)
        # Units in ascending order: no result depends on the order of items.
        self._order = np.argsort(codes, kind="stable")
        self._starts = np.flatnonzero(np.diff(codes[self._order], prepend=-1))
        self._sign = float(cell.sign)
        scores = np.asarray(cell.scores, dtype=np.float64)[:, self._order]
        self._present = np.ascontiguousarray(~np.isnan(scores).any(axis=2).T)
        has_items = self._present.any(axis=0)
        self._complete = bool(np.all(self._present[:, has_items]))

    def differences(self, left: int, right: slice) -> UnitDifferences:
        """Return the differences of system `left` to each of the systems `right`."""
        shared = self._present[:, left, np.newaxis] & self._present[:, right]
        found = self._of_items(left, right, shared)
        if self._starts.size < len(self._order):
            found = found._replace(values=np.add.reduceat(found.values, self._starts, axis=0))
        return found._replace(testable=found.testable & shared.any(axis=0))

    @abstractmethod
    def _of_items(self, left: int, right: slice, shared: BoolArray) -> UnitDifferences:
        """Return differences per item, shape (n_items, n_others)."""


class _Mean(PreparedCell):
    def __init__(self, cell: JointCell) -> None:
        super().__init__(cell)
        whole = whole_scores(self._sign * cell.scores[:, self._order, 0])
        self._steps = np.ascontiguousarray(whole.steps.T, dtype=np.float64)

    def _of_items(self, left: int, right: slice, shared: BoolArray) -> UnitDifferences:
        values = self._steps[:, left, np.newaxis] - self._steps[:, right]
        if not self._complete:
            values *= shared
        return UnitDifferences(values, np.ones(values.shape[1], dtype=np.bool_))


class _Sums(PreparedCell):
    """A metric of summed components."""

    def __init__(self, cell: JointCell, metric: _Metric, components: FloatArray) -> None:
        super().__init__(cell)
        self._metric = metric
        columns = components[:, self._order].transpose(2, 1, 0)
        self._columns = np.where(self._present, columns, 0.0)
        self._totals = np.sum(self._columns, axis=1).T
        self._sizes = np.sum(np.abs(self._columns), axis=1).T

    def _of_items(self, left: int, right: slice, shared: BoolArray) -> UnitDifferences:
        first, second, sizes = self._shared_sums(left, right, shared)
        n_items = np.count_nonzero(shared, axis=0).astype(np.float64)
        n_items = np.maximum(n_items, 1.0)
        defined = ~(
            np.isnan(self._metric(first, n_items)) | np.isnan(self._metric(second, n_items))
        )
        slopes = self._sign * slope(self._metric, (first + second) / 2, sizes, n_items)
        testable = defined & ~np.isnan(slopes).any(axis=1)
        slopes[~testable] = 0.0
        values = np.zeros(shared.shape)
        for column, weights in zip(self._columns, slopes.T, strict=True):
            values += (column[:, left, np.newaxis] - column[:, right]) * weights
        if not self._complete:
            values *= shared
        return UnitDifferences(values, testable)

    def _shared_sums(
        self, left: int, right: slice, shared: BoolArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the sums of `left`, of each other, and of all sizes, (n_others, n_components)."""
        if self._complete:
            sizes = self._sizes[left] + self._sizes[right]
            return np.tile(self._totals[left], (len(sizes), 1)), self._totals[right], sizes
        kept = shared.astype(np.float64)
        own, others = self._columns[:, :, left], self._columns[:, :, right]
        first = (own @ kept).T
        second = np.einsum("kio,io->ok", others, kept)
        sizes = (np.abs(own) @ kept).T + np.einsum("kio,io->ok", np.abs(others), kept)
        return first, second, sizes


class _Median(PreparedCell):
    """Counts above less below the median of both: what exchanging can change of a median."""

    def __init__(self, cell: JointCell) -> None:
        super().__init__(cell)
        self._scores = np.ascontiguousarray(self._sign * cell.scores[:, self._order, 0].T)

    def _of_items(self, left: int, right: slice, shared: BoolArray) -> UnitDifferences:
        own, others = self._scores[:, left, np.newaxis], self._scores[:, right]
        both = np.where(np.tile(shared, (2, 1)), np.concatenate([own + 0 * others, others]), np.nan)
        middle = np.zeros(shared.shape[1])
        filled = shared.any(axis=0)
        middle[filled] = np.nanmedian(both[:, filled], axis=0)
        values = np.where(shared, np.sign(own - middle) - np.sign(others - middle), 0.0)
        return UnitDifferences(values, filled)


class _PartialCorrelation(PreparedCell):
    """A correlation where systems miss different items, pair by pair."""

    def __init__(self, cell: JointCell) -> None:
        super().__init__(cell)
        self._scores = cell.scores[:, self._order]
        self._aggregation = cell.aggregation

    def _of_items(self, left: int, right: slice, shared: BoolArray) -> UnitDifferences:
        values, testable = np.zeros(shared.shape), np.zeros(shared.shape[1], dtype=np.bool_)
        for place, other in enumerate(range(len(self._scores))[right]):
            kept = shared[:, place]
            if not kept.any():
                continue
            first, second = (
                exchangeable_moments(self._scores[system, kept], self._aggregation)
                for system in (left, other)
            )
            sums = np.stack([first.sum(axis=0), second.sum(axis=0)])
            n_items = np.full(2, float(len(first)))
            if np.isnan(_correlation(sums, n_items)).any():
                continue
            sizes = np.sum(np.abs(first) + np.abs(second), axis=0)[np.newaxis]
            slopes = slope(_correlation, np.mean(sums, axis=0, keepdims=True), sizes, n_items[:1])
            values[kept, place] = self._sign * ((first - second) @ slopes[0])
            testable[place] = True
        return UnitDifferences(values, testable)


def prepare_cells(
    cells: Sequence[JointCell], *, n_systems: int | None = None
) -> tuple[list[PreparedCell], int]:
    """Check cells and make their differences ready to be asked for.

    Parameters
    ----------
    cells : sequence of JointCell
        All with the same systems in the same order.
    n_systems : int, optional
        How many systems there must be.

    Returns
    -------
    prepared : list of PreparedCell
        With units numbered from 0 over all cells, in ascending order of the numbers given.
    n_units : int

    Raises
    ------
    TypeError, ValueError
        If a cell's scores have another shape than its units and aggregation ask for, are not
        finite, or count another number of systems; if gold differs between systems.
    """
    wanted = n_systems
    for index, cell in enumerate(cells):
        _check(cell, index, wanted)
        wanted = wanted or len(cell.scores)
    prepared = [_prepare(cell) for cell in cells]
    everything = np.concatenate([np.empty(0, np.int64), *(cell.units for cell in prepared)])
    numbers = np.unique(everything)
    for cell in prepared:
        cell.units = np.searchsorted(numbers, cell.units)
    return prepared, numbers.size


def slope(metric: _Metric, sums: FloatArray, sizes: FloatArray, n_items: FloatArray) -> FloatArray:
    """Return the derivatives of a metric by its sums, shape (n, n_components).

    A component without size is 0 for every item: its slope does not matter and is 0.
    """
    slopes = np.zeros_like(sums)
    for column in range(sums.shape[1]):
        step = np.zeros_like(sums)
        step[:, column] = _STEP * sizes[:, column]
        rise = metric(sums + step, n_items) - metric(sums - step, n_items)
        width = 2 * step[:, column]
        np.divide(rise, width, out=slopes[:, column], where=width > 0)
    return slopes


def _correlation(sums: FloatArray, n_items: FloatArray) -> FloatArray:
    total, squares, products = np.moveaxis(sums, -1, 0)
    spread = n_items * squares - total * total
    defined = spread > _RELATIVE_ZERO * n_items * np.abs(squares)
    return np.where(defined, products / np.sqrt(np.where(defined, spread, 1.0)), np.nan)


def _prepare(cell: JointCell) -> PreparedCell:
    scores = np.array(cell.scores, dtype=np.float64)
    missing = np.isnan(scores).any(axis=2)
    scores[missing] = np.nan
    cell = cell._replace(scores=scores, units=np.asarray(cell.units, dtype=np.int64))
    if cell.aggregation == "mean":
        return _Mean(cell)
    if cell.aggregation == "median":
        return _Median(cell)
    if cell.aggregation not in CORRELATIONS:

        def metric(sums: FloatArray, n_items: FloatArray) -> FloatArray:
            return aggregate_sums(sums, cell.aggregation, n_items)

        return _Sums(cell, metric, scores)
    if np.any(missing.any(axis=1) & ~missing.all(axis=1)):
        return _PartialCorrelation(cell)
    moments = np.full((*missing.shape, 3), np.nan)
    for system in np.flatnonzero(~missing.all(axis=1)):
        moments[system] = exchangeable_moments(scores[system], cell.aggregation)
    return _Sums(cell, _correlation, moments)


def _check(cell: JointCell, index: int, n_systems: int | None) -> None:
    kind = as_aggregation(cell.aggregation)
    scores, units = np.asarray(cell.scores), np.asarray(cell.units)
    if scores.dtype.kind not in "biuf":
        raise TypeError(f"`scores` of cell {index} must hold numbers, got {scores.dtype} values.")
    if scores.ndim != 3 or scores.shape[2] != len(kind.components):
        raise ValueError(
            f"`scores` of cell {index} must have shape (n_systems, n_items, "
            f"{len(kind.components)}) for aggregation '{cell.aggregation}', got {scores.shape}."
        )
    if n_systems is not None and len(scores) != n_systems:
        raise ValueError(
            f"`scores` of cell {index} must be of {n_systems} systems, got {len(scores)}: give a "
            "system without scores a row of NaN."
        )
    if units.shape != scores.shape[1:2] or units.dtype.kind not in "iu":
        raise ValueError(
            f"`units` of cell {index} must be a whole number for each of {scores.shape[1]} items, "
            f"got {units.dtype} values of shape {units.shape}."
        )
    if cell.sign not in (1, -1):
        raise ValueError(f"`sign` of cell {index} must be 1 or -1, got {cell.sign!r}.")
    if np.isinf(scores).any():
        raise ValueError(f"`scores` of cell {index} must be finite (NaN = missing).")
    if cell.aggregation in CORRELATIONS and scores.size:
        gold = scores[:, :, 1]
        if np.any((gold != gold[0]) & ~np.isnan(gold) & ~np.isnan(gold[0])):
            raise ValueError(f"Gold in cell {index} must be the same for all systems.")
