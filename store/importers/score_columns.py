"""One or two columns of numbers in a file or an open stream, for a comparison of two systems."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from store.errors import ImportFormatError
from store.importers.bundle import FloatArray, RowProblems
from store.importers.cells import read_numbers
from store.importers.problems import in_words
from store.importers.textfile import data_suffix, decode, read_text, unpacked

Source = Path | str | IO[Any]
"""A path, or an open file of text or bytes."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_MARKS = re.compile(r"\s*[,;\t]\s*|\s+")
_COMMA_AND_BLANK = re.compile(r",[ \t]")
_COMMA_BETWEEN_POINTS = re.compile(r"\.\d*(?:[eE][+-]?\d+)?,[+-]?\d*\.")
_NUMBERS_IN_WORDS = {1: "one", 2: "two"}


@dataclass(frozen=True, slots=True, eq=False)
class ScoreColumns:
    """A file of one or two columns of scores."""

    shown: str
    """How messages call the file."""
    sha256: str
    values: FloatArray
    """Shape (n_lines, 1 or 2): lines that hold something; NaN = stated to be missing."""
    line_numbers: npt.NDArray[np.int64]
    """Shape (n_lines,): place in the file, from 1, empty lines counted."""
    is_percent: bool
    """The numbers carry percent signs."""
    header: tuple[str, ...] = ()
    """What the first line calls the columns."""


class ScorePair(NamedTuple):
    """The scores of two systems on the same items, shape (n_items,) each; NaN = missing."""

    a: FloatArray
    b: FloatArray
    names: tuple[str, str] | None
    """What the files call the two; ``None``: nothing, or both the same."""


def read_score_columns(
    source: Source,
    *,
    n_columns: Sequence[int] = (1, 2),
    shown: str | None = None,
    problems: RowProblems | None = None,
    with_header: bool = False,
) -> ScoreColumns:
    """Read a file of one or two columns of numbers; empty lines are passed over.

    Parameters
    ----------
    source
        A path, or an open file of text or bytes; may be gzip-compressed.
    n_columns
        How many columns the file may have.
    shown
        What to call the file in messages; by default its name.
    problems
        Collects the lines that cannot be used, which are then left out. Without it the first such
        line is an error.
    with_header
        The first line may hold names instead of numbers.

    Raises
    ------
    ImportFormatError
        A line has another number of columns, a cell holds no number, or a column holds none.

    Notes
    -----
    Columns are separated by blanks, tabs or semicolons. A comma separates only where it can mean
    nothing else: in a ``.csv`` file, before a blank, or between two numbers with a point.
    """
    is_path = isinstance(source, Path | str)
    shown = shown or str(source if is_path else getattr(source, "name", "the text"))
    text, sha256 = _content(source, shown)
    collected = RowProblems(lenient=True)
    lines = [
        (number, line)
        for number, line in enumerate(map(str.strip, _LINE_END.split(text)), start=1)
        if line
    ]
    header = _header(lines, n_columns) if with_header else ()
    by_comma = bool(header) and "," in lines[0][1]
    lines = lines[1:] if header else lines
    rows = _split(lines, shown, by_comma=by_comma)
    numbers, kept = _rectangular(rows, lines, n_columns, shown, collected)
    values, is_percent = _numbers(kept, numbers, shown, collected)
    _pass_on(collected, problems)
    usable = ~np.isinf(values).any(axis=1)
    found = ScoreColumns(
        shown, sha256, values[usable], np.array(numbers, np.int64)[usable], is_percent, header
    )
    for column in np.flatnonzero(np.isnan(found.values).all(axis=0)).tolist():
        raise ImportFormatError("holds no score.", path=shown, field=f"column {column + 1}")
    return found


def read_two_columns(
    sources: Sequence[Source], shown: Sequence[str | None] | None = None
) -> ScorePair:
    """Return the scores of two systems: one file of two columns, or two files of one column.

    Two files belong together line by line; a line that is empty in one of them is a missing score
    there. The first line of a file may name its columns. `shown` is what to call the files in
    messages, by default their names.

    Raises
    ------
    ImportFormatError
        Other columns, or two files that do not end at the same line.
    """
    if len(sources) not in (1, 2):
        raise ImportFormatError(
            f"give one file of two columns or two files of one column, not {len(sources)} files."
        )
    n_columns = (1, 2) if len(sources) == 1 else (1,)
    found = [
        read_score_columns(source, n_columns=n_columns, shown=name, with_header=True)
        for source, name in zip(sources, shown or [None] * len(sources), strict=True)
    ]
    header = tuple(name for one in found for name in one.header)
    names = (header[0], header[1]) if len(set(header)) == 2 else None
    if len(found) == 1:
        values = found[0].values
        if values.shape[1] == 2:
            return ScorePair(values[:, 0], values[:, 1], names)
        raise ImportFormatError(
            "holds one column of scores. Give a second file of one column, or one file of two "
            "columns.",
            path=found[0].shown,
        )
    first, second = found
    ends = int(first.line_numbers[-1]), int(second.line_numbers[-1])
    if ends[0] - len(first.header) != ends[1] - len(second.header):
        raise ImportFormatError(
            f"the scores end at line {ends[1]:,}, those of {first.shown} at line {ends[0]:,}. Line "
            "by line the two files must hold the same items; write NA where a score is missing.",
            path=second.shown,
        )
    if first.is_percent != second.is_percent:
        raise ImportFormatError(
            f"only one of this file and {first.shown} has % signs. Write both in one way.",
            path=second.shown,
        )
    places = [one.line_numbers - len(one.header) for one in found]
    lines = np.union1d(*places)
    columns = np.full((2, len(lines)), np.nan)
    for column, one, own in zip(columns, found, places, strict=True):
        column[np.searchsorted(lines, own)] = one.values[:, 0]
    return ScorePair(columns[0], columns[1], names)


