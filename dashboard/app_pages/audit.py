"""Every recorded change: what, who, when, why.

URL parameters: `find` (words in any column), `who`, `action`.
"""

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from dashboard import data
from dashboard.ui import filters, states
from dashboard.ui.answers import answer
from dashboard.ui.links import page_url
from dashboard.ui.tables import show_table
from store.history import list_events

MOST = 5_000

st.title("Audit log", anchor=False)
events = list_events(data.current_store(), limit=MOST)
if not events:
    states.empty_store()
    st.stop()

people = sorted({event.actor for event in events})
answer(f"{numbers.counted(len(events), 'change')}, the latest first.")
with filters.filter_row("audit_filters"):
    words = filters.search("Find", key="find")
    who = filters.choose_some("Who", people, key="who")
    actions = sorted({event.action for event in events})
    what = filters.choose_some("Change", actions, key="action")

rows = []
for event in events:
    detail = {k: v for k, v in event.detail.items() if k not in ("why", "added", "moved")}
    told = ", ".join(f"{key} {value}" for key, value in detail.items())
    row = {
        "when": event.at,
        "actor": event.actor,
        "action": event.action,
        "kind": event.target_kind,
        "detail": told[:300],
        "why": event.detail.get("why", ""),
        "via": event.via,
        "uid": event.target_uid,
        "revision": event.id,
    }
    text = " ".join(str(value) for value in row.values()).casefold()
    if event.actor in who and event.action in what and words.casefold() in text:
        rows.append(row)
filters.show_count(len(rows), len(events), "change")
if not rows:
    states.no_match("change", len(events), "find", "who", "action")
    st.stop()
PAGES = {"system": "system", "run": "run", "import": "import_object", "dataset": "dataset"}
frame = pd.DataFrame(rows)
show_table(
    frame,
    key="audit",
    columns={
        "when": Column("When", "moment"),
        "actor": Column("Who"),
        "action": Column("Change"),
        "kind": Column("Of"),
        "detail": Column("What"),
        "why": Column("Why"),
        "via": Column("Through", help="A page, a command, a library call or a token"),
        "uid": Column("Uid", shown=False),
        "revision": Column("Revision", "count", shown=False),
    },
    filename="audit_log",
    noun="change",
    links={
        "detail": [
            page_url(PAGES[kind], **{"dataset" if kind == "dataset" else "uid": str(uid)})
            if kind in PAGES and uid and text
            else ""
            for kind, uid, text in zip(frame["kind"], frame["uid"], frame["detail"], strict=True)
        ]
    },
)
if len(events) == MOST:
    st.caption(f"The latest {MOST:,} changes.")
