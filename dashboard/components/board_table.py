"""A board as a table of links, with intervals and possible ranks drawn in the row.

Rows are sorted by the browser; the order stands in the address as ``sort``. Two ticked rows lead to
their comparison.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final, Literal

import numpy as np
import streamlit as st

_FAR: Final = 3.0
"""Spreads between the quartiles from which on a row lies far from all others."""


def _read(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


_mount: Final = st.components.v2.component(
    "tiebreak_board",
    html='<div class="board"></div>',
    css=_read("board_table.css"),
    js=_read("board_table.js"),
)


@dataclass(frozen=True, slots=True)
class BoardColumn:
    """One column; all sequences have one element per row."""

    name: str
    """What the address calls it."""
    label: str
    values: Sequence[Any]
    """What rows are sorted by; NaN and ``None`` stand last."""
    texts: Sequence[str]
    """What is printed."""
    kind: Literal["link", "number", "text", "interval", "ranks"] = "number"
    """Of "interval" and "ranks" a line from `low` to `high` is drawn, with a point at the value."""
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    words: Sequence[str] = ()
    """What the drawing says, for those who cannot see it."""
    href: Sequence[str] = ()
    """Of "link": where each row leads."""
    help: str = ""
    falls: bool = False
    """Whether the first click puts the largest on top."""
    least: bool = False
    """Left out on a narrow screen."""
    muted: bool = False

    def as_data(self) -> dict[str, Any]:
        """Return what the browser gets."""
        return {
            "name": self.name,
            "label": self.label,
            "kind": self.kind,
            "values": [_plain(value) for value in self.values],
            "texts": list(self.texts),
            "low": [_plain(value) for value in self.low],
            "high": [_plain(value) for value in self.high],
            "scale": self._scale(),
            "words": list(self.words),
            "href": list(self.href),
            "help": self.help,
            "falls": self.falls,
            "least": self.least,
            "muted": self.muted,
        }

    def _scale(self) -> list[float]:
        """Return where the drawings begin and end: rows far from all others are no measure."""
        ends = np.array([*self.low, *self.high], dtype=np.float64)
        ends = ends[np.isfinite(ends)]
        if not ends.size:
            return [0.0, 1.0]
        first, third = np.quantile(ends, [0.25, 0.75])
        reach = _FAR * (third - first)
        near = ends[(ends >= first - reach) & (ends <= third + reach)]
        return [float(near.min()), float(near.max())]


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; what is missing is null."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    return value.item() if hasattr(value, "item") else value


def board_table(
    label: str, columns: Sequence[BoardColumn], *, order: str, compare: str = "", key: str
) -> None:
    """Draw a board.

    Parameters
    ----------
    label
        Its name for those who cannot see it.
    columns
        One of them is of links; its texts are the names of the rows.
    order
        The column by which rows stand where the address says nothing; "-name" from the top down.
    compare
        Address of a comparison that lacks only ``a`` and ``b``; "" where nothing can be compared.
    key
        Streamlit's key.
    """
    data = {
        "label": label,
        "columns": [column.as_data() for column in columns],
        "order": order,
        "compare": compare,
    }
    _mount(key=key, data=data)