def _header(lines: Sequence[tuple[int, str]], n_columns: Sequence[int]) -> tuple[str, ...]:
    """Return the names in the first line, where none of its cells is a number and more follow."""
    if len(lines) < 2:
        return ()
    first = lines[0][1]
    mark = next((mark for mark in "\t;," if mark in first), None)
    cells = [first] if tuple(n_columns) == (1,) else first.split(mark)
    names = tuple(cell.strip().strip("\"'") for cell in cells)
    is_named = len(names) in n_columns and len(read_numbers(names).problems) == len(names)
    return names if is_named else ()


def _content(source: Source, shown: str) -> tuple[str, str]:
    """Return text and SHA-256 of a source."""
    if isinstance(source, Path | str):
        return read_text(Path(source), shown)
    content = source.read()
    raw = content.encode() if isinstance(content, str) else bytes(content)
    return decode(unpacked(raw, Path(shown), shown), shown), hashlib.sha256(raw).hexdigest()


def _split(
    lines: Sequence[tuple[int, str]], shown: str, *, by_comma: bool = False
) -> list[list[str]]:
    """Return the cells of each line; refuse a comma that may stand for a decimal point.

    `by_comma`: a header says that commas separate.
    """
    number, marked = next(((n, line) for n, line in lines if "," in line), (0, ""))
    has_semicolon = any(";" in line for _, line in lines)
    if not marked:
        return [_MARKS.split(line) if has_semicolon else line.split() for _, line in lines]
    separates = (
        by_comma
        or data_suffix(Path(shown)) == ".csv"
        or any(
            _COMMA_AND_BLANK.search(line) or _COMMA_BETWEEN_POINTS.search(line) for _, line in lines
        )
    )
    if has_semicolon or not separates:
        raise ImportFormatError(
            f"{_shortened(marked)} has a comma that may stand for a decimal point. Write decimals "
            "with a point, thousands without a mark, and separate columns by blanks.",
            path=shown,
            line=number,
        )
    return [_MARKS.split(line) for _, line in lines]


def _rectangular(
    rows: Sequence[list[str]],
    lines: Sequence[tuple[int, str]],
    n_columns: Sequence[int],
    shown: str,
    problems: RowProblems,
) -> tuple[list[int], list[list[str]]]:
    """Return line numbers and cells of the lines that have as many columns as most."""
    widths = Counter(len(row) for row in rows if len(row) in n_columns)
    width = widths.most_common(1)[0][0] if widths else max(n_columns)
    wanted = _NUMBERS_IN_WORDS[width] if widths else " or ".join(
        _NUMBERS_IN_WORDS[n] for n in n_columns
    )  # fmt: skip
    numbers, kept = [], []
    for row, (number, line) in zip(rows, lines, strict=True):
        if len(row) == width:
            numbers.append(number)
            kept.append(row)
        else:
            columns = "column" if len(row) == 1 else "columns"
            reason = f"{len(row)} {columns} ({_shortened(line)}) where {wanted} "
            reason += f"{'is' if wanted == 'one' else 'are'} wanted."
            problems.report(shown, number, None, reason)
    if not kept:
        _pass_on(problems, None)
    return numbers, kept


def _numbers(
    rows: Sequence[list[str]], numbers: Sequence[int], shown: str, problems: RowProblems
) -> tuple[FloatArray, bool]:
    """Return the values, infinite in lines that cannot be used, and whether they have % signs."""
    read = [read_numbers(cells) for cells in zip(*rows, strict=True)]
    values = np.column_stack([column.values for column in read])
    is_percent = np.column_stack([column.is_percent for column in read])
    wrong = [
        (row, column, f"{reason}.")
        for column, one in enumerate(read)
        for row, reason in one.problems
    ]
    if is_percent.any():
        unsigned = np.argwhere(~is_percent & ~np.isnan(values))
        reason = "has no % sign while other numbers have one."
        wrong += [(row, column, reason) for row, column in unsigned.tolist()]
    if sum(row == 0 for row, _, _ in wrong) == len(read):
        hint = " If this line is a header, remove it."
        wrong = [(row, column, text + hint * (row == 0)) for row, column, text in wrong]
    for row, column, reason in wrong:
        problems.report(shown, numbers[row], f"column {column + 1}", reason)
        values[row] = np.inf
    return values, bool(is_percent.any())


def _pass_on(collected: RowProblems, problems: RowProblems | None) -> None:
    """Report the problems line by line; without a place to, raise an error on all of them."""
    found = sorted(collected.raise_if_any(), key=lambda one: (one.line or 0, one.field or ""))
    if problems is not None:
        for one in found:
            problems.report(one.path, one.line, one.field, one.reason)
    elif found:
        first = found[0]
        raise ImportFormatError(
            in_words(found), path=first.path, line=first.line, field=first.field
        )


def _shortened(line: str) -> str:
    return repr(line if len(line) <= 60 else f"{line[:57]}…")
