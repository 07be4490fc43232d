"""What is held of datasets and runs while records arrive, and what becomes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleRun,
    BundleScores,
    FloatArray,
    Provenance,
    Status,
)
from store.importers.identity import Identity
from store.importers.settings import Settings


@dataclass(slots=True)
class HeldDataset:
    """A dataset, item by item."""

    name: str
    version: str
    size: int | None = None
    task: str | None = None
    language: str | None = None
    position: dict[str, int] = field(default_factory=dict)
    facts: list[dict[str, Any]] = field(default_factory=list)
    """Of each item: role or property -> value; ``None`` once two records differ."""

    def built(self, settings: Settings, *, with_text: bool) -> BundleDataset:
        """Return the dataset as a bundle has it."""
        items = tuple(
            _item(key, facts, with_text=with_text)
            for key, facts in zip(self.position, self.facts, strict=True)
        )
        size = self.size if self.size is not None and self.size >= len(items) else None
        made = settings.dataset_of(self.name, items, version=self.version, n_items_stated=size)
        return replace(made, task=made.task or self.task, language=made.language or self.language)


@dataclass(slots=True)
class HeldRun:
    """A run, score by score."""

    identity: Identity
    dataset: int
    label: str
    provenance: Provenance
    complete: bool = True
    scores: dict[int, dict[int, dict[int, float]]] = field(default_factory=dict)
    """Metric -> trial as stated -> item -> value."""
    statuses: dict[int, dict[int, Status]] = field(default_factory=dict)
    outputs: dict[int, dict[int, str]] = field(default_factory=dict)
    times: dict[int, int] = field(default_factory=dict)
    """Item -> how often it came, where repeats are trials."""

    def built(self, system: str, n_items: int) -> BundleRun:
        """Return the run as a bundle has it; trials are numbered from 0 in their order."""
        trials = {stated: i for i, stated in enumerate(sorted(self.statuses))}
        statuses = {}
        for stated, by_item in self.statuses.items():
            status = np.full(n_items, Status.NOT_ATTEMPTED, np.uint8)
            for position, one in by_item.items():
                status[position] = one
            statuses[trials[stated]] = status
        scores = [
            BundleScores(metric, _vector(values, n_items), trials[stated])
            for metric, by_trial in sorted(self.scores.items())
            for stated, values in sorted(by_trial.items())
        ]
        outputs = {
            trials[stated]: [texts.get(i) for i in range(n_items)]
            for stated, texts in self.outputs.items()
        }
        return BundleRun(
            system,
            self.dataset,
            self.label,
            scores,
            statuses if scores else {},
            outputs if scores else {},
            self.complete,
            self.provenance,
        )


def _vector(values: Mapping[int, float], n_items: int) -> FloatArray:
    vector = np.full((n_items, 1), np.nan)
    vector[list(values), 0] = list(values.values())
    return vector


def _item(key: str, facts: Mapping[str, Any], *, with_text: bool) -> BundleItem:
    properties = {
        name.removeprefix("property "): value
        for name, value in facts.items()
        if name.startswith("property ") and value is not None
    }
    return BundleItem(
        key,
        group=facts.get("group"),
        content_hash=facts.get("content"),
        input_text=facts.get("text"),
        reference_text=facts.get("reference") if with_text else None,
        metadata=properties or None,
    )
