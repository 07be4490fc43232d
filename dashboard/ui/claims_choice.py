"""What can be chosen on the page *Claims*: a history, and how its claims are judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from analysis.setting import fields_of, values_of
from analysis.setting import parameters as parameters_of
from analysis.studies.claims.settings import (
    ClaimSettings,
)
from dashboard.ui import ask, filters
from store.claim_records import HistoryRecord


class Chosen(NamedTuple):
    """A history and how it is judged."""

    history: HistoryRecord
    settings: ClaimSettings

    def as_parameters(self) -> dict[str, str | list[str]]:
        """Return the URL parameters that stand for the choice."""
        where = {"dataset": self.history.dataset, "metric": self.history.metric}
        return {**parameters_of(self.settings, whole=True), **where}


def _length(history: HistoryRecord) -> tuple[bool, int]:
    """Return what makes a history worth showing first: more than a day, and many scores."""
    return history.first.date() < history.last.date(), history.n_scores + history.n_claims


def choose(histories: Sequence[HistoryRecord]) -> Chosen:
    """Draw the choice of a history, by default the longest, and of how it is judged."""
    longest = max(histories, key=_length)
    with filters.filter_row("claims_filters"):
        first = sorted(histories, key=_length, reverse=True)
        labels = list(dict.fromkeys(history.dataset for history in first))
        dataset = filters.choose_one(
            "Dataset", labels, key="dataset", default=longest.dataset, width=210
        )
        of_dataset = sorted(
            (history for history in histories if history.dataset == dataset),
            key=_length,
            reverse=True,
        )
        metric = filters.choose_one(
            "Metric", [history.metric for history in of_dataset], key="metric", width=150
        )
        settings = ask.choose(ClaimSettings, {})
    chosen = next(history for history in of_dataset if history.metric == metric)
    return Chosen(chosen, settings)


def unusual(settings: ClaimSettings) -> list[str]:
    """Return in words what is not as usual; nothing where all is."""
    values = values_of(settings)
    return [
        f"{each.label} {each.in_words(values[each.name])} (usually {each.in_words(each.default)})"
        for each in fields_of(ClaimSettings)
        if values[each.name] != each.default
    ]
