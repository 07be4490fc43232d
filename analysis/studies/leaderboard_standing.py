"""What stands behind the order of a leaderboard: all pairs, intervals, how often who is first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

import numpy as np
import numpy.typing as npt

from analysis.setting import Setting
from analysis.statistics._typing import BoolArray, FloatArray
from analysis.statistics.boards.groups import group_letters
from analysis.statistics.boards.rank_intervals import probability_best, rank_intervals
from analysis.statistics.boards.resolution import BoardResolution, board_resolution
from analysis.statistics.intervals.scores import score_interval
from analysis.statistics.paired.equivalence import Verdict
from analysis.statistics.results import Result, read_only
from analysis.statistics.signature import build_signature
from analysis.studies.clusters import choose_clusters
from analysis.studies.kept_results import kept
from analysis.studies.pairs import compare_all, verdicts_of
from analysis.studies.pairs_words import NOT_COMPARABLE, PairsSettings
from analysis.studies.test_names import INTERVALS_IN_WORDS
from store.arrays import load_groups
from store.engine import Store
from store.errors import StoreError
from store.records import ScoreMatrix
from store.results_cache import data_fingerprint

FEWEST_RESAMPLES: Final = 499
"""Resamples of scores and of the first place, however slow the metric."""
_NANOSECONDS = {"mean": 0.1, "ratio": 1, "f1": 1, "pearson": 2, "bleu": 4, "chrf": 6}
"""Of one item of one system in one resample; medians and rank correlations are sorted anew."""
_SECONDS = 0.5

ScoreIntervalName = Literal["auto", "wilson", "clopper-pearson", "t"]
"""Intervals of one system's score that a person can ask for."""
ScoreInterval = Annotated[
    ScoreIntervalName,
    Setting(
        "Of each score; clopper-pearson never covers less than it says.",
        label="Interval",
        words={
            "auto": "what suits the scores",
            **{name: INTERVALS_IN_WORDS[name] for name in ("wilson", "clopper-pearson", "t")},
        },
    ),
]


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """What the comparison of all pairs leaves open; matrices are row against column."""

    systems: tuple[int, ...]
    """Rows of the score matrix that have a score; everything below follows this order."""
    different: BoolArray
    gain: FloatArray
    """Row minus column, higher is better."""
    pvalue: FloatArray
    """Of each pair alone."""
    n_pairs: int
    """Pairs that were tested."""
    n_items: npt.NDArray[np.int64]
    low: npt.NDArray[np.int64]
    high: npt.NDArray[np.int64]
    letters: tuple[str, ...]
    n_groups: int
    resolution: BoardResolution
    test: str
    correction: str
    signature: str
    notes: tuple[str, ...]

    def of(self, row: int) -> dict[str, Any]:
        """Return rank interval, group and whether it may be best, of a row of the matrix."""
        if row not in self.systems:
            return {}
        i = self.systems.index(row)
        return {
            "rank_interval": (int(self.low[i]), int(self.high[i])),
            "group": self.letters[i],
            "may_be_best": bool(self.low[i] == 1),
        }

    def alone(self, first: int, second: int, alpha: float) -> Verdict:
        """Return what two rows of the matrix are without correction, the first against the other.

        A row without a score is in no pair.
        """
        i, j = (self.systems.index(row) for row in (first, second))
        if not self.pvalue[i, j] <= alpha or not self.gain[i, j]:
            return "undecided"
        return "better" if self.gain[i, j] > 0 else "worse"


@dataclass(frozen=True, slots=True, eq=False)
class ScoreFigures(Result):
    """What a leaderboard says of each system's score by itself.

    Attributes
    ----------
    ci_low, ci_high : ndarray of float, shape (n_systems,)
        NaN where there is no interval.
    p_best : ndarray of float, shape (n_systems,)
    alpha : float
    n_resamples, seed : int
    """

    ci_low: FloatArray
    ci_high: FloatArray
    p_best: FloatArray
    alpha: float
    n_resamples: int
    seed: int

    @property
    def signature(self) -> str:
        """One line from which the figures can be repeated."""
        return build_signature("scores", alpha=self.alpha, B=self.n_resamples, seed=self.seed)


