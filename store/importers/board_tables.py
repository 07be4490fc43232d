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

from store.importers.board_columns import summaries
from store.importers.bundle import Guess
from store.importers.cells import CellError, is_missing, parse_date
from store.importers.columns import normal_name
from store.importers.figures import Figure, Figures
from store.importers.file_names import says_nothing, specific_name
from store.importers.known_metrics import is_quality, lookup
from store.importers.known_names import is_like_dataset
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
_DATASETS = words_of(
    "dataset datasets benchmark benchmarks task corpus testset test_set data_set datensatz 数据集"
)
_ITEMS = words_of(
    """item item_id question_id example_id instance_id sample_id problem_id task_id doc_id
    segment_id sentence_id qid idx question prompt example instance"""
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
    if of_system is None or _counts_systems(table, of_system) or _lists_items(table, of_system):
        return False
    figures = _figure_columns(table)
    if _are_figures_on_datasets(table):
        return True
    is_known = any(lookup(plain_name(table.columns[column])) is not None for column in figures)
    return bool(figures) and (is_known or _column_of(table, _SOURCES) is not None)


def _lists_items(table: BoardTable, of_system: int) -> bool:
    """Return whether a column names items, and systems stand in several rows."""
    systems = [row[of_system].text for row in table.rows]
    are_items = any(normal_name(column) in _ITEMS for column in table.columns)
    return are_items and len(set(systems)) < len(systems)


def _are_datasets(columns: Sequence[str]) -> bool:
    """Return whether all columns of figures, but for their means, are called like datasets."""
    of_all = summaries(columns)
    names = [plain_name(column) for column in columns if column not in of_all]
    return len(names) > 1 and all(map(is_like_dataset, names))


def _are_figures_on_datasets(table: BoardTable) -> bool:
    """Return whether columns are datasets, and nothing else tells what is measured, or a heading.

    Beside sources of entries a column that is called like a dataset may be a metric on it.
    """
    heads = [table.columns[column] for column in _figure_columns(table)]
    is_open = _column_of(table, _SOURCES) is None or _metric_above(table) is not None
    return is_open and _are_datasets(heads)


def _metric_above(table: BoardTable) -> str | None:
    """Return the metric that the line above a table or a heading is about."""
    for text in (table.caption, *reversed(table.headings)):
        for word in re.findall(r"[^\W_]+(?:@\d+)?", text):
            if is_quality(word) and not says_nothing(word):
                return str(word)
    return None


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
    guesses: list[Guess] = []
    for number, table in enumerate(tables):
        of_system = _column_of(table, _SYSTEMS)
        assert of_system is not None
        of_source, of_date = _column_of(table, _SOURCES), _column_of(table, {"date"})
        columns = _figure_columns(table)
        heads = [table.columns[column] for column in columns]
        metrics, on = _metric_names(heads), [""] * len(columns)
        if are_on := _are_figures_on_datasets(table):
            columns = [column for column, head in zip(columns, heads, strict=True)
                       if head not in summaries(heads)]  # fmt: skip
            on = [plain_name(table.columns[column]) for column in columns]
            metric = _metric_above(table)
            metrics = [metric or "score"] * len(columns)
            if metric is None:
                guesses.append(Guess("metric", "score", "columns are datasets"))
        systems, datasets = _filled_systems(table, of_system), _datasets_of_rows(table)
        base = names[number] if len(tables) > 1 and not (are_on and _metric_above(table)) else ""
        for row, line, system, own in zip(table.rows, table.lines, systems, datasets, strict=True):
            date = _date(row[of_date].text) if of_date is not None else None
            year = _YEAR.search(system) if date is None else None
            if year is not None:
                date = datetime(int(year[1]), 1, 1, tzinfo=UTC)
                n_years += 1
            source = row[of_source] if of_source is not None else Cell("")
            for column, metric, placed in zip(columns, metrics, on, strict=True):
                named = "/".join(part for part in (base, own, placed) if part)
                dataset = named if own or placed else names[number]
                cell = row[column].text
                figures.add(
                    Figure(
                        system,
                        figures.settings.dataset or dataset,
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
    guesses += [Guess(f"dates of {n_years} entries", "1 January", because)] if n_years else []
    return list(dict.fromkeys(guesses))


def _datasets_of_rows(table: BoardTable) -> list[str]:
    """Return the dataset that each row names, if any; an empty cell is that above it."""
    column = _column_of(table, _DATASETS)
    if column is None:
        return [""] * len(table.rows)
    return _filled([row[column].text for row in table.rows])


def _filled(texts: Sequence[str]) -> list[str]:
    filled: list[str] = []
    for text in texts:
        above = filled[-1] if filled else ""
        filled.append(above if is_missing(text) else plain_name(text))
    return filled


def _filled_systems(table: BoardTable, of_system: int) -> list[str]:
    """Return the system of each row; of an empty cell it is that above, if the row names a dataset.

    Such a cell stands for one that spans several rows.
    """
    systems = _systems(table, of_system)
    of_dataset = _column_of(table, _DATASETS)
    if of_dataset is None:
        return systems
    above = _filled([row[of_system].text for row in table.rows])
    return [
        filled if is_missing(row[of_system].text) and not is_missing(row[of_dataset].text) else name
        for name, filled, row in zip(systems, above, table.rows, strict=True)
    ]


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
        told = [one for one in table.headings if specific_name(one)] or [title]
        name = "/".join([*told, *([own] if own else [])])
        is_taken = any(metrics & before for before in others[:-1]) and name in names
        names.append(f"{name}/table {len(others)}" if is_taken else name)
    return names


def _metrics(table: BoardTable) -> set[str]:
    return {plain_name(table.columns[column]) for column in _figure_columns(table)}
