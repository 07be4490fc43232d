"""System-level scores as they are submitted to WMT's metrics task, and the human ones beside them.

A line of a score file is METRIC, LANGUAGE PAIR, TEST SET, SYSTEM and SCORE, then what was said of
the submission. ``DA-syslevel.csv`` has the mean standardised Direct Assessment of each system, by
language pair and without a test set. All are figures without items.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from store.errors import ImportFormatError
from store.importers.bundle import (
    BundleDataset,
    BundleMetric,
    BundleReportedScore,
    ImportBundle,
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
from store.importers.wmt.names import LANGUAGE_PAIR, told_people
from store.importers.wmt.options import known_choices

NAME = "wmt_metrics"
DESCRIPTION = "WMT metrics task, systems: METRIC.sys.score and DA-syslevel.csv"
HUMAN_METRIC = "DA z"
_HUMAN_HEADER = ("LP", "HUMAN", "SYSTEM")
_MISSING = ("none", "nan", "na")


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


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether the first line is one of a score file, or the header of the human scores."""
    if data_suffix(path) in (".json", ".jsonl", ".parquet"):
        return False
    first = first_line(path)
    return _is_human(first) or _is_score(_cells(first))


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
    lines: list[_Line] = []
    files = []
    for path in paths:
        text, sha256 = read_text(path, shown[path])
        files.append(SourceFile(shown[path], sha256))
        lines += _read_lines(text, path, shown[path], problems)
    if settings.mapping.source_file:
        files.append(settings.mapping.source_file)
    return _Builder(settings, shown, problems, chosen.get("testset")).bundle(lines, files)


def _cells(line: str) -> list[str]:
    """Split a line at tabs, where there are any, else at blanks."""
    return [cell.strip() for cell in line.split("\t")] if "\t" in line else line.split()


def _is_human(line: str) -> bool:
    return sorted(line.split()) == sorted(_HUMAN_HEADER)


def _is_score(cells: Sequence[str]) -> bool:
    if len(cells) < 5 or LANGUAGE_PAIR.fullmatch(cells[1]) is None:
        return False
    return _number(cells[4]) is not None or _is_segment(cells)


def _is_segment(cells: Sequence[str]) -> bool:
    """Return whether a line has a number for the segment before the score."""
    return any(
        len(cells) > i and cells[i - 1].isdecimal() and _number(cells[i]) is not None
        for i in (5, 6)
    )


def _number(printed: str) -> float | None:
    if printed.lower() in _MISSING:
        return math.nan
    try:
        value = float(printed)
    except ValueError:
        return None
    return value


def _read_lines(text: str, path: Path, shown: str, problems: RowProblems) -> list[_Line]:
    """Return the scores of a file; lines that cannot be used are reported to `problems`."""
    split = text.split("\n")
    header = split[0].split() if _is_human(split[0]) else None
    found = []
    for number, line in enumerate(split, start=1):
        cells = _cells(line)
        if not any(cells) or (header and number == 1):
            continue
        if header is None and len(cells) > 5 and _is_segment(cells):
            raise ImportFormatError(
                "the scores are of segments; only those of systems (.sys.score) are read. For "
                "segments write a table of system, item and score, which is read as 'generic'.",
                path=shown,
                line=number,
            )
        if len(cells) != len(header) if header else len(cells) < 5:
            expected = " ".join(header or ("METRIC", "LP", "TESTSET", "SYSTEM", "SCORE"))
            problems.report(shown, number, None, f"not a line of {expected}.")
            continue
        if header:
            row = dict(zip(header, cells, strict=True))
            row |= {"METRIC": HUMAN_METRIC, "SCORE": row["HUMAN"]}
        else:
            row = dict(zip(("METRIC", "LP", "TESTSET", "SYSTEM", "SCORE"), cells, strict=False))
        value = _number(row["SCORE"])
        if value is None or math.isinf(value):
            problems.report(shown, number, "SCORE", no_number(row["SCORE"]))
            continue
        if LANGUAGE_PAIR.fullmatch(row["LP"]) is None:
            reason = f"'{row['LP']}' is no language pair such as de-en."
            problems.report(shown, number, "LP", reason)
            continue
        place = (path, number, row["METRIC"], row["LP"], row.get("TESTSET"), row["SYSTEM"])
        found.append(_Line(*place, value, row["SCORE"]))
    return found


@dataclass(slots=True)
class _Builder:
    settings: Settings
    shown: Mapping[Path, str]
    problems: RowProblems
    test_set: str | None
    datasets: dict[str, BundleDataset] = field(default_factory=dict)
    scores: list[BundleReportedScore] = field(default_factory=list)

    def bundle(self, lines: Sequence[_Line], files: Sequence[SourceFile]) -> ImportBundle:
        """Return everything as a bundle."""
        names = list(dict.fromkeys(line.metric for line in lines))
        metrics, directions = self._metrics(names, lines)
        pairs = {line.pair for line in lines}
        known = sorted({line.test_set for line in lines if line.test_set})
        places: dict[tuple[str, str, str], _Line] = {}
        n_missing = 0
        for line in lines:
            dataset = self._dataset(line, pairs, known)
            same = places.setdefault((line.metric, dataset, line.system), line)
            if same is not line:
                where = f"{self.shown[same.path]}, line {same.line:,}"
                reason = f"a second score of '{line.system}' on {dataset}; see {where}."
                self.problems.report(self.shown[line.path], line.line, line.metric, reason)
            elif math.isnan(line.value):
                n_missing += 1
            else:
                self._add(line, dataset, names.index(line.metric))
        skipped = self.problems.raise_if_any()
        if not self.scores:
            raise ImportFormatError("there is no score in it.", path=self.settings.shown)
        mapping = self.settings.mapping
        told = [f"{n_missing:,} scores are missing (nan)."] if n_missing else []
        if HUMAN_METRIC in names:
            told.append(f"'{HUMAN_METRIC}' is the mean standardised score that people gave.")
        return ImportBundle(
            NAME,
            files,
            list(self.datasets.values()),
            metrics,
            reported_scores=self.scores,
            overlaps=mapping.overlaps,
            aliases=mapping.aliases,
            skipped=skipped,
            understood=[
                f"{len(self.scores):,} system-level scores of {len(metrics)} metrics on "
                f"{len(self.datasets)} language pairs, each a dataset; there are no items.",
                *told,
                *directions.understood,
                *told_people(dict.fromkeys(line.system for line in lines)),
            ],
            warnings=directions.warnings,
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
            made = self.settings.dataset_of(name)
            self.datasets[name] = replace(
                made,
                language=made.language or line.pair,
                task=made.task or "machine translation",
            )
        return name

    def _metrics(
        self, names: Sequence[str], lines: Sequence[_Line]
    ) -> tuple[list[BundleMetric], Directions]:
        """Return the metrics with their directions, and what was decided about these."""
        scores: dict[str, dict[str, dict[str, float]]] = {name: {} for name in names}
        for line in lines:
            if not math.isnan(line.value):
                scores[line.metric].setdefault(line.pair, {})[line.system] = line.value
        found = find_directions(scores)
        metrics = []
        is_only = len(names) == 1
        for name in names:
            made = self.settings.metric_of(name, "mean", is_percent=False, is_only=is_only)
            usual = found.higher_is_better[name]
            direction = self.settings.direction_of(name, usual, is_only=is_only)
            turned = found.signatures.get(name, "") if direction == usual else ""
            source: MetricSource = "human" if name == HUMAN_METRIC else made.source
            metrics.append(
                replace(
                    made,
                    signature=made.signature or turned,
                    higher_is_better=direction,
                    source=source,
                )
            )
        return metrics, found
