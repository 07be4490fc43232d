"""Tables without items that have a row for each metric: ``metric,fold_1,fold_2`` or by system.

The other columns are repeats of one system, its splits, one figure beside its spread, or systems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from store.errors import ImportFormatError
from store.importers.bundle import Guess, ImportBundle, ReadOptions, RowProblems
from store.importers.cells import as_text, is_missing, looks_numeric
from store.importers.columns import normal_name
from store.importers.figures import Figure, Figures
from store.importers.file_names import specific_name
from store.importers.known_metrics import is_quality, lookup, normal_metric
from store.importers.known_names import is_like_dataset
from store.importers.metric_registry import words_of
from store.importers.no_metrics import no_metric_by_name
from store.importers.places import folder_name, own_name
from store.importers.repeat_columns import REPEAT_HEADER
from store.importers.settings import load_settings
from store.importers.small_tables import is_small_and
from store.importers.tables import Table, peek_columns, read_table
from store.importers.textfile import data_suffix

NAME = "metric_rows"
DESCRIPTION = "table with a row for each metric, and columns of repeats, splits or systems"
_CORNERS = words_of(
    """metric metrics measure measures measurement score scores statistic indicator criterion
    metric_name name column_1 unnamed_0"""
)
"""What the column of the metrics is called; of any other one all cells must be metrics."""
_FIGURES = words_of("mean avg average value score estimate result point_estimate")
_SPREADS = words_of(
    """std stdev sd sem se stderr var variance min max median minimum maximum ci range low high
    lower upper n count support lb ub iqr p pvalue p_value"""
)
_BESIDE = words_of(
    """improvement gain delta diff difference change unit units description note notes target
    threshold status best worst range rank winner comment direction"""
)
"""Columns that say something of the metric, or of two others."""
_SPLITS = words_of("train training val valid validation dev test holdout")
_MOST_ROWS = 100
_MOST_COLUMNS = 60
_FEWEST = 2

_Kind = Literal["repeat", "split", "dataset", "system", "only"]


class _Columns(NamedTuple):
    """What the columns beside the metrics are."""

    kind: _Kind
    names: Mapping[str, str]
    """Column -> the repeat, the split or the system that it stands for."""
    others: Sequence[str]
    """Columns that are no figures."""


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether the first column of a small table of numbers holds names of metrics."""
    is_said = bool(options.columns or options.layout or options.metric)
    if data_suffix(path) not in (".csv", ".tsv") or is_said:
        return False
    columns = peek_columns(path)
    if not 1 < len(columns) <= _MOST_COLUMNS or any(map(_is_metric_column, columns[1:])):
        return False
    return is_small_and(
        path, _MOST_ROWS, lambda table: _are_metrics(table) and _kind_of(table) is not None
    )


