"""From gold and outputs to a bundle: one dataset, a run for each system, the metrics computed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from store.errors import ImportFormatError
from store.importers.bundle import (
    BundleItem,
    BundleRun,
    Guess,
    ImportBundle,
    LeftOut,
    SourceFile,
)
from store.importers.problems import SkippedRow
from store.importers.scorers.metric import Outputs, References
from store.importers.scorers.scoring import Choice, Scoring
from store.importers.settings import Settings

RUN_LABEL = "scored at import"


@dataclass(frozen=True, slots=True)
class Gold:
    """The items of a dataset and what is right for each."""

    keys: Sequence[str]
    references: References
    inputs: Sequence[str] | None = None
    groups: Sequence[str] | None = None
    language: str = ""
    task: str | None = None
    metadata: Sequence[dict[str, Any]] | None = None


@dataclass(slots=True)
class Scored:
    """A bundle in the making."""

    format: str
    settings: Settings
    """Of the gold."""
    dataset: str
    gold: Gold
    choice: Choice
    files: list[SourceFile]
    guesses: list[Guess] = field(default_factory=list)
    understood: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    skipped: list[SkippedRow] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    _runs: list[BundleRun] = field(default_factory=list)
    _scoring: Scoring | None = None

    def add(self, system: str, outputs: Outputs, own: Settings, sha256: str) -> None:
        """Add what a system gave, in the order of the items.

        Raises
        ------
        ImportFormatError
            Another file is the same system, or a library that scores is missing.
        """
        system = own.canonical(own.system or system)
        label = own.run_label or ""
        if any((run.system, run.label) == (system, label) for run in self._runs):
            reason = f"another file is the system '{system}' too. Import them one by one, with "
            raise ImportFormatError(reason + "--system NAME.", path=own.shown, field="system")
        if self._scoring is None:
            self._scoring = self._prepared()
        with_text = self.settings.options.with_text
        provenance = own.provenance
        self._runs.append(
            BundleRun(
                system,
                0,
                label,
                self._scoring.scores(outputs),
                outputs={0: list(outputs)} if with_text else {},
                provenance=replace(
                    provenance,
                    packages={**(provenance.packages or {}), **self._scoring.packages} or None,
                    config={**(provenance.config or {}), "scores": RUN_LABEL},
                ),
            )
        )
        self.files.extend(own.files(sha256))

    def _prepared(self) -> Scoring:
        """Return the metrics; an error of theirs names the gold file."""
        try:
            return Scoring(self.choice.names, self.gold.references, self.gold.language)
        except ImportFormatError as error:
            raise type(error)(error.reason, path=error.path or self.settings.shown) from None

    def bundle(self) -> ImportBundle:
        """Return everything as a bundle."""
        if self._scoring is None:
            reason = "no file of outputs lines up with the gold."
            raise ImportFormatError(reason, path=self.settings.shown)
        mapping = self.settings.mapping
        made = self.settings.dataset_of(self.dataset, self._items())
        told = [
            f"Scored here: {', '.join(metric.name for metric in self._scoring.metrics)} "
            f"({self.choice.because}).",
        ]
        return ImportBundle(
            self.format,
            list(dict.fromkeys(self.files)),
            [
                replace(
                    made,
                    task=made.task or self.gold.task,
                    language=made.language or self.gold.language or None,
                )
            ],
            self._scoring.metrics,
            self._runs,
            overlaps=mapping.overlaps,
            aliases=mapping.aliases,
            skipped=self.skipped,
            understood=told + self.understood,
            warnings=self.warnings,
            guesses=[*self.guesses, *self.choice.guesses],
            left_out=self.left_out,
        )

    def _items(self) -> tuple[BundleItem, ...]:
        gold, with_text = self.gold, self.settings.options.with_text
        items = []
        for i, key in enumerate(gold.keys):
            shown = gold.inputs[i] if gold.inputs else "\n".join(gold.references[i])
            items.append(
                BundleItem(
                    key,
                    group=gold.groups[i] if gold.groups else None,
                    content_hash=hashlib.sha256(shown.encode()).hexdigest(),
                    input_text=gold.inputs[i] if gold.inputs and with_text else None,
                    reference_text=gold.references[i][0] if with_text else None,
                    metadata=gold.metadata[i] if gold.metadata else None,
                )
            )
        return tuple(items)
