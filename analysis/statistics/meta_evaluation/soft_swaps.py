"""The soft pairwise accuracy after exchanges."""

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.meta_evaluation.metric_pairs import Part, Request
from analysis.statistics.meta_evaluation.scaling import standardised
from analysis.statistics.meta_evaluation.soft_accuracy import doubts
from analysis.statistics.meta_evaluation.swaps import SwapBlock, cell_codes
from analysis.statistics.resampling.plan import BLOCK


class SoftSwaps:
    """The differences of listed pairs in soft pairwise accuracy.

    The p-values of a metric's pairs of systems are taken from the normal approximation of their
    item permutations, before the exchange and after: the sum of signed differences has the
    variance of the sum of their squares.
    """

    def __init__(self, part: Part, request: Request) -> None:
        self._left, self._right = part.left, part.right
        self._present = ~np.isnan(part.gold)
        self._values = np.where(self._present, standardised(part.values, request.scale), 0.0)
        self._doubt = doubts(part.gold, rng=request.seed)
        nothing = np.zeros(self._present.shape, dtype=np.uint8)
        self.observed = self._differences(nothing, nothing)[:, 0]

    def differences(self, block: SwapBlock) -> FloatArray:
        """Return the differences in one block of replicates."""
        shape = self._present.shape
        positions, minus = (side.reshape(shape) for side in cell_codes(block, *shape))
        return self._differences(positions, minus)

    def _differences(self, positions: np.ndarray, minus: np.ndarray) -> FloatArray:
        from analysis.statistics.meta_evaluation.soft_kernels import soft_differences

        found = np.empty((self._left.size, BLOCK))
        for pair, (i, j) in enumerate(zip(self._left, self._right, strict=True)):
            x, y = self._values[i], self._values[j]
            soft_differences(
                (x + y) / 2,
                (x - y) / 2,
                self._present,
                positions,
                minus,
                self._doubt,
                found[pair],
            )
        return found
