"""Classification reports, as scikit-learn and seqeval print them or as a table of their rows.

A row is a class or an average over classes: parts of the result of one system on one dataset. The
file names neither, so both are guessed from file and folder. Of several reports in one text, the
line above each says whose it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from store.errors import ImportFormatError
from store.importers.bundle import Guess, ImportBundle, ReadOptions, RowProblems
from store.importers.cells import as_text, is_missing
from store.importers.columns import normal_name
from store.importers.figures import Figure, Figures
from store.importers.known_names import is_like_dataset
from store.importers.language_codes import split_language
from store.importers.path_names import trimmed
from store.importers.places import fellows, folder_name, own_name
from store.importers.run_folders import split_beside
from store.importers.settings import load_settings
from store.importers.tables import Table, peek_columns, read_table
from store.importers.textfile import data_suffix, peek_text, read_text

NAME = "classification_report"
DESCRIPTION = "classification report of scikit-learn or seqeval: text, or a table of its rows"
_TABLES = (".csv", ".tsv")
_TEXTS = (".txt", ".log", ".out", ".report", "")
_MEASURES = ("precision", "recall", "f1_score")
_SUPPORT = "support"
_AVERAGES = ("micro avg", "macro avg", "weighted avg", "samples avg")
_HEADER = re.compile(
    r"^[ \t]*precision[ \t]+recall[ \t]+f1-score[ \t]+support[ \t]*$", re.MULTILINE
)
_ROW = re.compile(r"\s*(\S.*?)\s{2,}([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+(\d+)\s*")
_ACCURACY = re.compile(r"\s*accuracy\s+([\d.]+)\s+(\d+)\s*")
_CALLED = re.compile(
    r"[ _-]*\b(the )?classification[ _-]?report( (for|of))?\b[ _-]*", re.IGNORECASE
)
_MOMENT = re.compile(r"[-_ ]1\d{9}(\.\d+)?$")
"""Seconds since 1970 at the end of a name."""
_FRAME = " \t=-#*:_|"


class _Row(NamedTuple):
    """A row of a report."""

    label: str
    figures: Mapping[str, Any]
    n_items: int | None
    line: int


class _Report(NamedTuple):
    """One report of a file."""

    heading: str
    """The line above it, without what frames it."""
    rows: Sequence[_Row]


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a table has the columns of a report, or a text its header."""
    suffix = data_suffix(path)
    try:
        if suffix in _TABLES:
            return _is_table(peek_columns(path))
        return suffix in _TEXTS and _HEADER.search(peek_text(path)) is not None
    except ImportFormatError:
        return False


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the averages of each report as metrics, and those of each class under its name.

    Raises
    ------
    ImportFormatError
        The file is damaged, or no row of a report stands in it.
    """
    (path,) = paths
    settings = load_settings(path, shown[path], options)
    figures = Figures(settings, RowProblems(options.lenient))
    if data_suffix(path) in _TABLES:
        table = read_table(path, settings.shown, figures.problems)
        reports, sha256 = [_Report("", _of_table(table))], table.sha256
    else:
        text, sha256 = read_text(path, settings.shown)
        reports = _of_text(text)
    if not any(report.rows for report in reports):
        raise ImportFormatError("the report has no row.", path=settings.shown)
    own, dataset = _called(path)
    if (named := options.names.get(path)) is not None:
        own, dataset = named.system or own, named.dataset or dataset
        dataset = f"{dataset}/{split}" if (split := split_beside(path)) else dataset
    for number, report in enumerate(reports, start=1):
        system = own if len(reports) == 1 else report.heading or f"{own}, report {number}"
        for row in report.rows:
            for metric, value in row.figures.items():
                figures.add(
                    Figure(
                        settings.system or system,
                        settings.dataset or dataset,
                        _metric(row.label, metric),
                        value,
                        line=row.line,
                        column=metric,
                        n_items=row.n_items,
                    )
                )
    guesses = [
        Guess("dataset", settings.dataset or dataset, "the names of file and folder"),
        Guess("system", own if len(reports) == 1 else "the line above each", "the same"),
    ]
    told = ["Figures of a class are metrics of their own, as 'f1-score [class NAME]'."]
    return figures.bundle(NAME, settings.files(sha256), told, guesses)


def _metric(label: str, metric: str) -> str:
    if label == "accuracy":
        return label
    if label in _AVERAGES:
        return f"{label.removesuffix(' avg')} {metric}"
    return f"{metric} [class {re.sub(r'[][]', '', label)}]"


def _called(path: Path) -> tuple[str, str]:
    """Return system and dataset by the names of file and folder."""
    folder = folder_name(path)
    own = _telling(own_name(path))
    if not own or own == folder:
        return folder, folder
    others = list(map(_telling, fellows(path)))
    if (split := split_language(own, others)) is not None:
        return trimmed(split[0]), f"{folder}/{split[1]}"
    return (folder, own) if is_like_dataset(own) else (own, folder)


def _telling(name: str) -> str:
    """Return a name without what says that it is of a report, and without a time."""
    name = _CALLED.sub(" ", _MOMENT.sub("", name).replace("_", " "))
    return trimmed(name.strip().replace(" ", "_"))


def _measure(column: str) -> str:
    """Return the measure that a column is called after."""
    name = normal_name(column)
    return "f1_score" if name in ("f1", "fscore", "f_score") else name


def _is_table(columns: Sequence[str]) -> bool:
    names = {_measure(column) for column in columns}
    is_upright = {*_MEASURES, _SUPPORT} <= names and len(columns) == len(_MEASURES) + 2
    return is_upright or {"macro_avg", "weighted_avg"} <= names


def _of_table(table: Table) -> list[_Row]:
    """Return the rows of a report, which may lie on its side."""
    label, *others = table.columns
    names = [as_text(cell) for cell in table.cells[label]]
    by_name = {_measure(column): table.cells[column] for column in others}
    if _SUPPORT not in by_name:  # a column for each class
        lines = {normal_name(name): row for row, name in enumerate(names)}
        by_name = {
            name: [table.cells[column][row] for column in others] for name, row in lines.items()
        }
        names = others
    found = []
    for row, name in enumerate(names):
        support = _count(by_name[_SUPPORT][row]) if _SUPPORT in by_name else None
        measured = {
            shown: by_name[measure][row]
            for measure, shown in zip(_MEASURES, ("precision", "recall", "f1-score"), strict=True)
            if measure in by_name
        }
        if name == "accuracy":  # one number in all columns
            measured = dict(list(measured.items())[:1])
        line = table.lines[row] if row < len(table) and len(names) == len(table) else 1
        found.append(_Row(name, measured, support, line))
    return found


def _count(cell: Any) -> int | None:
    try:
        number = None if is_missing(cell) else float(cell)
    except (TypeError, ValueError):
        return None
    return int(number) if number is not None and number.is_integer() and number > 1 else None


def _of_text(text: str) -> list[_Report]:
    lines = text.splitlines()
    found: list[tuple[str, list[_Row]]] = []
    for number, line in enumerate(lines, start=1):
        if _HEADER.fullmatch(line):
            above = next((one for one in reversed(lines[: number - 1]) if one.strip(_FRAME)), "")
            is_heading = _ROW.fullmatch(above) is None
            found.append((_CALLED.sub(" ", above).strip(_FRAME) if is_heading else "", []))
        elif found and (match := _ROW.fullmatch(line)):
            label, *cells, support = match.groups()
            measured = dict(zip(("precision", "recall", "f1-score"), cells, strict=True))
            found[-1][1].append(_Row(label, measured, int(support), number))
        elif found and (match := _ACCURACY.fullmatch(line)):
            found[-1][1].append(_Row("accuracy", {"accuracy": match[1]}, int(match[2]), number))
    return [_Report(heading, rows) for heading, rows in found]
