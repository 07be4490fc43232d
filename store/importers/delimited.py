"""Text tables cut into cells: by commas, tabs or semicolons, with quotation marks."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from store.errors import ImportFormatError
from store.importers.bundle import RowProblems
from store.importers.guard import CELL_BYTES, LONGEST_CELL, require_bytes, require_columns
from store.importers.two_headers import JOINT, joined_header
from store.shown import unguarded
from store.spelling import composed

_DELIMITER_NAMES = {",": "commas", "\t": "tabs", ";": "semicolons"}
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_LONG = 20_000_000
"""Characters of a text of which Python's own lines would hold four bytes for each."""
BY_SEMICOLONS = "The cells are separated by semicolons."
"""What is told of a table in which a comma is none between cells."""


_TWO_HEADERS = "The header has two rows: a column is called by its group and its own name."
_TITLE = "What stands above the header is the title of the table."


class Content(NamedTuple):
    """What a text table holds; see `tables.Table`."""

    columns: tuple[str, ...]
    cells: Mapping[str, Sequence[Any]]
    lines: Sequence[int]
    notes: tuple[str, ...]


def choose_delimiter(text: str, suffix: str) -> tuple[str, str | None]:
    """Return the delimiter of a text table and, when it was not plain from the name, a note."""
    header = text[: text.find("\n")] if "\n" in text else text
    if suffix == ".tsv":
        return "\t", None
    counts = {mark: header.count(mark) for mark in (",", "\t", ";")}
    if suffix == ".csv" and (counts[","] or not any(counts.values())):
        return ",", None
    best = max(counts, key=lambda mark: counts[mark])
    return best, f"The cells are separated by {_DELIMITER_NAMES[best]}."


def read_exactly(
    text: str, suffix: str, shown: str, problems: RowProblems, *, names_again: bool
) -> Content:
    """Cut a whole text into cells.

    Raises
    ------
    ImportFormatError
        The quotation marks do not pair up, or a column name stands twice.
    """
    delimiter, note = choose_delimiter(text, suffix)
    end = text.find("\n")
    require_columns(text.count(delimiter, 0, len(text) if end < 0 else end) + 1, shown)
    require_bytes(CELL_BYTES * (text.count(delimiter) + text.count("\n")), shown)
    try:
        rows, lines = _split_rows(text, delimiter, shown)
    except ImportFormatError:
        plain = _split_plainly(text) if delimiter == "\t" else []
        if not plain or any(len(row) != len(plain[0]) for row in plain):
            raise
        rows, lines = plain, range(1, len(plain) + 1)
        note = "Quotation marks are characters of the cells: they do not pair up."
    if delimiter != "\t" and "'" in text:  # an export may have guarded texts from spreadsheets
        rows = [list(map(unguarded, row)) for row in rows]
    header, begins = joined_header(rows[:4]) or (None, 1)
    if header is not None:
        has_title = not any(JOINT in name for name in header)
        note = " ".join(filter(None, (note, _TITLE if has_title else _TWO_HEADERS)))
    columns, notes = names_of_header(
        header or rows[0], shown, line=lines[0], names_again=names_again
    )
    body, body_lines = _rectangular(rows[begins:], lines[begins:], len(columns), shown, problems)
    cells = {name: list(map(itemgetter(i), body)) for i, name in enumerate(columns)}
    return Content(columns, cells, body_lines, (*([note] if note else []), *notes))


def names_of_header(
    header: Sequence[str], shown: str, *, line: int, names_again: bool
) -> tuple[tuple[str, ...], list[str]]:
    """Return the column names and what is told of them.

    A column without a name is called ``"column 1"``; with `names_again` the second ``Score`` is
    ``Score (2)``.

    Raises
    ------
    ImportFormatError
        A name stands twice.
    """
    require_columns(len(header), shown)
    names = [composed(name.strip()) for name in header]
    if names_again:
        names = _numbered(names)
    twice = [name for name, count in Counter(names).items() if name and count > 1]
    if twice:
        told = f"{Counter(names)[twice[0]]} columns have this name. Rename all but one"
        if 2 * len(set(names)) <= len(names) + 1:
            told += "; if this line is no header but holds judgments like the others, say --format "
            told += "judgments"
        raise ImportFormatError(
            f"{told}.",
            path=shown,
            line=line,
            field=twice[0],
        )
    columns = tuple(name or f"column {i}" for i, name in enumerate(names, start=1))
    unnamed = [name for name, given in zip(columns, names, strict=True) if not given]
    if not unnamed:
        return columns, []
    return columns, [f"A column without a name is called by its place: {', '.join(unnamed)}."]


