"""A comparison as one of many: what the board that it was opened from says of the same pair."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import get_args

from analysis import numbers
from analysis.statistics.paired.equivalence import Verdict
from analysis.studies.pair_analysis import PairSettings
from analysis.studies.pairs import PairsStudy, study_pairs
from analysis.studies.pairs_words import (
    BETTER,
    CORRECTIONS_IN_WORDS,
    EQUIVALENT,
    WORSE,
    Correction,
    PairsSettings,
)
from analysis.studies.study import count
from analysis.studies.test_names import PairsTestName
from store.engine import Store
from store.errors import StoreError

_VERDICTS: dict[int, Verdict] = {BETTER: "better", WORSE: "worse", EQUIVALENT: "equivalent"}


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
    sentence: str


def board_family(
    store: Store,
    pair: tuple[str, str],
    *,
    dataset: str,
    metric: str,
    settings: PairSettings,
    clusters: bool | None,
    correction: Correction,
) -> Family:
    """Return what all pairs of the board say of one of them.

    Parameters
    ----------
    store
        Where from; the comparison of all pairs is kept there.
    pair
        Uids of A and B.
    dataset, metric
        Uids.
    settings, clusters
        How the pair is compared.
    correction
        For the number of pairs.

    Raises
    ------
    StoreError
        The comparison is not one that all pairs can be put to.
    """
    if settings.test not in get_args(PairsTestName):
        raise StoreError(
            f"`--test {settings.test}` is for a pair by itself, so it has no board. Leave "
            "`--family` out, or choose another test."
        )
    if settings.delta or settings.alternative != "two-sided" or settings.zeros != "wilcox":
        raise StoreError(
            "A board tests for any difference from 0. Leave `--family` out, or `--delta`, "
            "`--alternative` and `--zeros`."
        )
    board = study_pairs(
        store,
        dataset,
        metric=metric,
        settings=PairsSettings(
            test=settings.test,  # type: ignore[arg-type]  # study_pairs refuses those of a pair
            correction=correction,
            alpha=settings.alpha,
            margin=settings.margin,
            n_resamples=settings.n_resamples,
            seed=settings.seed,
            clusters=clusters,
            unit_size=settings.unit_size,
            unit_statistic=settings.unit_statistic,
            shuffle_seed=settings.shuffle_seed,
        ),
    )
    return _seen_in(board, pair, correction)


def _seen_in(board: PairsStudy, pair: tuple[str, str], correction: Correction) -> Family:
    i, j = (board.system_uids.index(uid) for uid in pair)
    adjusted = float(board.pvalue_adjusted[i, j])
    verdict = _VERDICTS.get(int(board.verdicts[i, j]), "undecided")
    told = f"One of {count(board.n_pairs, 'pair')} on this board"
    if not math.isnan(adjusted):
        by = CORRECTIONS_IN_WORDS[correction]
        told += f": adjusted p {numbers.relation(adjusted)} ({by})"
    words = "cannot tell" if verdict == "undecided" else verdict
    return Family(
        of="board",
        size=board.n_pairs,
        correction=correction,
        pvalue_adjusted=adjusted,
        verdict=verdict,
        sentence=f"{told}, {words}.",
    )
