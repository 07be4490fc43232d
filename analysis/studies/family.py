"""A comparison as one of many: what the board that both systems stand on says of the same pair."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, get_args

import numpy as np

from analysis import numbers
from analysis.question import Progress
from analysis.statistics.paired.equivalence import Verdict
from analysis.studies.pair_analysis import PairAnalysis, PairSettings
from analysis.studies.pairs import compare_all, verdicts_of
from analysis.studies.pairs_words import (
    BETTER,
    CORRECTIONS_IN_WORDS,
    NOT_COMPARABLE,
    WORSE,
    Correction,
    PairsSettings,
)
from analysis.studies.reading import read_matrix
from analysis.studies.test_names import PairsTestName
from store.engine import Store
from store.errors import StoreError
from store.records import ScoreMatrix

IN_WORDS: Final[dict[Verdict, str]] = {
    "better": "better",
    "worse": "worse",
    "equivalent": "equivalent",
    "undecided": "cannot tell",
}
"""Verdicts as people read them."""


@dataclass(frozen=True, slots=True)
class Family:
    """One pair among all pairs of a board."""

    of: str
    """Always "board": all pairs of systems on the dataset and metric."""
    size: int
    """Pairs that were tested."""
    correction: Correction
    pvalue_adjusted: float
    """Of this pair, for the number of pairs; NaN where it is not tested."""
    verdict: Verdict
    """A against B by the adjusted p-value."""

    @property
    def name(self) -> str:
        """What the pair is one of: "the 6 pairs of this board"."""
        return f"the {self.size:,} pairs of this board"

    @property
    def sentence(self) -> str:
        """The board's verdict in words."""
        by = f", {CORRECTIONS_IN_WORDS[self.correction]}"
        if not math.isnan(self.pvalue_adjusted):
            by = f", adjusted p {numbers.relation(self.pvalue_adjusted)}{by}"
        return f"Among {self.name}: {IN_WORDS[self.verdict]} ({by[2:]})."


def both_in_words(alone: Verdict, family: Family | None) -> str:
    """Return "alone: better · among the 6 pairs of this board: cannot tell"."""
    told = f"alone: {IN_WORDS[alone]}"
    return f"{told} · among {family.name}: {IN_WORDS[family.verdict]}" if family else told


def board_family(
    store: Store,
    matrix: ScoreMatrix,
    analysis: PairAnalysis,
    *,
    settings: PairSettings,
    clusters: bool | None,
    correction: Correction,
    progress: Progress | None = None,
) -> Family | None:
    """Return what all pairs of the board say of one of them; ``None``: it is one of no others.

    Parameters
    ----------
    store
        Where from; the comparison of all pairs is kept there.
    matrix, analysis
        Scores of A and B, and what they say by themselves.
    settings, clusters
        How the pair is compared.
    correction
        For the number of pairs.
    progress
        Called with (resamples done, of how many).

    Raises
    ------
    StoreError
        The comparison is not one that all pairs can be put to.
    """
    board = read_matrix(store, matrix.dataset.uid, matrix.metric.uid)
    if len(board.systems) < 3 or correction == "none":
        return None
    if settings.test not in get_args(PairsTestName):
        raise StoreError(f"`--test {settings.test}` is for a pair by itself.")
    if settings.delta or settings.alternative != "two-sided" or settings.zeros != "wilcox":
        raise StoreError("all pairs of a board are tested for any difference from 0.")
    asked = PairsSettings(
        test=settings.test,  # type: ignore[arg-type]  # refused above
        correction=correction,
        alpha=settings.alpha,
        n_resamples=settings.n_resamples,
        seed=settings.seed,
        clusters=clusters,
        unit_size=settings.unit_size,
        unit_statistic=settings.unit_statistic,
        shuffle_seed=settings.shuffle_seed,
    )
    result, _ = compare_all(store, board, asked, progress=progress)
    codes = verdicts_of(result, board.metric.sign)
    i, j = (board.system_uids.index(uid) for uid in matrix.system_uids)
    if codes[i, j] == NOT_COMPARABLE:
        return None
    # Equivalence is each pair's own, without correction.
    is_small = analysis.equivalence is not None and analysis.equivalence.equivalent
    found: dict[int, Verdict] = {BETTER: "better", WORSE: "worse"}
    upper = np.triu_indices(len(board.systems), 1)
    return Family(
        of="board",
        size=int(np.count_nonzero(codes[upper] != NOT_COMPARABLE)),
        correction=correction,
        pvalue_adjusted=float(result.pvalue_adjusted[i, j]),
        verdict=found.get(int(codes[i, j]), "equivalent" if is_small else "undecided"),
    )
