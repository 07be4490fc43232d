"""A matrix of p-values: a row and a column for each system, the p-value of the two where they meet.

Where both halves are filled and alike, each pair is read once; where they differ, the row is tested
against the column. The diagonal says nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from store.errors import ImportFormatError
from store.importers.bundle import (
    BundleMetric,
    BundleReportedComparison,
    Guess,
    ImportBundle,
    ReadOptions,
    RowProblems,
)
from store.importers.cells import CellError, as_text
from store.importers.columns import role_cells
from store.importers.places import own_name
from store.importers.printed import parse_printed, plain_name
from store.importers.settings import load_settings
from store.importers.tables import TABLE_SUFFIXES, Table, peek_columns, read_table
from store.importers.textfile import data_stem, data_suffix, peek_text

NAME = "pvalue_matrix"
DESCRIPTION = "matrix of p-values: systems against systems"
_NO_PVALUES = re.compile(
    r"confusion|corr(elation)?s?(?![a-z])|similarit|distance|covariance|co-?occurrence|agreement",
    re.IGNORECASE,
)
"""What other matrices with the same names on both sides are called."""
_LARGEST = 10_000_000
"""Bytes of a file that is looked at."""
_SLACK = 0.02
"""What rounded shares of a row may miss to 1."""


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether the rows of a table are called as its columns and hold p-values."""
    columns = peek_columns(path) if data_suffix(path) in TABLE_SUFFIXES else ()
    is_other = _NO_PVALUES.search(data_stem(path.name)) is not None
    if is_other or len(columns) < 3 or path.stat().st_size > _LARGEST:
        return False
    try:
        text = peek_text(path)
        second = text.split("\n", 2)[1:2]
        if not second or not second[0].lstrip("\"' ").startswith(columns[1]):
            return False
        return _is_matrix(read_table(path, path.name, RowProblems(lenient=True)))
    except ImportFormatError:
        return False


def _is_matrix(table: Table) -> bool:
    names = [as_text(cell) for cell in role_cells(table, table.columns[0])]
    if names != list(table.columns[1:]):
        return False
    values = [_value(cell) for column in names for cell in role_cells(table, column)]
    off = [
        value
        for place, value in enumerate(values)
        if place % len(names) != place // len(names)
        if value is None or not math.isnan(value)
    ]
    are_shares = bool(off) and all(value is not None and 0 <= value <= 1 for value in off)
    return are_shares and not set(off) <= {0, 1} and not _sum_to_one(values, len(names))


def _sum_to_one(values: Sequence[float | None], width: int) -> bool:
    """Return whether rows are shares of a whole, as those of a confusion matrix are."""
    rows = [values[at::width] for at in range(width)]  # they are given column by column
    whole = [sum(v for v in row if v is not None and not math.isnan(v)) for row in rows]
    return all(abs(total - 1) < _SLACK or total == 0 for total in whole) and any(whole)


def _value(cell: object) -> float | None:
    try:
        return parse_printed(cell).value
    except (CellError, TypeError, ValueError):
        return None


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the p-values of all pairs.

    Raises
    ------
    ImportFormatError
        The table is no matrix of p-values.
    """
    (path,) = paths
    settings = load_settings(path, shown[path], options)
    problems = RowProblems(options.lenient)
    table = read_table(path, settings.shown, problems)
    if not _is_matrix(table):
        reason = "no matrix of p-values: rows and columns must be the same systems, cells in 0..1."
        raise ImportFormatError(reason, path=settings.shown)
    names = list(table.columns[1:])
    cells = {name: role_cells(table, name) for name in names}
    found = {
        (a, b): value
        for n, a in enumerate(names)
        for b in names
        if a != b and (value := _value(cells[b][n])) is not None and not math.isnan(value)
    }
    is_symmetric = all(found.get((b, a), value) == value for (a, b), value in found.items())
    if is_symmetric:
        found = {
            (a, b): value
            for (a, b), value in found.items()
            if (b, a) not in found or names.index(a) < names.index(b)
        }
    dataset, metric = settings.dataset or own_name(path), settings.metric or "score"
    guesses = [
        Guess(role, value, because)
        for role, value, given, because in (
            ("dataset", dataset, settings.dataset, "the name of the file"),
            ("metric", metric, settings.metric, "the matrix does not say what was compared"),
        )
        if given is None
    ]
    mapping = settings.mapping
    made = settings.metric_of(metric, "mean", is_percent=False, is_only=True)
    if made.higher_is_better is None and settings.metric is None:
        made = BundleMetric(metric, higher_is_better=True)
        guesses.append(Guess(f"metric {metric}: direction", "higher", "p-values have none"))
    comparisons = [
        BundleReportedComparison(
            settings.canonical(plain_name(a)),
            settings.canonical(plain_name(b)),
            0,
            0,
            value,
            mapping.test,
            mapping.sidedness,
            mapping.source or path.name,
            mapping.source_url,
            as_text(cells[b][names.index(a)]),
        )
        for (a, b), value in found.items()
    ]
    half = "each pair once" if is_symmetric else "the row against the column"
    return ImportBundle(
        NAME,
        settings.files(table.sha256),
        datasets=[settings.dataset_of(dataset)],
        metrics=[made],
        reported_comparisons=comparisons,
        overlaps=mapping.overlaps,
        aliases=mapping.aliases,
        skipped=problems.raise_if_any(),
        understood=[f"Matrix of {len(found)} p-values of {len(names)} systems: {half}."],
        guesses=guesses,
    )
