"""Texts and system scores of WMT's news task, as the organisers put them into one folder.

``txt/sources``, ``txt/references`` and ``txt/system-outputs`` hold a segment in each line, in files
called TESTSET.PAIR.src|ref|hyp….LANGUAGE, since 2024 PAIR.txt, PAIR.REFERENCE.txt and
PAIR/SYSTEM.txt; ``scores/METRIC/PAIR/METRIC_TESTSET_REFERENCE.tsv`` a
score for each system. The lines are the items of the dataset.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from store.errors import ImportFormatError
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleReportedScore,
    BundleRun,
    ImportBundle,
    ReadOptions,
    RowProblems,
    SourceFile,
    Status,
)
from store.importers.first_line import first_line
from store.importers.mt_metrics_eval.files import read_lines, read_scores
from store.importers.scorers.libraries import MissingLibraryError
from store.importers.scorers.scoring import Choice, Scoring, chosen
from store.importers.settings import Settings, load_settings
from store.importers.textfile import read_text
from store.importers.wmt.names import LANGUAGE_PAIR, told_people

NAME = "wmt_news"
DESCRIPTION = "WMT news task: sources, references, system-outputs, METRIC_TESTSET_ref.tsv"
RUN_LABEL = "submission"
Role = Literal["src", "ref", "hyp", "scores"]
_FOLDERS: Mapping[str, str] = {"sources": "src", "references": "ref", "system-outputs": "hyp"}
_TEXT = re.compile(
    r"(?P<test_set>[^.]+)\.(?P<pair>[^.]+)\.(?P<role>src|ref|hyp)(?:\.(?P<name>.+))?\.[a-z]{2,3}"
)
_SINCE_2024: Mapping[Role, re.Pattern[str]] = {
    "src": re.compile(r"sources/(?P<pair>[^/.]+)(?P<name>)\.txt"),
    "ref": re.compile(r"references/(?P<pair>[^/.]+)\.(?P<name>[^/.]+)\.txt"),
    "hyp": re.compile(r"system-outputs/(?P<pair>[^/.]+)/(?P<name>[^/]+)\.txt"),
}
_USUAL = Choice(("chrf", "bleu"), "translations of a language pair")
_SCORES = re.compile(r"(?P<metric>.+)_(?P<test_set>[^_]+)_(?P<reference>[^_]+)\.tsv")


class Place(NamedTuple):
    """What a file holds, by its folder and name."""

    test_set: str
    pair: str
    role: Role
    name: str
    """Of the system, reference or metric."""
    reference: str = ""
    """That the metric used."""


def place_of(path: Path) -> Place | None:
    """Return what a file holds; ``None`` when it is no part of such a folder."""
    text = _TEXT.fullmatch(path.name)
    if text and _lies_right(path, text["role"]):
        if not LANGUAGE_PAIR.fullmatch(text["pair"]):
            return None
        role: Role = "src"
        role = "ref" if text["role"] == "ref" else "hyp" if text["role"] == "hyp" else role
        test_set = text["test_set"] + _with_suites(_folder_of_role(path).parent)
        return Place(test_set, text["pair"], role, text["name"] or "")
    for role, pattern in _SINCE_2024.items():
        below = path.parts[-3:] if role == "hyp" else path.parts[-2:]
        found = pattern.fullmatch("/".join(below))
        if found and LANGUAGE_PAIR.fullmatch(found["pair"]):
            root = path.parents[len(below) - 1]
            if not (root / "references").is_dir():
                return None
            name = root.parent.name if root.name.startswith("txt") else root.name
            return Place(name + _with_suites(root), found["pair"], role, found["name"])
    scores = _SCORES.fullmatch(path.name)
    folders = [folder.name for folder in path.parents]
    if scores and folders[1:2] == [scores["metric"]] and LANGUAGE_PAIR.fullmatch(folders[0]):
        reference = scores["reference"]
        return Place(scores["test_set"], folders[0], "scores", scores["metric"], reference)
    return None


def _folder_of_role(path: Path) -> Path:
    """Return the folder that says what a file is; one of the test set may lie between."""
    return path.parent if path.parent.name in _FOLDERS else path.parent.parent


def _lies_right(path: Path, role: str) -> bool:
    """Return whether a file lies in the folder of its role; references stand among outputs too."""
    of_folder = _FOLDERS.get(_folder_of_role(path).name)
    return of_folder == role or (of_folder == "hyp" and role == "ref")


def _with_suites(folder: Path) -> str:
    """Return what tells the texts with test suites from those without, where both are there."""
    return (
        " with test suites" if folder.name == "txt-ts" and (folder.parent / "txt").is_dir() else ""
    )


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file lies and is called as the organisers have it; texts bear no sign."""
    place = place_of(path.resolve())
    if place is None or place.role != "scores":
        return place is not None
    problems = RowProblems(lenient=True)
    return bool(read_scores(first_line(path), path.name, "sys", problems).scores)


