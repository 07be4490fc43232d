"""Links from a dataset to its claims and its power, where there are any."""

from __future__ import annotations

from collections.abc import Mapping

from dashboard import data
from dashboard.ui.links import Link, show_link


def show_claims_link(dataset: str, metric: str | None = None) -> None:
    """Link to the claims on a dataset, where its scores are of more than one day."""
    found = [
        history
        for history in data.histories()
        if history.dataset == dataset
        and history.first.date() < history.last.date()
        and metric in (None, history.metric)
    ]
    if found:
        show_link(Link("Claims over time", "claims", _where(dataset, metric)))


def show_power_link(
    dataset: str, metric: str | None = None, *, pair: Mapping[str, str] | None = None
) -> None:
    """Link to what a dataset can find, judged by a pair, where two systems have item scores."""
    cells = data.comparables().cells.values()
    there = [{m for d, m in found if d == dataset and metric in (None, m)} for found in cells]
    if sum(bool(metrics) for metrics in there) > 1:
        label = "What this dataset can find" if pair is None else "What it can find for these two"
        show_link(Link(label, "power", {**_where(dataset, metric), **(pair or {})}))


def _where(dataset: str, metric: str | None) -> dict[str, str]:
    return {"dataset": dataset} if metric is None else {"dataset": dataset, "metric": metric}
