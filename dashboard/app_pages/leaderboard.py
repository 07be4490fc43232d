"""The systems of a dataset by score, with the items and runs that stand behind each score.

URL parameters: `dataset`, `metric`, `system` (words to search for).
"""

import pandas as pd
import streamlit as st

from dashboard import data
from dashboard.charts import score_dots
from dashboard.ui import filters, numbers, states
from dashboard.ui.answers import answer
from dashboard.ui.badges import badge
from dashboard.ui.links import Link, plain, show_link, show_permalink
from dashboard.ui.notes import show_warnings
from dashboard.ui.pictures import show_picture
from dashboard.ui.tables import Column, show_table

st.title("Leaderboard", anchor=False)
datasets = [d for d in data.datasets() if d.n_runs or d.n_reported]
if not datasets:
    states.empty_store()
    st.stop()

labels = [d.label for d in datasets]
fullest = max(datasets, key=lambda d: (d.n_runs, d.n_items)).label
with filters.filter_row("leaderboard_filters"):
    label = filters.choose_one("Dataset", labels, key="dataset", default=fullest, width=280)
    dataset = datasets[labels.index(str(label))]
    metrics = [m.label for m in data.leaderboard(dataset.uid, None).metrics]
    metric = filters.choose_one("Metric", metrics, key="metric", width=220)
    words = filters.search("System", key="system")

study = data.leaderboard(dataset.uid, metric)
answer(plain(study.sentence))
basis = {row.basis for row in study.rows}
badges = [badge("recomputed", "item scores")] if "items" in basis else []
badges += [badge("reported")] if "reported" in basis else []
better = "higher is better" if study.metric.higher_is_better else "lower is better"
facts = [numbers.counted(dataset.n_items, "item")] if dataset.n_items else []
st.markdown(" ".join(badges) + "  " + plain(", ".join([*facts, better])))
show_warnings(study.warnings)

rows = [row for row in study.rows if words.casefold() in row.system.casefold()]
if not rows:
    states.no_match("system", len(study.rows), "system")
    st.stop()
is_percent = study.metric.unit == "percent" or any(abs(row.score) > 1.5 for row in rows)
span = 100.0 if is_percent else 1.0
places = numbers.decimals(n=max((row.n_scored for row in rows), default=0) or None, span=span)
frame = pd.DataFrame(
    {
        "rank": [row.rank for row in rows],
        "system": [row.label for row in rows],
        "system_uid": [row.system_uid for row in rows],
        "score": [row.score for row in rows],
        "score_on_shared": [row.score_on_shared for row in rows],
        "n_scored": [row.n_scored for row in rows],
        "n_missing": [row.n_missing for row in rows],
        "n_items": [row.n_items for row in rows],
        "n_runs": [row.n_runs for row in rows],
        "run_std": [row.run_std for row in rows],
        "basis": [row.basis for row in rows],
        "source": [row.source for row in rows],
    }
)
frame["score_on_shared"] = frame["score_on_shared"].astype("float64")
runs = pd.DataFrame(
    [
        {"system": row.system, "run": f"run {number}", "score": value}
        for row in rows
        for number, value in enumerate(row.run_scores, start=1)
        if len(row.run_scores) > 1
    ],
    columns=["system", "run", "score"],
)
picture = frame.assign(
    low=float("nan"),
    high=float("nan"),
    label=[numbers.fixed(row.score, places) for row in rows],
)
show_picture(
    score_dots(
        picture,
        runs=runs,
        metric=study.metric.label,
        higher_is_better=study.metric.higher_is_better,
    ),
    key="scores",
    alt=study.sentence,
)

has_shared = bool(frame["score_on_shared"].notna().any())
has_items = "items" in basis
picked = show_table(
    frame,
    key="leaderboard",
    columns={
        "rank": Column("Rank", "count", help="By score alone; equal scores share a rank"),
        "system": Column("System", pinned=True),
        "score": Column(study.metric.label, "number", decimals=places),
        "score_on_shared": Column(
            "On shared items",
            "number",
            decimals=places,
            shown=has_shared,
            help=f"The {study.n_shared:,} items that every system was scored on",
        ),
        "n_scored": Column("Scored", "count", shown=has_items),
        "n_missing": Column("Missing", "count", shown=has_items),
        "n_runs": Column("Runs", "count", shown=has_items),
        "run_std": Column(
            "SD of runs",
            "number",
            decimals=places + 1,
            shown=has_items,
            help="Standard deviation between runs: what another seed changes",
        ),
        "basis": Column("Basis", shown=len(basis) > 1),
        "source": Column("Source", shown="reported" in basis),
    },
    filename=f"leaderboard_{dataset.name}",
    noun="system" if frame["system_uid"].is_unique else "figure",
    select="single-row",
)
if picked is not None:
    show_link(Link(str(picked["system"]), "system", {"uid": str(picked["system_uid"])}))
show_link(Link(f"About {dataset.label}", "dataset", {"uid": dataset.uid}))
show_permalink("leaderboard", dataset=dataset.label, metric=study.metric.label)
st.caption(plain(study.signature))
