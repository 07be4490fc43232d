"""Coefficients of systems' means after exchanges: the means move along lines."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray
from analysis.statistics.fixed_point import whole_differences
from analysis.statistics.meta_evaluation.cells import system_means
from analysis.statistics.meta_evaluation.coefficients import KINDS, prepare
from analysis.statistics.meta_evaluation.metric_pairs import Part, Request
from analysis.statistics.meta_evaluation.scaling import scale_of_means
from analysis.statistics.meta_evaluation.swaps import SwapBlock, cell_codes
from analysis.statistics.resampling.plan import BLOCK, signed_sums, signs_of

_ROUNDING = 1e-11
"""Means that differ by no more than this many standard deviations of the cells are equal."""


class SystemSwaps:
    """The differences of listed pairs at level "system".

    Scores are whole steps, so that signed sums are exact and systems that tie come out equal.
    """

    def __init__(self, part: Part, request: Request) -> None:
        self._left, self._right, self._kind = part.left, part.right, request.test
        self._coefficient = KINDS[request.coefficient]
        present = ~np.isnan(part.gold)
        self._present = present.astype(np.float64)
        self._sizes = self._present.sum(axis=1)
        scales = [_scale_of(metric, present, request.scale) for metric in part.values]
        steps = np.zeros((len(scales), *present.shape))
        for metric, scale in enumerate(scales):
            steps[metric][present] = scale.steps
        # Shape (n_items, n_systems, n_metrics): items are what is summed over.
        self._steps = np.ascontiguousarray(steps.transpose(2, 1, 0))
        self._unit = np.array([scale.unit for scale in scales])
        self._middle = np.array([scale.middle for scale in scales])
        self._tie = np.array([scale.tie for scale in scales])
        spread = np.array([scale.spread for scale in scales])
        self._halo = np.nan_to_num(part.epsilons) / spread / 2
        self._gold, self._order, self._n_levels = _of_gold(part.gold, present, request.coefficient)
        whole = np.ones((len(self._sizes), 1))
        totals = self._steps.sum(axis=0)[np.newaxis]
        self._fixed = self._means(totals, whole * self._sizes[:, np.newaxis])[:, :, 0]
        self.observed = self._between(self._fixed[:, :, np.newaxis], whole)[:, 0]

    def differences(self, block: SwapBlock) -> FloatArray:
        """Return the differences in one block of replicates."""
        sums, counts = self._signed(block)
        return self._between(self._means(sums, counts), counts / self._sizes[:, np.newaxis])

    def _signed(self, block: SwapBlock) -> tuple[FloatArray, FloatArray]:
        """Return signed sums, shape (256, n_systems, n_metrics), and signed counts of cells."""
        n_items, n_systems, n_metrics = self._steps.shape
        if self._kind == "cell-swap":
            codes = cell_codes(block, n_systems, n_items)
            sums = np.empty((BLOCK, n_systems, n_metrics))
            counts = np.empty((n_systems, BLOCK))
            for system in range(n_systems):
                at = slice(system * n_items, (system + 1) * n_items)
                its = codes.of(at)
                columns = np.column_stack([self._steps[:, system], self._present[system]])
                found = signed_sums(columns, its)
                sums[:, system], counts[system] = found[:, :-1], found[:, -1]
            return sums, counts
        if block.columns is None:
            sums = np.repeat(self._steps.sum(axis=0)[np.newaxis], BLOCK, axis=0)
            counts = np.repeat(self._sizes[:, np.newaxis], BLOCK, axis=1)
        else:
            flat = self._steps.reshape(n_items, -1)
            found = signed_sums(np.hstack([flat, self._present.T]), block.columns)
            sums = found[:, :-n_systems].reshape(BLOCK, n_systems, n_metrics)
            counts = found[:, -n_systems:].T
        if block.rows is not None:
            signs = signs_of(block.rows)
            sums, counts = sums * signs[:, :, np.newaxis], counts * signs.T
        return sums, counts

    def _means(self, sums: FloatArray, counts: FloatArray) -> FloatArray:
        """Return half of standardised means, shape (n_metrics, n_systems, n_replicates)."""
        steps = sums.transpose(2, 1, 0)
        middle = self._middle[:, np.newaxis, np.newaxis] * counts
        scale = self._unit[:, np.newaxis, np.newaxis] / (2 * self._sizes[:, np.newaxis])
        return np.ascontiguousarray((steps - middle) * scale)

    def _between(self, moved: FloatArray, share: FloatArray) -> FloatArray:
        from analysis.statistics.meta_evaluation.system_kernels import mean_differences

        halo = np.repeat(self._halo[:, np.newaxis] / 2, len(self._sizes), axis=1)
        turned = np.zeros((*halo.shape, 0))
        if self._halo.any():
            turned = np.ascontiguousarray(halo[:, :, np.newaxis] * share)
        found = np.empty((self._left.size, moved.shape[2]))
        mean_differences(
            self._coefficient,
            self._fixed,
            moved,
            halo,
            turned,
            self._tie,
            self._left,
            self._right,
            self._gold,
            self._order,
            self._n_levels,
            found,
        )
        return found


class _Scale(NamedTuple):
    """A metric's cells in whole steps from one of its values, and what turns them into z."""

    steps: FloatArray
    middle: float
    """Steps that stand for 0."""
    unit: float
    """What a step is worth."""
    spread: float
    """What a difference of 1 is worth in what the cells were given in."""
    tie: float
    """Means that differ by no more than this are equal."""


