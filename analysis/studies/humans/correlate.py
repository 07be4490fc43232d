"""Which metrics follow human judgments best: on one dataset, over several, or what there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeAlias

from analysis.choices import Failures, SystemNames
from analysis.question import Progress, Question
from analysis.setting import Setting, names
from analysis.studies.humans.correlations.settings import CorrelationSettings
from analysis.studies.humans.correlations.study import CorrelationsStudy, study_correlations
from analysis.studies.humans.evidence import Consensus, Ties
from analysis.studies.humans.golds import GoldsStudy, study_golds
from analysis.studies.humans.over_datasets.means import Weights
from analysis.studies.humans.over_datasets.study import CorrelationsOver, study_correlations_over
from store.datasets import get_dataset
from store.engine import Store
from store.errors import NotFoundError, StoreError

Correlated: TypeAlias = CorrelationsStudy | CorrelationsOver | GoldsStudy

ALL = "all"
"""Every dataset with the gold."""


@dataclass(frozen=True)
class Correlate(Question[Correlated]):
    """Hold metrics against human judgments: which follows them best, which cannot be separated."""

    name: ClassVar[str] = "correlate"

    dataset: Annotated[
        str | None,
        Setting(
            "Name or uid, or several separated by commas; 'all' for every one with this gold.",
            place=True,
        ),
    ] = None
    gold: Annotated[
        str | None,
        Setting(
            "What people judged, or a metric; without it the metrics and judgments are listed."
        ),
    ] = None
    metrics: Annotated[
        tuple[str, ...] | None,
        Setting("Names, separated by commas; by default all automatic ones."),
    ] = None
    systems: SystemNames = None
    without: Annotated[
        tuple[str, ...] | None,
        Setting(
            "All but these, such as human references.",
            label="Without these systems",
            words={"auto": "none left out"},
        ),
    ] = None
    weights: Annotated[
        str | None,
        Setting(
            "Several datasets: what each counts in the mean: equal (the default), units, or "
            "numbers in their order, separated by commas.",
            label="Datasets in the mean",
            words={
                "auto": "count the same",
                "equal": "count the same, by choice",
                "units": "count as judged",
            },
        ),
    ] = None
    ties: Annotated[
        Ties | None,
        Setting(
            "Preferences: outputs scored alike count as 0 (sign), or drop.",
            label="Outputs that a metric scores alike",
            words={
                "auto": "count as usual",
                "sign": "count as neither",
                "drop": "are left out",
                "first": "count for the first by name",
                "second": "count for the second by name",
            },
        ),
    ] = None
    consensus: Annotated[
        Consensus | None,
        Setting(
            "Preferences: majority of the annotators, or mace.",
            label="Choices of several annotators",
            words={"auto": "as usual", "mace": "MACE"},
        ),
    ] = None
    settings: CorrelationSettings = CorrelationSettings()  # noqa: RUF009 (frozen)
    failures: Failures = None

    def answer(self, store: Store, progress: Progress | None = None) -> Correlated:
        """Return metrics against a gold; without one, the golds that there are.

        Raises
        ------
        StoreError
            Weights are given for one dataset, or no dataset is named.
        """
        if self.weights is not None and (self.gold is None or self.dataset is None):
            raise StoreError("`weights` are for several datasets: name them, and the gold.")
        store = store.counting(self.failures)
        if self.gold is None:
            return self._without_gold(store, progress)
        wanted = _wanted(store, self.dataset)
        if len(wanted) == 1 and wanted != [ALL]:
            if self.weights is not None:
                raise StoreError("`weights` are for several datasets; there is one.")
            return study_correlations(
                store, wanted[0], self.gold, progress=progress, **self._options()
            )
        if not wanted:
            raise StoreError("Say which dataset, several separated by commas, or 'all'.")
        return study_correlations_over(
            store,
            self.gold,
            datasets=None if wanted == [ALL] else wanted,
            weights=_weights(self.weights),
            progress=progress,
            **self._options(),
        )

    def _without_gold(self, store: Store, progress: Progress | None) -> Correlated:
        if self.dataset in (None, ALL):
            return study_golds(store)
        found = study_golds(store, self.dataset)
        if len(found.golds) != 1:
            return found
        only = found.golds[0].uid
        return study_correlations(
            store, self.dataset or "", only, progress=progress, **self._options()
        )

    def _options(self) -> dict[str, Any]:
        return {
            "metrics": self.metrics,
            "systems": self.systems,
            "without": self.without or (),
            "settings": self.settings,
            "ties": self.ties,
            "consensus": self.consensus,
        }


def _weights(text: str | None) -> Weights:
    """Return a word as it is and numbers as such; the study refuses the rest."""
    try:
        return [float(number) for number in names(text) or []] or "equal"
    except ValueError:
        return text or "equal"


def _wanted(store: Store, dataset: str | None) -> list[str]:
    """Return the names of datasets: one, though it may hold a comma, or several."""
    if dataset is not None:
        try:
            return [get_dataset(store, dataset).uid]
        except NotFoundError:
            pass
    return names(dataset) or []