def find_standing(
    store: Store,
    matrix: ScoreMatrix,
    scores: Sequence[float],
    n_reported: int,
    settings: PairsSettings,
) -> Standing:
    """Return what the comparison of all pairs says about the systems with a score.

    Parameters
    ----------
    store, matrix
        Where the scores are, and the scores of items.
    scores
        Of each system of the matrix; NaN = not defined.
    n_reported
        Further rows of the leaderboard, which cannot be tested.
    settings
        How pairs are compared.
    """
    values = matrix.metric.sign * np.array(scores, dtype=np.float64)
    ranked = np.flatnonzero(~np.isnan(values))
    values = values[ranked]
    at = np.ix_(ranked, ranked)
    if len(ranked) < 2:
        gain = np.zeros((len(ranked), len(ranked)))
        different, n_items = gain.astype(np.bool_), gain.astype(np.int64)
        pvalue, n_pairs = np.full_like(gain, np.nan), 0
        test, signature, notes = "", "none", ["", ""]
    else:
        result, note = compare_all(store, matrix, settings)
        different, n_items = result.different[at], result.n_items[at]
        gain = matrix.metric.sign * result.difference[at]
        pvalue, codes = result.pvalue[at], verdicts_of(result, matrix.metric.sign)
        n_pairs = int(np.count_nonzero(np.triu(codes != NOT_COMPARABLE, 1)))
        test, signature, notes = result.test, result.signature, [result.floor_note, note]
    ranks = rank_intervals(values, different, gain, n_untested=n_reported)
    found = group_letters(values, different)
    return Standing(
        systems=tuple(int(i) for i in ranked),
        different=different,
        gain=gain,
        pvalue=pvalue,
        n_pairs=n_pairs,
        n_items=n_items,
        low=ranks.low,
        high=ranks.high,
        letters=found.letters,
        n_groups=len(found.groups),
        resolution=board_resolution(values, different, gain, alpha=settings.alpha),
        test=test,
        correction=settings.correction,
        signature=signature,
        notes=tuple(filter(None, notes)),
    )


def score_figures(
    store: Store,
    matrix: ScoreMatrix,
    settings: PairsSettings,
    on: BoolArray | None = None,
    *,
    interval: ScoreIntervalName = "auto",
) -> ScoreFigures:
    """Return intervals of the scores, on some of the items, and P(best), kept in the store.

    Raises
    ------
    StoreError
        The interval is for shares, and the scores are none.
    """
    clusters = choose_clusters(load_groups(store, matrix.dataset.uid), settings.clusters)
    aggregation = matrix.metric.aggregation
    per_resample = matrix.scores[:, :, 0].size * _NANOSECONDS.get(aggregation, 40)
    groups = clusters.groups
    some = matrix.scores
    if on is not None:
        some = matrix.scores[:, on]
        if groups is not None:
            groups = [group for group, stays in zip(groups, on, strict=True) if stays]
    affordable = int(_SECONDS * 1e9 / max(per_resample, 1))
    n_resamples = min(settings.n_resamples, max(FEWEST_RESAMPLES, affordable))

    def compute() -> ScoreFigures:
        bounds = [
            score_interval(
                scores,
                aggregation=aggregation,
                groups=groups,
                method=interval,
                confidence_level=1 - settings.alpha,
                bounds=matrix.metric.bounds,
                n_resamples=n_resamples,
                rng=settings.seed,
            )
            for scores in some
        ]
        return ScoreFigures(
            ci_low=read_only(np.array([bound.low for bound in bounds])),
            ci_high=read_only(np.array([bound.high for bound in bounds])),
            p_best=probability_best(
                matrix.scores,
                aggregation=aggregation,
                groups=clusters.groups,
                higher_is_better=matrix.metric.higher_is_better,
                n_resamples=n_resamples,
                rng=settings.seed,
            ),
            alpha=settings.alpha,
            n_resamples=n_resamples,
            seed=settings.seed,
        )

    arguments = {
        "alpha": settings.alpha,
        "bounds": matrix.metric.bounds,
        "clusters": settings.clusters,
        "interval": interval,
        "n_resamples": n_resamples,
        "seed": settings.seed,
    } | ({} if on is None else {"on": "shared items"})
    fingerprint = data_fingerprint(
        store, matrix.dataset.uid, matrix.metric.uid, systems=matrix.system_uids
    )
    try:
        return kept(store, "leaderboard scores", arguments, fingerprint, ScoreFigures, compute)
    except ValueError as error:
        raise StoreError(str(error).replace("`method`", "`interval`")) from error
