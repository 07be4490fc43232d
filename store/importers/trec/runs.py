"""Runs of retrieval beside judgments of relevance, scored topic by topic as trec_eval does."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from store.errors import ImportFormatError, NoResultsError
from store.importers.bundle import (
    BundleItem,
    BundleMetric,
    BundleRun,
    BundleScores,
    Guess,
    ImportBundle,
    LeftOut,
    ReadOptions,
    SourceFile,
)
from store.importers.settings import load_settings
from store.importers.trec.lines import Run, kind_of, read_qrels, read_run
from store.importers.trec.measures import MEASURES, measured
from store.importers.trec.names import dataset_of_qrels, systems_of

NAME = "trec"
DESCRIPTION = "runs of retrieval as TREC takes them, beside judgments of relevance (qrels)"
_NO_TOPIC = "no topic of it is judged in any file of judgments beside it"


class _Qrels(NamedTuple):
    path: Path
    relevance: Mapping[str, Mapping[str, int]]
    sha256: str


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file is a run or judgments of relevance."""
    return kind_of(path) in ("run", "qrels")


def group(paths: Sequence[Path]) -> list[list[Path]]:
    """Put all runs and judgments together: judgments may lie in a folder of their own."""
    return [list(paths)] if paths else []


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Score each run by the judgments that have most of its topics.

    Raises
    ------
    ImportFormatError
        Runs lie there without judgments, or a line cannot be read.
    NoResultsError
        Judgments lie there without runs.
    """
    of_runs = [path for path in paths if kind_of(path) == "run"]
    others = [path for path in paths if path not in of_runs]
    if not of_runs:
        reason = "judgments of relevance (qrels), without runs to score."
        raise NoResultsError(reason, path=shown[others[0]])
    if not others:
        reason = "a run of retrieval, and no judgments of relevance (qrels). Put them beside it."
        raise ImportFormatError(reason, path=shown[of_runs[0]])
    judged = [_Qrels(path, *read_qrels(path, shown[path])) for path in others]
    runs = [read_run(path, shown[path]) for path in of_runs]
    systems = systems_of(of_runs, [run.tag for run in runs])
    names = [dataset_of_qrels(qrels.path) for qrels in judged]
    bundle = _Bundle(options, shown)
    for path, run, system in zip(of_runs, runs, systems, strict=True):
        place = _best(judged, run, path)
        if place is None:
            bundle.left_out.append(LeftOut(shown[path], _NO_TOPIC))
        else:
            bundle.add(path, run, system, judged[place], names[place])
    if not bundle.runs:
        raise ImportFormatError(f"{_NO_TOPIC}.", path=shown[of_runs[0]])
    used = {path for path, _ in bundle.datasets}
    bundle.left_out += [
        LeftOut(shown[qrels.path], "other judgments have as many topics of the runs")
        for qrels in judged
        if qrels.path not in used
    ]
    return bundle.made()


def _best(judged: Sequence[_Qrels], run: Run, path: Path) -> int | None:
    """Return the judgments with most topics of a run, then documents, then parts of its name."""
    parts = set(re.findall(r"[^\W_]+", path.name))
    documents = {topic: set(ranked) for topic, ranked in run.ranked.items()}

    def shared(place: int) -> tuple[int, int, int, int]:
        relevance = judged[place].relevance
        topics = [topic for topic in run.ranked if topic in relevance]
        known = sum(len(documents[topic] & relevance[topic].keys()) for topic in topics)
        name = judged[place].path.name
        alike = len(parts & set(re.findall(r"[^\W_]+", name)))
        return len(topics), known, alike, -len(name)

    best = max(range(len(judged)), key=shared)
    return best if shared(best)[0] else None


class _Bundle:
    """A bundle in the making."""

    def __init__(self, options: ReadOptions, shown: Mapping[Path, str]) -> None:
        self._options = options
        self._shown = shown
        self.datasets: dict[tuple[Path, str], int] = {}
        """Judgments and name -> index."""
        self._items: list[list[str]] = []
        self._made: list[ImportBundle] = []
        self._files: dict[SourceFile, None] = {}
        self.runs: list[BundleRun] = []
        self.left_out: list[LeftOut] = []
        self._guesses: dict[Guess, None] = {}
        self._guessed: list[str] = []
        self._told: list[str] = []

    def add(self, path: Path, run: Run, system: str, qrels: _Qrels, name: str) -> None:
        """Add a run with its scores on the topics of its judgments."""
        settings = load_settings(path, self._shown[path], self._options)
        of_qrels = load_settings(qrels.path, self._shown[qrels.path], self._options)
        name = settings.dataset or of_qrels.dataset or name
        self._files |= dict.fromkeys(of_qrels.files(qrels.sha256))
        place = self.datasets.setdefault((qrels.path, name), len(self.datasets))
        if place == len(self._items):
            self._items.append(list(qrels.relevance))
        topics = self._items[place]
        values = np.full((len(MEASURES), len(topics), 1), np.nan)
        for number, topic in enumerate(topics):
            if topic in run.ranked:
                found = measured(run.ranked[topic], qrels.relevance[topic])
                values[:, number, 0] = [found[measure] for measure in MEASURES]
        own = settings.canonical(settings.system or system)
        scores = [BundleScores(number, values[number]) for number in range(len(MEASURES))]
        self.runs.append(
            BundleRun(own, place, settings.run_label or "", scores, provenance=settings.provenance)
        )
        self._files |= dict.fromkeys(settings.files(run.sha256))
        if settings.system is None:
            self._guessed.append(own)
        if settings.dataset is None and of_qrels.dataset is None:
            because = f"the judgments in {self._shown[qrels.path]}"
            self._guesses[Guess("dataset", name, because)] = None
        strangers = [topic for topic in run.ranked if topic not in qrels.relevance]
        if strangers:
            told = f"{self._shown[path]}: {len(strangers)} topics are not judged, and are no items."
            self._told.append(told)

    def made(self) -> ImportBundle:
        """Return everything as a bundle."""
        settings = load_settings(next(iter(self.datasets))[0], "", self._options)
        datasets = [
            settings.dataset_of(name, tuple(map(BundleItem, self._items[number])))
            for (_, name), number in self.datasets.items()
        ]
        metrics = [
            BundleMetric(measure, higher_is_better=True, lower=0.0, upper=1.0)
            for measure in MEASURES
        ]
        guesses = list(self._guesses)
        if self._guessed:
            names = ", ".join(self._guessed[:8])
            guesses.append(Guess("systems", names, "the names of the runs, or of their files"))
        scored = f"Scored here as trec_eval does: {', '.join(MEASURES)}; a topic is an item."
        return ImportBundle(
            NAME,
            list(self._files),
            [replace(dataset, task="retrieval") for dataset in datasets],
            metrics,
            self.runs,
            understood=[scored, *self._told],
            guesses=guesses,
            left_out=self.left_out,
        )
