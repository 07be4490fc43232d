"""Rows of a table that score an item again: repeats, or other items under one name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from store.importers.bundle import Guess, RowProblems
from store.importers.cells import as_text, looks_numeric
from store.importers.columnar import Coded, Codes, are_distinct, repeated, smallest, together
from store.importers.columns import ROLE_NAMES, fields_of, normal_name, role_cells
from store.importers.generic_forms import Plan
from store.importers.generic_rows import Names, RowKeys, read_keys
from store.importers.metric_registry import words_of
from store.importers.no_metrics import is_answer
from store.importers.problems import listed
from store.importers.settings import Settings
from store.importers.tables import Table
from store.importers.telling_sets import named_after, system_columns

_COUNTS_REPEATS = re.compile(
    r"(attempt|iteration|iter|try|rep|round|replicate|sample|generation|completion|draw|rollout|"
    r"repetition|repeat|trial|run|pass)(_?(no|nr|num|number|idx|index|id|count))?"
)
"""Columns of repeats, by their names."""
_PARTS = words_of(
    "category subset split subject topic domain language lang locale document doc passage file "
    "session user subtask section part source level group"
)
"""Columns within whose values the names of items begin anew."""
_MOST_VALUES = 50
"""Of a column that may tell repeats apart; more of them measure something."""
_FEWEST_ITEMS = 2
"""From which on rows that repeat each item equally often are repeats by their order."""


class Apart(NamedTuple):
    """How rows that score an item again are read."""

    plan: Plan
    keys: RowKeys
    guesses: Sequence[Guess] = ()


def repeats_apart(table: Table, plan: Plan, keys: RowKeys, settings: Settings) -> Apart:
    """Return how rows are read of which several score one item; else what to do about them.

    A column that counts repeats, or within which the names begin anew, is taken for that by its
    name. A column of words is part of the item where few of these stand again, else it tells runs
    apart. Without any column that tells the rows apart, items that all have equally many rows are
    repeated in their order, and texts that name items stand for several of them.
    """
    times = _times(keys)
    if not times.any():
        return Apart(plan, keys)
    columns = [] if "trial" in plan.roles else _telling_columns(table, plan, keys)
    for column in columns:
        if _counts_repeats(column):
            return _with_role("trial", column, table, plan, settings, "the rows of an item")
    if keys.system is not None:
        parts = _parts(keys)
        of_system = system_columns(table, plan, keys, parts, lambda c: _coded(table, c))
        if of_system:
            whole = named_after(of_system, plan.roles.get("system"))
            named = [guess for guess in settings.guesses if guess.subject != "system"]
            settings = replace(settings, guesses=tuple(named))
            return _with_role("system", whole, table, plan, settings, "the rows of an item")
    if "trial" in plan.roles:
        return Apart(plan, keys)
    for column in columns:
        if normal_name(column) in _PARTS and not plan.roles["item"].startswith("@"):
            whole = f"{{{column}}}/{{{plan.roles['item']}}}"
            return _with_role("item", whole, table, plan, settings, f"names anew in '{column}'")
    words = [column for column in columns if not looks_numeric(table.cells[column])]
    if words and "run" not in plan.roles and not plan.roles["item"].startswith("@"):
        column = min(words, key=lambda one: len(set(map(str, table.cells[one]))))
        if 2 * _n_repeated(keys, times) >= sum(map(len, keys.items)):
            return _with_role("run", column, table, plan, settings, "the rows of an item")
        whole = f"{{{column}}}/{{{plan.roles['item']}}}"
        return _with_role("item", whole, table, plan, settings, "few items stand again, and they")
    if not columns and not _varies_within_items(table, plan, keys):
        if _are_equally_many(keys, times):
            n_times = int(times.max()) + 1
            guess = Guess("trial", "the order of the rows", f"each item has {n_times} of them")
            trials = times.astype(smallest(n_times))
            return Apart(plan, replace(keys, trial=trials, n_trials=n_times), [guess])
        if normal_name(plan.roles["item"]) in ROLE_NAMES["input"]:
            because = f"a text in '{plan.roles['item']}' stands several times"
            guess = Guess("item", "a text and its number", because)
            return Apart(plan, _numbered(keys, times), [guess])
    return Apart(plan, replace(keys, advice=_advice(columns, keys)))


def _parts(keys: RowKeys) -> list[Codes]:
    parts = [keys.dataset, keys.item, keys.run, keys.trial]
    return parts + [part for part in (keys.system, keys.metric) if part is not None]


def _times(keys: RowKeys) -> Codes:
    """Return, for each row, how many rows before it score the same."""
    parts = _parts(keys)
    sizes = [int(part.max()) + 1 for part in parts]
    if are_distinct(parts, sizes):
        return repeated(0, keys.n_rows)
    _, codes = together(parts, sizes)
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    begins = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    lengths = np.diff(np.r_[begins, len(ordered)])
    times = np.empty(keys.n_rows, np.int64)
    times[order] = np.arange(keys.n_rows) - np.repeat(begins, lengths)
    return times


def _n_repeated(keys: RowKeys, times: Codes) -> int:
    """Return how many items have a second row of one system."""
    again = np.flatnonzero(times)
    return len(set(zip(keys.dataset[again].tolist(), keys.item[again].tolist(), strict=True)))


def _telling_columns(table: Table, plan: Plan, keys: RowKeys) -> list[str]:
    """Return the columns with few values by which no item has two rows."""
    parts = _parts(keys)
    group = [plan.roles["group"]] if plan.roles.get("group") in table.columns else []
    counts = [c for one in plan.scores for c in one.columns if _counts_repeats(c)]
    found = []
    for column in [*plan.leftover, *group, *counts[: len(plan.scores) - 1]]:
        coded = None if is_answer(column) else _coded(table, column)
        if coded is None or not 1 < len(coded.values) <= _MOST_VALUES:
            continue
        more = [*parts, keys.of(coded.codes)]
        if are_distinct(more, [int(part.max()) + 1 for part in more]):
            found.append(column)
    return found


def _counts_repeats(column: str) -> bool:
    return _COUNTS_REPEATS.fullmatch(normal_name(column)) is not None


def _coded(table: Table, column: str) -> Coded | None:
    cells = role_cells(table, column)
    if isinstance(cells, Coded):
        return cells
    if any(isinstance(cell, (list, dict)) for cell in cells):
        return None
    return Coded.of(as_text(cell) for cell in cells)


def _varies_within_items(table: Table, plan: Plan, keys: RowKeys) -> bool:
    """Return whether rows of an item have another input or reference: they are other items."""
    for role in ("input", "reference"):
        column = plan.roles.get(role)
        coded = None if column is None else _coded(table, column)
        if coded is None:
            continue
        parts = [keys.dataset, keys.item]
        sizes = [int(part.max()) + 1 for part in parts]
        n_items = len(together(parts, sizes)[0][0])
        codes = keys.of(coded.codes)
        if len(together([*parts, codes], [*sizes, len(coded.values)])[0][0]) > n_items:
            return True
    return False


def _are_equally_many(keys: RowKeys, times: Codes) -> bool:
    """Return whether every item of each system has as many rows, and there are several items."""
    parts = _parts(keys)
    found, codes = together(parts, [int(part.max()) + 1 for part in parts])
    counts = np.bincount(codes, minlength=len(found[0]))
    n_items = max(len(names) for names in keys.items)
    return n_items >= _FEWEST_ITEMS and bool((counts == counts[0]).all())


def _with_role(
    role: str, column: str, table: Table, plan: Plan, settings: Settings, because: str
) -> Apart:
    used = fields_of(column, table.columns)
    plan = replace(
        plan,
        roles={**plan.roles, role: column},
        scores=tuple(one for one in plan.scores if column not in one.columns),
        leftover=tuple(name for name in plan.leftover if role == "item" or name not in used),
    )
    keys = read_keys(table, plan, settings, RowProblems(lenient=True))  # problems are known
    return Apart(plan, keys, [Guess(role, column, f"{because} differ in nothing else")])


def _numbered(keys: RowKeys, times: Codes) -> RowKeys:
    """Return the keys with items of their own for rows that name an item again."""
    items = tuple(Names(names) for names in keys.items)
    item = keys.item.astype(np.int64)
    for row in np.flatnonzero(times).tolist():
        dataset = int(keys.dataset[row])
        name = keys.items[dataset][int(keys.item[row])]
        item[row] = items[dataset].number(f"{name} ({int(times[row]) + 1})")
    return replace(keys, items=items, item=item.astype(smallest(int(item.max()) + 1)))


def _advice(columns: Sequence[str], keys: RowKeys) -> str:
    """Return what helps against rows that score an item again."""
    if columns:
        named = listed([f"'{column}'" for column in columns])
        return (
            f" They differ in {named}: --column trial={columns[0]} where it counts repeats, "
            f"--column run={columns[0]} where it tells runs apart."
        )
    told = " For repeats number them in a column of their own: --column trial=NAME."
    is_of_one = keys.system is None or len(keys.systems) == 1
    return told + " Rows that are items of their own: --column item=@line." * is_of_one
