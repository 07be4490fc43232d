"""Spearman's and Kendall's coefficients of cells after exchanges, where ties forbid shortcuts."""

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.meta_evaluation.coefficients import KINDS, prepare
from analysis.statistics.meta_evaluation.metric_pairs import Part, Request
from analysis.statistics.meta_evaluation.scaling import standardised_for_ranks
from analysis.statistics.meta_evaluation.swaps import SwapBlock
from analysis.statistics.meta_evaluation.unit_rows import unit_rows
from analysis.statistics.resampling.plan import BLOCK, SignCodes

_LONGEST_SHORT_ROW = 128


class RankSwaps:
    """The differences of listed pairs, each recounted in every replicate.

    Short rows compare every pair of cells, for 256 replicates at once; long rows go through the
    values of both metrics in the order in which they were sorted once.
    """

    def __init__(self, part: Part, request: Request) -> None:
        self._left, self._right, self._shape = part.left, part.right, part.gold.shape
        self._kind = KINDS[request.coefficient]
        values = standardised_for_ranks(part.values, request.scale)
        self._rows = unit_rows(values, part.gold, request.level)
        self._values = np.where(self._rows.present, self._rows.values, 0.0)
        self._gold = prepare(self._rows.gold).codes
        replicates = np.arange(BLOCK, dtype=np.uint8)
        self._odd = np.bitwise_count(replicates & replicates[:, np.newaxis]) & 1
        nothing = np.zeros(self._gold.shape, dtype=np.uint8)
        self.observed = self._differences(SignCodes(nothing, nothing), self._odd[:, :1])[:, 0]

    def differences(self, block: SwapBlock) -> FloatArray:
        """Return the differences in one block of replicates."""
        return self._differences(self._rows.codes(block, *self._shape), self._odd)

    def _differences(self, codes: SignCodes, odd: np.ndarray) -> FloatArray:
        from analysis.statistics.meta_evaluation.rank_kernels import short_rows

        found = np.zeros((self._left.size, 4, odd.shape[1]))
        odd = np.ascontiguousarray(odd)
        for pair, (i, j) in enumerate(zip(self._left, self._right, strict=True)):
            if self._gold.shape[1] <= _LONGEST_SHORT_ROW:
                x, y = self._values[i], self._values[j]
                short_rows(
                    self._kind, x, y, self._gold, self._rows.present, *codes, odd, found[pair]
                )
            else:
                for row in range(len(self._gold)):
                    its = codes.of(row)
                    self._add_long(int(i), int(j), row, its, odd, found[pair])
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(found[:, 0] / found[:, 2] - found[:, 1] / found[:, 3])

    def _add_long(
        self, i: int, j: int, row: int, codes: SignCodes, odd: np.ndarray, found: FloatArray
    ) -> None:
        from analysis.statistics.meta_evaluation.rank_kernels import long_row

        at = np.flatnonzero(self._rows.present[row])
        if at.size < 2:
            return
        both = np.concatenate([self._values[i, row, at], self._values[j, row, at]])
        order = np.argsort(both, kind="stable")
        starts = np.flatnonzero(np.diff(both[order], prepend=np.nan) != 0)
        levels, gold, counts = np.unique(
            self._gold[row, at], return_inverse=True, return_counts=True
        )
        middle = np.cumsum(counts) - (counts - 1) / 2 - (at.size + 1) / 2
        long_row(
            self._kind,
            order.astype(np.int32),
            np.append(starts, both.size).astype(np.int32),
            gold.astype(np.int32),
            middle[gold],
            codes.positions[at],
            codes.minus[at],
            odd,
            levels.size,
            found,
        )
