"""Results of MTEB: one file for each task, in a folder for each model and revision.

All files of a folder are read together. A task's split and subset are a dataset of their own: what
MTEB states of each is a figure without items.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from store.errors import ImportFormatError, UnknownFormatError
from store.importers.bundle import (
    BundleDataset,
    BundleMetric,
    BundleReportedScore,
    Guess,
    ImportBundle,
    ReadOptions,
    RowProblems,
    SourceFile,
)
from store.importers.identity import identity_of
from store.importers.mteb_results import (
    MAIN_SCORE,
    Stated,
    Task,
    is_model_meta,
    is_results,
    read_task,
)
from store.importers.recipes.paths import is_plain
from store.importers.settings import Settings, load_settings
from store.importers.textfile import data_suffix, peek_json, read_json

NAME = "mteb"
DESCRIPTION = "results of MTEB: MODEL/REVISION/TASK.json and model_meta.json"
_META = "model_meta.json"
_REVISION = re.compile(r"[0-9a-f]{7,40}|no_revision_available|no_model_name_available|external")
_MAIN = BundleMetric(MAIN_SCORE, higher_is_better=True, lower=-1.0, upper=1.0)


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file holds the results of a task or describes a model."""
    if data_suffix(path) != ".json":
        return False
    try:
        content = peek_json(path)
    except ImportFormatError:
        return False
    return is_results(content) or is_model_meta(content)


