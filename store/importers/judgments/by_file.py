"""Ratings of several people, a file for each, as ``human_eval_Ann.csv``: its name tells who."""

from __future__ import annotations

import os
import re
from pathlib import Path

from store.errors import ImportFormatError
from store.importers.bundle import RowProblems
from store.importers.cells import as_text, looks_numeric, read_numbers
from store.importers.columns import find_roles
from store.importers.no_metrics import no_metric_by_name
from store.importers.tables import peek_columns, read_table
from store.importers.textfile import data_stem, data_suffix

_NAME = re.compile(
    r"(?:.*[-_. ])?(?:human|annotators?|annotations?|annotated|raters?|ratings?|judges?|"
    r"evaluators?|experts?|reviewers?|workers?|participants?)"
    r"(?:[-_. ]?(?:eval|evals|evaluation|rating|ratings|annotation|annotations|"
    r"scores?|by))*[-_. ]*(?P<who>[^\W_]+)",
    re.IGNORECASE,
)
_NOBODY = re.compile(
    r"(eval(uation)?s?|ratings?|scores?|annotations?|results?|all|template|final|data|summary|"
    r"merged|combined|average|mean|gold|test|dev|train|v\d+|20\d\d)",
    re.IGNORECASE,
)
_TABLES = (".csv", ".tsv")
_WIDEST = 10
"""Largest value of a scale of ratings."""
_MOST_FELLOWS = 500


def annotator_of_file(path: Path) -> str | None:
    """Return who gave the ratings of a table, by its name beside those of others.

    The tables must have the same columns and items, nobody named in them, and whole numbers of a
    scale up to 10.
    """
    who = _who(path)
    if who is None or data_suffix(path) not in _TABLES:
        return None
    try:
        mine = _rated(path)
        return who if mine is not None and any(_rated(p) == mine for p in _fellows(path)) else None
    except (ImportFormatError, OSError, ValueError):
        return None


def _who(path: Path) -> str | None:
    found = _NAME.fullmatch(data_stem(path.name))
    return found["who"] if found and not _NOBODY.fullmatch(found["who"]) else None


def _fellows(path: Path) -> list[Path]:
    """Return the other files of the folder that are called alike, after somebody else."""
    who = _who(path) or ""
    start = path.name[: path.name.rindex(who)]
    with os.scandir(path.parent) as entries:
        names = sorted(entry.name for entry in entries)[:_MOST_FELLOWS]
    beside = [path.parent / name for name in names if name != path.name]
    return [one for one in beside if one.name.startswith(start) and _who(one) not in (None, who)]


def _rated(path: Path) -> tuple[tuple[str, ...], frozenset[str]] | None:
    """Return the columns and items of a table whose numbers are ratings; ``None`` for another."""
    columns = peek_columns(path)
    roles = find_roles(columns, {}, ("system", "item", "annotator", "score", "metric"), path.name)
    if "item" not in roles or not roles.keys().isdisjoint({"annotator", "score", "metric"}):
        return None
    table = read_table(path, path.name, RowProblems(lenient=True))
    ratings = [
        column
        for column in columns
        if column not in roles.values()
        and no_metric_by_name(column) is None
        and looks_numeric(table.cells[column])
    ]
    if not ratings:
        return None
    for column in ratings:
        values = read_numbers(table.cells[column]).values
        values = values[values == values]  # without what is missing
        if not len(values) or (values != values.round()).any() or values.min() < 0:
            return None
        if values.max() > _WIDEST:
            return None
    if all(set(map(as_text, table.cells[column])) <= {"0", "1", ""} for column in ratings):
        return None  # right or wrong, as a system is
    return columns, frozenset(map(as_text, table.cells[roles["item"]]))
