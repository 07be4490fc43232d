"""The scores of an evaluation set of mt-metrics-eval, as runs and reported figures.

Scores of segments are the runs of the dataset. Scores of documents are runs of a dataset whose
items are the documents. Those of a system as a whole, or on a domain, are reported figures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from store.errors import ImportFormatError
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleOverlap,
    BundleReportedScore,
    BundleRun,
    BundleScores,
    FloatArray,
    Status,
)
from store.importers.mt_metrics_eval.files import Place, ScoreFile
from store.importers.mt_metrics_eval.items import Segments
from store.importers.settings import Settings

DOCUMENTS = ", documents"
"""What the name of a dataset has more when its items are documents."""
RUN_LABEL = "mt-metrics-eval"


@dataclass(slots=True)
class ScoreBuilder:
    """Collects the scores of one language pair."""

    settings: Settings
    name: str
    """Of the dataset."""
    pair: str
    segments: Segments
    metrics: list[BundleMetric] = field(default_factory=list)
    reported: list[BundleReportedScore] = field(default_factory=list)
    vectors: dict[str, dict[str, dict[int, FloatArray]]] = field(default_factory=dict)
    """Dataset -> system -> metric -> scores of its items."""
    names: list[str] = field(default_factory=list)
    """Datasets: that of the segments, then others as they come."""
    n_missing: int = 0

    def __post_init__(self) -> None:
        self.names.append(self.name)

    @property
    def has_scores(self) -> bool:
        """Whether there is any score."""
        return bool(self.vectors or self.reported)

    @property
    def systems(self) -> list[str]:
        """The systems that were scored."""
        scored = [system for runs in self.vectors.values() for system in runs]
        return list(dict.fromkeys([*scored, *(one.system for one in self.reported)]))

    def add(self, place: Place, file: ScoreFile, shown: str) -> None:
        """Add the scores of a file.

        Raises
        ------
        ImportFormatError
            A system does not have a score for each segment or document.
        """
        metric = self._metric(place)
        for (domain, system), values in file.scores.items():
            self.n_missing += sum(map(math.isnan, values))
            if place.level in ("sys", "domain"):
                self._report(metric, system, domain, values, shown)
            else:
                self._score(metric, system, values, place, shown)

    def _metric(self, place: Place) -> int:
        """Return the index of a metric: its name, and as signature the references it used."""
        is_human = place.role == "human"
        made = self.settings.metric_of(place.name, "mean", is_percent=False, is_only=False)
        noted = self.settings.note_of(place.name).higher_is_better
        metric = replace(
            made,
            signature=made.signature or place.reference,
            higher_is_better=True if noted is None else noted,
            source="human" if is_human else made.source,
        )
        if metric not in self.metrics:
            self.metrics.append(metric)
        return self.metrics.index(metric)

    def _report(
        self, metric: int, system: str, domain: str, values: Sequence[float], shown: str
    ) -> None:
        if len(values) != 1:
            raise ImportFormatError(
                f"'{system}' has {len(values)} scores; a file of systems or domains has one each.",
                path=shown,
            )
        dataset = f"{self.name}, {domain}" if domain else self.name
        if math.isnan(values[0]):
            return
        mapping = self.settings.mapping
        self.reported.append(
            BundleReportedScore(
                self.settings.canonical(system),
                self._index(dataset),
                metric,
                values[0],
                reported_on=self.settings.reported_on,
                source=mapping.source or shown.rpartition("/")[2],
                source_url=mapping.source_url,
                printed=repr(values[0]),
            )
        )

    def _score(
        self, metric: int, system: str, values: Sequence[float], place: Place, shown: str
    ) -> None:
        dataset = self.name
        if place.level == "doc":
            dataset += DOCUMENTS
            n_documents = len(set(self.segments.documents))
            if len(values) != n_documents:
                raise ImportFormatError(
                    f"'{system}' has {len(values):,} scores, and there are {n_documents:,} "
                    "documents in the folder 'documents'.",
                    path=shown,
                )
        else:
            self.segments.agree(len(values), shown)
        self._index(dataset)
        runs = self.vectors.setdefault(dataset, {})
        name = self.settings.canonical(system)
        runs.setdefault(name, {})[metric] = np.array(values, float)[:, None]

    def _index(self, dataset: str) -> int:
        """Return the number of a dataset; a new one comes after the others."""
        if dataset not in self.names:
            self.names.append(dataset)
        return self.names.index(dataset)

    def datasets(self) -> list[BundleDataset]:
        """Return the dataset of the segments, then those of documents and domains."""
        items = {
            self.name: self.segments.items,
            self.name + DOCUMENTS: self.segments.document_items,
        }
        return [
            self._described(name, items[name]() if name in items else ()) for name in self.names
        ]

    def _described(self, name: str, items: tuple[BundleItem, ...]) -> BundleDataset:
        made = self.settings.dataset_of(name, items)
        return replace(
            made,
            language=made.language or self.pair,
            task=made.task or "machine translation",
        )

    def runs(self) -> list[BundleRun]:
        """Return a run for each system and dataset with item scores, or with a text to keep."""
        runs = []
        outputs = self.segments.outputs if self.segments.with_text else {}
        texts = {self.settings.canonical(system): kept for system, kept in outputs.items()}
        for dataset in dict.fromkeys([self.name, *self.vectors]):
            systems = self.vectors.get(dataset, {})
            own = texts if dataset == self.name else {}
            for system in dict.fromkeys([*systems, *own]):
                runs.append(self._run(system, dataset, systems.get(system, {}), own.get(system)))
        return runs

    def _run(
        self,
        system: str,
        dataset: str,
        vectors: Mapping[int, FloatArray],
        outputs: Sequence[str | None] | None,
    ) -> BundleRun:
        statuses = {}
        if outputs is not None:  # answered where there is a text, scored or not
            answered = np.array([text is not None for text in outputs])
            for values in vectors.values():
                answered |= np.isfinite(values[:, 0])
            statuses[0] = np.where(answered, Status.OK, Status.NOT_ATTEMPTED).astype(np.uint8)
        return BundleRun(
            system,
            self._index(dataset),
            self.settings.run_label or RUN_LABEL,
            [BundleScores(metric, values) for metric, values in sorted(vectors.items())],
            statuses,
            {} if outputs is None else {0: outputs},
            provenance=self.settings.provenance,
        )

    def overlaps(self) -> list[BundleOverlap]:
        """Return that documents and domains hold the same segments."""
        note = "the same segments"
        return [BundleOverlap(self.name, name, note=note) for name in self.names[1:]]

    def told(self) -> list[str]:
        """Return what was made of the scores."""
        human = [metric.name for metric in self.metrics if metric.source == "human"]
        n_others = len(self.metrics) - len(human)
        n_segments = self.segments.n or 0
        scored = ", ".join(human) or "none"
        told = [
            f"{n_segments:,} segments, {len(self.systems)} systems; scores by people: {scored}; "
            f"{n_others} other metrics. Of all of them higher is better, as this layout has it.",
        ]
        if n_others:
            told.append(
                "A metric's signature says against which references it was computed; src: none."
            )
        if self.segments.documents:
            n_documents, n_domains = (
                len(set(names)) for names in (self.segments.documents, self.segments.domains)
            )
            told.append(
                f"{n_documents:,} documents are the groups of the segments; the property 'domain' "
                f"has {n_domains} values."
            )
        if len(self.names) > 1:
            told.append(f"Datasets of their own: {'; '.join(self.names[1:])}.")
        if self.reported:
            told.append(
                f"{len(self.reported):,} scores of systems as a whole are figures without items."
            )
        if self.n_missing:
            told.append(f"{self.n_missing:,} scores are missing (None).")
        return told
