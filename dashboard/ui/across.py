"""What the page *Across datasets* lets a reader choose."""

from __future__ import annotations

from analysis.setting import parameters as parameters_of
from analysis.studies.across_datasets import AcrossDatasets
from analysis.studies.cells import ALL_METRICS
from analysis.studies.comparable import ENOUGH_DATASETS, Basis, Comparables
from analysis.studies.replicability import ReplicabilityStudy
from dashboard import data
from dashboard.ui import ask, filters

_REPORTED: dict[Basis, bool] = {"items": False, "reported": True}
_MOST_BOARDS = 20
"""Boards whose leads are looked at."""
_FOR_ALL_PAIRS = ("alpha", "estimator", "test", "seed", "n_resamples", "datasets")


def choose(comparables: Comparables) -> AcrossDatasets:
    """Draw what can be chosen."""
    names = comparables.systems()
    first = _first_pair(comparables)
    with filters.filter_row("across_filters"):
        a = str(filters.choose_one("System A", names, key="a", default=first[0], width=220))
        partners = comparables.partners(a)
        b = str(filters.choose_one("System B", partners, key="b", default=first[1], width=220))
        bases = comparables.bases(a, b)
        basis = _choose_basis(bases)
        metrics = comparables.metrics(a, b, basis)
        options = [*metrics, ALL_METRICS] if len(metrics) > 1 else metrics
        metric = filters.choose_one("Metric", options, key="metric", width=170)
        datasets = comparables.datasets(a, b) if basis == "items" else []
        return ask.choose(
            AcrossDatasets,
            {"a": a, "b": b, "reported": _REPORTED[basis], "metric": metric},
            among={"datasets": datasets} if datasets else {},
            hidden=("pairs",),
        )


def _first_pair(comparables: Comparables) -> tuple[str, str]:
    """Return the best two of the first board of Home whose best two share enough datasets."""
    for board in [board for board in data.boards() if board.is_tested][:_MOST_BOARDS]:
        lead = data.leads((board.dataset_uid,)).get(board.dataset_uid)
        if (
            lead
            and lead.second
            and comparables.n_shared(lead.first, lead.second) >= ENOUGH_DATASETS
        ):
            return lead.first, lead.second
    return comparables.first_pair()


def _choose_basis(bases: list[Basis]) -> Basis:
    chosen = filters.choose_one(
        "p-values",
        bases,
        key="reported",
        name={"items": "tested here", "reported": "as reported"}.__getitem__,
        value={"items": "no", "reported": "yes"}.__getitem__,
        width=130,
    )
    return chosen or "items"


def for_all_pairs(
    study: ReplicabilityStudy, question: AcrossDatasets
) -> dict[str, str | list[str]]:
    """Return the URL parameters of the matrix of all pairs that keep what was chosen here."""
    kept = {k: v for k, v in parameters_of(question).items() if k in _FOR_ALL_PAIRS}
    return {**kept, "metric": study.metric.label}
