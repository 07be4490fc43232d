"""What an import is going to do, file by file, as a plain object."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import zip_longest
from typing import Any, Literal

import numpy as np

from store.importers.bundle import BundleRun, Guess, ImportBundle, Question
from store.importers.detect import LeftOutFile
from store.importers.named_items import told_of

State = Literal["certain", "guessed", "asks", "left out"]


@dataclass(frozen=True, slots=True)
class PlannedDataset:
    """A dataset that an entry brings scores, figures or judgments of."""

    name: str
    version: str
    n_items: int
    n_known: int | None = None
    """Of them in the store already; ``None``: it has no items of the dataset."""


@dataclass(frozen=True, slots=True)
class PlannedMetric:
    """A metric of an entry, with the range of what it brings."""

    name: str
    higher_is_better: bool | None
    unit: str
    lowest: float | None
    highest: float | None


@dataclass(frozen=True, slots=True)
class PlanEntry:
    """What becomes of a file, or of files that belong together."""

    files: Sequence[str]
    state: State
    read_as: str = ""
    systems: Sequence[str] = ()
    datasets: Sequence[PlannedDataset] = ()
    metrics: Sequence[PlannedMetric] = ()
    n_runs: int = 0
    n_scores: int = 0
    n_figures: int = 0
    """Stated aggregates."""
    n_judgments: int = 0
    text_bytes: int = 0
    """Texts of items and outputs that are kept, in characters."""
    reason: str = ""
    """Why it is left out, or why only a part of it goes in."""
    is_fault: bool = False
    """Whether it is left out although it seems to hold results."""
    understood: Sequence[str] = ()
    guesses: Sequence[Guess] = ()
    questions: Sequence[Question] = ()
    """What nobody has answered; what depends on it stays out unless guesses are taken."""
    answered: Mapping[str, str] = field(default_factory=dict)
    """Answers that were used, by subject."""
    said: Mapping[str, str] = field(default_factory=dict)
    """What flags say of columns, by subject: kept as answers once it has gone in."""


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """All entries of an import, in the order of their files."""

    entries: Sequence[PlanEntry]

    @property
    def is_whole(self) -> bool:
        """Whether all goes in but files that hold no results."""
        return not any(
            one.state == "asks" or one.is_fault or (one.reason and one.state != "left out")
            for one in self.entries
        )

    @property
    def questions(self) -> list[tuple[PlanEntry, Question]]:
        """Every question with its entry."""
        return [(entry, question) for entry in self.entries for question in entry.questions]

    @property
    def answers(self) -> dict[str, str]:
        """What a person said that is to be remembered, by subject."""
        went_in = [one for one in self.entries if one.state != "left out"]
        return {k: v for one in went_in for k, v in {**one.answered, **one.said}.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as JSON-safe values."""
        return {"is_whole": self.is_whole, "entries": [asdict(entry) for entry in self.entries]}


def entry_of(
    bundle: ImportBundle,
    asked: Sequence[Question] = (),
    answered: Mapping[str, str] | None = None,
    n_known: Sequence[int | None] = (),
) -> PlanEntry:
    """Return the entry of a bundle as it goes in.

    `asked` are the questions that stay open, `n_known` the known items of each dataset.
    """
    return PlanEntry(
        [file.path for file in bundle.files],
        "asks" if asked else "guessed" if bundle.guesses else "certain",
        bundle.format,
        systems_of(bundle),
        [
            PlannedDataset(one.name, one.version, len(one.items), known)
            for one, known in zip_longest(bundle.datasets, n_known)
        ],
        [_metric(bundle, number) for number in range(len(bundle.metrics))],
        len(bundle.runs),
        sum(_n_scored(one.values) for run in bundle.runs for one in run.scores),
        len(bundle.reported_scores) + len(bundle.reported_comparisons),
        len(bundle.ratings) + len(bundle.preferences),
        _text_bytes(bundle),
        understood=list(bundle.understood),
        guesses=list(bundle.guesses),
        questions=list(asked),
        answered=dict(answered or {}),
        said=dict(bundle.said),
    )


