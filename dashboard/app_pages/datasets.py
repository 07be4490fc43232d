"""All datasets: how large, how many systems were tried on each.

URL parameters: `find` (words to search for), `task`, `language`.
"""

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from dashboard import data
from dashboard.ui import filters, states
from dashboard.ui.answers import answer
from dashboard.ui.links import page_url, page_urls
from dashboard.ui.tables import show_table

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
    chosen_tasks = filters.choose_some("Task", tasks, key="task")
    chosen_languages = filters.choose_some("Language", languages, key="language")

rows = [
    d
    for d in datasets
    if (len(chosen_tasks) == len(tasks) or d.task in chosen_tasks)
    and (len(chosen_languages) == len(languages) or d.language in chosen_languages)
]
filters.show_count(len(rows), len(datasets), "dataset")
if not rows:
    states.no_match("dataset", len(datasets), "task", "language")
    st.stop()
frame = pd.DataFrame([d.to_dict() for d in rows])
show_table(
    frame.assign(tags=[", ".join(d.tags) for d in rows]),
    key="datasets",
    columns={
        "name": Column("Dataset", pinned=True),
        "version": Column("Version", shown=any(d.version for d in rows)),
        "task": Column("Task", least=True),
        "language": Column("Language", least=True),
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
    links={
        "name": page_urls("dataset", {}, dataset=[d.label for d in rows]),
        "n_systems": [
            page_url("leaderboard", dataset=d.label) if d.n_runs or d.n_reported else ""
            for d in rows
        ],
    },
    is_main=True,
)
