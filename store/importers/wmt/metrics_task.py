"""Scores as they are submitted to WMT's metrics task, and the human ones beside them.

Files of systems state figures without items; those of segments have a run for each system. What a
line holds is in `metrics_lines`. Scores of documents follow from those of segments.
``DA-syslevel.csv`` has the mean standardised Direct Assessment of each system, by language pair and
without a test set.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from store.errors import ImportFormatError, NoResultsError
from store.importers.bundle import (
    BundleDataset,
    BundleMetric,
    BundleReportedScore,
    BundleRun,
    ImportBundle,
    LeftOut,
    MetricSource,
    ReadOptions,
    RowProblems,
    SourceFile,
)
from store.importers.cells import no_number
from store.importers.first_line import first_line
from store.importers.settings import Settings, load_settings
from store.importers.textfile import data_suffix, read_text
from store.importers.wmt.directions import Directions, find_directions
from store.importers.wmt.metrics_lines import (
    Layout,
    cells_of,
    layout_of,
    number_of,
    reference_of,
)
from store.importers.wmt.metrics_segments import SegmentScores, told_segments
from store.importers.wmt.names import LANGUAGE_PAIR, told_people
from store.importers.wmt.options import known_choices

NAME = "wmt_metrics"
DESCRIPTION = "WMT metrics task: METRIC.sys.score, METRIC.seg.score and DA-syslevel.csv"
HUMAN_METRIC = "DA z"
_HUMAN_HEADER = ("LP", "HUMAN", "SYSTEM")
_OLDEST = ("METRIC", "LP", "TESTSET", "SYSTEM", "SCORE")
_OF_DOCUMENTS = "scores of documents, which follow from those of segments."


class _Line(NamedTuple):
    """One score."""

    path: Path
    line: int
    metric: str
    pair: str
    test_set: str | None
    system: str
    value: float
    printed: str
    reference: str = ""
    """The set of references, where it is not the usual one of the test set."""


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether the first line is one of a score file, or the header of the human scores."""
    if data_suffix(path) in (".json", ".jsonl", ".parquet"):
        return False
    first = first_line(path)
    return _is_human(first) or layout_of(first, path.name) is not None