def _is_metric_column(column: str) -> bool:
    """Return whether a column is called after a metric, so that the rows are something else."""
    return is_quality(column) and normal_metric(column) not in _FIGURES


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the figures.

    Raises
    ------
    ImportFormatError
        The file is damaged, or a cell is no figure and the import is strict.
    """
    (path,) = paths
    settings = load_settings(path, shown[path], options)
    problems = RowProblems(options.lenient)
    table = read_table(path, settings.shown, problems)
    found = _kind_of(table)
    if found is None:
        raise ImportFormatError("no column holds figures of the metrics.", path=settings.shown)
    figures = Figures(settings, problems)
    folder = folder_name(path)
    own = specific_name(own_name(path)) or folder
    is_of_one = found.kind in ("repeat", "split", "only")
    system = settings.system or own
    dataset = settings.dataset or (folder if is_of_one else own)
    named = [as_text(cell) for cell in table.cells[table.columns[0]]]
    none = [name for name in named if name and no_metric_by_name(name) is not None]
    for column, name in found.names.items():
        for row, metric in enumerate(named):
            cell = table.cells[column][row]
            if not metric or metric in none or is_missing(cell):
                continue
            figures.add(
                Figure(
                    name if found.kind == "system" else system,
                    f"{dataset}/{name}" if found.kind in ("split", "dataset") else dataset,
                    metric,
                    cell,
                    line=table.lines[row],
                    column=column,
                    source=f"{path.name}, {name}" if found.kind == "repeat" else "",
                )
            )
    told = [f"One row for each metric; {_TOLD[found.kind]}: {', '.join(found.names)}."]
    if found.others or none:
        told.append(f"Not taken for scores: {', '.join([*found.others, *none])}.")
    guesses = [Guess("metrics", f"the rows of '{table.columns[0]}'", "what is named there")]
    if found.kind == "system":
        guesses.append(Guess("systems", ", ".join(found.names), "the other columns"))
    else:
        guesses.append(Guess("system", system, "the name of the file or folder"))
    guesses.append(Guess("dataset", dataset, "the name of the file or folder"))
    return figures.bundle(NAME, settings.files(table.sha256), [*table.notes, *told], guesses)


_TOLD: Mapping[_Kind, str] = {
    "repeat": "columns are repeats of one system",
    "split": "columns are splits",
    "dataset": "columns are datasets",
    "system": "columns are systems",
    "only": "figures of one system in the column",
}


def _are_metrics(table: Table) -> bool:
    """Return whether the first column names metrics, another one in each row."""
    cells = table.cells[table.columns[0]]
    if not 0 < len(table) <= _MOST_ROWS or looks_numeric(cells):
        return False
    if any(isinstance(cell, (list, dict)) for cell in cells):
        return False
    names = [as_text(cell) for cell in cells if not is_missing(cell)]
    if not names or len(set(names)) < len(names):
        return False
    known = [name for name in names if lookup(name) is not None]
    if normal_name(table.columns[0]) in {*_CORNERS, ""}:
        return 2 * len(known) >= len(names) and any(map(is_quality, known))
    has_one = [name for name in names if _has_metric(name)]
    return len(names) >= _FEWEST and len(has_one) == len(names) and bool(known)


def _has_metric(name: str) -> bool:
    """Return whether a word of a name is a metric: ``postprocess_tokens``."""
    words = normal_metric(name).split("_")
    return lookup(name) is not None or any(lookup(w) or lookup(w.removesuffix("s")) for w in words)


def _kind_of(table: Table) -> _Columns | None:
    """Return what the columns beside the first one are; ``None`` where they may be anything."""
    numeric = [c for c in table.columns[1:] if looks_numeric(table.cells[c])]
    others = [column for column in table.columns[1:] if column not in numeric]
    known = [c for c in numeric if is_quality(c) and normal_name(c) not in _FIGURES]
    if 2 * len(known) >= len(numeric):  # one may be a system that is called like a metric
        return None
    beside = [c for c in numeric if _is_beside(c)]
    free = [column for column in numeric if column not in beside]
    repeats = {c: c.strip() for c in free if REPEAT_HEADER.fullmatch(c)}
    only = [column for column in free if normal_name(column) in _FIGURES]
    rest = [column for column in free if column not in repeats and column not in only]
    if len(repeats) >= _FEWEST and not rest:
        return _Columns("repeat", repeats, [*others, *beside, *only])
    if repeats:
        return None
    if not rest:
        if len(only) != 1:
            return None
        return _Columns("only", dict.fromkeys(only, ""), [*others, *beside])
    left = [*others, *beside, *only]
    if all(normal_name(column) in _SPLITS for column in rest):
        return _Columns("split", {column: normal_name(column) for column in rest}, left)
    if all(map(is_like_dataset, rest)):
        return _Columns("dataset", {column: column for column in rest}, left)
    return _Columns("system", {column: column for column in rest}, left)


def _is_beside(column: str) -> bool:
    words = normal_name(column).split("_")
    is_spread = words[-1] in _SPREADS or words[0] in _SPREADS
    return is_spread or not _BESIDE.isdisjoint(words) or no_metric_by_name(column) == "a spread"