def _scale_of(metric: FloatArray, present: BoolArray, scale: str) -> _Scale:
    values = metric[present]
    # Measured from a value of the metric itself, so that simple fractions stay simple.
    centre = float(np.partition(values, values.size // 2)[values.size // 2])
    whole = whole_differences(values, np.full_like(values, centre))
    middle, spread = _moments(whole.steps)
    rounding = _ROUNDING * (spread or 1.0)
    if scale == "as given":
        return _Scale(whole.steps, -centre / whole.step, whole.step, 1.0, rounding * whole.step)
    if scale == "system means":
        sums = np.zeros(present.shape)
        sums[present] = whole.steps
        middle, spread = scale_of_means(np.sum(sums, axis=1) / np.sum(present, axis=1))
        spread *= spread > rounding
    if not spread:
        return _Scale(whole.steps, middle, 0.0, whole.step, _ROUNDING)
    return _Scale(whole.steps, middle, 1.0 / spread, spread * whole.step, rounding / spread)


def _moments(values: FloatArray) -> tuple[float, float]:
    """Return mean and standard deviation; 0 where all values are equal."""
    mean = float(np.sum(values)) / values.size
    rest = values - mean
    reach = float(np.max(np.abs(rest)))
    varies = bool(np.ptp(values) > 0)
    return mean, reach * float(np.sqrt(np.mean((rest / reach) ** 2))) if varies else 0.0


def _of_gold(
    gold: FloatArray, present: BoolArray, coefficient: str
) -> tuple[FloatArray, npt.NDArray[np.int8], int]:
    """Return gold's means or ranks (mean 0, square sum 1), their order, and distinct values."""
    exact = coefficient != "pearson"
    means = system_means(gold, present, exact=exact)
    rows = prepare(means.values[np.newaxis])
    codes = rows.codes[0].astype(np.int64)
    order = np.sign(codes[:, np.newaxis] - codes).astype(np.int8)
    values = means.values
    if coefficient == "spearman":
        values = order.sum(axis=1).astype(np.float64)
    values = values - np.mean(values)
    varies = np.max(np.abs(values), initial=0.0) > means.rounding
    values = values / np.sqrt(np.sum(values * values)) if varies else np.full(values.size, np.nan)
    return values, order, int(codes.max(initial=-1)) + 1
