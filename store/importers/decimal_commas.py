"""Decimal commas in tables whose cells semicolons separate, as European spreadsheets write."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from store.importers.cells import is_missing
from store.importers.columnar import Coded, Numbers

_NUMBER = re.compile(r"\s*[+-]?\d+(,\d+)?([eE][+-]?\d+)?\s*%?\s*")
_MAY_GROUP = re.compile(r"\s*[+-]?[1-9]\d{0,2},\d{3}\s*%?\s*")
"""A comma that may group digits."""


def with_points(cells: Mapping[str, Sequence[Any]]) -> tuple[dict[str, Sequence[Any]], list[str]]:
    """Return the columns with decimal points, and what is told of those that were changed.

    A column is changed where all its cells are numbers, some with a comma, and not every comma may
    be one between groups of digits.
    """
    found = dict(cells)
    for name, column in cells.items():
        if _has_decimal_commas(column):
            coded = column if isinstance(column, Coded) else Coded.of(column)
            found[name] = coded.map(_with_point)
    changed = [name for name in cells if found[name] is not cells[name]]
    told = f"Decimal commas are read as points in: {', '.join(changed)}."
    return found, [told] if changed else []


def _has_decimal_commas(column: Sequence[Any]) -> bool:
    if isinstance(column, Numbers):
        return False
    values = column.values if isinstance(column, Coded) else column
    filled = [cell for cell in values if not is_missing(cell)]
    if not all(isinstance(cell, str) and _NUMBER.fullmatch(cell) for cell in filled):
        return False
    with_comma = [cell for cell in filled if "," in cell]
    return bool(with_comma) and not all(map(_MAY_GROUP.fullmatch, with_comma))


def _with_point(cell: Any) -> Any:
    return cell.replace(",", ".") if isinstance(cell, str) else cell
