"""What the columns of an uploaded table mean, said by choosing them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import Final

import pandas as pd
import streamlit as st

from dashboard.ui.links import plain
from dashboard.uploads import Upload
from store.importers.textfile import data_stem
from store.shown import unguarded

ROLES: Final = {
    "system": "System",
    "dataset": "Dataset",
    "item": "Item",
    "metric": "Metric",
    "score": "Score",
    "group": "Group of items",
    "input": "Input",
    "reference": "Reference",
    "output": "Output",
}
"""What a column can be, and how it is called on the page."""
_OPEN: Final = "mapping_open"
"""In the session: the files whose columns have to be chosen before they can be read."""
_AS_READ: Final = "as recognised"
_ROWS: Final = 5
_COLUMN: Final = re.compile(r"(give |or )--column (\w+)=[\w@]+")
_DIRECTION: Final = re.compile(r"[Aa]dd --higher-is-better or --lower-is-better[^.]*")
_FIELD: Final = re.compile(r"give --(system|dataset|metric|format)( [A-Z]+)?\b")


def first_rows(upload: Upload) -> pd.DataFrame | None:
    """Return the first rows of a table of delimited text; ``None``: it is something else."""
    if not upload.name.lower().endswith((".csv", ".tsv")):
        return None
    head = upload.getvalue()[:100_000].decode("utf-8", errors="replace").lstrip("\ufeff")
    delimiter = "\t" if upload.name.lower().endswith(".tsv") else ","
    rows = list(csv.reader(io.StringIO(head), delimiter=delimiter))[: _ROWS + 1]
    if delimiter == ",":
        rows = [list(map(unguarded, row)) for row in rows]
    if len(rows) < 2 or len(rows[0]) < 2 or len(set(rows[0])) < len(rows[0]):
        return None
    width = len(rows[0])
    return pd.DataFrame([(row + [""] * width)[:width] for row in rows[1:]], columns=rows[0])


def choose_columns(uploads: Sequence[Upload]) -> dict[str, dict[str, str]]:
    """Show the first rows of each table, and let columns be chosen; by file stem."""
    given = {data_stem(one.name.removesuffix(".tiebreak.yaml")) for one in uploads
             if one.name.endswith(".tiebreak.yaml")}  # fmt: skip
    chosen: dict[str, dict[str, str]] = {}
    for upload in uploads:
        head = first_rows(upload)
        if head is None or data_stem(upload.name) in given:
            continue
        is_open = upload.name in st.session_state.get(_OPEN, ())
        with st.expander(plain(f"Columns of {upload.name}"), expanded=is_open):
            st.dataframe(head, hide_index=True)
            roles: dict[str, str] = {}
            places = st.columns(3)
            for number, (role, label) in enumerate(ROLES.items()):
                picked = places[number % 3].selectbox(
                    label, [_AS_READ, *head.columns], key=f"role_{upload.name}_{role}"
                )
                if picked != _AS_READ:
                    roles[role] = str(picked)
            if roles:
                chosen[data_stem(upload.name)] = roles
                names = {column: f"{ROLES[role]}: {column}" for role, column in roles.items()}
                st.caption("The first rows under what you chose:")
                st.dataframe(head[list(names)].rename(columns=names), hide_index=True)
    return chosen


def open_columns(uploads: Sequence[Upload], said: str) -> None:
    """Open the columns of the files that an error names, where choosing them is what helps."""
    known: set[str] = st.session_state.setdefault(_OPEN, set())
    named = {one.name for one in uploads if one.name in said} if "'Columns of" in said else set()
    if not named <= known:
        known |= named
        st.rerun()


def for_the_page(error: str) -> str:
    """Return an error that names what can be chosen on the page, not options of a command."""
    told = _COLUMN.sub(
        lambda found: (
            f"{found[1].replace('give ', '')}choose '{ROLES.get(found[2], found[2])}' "
            "under 'Columns of …'"
        ),
        error,
    )
    told = _DIRECTION.sub(
        "Choose 'Metrics without a direction' under 'What the files do not say'", told
    )
    return _FIELD.sub(
        lambda found: f"fill in '{found[1].capitalize()}' under 'What the files do not say'", told
    )
