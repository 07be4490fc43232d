"""What the pages about humans read, each answer computed once, as in `dashboard.data`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from analysis.studies.humans.golds import GoldChoice, list_golds
from analysis.studies.humans.judged_units import load_units
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
    "model judges": _model_judges,
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


def model_judges(criterion: CriterionRecord) -> list[str]:
    """Return the models that judged a criterion, where people judged it too."""
    return list(_ask("model judges", criterion))
