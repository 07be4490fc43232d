"""The table that says what is right for a table of outputs, given or found beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from store.errors import AlignmentError, ImportFormatError
from store.importers.bundle import ReadOptions, RowProblems
from store.importers.metric_registry import words_of
from store.importers.scorers.table_keys import cells_at, gold_of_cell, keys_of
from store.importers.scorers.table_roles import TableRoles, roles_of
from store.importers.surroundings import folders_around
from store.importers.tables import TABLE_SUFFIXES, Table, peek_columns, read_table
from store.importers.textfile import data_stem, data_suffix

_WORDS = ("gold", "golds", "reference", "references", "ref", "labels", "truth", "ground_truth")
_MARKS = (".", "_", "-")
_LEVELS = 3
"""Folders that are searched: that of the outputs and those above it."""
_OTHER_COLUMNS = words_of("answer label target sentence")
"""What the column of a table may be called that holds nothing but what is right."""


def gold_beside(path: Path) -> Path | None:
    """Return the table beside a table of outputs that says what is right, by its name."""
    return _beside(path.resolve(), tuple(folders_around(path, _LEVELS)))


@lru_cache(maxsize=1024)
def _beside(path: Path, folders: tuple[Path, ...]) -> Path | None:
    for candidate in _candidates(path, folders):
        if candidate != path and candidate.is_file() and holds_gold(candidate):
            return candidate
    return None


def _candidates(path: Path, folders: Sequence[Path]) -> Iterator[Path]:
    stem, suffix = data_stem(path.name), "".join(path.suffixes[-1:])
    for folder in folders:
        for word in _WORDS:
            yield folder / word / path.name
            for mark in _MARKS:
                yield folder / f"{stem}{mark}{word}{suffix}"
                yield folder / f"{word}{mark}{stem}{suffix}"
            yield folder / f"{word}{suffix}"


def is_called_gold(path: Path) -> bool:
    """Return whether a file or its folder is called as one with what is right."""
    stem = data_stem(path.name).lower()
    ends = (*(f"{mark}{word}" for mark in _MARKS for word in _WORDS),)
    begins = (*(f"{word}{mark}" for mark in _MARKS for word in _WORDS),)
    is_named = stem in _WORDS or stem.endswith(ends) or stem.startswith(begins)
    return is_named or path.resolve().parent.name.lower() in _WORDS


def holds_gold(path: Path) -> bool:
    """Return whether a table has a column of what is right and none of outputs."""
    if data_suffix(path) not in (*TABLE_SUFFIXES, ".json"):
        return False
    columns = peek_columns(path)
    return _gold_column(columns) is not None and roles_of(columns, {}).output is None


def _gold_column(columns: Sequence[str]) -> str | None:
    column = roles_of(columns, {"output": ""}).gold
    return column or next((one for one in columns if one.lower() in _OTHER_COLUMNS), None)


class Golds:
    """Item -> right texts, of the table that ``--gold`` names or of those beside the outputs."""

    def __init__(self, options: ReadOptions, problems: RowProblems) -> None:
        self._options = options
        self._problems = problems
        self._read: dict[Path, dict[str, tuple[str, ...]]] = {}

    def place_for(self, path: Path, roles: TableRoles) -> Path | None:
        """Return the table with what is right for a table; nothing where that has it itself."""
        if self._options.gold is not None:
            return self._options.gold
        return None if roles.gold is not None else gold_beside(path)

    def of_rows(
        self, place: Path, keys: Sequence[str], table: Table, rows: Sequence[int], *, has_ids: bool
    ) -> list[tuple[str, ...]]:
        """Return the right texts of rows.

        Raises
        ------
        AlignmentError
            An item is not there, or nothing names the items and there are more or fewer.
        """
        given = self._given(place)
        if not has_ids and len(given) != len(keys):
            counts = f"{len(keys):,} outputs here, {len(given):,} right answers in {place.name}"
            raise AlignmentError(f"{counts}, and nothing names the items.", path=table.shown)
        for key, row in zip(keys, rows, strict=True):
            if key not in given:
                reason = f"the item '{key[:60]}' is not in {place.name}."
                raise AlignmentError(reason, path=table.shown, line=table.lines[row])
        return [given[key] for key in keys]

    def _given(self, place: Path) -> Mapping[str, tuple[str, ...]]:
        if place not in self._read:
            shown = place.as_posix()
            table = read_table(place, shown, self._problems)
            column = roles_of(table.columns, {**self._options.columns, "output": ""}).gold
            column = column or _gold_column(table.columns)
            if column is None:
                names = ", ".join(table.columns)
                reason = f"no column says what is right (columns: {names}); --column reference=NAME"
                raise ImportFormatError(f"{reason} does.", path=shown)
            roles = roles_of(table.columns, {**self._options.columns, "output": ""})
            keys, _ = keys_of(table, roles, range(len(table)), shown)
            texts = cells_at(table, column, range(len(table)), gold_of_cell)
            self._read[place] = dict(zip(keys, texts, strict=True))
        return self._read[place]
