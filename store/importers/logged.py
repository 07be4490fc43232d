"""A run that a script logs itself: what it says of every item, as an `ImportBundle`."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

import numpy as np

from store.errors import ImportFormatError
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleRun,
    BundleScores,
    ImportBundle,
    Provenance,
    SourceFile,
    Status,
    StatusArray,
)

NAME = "logged"

Texts = Mapping[str, str]
Scores = Mapping[str, Mapping[str, float | None]]
"""Metric -> item -> score; NaN: answered, but not scored; ``None``: the system failed on it."""


@dataclass(frozen=True, slots=True)
class LoggedRun:
    """One run of a system on a dataset, as a script knows it."""

    system: str
    dataset: str
    dataset_version: str = ""
    run: str = ""
    trial: int = 0
    scores: Scores = field(default_factory=dict)
    texts: Texts = field(default_factory=dict)
    """Item -> its input."""
    references: Texts = field(default_factory=dict)
    outputs: Texts = field(default_factory=dict)
    groups: Texts = field(default_factory=dict)
    higher_is_better: bool | None = None
    """Of the metric; of several, of those that are not generally known."""
    complete: bool = True
    provenance: Provenance = field(default_factory=Provenance)

    def bundle(self, file: SourceFile | None = None) -> ImportBundle:
        """Return what `store.ingest` takes. `file`: the journal that it comes from, if any.

        Raises
        ------
        ImportFormatError
            A name is empty, nothing was scored, a score is no number, or an item or a text of
            one holds half a character.
        """
        for what in ("system", "dataset"):
            if not str(getattr(self, what)).strip():
                raise ImportFormatError(f"the {what} has no name.", path=NAME, field=what)
        items = list(dict.fromkeys(item for one in self.scores.values() for item in one))
        if not items:
            raise ImportFormatError("there is no score.", path=NAME, field="scores")
        self._require_whole_characters(items)
        values = {
            metric: np.array([_as_float(given.get(item, math.nan), item, metric) for item in items])
            for metric, given in self.scores.items()
        }
        direction = self.higher_is_better if len(values) == 1 else None
        return ImportBundle(
            NAME,
            [file or SourceFile(f"run of {self.system} on {self.dataset}", self._digest())],
            datasets=[
                BundleDataset(
                    self.dataset, self.dataset_version, [self._item(item) for item in items]
                )
            ],
            metrics=[BundleMetric(name, higher_is_better=direction) for name in values],
            runs=[
                BundleRun(
                    self.system,
                    0,
                    self.run,
                    [
                        BundleScores(number, column[:, np.newaxis], self.trial)
                        for number, column in enumerate(values.values())
                    ],
                    statuses={self.trial: self._statuses(items)},
                    outputs={self.trial: [self.outputs.get(item) for item in items]}
                    if self.outputs
                    else {},
                    complete=self.complete,
                    provenance=self.provenance,
                )
            ],
            understood=[] if self.complete else ["The script ended before the run did."],
        )

    def _require_whole_characters(self, items: list[str]) -> None:
        given: dict[str, Texts] = {"text": self.texts, "reference": self.references}
        given |= {"output": self.outputs, "group": self.groups, "scores": {i: i for i in items}}
        for what, texts in given.items():
            for item, text in texts.items():
                require_whole_characters(text, what, f"item {item!r}")
        names = {"system": self.system, "dataset": self.dataset, "metric": " ".join(self.scores)}
        for what, text in names.items():
            require_whole_characters(text, what)

    def _item(self, item: str) -> BundleItem:
        text, reference = self.texts.get(item), self.references.get(item)
        digest = None if text is None else hashlib.sha256(text.encode()).hexdigest()
        return BundleItem(item, self.groups.get(item), digest, text, reference)

    def _statuses(self, items: list[str]) -> StatusArray:
        failed = [all(one.get(i, 0.0) is None for one in self.scores.values()) for i in items]
        return np.where(failed, Status.ERROR, Status.OK).astype(np.uint8)

    def _digest(self) -> str:
        told = json.dumps(asdict(self), default=str, sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()


def require_whole_characters(text: str, what: str, place: str = "") -> None:
    """Raise `ImportFormatError` where a text holds half a character, which no file can keep."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ImportFormatError(
            f"{text!r:.60} holds half a character (a surrogate), which nothing can store. Replace "
            "it: text.encode(errors='replace').decode().",
            path=place,
            field=what,
        ) from None


def provenance_to_dict(provenance: Provenance) -> dict[str, Any]:
    """Return what is known of a run's origin as JSON-safe values."""
    told = {name: value for name, value in asdict(provenance).items() if value is not None}
    if provenance.evaluated_on is not None:
        told["evaluated_on"] = provenance.evaluated_on.isoformat()
    return told


def provenance_from_dict(told: Mapping[str, Any]) -> Provenance:
    """Return what `provenance_to_dict` was given."""
    day = told.get("evaluated_on")
    moment = None if day is None else datetime.fromisoformat(day)
    return Provenance(**{**told, "evaluated_on": moment})


def as_score(given: Any, item: str, metric: str) -> float | None:
    """Return a score as a number; ``None`` stays.

    Raises
    ------
    ImportFormatError
        It is no number, or infinite.
    """
    if given is None:
        return None
    try:
        value = math.inf if isinstance(given, str) else float(given)
    except (TypeError, ValueError, OverflowError):
        value = math.inf
    if math.isinf(value):
        raise ImportFormatError(
            f"item '{item}' has {given!r} as {metric}. Give a number, NaN where an answer was not "
            "scored, None where the system failed.",
            path=NAME,
            field="scores",
        )
    return value


def _as_float(given: Any, item: str, metric: str) -> float:
    value = as_score(given, item, metric)
    return math.nan if value is None else value
