"""Which systems were scored on which datasets, and how completely.

URL parameters: `find` (words in a system's name), `on` (words in a dataset's name), `figures`.
"""

import pandas as pd
import streamlit as st

from analysis.columns import Column
from dashboard import data
from dashboard.charts import CELL, coverage_matrix
from dashboard.ui import filters, states
from dashboard.ui.answers import answer
from dashboard.ui.links import Link, page_urls, plain, show_link
from dashboard.ui.notes import show_warnings
from dashboard.ui.pictures import show_picture
from dashboard.ui.tables import show_table

FIGURES = {"Runs with item scores": "items", "Reported figures": "reported"}
MOST_CELLS = 6_000
"""More squares than this are no picture: the fullest systems and datasets are drawn."""

st.title("Coverage", anchor=False)
study = data.overview()
if study.is_empty:
    states.empty_store()
    st.stop()

answer(plain(study.sentence))
show_warnings(study.warnings)
frame = pd.DataFrame([cell.to_dict() for cell in study.coverage])
with filters.filter_row("coverage_filters"):
    words = filters.search("System", key="find")
    on = filters.search("Dataset", key="on")
rows = frame[
    frame["system"].str.casefold().str.contains(words.casefold(), regex=False)
    & frame["dataset"].str.casefold().str.contains(on.casefold(), regex=False)
]
filters.show_count(len(rows), len(frame), "cell")
if rows.empty:
    states.no_match("cell", len(frame), "find", "on")
    st.stop()
parts = dict(zip(FIGURES, (rows[rows["n_scored"] > 0], rows[rows["n_scored"] == 0]), strict=True))
kinds = [name for name, part in parts.items() if len(part)]
kind = kinds[0]
if len(kinds) > 1:
    kind = filters.choose_part("Which figures", kinds, key="figures", value=FIGURES.__getitem__)
part = parts[str(kind)].copy()
part["reported"] = part["n_reported"] > 0
part["n_scored"] = part["n_scored"].where(part["n_scored"] > 0).astype("float64")

drawn = part
n_systems, n_datasets = part["system"].nunique(), part["dataset"].nunique()
if n_systems * n_datasets > MOST_CELLS:
    most = max(1, MOST_CELLS // min(n_datasets, 100))
    kept = [
        set(part[column].value_counts().index[:n])
        for column, n in (("system", most), ("dataset", 100))
    ]
    drawn = part[part["system"].isin(kept[0]) & part["dataset"].isin(kept[1])]
    st.caption(
        f"Drawn are the {drawn['system'].nunique():,} systems and {drawn['dataset'].nunique():,} "
        "datasets with most; search for the others, or see the table."
    )
points = show_picture(
    coverage_matrix(drawn),
    key="coverage",
    alt=f"Matrix of {drawn['system'].nunique()} systems by {drawn['dataset'].nunique()} datasets.",
    wide=True,
    select=CELL,
)
for point in points[:1]:
    cell = drawn[(drawn["system"] == point["system"]) & (drawn["dataset"] == point["dataset"])]
    for row in cell.itertuples():
        show_link(Link(str(row.system), "system", {"uid": str(row.system_uid)}))
        show_link(Link(str(row.dataset), "leaderboard", {"dataset": str(row.dataset)}))

with st.expander("The same as a table"):
    show_table(
        part,
        key="cells",
        columns={
            "system": Column("System", pinned=True),
            "dataset": Column("Dataset"),
            "n_runs": Column("Runs", "count"),
            "n_scored": Column("Items scored", "count"),
            "n_items": Column("Items", "count"),
            "n_reported": Column("Reported figures", "count"),
        },
        filename="coverage",
        noun="cell",
        links={
            "system": page_urls("system", {}, uid=part["system_uid"]),
            "dataset": page_urls("leaderboard", {}, dataset=part["dataset"]),
        },
    )
