"""Columns of a table as arrays: distinct cells with a number for each row, or plain numbers.

Both are sequences of cells like a list, so that what reads a table cell by cell need not know.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from operator import is_
from typing import Any, overload

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.integer[Any]]
"""A number for each row, in as few bytes as hold the largest."""
FloatArray = npt.NDArray[np.float64]

PART = 1 << 16
"""Rows that are worked on at a time, so that what is needed beside the columns stays small."""
_TABLE = 1 << 24
"""Combinations up to which they are numbered by a table instead of by sorting."""


class Coded(Sequence[Any]):
    """A column as its cells and, for each row, the number of its cell."""

    __slots__ = ("codes", "values")

    def __init__(self, values: Sequence[Any], codes: Codes) -> None:
        """
        Parameters
        ----------
        values
            The cells; every one is in some row, but one may stand twice.
        codes
            Shape (n_rows,): index into `values`.
        """
        self.values = values
        self.codes = codes

    @classmethod
    def of(cls, cells: Iterable[Hashable]) -> Coded:
        """Return cells as a column, numbered in the order in which they appear."""
        index: dict[Hashable, int] = {}
        codes = np.fromiter((index.setdefault(cell, len(index)) for cell in cells), np.int32)
        return cls(list(index), codes)

    @classmethod
    def constant(cls, cell: Any, n_rows: int) -> Coded:
        """Return a column that holds one cell in all rows; it takes no memory."""
        return cls([cell], repeated(0, n_rows))

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, row: int) -> Any: ...
    @overload
    def __getitem__(self, row: slice) -> Coded: ...
    def __getitem__(self, row: int | slice) -> Any:
        if isinstance(row, slice):
            return Coded(self.values, self.codes[row])
        return self.values[self.codes[row]]

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self), PART):
            part = self.codes[start : start + PART].tolist()
            yield from map(self.values.__getitem__, part)

    def map(self, change: Callable[[Any], Hashable]) -> Coded:
        """Return the column with each cell changed; cells that become alike have one number."""
        changed = [change(cell) for cell in self.values]
        if all(map(is_, changed, self.values)):
            return self
        index: dict[Hashable, int] = {}
        places = [index.setdefault(cell, len(index)) for cell in changed]
        if len(index) == len(places):
            return Coded(list(index), self.codes)
        return Coded(list(index), np.array(places, smallest(len(index)))[self.codes])

    def rows(self, is_wanted: npt.NDArray[np.bool_]) -> Coded:
        """Return the wanted rows; cells are numbered in the order in which these hold them."""
        codes = self.codes if is_wanted.all() else self.codes[is_wanted]
        first = first_rows(codes, len(self.values))
        used = np.flatnonzero(first < len(codes))
        order = used[np.argsort(first[used])]
        if len(order) == len(self.values) and (np.diff(order) > 0).all():
            return Coded(self.values, codes)
        number = np.zeros(len(self.values), smallest(len(order)))
        number[order] = np.arange(len(order))
        return Coded([self.values[i] for i in order.tolist()], number[codes])


class Numbers(Sequence[Any]):
    """A column of plain numbers; its cells are fetched when somebody wants to see one."""

    __slots__ = ("_cells", "_fetch", "numbers", "odd")

    def __init__(
        self, numbers: FloatArray, odd: Mapping[int, str], fetch: Callable[[], Sequence[Any]]
    ) -> None:
        """
        Parameters
        ----------
        numbers
            Shape (n_rows,): NaN where nothing stands, and where the cell is `odd`.
        odd
            Row -> cell that is more than a plain number, or none.
        fetch
            Gives all cells as they stand in the file.
        """
        self.numbers = numbers
        self.odd = odd
        self._fetch = fetch
        self._cells: Sequence[Any] | None = None

    def _fetched(self) -> Sequence[Any]:
        if self._cells is None:
            self._cells = self._fetch()
        return self._cells

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, row: int) -> Any: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[Any]: ...
    def __getitem__(self, row: int | slice) -> Any:
        return self._fetched()[row]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._fetched())


def repeated(number: int, n_rows: int) -> Codes:
    """Return one number for all rows; it takes no memory."""
    return np.broadcast_to(np.int32(number), n_rows)


def smallest(n_values: int) -> npt.DTypeLike:
    """Return the smallest type of numbers that counts so many values from 0."""
    return next(
        kind for kind in (np.int8, np.int16, np.int32, np.int64) if n_values <= np.iinfo(kind).max
    )


def first_rows(codes: Codes, n_values: int) -> npt.NDArray[np.int64]:
    """Return the first row of each number, shape (n_values,); ``len(codes)`` where it has none."""
    first = np.full(n_values, len(codes))
    for start in reversed(range(0, len(codes), PART)):
        part = codes[start : start + PART]
        first[part[::-1]] = np.arange(start + len(part) - 1, start - 1, -1)
    return first


def together(
    parts: Sequence[Codes], sizes: Sequence[int]
) -> tuple[list[npt.NDArray[np.int64]], Codes]:
    """Return the distinct combinations of numbers, sorted, and for each row that of its own.

    Parameters
    ----------
    parts
        Columns of numbers, each of shape (n_rows,).
    sizes
        How many numbers each column has.

    Returns
    -------
    combinations, codes
        For each column the number in each combination; shape (n_rows,).
    """
    n_rows = len(parts[0])
    is_there = _which_are_there(parts, sizes)
    if is_there is not None:
        found = np.flatnonzero(is_there)
        number = np.zeros(len(is_there), smallest(len(found)))
        number[found] = np.arange(len(found))
        codes = np.empty(n_rows, number.dtype)
        for start in range(0, n_rows, PART):
            codes[start : start + PART] = number[_mixed(parts, sizes, start)]
    else:
        found, codes = np.unique(_all_mixed(parts, sizes), return_inverse=True)
    combinations = []
    for size in reversed(sizes):
        found, number_of = np.divmod(found, max(size, 1))
        combinations.append(number_of)
    return combinations[::-1], codes


def are_distinct(parts: Sequence[Codes], sizes: Sequence[int]) -> bool:
    """Return whether no combination of numbers stands twice; parameters as for `together`."""
    is_there = _which_are_there(parts, sizes)
    if is_there is not None:
        return int(np.count_nonzero(is_there)) == len(parts[0])
    return len(np.unique(_all_mixed(parts, sizes))) == len(parts[0])


def _which_are_there(parts: Sequence[Codes], sizes: Sequence[int]) -> npt.NDArray[np.bool_] | None:
    """Return which of all combinations occur; None: they are too many to count one by one."""
    n_rows, n_possible = len(parts[0]), 1
    for size in sizes:
        n_possible *= max(size, 1)
    if n_possible > max(_TABLE, 2 * n_rows):
        return None
    is_there = np.zeros(n_possible, np.bool_)
    for start in range(0, n_rows, PART):
        is_there[_mixed(parts, sizes, start)] = True
    return is_there


def combined(columns: Sequence[Coded]) -> Coded:
    """Return several columns as one whose cells are tuples."""
    found, codes = together([c.codes for c in columns], [len(c.values) for c in columns])
    cells = (
        map(c.values.__getitem__, part.tolist()) for c, part in zip(columns, found, strict=True)
    )
    return Coded(list(zip(*cells, strict=True)), codes)


def _all_mixed(parts: Sequence[Codes], sizes: Sequence[int]) -> npt.NDArray[np.int64]:
    return np.concatenate([_mixed(parts, sizes, s) for s in range(0, len(parts[0]), PART)])


def _mixed(parts: Sequence[Codes], sizes: Sequence[int], start: int) -> npt.NDArray[np.int64]:
    mixed = parts[0][start : start + PART].astype(np.int64)
    for part, size in zip(parts[1:], sizes[1:], strict=True):
        mixed *= max(size, 1)
        mixed += part[start : start + PART]
    return mixed
