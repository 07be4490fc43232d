"""Columns of a table as the browser gets them: cells printed, sorted by, and drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Final

import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from analysis import glossary, numbers
from analysis.by_row import MOST_AT_ONCE, by_row
from analysis.columns import Column, printed
from analysis.statistics.boards.groups import group_numbers
from dashboard.components.table import TableColumn
from dashboard.shelf import Shelf

_kept: Final = Shelf[TableColumn](most=8_000_000)  # bytes of cells


def drawn(name: str, column: Column, frame: pd.DataFrame, links: Sequence[str]) -> TableColumn:
    """Return a column as the browser gets it; `links` say where each row leads.

    To print a cell takes ten times as long as to know it again.
    """
    if len(frame) > MOST_AT_ONCE:  # made by row, of those that are shown
        return _made(name, column, frame, links)
    told = [part for part in (name, *(column.ends or ()), column.bands, column.by) if part]
    made_of = name, column, [(str(frame[part].dtype), frame[part].tolist()) for part in told], links
    return _kept.made(made_of, lambda: _made(name, column, frame, links))


def _made(name: str, column: Column, frame: pd.DataFrame, links: Sequence[str]) -> TableColumn:
    if column.is_line:
        lines = frame[name].tolist()
        return TableColumn(
            name=name,
            label=column.title,
            values=[None] * len(lines),
            texts=[""] * len(lines),
            lines=lines,
            help=column.help or "",
            least=column.least,
        )
    n_rows, cells = len(frame), frame[name].tolist()
    texts = by_row(n_rows, lambda i: printed(cells[i], column))
    is_text = column.kind == "text" or (column.kind == "auto" and not _is_numeric(frame[name]))
    is_number = not is_text or column.right or bool(column.by)
    told: dict[str, Any] = {}
    if column.ends is not None and frame[column.ends[0]].notna().any():
        low, high = (frame[end].astype(float).tolist() for end in column.ends)
        told |= {"low": low, "high": high, "has_zero": column.kind == "difference"}
        told["words"] = by_row(
            n_rows, lambda i: f"from {printed(low[i], column)} to {printed(high[i], column)}"
        )
    if column.bands:
        told["bands"] = [group_numbers(letters or "") for letters in frame[column.bands]]
    keys = frame[column.by].tolist() if column.by else cells
    values: Sequence[Any] = by_row(n_rows, lambda i: _sortable(keys[i]))
    if not is_number or (column.right and None in values):
        values = by_row(n_rows, lambda i: _folded(texts[i]))
    return TableColumn(
        name=name,
        label=column.title,
        values=values,
        texts=texts,
        kind="number" if is_number and not column.by else "text",
        href=links,
        help=column.help or glossary.find(column.title) or "",
        falls=is_number and not column.by and column.kind != "pvalue",
        least=column.least,
        pinned=column.pinned,
        muted=column.muted,
        **told,
    )


def _folded(text: str) -> str | None:
    return None if text == numbers.MISSING else text.casefold()


def _is_numeric(values: pd.Series) -> bool:
    return is_numeric_dtype(values) and not is_bool_dtype(values)


def _sortable(value: Any) -> Any:
    """Return what a row is sorted by as JSON has it: a number or a moment."""
    if isinstance(value, str):
        try:
            value = float(value.replace("\N{MINUS SIGN}", "-").replace(",", ""))
        except ValueError:
            return None
    plain = jsonable(value)
    if isinstance(plain, bool):
        return int(plain)
    return None if isinstance(plain, float) and math.isinf(plain) else plain


def jsonable(value: Any) -> Any:
    """Turn one cell into what JSON can hold."""
    if value is None or value is pd.NaT or value != value:
        return None
    if isinstance(value, date | datetime):
        return value.isoformat()
    return value.item() if hasattr(value, "item") else value
