"""Tables without names of items whose rows line up with those of the files beside them."""

from __future__ import annotations

import re
from pathlib import Path

from store.errors import ImportFormatError
from store.importers.cells import looks_numeric
from store.importers.first_line import first_line
from store.importers.known_metrics import is_cost, is_loss, is_quality
from store.importers.metric_registry import words_of
from store.importers.tables import Table
from store.importers.textfile import data_suffix, read_text

_TRAINING = words_of(
    "train training val valid validation dev loss losses lr epoch epochs step steps history log"
)
_FEWEST_ROWS = 20
"""From which rows without a name are items."""
_MOST_FILES = 100


def is_of_training(name: str) -> bool:
    """Return whether words of a name are of training, whose figures stand in a line a step."""
    return not _TRAINING.isdisjoint(re.findall(r"[^\W_]+", name.lower()))


def rows_line_up(table: Table, path: Path) -> bool:
    """Return whether a table holds nothing but scores, and so does another file of its folder.

    That must have the same first line and as many lines: then a line is an item.
    """
    columns = table.columns
    if len(table) < _FEWEST_ROWS or not any(map(is_quality, columns)):
        return False
    if any(is_loss(one) or is_cost(one) or is_of_training(one) for one in (*columns, path.stem)):
        return False
    if not all(looks_numeric(table.cells[column]) for column in columns):
        return False
    try:
        others = sorted(one for one in path.parent.iterdir() if one.is_file() and one != path)
        mine = first_line(path), _n_lines(path)
        return any(
            data_suffix(one) == data_suffix(path)
            and first_line(one) == mine[0]
            and _n_lines(one) == mine[1]
            for one in others[:_MOST_FILES]
        )
    except (ImportFormatError, OSError):
        return False


def _n_lines(path: Path) -> int:
    return read_text(path, path.name)[0].rstrip().count("\n")
