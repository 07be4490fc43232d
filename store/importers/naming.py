"""Names for files that name no system, from the paths of all files of their kind in one import."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from store.errors import ImportFormatError
from store.importers.bundle import PathNames, ReadOptions, RowProblems
from store.importers.cells import as_text
from store.importers.columns import find_roles, normal_name
from store.importers.common_items import datasets_in_common
from store.importers.mapping import load_mapping
from store.importers.path_names import names_together
from store.importers.remembered_columns import with_remembered
from store.importers.score_list import is_score_list
from store.importers.scorers.run_folder import is_artefact
from store.importers.scorers.table_roles import roles_of
from store.importers.tables import peek_columns, read_table
from store.importers.textfile import read_text

_MOST_BYTES = 200_000_000
"""Of a file that is read once more to see which items it has."""
_LIST = ("a list of scores",)
_MOST_SEEN = 50
"""Rows that show whether a column holds texts."""
_MOST_TOLD = 8
_TEXTS = ("sentence", "text", "premise", "question", "claim", "src", "source", "utterance")
"""First words of the names of columns with what each system was given."""
_KINDS = ("dataset", "system", "metric", "score")


def names_of_files(
    paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]
) -> dict[Path, PathNames]:
    """Return what files that name no system are called after, where several are of one kind.

    A kind is what has the same columns for names and scores; nothing is said of a single file.
    """
    if options.system is not None or "system" in options.columns:
        return {}
    kinds: dict[tuple[str, ...], list[Path]] = {}
    for path in paths:
        kind = _kind_of(path, options, shown[path])
        if kind is not None:
            kinds.setdefault(kind, []).append(path)
    found: dict[Path, PathNames] = {}
    for kind, alike in kinds.items():
        known: dict[Path, tuple[str, bool] | None] = {}
        identity = partial(_items_of, known, is_list=kind == _LIST)
        columns = ", ".join(kind[:_MOST_TOLD]) + (", …" if len(kind) > _MOST_TOLD else "")
        what = "lists of scores" if kind == _LIST else f"tables with the columns {columns}"
        found |= names_together(alike, identity, options.answers, what)
    rest = [path for path in paths if path not in found]
    return found | datasets_in_common(rest, options, shown)


def _kind_of(path: Path, options: ReadOptions, shown: str) -> tuple[str, ...] | None:
    """Return what makes files alike; ``None`` where a file or its YAML names the system."""
    try:
        mapping = load_mapping(path, shown)
        if mapping.system or mapping.layout or "system" in mapping.columns or is_artefact(path):
            return None
        if is_score_list(path):
            return _LIST
        columns = peek_columns(path)
        known = with_remembered(path, options).columns
        roles = find_roles(columns, {**known, **mapping.columns, **options.columns}, _KINDS, shown)
    except ImportFormatError:
        return None
    if "system" in roles or not columns:
        return None
    return tuple(sorted(map(normal_name, columns)))


def _items_of(
    known: dict[Path, tuple[str, bool] | None], path: Path, *, is_list: bool
) -> tuple[str, bool] | None:
    """Return a fingerprint of a file's items, and whether it shows more than how many there are."""
    if path not in known:
        try:
            known[path] = _fingerprint(path, is_list)
        except (ImportFormatError, OSError):
            known[path] = None
    return known[path]


def _holds_what_was_given(column: str, cells: Sequence[object]) -> bool:
    """Return whether a column is called after texts of items and holds some words in each."""
    if normal_name(column).split("_")[0] not in _TEXTS:
        return False
    first = [str(cell).split() for cell in cells[:_MOST_SEEN]]
    return 2 * sum(len(words) > 1 for words in first) > len(first)


def _fingerprint(path: Path, is_list: bool) -> tuple[str, bool] | None:
    if path.stat().st_size > _MOST_BYTES:
        return None
    if is_list:
        text, _ = read_text(path, path.name)
        return str(len(text.split())), False
    table = read_table(path, path.name, RowProblems(lenient=True))
    roles = roles_of(table.columns, {})
    digest = hashlib.sha256(str(len(table)).encode())
    is_telling = False
    given = [c for c in table.columns if _holds_what_was_given(c, table.cells[c])]
    order = list(range(len(table)))
    if roles.item is not None:  # the same items in another order are the same
        keys = list(map(_text_of, table.cells[roles.item]))
        if len(set(keys)) == len(keys):
            order.sort(key=keys.__getitem__)
    for column in dict.fromkeys((roles.item, roles.input, roles.gold, *given)):
        if column is None or (column == roles.gold and is_telling):
            continue  # items may be known, and their gold mended
        cells = table.cells[column]
        texts = [_text_of(cells[row]) for row in order]
        digest.update("\0".join(texts).encode("utf-8", "surrogatepass"))
        is_text = column == roles.input or column in given
        is_telling |= is_text or not all(text.isdigit() for text in texts)
    return digest.hexdigest(), is_telling


def _text_of(cell: Any) -> str:
    return as_text(cell) if isinstance(cell, str | int | float) else repr(cell)
