"""Columns that say of each row that an attempt failed: ``judge_failed``, ``timed_out`` and such."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from store.importers.cells import is_empty, looks_numeric, read_numbers
from store.importers.columns import find_roles, normal_name
from store.importers.generic_roles import generic_roles
from store.importers.kinds import FAILED, OUTCOME_WORDS, Status
from store.importers.known_metrics import lookup
from store.importers.melted import melted
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
        rows = _true_rows(table.cells[name])
        if rows is None:
            continue
        told.append(name)
        found |= dict.fromkeys(rows, outcome) | found
    if not told:
        return table
    kept = tuple(name for name in table.columns if name not in told)
    cells = {name: table.cells[name] for name in kept}
    note = f"Taken for the outcome of an attempt: {', '.join(told)}."
    return with_statuses(
        replace(table, columns=kept, cells=cells, notes=(*table.notes, note)), settings, found
    )


def _true_rows(cells: Sequence[Any]) -> list[int] | None:
    """Return the rows that say true; ``None`` where any holds neither true nor false."""
    read = read_numbers(cells)
    if read.problems or not np.isin(read.values[~np.isnan(read.values)], (0, 1)).all():
        return None
    return list(np.flatnonzero(read.values == 1).tolist())


def outcomes_of_systems_as_rows(table: Table, settings: Settings) -> Table:
    """Return the table with a row for each system, where columns say of systems that they failed.

    ``A, A_crashed, B, B_timed_out`` become rows of A and B with a score and a status. A table
    whose columns are known metrics stays, and so does one with a column of systems.
    """
    flags: dict[str, tuple[str, Status]] = {}
    for name in table.columns:
        for word, outcome in _NAMED.items():
            system = name[: -len(word) - 1]
            if normal_name(name).endswith(f"_{word}") and system in table.columns:
                flags[name] = system, outcome
    score = settings.metric or "score"
    new = {"system", score, "status"}
    stated = {*settings.columns.values()} & {*flags}
    if not flags or stated or settings.system or settings.layout or new & {*table.columns}:
        return table
    roles = generic_roles(table, settings)
    taken = {*flags, *roles.values()}
    failing = [system for system, _ in flags.values()]
    systems = [
        c
        for c in table.columns
        if c not in taken
        and (looks_numeric(table.cells[c]) or (c in failing and is_empty(table.cells[c])))
    ]
    if any(lookup(system) is not None for system in failing):
        return table
    is_known = settings.metric is not None or {*systems} == {*failing}
    if "item" not in roles or not {"system", "metric", "score"}.isdisjoint(roles) or not is_known:
        return table
    statuses: list[str | None] = [None] * (len(table) * len(systems))
    for name, (system, outcome) in flags.items():
        rows = _true_rows(table.cells[name])
        if rows is None or system not in systems:
            return table
        for row in rows:
            statuses[row * len(systems) + systems.index(system)] = OUTCOME_WORDS[outcome]
    by_row = zip(*(table.cells[system] for system in systems), strict=True)
    return melted(
        table,
        [c for c in table.columns if c not in (*systems, *flags)],
        len(systems),
        {
            "system": systems * len(table),
            score: [cell for row in by_row for cell in row],
            "status": statuses,
        },
        f"Columns read as systems: {', '.join(systems)}; as the outcomes of their attempts: "
        f"{', '.join(flags)}.",
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
