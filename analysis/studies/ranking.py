"""How do several systems stand over several datasets, and which of it is sure?

The questions of Demšar 2006, and aggregates with their uncertainty (Agarwal et al. 2021).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from analysis.choices import (
    CommonMetric,
    DatasetNames,
    Failures,
    ItemDraws,
    Level,
    Seed,
    SystemNames,
)
from analysis.question import Progress, Question
from analysis.report import Report
from analysis.setting import Setting
from analysis.statistics._typing import FloatArray
from analysis.statistics.across.aggregates import aggregate_over_datasets
from analysis.statistics.across.critical_difference import bars
from analysis.statistics.across.friedman import dataset_ranks, friedman_test
from analysis.statistics.across.improvement import (
    mean_ranks,
    probability_of_improvement,
)
from analysis.statistics.across.nemenyi import nemenyi
from analysis.statistics.across.over_datasets import pairs_over_datasets
from analysis.statistics.across.profiles import performance_profiles
from analysis.statistics.across.resampled_datasets import (
    DatasetScores,
    observe_over_datasets,
    resample_over_datasets,
)
from analysis.statistics.across.resampled_scores import ResampledScores
from analysis.statistics.across.skillings_mack import SkillingsMackTest, skillings_mack_test
from analysis.statistics.across.stepwise_mean_ranks import stepwise_mean_ranks
from analysis.statistics.results import read_only
from analysis.statistics.signature import build_signature
from analysis.studies.checked_numbers import check_finite, check_numbers
from analysis.studies.dependence import Dependent
from analysis.studies.dependent_datasets import (
    DatasetSample,
    pool_shared_items,
    sample_datasets,
    sample_scores,
)
from analysis.studies.ranking_report import ranking_report
from analysis.studies.ranking_result import RankingResult
from analysis.studies.ranking_words import (
    choose_rule,
    order_note,
    sentence,
    smallest_adjusted,
    warn,
    without_interval,
)
from analysis.studies.reading import state_of
from analysis.studies.score_table import ScoreTable, load_score_table
from store.datasets import relate_datasets
from store.engine import Store
from store.records import MetricRecord

FEWEST_RESAMPLES = 99
"""With fewer draws the ends of an interval are draws themselves."""


@dataclass(frozen=True, slots=True, eq=False)
class RankingStudy(RankingResult):
    """Systems over datasets, with what to write down about them."""

    def report(self) -> Report:
        """Return what to write down: ranks, aggregates, scores, pairs."""
        return ranking_report(self)


@dataclass(frozen=True)
class Rank(Question[RankingStudy]):
    """Rank systems over datasets: mean ranks, tests, aggregates with intervals."""

    name: ClassVar[str] = "rank"

    metric: CommonMetric = None
    datasets: DatasetNames = None
    systems: SystemNames = None
    reported: Annotated[
        bool | None,
        Setting(
            "Reported figures or item scores; by default item scores where there are any.",
            label="Of",
            words={"auto": "what there is", "no": "item scores", "yes": "as reported"},
            flags="--reported/--items",
            formerly="basis",
            main=True,
        ),
    ] = None
    dependent: Dependent = None
    alpha: Level = 0.05
    target: Annotated[
        float | None,
        Setting("What the optimality gap is measured from; by default the best score."),
    ] = None
    n_resamples: ItemDraws = 1_999
    seed: Seed = 0
    failures: Failures = None

    def answer(self, store: Store, progress: Progress | None = None) -> RankingStudy:
        """Return the ranking: see `study_ranking`."""
        return study_ranking(
            store.counting(self.failures),
            metric=self.metric,
            datasets=self.datasets,
            systems=self.systems,
            reported=self.reported,
            dependent=self.dependent,
            alpha=self.alpha,
            target=self.target,
            n_resamples=self.n_resamples,
            seed=self.seed,
            progress=progress,
        )


def study_ranking(
    store: Store,
    *,
    metric: str | None = None,
    datasets: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    reported: bool | None = None,
    dependent: bool | None = None,
    alpha: float = 0.05,
    target: float | None = None,
    n_resamples: int = 1_999,
    seed: int = 0,
    progress: Progress | None = None,
) -> RankingStudy:
    """Rank systems over datasets.

    Parameters
    ----------
    store
        Where from.
    metric, datasets, systems
        Uids or names; by default the metric with most datasets, and all there is on it.
    reported
        Whether reported figures are used, or item scores; by default item scores where there are
        any.
    dependent
        Whether datasets depend on each other; by default what the store knows of their items
        decides, and unknown counts as dependent.
    alpha
        Level of the tests; intervals have 1 - alpha.
    target
        What the optimality gap is measured from; by default the best possible score, or the best
        one seen where the metric has no bound.
    n_resamples, seed
        Of the bootstrap over items within datasets.
    progress
        Called with (steps done, of how many); what it raises cancels the work.

    Raises
    ------
    NotFoundError
        A name is unknown, or fewer than two datasets have scores of two systems.
    StoreError
        The settings do not go together.
    """
    check_numbers(alpha=alpha, n_resamples=n_resamples, seed=seed, fewest=FEWEST_RESAMPLES)
    check_finite("target", target)
    table = load_score_table(
        store,
        metric=metric,
        datasets=datasets,
        systems=systems,
        reported=reported,
        progress=progress,
    )
    ranked = dataset_ranks(observe_over_datasets(table.scores))
    order = sorted(
        (i for i in range(len(table.systems)) if not np.isnan(ranked[i]).all()),
        key=lambda i: (np.nanmean(ranked[i]), table.systems[i].casefold()),
    )
    relations = relate_datasets(store, table.dataset_uids)
    scores = tuple(_of_systems(dataset, order) for dataset in table.scores)
    if table.basis == "items" and dependent is not False:
        scores = pool_shared_items(
            store, table.dataset_uids, scores, table.counted, relations.overlaps
        )
    known = sample_datasets(scores, table.dataset_uids, relations, dependent)
    resampled = (
        resample_over_datasets(scores, n_resamples=n_resamples, rng=seed, progress=progress)
        if known.is_known
        else resample_over_datasets(scores, n_resamples=1, rng=seed).without_draws()
    )
    table = replace(
        table,
        systems=tuple(table.systems[i] for i in order),
        system_uids=tuple(table.system_uids[i] for i in order),
        scores=scores,
    )
    names_of = ["all" if names is None else " ".join(names) for names in (systems, datasets)]
    asked = _Asked(names_of[0], names_of[1], dependent)
    return _study(store, table, resampled, known, asked, alpha, target)


class _Asked(NamedTuple):
    """What was asked for by name, as the signature tells it."""

    systems: str
    datasets: str
    dependent: bool | None

    def of_datasets(self) -> dict[str, str]:
        """Return what was declared of the datasets."""
        return {} if self.dependent is None else {"dependent": "yes" if self.dependent else "no"}


def _of_systems(dataset: DatasetScores, order: Sequence[int]) -> DatasetScores:
    point = None if dataset.point is None else dataset.point[list(order)]
    return dataset._replace(scores=dataset.scores[list(order)], point=point)


def _study(
    store: Store,
    table: ScoreTable,
    resampled: ResampledScores,
    known: DatasetSample,
    asked: _Asked,
    alpha: float,
    target: float | None,
) -> RankingStudy:
    metric, observed = table.metric, resampled.observed
    complete = not np.isnan(observed).any()
    positions = np.arange(len(table.systems))
    sample = sample_scores(table.scores, known, observed)
    is_whole = not np.isnan(sample).any()
    pairs = pairs_over_datasets(sample, alpha=alpha)
    needed = is_whole and smallest_adjusted(pairs) > alpha
    steps = stepwise_mean_ranks(sample, alpha=alpha) if needed else None
    by_range = nemenyi(sample, alpha=alpha) if is_whole and len(sample) > 2 else None
    aim = _target(metric, observed) if target is None else target
    ends = _range(metric)
    aggregates = aggregate_over_datasets(
        resampled,
        confidence_level=1 - alpha,
        target=metric.sign * aim,
        score_range=ends if ends is None or _holds(ends, observed) else None,
    )
    ranks = mean_ranks(resampled, confidence_level=1 - alpha)
    rule = choose_rule(pairs, steps)
    has_blocks = is_whole and sample.shape[1] > 1
    rank_test = friedman_test(sample) if has_blocks else skillings_mack_test(sample)
    return RankingStudy(
        sentence=sentence(table, observed, ranks.value, rank_test, rule, alpha, known),
        signature=build_signature(
            "rank",
            metric=metric.label,
            systems=asked.systems,
            datasets=asked.datasets,
            basis=table.basis,
            alpha=alpha,
            target=aim,
            n_resamples=resampled.n_resamples,
            seed=resampled.seed,
            **asked.of_datasets(),
            **state_of(store),
        ),
        warnings=(
            *table.notes,
            *warn(table, observed, aggregates, rank_test, pairs, rule, known),
            *(without_interval(table, resampled) if known.is_known else ()),
        ),
        store_revision=store.revision(),
        metric=metric,
        metrics=table.metrics,
        basis=table.basis,
        alpha=alpha,
        target=aim,
        systems=table.systems,
        system_uids=table.system_uids,
        datasets=table.datasets,
        dataset_uids=table.dataset_uids,
        scores=read_only(metric.sign * observed),
        n_datasets=read_only(np.count_nonzero(~np.isnan(observed), axis=1)),
        n_independent=sample.shape[1],
        n_items=read_only(np.array([d.scores.shape[1] for d in table.scores], dtype=np.int64)),
        complete=complete,
        mean_ranks=ranks.value,
        rank_low=ranks.low,
        rank_high=ranks.high,
        rank_test=rank_test,
        pairs=pairs,
        stepwise=steps,
        nemenyi=by_range,
        rule=rule.name,
        smallest_pvalue=rule.smallest,
        different=read_only(rule.different),
        bars=bars(positions, pairs.different),
        stepwise_bars=None if steps is None else bars(positions, steps.different),
        nemenyi_bars=None if by_range is None else bars(positions, by_range.different),
        aggregates=aggregates if metric.higher_is_better else aggregates.turned(),
        profiles=performance_profiles(resampled, confidence_level=1 - alpha),
        improvement=probability_of_improvement(resampled, confidence_level=1 - alpha),
        order_note=""
        if isinstance(rank_test, SkillingsMackTest) and rank_test.n_parts > 1
        else order_note(observed, table.systems),
    )


def _target(metric: MetricRecord, observed: FloatArray) -> float:
    """Return the best possible score, or the best one seen, on the metric's own scale."""
    best = metric.upper if metric.higher_is_better else metric.lower
    if best is not None and math.isfinite(best):
        return best
    return float(metric.sign * np.nanmax(observed))


def _range(metric: MetricRecord) -> tuple[float, float] | None:
    """Return worst and best possible score where higher is better, if the metric has both."""
    if metric.lower is None or metric.upper is None:
        return None
    low, high = sorted((metric.sign * metric.lower, metric.sign * metric.upper))
    return low, high


def _holds(ends: tuple[float, float], observed: FloatArray) -> bool:
    return bool(np.nanmin(observed) >= ends[0] and np.nanmax(observed) <= ends[1])
