"""What the page *Across datasets* lets a reader choose, and its tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast, get_args

import streamlit as st

from analysis import numbers
from analysis.studies.cells import ALL_METRICS
from analysis.studies.comparable import Basis, Comparables
from analysis.studies.dependence import ASSUMES, ESTIMATOR_NAMES, EstimatorChoice
from analysis.studies.families import FAMILY_NAMES, FamilyKind
from analysis.studies.replicability import ReplicabilitySettings, ReplicabilityStudy
from analysis.studies.test_names import PairsTestName
from dashboard.ui import filters, settings
from dashboard.ui.replicability_matrix import estimator_in_words

BASIS_NAMES = {"items": "tested here", "reported": "as reported"}
DEPENDENCE = {"as is known": None, "dependent": True, "independent": False}
_DEPENDENT = {None: "auto", True: "dependent", False: "independent"}


class Chosen(NamedTuple):
    """The settings of the study, and those that only the page has names for."""

    settings: ReplicabilitySettings
    basis: Basis


def choose(comparables: Comparables) -> tuple[tuple[str, str], Chosen]:
    """Draw what can be chosen; return the two systems and the settings."""
    names = comparables.systems()
    first = (comparables.reported_pairs or ((names[0], comparables.partners(names[0])[0]),))[0]
    with filters.filter_row("across_filters"):
        a = str(filters.choose_one("System A", names, key="a", default=first[0], width=220))
        partners = comparables.partners(a)
        b = str(filters.choose_one("System B", partners, key="b", default=first[1], width=220))
        bases = comparables.bases(a, b)
        basis = filters.choose_one(
            "p-values", bases, key="basis", name=BASIS_NAMES.__getitem__, width=130
        )
        basis = basis or "items"
        metrics = comparables.metrics(a, b, basis)
        options = [*metrics, ALL_METRICS] if len(metrics) > 1 else metrics
        metric = filters.choose_one("Metric", options, key="metric", value=_metric, width=170)
        alpha = settings.choose_alpha()
        estimator = filters.choose_one(
            "Counted by",
            [e for e in get_args(EstimatorChoice) if e != "joint" or basis == "items"],
            key="estimator",
            name=estimator_in_words,
            width=205,
            help="; ".join(f"{ESTIMATOR_NAMES[name]} assumes {ASSUMES[name]}" for name in ASSUMES),
        )
        with st.popover("More settings"):
            chosen = _choose_details(
                comparables.datasets(a, b) if basis == "items" else [],
                metric,
                alpha,
                basis,
                cast("EstimatorChoice", estimator or "auto"),
            )
    return (a, b), Chosen(chosen, basis)


def _metric(label: str) -> str:
    return "*" if label == ALL_METRICS else label


def _dependence(words: str) -> str:
    return _DEPENDENT[DEPENDENCE[words]]


def _choose_details(
    datasets: Sequence[str],
    metric: str | None,
    alpha: float,
    basis: Basis,
    estimator: EstimatorChoice,
) -> ReplicabilitySettings:
    """Draw everything that most readers leave as it is."""
    dependence = filters.choose_one(
        "Datasets are",
        list(DEPENDENCE),
        key="dependence",
        value=_dependence,
        help="By default what the store knows of their items decides, and unknown counts as "
        "dependent; only where nothing else is asked to count",
    )
    family = filters.choose_one(
        "Family",
        get_args(FamilyKind),
        key="family",
        name=lambda kind: FAMILY_NAMES[kind],
        help="What is counted together, where there are several metrics",
    )
    kept = filters.choose_some("Datasets", datasets, key="datasets") if datasets else []
    margin = filters.choose_number(
        "Margin: differences below it do not matter on a new dataset", key="margin", least=0
    )
    test = settings.choose_test(get_args(PairsTestName))
    units = settings.choose_units()
    seed = filters.choose_seed()
    resamples = filters.choose_one(
        "Resamples", settings.RESAMPLES, key="resamples", name=numbers.count
    )
    return ReplicabilitySettings(
        metric=metric,
        datasets=tuple(kept) if kept and len(kept) < len(datasets) else None,
        alpha=alpha,
        reported=basis == "reported",
        estimator=estimator,
        dependent=DEPENDENCE[str(dependence)] if estimator == "auto" else None,
        family=cast("FamilyKind", family or "together"),
        margin=float(margin) if margin else None,
        test=test,
        n_resamples=resamples or settings.RESAMPLES[0],
        seed=seed,
        clusters=units,
    )


def for_all_pairs(study: ReplicabilityStudy, chosen: Chosen) -> dict[str, str | list[str]]:
    """Return the URL parameters of the matrix of all pairs that keep what was chosen here."""
    shared = ("metric", "alpha", "estimator", "test", "seed", "resamples", "datasets")
    parameters = as_parameters(study, chosen) | {"metric": study.metric.label}
    return {name: value for name, value in parameters.items() if name in shared}


def as_parameters(study: ReplicabilityStudy, chosen: Chosen) -> dict[str, str | list[str]]:
    """Return the URL parameters that stand for this view, but for the two systems."""
    asked = chosen.settings
    parameters: dict[str, str | list[str]] = {
        "basis": chosen.basis,
        "metric": "*" if len(study.metrics) > 1 else study.metric.label,
        "alpha": f"{study.alpha:g}",
        "estimator": asked.estimator,
        "dependence": _DEPENDENT[asked.dependent],
        "family": asked.family,
        "test": asked.test,
        "units": settings.units_value(asked.clusters),
        "seed": str(asked.seed),
        "resamples": str(asked.n_resamples),
    }
    if asked.datasets is not None:
        parameters["datasets"] = list(asked.datasets)
    if asked.margin is not None:
        parameters["margin"] = f"{asked.margin:g}"
    return parameters
