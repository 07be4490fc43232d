"""Scores of segments as they are submitted to WMT's metrics task, put into runs."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from store.importers.bundle import BundleItem, BundleRun, BundleScores, RowProblems
from store.importers.cells import no_number
from store.importers.settings import Settings
from store.importers.wmt.metrics_lines import Layout, cells_of, number_of, reference_of

RUN_LABEL = "metrics task"
_Key = tuple[str, str]
"""Metric and set of references."""


@dataclass(slots=True)
class SegmentScores:
    """Scores of segments of all files of a group."""

    problems: RowProblems
    references: dict[str, str]
    """Spellings of the sets of references."""
    items: dict[str, dict[tuple[str, str], int]] = field(default_factory=dict)
    """Dataset -> document and segment -> place."""
    places: dict[tuple[str, str, _Key], array[int]] = field(default_factory=dict)
    """Dataset, system, metric -> places of the items that have a score."""
    values: dict[tuple[str, str, _Key], array[float]] = field(default_factory=dict)
    """The scores at these places, in the same order."""
    pairs: dict[str, str] = field(default_factory=dict)
    """Dataset -> language pair."""
    n_missing: int = 0

    def read(self, text: str, layout: Layout, shown: str, test_set: str | None) -> None:
        """Take the lines of a file; those that cannot be used are reported."""
        for number, line in enumerate(text.split("\n"), start=1):
            cells = cells_of(line)
            if not any(cells):
                continue
            if len(cells) < len(layout.names):
                reason = f"not a line of {' '.join(layout.names)}."
                self.problems.report(shown, number, None, reason)
                continue
            row = dict(zip(layout.names, cells, strict=False))
            value = number_of(row["SCORE"])
            if value is None or math.isinf(value):
                self.problems.report(shown, number, "SCORE", no_number(row["SCORE"]))
                continue
            if not row["SEGMENT"].isdecimal():
                reason = f"'{row['SEGMENT']}' is no number of a segment."
                self.problems.report(shown, number, "SEGMENT", reason)
                continue
            dataset = f"{test_set or row['TESTSET']} {row['LP']}"
            self.pairs[dataset] = row["LP"]
            known = self.items.setdefault(dataset, {})
            place = known.setdefault((row.get("DOCUMENT", ""), row["SEGMENT"]), len(known))
            key = (dataset, row["SYSTEM"], (row["METRIC"], reference_of(row, self.references)))
            if math.isnan(value):
                self.n_missing += 1
                continue
            self.places.setdefault(key, array("q")).append(place)
            self.values.setdefault(key, array("d")).append(value)

    def means(self) -> dict[_Key, dict[str, dict[str, float]]]:
        """Return metric -> language pair -> system -> mean."""
        found: dict[_Key, dict[str, dict[str, float]]] = {}
        for (dataset, system, metric), values in self.values.items():
            mean = math.fsum(values) / len(values)
            found.setdefault(metric, {}).setdefault(self.pairs[dataset], {})[system] = mean
        return found

    def bundle_items(self, dataset: str) -> tuple[tuple[BundleItem, ...], np.ndarray]:
        """Return the items of a dataset by document and number, and where each place went."""
        known = self.items[dataset]
        documents = {document: n for n, document in enumerate(dict.fromkeys(d for d, _ in known))}
        order = sorted(known, key=lambda one: (documents[one[0]], int(one[1])))
        went = np.empty(len(known), np.int64)
        for position, one in enumerate(order):
            went[known[one]] = position
        items = tuple(
            BundleItem(f"{document}::{segment}" if document else segment, group=document or None)
            for document, segment in order
        )
        return items, went

    def runs(
        self,
        dataset: str,
        number: int,
        went: np.ndarray,
        metrics: Mapping[_Key, int],
        settings: Settings,
        shown: str,
    ) -> list[BundleRun]:
        """Return a run for each system of a dataset; a second score of a segment is reported."""
        scores: dict[str, list[BundleScores]] = {}
        for (of, system, metric), places in self.places.items():
            if of != dataset:
                continue
            values = np.full(len(went), np.nan)
            at = went[np.frombuffer(places, np.int64)]
            new = np.frombuffer(self.values[of, system, metric], np.float64)
            values[at[::-1]] = new[::-1]  # of two, the first one stays
            if (values[at] != new).any():
                reason = f"'{system}' has two scores of '{metric[0]}' on one segment of {dataset}."
                self.problems.report(shown, None, metric[0], reason)
            scores.setdefault(system, []).append(BundleScores(metrics[metric], values[:, None]))
        label = settings.run_label or RUN_LABEL
        return [
            BundleRun(
                settings.canonical(system), number, label, vectors, provenance=settings.provenance
            )
            for system, vectors in scores.items()
        ]


def told_segments(scores: SegmentScores, datasets: Sequence[str]) -> list[str]:
    """Return what was read of segments."""
    if not scores.values:
        return []
    n_scores = sum(map(len, scores.values.values()))
    told = [f"{n_scores:,} scores of segments on {len(datasets)} language pairs."]
    if scores.n_missing:
        told.append(f"{scores.n_missing:,} scores of segments are missing (nan).")
    return told
