"""Columns that say of each row that an attempt failed: ``judge_failed``, ``timed_out`` and such."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from store.importers.cells import read_numbers
from store.importers.columns import find_roles, normal_name
from store.importers.kinds import FAILED, OUTCOME_WORDS, Status
from store.importers.settings import Settings
from store.importers.tables import Table

_NAMED = {OUTCOME_WORDS[one].replace(" ", "_"): one for one in FAILED}


def outcomes_as_statuses(table: Table, settings: Settings) -> Table:
    """Return the table with a status where a column named as an outcome is true.

    These columns are gone from it; one that holds anything but true and false stays.
    """
    found: dict[int, Status] = {}
    told: list[str] = []
    for name in table.columns:
        outcome = _NAMED.get(normal_name(name))
        if outcome is None or name in (*settings.columns.values(), settings.metric):
            continue
        read = read_numbers(table.cells[name])
        if read.problems or not np.isin(read.values[~np.isnan(read.values)], (0, 1)).all():
            continue
        told.append(name)
        found |= {row: outcome for row in np.flatnonzero(read.values == 1).tolist()} | found
    if not told:
        return table
    kept = tuple(name for name in table.columns if name not in told)
    cells = {name: table.cells[name] for name in kept}
    note = f"Taken for the outcome of an attempt: {', '.join(told)}."
    return with_statuses(
        replace(table, columns=kept, cells=cells, notes=(*table.notes, note)), settings, found
    )


def with_statuses(table: Table, settings: Settings, found: Mapping[int, Status]) -> Table:
    """Return the table with these outcomes in its column of statuses, row by row."""
    if not found:
        return table
    column = statuses_of(table, settings).get("status", "status")
    cells = list(table.cells.get(column, [None] * len(table)))
    for row, outcome in found.items():
        cells[row] = OUTCOME_WORDS[outcome]
    columns = tuple(dict.fromkeys((*table.columns, column)))
    return replace(table, columns=columns, cells={**table.cells, column: cells})


def statuses_of(table: Table, settings: Settings) -> dict[str, str]:
    """Return the role of statuses with its column, where a table has one."""
    return find_roles(table.columns, settings.columns, ("status",), table.shown)
