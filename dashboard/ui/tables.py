"""Tables: numbers right-aligned as they are to be read, columns to choose, CSV and JSON to take."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from typing import Any, Final, Literal

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from analysis import glossary, numbers
from dashboard.ui import filters
from store.shown import spreadsheet_safe

Kind = Literal["text", "number", "difference", "pvalue", "count", "share", "day", "moment", "link"]

_MUTED: Final = "#7f8894"
_STYLED_ROWS: Final = 2_000
"""Above this many rows numbers are printed by the browser, which knows plain decimals only."""


@dataclass(frozen=True, slots=True)
class Column:
    """How one column of a table is headed, explained and printed."""

    label: str
    kind: Kind = "text"
    help: str | None = None
    """By default what the glossary says of the label."""
    decimals: int = 3
    """For `number` and `difference`."""
    shown: bool = True
    """Shown unless the reader chooses otherwise."""
    pinned: bool = False
    """Stays in view when a wide table is scrolled."""
    width: Literal["small", "medium", "large"] | int | None = None
    right: bool = False
    """Stands at the right: a number that is text, since each row has decimals of its own."""
    muted: bool = False
    """Printed in grey: there to be looked up, not to be gone by."""


def show_table(
    frame: pd.DataFrame,
    *,
    key: str,
    columns: Mapping[str, Column],
    filename: str,
    noun: str = "row",
    select: Literal["single-row"] | None = None,
    height: int | Literal["auto", "content"] = "auto",
    row_height: int | None = None,
) -> "pd.Series[Any] | None":
    """Show the columns named in `columns`; return the row that is selected, if any.

    The downloads hold every column of `frame` with full precision, shown or not. Rows of more
    than 35 px (`row_height`) wrap their texts.
    """
    place = st.container()  # the tools stand below: Streamlit lays its own over the upper edge
    chosen = tools(frame, key=key, columns=columns, filename=filename, noun=noun)
    view = frame.loc[:, [name for name in columns if name in chosen]].reset_index(drop=True)
    shown: Any = view
    styled = len(view) <= _STYLED_ROWS
    if styled:
        shown = view.style.format(
            {name: _printer(columns[name]) for name in view.columns if _is_printed(columns[name])}
        )
        if muted := [name for name in view.columns if columns[name].muted]:
            shown = shown.set_properties(subset=muted, color=_MUTED)
    options: Any = {
        "key": key,
        "column_config": {name: _config(columns[name], styled) for name in view.columns},
        "hide_index": True,
        "height": height,
        "row_height": row_height,
        "placeholder": numbers.MISSING,
    }
    if select is None:
        place.dataframe(shown, **options)
        return None
    event = place.dataframe(shown, on_select="rerun", selection_mode=select, **options)
    picked = [position for position in event["selection"]["rows"] if position < len(frame)]
    return frame.iloc[picked[0]] if picked else None


def name_width(names: Iterable[str]) -> int:
    """Return a column's width, in px, for the longest of these names, up to a third of a page."""
    return min(270, 28 + 8 * max((len(name) for name in names), default=0))


def to_csv(frame: pd.DataFrame) -> bytes:
    """Write a frame as CSV in UTF-8 that a spreadsheet opens without computing anything in it.

    A missing value is an empty field.
    """
    safe = frame.map(spreadsheet_safe).rename(columns=spreadsheet_safe)
    return safe.to_csv(index=False).encode()


def to_json(frame: pd.DataFrame) -> bytes:
    """Write a frame as a JSON list of objects; a missing value is null."""
    rows = [
        {str(name): _jsonable(value) for name, value in row.items()}
        for row in frame.to_dict(orient="records")
    ]
    return json.dumps(rows, ensure_ascii=False, indent=1).encode()


def tools(
    frame: pd.DataFrame, *, key: str, columns: Mapping[str, Column], filename: str, noun: str
) -> list[str]:
    """Draw the line below the table; return the names of the columns to show."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(numbers.counted(len(frame), noun), width="stretch")
        with st.popover("Columns", type="tertiary"):
            chosen = filters.choose_any(
                "Columns",
                list(columns),
                key=f"{key}_columns",
                default=[name for name, column in columns.items() if column.shown],
                name=_distinct_labels(columns).__getitem__,
            )
        for label, kind, write in (
            ("CSV", "text/csv", to_csv),
            ("JSON", "application/json", to_json),
        ):
            st.download_button(
                label,
                data=partial(write, frame),
                file_name=f"{filename}.{label.lower()}",
                mime=kind,
                key=f"{key}_{label.lower()}",
                help=f"{numbers.counted(len(frame), noun)}, every column, full precision",
                on_click="ignore",
                type="tertiary",
            )
    return chosen


def _distinct_labels(columns: Mapping[str, Column]) -> dict[str, str]:
    """Return what each column is called in a list: with its neighbour, where it is not the only."""
    names = list(columns)
    labels = [column.label for column in columns.values()]
    return {
        name: label if labels.count(label) == 1 else f"{labels[i - 1]}: {label}"
        for i, (name, label) in enumerate(zip(names, labels, strict=True))
    }


def printed(column: Column, values: Iterable[Any]) -> list[str]:
    """Return the values of a column as they are shown."""
    if not _is_printed(column):
        return [
            numbers.MISSING if value is None or value != value else str(value) for value in values
        ]
    write = _printer(column)
    return [
        numbers.MISSING if value is None or value != value else write(value) for value in values
    ]


def _printer(column: Column) -> Callable[[Any], str]:
    """Return what turns a value of this column into the text that is shown."""
    places = column.decimals
    printers: dict[str, Callable[[Any], str]] = {
        "number": lambda value: numbers.fixed(value, places),
        "difference": lambda value: numbers.fixed(value, places, signed=True),
        "pvalue": numbers.pvalue,
        "count": numbers.count,
        "share": lambda value: numbers.MISSING if value != value else numbers.share(value, 1.0),
        "day": numbers.day,
        "moment": numbers.moment,
    }
    return printers[column.kind]


def _is_printed(column: Column) -> bool:
    return column.kind not in ("text", "link")


def _config(column: Column, styled: bool) -> ColumnConfig:
    """Translate to Streamlit's column configuration: it aligns; it prints unless `styled`."""
    common: Any = {
        "label": column.label,
        "help": column.help or glossary.find(column.label),
        "pinned": column.pinned or None,
        "width": column.width,
    }
    if column.kind == "link":
        return st.column_config.LinkColumn(**common, display_text="open")
    if column.kind == "text":
        return st.column_config.TextColumn(**common, alignment="right" if column.right else None)
    common["alignment"] = "right"
    if styled:
        return st.column_config.Column(**common)
    if column.kind in ("day", "moment"):
        pattern = "YYYY-MM-DD" if column.kind == "day" else "YYYY-MM-DD HH:mm"
        return st.column_config.DatetimeColumn(**common, format=pattern)
    formats = {
        "number": f"%.{column.decimals}f",
        "difference": f"%+.{column.decimals}f",
        "pvalue": "%.4f",
        "count": "localized",
        "share": "percent",
    }
    return st.column_config.NumberColumn(**common, format=formats[column.kind])


def _jsonable(value: Any) -> Any:
    """Turn one cell into what JSON can hold."""
    if value is None or value is pd.NaT or value != value:
        return None
    if isinstance(value, date | datetime):
        return value.isoformat()
    return value.item() if hasattr(value, "item") else value
