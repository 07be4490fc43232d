"""Rows at the end, or the top, of a table of item scores that sum up the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from store.importers.cells import as_text, read_numbers
from store.importers.kinds import FloatArray
from store.importers.metric_registry import words_of
from store.importers.tables import Table

_WORDS = words_of(
    """mean average avg final overall total macro micro median std stdev sd min max sum
    score scores all aggregate summary moyenne générale generale totale durchschnitt gesamt
    mittelwert promedio media média geral generale medio gemiddelde genomsnitt średnia
    ortalama среднее итого 平均 平均值 总计 合计"""
)
"""What such a row is called, in some languages."""
_SUMS = words_of("sum total totale totaal gesamt suma итого 总计 合计 correct score")
_MOST = 5
_MOST_DIGITS = 6
"""Behind the point, up to which a mean may have been rounded."""


def without_summaries(
    table: Table, names: Sequence[Any], scores: Sequence[str]
) -> tuple[Table, list[str]]:
    """Return a table without the rows that sum up the others, and what is told of it."""
    columns = [table.cells[name] for name in scores]
    end = end_of_items(names, columns)
    start = end - end_of_items(names[:end][::-1], [one[:end][::-1] for one in columns])
    if (start, end) == (0, len(table)):
        return table, []
    left = [f"'{as_text(names[row])}'" for row in (*range(start), *range(end, len(table)))]
    cells = {name: column[start:end] for name, column in table.cells.items()}
    told = f"Left out, as it sums up the other rows: {', '.join(left)}."
    return replace(table, cells=cells, lines=table.lines[start:end]), [told]


def end_of_items(names: Sequence[Any], columns: Sequence[Sequence[Any]]) -> int:
    """Return how many rows come before those that sum them up.

    A row at the end does so where its name says it and its figures, or those of such a row beside
    it, are the means of the rows above, as they are rounded, or their sums.
    """
    n_rows = end = len(names)
    while end > 1 and n_rows - end < _MOST and _is_called_so(as_text(names[end - 1])):
        end -= 1
    are_means = any(
        _is_of_all(columns, row, end, np.nanmean)
        or (_is_called_sum(as_text(names[row])) and _is_of_all(columns, row, end, np.nansum))
        for row in range(end, n_rows)
    )
    return end if are_means and end > 1 else n_rows


def _is_called_so(name: str) -> bool:
    words = re.findall(r"[^\W\d_]+", name.lower())
    return bool(words) and _WORDS.issuperset(words)


def _is_called_sum(name: str) -> bool:
    return not _SUMS.isdisjoint(re.findall(r"[^\W\d_]+", name.lower()))


def _is_of_all(
    columns: Sequence[Sequence[Any]], row: int, end: int, of: Callable[[FloatArray], Any]
) -> bool:
    """Return whether a row has what the numbers of each column come to, as their mean."""
    n_alike = 0
    for column in columns:
        (stated,) = read_numbers([column[row]]).values.tolist()
        values = read_numbers(list(column[:end])).values
        if np.isnan(stated):
            continue
        digits = min(len(as_text(column[row]).strip(" %").partition(".")[2]), _MOST_DIGITS)
        is_far = np.isnan(values).all() or abs(of(values) - stated) > 0.51 * 10.0**-digits
        if is_far:
            return False
        n_alike += 1
    return n_alike > 0
