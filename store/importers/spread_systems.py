"""Tables of figures whose columns each name a system and a metric, made into a row for each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from store.importers.generic_guesses import layout_of
from store.importers.known_metrics import lookup
from store.importers.melted import melted
from store.importers.metric_registry import words_of
from store.importers.no_metrics import no_metric_by_name
from store.importers.tables import Table

_SUFFIXES = words_of("mean avg average score value")
SYSTEM = "system"
"""The new column."""


def with_row_for_each_system(table: Table, figures: Sequence[str]) -> Table | None:
    """Return a table with a row for each system, where all columns of figures name one.

    ``bert_f1``, ``bert_em``, ``gpt_f1``, ``gpt_em`` become rows of bert and gpt. What all columns
    end in (``_mean``) is left off, and spreads (``_std``) are left out.

    Returns
    -------
    ``None`` where a column is something else, or one of the new names is taken.
    """
    spreads = [c for c in figures if no_metric_by_name(c) is not None and lookup(c) is None]
    measured = [column for column in figures if column not in spreads]
    ends = {re.split(r"[_. -]", column)[-1].lower() for column in measured}
    cut = len(next(iter(ends))) + 1 if len(ends) == 1 and ends <= _SUFFIXES else 0
    short = {column: column[: len(column) - cut] if cut else column for column in measured}
    layout = layout_of(list(short.values()))
    if layout is None:
        return None
    is_first = layout.startswith("{system}")
    mark = layout.replace("{system}", "").replace("{metric}", "")
    placed: dict[str, tuple[str, str]] = {}
    for column, name in short.items():
        ways = [(name[: m.start()], name[m.end() :]) for m in re.finditer(re.escape(mark), name)]
        found = [way for way in ways if lookup(way[1] if is_first else way[0]) is not None]
        system, metric = (found or ways)[-1] if is_first else (found or ways)[0][::-1]
        placed[column] = (system, metric)
    systems = list(dict.fromkeys(system for system, _ in placed.values()))
    metrics = list(dict.fromkeys(metric for _, metric in placed.values()))
    kept = [column for column in table.columns if column not in figures]
    if len(placed) != len(systems) * len(metrics) or {SYSTEM, *metrics} & set(kept):
        return None
    of = {place: column for column, place in placed.items()}
    added: dict[str, Sequence[Any]] = {SYSTEM: systems * len(table)}
    for metric in metrics:
        rows = zip(*(table.cells[of[system, metric]] for system in systems), strict=True)
        added[metric] = [cell for row in rows for cell in row]
    told = f"Columns read as a metric of a system: {', '.join(measured)}."
    if spreads:
        told += f" Not taken for scores: {', '.join(spreads)}."
    return melted(table, kept, len(systems), added, told)
