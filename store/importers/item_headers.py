"""Tables with a row for each system and a column for each item: ``model,q1,q2,…``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from store.importers.cells import looks_numeric
from store.importers.melted import melted
from store.importers.tables import Table

_ITEM = re.compile(r"(q|question|item|example|sample|prompt|problem|instance)[-_ ]?0*(\d+)", re.I)
_FEWEST = 5
"""Columns of one word and other numbers from which they are items."""


def headed_items(columns: Sequence[str]) -> list[str]:
    """Return the columns that are called after items by number; none where they are few."""
    found = [(column, match) for column in columns if (match := _ITEM.fullmatch(column))]
    words = {match[1].lower() for _, match in found}
    numbers = {int(match[2]) for _, match in found}
    are_items = len(words) == 1 and _FEWEST <= len(found) == len(numbers)
    return [column for column, _ in found] if are_items and len(found) < len(columns) else []


def items_as_rows(table: Table) -> Table:
    """Return a table with a row for each system and item, where columns were items."""
    items = headed_items(table.columns)
    if not items:
        return table
    rest = [column for column in table.columns if column not in items]
    kept = [column for column in rest if not looks_numeric(table.cells[column])]
    if not kept or not all(looks_numeric(table.cells[column]) for column in items):
        return table
    scores = [table.cells[column][row] for row in range(len(table)) for column in items]
    added = {"item": items * len(table), "score": scores}
    told = f"Columns read as items: {items[0]} to {items[-1]}, {len(items):,} of them."
    if left := [column for column in rest if column not in kept]:
        told += f" Left out beside them: {', '.join(left)}."
    return melted(table, kept, len(items), added, told)
