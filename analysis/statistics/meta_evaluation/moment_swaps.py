"""Pearson's correlation of cells after exchanges, from sums of z, z² and z times gold."""

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.meta_evaluation.metric_pairs import Part, Request
from analysis.statistics.meta_evaluation.scaling import standardised
from analysis.statistics.meta_evaluation.swaps import (
    SwapBlock,
    signed_cell_sums,
)
from analysis.statistics.meta_evaluation.unit_rows import unit_rows
from analysis.statistics.resampling.plan import BLOCK, SignCodes, signed_sums, signs_of

_SHORT = 128
_VALUES_AT_ONCE = 1 << 18


class MomentSwaps:
    """The differences of listed pairs at the levels "item", "per-system" and "global".

    After an exchange, the sums of a row are those that the two metrics had together, half of
    them, plus and minus half the difference of their signed sums. Those come from one product,
    or one Hadamard transform, per row for all metrics.
    """

    def __init__(self, part: Part, request: Request) -> None:
        self._left, self._right = part.left, part.right
        self._kind, self._level, self._shape = request.test, request.level, part.gold.shape
        self._n_metrics = len(part.values)
        self._rows = unit_rows(standardised(part.values, request.scale), part.gold, request.level)
        self._sizes = self._rows.present.sum(axis=1).astype(np.float64)
        self._features = self._make_features()
        self._totals = self._features.sum(axis=3)
        self.observed = self._unexchanged()

    def differences(self, block: SwapBlock) -> FloatArray:
        """Return the differences in one block of replicates."""
        from analysis.statistics.meta_evaluation.moment_kernels import add_correlations

        found = np.zeros((self._left.size, 4, BLOCK))
        codes = self._rows.codes(block, *self._shape)
        n_rows = len(self._sizes)
        per_row = 3 * self._n_metrics * BLOCK
        step = max(1, _VALUES_AT_ONCE // per_row)
        for start in range(0, n_rows, step):
            rows = slice(start, start + step)
            add_correlations(
                self._signed(rows, codes, block),
                self._totals[rows],
                self._sizes[rows],
                self._left,
                self._right,
                found,
            )
        return _means(found)

    def _make_features(self) -> FloatArray:
        """Return half of z, z² and z · gold, shape (n_rows, 3, n_metrics, n); 0 if missing."""
        rows = self._rows
        present = rows.present
        count = np.maximum(self._sizes, 1)[:, np.newaxis]
        gold = np.where(present, rows.gold, 0.0)
        low = np.min(np.where(present, rows.gold, np.inf), axis=1, keepdims=True)
        high = np.max(np.where(present, rows.gold, -np.inf), axis=1, keepdims=True)
        varies = high > low
        reach = np.where(varies, high - low, 1.0)
        gold = np.where(present, (gold - low) / reach, 0.0)
        gold = np.where(present, gold - gold.sum(axis=1, keepdims=True) / count, 0.0)
        gold /= np.where(varies, np.sqrt((gold * gold).sum(axis=1, keepdims=True) / count), 1.0)
        self._sizes = np.where(varies[:, 0], self._sizes, 0.0)
        z = np.where(present, rows.values, 0.0)
        # What all metrics have in common in a row takes digits from the variances there.
        middle = z.sum(axis=(0, 2)) / (len(z) * count[:, 0])
        z = np.where(present, z - middle[:, np.newaxis], 0.0)
        features = np.stack([z, z * z, z * gold]).transpose(2, 0, 1, 3)
        return np.ascontiguousarray(features / 2)

    def _signed(self, rows: slice, codes: SignCodes, block: SwapBlock) -> FloatArray:
        """Return the signed sums of some rows, shape (n_rows, 3, n_metrics, 256)."""
        features = self._features[rows]
        n_rows, _, n_metrics, n = features.shape
        if self._level == "global":
            sums = signed_cell_sums(self._by_cell(), self._kind, block)
            return np.ascontiguousarray(sums.T).reshape(1, 3, n_metrics, BLOCK)
        if n <= _SHORT:
            here = SignCodes(codes.positions[rows].reshape(-1), codes.minus[rows].reshape(-1))
            signs = signs_of(here).reshape(BLOCK, n_rows, n).transpose(1, 2, 0)
            sums = features.reshape(n_rows, -1, n) @ np.ascontiguousarray(signs)
            return np.asarray(sums.reshape(n_rows, 3, n_metrics, BLOCK))
        found = np.empty((n_rows, 3 * n_metrics, BLOCK))
        for row in range(n_rows):
            at = rows.start + row
            its = codes.of(at)
            found[row] = signed_sums(features[row].reshape(-1, n).T, its).T
        return found.reshape(n_rows, 3, n_metrics, BLOCK)

    def _by_cell(self) -> FloatArray:
        """Return the features of the only row, shape (n_systems, n_items, 3 · n_metrics)."""
        flat = self._features[0].reshape(3 * self._n_metrics, -1).T
        return np.asarray(flat.reshape(*self._shape, -1))

    def _unexchanged(self) -> FloatArray:
        from analysis.statistics.meta_evaluation.moment_kernels import add_correlations

        found = np.zeros((self._left.size, 4, 1))
        whole = self._totals[:, :, :, np.newaxis]
        add_correlations(whole, self._totals, self._sizes, self._left, self._right, found)
        return _means(found)[:, 0]


def _means(found: FloatArray) -> FloatArray:
    """Return the difference of both sides' means over the units that define them."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(found[:, 0] / found[:, 2] - found[:, 1] / found[:, 3])
