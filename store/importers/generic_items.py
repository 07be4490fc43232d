"""Properties of items that a table of scores states beside the scores."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from store.importers.bundle import BundleItem, RowProblems
from store.importers.cells import as_text, is_missing
from store.importers.columnar import PART, Coded, Codes, Numbers, first_rows
from store.importers.columns import normal_name, role_cells
from store.importers.generic_forms import Plan
from store.importers.generic_rows import RowKeys
from store.importers.key_columns import IntArray
from store.importers.named_items import NamedItems
from store.importers.tables import Table


def read_items(
    table: Table, plan: Plan, keys: RowKeys, problems: RowProblems, *, with_text: bool
) -> tuple[list[Sequence[BundleItem]], list[str]]:
    """Return the items of each dataset in order, and what was understood.

    A group, input or reference that changes for an item is reported; any other column is kept as
    metadata when it is constant for every item, and ignored otherwise.
    """
    offsets = np.concatenate(([0], np.cumsum([len(items) for items in keys.items])))
    fixed: dict[str, Mapping[int, Any]] = {}
    metadata: dict[str, dict[int, Any]] = {}
    understood: list[str] = []
    roles = [role for role in ("group", "input", "reference") if role in plan.roles]
    if roles or plan.leftover:
        places = _Places.of(table, keys, offsets)
        for role in roles:
            cells = role_cells(table, plan.roles[role])
            fixed[role] = _constant_values(cells, role, plan.roles[role], places, problems)
        metadata, understood = _metadata(plan.leftover, places)
    groups, inputs = fixed.get("group", {}), fixed.get("input", {})
    references = fixed.get("reference", {})
    if not (fixed or metadata):
        return [NamedItems(names.all) for names in keys.items], understood
    found: list[Sequence[BundleItem]] = []
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


def without_changing_group(
    table: Table, plan: Plan, keys: RowKeys, stated: Mapping[str, str]
) -> Plan:
    """Return the plan without the group ``cluster`` where it changes within an item.

    What a clustering of each system gave is called so, too.
    """
    column = plan.roles.get("group", "")
    if "group" in stated or not normal_name(column).startswith("cluster"):
        return plan
    offsets = np.concatenate(([0], np.cumsum([len(items) for items in keys.items])))
    cells = role_cells(table, column)
    if _constant_cells(cells, _Places.of(table, keys, offsets)) is not None:
        return plan
    told = f"'{column}' changes within an item and is no group of items."
    roles = {role: column for role, column in plan.roles.items() if role != "group"}
    return replace(plan, roles=roles, understood=(*plan.understood, told))


@dataclass(frozen=True, slots=True)
class _Places:
    """Of which item each usable row of a table is."""

    table: Table
    keys: RowKeys
    items: Codes
    """Shape (n_rows,): the items of all datasets are counted through."""
    first: IntArray
    """Shape (n_items,): the first row of each item."""

    @classmethod
    def of(cls, table: Table, keys: RowKeys, offsets: IntArray) -> _Places:
        items = keys.item
        if len(keys.items) > 1:
            items = offsets.astype(np.int32)[keys.dataset] + keys.item
        return cls(table, keys, items, first_rows(items, int(offsets[-1])))

    def rows(self) -> Iterator[tuple[int, int]]:
        """Yield row of the table and item."""
        rows = range(len(self.items)) if self.keys.usable is None else self.keys.usable.tolist()
        return zip(rows, self.items.tolist(), strict=True)

    def varies(self, cells: Sequence[Any]) -> bool | None:
        """Return whether an item has different cells; ``None`` where arrays do not tell."""
        if isinstance(cells, Numbers):
            if _differ(self.keys.of(cells.numbers), self.items, self.first):
                return True
            cells = Coded.of(cells)  # 0.5 and 0.50 are two cells
        if not isinstance(cells, Coded):
            return None
        if any(cell != cell for cell in cells.values):
            return True
        return _differ(self.keys.of(cells.codes), self.items, self.first)


def _differ(values: npt.NDArray[Any], items: Codes, first: IntArray) -> bool:
    """Return whether a value is another one than that of the first row of its item; not of NaN."""
    for start in range(0, len(values), PART):
        here = values[start : start + PART]
        there = values[first[items[start : start + PART]]]
        if ((here != there) & (here == here) & (there == there)).any():
            return True
    return False


def _constant_values(
    cells: Sequence[Any], role: str, column: str, places: _Places, problems: RowProblems
) -> dict[int, Any]:
    """Return item -> cell; report rows that contradict an earlier one."""
    table = places.table
    if places.varies(cells) is False:
        known_cells = {i: cells[places.keys.row(r)] for i, r in enumerate(places.first.tolist())}
        return {item: cell for item, cell in known_cells.items() if not _says_nothing(cell, role)}
    known: dict[int, tuple[Any, int]] = {}
    for row, item in places.rows():
        cell, line = cells[row], table.lines[row]
        if _says_nothing(cell, role):
            continue
        if isinstance(cell, (list, dict)):
            problems.report(table.shown, line, column, "holds a list or an object, not one value.")
            continue
        earlier, where = known.setdefault(item, (cell, line))
        if earlier != cell:
            told = f": '{cell}' here, '{earlier}'" if role == "group" else ": other text here than"
            reason = f"the {role} of one item changes{told} in line {where}. If that is meant, "
            reason += f"leave the column out with --column {role}=."
            problems.report(table.shown, line, column, reason)
    return {item: cell for item, (cell, _) in known.items()}


def _says_nothing(cell: Any, role: str) -> bool:
    if cell is None:
        return True
    return is_missing(cell) if role == "group" else bool(cell == "")


def _metadata(
    columns: Sequence[str], places: _Places
) -> tuple[dict[str, dict[int, Any]], list[str]]:
    """Return column -> item -> cell for the columns that are constant for every item."""
    kept: dict[str, dict[int, Any]] = {}
    changing, empty = [], []
    for column in columns:
        cells = places.table.cells[column]
        known = _constant_cells(cells, places)
        if known is None:
            changing.append(column)
            continue
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


def _constant_cells(cells: Sequence[Any], places: _Places) -> dict[int, Any] | None:
    """Return item -> cell; ``None`` where the cells of an item differ."""
    varies = places.varies(cells)
    if varies is not None:
        rows = places.first.tolist()
        return None if varies else {i: cells[places.keys.row(r)] for i, r in enumerate(rows)}
    known: dict[int, Any] = {}
    for row, item in places.rows():
        cell = cells[row]
        if known.setdefault(item, cell) != cell:
            return None
    return known


def _digest(cell: Any) -> str:
    return hashlib.sha256((_as_str(cell) or "").encode()).hexdigest()


def _as_str(cell: Any) -> str | None:
    return cell if cell is None or isinstance(cell, str) else as_text(cell)
