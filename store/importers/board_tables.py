"""A table of a page, one line for each system: which columns hold figures, and what else they say.

Pages in Markdown and in HTML have such tables; what names the dataset stands in the headings above.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from store.importers.bundle import Guess
from store.importers.cells import CellError, is_missing, parse_date
from store.importers.columns import normal_name
from store.importers.figures import Figure, Figures
from store.importers.known_metrics import lookup
from store.importers.metric_registry import words_of
from store.importers.no_metrics import no_metric_by_name
from store.importers.printed import parse_printed, plain_name

_SYSTEMS = words_of(
    """model models system systems method methods approach approaches algorithm parser tagger agent
    annotator team entry submission participant participants classifier baseline solution"""
)
_SOURCES = words_of("paper papers source sources reference references citation publication")
_NO_FIGURES = words_of(
    """rank ranking place position year date code link links url github notes note params parameters
    license licence organization organisation size training data split n instances trials runs
    submissions tests items examples sentences count"""
)
_VARIANTS = words_of(
    "mode setting settings prompt prompting strategy variant config configuration decoding"
)
"""Heads of a column that tells the entries of one system apart."""
_YEAR = re.compile(r"\((?:[^()]*[\s,'’])?((?:19|20)\d\d)[a-z]?\)")
"""``(Wang et al., 2019)`` and ``(2019)``."""


class Cell(NamedTuple):
    """A cell as a reader sees it, and the first address that it links to."""

    text: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class BoardTable:
    """A table and the headings above it, the outermost first."""

    headings: Sequence[str]
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    lines: Sequence[int | None]
    """Line of each row in the file, where it is known."""
    line: int | None = None
    """Line of the table's head."""
    caption: str = ""
    """What stands right above it, such as ``"Binary classification"``."""


def is_board(table: BoardTable) -> bool:
    """Return whether lines are systems: a column says so, and a well-known metric or a source."""
    of_system = _column_of(table, _SYSTEMS)
    if of_system is None or _counts_systems(table, of_system):
        return False
    figures = _figure_columns(table)
    is_known = any(lookup(plain_name(table.columns[column])) is not None for column in figures)
    return bool(figures) and (is_known or _column_of(table, _SOURCES) is not None)


def _counts_systems(table: BoardTable, column: int) -> bool:
    """Return whether a column says how many systems there were, not which."""
    filled = [row[column].text for row in table.rows if not is_missing(row[column].text)]
    return bool(filled) and all(text.replace(",", "").isdecimal() for text in filled)


def add_boards(
    tables: Sequence[BoardTable], figures: Figures, title: str, about: str = ""
) -> list[Guess]:
    """Add what the tables of a page state and return what was guessed.

    The names of the datasets begin with what all of the page is `about`.
    """
    names = [f"{about}/{name}" if about else name for name in _dataset_names(tables, title)]
    n_years = 0
    for number, table in enumerate(tables):
        of_system = _column_of(table, _SYSTEMS)
        assert of_system is not None
        of_source, of_date = _column_of(table, _SOURCES), _column_of(table, {"date"})
        columns = _figure_columns(table)
        metrics = _metric_names([table.columns[column] for column in columns])
        systems = _systems(table, of_system)
        for row, line, system in zip(table.rows, table.lines, systems, strict=True):
            date = _date(row[of_date].text) if of_date is not None else None
            year = _YEAR.search(system) if date is None else None
            if year is not None:
                date = datetime(int(year[1]), 1, 1, tzinfo=UTC)
                n_years += 1
            source = row[of_source] if of_source is not None else Cell("")
            for column, metric in zip(columns, metrics, strict=True):
                cell = row[column].text
                figures.add(
                    Figure(
                        system,
                        figures.settings.dataset or names[number],
                        metric,
                        None if is_missing(cell) else cell,
                        line=line,
                        column=table.columns[column],
                        table=str(number),
                        reported_on=date,
                        source="" if is_missing(source.text) else source.text,
                        source_url=source.link or row[of_system].link or None,
                        task=table.headings[0] if table.headings else None,
                    )
                )
    because = "only the year stands in the name of the system"
    return [Guess(f"dates of {n_years} entries", "1 January", because)] if n_years else []


def _systems(table: BoardTable, of_system: int) -> list[str]:
    """Return the system of each row; entries of one are told apart by their mode or setting."""
    names = [plain_name(row[of_system].text) for row in table.rows]
    of_variant = _column_of(table, _VARIANTS)
    if of_variant is None:
        return names
    counts = Counter(names)
    variants = [row[of_variant].text for row in table.rows]
    return [
        f"{name} ({variant})" if counts[name] > 1 and not is_missing(variant) else name
        for name, variant in zip(names, variants, strict=True)
    ]


def _metric_names(columns: Sequence[str]) -> list[str]:
    plain = [plain_name(column) for column in columns]
    counts = Counter(plain)
    return [p if counts[p] == 1 else c for p, c in zip(plain, columns, strict=True)]


def _column_of(table: BoardTable, words: frozenset[str] | set[str]) -> int | None:
    """Return the first column whose head consists of such words."""
    for number, column in enumerate(table.columns):
        found = normal_name(column).split("_")
        if found[0] and (set(found) <= words or found[0] in words):
            return number
    return None


def _figure_columns(table: BoardTable) -> list[int]:
    """Return the columns in which at least half of what is filled in are numbers."""
    taken = {_column_of(table, words) for words in (_SYSTEMS, _SOURCES)}
    found = []
    for number, column in enumerate(table.columns):
        words = set(normal_name(column).split("_"))
        if number in taken or no_metric_by_name(column) or words <= _NO_FIGURES:
            continue
        filled = [row[number].text for row in table.rows if not is_missing(row[number].text)]
        if filled and 2 * sum(map(_is_number, filled)) >= len(filled):
            found.append(number)
    return found


def _is_number(cell: str) -> bool:
    try:
        parse_printed(cell)
    except CellError:
        return False
    return True


def _date(text: str) -> datetime | None:
    try:
        return parse_date(text)[0]
    except CellError:
        return None


def _dataset_names(tables: Sequence[BoardTable], title: str) -> list[str]:
    """Return a name for each table: the headings above it.

    Tables below one heading that state the same metric are about different data: what stands right
    above each tells them apart, else their number.
    """
    names: list[str] = []
    seen: dict[tuple[str, ...], list[set[str]]] = {}
    places = Counter((*table.headings, column) for table in tables for column in _metrics(table))
    for table in tables:
        place = tuple(table.headings)
        metrics = _metrics(table)
        others = seen.setdefault(place, [])
        others.append(metrics)
        own = table.caption if any(places[*place, metric] > 1 for metric in metrics) else ""
        name = "/".join([*(table.headings or [title]), *([own] if own else [])])
        is_taken = any(metrics & before for before in others[:-1]) and name in names
        names.append(f"{name}/table {len(others)}" if is_taken else name)
    return names


def _metrics(table: BoardTable) -> set[str]:
    return {plain_name(table.columns[column]) for column in _figure_columns(table)}
