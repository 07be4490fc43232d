"""Guesses of what the columns of a board stand for, by their names and by how large they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from store.importers.board_columns import (
    is_mean_of_group,
    metric_of_board,
    what_columns_are,
    without_companions,
    without_opposites,
)
from store.importers.cells import read_numbers
from store.importers.file_names import specific_name
from store.importers.known_metrics import is_cost, is_loss, is_quality, lookup
from store.importers.naming_columns import metric_of_file
from store.importers.no_metrics import counts_beside, no_metric
from store.importers.settings import Settings
from store.importers.tables import Table
from store.importers.textfile import data_stem

_FURTHEST = 1_000
"""How many times the usual value of one dataset may be that of another, for one metric."""


def numbers_of(table: Table) -> dict[str, list[float]]:
    """Return the numbers of each column that holds any, without what is missing."""
    read = {column: read_numbers(table.cells[column]).values for column in table.columns}
    filled = {column: values[~np.isnan(values)].tolist() for column, values in read.items()}
    return {column: values for column, values in filled.items() if values}


def have_one_scale(table: Table, columns: Sequence[str]) -> bool:
    """Return whether columns can state one metric: their usual values are not far apart.

    Times, costs and losses beside it do not count.
    """
    numbers = numbers_of(table)
    of_metric = [c for c in columns if c in numbers and not is_cost(c) and not is_loss(c)]
    usual = [float(np.median(np.abs(numbers[column]))) for column in of_metric]
    usual = [value for value in usual if value > 0]
    return not usual or max(usual) <= _FURTHEST * min(usual)


def _metric_over_all(columns: Sequence[str]) -> str | None:
    """Return the only column called like a metric of quality, beside nothing but unknown ones.

    It tells the metric of them all: ``Accuracy`` beside ``Hindi``, ``Tamil``, ``Odia``.
    """
    known = [column for column in columns if lookup(column) is not None and not is_cost(column)]
    if len(known) != 1 or not is_quality(known[0]) or is_mean_of_group(known[0], columns):
        return None
    return known[0]


def guess_what_columns_are(
    table: Table, settings: Settings, figures: Sequence[str], only_system: str | None
) -> tuple[Settings, Sequence[str]]:
    """Take the columns for metrics when most are known ones, for datasets when hardly one is.

    Returns
    -------
    The settings with what was guessed, and the columns that are read: beside datasets, a time, a
    size or a loss is none.
    """
    counts = counts_beside(numbers_of(table))
    wanted = [
        column
        for column in figures
        if column not in counts and no_metric(column, table.cells[column]) is None
    ]
    if not wanted:
        return settings.with_dataset(system=only_system), figures
    told = metric_of_board(data_stem(settings.path.name), wanted)
    if told is not None:
        apart = without_opposites(without_companions(figures), told)
        settings = settings.guessing("metric", told, "the name of the file")
        return settings, [column for column in wanted if column in apart]
    named = metric_of_file(table.shown)
    kind = what_columns_are(wanted)
    if kind == "datasets" and not have_one_scale(table, wanted):
        kind = "metrics"
    if not kind and named and not any(map(lookup, wanted)):
        kind = "datasets"
    if kind == "metrics":
        stem = specific_name(data_stem(settings.path.name))
        if named and not any(map(lookup, wanted)) and lookup(stem) is not None:
            settings = settings.guessing("dataset", stem, "the name of the file")
        return settings.with_dataset(system=only_system), figures
    if kind == "":
        return settings, figures
    because = f"{len(wanted)} columns, of which hardly one is called like a metric"
    because = because if named is None else "the name of the file"
    if named is None and (named := _metric_over_all(wanted)) is not None:
        because = "the only column that is called like a metric; the others are datasets"
    of_metric = without_opposites(wanted, named or "")
    read = [column for column in of_metric if not is_cost(column) and not is_loss(column)]
    return settings.guessing("metric", named or "score", because), read
