"""On how many datasets, and on which, is A better than B; or that for all pairs?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from analysis.choices import DatasetNames, Failures
from analysis.question import Progress, Question
from analysis.setting import Setting, names
from analysis.studies.cells import ALL_METRICS
from analysis.studies.replicability import (
    ReplicabilitySettings,
    ReplicabilityStudy,
    study_replicability,
)
from analysis.studies.replicability_matrix import (
    ReplicabilityMatrixStudy,
    study_replicability_matrix,
)
from analysis.studies.replicability_matrix_result import PairsConfidence
from store.engine import Store
from store.errors import NotFoundError, StoreError
from store.metrics import get_metric


@dataclass(frozen=True)
class AcrossDatasets(Question[ReplicabilityStudy | ReplicabilityMatrixStudy]):
    """Say on how many datasets, and on which, A is better than B; or that for all pairs."""

    name: ClassVar[str] = "replicability"

    a: Annotated[
        str | None, Setting("Without A and B: all pairs.", label="System A", place=True)
    ] = None
    b: Annotated[str | None, Setting("", label="System B", place=True)] = None
    metric: Annotated[
        str | None,
        Setting(
            "By default the one on most datasets. For a pair also several, separated by commas, "
            "or 'all'.",
            label="Metric",
        ),
    ] = None
    datasets: DatasetNames = None
    systems: Annotated[
        tuple[str, ...] | None, Setting("For all pairs: names, separated by commas.")
    ] = None
    pairs: PairsConfidence = "together"
    settings: ReplicabilitySettings = ReplicabilitySettings()  # noqa: RUF009 (frozen)
    failures: Failures = None

    def answer(
        self, store: Store, progress: Progress | None = None
    ) -> ReplicabilityStudy | ReplicabilityMatrixStudy:
        """Return a pair, or all pairs where none is named.

        Raises
        ------
        StoreError
            One system alone is named, or what is chosen is for the other of the two.
        """
        if (self.a is None) != (self.b is None):
            raise StoreError("Name two systems, A and B, or none for all pairs.")
        store = store.counting(self.failures)
        if self.a is None or self.b is None:
            return self._all_pairs(store, progress)
        if self.systems is not None:
            raise StoreError("`systems` is for all pairs: leave it out, or leave A and B out.")
        if self.pairs != "together":
            raise StoreError("`pairs` is for all pairs: leave it out, or leave A and B out.")
        settings = replace(
            self.settings, metric=_metrics(store, self.metric), datasets=self.datasets
        )
        return study_replicability(store, self.a, self.b, settings, progress=progress)

    def _all_pairs(self, store: Store, progress: Progress | None) -> ReplicabilityMatrixStudy:
        usual, chosen = ReplicabilitySettings(), self.settings
        for name in ("reported", "family", "margin", "clusters"):
            if getattr(chosen, name) != getattr(usual, name):
                raise StoreError(f"`{name}` is for two systems: name A and B.")
        return study_replicability_matrix(
            store,
            metric=self.metric,
            datasets=self.datasets,
            systems=self.systems,
            alpha=chosen.alpha,
            estimator=chosen.estimator,
            dependent=chosen.dependent,
            pairs=self.pairs,
            test=chosen.test,
            n_resamples=chosen.n_resamples,
            seed=chosen.seed,
            progress=progress,
        )


def _metrics(store: Store, given: str | None) -> str | tuple[str, ...] | None:
    """Return one name, "all", or several names; a metric's own name may hold a comma."""
    if given is None or given == ALL_METRICS or "," not in given:
        return given
    try:
        return get_metric(store, given).uid
    except NotFoundError:
        return tuple(names(given) or ())
