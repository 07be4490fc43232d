"""What the pages about humans read, each answer computed once, as in `dashboard.data`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from analysis.studies.humans.agreement.study import AgreementStudy, study_agreement
from analysis.studies.humans.correlations.settings import CorrelationSettings
from analysis.studies.humans.correlations.study import CorrelationsStudy, study_correlations
from analysis.studies.humans.golds import GoldChoice, list_golds
from analysis.studies.humans.judged_units import load_units
from analysis.studies.humans.judges.study import JudgesStudy, study_judges
from analysis.studies.humans.over_datasets.study import CorrelationsOver, study_correlations_over
from analysis.studies.power.metric_pairs import MetricPairPower, study_metric_pair_power
from dashboard import data
from store.engine import Store
from store.judgments import (
    CriterionRecord,
    ItemJudgments,
    list_annotators,
    list_criteria,
    load_item_judgments,
    load_item_properties,
)


def _model_judges(store: Store, criterion: CriterionRecord) -> list[str]:
    """Return the models that judged what people judged as well; labels have no judge."""
    known = list_annotators(store, criterion.dataset_uid)
    if criterion.level == "nominal" or {one.kind for one in known} != {"human", "model"}:
        return []
    annotators = load_units(store, criterion, whose="all").annotators
    models = [one.name for one in annotators if one.kind == "model"]
    return models if len(models) < len(annotators) else []


@st.cache_resource(max_entries=128, show_spinner="Computing …")
def _answered(identity: str, revision: int, question: str, arguments: tuple[Any, ...]) -> Any:
    return _QUESTIONS[question](data.current_store(), *arguments)


def _ask(question: str, *arguments: Any) -> Any:
    return _answered(*data.state(), question, arguments)


_QUESTIONS: dict[str, Callable[..., Any]] = {
    "golds": list_golds,
    "criteria": list_criteria,
    "properties": lambda store, dataset: [
        name
        for name, values in load_item_properties(store, dataset).items()
        if any(value is not None for value in values)
    ],
    "item judgments": load_item_judgments,
    "agreement": lambda store, dataset, criterion, options: study_agreement(
        store, dataset, gold=criterion, **dict(options)
    ),
    "model judges": _model_judges,
    "judges": lambda store, dataset, criterion, options: study_judges(
        store, dataset, gold=criterion, **dict(options)
    ),
}


def golds() -> list[GoldChoice]:
    """Return what metrics can be held against."""
    return list(_ask("golds"))


def criteria() -> list[CriterionRecord]:
    """Return what was judged, by dataset."""
    return list(_ask("criteria"))


def properties(dataset: str) -> list[str]:
    """Return by what the items of a dataset can be sliced."""
    return list(_ask("properties", dataset))


def item_judgments(dataset: str, item_key: str) -> ItemJudgments:
    """Return everything that was judged on one item."""
    found: ItemJudgments = _ask("item judgments", dataset, item_key)
    return found


def correlations(
    dataset: str,
    gold: str,
    settings: CorrelationSettings,
    *,
    progress: data.Progress | None = None,
    **options: Any,
) -> CorrelationsStudy:
    """Return metrics against one gold; options as in `study_correlations`, all hashable."""
    study: CorrelationsStudy = data.worked_out(
        "correlations",
        (dataset, gold, settings, _sorted(**options)),
        lambda store: study_correlations(
            store, dataset, gold, settings=settings, progress=progress, **options
        ),
    )
    return study


def metric_power(
    dataset: str,
    gold: str,
    pair: tuple[str, str],
    settings: CorrelationSettings,
    *,
    target: float,
    progress: data.Progress | None = None,
) -> MetricPairPower:
    """Return what would tell two metrics apart; what `progress` raises cancels the work."""
    study: MetricPairPower = data.worked_out(
        "metric power",
        (dataset, gold, pair, settings, target),
        lambda store: study_metric_pair_power(
            store, dataset, gold, *pair, settings=settings, power=target, progress=progress
        ),
    )
    return study


def correlations_over(
    gold: str,
    settings: CorrelationSettings,
    *,
    progress: data.Progress | None = None,
    **options: Any,
) -> CorrelationsOver:
    """Return metrics against a gold on all datasets that have it; options all hashable."""
    study: CorrelationsOver = data.worked_out(
        "correlations over datasets",
        (gold, settings, _sorted(**options)),
        lambda store: study_correlations_over(
            store, gold, settings=settings, progress=progress, **options
        ),
    )
    return study


def agreement(dataset: str, criterion: str, **options: Any) -> AgreementStudy:
    """Return who agrees with whom on a criterion; options as in `study_agreement`, hashable."""
    study: AgreementStudy = _ask("agreement", dataset, criterion, _sorted(**options))
    return study


def model_judges(criterion: CriterionRecord) -> list[str]:
    """Return the models that judged a criterion, where people judged it too."""
    return list(_ask("model judges", criterion))


def judges(dataset: str, criterion: str, **options: Any) -> JudgesStudy:
    """Return how far a model can stand in for people; options as in `study_judges`, hashable."""
    study: JudgesStudy = _ask("judges", dataset, criterion, _sorted(**options))
    return study


def _sorted(**options: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(options.items(), key=lambda option: option[0]))
