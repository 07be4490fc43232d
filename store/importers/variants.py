"""A setting that stands in a column and in the name of the file: it is a part of the system."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from store.importers.columns import fields_of, normal_name, role_cells
from store.importers.file_names import beside_system
from store.importers.generic_roles import generic_roles
from store.importers.metric_registry import words_of
from store.importers.settings import Settings
from store.importers.tables import Table
from store.importers.textfile import data_stem

_OF_DATA = words_of(
    """dataset data benchmark bench task subset split domain language lang corpus category subject
    topic test suite level source"""
)
"""Words in the names of columns that say what was asked, not who answered."""


def with_variant(table: Table, settings: Settings) -> Settings:
    """Return the settings with the variant of the only system, where column and file name it.

    ``gpt-4_cot.json`` whose rows say ``"strategy": "cot"`` is of gpt-4 (cot), on no dataset "cot".
    """
    roles = generic_roles(table, settings)
    if "system" not in roles or "prompt_variant" in roles or settings.system:
        return settings
    systems = set(map(str, role_cells(table, roles["system"])))
    rest = beside_system(data_stem(settings.path.name), *systems) if len(systems) == 1 else None
    if not rest:
        return settings
    taken = {name for column in roles.values() for name in fields_of(column, table.columns)}
    column = _column_that_says(table, _words(rest), taken)
    if column is None:
        return settings
    columns = {**settings.options.columns, "prompt_variant": column}
    settings = replace(settings, options=replace(settings.options, columns=columns))
    because = f"its column '{column}' and the name of the file"
    return settings.guessing("variant of the system", rest, because)


def _column_that_says(table: Table, words: str, taken: Collection[str]) -> str | None:
    for column in table.columns:
        if column in taken or not _OF_DATA.isdisjoint(normal_name(column).split("_")):
            continue
        cells = table.cells[column]
        first = cells[0] if len(cells) else None
        if isinstance(first, str) and _words(first) == words and len(set(map(str, cells))) == 1:
            return column
    return None


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.lower()))
