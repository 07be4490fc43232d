"""Arrow arrays, as they are read part by part, into the columns of a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, overload

import numpy as np
import numpy.typing as npt

from store.arrow import as_numbers, as_texts, numbers_of
from store.importers.cells import (
    LARGEST,
    MISSING_WORDS,
    TRUTH_WORDS,
    CellError,
    parse_number,
)
from store.importers.columnar import PART, Coded, Codes, FloatArray, Numbers, smallest

if TYPE_CHECKING:
    import pyarrow as pa

_MANY: Final = 50_000
"""Different cells of fractions from which a column is kept as numbers, not as texts."""
_MISSING: Final = sorted({form for w in MISSING_WORDS for form in (w, w.upper(), w.title())})


class ArrowColumn:
    """A column that comes in parts: its distinct cells, or numbers.

    Fractions are kept as numbers: those of Parquet, and of text once there are many.
    """

    def __init__(self, n_rows: int = 0) -> None:
        """`n_rows`: how many will come, where that is known."""
        self._expected = n_rows
        self._known = _Cells()
        self._codes = _Growing(n_rows, np.int8)
        self._looked_at = _MANY
        """Different cells when they were last looked at: to look at all each time takes long."""
        self._numbers: _Growing | None = None
        self._odd: dict[int, str] = {}
        self._nested: list[Any] = []
        self._n_rows = 0

    def add(self, part: pa.ChunkedArray) -> None:
        """Add the cells of a part, all parts of one type."""
        import pyarrow as pa
        import pyarrow.compute as pc

        for chunk in part.chunks:
            if pa.types.is_floating(chunk.type):
                self._add_numbers(numbers_of(pc.cast(chunk, pa.float64()), missing=math.nan))
            elif self._numbers is not None:
                texts = chunk.dictionary_decode() if pa.types.is_dictionary(chunk.type) else chunk
                self._add_numbers(_read_numbers(texts, self._n_rows, self._odd))
            elif _is_plain(chunk.type):
                self._codes.add(self._coded(chunk))
            else:
                self._nested += map(plain, chunk.to_pylist())
            self._n_rows += len(chunk)
        kind = part.type.value_type if pa.types.is_dictionary(part.type) else part.type
        if len(self._known) > self._looked_at and pa.types.is_string(kind):
            self._turn_to_numbers()
            self._looked_at = 2 * len(self._known)

    def _add_numbers(self, part: FloatArray) -> None:
        if self._numbers is None:
            self._numbers = _Growing(self._expected, np.float64)
        self._numbers.add(part)

    def finished(self, fetch: Callable[[], Sequence[Any]]) -> Sequence[Any]:
        """Return the whole column; `fetch` gives the cells of one that is kept as numbers."""
        if self._numbers is not None:
            return Numbers(self._numbers.whole(), self._odd, fetch)
        if self._nested:
            return self._nested
        cells, self._known = self._known.cells, _Cells()
        return Coded(cells, self._codes.whole())

    def _coded(self, chunk: pa.Array) -> Codes:
        import pyarrow as pa

        if not pa.types.is_dictionary(chunk.type):
            chunk = chunk.dictionary_encode()
        places, indices = self._known.numbers(chunk.dictionary), chunk.indices
        if indices.null_count:
            places = np.append(places, self._known.number(None))
        codes: Codes = places[numbers_of(indices, missing=-1)]
        return codes.astype(smallest(len(self._known)), copy=False)

    def _turn_to_numbers(self) -> None:
        """Keep numbers from here on, if nearly all cells are and most have a fraction."""
        cells = self._known.cells
        if 2 * sum("." in cell for cell in cells if cell is not None) < len(cells):
            return
        found: dict[int, str] = {}
        values = _read_numbers(as_texts(cells), 0, found)
        if 20 * len(found) > len(cells):
            return
        codes = self._codes.whole()
        for row in np.flatnonzero(np.isin(codes, list(found))).tolist() if found else ():
            self._odd[row] = found[int(codes[row])]
        self._add_numbers(values[codes])
        self._known, self._codes = _Cells(), _Growing(0, np.int8)


class _Cells:
    """The distinct cells of a column in the order in which they come, each with its number."""

    def __init__(self) -> None:
        self.cells: list[Any] = []
        self._index: dict[Any, int] | None = {}
        """Cell -> number; ``None`` until it is needed, since it takes as much as the cells."""
        self._last: tuple[pa.Array, Codes] | None = None
        """The last dictionary, and the numbers of its cells: they come again."""
        self._comes_again = True
        """Whether most cells of a dictionary were in the one before it, so far."""

    def __len__(self) -> int:
        return len(self.cells)

    def number(self, cell: Any) -> int:
        """Return the number of a cell, a new one for a new cell."""
        if self._index is None:
            self._index = {known: number for number, known in enumerate(self.cells)}
        number = self._index.setdefault(cell, len(self.cells))
        if number == len(self.cells):
            self.cells.append(cell)
        return number

    def numbers(self, dictionary: pa.Array) -> Codes:
        """Return the numbers of the cells of a dictionary."""
        if self._last is None or not _are_same(dictionary, self._last[0]):
            self._last = dictionary, self._numbered(dictionary)
        return self._last[1]

    def _numbered(self, dictionary: pa.Array) -> Codes:
        if not self.cells:
            cells = [plain(cell) for cell in dictionary.to_pylist()]
            distinct = dict.fromkeys(cells)
            if len(distinct) == len(cells):
                self.cells, self._index = cells, None
                return np.arange(len(cells), dtype=np.int32)
        elif self._last is not None and len(self._last[0]) and self._comes_again:
            return self._found_again(dictionary, *self._last)
        return self._one_by_one(dictionary)

    def _one_by_one(self, dictionary: pa.Array) -> Codes:
        cells = dictionary.to_pylist()
        return np.fromiter((self.number(plain(cell)) for cell in cells), np.int32, len(cells))

    def _found_again(self, dictionary: pa.Array, last: pa.Array, numbers: Codes) -> Codes:
        """Return the numbers of cells, most of which the last dictionary has as well."""
        import pyarrow.compute as pc

        places = numbers_of(pc.index_in(dictionary, value_set=last), missing=-1)
        is_new = np.flatnonzero(places < 0)
        self._comes_again = 2 * len(is_new) < len(places)
        found: Codes = numbers[places]
        if len(is_new):
            found[is_new] = self._one_by_one(dictionary.take(as_numbers(is_new)))
        return found


def _are_same(one: pa.Array, other: pa.Array) -> bool:
    """Return whether two arrays are alike; those that lie in one place are not compared."""
    places = [[b and b.address for b in each.buffers()] for each in (one, other)]
    return (len(one), one.offset, places[0]) == (len(other), other.offset, places[1]) or bool(
        one.equals(other)
    )


class _Growing:
    """Numbers that come in parts, kept in one piece: they are never there twice."""

    def __init__(self, n_expected: int, kind: npt.DTypeLike) -> None:
        self._room = np.empty(n_expected, kind)
        self._n = 0

    def add(self, part: npt.NDArray[Any]) -> None:
        """Add numbers; a wider type than before widens all."""
        end, kind = self._n + len(part), np.promote_types(self._room.dtype, part.dtype)
        if kind != self._room.dtype:
            wider = np.empty(len(self._room), kind)
            wider[: self._n] = self._room[: self._n]
            self._room = wider
        if end > len(self._room):
            self._room.resize(max(end, len(self._room) * 9 // 8), refcheck=False)
        self._room[self._n : end] = part
        self._n = end

    def whole(self) -> npt.NDArray[Any]:
        """Return all; nothing can be added any more."""
        self._room.resize(self._n, refcheck=False)
        return self._room


def _is_plain(kind: pa.DataType) -> bool:
    """Return whether cells of a type can be told apart and be numbered."""
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    return any(
        test(kind)
        for test in (
            types.is_string,
            types.is_large_string,
            types.is_boolean,
            types.is_integer,
            types.is_temporal,
            types.is_decimal,
            types.is_binary,
        )
    )


def _read_numbers(texts: pa.Array, first_row: int, odd: dict[int, str]) -> FloatArray:
    """Return texts as numbers, NaN where one is missing or odd; the odd ones by row in `odd`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_missing = pc.is_in(texts, as_texts(_MISSING))
    if is_missing.true_count:
        texts = pc.if_else(is_missing, pa.nulls(len(texts), pa.string()), texts)
    try:
        values: FloatArray = numbers_of(pc.cast(texts, pa.float64()), missing=math.nan)
    except pa.ArrowInvalid:
        values = np.full(len(texts), np.inf)
    is_plain = np.abs(values) <= LARGEST
    if int(is_plain.sum()) + texts.null_count == len(texts):
        return values
    values = np.empty(len(texts))
    for row, text in enumerate(texts.to_pylist()):
        values[row] = math.nan
        if text is None:
            continue
        try:
            number, is_percent = parse_number(text)
        except CellError:
            number, is_percent = math.nan, True
        if is_percent or text.strip().lower() in TRUTH_WORDS:
            odd[first_row + row] = text
        else:
            values[row] = number
    return values


class ArrowCells(Sequence[Any]):
    """The cells of an Arrow column, made one by one as they are asked for."""

    def __init__(self, rows: pa.ChunkedArray) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, row: int) -> Any: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[Any]: ...
    def __getitem__(self, row: int | slice) -> Any:
        if isinstance(row, slice):
            return [self[i] for i in range(*row.indices(len(self)))]
        return plain(self._rows[row].as_py())

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self), PART):
            yield from map(plain, self._rows.slice(start, PART).to_pylist())


def plain(value: Any) -> Any:
    """Return a value of Parquet or Arrow as JSON would hold it."""
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value) if math.isfinite(value) else str(value)
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value
