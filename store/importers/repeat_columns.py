"""Columns that repeat one measurement, such as ``seed_1`` and ``seed_2``, made into rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from store.importers.cells import looks_numeric
from store.importers.columns import fields_of
from store.importers.known_metrics import lookup, normal_metric
from store.importers.melted import melted
from store.importers.metric_registry import words_of
from store.importers.naming_columns import metric_of_file
from store.importers.no_metrics import no_metric_by_name
from store.importers.settings import Settings
from store.importers.tables import Table

REPEAT_HEADER = re.compile(
    r"(?P<before>.*?)[\s_./(-]*(?<![a-z])(?P<word>seed|run|fold|trial|split|repeat|repetition|rep|"
    r"replicate|round|attempt|iteration)[\s_#-]*(?P<number>\d+)[\s_./)-]*(?P<after>.*)",
    re.IGNORECASE,
)
_SUMMARIES = words_of(
    "mean avg average std stdev stddev sd sem stderr var variance min max median sum range ci best"
)
_FEWEST = 2


class _Repeat(NamedTuple):
    """What the header of a column says."""

    metric: str
    """Empty: nothing but the repeat."""
    word: str
    number: str


def repeats_as_rows(table: Table, settings: Settings, *, of_items: bool) -> Table:
    """Return a table whose columns of repeats are rows, with a column that numbers them.

    A table of other columns stays as it is, and so does one whose columns are said to be something
    else. Columns that sum up the repeats (``mean``, ``std``) are left out.

    Parameters
    ----------
    of_items
        Its rows are items: columns called ``run1`` may be systems then, and any other repeat
        is a trial unless it is a seed.
    """
    if settings.layout:
        return table
    found = {column: one for column in table.columns if (one := _repeat_of(table, column))}
    numbers: dict[str, list[str]] = {}
    for one in found.values():
        numbers.setdefault(one.metric, []).append(one.number)
    said = {name for c in settings.columns.values() for name in fields_of(c, table.columns)}
    words = {one.word for one in found.values()}
    (first, *others) = numbers.values() or [[]]
    is_whole = len(words) == 1 and len(set(first)) == len(first) >= _FEWEST
    if not is_whole or any(other != first for other in others) or said & found.keys():
        return table
    (word,) = words
    if of_items and word == "run":
        return table
    counted = word if word == "seed" or not of_items else "trial"
    names = {
        metric: metric or settings.metric or metric_of_file(table.shown) or "score"
        for metric in numbers
    }
    if counted in table.columns or set(names.values()) & set(table.columns):
        return table
    summed = [c for c in table.columns if c not in found and _sums_up(c, list(numbers))]
    kept = [column for column in table.columns if column not in found and column not in summed]
    if of_items and any(_may_be_system(table, column) for column in kept):
        return table
    added: dict[str, Sequence[Any]] = {counted: first * len(table)}
    for metric, name in names.items():
        columns = [table.cells[c] for c, one in found.items() if one.metric == metric]
        added[name] = [cell for row in zip(*columns, strict=True) for cell in row]
    told = f"Columns read as repeats, a {counted} each: {', '.join(found)}."
    if summed:
        told += f" What sums them up is left out: {', '.join(summed)}."
    return melted(table, kept, len(first), added, told)


def _repeat_of(table: Table, column: str) -> _Repeat | None:
    match = REPEAT_HEADER.fullmatch(column)
    if match is None or not looks_numeric(table.cells[column]):
        return None
    before, after = match["before"].strip(), match["after"].strip()
    if (before and after) or (before or after) in table.columns:
        return None
    return _Repeat(before or after, match["word"].lower(), match["number"])


def _sums_up(column: str, metrics: Sequence[str]) -> bool:
    """Return whether a column is the mean, the spread … of the repeats, by its name."""
    words = normal_metric(column).split("_")
    rest = "_".join(word for word in words if word not in _SUMMARIES)
    return rest in {"", *map(normal_metric, metrics)} and not _SUMMARIES.isdisjoint(words)


def _may_be_system(table: Table, column: str) -> bool:
    is_told = lookup(column) is not None or no_metric_by_name(column) is not None
    return not is_told and looks_numeric(table.cells[column])