def group(paths: Sequence[Path]) -> list[list[Path]]:
    """Put human scores together with all score files below their folder."""
    human = {path.parent for path in paths if _is_human(first_line(path))}
    groups: dict[Path, list[Path]] = {}
    for path in paths:
        above = [folder for folder in path.parents if folder in human]
        groups.setdefault(above[0] if above else path.parent, []).append(path)
    return list(groups.values())


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read score files and human scores of one test set, over all its language pairs.

    Raises
    ------
    ImportFormatError
        A line cannot be used and the import is strict, the scores are of segments, or nothing says
        which test set the human scores are of.
    """
    problems = RowProblems(options.lenient)
    settings = load_settings(paths[0], shown[paths[0]], options)
    chosen = known_choices(options, {"testset": None}, NAME, settings.shown)
    test_set = chosen.get("testset")
    lines: list[_Line] = []
    files: list[SourceFile] = []
    documents: list[LeftOut] = []
    references: dict[str, str] = {}
    segments = SegmentScores(problems, references)
    for path in paths:
        text, sha256 = read_text(path, shown[path])
        layout = layout_of(text.lstrip().partition("\n")[0], path.name)
        if layout is not None and layout.level == "documents":
            documents.append(LeftOut(shown[path], _OF_DOCUMENTS))
            continue
        files.append(SourceFile(shown[path], sha256))
        if layout is not None and layout.level == "segments":
            segments.read(text, layout, shown[path], test_set)
        else:
            lines += _read_lines(text, path, shown[path], problems, layout, references)
    if not files:
        raise NoResultsError(_OF_DOCUMENTS, path=settings.shown)
    if settings.mapping.source_file:
        files.append(settings.mapping.source_file)
    bundle = _Builder(settings, shown, problems, test_set, segments).bundle(lines, files)
    return replace(bundle, left_out=documents)


def _is_human(line: str) -> bool:
    return sorted(line.split()) == sorted(_HUMAN_HEADER)


def _read_lines(
    text: str,
    path: Path,
    shown: str,
    problems: RowProblems,
    layout: Layout | None,
    references: dict[str, str],
) -> list[_Line]:
    """Return the scores of a file; lines that cannot be used are reported to `problems`."""
    split = text.split("\n")
    header = split[0].split() if _is_human(split[0]) else None
    names = layout.names if layout is not None else _OLDEST
    found = []
    for number, line in enumerate(split, start=1):
        cells = cells_of(line)
        if not any(cells) or (header and number == 1):
            continue
        if (len(cells) != len(header)) if header else (len(cells) < len(names)):
            expected = " ".join(header or names)
            problems.report(shown, number, None, f"not a line of {expected}.")
            continue
        if header:
            row = dict(zip(header, cells, strict=True))
            row |= {"METRIC": HUMAN_METRIC, "SCORE": row["HUMAN"]}
        else:
            row = dict(zip(names, cells, strict=False))
        value = number_of(row["SCORE"])
        if value is None or math.isinf(value):
            problems.report(shown, number, "SCORE", no_number(row["SCORE"]))
            continue
        if LANGUAGE_PAIR.fullmatch(row["LP"]) is None:
            reason = f"'{row['LP']}' is no language pair such as de-en."
            problems.report(shown, number, "LP", reason)
            continue
        place = (path, number, row["METRIC"], row["LP"], row.get("TESTSET"), row["SYSTEM"])
        reference = "" if header else reference_of(row, references)
        found.append(_Line(*place, value, row["SCORE"], reference))
    return found


@dataclass(slots=True)
class _Builder:
    settings: Settings
    shown: Mapping[Path, str]
    problems: RowProblems
    test_set: str | None
    segments: SegmentScores
    datasets: dict[str, BundleDataset] = field(default_factory=dict)
    scores: list[BundleReportedScore] = field(default_factory=list)

    def bundle(self, lines: Sequence[_Line], files: Sequence[SourceFile]) -> ImportBundle:
        """Return everything as a bundle."""
        means = self.segments.means()
        names = list(dict.fromkeys([*((one.metric, one.reference) for one in lines), *means]))
        metrics, directions = self._metrics(names, lines, means)
        pairs = {line.pair for line in lines}
        known = sorted({line.test_set for line in lines if line.test_set})
        places: dict[tuple[str, str, str, str], _Line] = {}
        n_missing = 0
        for line in lines:
            dataset = self._dataset(line, pairs, known)
            place = (line.metric, line.reference, dataset, line.system)
            same = places.setdefault(place, line)
            if same is not line:
                where = f"{self.shown[same.path]}, line {same.line:,}"
                reason = f"a second score of '{line.system}' on {dataset}; see {where}."
                self.problems.report(self.shown[line.path], line.line, line.metric, reason)
            elif math.isnan(line.value):
                n_missing += 1
            else:
                self._add(line, dataset, names.index((line.metric, line.reference)))
        runs = self._runs({name: number for number, name in enumerate(names)})
        skipped = self.problems.raise_if_any()
        if not self.scores and not runs:
            raise ImportFormatError("there is no score in it.", path=self.settings.shown)
        mapping = self.settings.mapping
        told = []
        if self.scores:
            told.append(
                f"{len(self.scores):,} system-level scores of {len(metrics)} metrics on "
                f"{len(self.datasets)} language pairs, each a dataset; they have no items."
            )
        told += told_segments(self.segments, list(self.segments.items))
        if n_missing:
            told.append(f"{n_missing:,} scores are missing (nan).")
        if HUMAN_METRIC in {name for name, _ in names}:
            told.append(f"'{HUMAN_METRIC}' is the mean standardised score that people gave.")
        systems = [*(line.system for line in lines), *(run.system for run in runs)]
        return ImportBundle(
            NAME,
            files,
            list(self.datasets.values()),
            metrics,
            runs,
            reported_scores=self.scores,
            overlaps=mapping.overlaps,
            aliases=mapping.aliases,
            skipped=skipped,
            understood=[
                *told,
                *directions.understood,
                *told_people(dict.fromkeys(systems)),
            ],
            warnings=directions.warnings,
        )

    def _runs(self, metrics: Mapping[tuple[str, str], int]) -> list[BundleRun]:
        """Return the runs of all segments, and put their items into the datasets."""
        runs: list[BundleRun] = []
        for name in self.segments.items:
            items, went = self.segments.bundle_items(name)
            own = self._own_name(name)
            made = self._described(own, self.segments.pairs[name])
            self.datasets[own] = replace(made, items=items)
            number = list(self.datasets).index(own)
            settings, shown = self.settings, self.settings.shown
            runs += self.segments.runs(name, number, went, metrics, settings, shown)
        return runs

    def _own_name(self, name: str) -> str:
        """Return the name of a dataset of segments: as given, where there is one."""
        if self.settings.dataset and len(self.segments.items) == 1:
            return self.settings.dataset
        return name

    def _described(self, name: str, pair: str) -> BundleDataset:
        made = self.datasets.get(name) or self.settings.dataset_of(name)
        return replace(
            made, language=made.language or pair, task=made.task or "machine translation"
        )

    def _add(self, line: _Line, dataset: str, metric: int) -> None:
        mapping = self.settings.mapping
        self.scores.append(
            BundleReportedScore(
                self.settings.canonical(line.system),
                list(self.datasets).index(dataset),
                metric,
                line.value,
                reported_on=self.settings.reported_on,
                source=mapping.source or line.path.name,
                source_url=mapping.source_url,
                printed=line.printed,
            )
        )

    def _dataset(self, line: _Line, pairs: set[str], known: Sequence[str]) -> str:
        """Return the name of a line's dataset: test set and language pair."""
        given = self.settings.dataset
        test_set = self.test_set or line.test_set or (known[0] if len(known) == 1 else None)
        if given and len(pairs) > 1:
            raise ImportFormatError(
                f"the name '{given}' cannot stand for {len(pairs)} language pairs. Name the test "
                "set: --option testset=NAME.",
                path=self.settings.shown,
                field="dataset",
            )
        if test_set is None and not given:
            several = f" The scores beside it are of {', '.join(known)}." if known else ""
            raise ImportFormatError(
                f"the human scores do not say of which test set they are.{several} Import them "
                "together with the score files of one, or add --option testset=newstest2019.",
                path=self.shown[line.path],
                field="testset",
            )
        name = given or f"{test_set} {line.pair}"
        if name not in self.datasets:
            self.datasets[name] = self._described(name, line.pair)
        return name

    def _metrics(
        self,
        names: Sequence[tuple[str, str]],
        lines: Sequence[_Line],
        means: Mapping[tuple[str, str], Mapping[str, Mapping[str, float]]],
    ) -> tuple[list[BundleMetric], Directions]:
        """Return the metrics with their directions, and what was decided about these."""
        scores: dict[str, dict[str, dict[str, float]]] = {name: {} for name, _ in names}
        for (name, _), pairs in means.items():
            for pair, systems in pairs.items():
                scores[name].setdefault(pair, {}).update(systems)
        for line in lines:
            if not math.isnan(line.value):
                scores[line.metric].setdefault(line.pair, {})[line.system] = line.value
        found = find_directions(scores)
        metrics = []
        is_only = len(scores) == 1
        for name, reference in names:
            made = self.settings.metric_of(name, "mean", is_percent=False, is_only=is_only)
            usual = found.higher_is_better[name]
            direction = self.settings.direction_of(name, usual, is_only=is_only)
            turned = found.signatures.get(name, "") if direction == usual else ""
            source: MetricSource = "human" if name == HUMAN_METRIC else made.source
            signature = "|".join(filter(None, (made.signature or turned, reference)))
            metrics.append(
                replace(made, signature=signature, higher_is_better=direction, source=source)
            )
        return metrics, found
