"""What a table of item scores does not say and its names suggest."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from store.importers.cells import looks_numeric
from store.importers.columns import fields_of, normal_name, role_cells
from store.importers.file_names import says_nothing
from store.importers.generic_roles import generic_roles
from store.importers.judgments.sheet import flat
from store.importers.known_metrics import is_quality, lookup
from store.importers.known_names import share_of_systems
from store.importers.metric_registry import words_of
from store.importers.no_metrics import no_metric_by_name
from store.importers.settings import Settings
from store.importers.tables import Table
from store.importers.textfile import data_stem

_MARKS = ("_", ".", "/", "-")
_FEATURES = 5
"""How many columns stand beside one that may be a cost or a loss in a table of something else."""
_MOSTLY = 0.5
"""Share of columns from which they are taken for systems."""
_FEWEST_COLUMNS = 4
"""Columns from which it shows that each system has each metric."""
_PLAIN = words_of("score scores value rating result points grade")
"""Names of columns of scores that do not say of what."""
_CRITERIA = words_of("criterion criteria aspect dimension quality_dimension metric_name rubric")
_NAME = re.compile(r"[^\W\d][\w -]{1,39}")
_WRAPPERS = ("metrics.", "scores.", "score.", "results.")


def with_guesses(table: Table, settings: Settings) -> Settings:
    """Return the settings with what the table needs and nobody states, where a name suggests it.

    Nothing is guessed for a table that names no items: it may be anything.
    """
    roles = generic_roles(table, settings)
    if "item" not in roles:
        return settings
    if "score" in roles:
        return _long(table, roles, settings)
    free = _numeric(table, roles)
    known = [column for column in free if lookup(column) is not None]
    has_system = "system" in roles or settings.system is not None
    if not has_system and not settings.metric and not settings.layout:
        layout = layout_of(free)
        if layout:
            because = "columns that each name a system and a metric"
            settings = settings.guessing("layout", layout, because)
        elif known and not _are_features(free, known):
            settings = settings.with_system()
        elif (metric := _metric_of_systems(free, settings)) is not None:
            settings = settings.guessing("metric", *metric)
    return settings if "dataset" in roles else _with_dataset(table, roles, settings)


def _with_dataset(table: Table, roles: Mapping[str, str], settings: Settings) -> Settings:
    systems = set(map(str, role_cells(table, roles["system"]))) if "system" in roles else set()
    only = next(iter(systems)) if len(systems) == 1 else None
    if only and "prompt_variant" in roles:
        variants = set(map(str, role_cells(table, roles["prompt_variant"])))
        only = f"{only} {next(iter(variants))}" if len(variants) == 1 else only
    return settings.with_dataset(use_stem=not _is_system(table, roles, settings), system=only)


def _is_system(table: Table, roles: Mapping[str, str], settings: Settings) -> bool:
    """Return whether the file is called after its system, as guessed or as its column says."""
    if any(one.subject == "system" for one in settings.guesses):
        return True
    cells = role_cells(table, roles["system"])[:1] if "system" in roles else []
    return any(str(cell) == data_stem(settings.path.name) for cell in cells)


def spread_where_needed(table: Table, settings: Settings) -> Table:
    """Return the table with objects spread over columns, where no other column has numbers."""
    roles = generic_roles(table, settings)
    if "score" in roles or settings.columns or settings.layout or _numeric(table, roles):
        return table
    spread = flat(table)
    names = {c: c.partition(".")[2] if c.startswith(_WRAPPERS) else c for c in spread.columns}
    if len(set(names.values())) < len(names):
        return spread
    cells = {names[column]: spread.cells[column] for column in spread.columns}
    return replace(spread, columns=tuple(cells), cells=cells)


def _long(table: Table, roles: Mapping[str, str], settings: Settings) -> Settings:
    if "metric" not in roles and not settings.metric:
        column = roles["score"]
        named = _criterion(table) if normal_name(column) in _PLAIN else None
        if named is not None:
            settings = settings.guessing("metric", named[0], f"the column '{named[1]}'")
        else:
            settings = settings.guessing("metric", column, "the column of scores")
    if "system" not in roles and not settings.system:
        settings = settings.with_system()
    return settings if "dataset" in roles else _with_dataset(table, roles, settings)


def _criterion(table: Table) -> tuple[str, str] | None:
    """Return what all rows were rated for, and the column that says it, where one does."""
    for column in table.columns:
        if normal_name(column) in _CRITERIA:
            words = {str(cell).strip() for cell in table.cells[column]}
            if len(words) == 1 and _NAME.fullmatch(word := words.pop()):
                return word, column
    return None


def _are_features(columns: Sequence[str], known: Sequence[str]) -> bool:
    """Return whether numbers describe what a row is about, as ``Age`` and ``Weight Loss`` do."""
    return not any(map(is_quality, known)) and len(columns) >= _FEATURES * len(known)


def _metric_of_systems(columns: Sequence[str], settings: Settings) -> tuple[str, str] | None:
    """Return the metric of columns that are systems, and why; ``None``: they may be anything."""
    if len(columns) < 2 or any(no_metric_by_name(column) for column in columns):
        return None
    words = re.findall(r"[^\W_]+", data_stem(settings.path.name))
    named = next((word for word in reversed(words) if lookup(word) is not None), None)
    if named is not None and not says_nothing(named):
        return named, "the name of the file"
    if share_of_systems(list(columns)) < _MOSTLY:
        return None
    return "score", f"columns that are called like systems ({', '.join(columns[:3])})"


def _numeric(table: Table, roles: Mapping[str, str]) -> list[str]:
    used = {name for column in roles.values() for name in fields_of(column, table.columns)}
    return [c for c in table.columns if c not in used and looks_numeric(table.cells[c])]


def layout_of(columns: Sequence[str]) -> str | None:
    """Return the pattern that splits all columns into systems and metrics, each with each.

    The metrics are known ones, or the rest is called like systems; for one metric both is so.
    """
    if len(columns) < 2:
        return None
    for mark in _MARKS:
        if not all(mark in column.strip(mark) for column in columns):
            continue
        for is_first in (True, False):
            halves = [c.rpartition(mark) if is_first else c.partition(mark) for c in columns]
            pairs = [(one, other) if is_first else (other, one) for one, _, other in halves]
            systems, metrics = ({pair[n] for pair in pairs} for n in (0, 1))
            is_product = len(systems) * len(metrics) == len(columns) and len(systems) > 1
            are_known = all(lookup(name) is not None for name in metrics)
            are_systems = _are_systems(systems, metrics)
            shows = any if len(metrics) > 1 and len(columns) >= _FEWEST_COLUMNS else all
            if is_product and shows((are_known, are_systems)):
                return f"{{system}}{mark}{{metric}}" if is_first else f"{{metric}}{mark}{{system}}"
    return None


def _are_systems(names: Collection[str], others: Collection[str]) -> bool:
    return share_of_systems(list(names)) >= _MOSTLY and share_of_systems(list(others)) == 0
