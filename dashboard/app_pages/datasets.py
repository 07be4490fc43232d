"""All datasets: how large, how many systems were tried on each.

URL parameters: `find` (words to search for), `task`, `language`.
"""

import pandas as pd
import streamlit as st

from analysis import numbers
from dashboard import data
from dashboard.ui import filters, states
from dashboard.ui.answers import answer
from dashboard.ui.links import Link, show_link
from dashboard.ui.tables import Column, show_table

st.title("Datasets", anchor=False)
datasets = data.datasets()
if not datasets:
    states.empty_store()
    st.stop()

with_items = [dataset for dataset in datasets if dataset.n_items]
answer(
    f"{numbers.counted(len(datasets), 'dataset')}: {len(with_items)} with "
    f"{numbers.counted(sum(d.n_items for d in with_items), 'item')}, "
    f"{len(datasets) - len(with_items)} known only from reported figures."
)
tasks = sorted({d.task for d in datasets if d.task})
languages = sorted({d.language for d in datasets if d.language})
with filters.filter_row("datasets_filters"):
    words = filters.search("Name", key="find")
    chosen_tasks = filters.choose_some("Task", tasks, key="task")
    chosen_languages = filters.choose_some("Language", languages, key="language")

rows = [
    d
    for d in datasets
    if words.casefold() in d.label.casefold()
    and (len(chosen_tasks) == len(tasks) or d.task in chosen_tasks)
    and (len(chosen_languages) == len(languages) or d.language in chosen_languages)
]
filters.show_count(len(rows), len(datasets), "dataset")
if not rows:
    states.no_match("dataset", len(datasets), "find", "task", "language")
    st.stop()
picked = show_table(
    pd.DataFrame([d.to_dict() for d in rows]).assign(tags=[", ".join(d.tags) for d in rows]),
    key="datasets",
    columns={
        "name": Column("Dataset", pinned=True),
        "version": Column("Version", shown=any(d.version for d in rows)),
        "task": Column("Task"),
        "language": Column("Language"),
        "domain": Column("Domain", shown=False),
        "n_items": Column("Items", "count"),
        "n_systems": Column("Systems", "count"),
        "n_runs": Column("Runs", "count"),
        "n_reported": Column("Reported figures", "count"),
        "tags": Column("Tags", shown=any(d.tags for d in rows)),
        "uid": Column("Uid", shown=False),
    },
    filename="datasets",
    noun="dataset",
    select="single-row",
)
if picked is not None:
    show_link(Link(str(picked["name"]), "dataset", {"dataset": str(picked["uid"])}))
    if picked["n_runs"] or picked["n_reported"]:
        label = next(d.label for d in rows if d.uid == picked["uid"])
        show_link(Link(f"Leaderboard of {label}", "leaderboard", {"dataset": label}))
else:
    st.caption("Choose a row to open the dataset.")
