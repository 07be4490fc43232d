"""One dataset: its items, overlaps, runs, notes and history.

URL parameters: `dataset` (its name or uid).
"""

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from dashboard import data
from dashboard.params import target
from dashboard.ui.answers import answer
from dashboard.ui.badges import BADGES, badge
from dashboard.ui.dataset_editing import show_dataset_editing
from dashboard.ui.editing import show_editing
from dashboard.ui.links import Link, plain, show_link
from dashboard.ui.metric_cards import show_metric_cards
from dashboard.ui.note_list import show_notes
from dashboard.ui.notes import show_facts, show_history
from dashboard.ui.onward import show_claims_link, show_power_link
from dashboard.ui.repeats import show_repeats
from dashboard.ui.run_table import show_reported, show_runs
from dashboard.ui.tables import show_table

datasets = data.datasets()
st.title("Dataset", anchor=False)
dataset = target("dataset", datasets, [d.label for d in datasets], name="dataset")
if dataset is None:
    st.stop()

size = numbers.counted(dataset.n_items, "item") if dataset.n_items else "no items in the store"
answer(
    f"{plain(dataset.label)}: {size}, {numbers.counted(dataset.n_systems, 'system')}, "
    f"{numbers.counted(dataset.n_runs, 'run')}, "
    f"{numbers.counted(dataset.n_reported, 'reported figure')}."
)
if dataset.sealed:
    st.markdown(f"{badge('sealed')} {BADGES['sealed'].help}")
stated = dataset.n_items_stated
show_facts(
    [
        ("Task", dataset.task or ""),
        ("Language", dataset.language or ""),
        ("Domain", dataset.domain or ""),
        ("Items that the source states", numbers.count(stated) if stated else ""),
        ("Tags", ", ".join(dataset.tags)),
        ("Uid", dataset.uid),
    ]
)
if dataset.n_runs or dataset.n_reported:
    show_link(Link("Leaderboard", "leaderboard", {"dataset": dataset.label}))
    show_claims_link(dataset.label)
    show_power_link(dataset.label)
show_notes(data.notes("dataset", dataset.uid))
others = [d.label for d in datasets if d.uid != dataset.uid]
show_editing("dataset", dataset.uid, dataset.name, dataset.tags, others=others)
show_dataset_editing(dataset, others)

show_metric_cards(dataset.uid)
show_repeats(dataset.uid)

overlaps = [o for o in data.overlaps() if dataset.uid in (o.dataset_a_uid, o.dataset_b_uid)]
if overlaps:
    st.header("Not independent of", anchor=False)
    for overlap in overlaps:
        is_a = overlap.dataset_a_uid == dataset.uid
        other = overlap.dataset_b if is_a else overlap.dataset_a
        other_uid = overlap.dataset_b_uid if is_a else overlap.dataset_a_uid
        alike = {"same-names": "of the same name", "same-scores": "with the same scores"}.get(
            overlap.kind, "with the same text"
        )
        found = f"{numbers.counted(overlap.n_shared, 'item')} {alike}" if overlap.n_shared else ""
        kind = overlap.kind.replace("-", " ")
        show_link(Link(other, "dataset", {"dataset": other_uid}))
        st.caption(plain(" · ".join(filter(None, [kind, overlap.note, found]))))
    st.expander("How this was computed").markdown(
        "Two datasets share items where the texts of items are equal, or where several systems "
        "have equal scores on ten items or more and chance does not explain it. They also do "
        "where ten telling names of items, or half of the smaller dataset, are equal. Against "
        "datasets that were declared independent, texts and scores count, and names do not."
    )

runs = [run for run in data.runs() if run.dataset_uid == dataset.uid]
if runs:
    st.header("Runs", anchor=False)
    show_runs(runs, key="runs", without="dataset")
reported = [score for score in data.reported_scores() if score.dataset_uid == dataset.uid]
if reported:
    st.header("Reported figures", anchor=False)
    show_reported(reported, key="reported", without="dataset")

if dataset.n_items:
    st.header("Items", anchor=False)
    items = data.items(dataset.uid)
    metadata = sorted({key for item in items for key in item.metadata or {}})
    frame = pd.DataFrame(
        [
            {"position": item.position, "key": item.key, "group": item.group}
            | {name: (item.metadata or {}).get(name) for name in metadata}
            for item in items
        ]
    )
    show_table(
        frame,
        key="items",
        columns={
            "position": Column("Position", "count"),
            "key": Column("Item"),
            "group": Column("Group", shown=bool(frame["group"].notna().any())),
        }
        | {name: Column(name) for name in metadata},
        filename=f"items_{dataset.name}",
        noun="item",
    )
show_history(data.events(dataset.uid))
