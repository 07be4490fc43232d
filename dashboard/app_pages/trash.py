"""What was deleted: it comes back, or goes for good.

URL parameters: none.
"""

from functools import partial

import streamlit as st

from analysis import numbers
from dashboard import data
from dashboard.ui.answers import answer
from dashboard.ui.changing import change, folded_form
from dashboard.ui.links import plain
from store import lifecycle, naming
from store.console import current_actor
from store.dataset_merging import separate_datasets
from store.datasets import list_datasets
from store.engine import Store
from store.history import Wanted, find_events
from store.lookup import Kind
from store.runs import list_runs
from store.systems import list_systems


def bring_back(kind: Kind, uid: str, into: str | None, store: Store) -> None:
    """Restore what was deleted; take apart what was merged `into` another."""
    if into and kind == "dataset":
        separate_datasets(store, into, uid, actor=current_actor())
    elif into:
        naming.separate(store, into, uid, actor=current_actor())
    else:
        lifecycle.restore(store, kind, uid, actor=current_actor())


def remove(kind: Kind, uid: str, store: Store) -> None:
    """Remove for good."""
    lifecycle.purge(store, kind, uid, actor=current_actor())


st.title("Trash", anchor=False)
store = data.current_store()
deleted: list[tuple[Kind, str, str, object]] = []
for system in list_systems(store, deleted=True):
    deleted.append(("system", system.uid, system.name, system.deleted_at))
for dataset in list_datasets(store, deleted=True):
    deleted.append(("dataset", dataset.uid, dataset.label, dataset.deleted_at))
for run in list_runs(store, deleted=True):
    deleted.append(
        ("run", run.uid, f"{run.system} on {run.dataset} {run.label}".strip(), run.deleted_at)
    )
if not deleted:
    answer("Nothing was deleted.")
    st.stop()

answer(f"{numbers.counted(len(deleted), 'object')} can come back.")
merged = {
    event.detail["merged"]: event.target_uid
    for event in find_events(store, Wanted(actions=("merge",))).events[::-1]
}
MOST = 100
for kind, uid, label, at in sorted(deleted, key=lambda one: str(one[3]), reverse=True)[:MOST]:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            plain(f"{kind} {label}, {'merged' if uid in merged else 'deleted'} {str(at)[:10]}"),
            width="stretch",
        )
        if data.is_read_only():
            continue
        into = merged.get(uid)
        st.button(
            "Separate" if into else "Restore",
            key=f"restore_{uid}",
            on_click=change,
            args=(
                partial(bring_back, kind, uid, merged.get(uid)),
                f"'{label}' is back.",
            ),
        )
        if not into:
            with folded_form("Delete for good", f"purge_{uid}"):
                st.markdown("Its scores are removed and do not come back.")
                why = st.text_input("Why")
                if st.form_submit_button("Delete for good"):
                    change(partial(remove, kind, uid), f"'{label}' is gone for good.", why)
                    st.rerun()
if len(deleted) > MOST:
    st.caption(f"The latest {MOST} of {len(deleted):,}.")
