"""Who leads, what is in the store, how complete it is, what came in last.

URL parameters: none.
"""

import pandas as pd
import streamlit as st

from analysis import numbers
from dashboard import data
from dashboard.charts import CELL, coverage_matrix
from dashboard.ui import filters, states
from dashboard.ui.answers import answer
from dashboard.ui.leads import show_leads
from dashboard.ui.links import Link, plain, show_link
from dashboard.ui.notes import show_warnings
from dashboard.ui.pictures import show_picture
from dashboard.ui.tables import Column, show_table

_FIGURES = {"Runs with item scores": "items", "Reported figures": "reported"}

st.title("Overview", anchor=False)
study = data.overview()
if study.is_empty:
    states.empty_store()
    st.stop()

answer(plain(study.sentence))
show_warnings(study.warnings)

first = st.container()  # who leads: worked out last, when the rest is there

st.header("Coverage", anchor=False)
frame = pd.DataFrame([cell.to_dict() for cell in study.coverage])
with_runs = frame[frame["n_scored"] > 0]
only_reported = frame[frame["n_scored"] == 0]
parts = dict(zip(_FIGURES, (with_runs, only_reported), strict=True))
kinds = [name for name, rows in parts.items() if len(rows)]
kind = kinds[0]
if len(kinds) > 1:
    kind = filters.choose_part("Which figures", kinds, key="figures", value=_FIGURES.__getitem__)
part = parts[str(kind)].copy()
part["reported"] = part["n_reported"] > 0
part["n_scored"] = part["n_scored"].where(part["n_scored"] > 0).astype("float64")
points = show_picture(
    coverage_matrix(part),
    key="coverage",
    alt=f"Matrix of {part['system'].nunique()} systems by {part['dataset'].nunique()} datasets.",
    wide=True,
    select=CELL,
)
for point in points[:1]:
    cell = part[(part["system"] == point["system"]) & (part["dataset"] == point["dataset"])]
    for row in cell.itertuples():
        show_link(Link(str(row.system), "system", {"uid": str(row.system_uid)}))
        show_link(Link(str(row.dataset), "leaderboard", {"dataset": str(row.dataset)}))

with st.expander("The same as a table"):
    picked = show_table(
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
        select="single-row",
    )
    if picked is not None:
        show_link(Link(f"{picked['system']}", "system", {"uid": picked["system_uid"]}))

st.header("Latest imports", anchor=False)
show_table(
    pd.DataFrame(
        {
            "when": [ingest.created_at for ingest in study.ingests],
            "format": [ingest.format for ingest in study.ingests],
            "runs": [ingest.report.get("runs_added", 0) for ingest in study.ingests],
            "reported": [ingest.report.get("reported_added", 0) for ingest in study.ingests],
            "actor": [ingest.actor for ingest in study.ingests],
            "files": [", ".join(ingest.files) for ingest in study.ingests],
        }
    ),
    key="ingests",
    columns={
        "when": Column("When", "moment"),
        "format": Column("Format"),
        "runs": Column("Runs added", "count"),
        "reported": Column("Reported figures added", "count"),
        "actor": Column("Who"),
        "files": Column("Files", width="large"),
    },
    filename="imports",
    noun="import",
)
st.caption(f"Store revision {numbers.count(study.store_revision)}")
with first:
    show_leads(data.leads())
