"""Tables of one folder that would state the same figures of the system that it is called after."""

from __future__ import annotations

from pathlib import Path

from store.errors import ImportFormatError
from store.importers.bundle import RowProblems
from store.importers.file_names import specific_name
from store.importers.known_metrics import lookup
from store.importers.known_names import is_like_dataset
from store.importers.path_names import without_repeats
from store.importers.tables import Table, peek_columns, read_table
from store.importers.textfile import data_stem

_MOST_FILES = 200
_MOST_BYTES = 1_000_000
_OF_REPORTS = ("classification", "class", "clf")


def variant_among_twins(table: Table, column: str, path: Path) -> str:
    """Return what a file's name says beside its folder's, where a twin is called otherwise.

    A twin has the same columns and some of the same datasets, which stand in `column`. Nothing is
    returned where there is none, or where the name says nothing, or a metric or dataset.
    """
    own = _said(path)
    if column not in table.columns or not own or lookup(own) is not None or is_like_dataset(own):
        return ""
    names = set(map(str, table.cells[column]))
    fellows = [one for one in sorted(path.parent.iterdir()) if one.suffix == path.suffix]
    for one in fellows[:_MOST_FILES]:
        if one.name != path.name and _said(one) != own and _is_twin(one, table, column, names):
            return own
    return ""


def _is_twin(path: Path, table: Table, column: str, names: set[str]) -> bool:
    try:
        if path.stat().st_size > _MOST_BYTES:
            return False
        if list(peek_columns(path)) != list(table.columns):
            return False
        other = read_table(path, path.name, RowProblems(lenient=True))
    except (ImportFormatError, OSError):
        return False
    return not names.isdisjoint(map(str, other.cells[column]))


def _said(path: Path) -> str:
    """Return what the name of a file says: ``no_filter`` of ``no_filter_class_report.csv``."""
    said = specific_name(without_repeats(data_stem(path.name))[0])
    while (cut := said.rpartition("_"))[2].lower() in _OF_REPORTS:
        said = cut[0]
    return said