def group(paths: Sequence[Path]) -> list[list[Path]]:
    """Join the files of a folder: the tasks of one model and what describes it."""
    folders: dict[Path, list[Path]] = {}
    for path in paths:
        folders.setdefault(path.parent, []).append(path)
    return list(folders.values())


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the results of one model.

    Raises
    ------
    ImportFormatError
        A file is damaged, nothing says which model it was, or a figure cannot be used and the
        import is strict.
    """
    task_paths = [path for path in paths if path.name != _META]
    if not task_paths:
        raise UnknownFormatError("describes a model and holds no results.", path=shown[paths[0]])
    first = task_paths[0]
    settings = load_settings(first, shown[first], options)
    problems = RowProblems(options.lenient)
    tasks = [read_task(path, shown[path], problems) for path in sorted(task_paths)]
    meta, meta_file = _meta(first, shown[first])
    n_stated = sum(len(task.stated) for task in tasks)
    if settings.dataset and n_stated > 1:
        raise ImportFormatError(
            f"the name '{settings.dataset}' cannot stand for {n_stated} splits and subsets.",
            path=shown[first],
            field="dataset",
        )
    system = _system(settings, meta, first)
    is_named = settings.system or meta or "__" in first.resolve().parent.parent.name
    builder = _Builder(settings, problems, system)
    for path, task in zip(sorted(task_paths), tasks, strict=True):
        builder.add(task, "/".join(path.resolve().parts[-3:]))
    skipped = problems.raise_if_any()
    if not builder.scores:
        names = sorted({name for task in tasks for one in task.stated for name in one.figures})
        hint = f" Figures found: {', '.join(names[:12])}." if names else ""
        raise ImportFormatError(
            f"no figure of the metric '{settings.metric or MAIN_SCORE}'.{hint}", path=shown[first]
        )
    mapping = settings.mapping
    files = [SourceFile(task.shown, task.sha256) for task in tasks]
    files += [file for file in (meta_file, mapping.source_file) if file]
    return ImportBundle(
        NAME,
        files,
        datasets=list(builder.datasets.values()),
        metrics=[builder.metric],
        reported_scores=builder.scores,
        overlaps=mapping.overlaps,
        identities={system: stated} if (stated := _stated(system, meta)) else {},
        aliases=mapping.aliases,
        skipped=skipped,
        understood=builder.told(tasks),
        guesses=[Guess("system", system, "the name of the folder")] if not is_named else [],
        warnings=builder.warnings(tasks),
    )


def _meta(path: Path, shown: str) -> tuple[Mapping[str, Any], SourceFile | None]:
    """Return the description of the model beside a results file, if there is one."""
    beside = path.with_name(_META)
    if not beside.is_file():
        return {}, None
    place = shown[: len(shown) - len(path.name)] + _META
    content, sha256 = read_json(beside, place)
    return (content, SourceFile(place, sha256)) if is_model_meta(content) else ({}, None)


def _system(settings: Settings, meta: Mapping[str, Any], path: Path) -> str:
    """Return the model: given, described beside the results, or after the folder."""
    if settings.system:
        return settings.canonical(settings.system)
    folder = path.resolve().parent
    model = meta.get("name") or (
        folder.parent.name.replace("__", "/", 1) if "__" in folder.parent.name else None
    )
    if model:
        has_several = sum(any(one.glob("*.json")) for one in folder.parent.iterdir()) > 1
        revision = str(meta.get("revision") or folder.name) if has_several else ""
        identity = identity_of(str(model), {"revision": revision})
        return settings.canonical(identity.name(has_several=has_several))
    guessed = _guessed(path)
    if guessed is None:
        raise ImportFormatError(
            f"nothing says which model this is: there is no {_META} beside it, and the folders are "
            "not called ORGANISATION__MODEL/REVISION or after a model. Give --system NAME.",
            path=settings.shown,
        )
    return settings.canonical(guessed)


def _guessed(path: Path) -> str | None:
    """Return what the folder is called, or the one above it where it is named after a revision."""
    own, *above = reversed(path.resolve().parent.parts[1:])
    name = above[0] if above and _REVISION.fullmatch(own) else own
    return None if is_plain(name) else name


def _stated(system: str, meta: Mapping[str, Any]) -> Mapping[str, str]:
    """Return model and revision as fields of a system."""
    model = str(meta.get("name") or system)
    return identity_of(model, {"revision": str(meta.get("revision") or "")}).stated


@dataclass(slots=True)
class _Builder:
    settings: Settings
    problems: RowProblems
    system: str
    datasets: dict[tuple[str, str], BundleDataset] = field(default_factory=dict)
    scores: list[BundleReportedScore] = field(default_factory=list)
    places: dict[int, str] = field(default_factory=dict)
    """Number of a dataset -> the file that states its figure."""
    absent: list[str] = field(default_factory=list)
    in_percent: list[str] = field(default_factory=list)

    @property
    def metric(self) -> BundleMetric:
        """The one metric that is read."""
        name = self.settings.metric
        if name in (None, MAIN_SCORE):
            return _MAIN
        aggregation = self.settings.note_of(name).aggregation or "mean"
        return self.settings.metric_of(name, aggregation, is_percent=False, is_only=True)

    def add(self, task: Task, source: str) -> None:
        """Add the figures of one task."""
        name = self.settings.metric or MAIN_SCORE
        found = [stated.figures.get(name) or 0.0 for stated in task.stated]
        is_percent = name == MAIN_SCORE and max(found, default=0.0) > 1
        if is_percent:
            self.in_percent.append(task.name)
        for stated in task.stated:
            value = stated.figures.get(name)
            place = "/".join((stated.split, stated.subset))
            if value is None or math.isnan(value):
                self.absent.append(f"{task.name}/{place}")
                continue
            printed = repr(value)
            value = value / 100 if is_percent else value
            lower, upper = self.settings.bounds_of(self.metric)
            if (lower is not None and value < lower) or (upper is not None and value > upper):
                reason = f"{value:g} is outside {lower:g}..{upper:g}."
                self.problems.report(task.shown, None, place, reason)
                continue
            dataset = self._dataset(task, stated)
            if dataset in self.places:
                reason = f"{self.places[dataset]} states the same figure."
                self.problems.report(task.shown, None, place, reason)
                continue
            self.places[dataset] = task.shown
            self.scores.append(
                BundleReportedScore(
                    self.system,
                    dataset,
                    0,
                    value,
                    reported_on=self.settings.reported_on,
                    source=self.settings.mapping.source or source,
                    source_url=self.settings.mapping.source_url,
                    printed=printed,
                )
            )

    def _dataset(self, task: Task, stated: Stated) -> int:
        """Return the index of the dataset: task, split and, unless it is the only one, subset."""
        subset = [] if stated.subset == "default" else [stated.subset]
        name = self.settings.dataset or "/".join([task.name, stated.split, *subset])
        made = self.settings.dataset_of(name, version=task.revision[:8])
        if made.language is None and stated.languages:
            made = replace(made, language=", ".join(stated.languages))
        key = (made.name, made.version)
        self.datasets.setdefault(key, made)
        return list(self.datasets).index(key)

    def told(self, tasks: Sequence[Task]) -> list[str]:
        """Return what was made of the files."""
        versions = ", ".join(sorted({task.mteb_version for task in tasks if task.mteb_version}))
        told = [
            f"Model '{self.system}', mteb {versions or 'of a version that is not stated'}.",
            "Each split and subset of a task is a dataset, its version the revision of the data.",
        ]
        chosen: dict[str, list[str]] = {}
        for task in tasks:
            for stated in task.stated:
                if stated.main_from and not self.settings.metric:
                    chosen.setdefault(stated.main_from, []).append(task.name)
        for name, names in chosen.items():
            listed = ", ".join(dict.fromkeys(names))
            told.append(f"The old layout states no main score; {name} is taken for {listed}.")
        if self.in_percent:
            listed = ", ".join(self.in_percent)
            told.append(f"Scores above 1 are percent, and divided by 100: {listed}.")
        return told

    def warnings(self, tasks: Sequence[Task]) -> list[str]:
        """Return what could not be read."""
        name = self.settings.metric or MAIN_SCORE
        found = [f"No '{name}': {', '.join(self.absent)}."] if self.absent else []
        empty = [task.name for task in tasks if not task.stated]
        return found + ([f"No figures at all: {', '.join(empty)}."] if empty else [])
