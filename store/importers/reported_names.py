"""What names systems and datasets of a table of stated figures, where no column is called so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from store.importers.board_columns import what_columns_are
from store.importers.cells import is_missing
from store.importers.columns import normal_name
from store.importers.file_names import specific_name
from store.importers.known_metrics import lookup
from store.importers.known_names import share_of_systems
from store.importers.naming_columns import metric_of_file, naming_column, subset_column
from store.importers.reported_plan import figure_columns
from store.importers.reported_pvalues import has_pvalues
from store.importers.settings import Settings
from store.importers.spread_systems import SYSTEM, with_row_for_each_system
from store.importers.tables import RECORD_SUFFIXES, Table
from store.importers.textfile import DATA_SUFFIXES, data_stem, data_suffix

_LINK = re.compile(
    r"""\[([^][]+)\]\(\s*https?://[^()\s]+\s*\)|<a\b[^<>]*>\s*([^<>]+?)\s*</a>""", re.IGNORECASE
)
"""A name with an address, in Markdown or HTML."""
_PATH = re.compile(
    rf".*/[^/]+({'|'.join(map(re.escape, DATA_SUFFIXES))}|\.ya?ml)(\.gz)?", re.IGNORECASE
)
"""The path of a file with data."""

_NO_NAME = ("", "column_1", "unnamed_0", "index")
"""What the corner of a table is called where it has no name."""
_SURE = 0.5


def with_names(table: Table, roles: dict[str, str], settings: Settings) -> tuple[Table, Settings]:
    """Return the table with a row for each system, and the settings with what was guessed.

    `roles` gets the columns that name systems and datasets.
    """
    if not has_pvalues(table.columns):
        if {"system", "dataset", "score"}.isdisjoint(roles):
            settings = _guess_names(table, roles, settings)
        elif {"system", "score"}.isdisjoint(roles):
            settings = _guess_systems_of_datasets(table, roles, settings)
        table, settings = _spread_systems(table, roles, settings)
    table = _without_folders(_without_links(table, roles), roles)
    return _name_datasets_of_records(table, roles, settings)


def _without_links(table: Table, roles: dict[str, str]) -> Table:
    """Return the table with names where its cells link to them, as boards on the web do."""
    cells = dict(table.cells)
    for role in ("system", "dataset"):
        column = roles.get(role, "")
        found = [_LINK.fullmatch(str(cell)) for cell in cells.get(column, ())]
        if found and all(found):
            cells[column] = [match[1] or match[2] for match in found if match is not None]
    return table if cells == table.cells else replace(table, cells=cells)


def _without_folders(table: Table, roles: dict[str, str]) -> Table:
    """Return the table with datasets that are paths of files called after these files."""
    column = roles.get("dataset", "")
    found = list(map(str, table.cells.get(column, ())))
    if not found or not all(map(_PATH.fullmatch, found)):
        return table
    stems = {one: data_stem(one) for one in found}
    is_told = all(map(specific_name, stems.values()))
    if not is_told or len(set(stems.values())) < len(stems):
        return table
    return replace(table, cells={**table.cells, column: [stems[one] for one in found]})


def is_of_datasets(table: Table) -> bool:
    """Return whether rows are datasets below a corner without a name, and columns systems."""
    corner, *others = table.columns
    if normal_name(corner) not in _NO_NAME or share_of_systems(others) < _SURE:
        return False
    names = list(map(str, table.cells[corner]))
    return 1 < len(set(names)) == len(names) and share_of_systems(names) <= -_SURE


def with_metric_of_systems(columns: Sequence[str], settings: Settings) -> Settings:
    """Return the settings with the metric of columns that are systems, where the file tells it."""
    metric = metric_of_file(settings.path.name)
    if metric is not None:
        return settings.guessing("metric", metric, "the name of the file")
    if len(columns) > 1 and share_of_systems(list(columns)) >= _SURE:
        return settings.guessing("metric", "score", "columns that are called like systems")
    return settings


def only_system(table: Table, roles: dict[str, str]) -> str | None:
    """Return the system of a table that names just one."""
    names = set(map(str, table.cells.get(roles.get("system", ""), ())))
    return next(iter(names)) if len(names) == 1 else None


def _guess_names(table: Table, roles: dict[str, str], settings: Settings) -> Settings:
    """Let a column of words name parts of a dataset, or the systems."""
    if is_of_datasets(table):
        roles["dataset"] = table.columns[0]
        because = "its words are like names of datasets"
        return settings.guessing("column of the datasets", "the first", because)
    free = {role: name for role, name in roles.items() if role != "item"}
    of_subset = subset_column(table, free)
    if of_subset is not None:
        base = settings.with_dataset().dataset
        roles["dataset"] = f"{base}/{{{of_subset}}}" if base else of_subset
        because = f"the words of '{of_subset}' are others in each row"
        return _guess_metric_of_file(table, roles, settings.guessing("subsets", of_subset, because))
    column = naming_column(table, free)
    if column is not None and not settings.system:
        roles.pop("item", None)
        roles["system"] = column
        because = "its words are others in each row"
        settings = settings.guessing("column of the systems", column, because)
    return settings


def _guess_systems_of_datasets(table: Table, roles: dict[str, str], settings: Settings) -> Settings:
    """Let a column of words name the systems, where each dataset has several rows."""
    datasets = table.cells.get(roles["dataset"])
    if datasets is None or settings.system or settings.metric:
        return settings
    if what_columns_are(figure_columns(table, roles)) != "metrics":
        return settings
    if len(set(map(str, datasets))) == len(table):
        return settings
    column = naming_column(table, roles, within=(roles["dataset"],))
    if column is None:
        return settings
    roles["system"] = column
    because = "its words are others in each row of a dataset"
    return settings.guessing("column of the systems", column, because)


def _guess_metric_of_file(table: Table, roles: dict[str, str], settings: Settings) -> Settings:
    """Let the name of the file tell the metric of columns that are called after none."""
    metric = metric_of_file(table.shown)
    if metric and not settings.metric and not any(map(lookup, figure_columns(table, roles))):
        return settings.guessing("metric", metric, "the name of the file")
    return settings


def _spread_systems(
    table: Table, roles: dict[str, str], settings: Settings
) -> tuple[Table, Settings]:
    """Give each system a row of its own, where columns name a system and a metric each."""
    is_said = settings.system or settings.metric or "system" in roles
    if is_said or "dataset" not in roles:
        return table, settings
    spread = with_row_for_each_system(table, figure_columns(table, roles))
    if spread is None:
        return table, settings
    names = ", ".join(dict.fromkeys(map(str, spread.cells[SYSTEM])))
    roles["system"] = SYSTEM
    return spread, settings.guessing("systems", names, "the names of the columns")


def _name_datasets_of_records(
    table: Table, roles: dict[str, str], settings: Settings
) -> tuple[Table, Settings]:
    """Let records without the key of the dataset be of that which file or folder names.

    In a table an empty cell may stand for the one above it.
    """
    column = roles.get("dataset", "")
    cells = table.cells.get(column, ())
    empty = [is_missing(cell) for cell in cells]
    are_records = data_suffix(settings.path) in (*RECORD_SUFFIXES, ".jsonl")
    if not are_records or not any(empty) or all(empty):
        return table, settings
    named = settings.with_dataset(system=only_system(table, roles))
    if named.dataset is None:
        return table, settings
    filled = [named.dataset if out else cell for cell, out in zip(cells, empty, strict=True)]
    return replace(table, cells={**table.cells, column: filled}), named
