"""Tables beside each other that name their systems and have the same items: one dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from store.errors import ImportFormatError
from store.importers.bundle import PathNames, ReadOptions, RowProblems
from store.importers.cells import as_text
from store.importers.columns import find_roles, role_cells
from store.importers.file_names import dataset_of_file
from store.importers.mapping import load_mapping
from store.importers.tables import peek_columns, read_table

SAME_ITEMS = "the folder, whose files have the same items and other systems"
_ROLES = ("dataset", "system", "item", "dataset_version")
_MOST_FILES = 200
_MOST_BYTES = 50_000_000
"""Of the files of a folder that are read once more to see which items they have."""


def datasets_in_common(
    paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]
) -> dict[Path, PathNames]:
    """Return the dataset of files that name none, where all of a folder have the same items.

    Their systems must be others in each, and the items more than numbers.
    """
    folders: dict[tuple[Path, str], list[Path]] = {}
    columns: dict[Path, tuple[str, str]] = {}
    for path in paths if options.dataset is None else ():
        roles = _roles(path, options, shown[path])
        if {"system", "item"} <= roles.keys() and "dataset" not in roles:
            columns[path] = roles["system"], roles["item"]
            folders.setdefault((path.parent, roles["item"]), []).append(path)
    found: dict[Path, PathNames] = {}
    for (folder, _), alike in folders.items():
        named = dataset_of_file(alike[0], use_stem=False)
        if named is None or not 1 < len(alike) <= _MOST_FILES:
            continue
        if sum(path.stat().st_size for path in alike) > _MOST_BYTES:
            continue
        if len({path for path in columns if path.parent == folder}) == len(alike) and _are_of_one(
            [(path, *columns[path]) for path in alike]
        ):
            found |= dict.fromkeys(alike, PathNames(None, named[0], "", None, SAME_ITEMS))
    return found


def _roles(path: Path, options: ReadOptions, shown: str) -> Mapping[str, str]:
    try:
        mapping = load_mapping(path, shown)
        if mapping.dataset or mapping.layout:
            return {}
        return find_roles(peek_columns(path), {**mapping.columns, **options.columns}, _ROLES, shown)
    except (ImportFormatError, OSError):
        return {}


def _are_of_one(files: Sequence[tuple[Path, str, str]]) -> bool:
    """Return whether all files have the same items, and no two of them a system."""
    items: frozenset[str] | None = None
    systems: set[str] = set()
    for path, system, item in files:
        try:
            table = read_table(path, path.name, RowProblems(lenient=True))
            of_file = frozenset(map(as_text, role_cells(table, item)))
            mine = set(map(as_text, role_cells(table, system)))
        except (ImportFormatError, OSError, ValueError):
            return False
        if (items is not None and of_file != items) or not systems.isdisjoint(mine):
            return False
        items, systems = of_file, systems | mine
    return items is not None and not all(text.isdigit() for text in items)
