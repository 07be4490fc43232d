"""The column that names the items of a table, where no column has one of the usual names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from store.errors import ImportFormatError
from store.importers.bundle import RowProblems
from store.importers.cells import as_text, is_missing
from store.importers.columns import fields_of, normal_name, role_cells
from store.importers.metric_registry import words_of
from store.importers.tables import Table, read_table

_FILES = words_of(
    """utt utt_id utterance_id uttid audio_id audio audio_path audio_file audio_filepath wav
    wav_path
    image image_id image_path img img_path video_id file file_name filename filepath path"""
)
_TEXTS = words_of("sentence text utterance title query claim premise statement passage source_text")
_NO_ITEMS = words_of("run model system annotator worker rater user config experiment paper session")
"""Words in the names of columns of ids that are not those of items."""
_FEWEST = 10
"""Rows of a system from which a table with such a column is one of items."""


def item_column(table: Table, roles: Mapping[str, str]) -> str | None:
    """Return the column of ids, files or texts that are others in each row of a system."""
    if len(table) < 1:
        return None
    taken = {name for column in roles.values() for name in fields_of(column, table.columns)}
    free = [column for column in table.columns if column not in taken]
    system = roles.get("system")
    systems = [as_text(cell) for cell in role_cells(table, system)] if system else [""] * len(table)
    for is_fit in (_is_id, _is_file, _is_text):
        for column in free:
            if not is_fit(column):
                continue
            cells = table.cells[column]
            if any(isinstance(cell, (list, dict)) or is_missing(cell) for cell in cells):
                continue
            rows = set(zip(systems, map(as_text, cells), strict=True))
            if len(rows) == len(table):
                return column
    return None


def are_items_unsaid(path: Path, roles: Mapping[str, str]) -> bool:
    """Return whether a table with a column of systems has many rows of each, one for each item."""
    try:
        table = read_table(path, path.name, RowProblems(lenient=True))
        systems = {as_text(cell) for cell in role_cells(table, roles["system"])}
        return len(table) >= _FEWEST * len(systems) and item_column(table, roles) is not None
    except (ImportFormatError, OSError, ValueError, TypeError):
        return False


def _is_id(column: str) -> bool:
    words = normal_name(column).split("_")
    return words[-1] in ("id", "uid", "key") and _NO_ITEMS.isdisjoint(words)


def _is_file(column: str) -> bool:
    return normal_name(column) in _FILES


def _is_text(column: str) -> bool:
    return normal_name(column) in _TEXTS
