"""Large text tables, read part by part into arrays.

What is read is exactly what `delimited.read_exactly` would give; a text for which that is not
certain (a quotation mark in an odd place, a cell over several lines, an undecodable byte) is left
to it.
"""

from __future__ import annotations

import csv
import hashlib
import io
import zlib
from array import array
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import numpy.typing as npt

from store.errors import ImportFormatError
from store.importers.arrow_columns import ArrowCells, ArrowColumn
from store.importers.bundle import RowProblems
from store.importers.delimited import (
    Content,
    choose_delimiter,
    names_of_header,
    report_misfits,
)
from store.importers.guard import (
    CELL_BYTES,
    GZIP_MAGIC,
    gunzipped,
    require_bytes,
    require_ratio,
)
from store.progress import tell_rows
from store.shown import GUARDED, unguarded

if TYPE_CHECKING:
    import pyarrow as pa

_FEWEST_BYTES = 1 << 20
"""Files that are smaller are read exactly, which is as quick."""
_PART_BYTES = 1 << 23
_LONGEST_LINE = 1 << 20
"""Bytes; longer ones are read exactly."""
IntArray = npt.NDArray[np.int64]
_BOM = b"\xef\xbb\xbf"


class _NotPlain(Exception):
    """The text is not one that is certain to be read here as it is read exactly."""


def stream(
    path: Path, shown: str, suffix: str, problems: RowProblems, *, names_again: bool
) -> tuple[Content, str] | None:
    """Return the columns of a large text table and the SHA-256 of its file.

    ``None`` where it is small, or left to the exact reader, which also says what is wrong with it.

    Raises
    ------
    ImportFormatError
        It is larger than is allowed.
    """
    try:
        if path.stat().st_size < _FEWEST_BYTES:
            return None
        return _Stream(path, shown).read(suffix, problems, names_again=names_again)
    except (_NotPlain, OSError, EOFError, zlib.error, csv.Error, UnicodeDecodeError):
        return None


class _Stream:
    """Reads one file; how its header and its lines are cut is known once it was begun."""

    def __init__(self, path: Path, shown: str) -> None:
        self._path = path
        self._shown = shown
        self._sha256 = hashlib.sha256()
        self._delimiter = ","
        self._n_columns = 0

    def read(self, suffix: str, problems: RowProblems, *, names_again: bool) -> tuple[Content, str]:
        import pyarrow as pa

        parts = self._parts()
        line = _first_line(next(parts, b""))
        self._delimiter, note = choose_delimiter(f"{line}\n", suffix)
        columns, notes = self._names(line, names_again)
        builders = [ArrowColumn() for _ in columns]
        lines = _Lines()
        n_cells = 0
        for data in parts:
            rows, misfits = self._rows(data)
            lines.add(data, rows.num_rows, misfits)
            for builder, column in zip(builders, rows.columns, strict=True):
                builder.add(column)
            n_cells += data.count(self._delimiter.encode()) + data.count(b"\n")
            require_bytes(CELL_BYTES * n_cells, self._shown)
            tell_rows(rows.num_rows)
        digest = self._sha256.hexdigest()
        report_misfits(lines.misfits, lines.n_filled, len(columns), self._shown, problems)
        cells = {
            name: builder.finished(partial(self._again, number, digest))
            for number, (name, builder) in enumerate(zip(columns, builders, strict=True))
        }
        pa.default_memory_pool().release_unused()
        return Content(columns, cells, lines.of_rows(), (*([note] if note else []), *notes)), digest

    def _names(self, line: str, names_again: bool) -> tuple[tuple[str, ...], Sequence[str]]:
        header = next(csv.reader([line], delimiter=self._delimiter, strict=True), [])
        if self._delimiter != "\t":
            header = list(map(unguarded, header))
        if len(header) < 2:
            raise _NotPlain
        self._n_columns = len(header)
        try:
            return names_of_header(header, self._shown, line=1, names_again=names_again)
        except ImportFormatError:
            raise _NotPlain from None

    def _again(self, number: int, digest: str) -> ArrowCells:
        """Return the cells of a column as they stand in the file."""
        import pyarrow as pa

        self._sha256 = hashlib.sha256()
        parts = self._parts()
        next(parts)
        found = [chunk for data in parts for chunk in self._rows(data)[0].column(number).chunks]
        if self._sha256.hexdigest() != digest:
            raise ImportFormatError(
                "has changed while it was read: import it again.", path=self._shown
            )
        return ArrowCells(pa.chunked_array(found, pa.string()))

    def _parts(self) -> Iterator[bytes]:
        """Return the first line, then the rest in parts that end where lines end."""
        is_first = True
        for data in self._whole_lines():
            n_returns = data.count(b"\r")
            if b"\0" in data or (n_returns and n_returns != data.count(b"\r\n")):
                raise _NotPlain
            if not data.isascii():
                data.decode("utf-8")
            if is_first:
                data = data.removeprefix(_BOM)
                line, _, data = data.partition(b"\n")
                yield line
                is_first = False
            if data.startswith(_BOM):
                raise _NotPlain
            if data:
                yield data

    def _whole_lines(self) -> Iterator[bytes]:
        with self._path.open("rb") as file:
            is_packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
            file.seek(0)
            if is_packed != (self._path.suffix.lower() == ".gz"):
                raise _NotPlain
            hashed = _Hashing(file, self._sha256)
            source: Any = gunzipped(hashed) if is_packed else hashed
            left, n_bytes, n_packed = b"", 0, self._path.stat().st_size
            while data := source.read(_PART_BYTES):
                n_bytes += len(data)
                require_bytes(n_bytes, self._shown)
                if is_packed:
                    require_ratio(n_bytes, n_packed, self._shown)
                end = data.rfind(b"\n") + 1
                if end:
                    yield left + data[:end]
                left = data[end:] if end else left + data
                if len(left) > _LONGEST_LINE:
                    raise _NotPlain
            if left:
                yield left
            hashed.read()

    def _rows(self, data: bytes) -> tuple[pa.Table, list[tuple[int, int]]]:
        """Return the rows of a part, and number and width of those that do not fit the header.

        Rows are counted from 0; empty lines are none.
        """
        import pyarrow as pa
        import pyarrow.compute as pc
        from pyarrow import csv as arrow_csv

        names = [str(number) for number in range(self._n_columns)]
        kinds = dict.fromkeys(names, pa.string())
        if not data.strip(b"\r\n"):
            return pa.schema(list(kinds.items())).empty_table(), []
        if b'"' in data and not _is_well_quoted(data, self._delimiter):
            raise _NotPlain
        misfits: list[tuple[int, int]] = []

        def skip(row: arrow_csv.InvalidRow) -> str:
            misfits.append((row.number - 1, row.actual_columns))
            return "skip"

        try:
            rows = arrow_csv.read_csv(
                pa.BufferReader(data),
                arrow_csv.ReadOptions(
                    column_names=names, use_threads=False, block_size=len(data) + 1
                ),
                arrow_csv.ParseOptions(delimiter=self._delimiter, invalid_row_handler=skip),
                arrow_csv.ConvertOptions(column_types=kinds, strings_can_be_null=False),
            )
        except pa.ArrowInvalid:
            raise _NotPlain from None
        if self._delimiter != "\t" and b"'" in data:
            cells = [pc.replace_substring_regex(each, GUARDED, r"\1") for each in rows.columns]
            rows = pa.table(cells, names=names)
        return rows, misfits