def group(paths: Sequence[Path]) -> list[list[Path]]:
    """Put the files of a test set and language pair together."""
    groups: dict[tuple[str, str], list[Path]] = {}
    for path in paths:
        place = place_of(path.resolve())
        key = (place.test_set, place.pair) if place else (str(path), "")
        groups.setdefault(key, []).append(path)
    return list(groups.values())


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read texts and system scores of one language pair.

    Raises
    ------
    ImportFormatError
        The texts do not have the same number of lines, or a score cannot be used and the import is
        strict.
    """
    settings = load_settings(paths[0], shown[paths[0]], options)
    builder = _Builder(settings, RowProblems(options.lenient))
    if options.gold is not None:
        builder.add_gold(options.gold)
    for path in paths:
        place = place_of(path.resolve())
        if place is None:
            raise ImportFormatError(
                "the name of the file does not say what it holds, as "
                "txt/system-outputs/newstest2021.de-en.hyp.NAME.en does.",
                path=shown[path],
            )
        text, sha256 = read_text(path, shown[path])
        builder.files.append(SourceFile(shown[path], sha256))
        if builder.gold is None or place.role != "ref":
            builder.add(place, text, shown[path])
    return builder.bundle()


@dataclass(slots=True)
class _Builder:
    settings: Settings
    problems: RowProblems
    files: list[SourceFile] = field(default_factory=list)
    name: str = ""
    pair: str = ""
    sources: list[str] = field(default_factory=list)
    references: dict[str, list[str]] = field(default_factory=dict)
    outputs: dict[str, list[str]] = field(default_factory=dict)
    n_lines: int | None = None
    counted: str = ""
    """File that had that many lines."""
    gold: Path | None = None
    """The only reference that counts, where one is named."""
    metrics: list[BundleMetric] = field(default_factory=list)
    reported: list[BundleReportedScore] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    choice: Choice | None = None
    """Metrics by which the translations are scored."""

    def add(self, place: Place, text: str, shown: str) -> None:
        """Add a file."""
        self.pair = place.pair
        self.name = self.settings.dataset or f"{place.test_set} {place.pair}"
        if place.role == "scores":
            self._add_scores(place, text, shown)
            return
        lines = read_lines(text)
        if self.n_lines is None:
            self.n_lines, self.counted = len(lines), shown
        if len(lines) != self.n_lines:
            raise ImportFormatError(
                f"{len(lines):,} lines here, {self.n_lines:,} in {self.counted}. The texts of a "
                "language pair must line up.",
                path=shown,
            )
        if place.role == "src":
            self.sources = lines
        else:
            (self.references if place.role == "ref" else self.outputs)[place.name] = lines

    def add_gold(self, path: Path) -> None:
        """Take one reference alone."""
        place = place_of(path.resolve())
        text, sha256 = read_text(path, path.as_posix())
        self.gold = path
        self.references[place.name if place else path.name] = read_lines(text)
        self.n_lines, self.counted = len(read_lines(text)), path.as_posix()
        self.files.append(SourceFile(path.as_posix(), sha256))

    def _add_scores(self, place: Place, text: str, shown: str) -> None:
        """Add the scores of the systems on a metric, by the reference that it used."""
        made = self.settings.metric_of(place.name, "mean", is_percent=False, is_only=True)
        metric = replace(made, signature=made.signature or place.reference)
        if metric not in self.metrics:
            self.metrics.append(metric)
        mapping = self.settings.mapping
        for (_, system), values in read_scores(text, shown, "sys", self.problems).scores.items():
            if len(values) > 1:
                reason = f"{len(values)} scores of '{system}'."
                self.problems.report(shown, None, None, reason)
            self.reported += [
                BundleReportedScore(
                    self.settings.canonical(system),
                    0,
                    self.metrics.index(metric),
                    value,
                    reported_on=self.settings.reported_on,
                    source=mapping.source or shown.rpartition("/")[2],
                    source_url=mapping.source_url,
                    printed=repr(value),
                )
                for value in values[:1]
                if np.isfinite(value)
            ]

    def bundle(self) -> ImportBundle:
        """Return everything as a bundle."""
        mapping = self.settings.mapping
        skipped = self.problems.raise_if_any()
        made = self.settings.dataset_of(self.name, self._items())
        dataset: BundleDataset = replace(
            made,
            language=made.language or self.pair,
            task=made.task or "machine translation",
        )
        scoring = self._scoring()
        runs = self._runs(scoring) if self.settings.options.with_text or scoring else []
        return ImportBundle(
            NAME,
            [*self.files, *([mapping.source_file] if mapping.source_file else [])],
            [dataset],
            [*self.metrics, *(scoring.metrics if scoring else [])],
            runs,
            [replace(one, n_items=self.n_lines) for one in self.reported],
            overlaps=mapping.overlaps,
            aliases=mapping.aliases,
            skipped=skipped,
            understood=self._told(scoring),
            warnings=self.warnings,
            guesses=self.choice.guesses if scoring and self.choice else [],
        )

    def _scoring(self) -> Scoring | None:
        """Return the metrics on the references; ``None`` without outputs or a library for them."""
        if not self.outputs or not self.references:
            return None
        named = self.settings.options.score
        self.choice = chosen(named, _USUAL, self.settings.shown)
        named_texts = [self.references[name] for name in sorted(self.references)]
        references = list(zip(*named_texts, strict=True))
        try:
            return Scoring(self.choice.names, references, self.pair.rpartition("-")[2])
        except MissingLibraryError as error:
            if named:
                raise
            self.warnings.append(f"The translations are not scored: {error.reason}")
            return None

    def _items(self) -> tuple[BundleItem, ...]:
        """Return a segment for each line, known by its number."""
        with_text = self.settings.options.with_text
        reference = min(self.references) if self.references else None
        return tuple(
            BundleItem(
                str(i + 1),
                content_hash=(
                    hashlib.sha256(self.sources[i].encode()).hexdigest() if self.sources else None
                ),
                input_text=self.sources[i] if self.sources and with_text else None,
                reference_text=self.references[reference][i] if reference and with_text else None,
            )
            for i in range(self.n_lines or 0)
        )

    def _runs(self, scoring: Scoring | None) -> list[BundleRun]:
        """Return a run for each system, with its translations and their scores."""
        with_text = self.settings.options.with_text
        provenance = self.settings.provenance
        if scoring:
            packages = {**(provenance.packages or {}), **scoring.packages}
            provenance = replace(provenance, packages=packages)
        return [
            BundleRun(
                self.settings.canonical(system),
                0,
                self.settings.run_label or RUN_LABEL,
                scoring.scores(lines, len(self.metrics)) if scoring else [],
                statuses={0: np.full(len(lines), Status.OK, np.uint8)},
                outputs={0: lines} if with_text else {},
                provenance=provenance,
            )
            for system, lines in self.outputs.items()
        ]

    def _told(self, scoring: Scoring | None) -> list[str]:
        told = []
        if self.n_lines is not None:
            told.append(f"{self.n_lines:,} segments, known by the number of their line.")
        if scoring:
            names = ", ".join(metric.name for metric in scoring.metrics)
            by = ", ".join(sorted(self.references)) or "the reference"
            together = " together; --gold FILE takes one alone" if len(self.references) > 1 else ""
            told.append(
                f"Translations of {len(self.outputs)} systems, scored here by {names} against "
                f"{by}{together}."
            )
        elif self.outputs and self.settings.options.with_text:
            told.append(f"Translations of {len(self.outputs)} systems, without scores.")
        if self.outputs and not self.settings.options.with_text:
            told.append(
                f"Translations of {len(self.outputs)} systems are not kept; --with-text keeps them."
            )
        if self.reported:
            names = ", ".join(f"{one.name} [{one.signature}]" for one in self.metrics)
            told.append(f"{len(self.reported)} scores of systems as a whole: {names}.")
        systems = dict.fromkeys([*self.outputs, *(one.system for one in self.reported)])
        return told + told_people(systems)
