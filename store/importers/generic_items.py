"""Properties of items that a table of scores states beside the scores."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from store.importers.bundle import BundleItem, RowProblems
from store.importers.cells import as_text, is_missing
from store.importers.columns import role_cells
from store.importers.generic_forms import Plan
from store.importers.generic_rows import RowKeys
from store.importers.key_columns import IntArray
from store.importers.tables import Table


def read_items(
    table: Table, plan: Plan, keys: RowKeys, problems: RowProblems, *, with_text: bool
) -> tuple[list[tuple[BundleItem, ...]], list[str]]:
    """Return the items of each dataset in order, and what was understood.

    A group, input or reference that changes for an item is reported; any other column is kept as
    metadata when it is constant for every item, and ignored otherwise.
    """
    offsets = np.concatenate(([0], np.cumsum([len(items) for items in keys.items])))
    item_ids = offsets[keys.dataset] + keys.item
    fixed: dict[str, Mapping[int, Any]] = {}
    for role in ("group", "input", "reference"):
        if role in plan.roles:
            cells = role_cells(table, plan.roles[role])
            places = _Places(table, plan.roles[role], keys.rows, item_ids)
            fixed[role] = _constant_values(cells, role, places, problems)
    metadata, understood = _metadata(table, plan.leftover, keys.rows, item_ids)
    groups, inputs = fixed.get("group", {}), fixed.get("input", {})
    references = fixed.get("reference", {})
    found = []
    for dataset, names in enumerate(keys.items):
        start = int(offsets[dataset])
        found.append(
            tuple(
                BundleItem(
                    key,
                    group=as_text(groups[i]) if i in groups else None,
                    content_hash=_digest(inputs[i]) if i in inputs else None,
                    input_text=_as_str(inputs.get(i)) if with_text else None,
                    reference_text=_as_str(references.get(i)) if with_text else None,
                    metadata={name: v[i] for name, v in metadata.items() if i in v} or None,
                )
                for i, key in enumerate(names, start=start)
            )
        )
    return found, understood


class _Places(NamedTuple):
    table: Table
    column: str
    rows: IntArray
    item_ids: IntArray


def _constant_values(
    cells: Sequence[Any], role: str, places: _Places, problems: RowProblems
) -> dict[int, Any]:
    """Return item -> cell; report rows that contradict an earlier one."""
    table, column = places.table, places.column
    known: dict[int, tuple[Any, int]] = {}
    for row, item in zip(places.rows.tolist(), places.item_ids.tolist(), strict=True):
        cell, line = cells[row], table.lines[row]
        if cell is None or (is_missing(cell) if role == "group" else cell == ""):
            continue
        if isinstance(cell, (list, dict)):
            problems.report(table.shown, line, column, "holds a list or an object, not one value.")
            continue
        earlier, where = known.setdefault(item, (cell, line))
        if earlier != cell:
            told = f": '{cell}' here, '{earlier}'" if role == "group" else ": other text here than"
            reason = f"the {role} of one item changes{told} in line {where}."
            problems.report(table.shown, line, column, reason)
    return {item: cell for item, (cell, _) in known.items()}


def _metadata(
    table: Table, columns: Sequence[str], rows: IntArray, item_ids: IntArray
) -> tuple[dict[str, dict[int, Any]], list[str]]:
    """Return column -> item -> cell for the columns that are constant for every item."""
    kept: dict[str, dict[int, Any]] = {}
    changing, empty = [], []
    pairs = list(zip(rows.tolist(), item_ids.tolist(), strict=True))
    for column in columns:
        cells = table.cells[column]
        known: dict[int, Any] = {}
        for row, item in pairs:
            cell = cells[row]
            if known.setdefault(item, cell) != cell:
                changing.append(column)
                break
        else:
            values = {item: cell for item, cell in known.items() if not is_missing(cell)}
            if values:
                kept[column] = values
            else:
                empty.append(column)
    told = []
    if kept:
        told.append(f"Kept as properties of the items: {', '.join(kept)}.")
    if changing:
        told.append(f"Ignored, because they change within an item: {', '.join(changing)}.")
    if empty:
        told.append(f"Ignored, because they are empty: {', '.join(empty)}.")
    return kept, told


def _digest(cell: Any) -> str:
    return hashlib.sha256((_as_str(cell) or "").encode()).hexdigest()


def _as_str(cell: Any) -> str | None:
    return cell if cell is None or isinstance(cell, str) else as_text(cell)
