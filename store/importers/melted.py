"""Tables whose columns become rows: of each row several, one for each value of a new column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from store.importers.tables import Table


def melted(
    table: Table, kept: Sequence[str], times: int, added: Mapping[str, Sequence[Any]], told: str
) -> Table:
    """Return a table in which each row stands so many times in a row.

    Parameters
    ----------
    kept
        Columns whose cells are the same in all rows that one row becomes.
    times
        Rows that one row becomes.
    added
        New column -> a cell for each new row.
    told
        What was made of the columns, a note for whoever reads the plan.
    """
    cells: dict[str, Sequence[Any]] = {
        column: [cell for cell in table.cells[column] for _ in range(times)] for column in kept
    }
    cells |= added
    return replace(
        table,
        columns=tuple(cells),
        cells=cells,
        lines=[line for line in table.lines for _ in range(times)],
        notes=(*table.notes, told),
    )