def report_misfits(
    misfits: Sequence[tuple[int, int, int]],
    n_rows: int,
    n_columns: int,
    shown: str,
    problems: RowProblems,
) -> None:
    """Report rows that are not as wide as the header: number, line and width of each."""
    for number, line, width in misfits:
        hint = ""
        if number == n_rows - 1 and width < n_columns:
            hint = "; the file may be cut off"
        if width > n_columns:
            hint = "; a cell that holds the separating mark must stand in quotation marks"
        problems.report(
            shown, line, None, f"the row has {width} cells, the header has {n_columns}{hint}."
        )


def _split_rows(text: str, delimiter: str, shown: str) -> tuple[list[list[str]], Sequence[int]]:
    """Return the rows that hold something and the line on which each begins."""
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(_lines(text), delimiter=delimiter, strict=True)
    try:
        rows = [row for row in reader if row]
    except csv.Error:
        rows = []
    if rows and reader.line_num == len(rows):
        return rows, range(1, len(rows) + 1)
    return _split_rows_by_line(text, delimiter, shown)


def _lines(text: str) -> Iterable[str]:
    """Return the lines of a text with their ends; a long one is not held four times over."""
    if len(text) < _LONG:
        return io.StringIO(text, newline="")
    return (found[0] for found in _LINE.finditer(text))


def _split_plainly(text: str) -> list[list[str]]:
    """Return the cells between tabs, a row for each line; nothing where a line is empty."""
    lines = text.removesuffix("\n").split("\n")
    return [line.rstrip("\r").split("\t") for line in lines] if all(lines) else []


def _split_rows_by_line(
    text: str, delimiter: str, shown: str
) -> tuple[list[list[str]], Sequence[int]]:
    """Split a text that has empty lines, cells over several lines, or a fault."""
    reader = csv.reader(_lines(text), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    begins = 1
    try:
        for row in reader:
            if row:
                rows.append(row)
                lines.append(begins)
            begins = reader.line_num + 1
    except csv.Error as error:
        if "field limit" in str(error):
            reason = (
                f"a cell has more than {LONGEST_CELL:,} characters. Shorten it or leave it out."
            )
            raise ImportFormatError(reason, path=shown, line=begins) from None
        reason = f"the quotation marks do not pair up ({error}). Inside a quoted cell write each as"
        if "unexpected end" in str(error):
            reason = (
                "a cell opens with a quotation mark that never closes. The file may be cut off; "
                "otherwise write each mark inside a quoted cell as"
            )
        raise ImportFormatError(f'{reason} "".', path=shown, line=begins) from None
    if not rows:
        raise ImportFormatError("the file is empty.", path=shown)
    return rows, lines


def _numbered(header: Sequence[str]) -> list[str]:
    """Return names of which none comes twice: the second ``Score`` is ``Score (2)``."""
    times: Counter[str] = Counter()
    names = []
    for name in header:
        times[name] += 1
        names.append(f"{name} ({times[name]})" if name and times[name] > 1 else name)
    return names


def _rectangular(
    rows: list[list[str]],
    lines: Sequence[int],
    width: int,
    shown: str,
    problems: RowProblems,
) -> tuple[list[list[str]], Sequence[int]]:
    """Keep the rows that are as wide as the header; report the others."""
    if set(map(len, rows)) <= {width}:
        return rows, lines
    misfits = [
        (number, lines[number], len(row)) for number, row in enumerate(rows) if len(row) != width
    ]
    report_misfits(misfits, len(rows), width, shown, problems)
    fit = [number for number, row in enumerate(rows) if len(row) == width]
    return [rows[number] for number in fit], [lines[number] for number in fit]
