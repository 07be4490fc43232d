"""What names the items of a table of outputs, and what is right for each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from store.errors import ImportFormatError
from store.importers.cells import CellError, as_text
from store.importers.item_columns import own_id
from store.importers.scorers.crossed_names import n_alike
from store.importers.scorers.table_roles import TableRoles
from store.importers.tables import Table

_Value = TypeVar("_Value")
_PATH = re.compile(r".*/[^/]+\.\w{1,5}", re.DOTALL)
_FEWEST = 2


def keys_of(
    table: Table, roles: TableRoles, rows: Sequence[int], shown: str
) -> tuple[list[str], bool]:
    """Return what names each item, and whether the table does: its id, else input, else place."""
    if roles.item is not None:
        keys = cells_at(table, roles.item, rows, as_text)
        twice = next((key for key, count in Counter(keys).items() if count > 1), None)
        if twice is not None and (own := own_id(table, roles.item)) is not None:
            return cells_at(table, own, rows, as_text), True
        if twice is not None:
            row = rows[len(keys) - 1 - keys[::-1].index(twice)]
            reason = f"the item '{twice}' stands twice for one system."
            line = table.lines[row]
            raise ImportFormatError(reason, path=shown, line=line, field=roles.item)
        return keys, True
    if roles.input is not None:
        keys = cells_at(table, roles.input, rows, as_text)
        if len(set(keys)) == len(keys):
            return keys, False
    files = _files_of(table, roles, rows)
    if files is not None:
        return files, True
    return [str(i + 1) for i in range(len(rows))], False


def _files_of(table: Table, roles: TableRoles, rows: Sequence[int]) -> list[str] | None:
    """Return items called as the files of a column, each row another, below their common folder.

    A run may keep its files in a folder of its own, so that the folder is no part of the item.
    """
    taken = {roles.output, roles.gold, roles.system, *roles.outputs.values()}
    for column in table.columns:
        cells = [table.cells[column][row] for row in rows]
        paths = [one.replace("\\", "/") for one in cells if isinstance(one, str)]
        is_fit = column not in taken and len(paths) == len(cells) >= _FEWEST
        if not is_fit or not all(map(_PATH.fullmatch, paths)) or len(set(paths)) < len(paths):
            continue
        skip = n_alike(one.split("/")[:-1] for one in paths)
        return ["/".join(one.split("/")[skip:]) for one in paths]
    return None


def cells_at(
    table: Table, column: str, rows: Iterable[int], read: Callable[[Any], _Value]
) -> list[_Value]:
    """Return what is read from some cells of a column.

    Raises
    ------
    ImportFormatError
        A cell holds a list or an object; its line is named.
    """
    found = []
    for row in rows:
        try:
            found.append(read(table.cells[column][row]))
        except CellError as error:
            line = table.lines[row]
            raise ImportFormatError(
                f"{error}.", path=table.shown, line=line, field=column
            ) from None
    return found


def gold_of_cell(cell: Any) -> tuple[str, ...]:
    """Return the right texts of a cell: one, or those of a list."""
    if isinstance(cell, (list, tuple)):
        return tuple(as_text(one) for one in cell) or ("",)
    return ("" if cell is None else as_text(cell),)
