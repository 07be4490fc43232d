"""The guard of tests that chose themselves, over the matrices of all pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import Alternative, ByteArray, FloatArray, IntArray
from analysis.statistics.all_pairs.choice import Choice
from analysis.statistics.all_pairs.closed_forms import wins_all_pairs
from analysis.statistics.all_pairs.complete_sets import triangle
from analysis.statistics.all_pairs.components import count_items
from analysis.statistics.all_pairs.difference_facts import difference_facts
from analysis.statistics.validity import Guarded, guard, guard_shares
from analysis.statistics.validity_bounds import BOUNDS, Reason, RunSpread


class Guarding:
    """What is known of the pairs, and the guard applied to their answers."""

    def __init__(
        self,
        scores: FloatArray,
        choice: Choice,
        *,
        codes: IntArray | None,
        runs: RunSpread | None,
        alternative: Alternative,
        null: float,
        few_groups: float = BOUNDS["few-groups"].value,
        n_threads: int | None,
    ) -> None:
        """Look at scores from which the hypothesised difference has been taken."""
        first, second = triangle(len(scores))
        self._sides = [(first, second)]
        if alternative != "two-sided":
            self._sides.append((second, first))
        self._alternative, self._null = alternative, null
        of_shares = choice.uses("score")[first, second]
        self._shares = np.flatnonzero(of_shares) if null == 0 else np.empty(0, np.intp)
        # McNemar's exact test needs no guard.
        self._graded = np.flatnonzero(~of_shares & ~choice.uses("mcnemar")[first, second])
        self._wins: IntArray | None = None
        if self._shares.size:
            self._wins = wins_all_pairs(scores)
            self._n_items = count_items(scores[:, :, np.newaxis]).astype(np.float64)
        self._facts = [
            difference_facts(
                scores,
                one[self._graded],
                other[self._graded],
                codes=codes,
                runs=runs,
                few_groups=few_groups,
                n_threads=n_threads,
            )
            for one, other in self._sides
        ]
        self.reason: ByteArray = np.zeros((len(scores),) * 2, np.uint8)
        """`Reason` of each pair."""

    def pvalues(self, pvalue: FloatArray, choice: Choice) -> tuple[FloatArray, Choice]:
        """Return the guarded p-values, and the choice with the pairs that have no valid test."""
        found = pvalue.copy()
        unknown = np.full(pvalue.shape, np.nan)
        for at, guarded in self._guarded(pvalue, unknown, unknown, 0.95, self._alternative):
            found[at] = guarded.pvalue
            self.reason[at] = guarded.reason
            if self._alternative == "two-sided":
                found[at[::-1]], self.reason[at[::-1]] = guarded.pvalue, guarded.reason
        refusal = choice.refusal.copy()
        refusal[self.reason == Reason.NO_VALID_TEST] = choice.refused.index("no-valid-test")
        return found, choice._replace(refusal=refusal)

    def ends(
        self, low: FloatArray, high: FloatArray, level: float
    ) -> tuple[FloatArray, FloatArray]:
        """Return the guarded ends of two-sided intervals; where 0 lies, the p-values decide."""
        below, above = low.copy(), high.copy()
        unknown = np.full(low.shape, np.nan)
        for at, guarded in self._guarded(unknown, low, high, level, "two-sided"):
            below[at], above[at] = guarded.low, guarded.high
            below[at[::-1]], above[at[::-1]] = -guarded.high, -guarded.low
            changed = (guarded.low < low[at]) | (guarded.high > high[at])
            for side in (at, at[::-1]):
                self.reason[side] = np.where(
                    changed & (self.reason[side] == 0), guarded.reason, self.reason[side]
                )
        return below, above

    def _guarded(
        self,
        pvalue: FloatArray,
        low: FloatArray,
        high: FloatArray,
        level: float,
        alternative: Alternative,
    ) -> list[tuple[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]], Guarded]]:
        answers = []
        sides = self._sides[:1] if alternative == "two-sided" else self._sides
        for (one, other), facts in zip(sides, self._facts, strict=False):
            at = one[self._graded], other[self._graded]
            answers.append(
                (
                    at,
                    guard(
                        facts,
                        pvalue[at],
                        low[at],
                        high[at],
                        level=level,
                        alternative=alternative,
                        null=self._null,
                    ),
                )
            )
            if self._wins is not None:
                at = one[self._shares], other[self._shares]
                answers.append(
                    (
                        at,
                        guard_shares(
                            self._n_items[at],
                            self._wins[at],
                            self._wins[at[::-1]],
                            pvalue[at],
                            low[at],
                            high[at],
                            level=level,
                            alternative=alternative,
                        ),
                    )
                )
        return answers
