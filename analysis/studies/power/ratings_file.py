"""A file of human ratings, read for how much workers and items differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from analysis.statistics.planning.ratings.mixed_effects import RatingModel, fit_ratings
from analysis.studies.power.plans import told_in_words
from store.errors import ImportFormatError
from store.importers.bundle import RowProblems
from store.importers.cells import CellError, as_text, read_numbers
from store.importers.columns import normal_name
from store.importers.tables import Table, read_table

COLUMNS: Final = {
    "worker": ("worker", "annotator", "rater"),
    "item": ("item", "item_id"),
    "system": ("system", "model"),
    "rating": ("rating", "score", "value"),
}
"""What each column may be called; the first is its name."""
_SYSTEMS = 2


class FittedRatings(NamedTuple):
    """The variance components of a file of ratings."""

    name: str
    systems: tuple[str, str]
    model: RatingModel


def fit_ratings_file(path: Path, *, shown: str | None = None) -> FittedRatings:
    """Fit the ratings of two systems that a file holds, one rating in each line.

    Parameters
    ----------
    path
        CSV, TSV, JSON Lines or Parquet with the columns worker, item, system and rating. A rating
        that is empty is missing.
    shown
        How messages call the file; its path by default.

    Raises
    ------
    ImportFormatError
        The file cannot be read; names line and column.
    StoreError
        The ratings do not allow a fit.
    """
    name = shown or str(path)
    problems = RowProblems(lenient=True)
    table = read_table(path, name, problems)
    columns = {role: _column(table, role) for role in COLUMNS}
    texts = {role: _texts(table, columns[role], problems) for role in ("worker", "item", "system")}
    ratings = read_numbers(table.cells[columns["rating"]])
    for row, reason in ratings.problems:
        problems.report(name, table.lines[row], columns["rating"], reason)
    raise_first(problems)
    systems = _two_systems(texts["system"], name, columns["system"])
    is_first = np.array([system == systems[0] for system in texts["system"]])
    with told_in_words({"ratings": "rating", "workers": "worker", "items": "item"}):
        model = fit_ratings(ratings.values, is_first, texts["worker"], texts["item"])
    return FittedRatings(Path(name).name, systems, model)


def _column(table: Table, role: str) -> str:
    for known in COLUMNS[role]:
        for column in table.columns:
            if normal_name(column) == known:
                return column
    raise ImportFormatError(
        f"has no column '{role}'. Give worker, item, system and rating; it has "
        f"{', '.join(table.columns)}.",
        path=table.shown,
    )


def _texts(table: Table, column: str, problems: RowProblems) -> list[str]:
    return [
        _text(cell, table, row, column, problems) for row, cell in enumerate(table.cells[column])
    ]


def _text(cell: Any, table: Table, row: int, column: str, problems: RowProblems) -> str:
    try:
        text, reason = as_text(cell), "is empty; every rating has a worker, an item and a system."
    except CellError as error:
        text, reason = "", str(error)
    if not text:
        problems.report(table.shown, table.lines[row], column, reason)
    return text


def raise_first(problems: RowProblems) -> None:
    """Raise the first bad cell of a file, and say how many more there are."""
    rows = problems.raise_if_any()
    if rows:
        first = min(rows, key=lambda row: row.line or 0)
        more = f" ({len(rows) - 1} more such in the file.)" if len(rows) > 1 else ""
        raise ImportFormatError(
            first.reason.rstrip(".") + "." + more,
            path=first.path,
            line=first.line,
            field=first.field,
        )


def _two_systems(systems: list[str], name: str, column: str) -> tuple[str, str]:
    found = list(dict.fromkeys(systems))
    if len(found) != _SYSTEMS:
        raise ImportFormatError(
            f"holds ratings of {len(found)} system{'' if len(found) == 1 else 's'}, not of 2: the "
            "spread of a difference needs two. Keep the rows of two systems.",
            path=name,
            field=column,
        )
    return found[0], found[1]