def systems_of(bundle: ImportBundle) -> Sequence[str]:
    """Return the names of all systems that a bundle brings something of, in order."""
    found = dict.fromkeys(run.system for run in bundle.runs)
    found |= dict.fromkeys(figure.system for figure in bundle.reported_scores)
    for pair in bundle.reported_comparisons:
        found |= {pair.system_a: None, pair.system_b: None}
    found |= dict.fromkeys(one.system for one in bundle.ratings if one.system is not None)
    for choice in bundle.preferences:
        found |= {choice.first: None, choice.second: None}
    return list(found)


def entry_without(files: Sequence[str], error: str, read_as: str = "") -> PlanEntry:
    """Return the entry of files that seem to hold results and cannot go in."""
    return PlanEntry(files, "left out", read_as, reason=error, is_fault=True)


def entries_left_out(files: Iterable[LeftOutFile]) -> list[PlanEntry]:
    """Return the entries of files that nothing was read from."""
    found = []
    for one in files:
        place = f"line {one.line}: " if one.line is not None else ""
        named = f"field '{one.field}': " if one.field is not None else ""
        reason = f"{place}{named}{one.reason}"
        found.append(PlanEntry([one.path], "left out", reason=reason, is_fault=one.is_fault))
    return found


def without_metrics(bundle: ImportBundle, unwanted: Iterable[int]) -> ImportBundle:
    """Return a bundle without some of its metrics, and without runs that only these scored."""
    out = set(unwanted)
    kept = [number for number in range(len(bundle.metrics)) if number not in out]
    place = {number: i for i, number in enumerate(kept)}
    runs: list[BundleRun] = []
    run_place: dict[int, int] = {}
    for number, run in enumerate(bundle.runs):
        scores = [
            replace(one, metric=place[one.metric]) for one in run.scores if one.metric in place
        ]
        if scores or not run.scores:
            run_place[number] = len(runs)
            runs.append(replace(run, scores=scores))
    return replace(
        bundle,
        metrics=[bundle.metrics[number] for number in kept],
        runs=runs,
        reported_scores=[
            replace(
                one,
                metric=place[one.metric],
                run=None if one.run is None else run_place.get(one.run),
            )
            for one in bundle.reported_scores
            if one.metric in place
        ],
        reported_comparisons=[
            replace(one, metric=place[one.metric])
            for one in bundle.reported_comparisons
            if one.metric in place
        ],
    )


def _metric(bundle: ImportBundle, number: int) -> PlannedMetric:
    wanted = bundle.metrics[number]
    lows, highs = [], []
    for run in bundle.runs:
        for one in run.scores:
            if one.metric == number and one.values.shape[1] == 1 and _n_scored(one.values):
                lows.append(float(np.nanmin(one.values)))
                highs.append(float(np.nanmax(one.values)))
    figures = [one.value for one in bundle.reported_scores if one.metric == number]
    lows += figures
    highs += figures
    return PlannedMetric(
        f"{wanted.name} [{wanted.signature}]" if wanted.signature else wanted.name,
        wanted.higher_is_better,
        wanted.unit,
        min(lows, default=None),
        max(highs, default=None),
    )


def _n_scored(values: Any) -> int:
    return int((~np.isnan(values).all(axis=1)).sum())


def _text_bytes(bundle: ImportBundle) -> int:
    n_bytes = 0
    for dataset in bundle.datasets:
        for item in told_of(dataset.items):
            n_bytes += len(item.input_text or "") + len(item.reference_text or "")
    for run in bundle.runs:
        for texts in run.outputs.values():
            n_bytes += sum(len(text) for text in texts if text is not None)
    return n_bytes


def shown_range(metric: PlannedMetric) -> str:
    """Return name, direction and range of a metric in few words: ``acc ↑ 0 to 1``."""
    mark = {True: " ↑", False: " ↓", None: " ?"}[metric.higher_is_better]
    if metric.lowest is None or metric.highest is None or math.isnan(metric.lowest):
        return metric.name + mark
    return f"{metric.name}{mark} {metric.lowest:.4g} to {metric.highest:.4g}"


def shown_items(datasets: Sequence[PlannedDataset]) -> str:
    """Return how many items an entry has, and of known datasets how many of them are known."""
    n_items = sum(one.n_items for one in datasets)
    known = [one.n_known for one in datasets if one.n_known is not None]
    if known:
        return f"{sum(known):,} of {n_items:,} items known"
    return f"{n_items:,} items" if n_items else ""
