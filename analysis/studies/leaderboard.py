"""Which systems score how much on a dataset, and which of them can be told apart.

The order is the order of the scores, nothing more. What it is worth comes from the comparison of
all pairs, the same that the pairs study shows: rank intervals, groups, who may be best.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from analysis.choices import DatasetName, Failures, Level, MetricName, Seed
from analysis.question import Progress, Question
from analysis.report import Report
from analysis.statistics.signature import build_signature
from analysis.studies.chosen_metric import choose_metric
from analysis.studies.coverage import coverage_notes
from analysis.studies.leaderboard_comparable import find_comparable
from analysis.studies.leaderboard_result import LeaderboardResult
from analysis.studies.leaderboard_rows import (
    rank_rows,
    rows_from_items,
    rows_from_reports,
)
from analysis.studies.leaderboard_standing import (
    ScoreInterval,
    ScoreIntervalName,
    find_standing,
    score_figures,
)
from analysis.studies.leaderboard_table import board_table
from analysis.studies.leaderboard_words import (
    ITEMS_FOR_A_NAMED_DIFFERENCE,
    find_lead,
    sentence,
    stated_otherwise,
    warnings,
)
from analysis.studies.opponents import opponents_note
from analysis.studies.pairs_words import CorrectionChoice, PairsSettings
from analysis.studies.reading import read_matrix, read_runs, state_of
from store import vectors
from store.datasets import get_dataset
from store.engine import Store
from store.errors import StoreError
from store.reported import disputed_figures, list_reported_scores


@dataclass(frozen=True, slots=True, eq=False)
class Leaderboard(LeaderboardResult):
    """The systems of a dataset on a metric, with what to write down about them."""

    def report(self) -> Report:
        """Return the leaderboard to be written down; all systems that may be best are bold."""
        return Report(
            title=f"Leaderboard of {self.dataset.label}",
            sentences=(self.sentence,),
            tables=(board_table(self, self.rows).as_report(),),
            signature=self.signature,
            warnings=self.warnings,
        )


@dataclass(frozen=True)
class Board(Question[Leaderboard]):
    """Show the systems of a dataset by score, and which of them can be separated."""

    name: ClassVar[str] = "leaderboard"
    is_kept_whole: ClassVar[bool] = False
    notes: ClassVar[tuple[str, ...]] = (ITEMS_FOR_A_NAMED_DIFFERENCE,)

    dataset: DatasetName
    metric: MetricName = None
    correction: CorrectionChoice = "holm"
    alpha: Level = 0.05
    interval: ScoreInterval = "auto"
    seed: Seed = 0
    failures: Failures = None

    def answer(self, store: Store, progress: Progress | None = None) -> Leaderboard:
        """Return the board: see `study_leaderboard`."""
        return study_leaderboard(
            store.counting(self.failures),
            self.dataset,
            metric=self.metric,
            settings=PairsSettings(correction=self.correction, alpha=self.alpha, seed=self.seed),
            interval=self.interval,
        )


def study_leaderboard(
    store: Store,
    dataset: str,
    *,
    metric: str | None = None,
    settings: PairsSettings = PairsSettings(),  # noqa: B008 (frozen)
    interval: ScoreIntervalName = "auto",
) -> Leaderboard:
    """Return the leaderboard of a dataset.

    Parameters
    ----------
    store
        Where from; results that took long are kept there.
    dataset, metric
        Uid or name; by default the metric with most scores on the dataset.
    settings
        How pairs are compared: test, correction, α, seed.
    interval
        Of a score by itself; "auto" is Wilson's for shares.

    Raises
    ------
    NotFoundError
        No such dataset or metric, or the dataset has no scores.
    StoreError
        The settings do not go together with the scores.
    """
    chosen = get_dataset(store, dataset)
    measure, available = choose_metric(store, chosen, metric)
    matrix = read_matrix(store, chosen.uid, measure.uid)
    scored = np.asarray(~np.isnan(matrix.scores).any(axis=2))
    with_scores = scored[scored.any(axis=1)]
    shared = np.asarray(with_scores.all(axis=0) & bool(len(with_scores)))
    runs = read_runs(store, chosen.uid, measure)
    own = [vectors.aggregate(one, measure.aggregation) for one in matrix.scores]
    comparable = find_comparable(store, matrix, scored, own, settings)
    if interval != "auto" and comparable.way == "item effects":
        raise StoreError(
            "`interval` is for scores on the same items, and these systems were scored on "
            "different ones: their intervals are those of the item-effects model. Leave it out."
        )
    from_items = rows_from_items(matrix, scored, shared, comparable, own, runs)
    stated = list_reported_scores(store, dataset_uid=chosen.uid, metric_uid=measure.uid)
    from_reports = rows_from_reports(stated, set(matrix.system_uids), runs)
    standing = find_standing(
        store, matrix, [row.score for row in from_items], len(from_reports), settings
    )
    on = shared if comparable.way == "shared items" else None
    figures = score_figures(store, matrix, settings, on, interval=interval) if from_items else None
    tested = [
        replace(
            row,
            ci=comparable.intervals[i]
            or (_pair(figures.ci_low[i], figures.ci_high[i]) if figures is not None else None),
            p_best=_known(figures.p_best[i]) if figures is not None else None,
            **standing.of(i),
        )
        for i, row in enumerate(from_items)
    ]
    rows = rank_rows([*tested, *from_reports], measure)
    lead = find_lead(rows, comparable, matrix.system_uids, settings.alpha)
    places = {uid: i for i, uid in enumerate(matrix.system_uids)}
    best = [places[row.system_uid] for row in rows if row.rank_interval is not None][:2]
    return Leaderboard(
        sentence=sentence(rows, standing, lead, comparable.way, chosen.label, measure),
        signature=build_signature(
            "leaderboard",
            dataset=chosen.label,
            metric=measure.label,
            pairs=standing.signature.replace("|", " "),
            best="none" if figures is None else f"B {figures.n_resamples} seed {figures.seed}",
            **state_of(store, chosen.uid),
        ),
        warnings=(
            *opponents_note(store, chosen.uid, measure),
            *stated_otherwise(disputed_figures(stated, runs)),
            *coverage_notes(store, matrix),
            *warnings(rows, standing, matrix, comparable),
        ),
        store_revision=store.revision(),
        dataset=chosen,
        metric=measure,
        metrics=tuple(available),
        rows=tuple(rows),
        n_shared=int(shared.sum()),
        resolution=standing.resolution,
        lead=lead,
        lead_alone=standing.alone(best[0], best[1], settings.alpha) if best[1:] else None,
        n_pairs=standing.n_pairs,
        compared_by=comparable.way,
        n_groups=standing.n_groups,
        test=standing.test,
        correction=settings.correction,
        alpha=settings.alpha,
        n_resamples=0 if figures is None else figures.n_resamples,
    )


def _pair(low: float, high: float) -> tuple[float, float] | None:
    """Return an interval; one without any width would read as certainty."""
    return (float(low), float(high)) if low < high else None


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
