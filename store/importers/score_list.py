"""A bare list of scores: one number in each line, aligned by line number."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from store.errors import ImportFormatError, UnknownFormatError
from store.importers.bundle import (
    BundleItem,
    BundleMetric,
    BundleRun,
    BundleScores,
    FloatArray,
    ImportBundle,
    RowProblems,
)
from store.importers.cells import CellError, parse_number, read_numbers
from store.importers.columns import ROLE_NAMES, normal_name
from store.importers.file_names import says_nothing
from store.importers.lines_alike import is_of_training
from store.importers.marks_of_none import Marks, marks_of_none
from store.importers.path_names import AFTER_METRICS, is_metric_name, trimmed
from store.importers.settings import Settings, outside_reason
from store.importers.textfile import data_stem, data_suffix, peek_text, read_text

_LINE_END = re.compile(r"\r\n|\r|\n")
_SAMPLE = 50
_LIST_SUFFIXES = ("", ".txt", ".csv", ".tsv", ".score", ".scores", ".out")
_GOLD = re.compile(r"gold|label|key|target|reference|truth|weight|length", re.IGNORECASE)
_MOST_WORDS = 3
"""Of the header of a column."""
_FEWEST = 8
"""Lines from which a bare list of numbers is taken for scores."""


def is_score_list(path: Path) -> bool:
    """Return whether most of the first lines hold one number and nothing else."""
    if data_suffix(path) in (".jsonl", ".ndjson", ".parquet", ".json"):
        return False
    try:
        text = peek_text(path)
    except ImportFormatError:
        return False
    lines = [line.strip() for line in text[: 80 * _SAMPLE].splitlines()[:_SAMPLE]]
    filled = [line for line in lines if line]
    numbers = sum(_is_number(line) for line in filled)
    return not any("," in line or "\t" in line for line in filled) and 2 * numbers > len(filled)


def read_score_list(settings: Settings, problems: RowProblems) -> ImportBundle:
    """Read a list of scores; the key of an item is its line number, header not counted.

    Raises
    ------
    ImportFormatError
        System, dataset or metric is not given, or a line holds no number and the import is strict.
    """
    text, sha256 = read_text(settings.path, settings.shown)
    settings = _with_guesses(settings, text)
    system, dataset, name = _given(settings)
    lines = _LINE_END.split(text.rstrip())
    header = lines[0].strip()
    named = (*ROLE_NAMES["score"], normal_name(name), normal_name(data_stem(settings.path.name)))
    is_header = normal_name(header) in named
    first = 2 if is_header and not _is_number(header) else 1
    metric, values = _read_values(lines[first - 1 :], first, name, settings, problems)
    marks = Marks(np.zeros(len(values), np.bool_), [], [])
    if name not in settings.mapping.metrics:
        marks = marks_of_none(name, values, ~np.isnan(values))
        values = np.where(marks.is_mark, np.nan, values)
    items = tuple(BundleItem(str(i)) for i in range(1, len(values) + 1))
    n_missing = int(np.isnan(values).sum())
    run = BundleRun(
        settings.canonical(system),
        0,
        settings.run_label or "",
        [BundleScores(0, values.reshape(-1, 1))],
        provenance=settings.provenance,
    )
    return ImportBundle(
        "generic",
        settings.files(sha256),
        datasets=[settings.dataset_of(dataset, items)],
        metrics=[metric],
        runs=[run],
        overlaps=settings.mapping.overlaps,
        aliases=settings.mapping.aliases,
        skipped=problems.raise_if_any(),
        understood=[
            f"List of {len(values):,} scores of '{system}', one in each line; items are known by "
            "their place in the file."
        ],
        warnings=[f"{n_missing} of the lines hold no score."] * bool(n_missing) + marks.warnings,
        guesses=[*settings.guesses, *marks.guesses],
        questions=settings.questions,
    )


def _read_values(
    cells: list[str], first_line: int, name: str, settings: Settings, problems: RowProblems
) -> tuple[BundleMetric, FloatArray]:
    """Return the metric and one value for each line; lines that do not fit are reported."""
    column = read_numbers(cells)
    values = column.values
    wrong = [(row, f"{reason}.") for row, reason in column.problems]
    with_sign = bool(column.is_percent.any())
    if with_sign:
        unsigned = np.flatnonzero(~column.is_percent & ~np.isnan(values))
        wrong += [(row, "has no % sign while other lines have one.") for row in unsigned.tolist()]
    metric = settings.metric_of(name, "mean", is_percent=with_sign, is_only=True)
    lower, upper = settings.bounds_of(metric)
    for row, value in enumerate(values.tolist()):
        if (lower is not None and value < lower) or (upper is not None and value > upper):
            wrong.append((row, outside_reason(value, cells[row].strip(), lower, upper)))
    for row, reason in sorted(wrong):
        problems.report(settings.shown, row + first_line, None, reason)
        values[row] = np.nan
    return metric, values


def _with_guesses(settings: Settings, text: str) -> Settings:
    """Return the settings with names after the file and its folder.

    Raises
    ------
    UnknownFormatError
        A few numbers, or whole ones that may be labels: nobody says that these are scores.
    """
    if settings.system and settings.dataset and settings.metric:
        return settings
    numbers = [line.strip() for line in text.splitlines() if line.strip()]
    is_named = settings.system or settings.dataset or settings.metric
    is_plain = data_suffix(settings.path) in _LIST_SUFFIXES and not _GOLD.search(settings.path.name)
    if not is_named and (not is_plain or len(numbers) < _FEWEST or _may_be_labels(numbers)):
        raise UnknownFormatError(
            "a list of numbers that may be anything. If they are scores, give --system NAME "
            "--dataset NAME --metric NAME.",
            path=settings.shown,
        )
    if not is_named and is_of_training(f"{data_stem(settings.path.name)} {numbers[0]}"):
        raise UnknownFormatError(
            "figures of training, one for each step; they are no scores of items.",
            path=settings.shown,
        )
    settings = settings.with_system()
    if not settings.metric:
        settings = settings.guessing("metric", *_metric_of(settings, text))
    return settings.with_dataset(use_stem=False)


def _metric_of(settings: Settings, text: str) -> tuple[str, str]:
    """Return the metric of a list, after its first line or the file, and why."""
    stem = data_stem(settings.path.name)
    header = text.lstrip().partition("\n")[0].strip()
    is_name = not _is_number(header) and len(header.split()) <= _MOST_WORDS
    if is_name and normal_name(header) not in ROLE_NAMES["score"]:
        return header, "the first line"
    last = re.findall(r"[^\W_]+", stem)[-1:]
    named = [one for one in (stem, *last) if is_metric_name(one) and not says_nothing(one)]
    if settings.named is not None and settings.named.because == AFTER_METRICS:
        named = [trimmed(stem)] if trimmed(stem) else []
    return (named[0], "the name of the file") if named else ("score", "a list of numbers")


def _may_be_labels(numbers: list[str]) -> bool:
    """Return whether all are small whole numbers, and not only 0 and 1."""
    distinct = set(numbers)
    return all(one.isdigit() for one in distinct) and not distinct <= {"0", "1"}


def _given(settings: Settings) -> tuple[str, str, str]:
    given = {"system": settings.system, "dataset": settings.dataset, "metric": settings.metric}
    missing = [name for name, value in given.items() if not value]
    if missing:
        flags = " ".join(f"--{name} NAME" for name in missing)
        raise ImportFormatError(
            f"a list of scores does not say what it measures. Missing: {', '.join(missing)}; "
            f"give {flags}, or write it into a YAML file beside it.",
            path=settings.shown,
        )
    return str(given["system"]), str(given["dataset"]), str(given["metric"])


def _is_number(line: str) -> bool:
    try:
        parse_number(line)
    except CellError:
        return False
    return True
