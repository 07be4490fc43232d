"""Columns that say in words whether an item was right, whatever they are called.

`status_words` reads those that are called after it, before anything else is known of a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from store.importers.cells import is_missing
from store.importers.columnar import Coded
from store.importers.columns import fields_of, normal_name
from store.importers.generic_roles import generic_roles
from store.importers.metric_registry import words_of
from store.importers.settings import Settings
from store.importers.status_words import BAD, GOOD
from store.importers.tables import Table

_GOOD = GOOD | words_of("right success successful succeeded ✓ ✔ ✅ ☑")
_BAD = BAD | words_of(
    "failure unsuccessful ✗ ✘ ❌ × not_solved not_resolved not_correct not_passed"
)
_TOLD = words_of(
    "label gold reference expected target truth expected_verdict ground_truth status state"
)
"""What a column of such words is called that is no outcome of what was asked."""


def outcomes_as_numbers(table: Table, settings: Settings) -> tuple[Table, Settings]:
    """Return the table with 1 and 0 for words of right and wrong in columns that play no role.

    Higher is better in such columns, whatever they are called, unless the settings say otherwise.
    """
    roles = generic_roles(table, settings)
    if "score" in roles or "item" not in roles:
        return table, settings
    used = {name for column in roles.values() for name in fields_of(column, table.columns)}
    told = [
        column
        for column in table.columns
        if column not in used
        and normal_name(column) not in _TOLD
        and _are_outcomes(table.cells[column])
    ]
    if not told:
        return table, settings
    cells = {
        column: _as_numbers(held) if column in told else held
        for column, held in table.cells.items()
    }
    note = f"Words of right and wrong taken for 1 and 0: {', '.join(told)}."
    directions = dict.fromkeys(told, True) | dict(settings.options.directions)
    options = replace(settings.options, directions=directions)
    return (
        replace(table, cells=cells, notes=(*table.notes, note)),
        replace(settings, options=options),
    )


def _are_outcomes(cells: Sequence[Any]) -> bool:
    """Return whether all cells that hold something are such words, some of them no direction."""
    found = set()
    for cell in cells.values if isinstance(cells, Coded) else cells:
        if is_missing(cell):
            continue
        word = _word(cell)
        if word not in _GOOD and word not in _BAD:
            return False
        found.add(word)
    return bool(found) and found != {"right"}


def _word(cell: Any) -> str:
    is_word = isinstance(cell, str)
    return "_".join(cell.strip().casefold().replace("-", " ").split()) if is_word else ""


def _as_numbers(cells: Sequence[Any]) -> Sequence[Any]:
    def number(cell: Any) -> Any:
        return cell if is_missing(cell) else float(_word(cell) in _GOOD)

    return cells.map(number) if isinstance(cells, Coded) else list(map(number, cells))