class _Lines:
    """The line of every row of the parts of a file."""

    def __init__(self) -> None:
        self.misfits: list[tuple[int, int, int]] = []
        """Of rows that do not fit: number among the filled lines, line, and number of cells."""
        self.n_filled = 0
        self._next = 2
        self._parts: list[range | IntArray] = []

    def add(self, data: bytes, n_rows: int, misfits: Sequence[tuple[int, int]]) -> None:
        n_lines = data.count(b"\n") + (not data.endswith(b"\n"))
        if n_rows == n_lines:
            self._parts.append(range(self._next, self._next + n_rows))
        else:
            lines = self._next + _filled_lines(data)
            for number, width in misfits:
                self.misfits.append((self.n_filled + number, int(lines[number]), width))
            self._parts.append(np.delete(lines, [number for number, _ in misfits]))
        self.n_filled += n_rows + len(misfits)
        self._next += n_lines

    def of_rows(self) -> Sequence[int]:
        if all(isinstance(part, range) for part in self._parts):
            return range(2, self._next)
        return array("q", np.concatenate(self._parts).astype(np.int64).tobytes())


class _Hashing(io.RawIOBase):
    """A file whose bytes are hashed as they are read."""

    def __init__(self, file: BinaryIO, sha256: hashlib._Hash) -> None:
        self._file = file
        self._sha256 = sha256

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._sha256.update(data)
        return data


def _first_line(data: bytes) -> str:
    """Return a line that may be a header of a table."""
    line = data.decode("utf-8").removesuffix("\r")
    if not line.strip() or line.lstrip().startswith("{"):
        raise _NotPlain
    return line


def _filled_lines(data: bytes) -> IntArray:
    """Return the numbers, from 0, of the lines that hold something."""
    marks = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(marks == ord("\n"))
    if not data.endswith(b"\n"):
        ends = np.append(ends, len(data))
    starts = np.concatenate(([0], ends[:-1] + 1))
    widths = ends - starts
    is_return = (widths == 1) & (marks[starts] == ord("\r"))
    return np.flatnonzero((widths > 0) & ~is_return)


def _is_well_quoted(data: bytes, delimiter: str) -> bool:
    """Return whether each quotation mark opens or closes a whole cell, or is doubled inside one.

    False also where a cell goes over several lines.
    """
    marks = np.frombuffer(b"\n" + data + b"\n", np.uint8)
    quotes = np.flatnonzero(marks == ord('"'))
    if len(quotes) % 2:
        return False
    opening, closing = marks[quotes[::2] - 1], marks[quotes[1::2] + 1]
    before = (ord(delimiter), ord("\n"), ord('"'))
    if not (np.isin(opening, before).all() and np.isin(closing, (*before, ord("\r"))).all()):
        return False
    breaks = np.flatnonzero(marks == ord("\n"))
    return not (np.searchsorted(quotes, breaks) % 2).any()
