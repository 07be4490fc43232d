"""A table of links, with intervals drawn in the row: the only table that pages have.

Order, search and page stand in the address. Small tables are sorted and searched by the browser;
of large ones it gets the page of rows that the address asks for.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import streamlit as st

from analysis import numbers
from analysis.by_row import MOST_AT_ONCE

MOST_ROWS: Final = MOST_AT_ONCE
"""Rows that the browser gets at once; larger tables come by pages of `PAGE_ROWS`."""
PAGE_ROWS: Final = 200
_FAR: Final = 3.0
"""Spreads between the quartiles from which on a row lies far from all others."""
_LONG: Final = 40
"""Characters from which on a text may take several lines."""
_SIGNS: Final = {
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "=": operator.eq
}  # fmt: skip
_BOUND: Final = re.compile(r"^(.+?)(<=|>=|<|>|=)(.+)$")


def _read(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


_mount: Final = st.components.v2.component(
    "tiebreak_table", html='<div class="table"></div>', css=_read("table.css"), js=_read("table.js")
)


class Names(NamedTuple):
    """Parameters of the address that belong to one table."""

    sort: str
    find: str
    page: str
    folded: str = ""


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column; all sequences have one element per row, or none."""

    name: str
    """What the address calls it."""
    label: str
    values: Sequence[Any]
    """What rows are sorted by: numbers, or texts in small letters; ``None`` stands last."""
    texts: Sequence[str]
    """What is printed."""
    kind: Literal["number", "text"] = "text"
    href: Sequence[str] = ()
    """Where each row leads; "" is no link."""
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    """A line is drawn from `low` to `high`, with a point at the value."""
    words: Sequence[str] = ()
    """What the drawing says, for those who cannot see it."""
    lines: Sequence[Sequence[float]] = ()
    """In each row a small line of values from left to right."""
    bands: Sequence[Sequence[int]] = ()
    """In each row the numbers, from 0, of the groups that it is in: drawn from row to row."""
    has_zero: bool = False
    """Whether the drawing shows where 0 is."""
    help: str = ""
    falls: bool = False
    """Whether the first click puts the largest on top."""
    least: bool = False
    """Left out on a narrow screen."""
    pinned: bool = False
    """Stays in view when a wide table is scrolled."""
    muted: bool = False

    def of_rows(self, rows: Sequence[int]) -> TableColumn:
        """Return the column of some rows only."""
        taken: dict[str, Any] = {
            name: [getattr(self, name)[i] for i in rows] if len(getattr(self, name)) else ()
            for name in ("values", "texts", "href", "low", "high", "words", "lines", "bands")
        }
        return replace(self, **taken)

    def as_data(self, scale: Sequence[float]) -> dict[str, Any]:
        """Return what the browser gets; what says nothing is left out."""
        told: dict[str, Any] = {"name": self.name, "label": self.label, "kind": self.kind}
        told["texts"] = list(self.texts)
        if self.kind == "number" or len(self.low):
            told["values"] = list(self.values)
        if len(self.low):
            told["low"] = [_finite(value) for value in self.low]
            told["high"] = [_finite(value) for value in self.high]
            told |= {"scale": list(scale), "words": list(self.words), "zero": self.has_zero}
        if len(self.lines):
            told["lines"] = [list(line) for line in self.lines]
        if len(self.bands):
            told["bands"] = [list(groups) for groups in self.bands]
            told["n_bands"] = 1 + max((max(groups, default=0) for groups in self.bands), default=0)
        if len(self.href):
            told["href"] = list(self.href)
        told |= {
            name: True for name in ("falls", "least", "pinned", "muted") if getattr(self, name)
        }
        if self.help:
            told["help"] = self.help
        if any(len(text) > _LONG for text in self.texts):
            told["long"] = True
        return told

    def scale(self) -> list[float]:
        """Return where the drawings begin and end: rows far from all others are no measure."""
        ends = np.array([*self.low, *self.high], dtype=np.float64)
        ends = ends[np.isfinite(ends)]
        if not ends.size:
            return [0.0, 1.0]
        first, third = np.quantile(ends, [0.25, 0.75])
        reach = _FAR * (third - first)
        near = ends[(ends >= first - reach) & (ends <= third + reach)]
        low, high = float(near.min()), float(near.max())
        return [min(low, 0.0), max(high, 0.0)] if self.has_zero else [low, high]


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


