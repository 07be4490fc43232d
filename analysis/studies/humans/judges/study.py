"""How far can a model judge stand in for people?

Its judgments put right by a few of people's (prediction-powered inference), its agreement with
people against theirs with each other, and whether its choices follow place and length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from analysis.choices import DRAWS, DatasetName, Level, Seed
from analysis.question import Progress, Question
from analysis.report import Report
from analysis.setting import Setting
from analysis.statistics.annotation.humans_against_metric import (
    HumansAgainstMetric,
    humans_against_metric,
)
from analysis.statistics.signature import build_signature
from analysis.studies.checked_numbers import check_numbers
from analysis.studies.humans.judged_units import choose_criterion
from analysis.studies.humans.judges.judged_by_model import Judged, load_judged
from analysis.studies.humans.judges.report import judges_report
from analysis.studies.humans.judges.result import JudgesResult
from analysis.studies.humans.judges.rows import (
    BiasRow,
    JudgedPair,
    JudgedSystem,
    bias_rows,
    pair_rows,
    system_rows,
)
from analysis.studies.humans.judges.words import sentence, warn
from store.datasets import get_dataset
from store.engine import Store
from store.judgments import CriterionRecord

__all__ = ["BiasRow", "JudgedPair", "JudgedSystem", "JudgesStudy", "study_judges"]

FEWEST_RESAMPLES = 99


@dataclass(frozen=True, slots=True, eq=False)
class JudgesStudy(JudgesResult):
    """A judge beside people, with what to write down about it."""

    def report(self) -> Report:
        """Return what to write down: systems, pairs, biases."""
        return judges_report(self)


@dataclass(frozen=True)
class Judges(Question[JudgesStudy]):
    """Put a model's judgments right by a few of people's, and look for its biases."""

    name: ClassVar[str] = "judges"

    dataset: DatasetName
    gold: Annotated[
        str | None,
        Setting("What people judged; by default the only criterion."),
    ] = None
    judge: Annotated[
        str | None,
        Setting(
            "A model that judged the same, another criterion or a metric; by default the only "
            "model that judged."
        ),
    ] = None
    alpha: Level = 0.05
    n_resamples: Annotated[
        int, DRAWS.but("Bootstrap draws of the items.", offered=(1_999, 199, 9_999))
    ] = 1_999
    seed: Seed = 0

    def answer(self, store: Store, progress: Progress | None = None) -> JudgesStudy:
        """Return the judge beside people: see `study_judges`."""
        return study_judges(
            store,
            self.dataset,
            gold=self.gold,
            judge=self.judge,
            alpha=self.alpha,
            n_resamples=self.n_resamples,
            seed=self.seed,
        )


def study_judges(
    store: Store,
    dataset: str,
    *,
    gold: str | None = None,
    judge: str | None = None,
    alpha: float = 0.05,
    n_resamples: int = 1_999,
    seed: int = 0,
) -> JudgesStudy:
    """Say how far a judge can stand in for people.

    Parameters
    ----------
    store
        Where from.
    dataset
        Uid or name.
    gold
        What people judged: name or uid of a criterion; by default the only one.
    judge
        A model that judged the same criterion, another criterion that a model judged, or a
        metric; by default the only model that judged.
    alpha
        Level of tests; intervals have 95 %.
    n_resamples, seed
        Of the bootstrap behind the comparison of agreements.

    Raises
    ------
    NotFoundError
        A name is unknown, or nobody judged.
    StoreError
        There are several judges or none, labels were judged, or a setting is out of range.
    """
    check_numbers(alpha=alpha, n_resamples=n_resamples, seed=seed, fewest=FEWEST_RESAMPLES)
    record = get_dataset(store, dataset)
    criterion = choose_criterion(store, record, gold)
    judged = load_judged(store, record, criterion, judge)
    ceiling = _ceiling(judged, n_resamples, seed)
    systems, pairs = system_rows(judged), pair_rows(judged, alpha)
    biases = bias_rows(store, _looked_at(criterion, judged))
    both = ~np.isnan(judged.human) & ~np.isnan(judged.model)
    choices = judged.units.what == "choices"
    return JudgesStudy(
        sentence=sentence(judged, ceiling, systems, pairs, alpha),
        signature=build_signature(
            "judges",
            dataset=record.label,
            gold=criterion.name,
            judge=judged.judge,
            alpha=alpha,
            n_resamples=n_resamples,
            seed=seed,
            store=store.revision(),
        ),
        warnings=warn(judged, systems, biases, alpha),
        store_revision=store.revision(),
        dataset=record,
        criterion=criterion,
        judge=judged.judge,
        judge_kind=judged.judge_kind,
        n_people=len(judged.units.annotators),
        n_units=judged.units.n_units,
        n_both=int(np.count_nonzero(both)),
        unit_in_words="share of comparisons won" if choices else "mean rating",
        ceiling=ceiling,
        systems=systems,
        pairs=pairs,
        biases=biases,
        alpha=alpha,
        n_resamples=n_resamples,
        seed=seed,
    )


def _looked_at(criterion: CriterionRecord, judged: Judged) -> list[tuple[CriterionRecord, str]]:
    """Return the criteria whose choices may show a bias, and which model's they are."""
    if criterion.kind != "preference":
        return []
    found = [(criterion, judged.judge)]
    if judged.judge_kind == "criterion" and judged.model_criterion is not None:
        found.append((judged.model_criterion, ""))
    return found


def _ceiling(judged: Judged, n_resamples: int, seed: int) -> HumansAgainstMetric | None:
    if not judged.units.annotators:
        return None
    people, model, units = judged.orders()
    if not units.n_units:
        return None
    return humans_against_metric(
        people,
        model,
        tie_credit="half",
        groups=units.clusters,
        n_resamples=n_resamples,
        rng=seed,
    )
