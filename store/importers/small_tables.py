"""Tables of few rows, read to tell what a file is: one that has many is left alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from store.errors import ImportFormatError
from store.importers.bundle import RowProblems
from store.importers.tables import Table, read_table
from store.importers.textfile import data_suffix, peek_text
from store.progress import unheard

_LINES_A_ROW: Final = 20
"""Lines on average that a row with texts in its cells may take."""


def is_small_and(path: Path, most_rows: int, is_it: Callable[[Table], bool]) -> bool:
    """Return whether a file holds a table of at most so many rows that is what is asked for."""
    try:
        if _n_rows_at_least(path) > most_rows:
            return False
        with unheard():
            table = read_table(path, path.name, RowProblems(lenient=True))
        return len(table) <= most_rows and is_it(table)
    except (ImportFormatError, OSError, ValueError):  # pyarrow's errors are among these
        return False


def _n_rows_at_least(path: Path) -> int:
    """Return how many rows a table has, or less, without reading it."""
    suffix = data_suffix(path)
    if suffix == ".parquet":
        import pyarrow.parquet as pq

        return int(pq.read_metadata(path).num_rows)
    if suffix in (".csv", ".tsv", ".jsonl", ".ndjson"):
        return peek_text(path).count("\n") // _LINES_A_ROW
    return 0