@dataclass(frozen=True, slots=True)
class Table:
    """What a table shows.

    Parameters
    ----------
    label
        Its name for those who cannot see it.
    columns
        The first with links leads from the whole row, and its texts name the rows.
    n_rows
        Rows in all.
    counted
        The same in words: "12 systems".
    order
        The column by which rows stand where the address says nothing, "-name" from the top down;
        "": as they come.
    compare
        Address of a comparison that lacks only ``a`` and ``b``; "" where nothing can be compared.
    searched
        Whether it has a search of its own.
    groups
        For each row the group below whose name it stands; groups can be folded. Tables of more than
        `MOST_ROWS` rows have none.
    """

    label: str
    columns: Sequence[TableColumn]
    n_rows: int
    counted: str
    order: str = ""
    compare: str = ""
    searched: bool = True
    groups: Sequence[str] = ()

    def rows(self, sort: str, find: str) -> list[int]:
        """Return the rows that match a search, in an order: as `table.js` has it."""
        wanted = [_Term.of(term, self.columns) for term in find.casefold().split()]
        rows = list(range(self.n_rows))
        if wanted:
            rows = [i for i in rows if all(term.holds(self.columns, i) for term in wanted)]
        column = next((c for c in self.columns if c.name == sort.removeprefix("-")), None)
        if column is None:
            return rows
        values = list(column.values)
        present = [i for i in rows if values[i] is not None]
        present.sort(key=values.__getitem__)
        if sort.startswith("-"):
            present.reverse()
            present = list(_ties_in_order(present, values))
        return present + [i for i in rows if values[i] is None]


def _ties_in_order(rows: Sequence[int], values: Sequence[Any]) -> Iterator[int]:
    """Turn runs of equal values round, so that these rows stand as they came."""
    start = 0
    for end in range(1, len(rows) + 1):
        if end == len(rows) or values[rows[end]] != values[rows[start]]:
            yield from reversed(rows[start:end])
            start = end


class _Term(NamedTuple):
    """One word of a search: text of any column, or a bound of one ("items>500")."""

    column: TableColumn | None
    sign: str
    text: str

    @classmethod
    def of(cls, term: str, columns: Sequence[TableColumn]) -> _Term:
        if found := _BOUND.match(term):
            name, sign, text = found.groups()
            for column in columns:
                if name in (column.name.casefold(), "".join(column.label.casefold().split())):
                    return cls(column, sign, text)
        return cls(None, "", term)

    def holds(self, columns: Sequence[TableColumn], i: int) -> bool:
        if self.column is None:
            return any(self.text in column.texts[i].casefold() for column in columns)
        value, bound = self.column.values[i], _number(self.text)
        if isinstance(value, str) or bound is None:
            return self.sign == "=" and self.text in self.column.texts[i].casefold()
        if value is None:
            return False
        return bool(_SIGNS[self.sign](value, bound))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def draw(table: Table, names: Names, *, sort: str, find: str, page: int, key: str) -> None:
    """Draw a table.

    Parameters
    ----------
    table
        What it shows.
    names
        Parameters of the address in which order, search and page stand.
    sort, find, page
        What the address says of them; pages count from 1. Only large tables need it here: the
        browser reads the address itself.
    key
        Streamlit's key.
    """
    data: dict[str, Any] = {
        "label": table.label,
        "counted": table.counted,
        "order": table.order,
        "compare": table.compare,
        "searched": table.searched,
        "names": names._asdict(),
        "missing": numbers.MISSING,
    }
    columns: Sequence[TableColumn] = table.columns
    if table.n_rows > MOST_ROWS:
        rows = table.rows(sort or table.order, find)
        n_pages = max(1, math.ceil(len(rows) / PAGE_ROWS))
        page = min(page, n_pages)
        taken = rows[(page - 1) * PAGE_ROWS : page * PAGE_ROWS]
        columns = [column.of_rows(taken) for column in columns]
        data["paged"] = {"page": page, "pages": n_pages, "rows": PAGE_ROWS, "matching": len(rows)}
    elif table.groups:
        data["groups"] = list(table.groups)
    data["columns"] = [
        column.as_data(whole.scale() if len(whole.low) else ())
        for column, whole in zip(columns, table.columns, strict=True)
    ]
    _mount(key=key, data=data)
