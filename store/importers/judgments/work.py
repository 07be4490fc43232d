"""What platforms of annotation say of the work itself: how long it took, what was paid."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from store.importers.cells import as_text, is_missing, looks_numeric
from store.importers.columns import fields_of, normal_name, role_cells
from store.importers.known_metrics import lookup
from store.importers.tables import Table

_OF_WORK = re.compile(
    r"(.*_)?(lead_?time|work_?time(_?in_?seconds)?|time_(spent|taken)|duration(_.*)?|elapsed(_.*)?|"
    r"max_?assignments|reward|payment|bonus|lifetime_?approval_?rate|progress|completion_time|"
    r"annotation_?id|attempts?_left)"
)
_PREFIXES = ("Input.", "Answer.")
_FEWEST = 8
"""Rows from which the labels of a column show what they are."""
_MOST_LABELS = 12


def is_about_work(name: str) -> bool:
    """Return whether a column says how long a judgment took or what was paid, by its name."""
    known = lookup(name)
    is_spent = known is not None and known.measured in ("seconds", "money")
    return is_spent or _OF_WORK.fullmatch(normal_name(name)) is not None


def without_platform(table: Table) -> Table:
    """Return a batch of Mechanical Turk with its inputs and answers under their own names."""
    renamed = own_names(table.columns)
    if not renamed:
        return table
    cells = {name: table.cells[column] for column, name in renamed.items()}
    note = "A batch of Mechanical Turk: its inputs and answers are read."
    return replace(table, columns=tuple(cells), cells=cells, notes=(*table.notes, note))


def own_names(columns: Sequence[str]) -> dict[str, str]:
    """Return column -> its own name in a batch of Mechanical Turk; nothing in another table.

    What the platform says of the task and of the work is left; who worked is kept, and what the
    task is called where no input names the item.
    """
    by_name = {normal_name(column): column for column in columns}
    if not {"hitid", "workerid"} <= by_name.keys():
        return {}
    renamed = {
        column: column.partition(".")[2]
        for column in columns
        if column.startswith(_PREFIXES) and column.partition(".")[2]
    }
    if not any(column.startswith("Answer.") for column in renamed):
        return {}
    renamed[by_name["workerid"]] = "worker_id"
    if not any(normal_name(name).endswith("id") for c, name in renamed.items() if c[0] == "I"):
        renamed[by_name["hitid"]] = "item"
    return renamed if len(set(renamed.values())) == len(renamed) else {}


def label_column(table: Table, roles: dict[str, str], columns: list[str]) -> str | None:
    """Return the only one of some columns that holds few labels in words, of which people differ.

    A column that says the same in all rows of an item is about the item.
    """
    named = role_cells(table, roles.get("item") or roles["input"])
    if any(isinstance(cell, (list, dict)) for cell in named):
        return None
    items = list(map(as_text, named))
    found = []
    for column in columns:
        cells = [cell for cell in table.cells[column] if not is_missing(cell)]
        if len(cells) < _FEWEST or any(isinstance(cell, (list, dict)) for cell in cells):
            continue
        labels = set(map(as_text, cells))
        said = set(zip(items, map(as_text, table.cells[column]), strict=True))
        if (
            not looks_numeric(cells)
            and 1 < len(labels) <= _MOST_LABELS
            and len(said) > len(set(items))
        ):
            found.append(column)
    return found[0] if len(found) == 1 else None


def item_in_common(table: Table, roles: dict[str, str]) -> str | None:
    """Return the column of what several systems were given, where each task has one system alone.

    A platform numbers the tasks, so that no two systems seem to share an item.
    """
    if not {"item", "system"} <= roles.keys():
        return None
    named = [role_cells(table, roles[role]) for role in ("item", "system")]
    if any(isinstance(cell, (list, dict)) for cells in named for cell in cells):
        return None
    tasks, systems = (list(map(as_text, cells)) for cells in named)
    of_task = dict(zip(tasks, systems, strict=True))
    n_systems = len(set(systems))
    if n_systems < 2 or any(of_task[t] != s for t, s in zip(tasks, systems, strict=True)):
        return None
    taken = {name for column in roles.values() for name in fields_of(column, table.columns)}
    for column in [roles["input"]] if "input" in roles else table.columns:
        cells = table.cells[column]
        is_list = any(isinstance(cell, (list, dict)) for cell in cells)
        if is_list or looks_numeric(cells) or (column in taken and column != roles.get("input")):
            continue
        texts = list(map(as_text, cells))
        pairs = set(zip(texts, systems, strict=True))
        in_all = len(pairs) == n_systems * len(set(texts)) and len(set(texts)) > 1
        if in_all and len(pairs) == len(of_task) and _is_one_each(tasks, texts):
            return column
    return None


def _is_one_each(tasks: list[str], texts: list[str]) -> bool:
    """Return whether each task has one text."""
    return len(set(zip(tasks, texts, strict=True))) == len(set(tasks))
