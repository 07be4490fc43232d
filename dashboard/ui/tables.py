"""Tables: numbers right-aligned as they are to be read, columns to choose, files to take."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.answer_table import AnswerTable
from analysis.columns import Column
from analysis.report import Report
from analysis.report import Table as ReportTable
from dashboard import address
from dashboard.components.table import Names, Table, draw
from dashboard.ui import filters
from dashboard.ui.files import file_name
from dashboard.ui.links import plain
from dashboard.ui.notes import without_commands
from dashboard.ui.table_columns import drawn, jsonable
from store.shown import spreadsheet_safe


def show_answer(
    told: AnswerTable,
    *,
    filename: str,
    links: Mapping[str, Sequence[str]] | None = None,
    order: str = "",
    compare: str = "",
    label: str = "",
    is_main: bool = False,
    groups: Sequence[str] = (),
) -> None:
    """Show a table of an answer, as its report has it; parameters are those of `show_table`."""
    headed = {name: replace(column, title=column.headline) for name, column in told.columns.items()}
    show_table(
        told.frame(),
        key=told.name,
        columns=headed,
        filename=filename,
        noun=told.noun,
        links=links,
        order=order,
        compare=compare,
        label=label,
        is_main=is_main,
        groups=groups,
    )
    if told.notes:
        st.caption(plain(without_commands(" ".join(told.notes))))


def show_table(
    frame: pd.DataFrame,
    *,
    key: str,
    columns: Mapping[str, Column],
    filename: str,
    noun: str = "row",
    links: Mapping[str, Sequence[str]] | None = None,
    order: str = "",
    compare: str = "",
    label: str = "",
    is_main: bool = False,
    searched: bool = True,
    counted: str = "",
    groups: Sequence[str] = (),
) -> None:
    """Show the columns named in `columns`.

    The downloads hold every column of `frame` with full precision, shown or not.

    Parameters
    ----------
    frame
        A row per row of the table.
    key
        Streamlit's key, and the beginning of what the address calls order and search.
    columns
        Columns of `frame` by name, as they stand.
    filename
        Of the downloads, without its ending.
    noun
        What a row is.
    links
        By column: where each row leads, or "".
    order, compare, searched, groups
        As of `components.table.Table`.
    label
        Its name for those who cannot see it; by default the noun.
    counted
        How many rows there are in words, where these are a part of more.
    is_main
        Whether this is what the page is for: the address calls its order ``sort``, its search
        ``find``, its page ``page`` and the groups that are folded ``folded``.
    """
    place = st.container()
    names = Names("sort", "find", "page", "folded") if is_main else Names(*_names(key))
    filters.tell_unknown("order", names.sort, [*columns, *(f"-{name}" for name in columns)])
    if groups:
        filters.tell_unknown("group", names.folded, groups)
    by = (address.value(names.sort) or "").removeprefix("-")
    chosen = _tools(frame, by, key=key, columns=columns, filename=filename, noun=noun)
    if by in columns and by not in chosen:
        if address.is_ours():  # its reader has just hidden it
            address.tell({names.sort: None})
        else:
            chosen.append(by)
    shown = {name: each for name, each in columns.items() if name in chosen}
    page = filters.asked_number("page", names.page, 1, 1, None, is_whole=True)
    to = links or {}
    table = Table(
        label=label or f"Table: {noun}",
        columns=[drawn(name, each, frame, to.get(name, ())) for name, each in shown.items()],
        n_rows=len(frame),
        counted=counted or numbers.counted(len(frame), noun),
        order=order if order.removeprefix("-") in shown else "",
        compare=compare,
        searched=searched,
        groups=groups,
    )
    with place:
        draw(
            table,
            names,
            sort=address.value(names.sort) or "",
            find=address.value(names.find) or "",
            page=int(page or 1),
            key=f"table_{key}",
        )


def _names(key: str) -> list[str]:
    return [f"{key}_{name}" for name in Names._fields]


def to_csv(frame: pd.DataFrame) -> bytes:
    """Write a frame as CSV in UTF-8 that a spreadsheet opens without computing anything in it.

    A missing value is an empty field.
    """
    safe = frame.map(spreadsheet_safe).rename(columns=spreadsheet_safe)
    return safe.to_csv(index=False).encode()


def to_json(frame: pd.DataFrame) -> bytes:
    """Write a frame as a JSON list of objects; a missing value is null."""
    rows = [
        {str(name): jsonable(value) for name, value in row.items()}
        for row in frame.to_dict(orient="records")
    ]
    return json.dumps(rows, ensure_ascii=False, indent=1).encode()


def to_markdown(frame: pd.DataFrame, columns: Mapping[str, Column]) -> str:
    """Write a frame as a table of Markdown, as it is printed."""
    return _to_print(frame, columns).as_markdown()


def to_latex(frame: pd.DataFrame, columns: Mapping[str, Column]) -> str:
    """Write a frame as a table of LaTeX, as it is printed."""
    return _to_print(frame, columns).as_latex()


def _to_print(frame: pd.DataFrame, columns: Mapping[str, Column]) -> Report:
    kept = {n: c for n, c in columns.items() if n in frame and not c.is_line}
    rows = frame[list(kept)].astype(object).to_numpy().tolist()
    return Report("", (), (ReportTable(list(kept.values()), rows),), "")


def _tools(
    frame: pd.DataFrame,
    by: str,
    *,
    key: str,
    columns: Mapping[str, Column],
    filename: str,
    noun: str,
) -> list[str]:
    """Draw the line below the table; return the names of the columns to show.

    A column that the address orders by is shown at first, even one that is hidden elsewhere.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        with st.popover("Columns", type="tertiary"):
            chosen = filters.choose_any(
                "Columns",
                list(columns),
                key=f"{key}_columns",
                default=[name for name, each in columns.items() if each.shown or name == by],
                name=_distinct_labels(columns).__getitem__,
            )
        for label, suffix, kind, write in (
            ("CSV", "csv", "text/csv", to_csv),
            ("JSON", "json", "application/json", to_json),
            ("Markdown", "md", "text/markdown", partial(to_markdown, columns=columns)),
            ("LaTeX", "tex", "application/x-tex", partial(to_latex, columns=columns)),
        ):
            st.download_button(
                label,
                data=partial(write, frame),
                file_name=file_name(filename, suffix),
                mime=kind,
                key=f"{key}_{suffix}",
                help=f"{numbers.counted(len(frame), noun)}, every column, full precision"
                if write in (to_csv, to_json)
                else f"{numbers.counted(len(frame), noun)}, as printed here",
                on_click="ignore",
                type="tertiary",
            )
    return chosen


def _distinct_labels(columns: Mapping[str, Column]) -> dict[str, str]:
    """Return what each column is called in a list: with its neighbour, where it is not the only."""
    names = list(columns)
    labels = [column.title for column in columns.values()]
    return {
        name: label if labels.count(label) == 1 else f"{labels[i - 1]}: {label}"
        for i, (name, label) in enumerate(zip(names, labels, strict=True))
    }
