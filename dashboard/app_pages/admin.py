"""Admin: people, tokens, work at hand, backups, old texts and the latest changes.

URL parameters: none.
"""

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from analysis.workers.parts import scheduler
from dashboard import data
from dashboard.pool.asking import pool, worked_out
from dashboard.pool.fellows import HERE, own_work
from dashboard.pool.tasks import Task
from dashboard.ui.answers import answer
from dashboard.ui.changing import change, folded_form
from dashboard.ui.links import Link, plain, show_link
from dashboard.ui.tables import show_table
from store.backup import folder_of_backups, keep_backup, list_backups
from store.console import current_actor
from store.history import Wanted, find_events
from store.kept_settings import FOREVER, RETENTION
from store.known_people import list_people
from store.people import current_person, require_role
from store.retention import find_old_texts, remove_old_texts
from store.server_work import Work, list_work, stop_work
from store.settings import store_settings
from store.tokens import list_tokens

LATEST = 5


def end(work: Work) -> None:
    """Stop work that somebody waits for, here or at another server."""
    require_role("admin", "Stopping another's work")
    if work.server == HERE:
        pool.end(work.uid)
    else:
        change(
            lambda store: stop_work(store, work.uid),
            f"Its server stops {work.name} within a few seconds.",
        )


def described(work: Work) -> str:
    """Say what is at work, how far it is, and where."""
    done = "" if work.n_steps is None else f", step {work.n_done:,} of {work.n_steps:,}"
    where = "" if work.server == HERE else f"; on {work.server}"
    return f"{work.name}: {work.seconds:,} s so far{done}; {work.n_waiting:,} waiting{where}"


st.title("Admin", anchor=False)
if not current_person().may("admin"):
    answer(
        "This page takes the role admin.",
        f"You are a {current_person().role} here. Ask an admin.",
    )
    st.stop()
store = data.current_store()
is_frozen = data.is_frozen()
people, tokens = list_people(store), list_tokens(store)
valid = [token for token in tokens if token.state == "valid"]
backups, events = list_backups(store), find_events(store, Wanted(), limit=LATEST)
at_work = [*own_work(pool), *list_work(store, but=HERE)]
answer(
    f"{'1 person' if len(people) == 1 else f'{len(people):,} people'} changed this store; "
    f"{numbers.counted(len(valid), 'valid token')}, {numbers.counted(len(backups), 'backup')}, "
    f"{numbers.counted(events.n_all, 'change')}."
)
with st.container(horizontal=True, gap="medium"):
    for title, script in (
        ("People", "people"),
        ("Tokens", "tokens"),
        ("Settings", "settings"),
        ("Audit log", "audit"),
    ):
        show_link(Link(title, script, {}))

st.subheader("Work at hand", anchor=False)
if not at_work:
    st.caption("No server of this store computes anything at the moment.")
for work in at_work:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(plain(described(work)), width="stretch")
        if work.is_stopped:
            st.caption("is being stopped", width="content")
        elif work.server == HERE or not is_frozen:
            st.button("Stop", key=f"stop_{work.uid}", on_click=end, args=(work,))

if address := scheduler():
    task = Task("workers of Dask", (address,))
    st.caption(plain(str(worked_out(("workers of Dask", address), task, None, None))))

st.subheader("Backups", anchor=False)
folder = folder_of_backups(store)
if folder is None:
    st.caption("This store is on a database server, which backs it up.")
elif backups:
    show_table(
        pd.DataFrame([one.to_dict() for one in backups]),
        key="backups",
        columns={
            "name": Column("File"),
            "written_at": Column("Written", "moment"),
            "size_bytes": Column("Bytes", "count"),
        },
        filename="backups",
        noun="backup",
    )
else:
    st.caption("There is none beside the store.")
if folder is not None and not is_frozen:
    if st.button("Make a backup now"):
        change(
            lambda opened: keep_backup(opened, actor=current_actor()),
            "A backup is written.",
        )
        st.rerun()
    st.caption("They lie in the folder `backups` beside the store; the newest 14 stay.")

st.subheader("Old texts", anchor=False)
kept = store_settings(store).get(RETENTION, FOREVER)
if kept == FOREVER:
    st.caption("This store keeps texts forever. Settings say otherwise.")
elif not is_frozen:
    trial = find_old_texts(store)
    st.markdown(
        f"Texts are kept {kept} days. {numbers.counted(trial.n_items, 'text')} of items and "
        f"{numbers.counted(trial.n_outputs, 'output')} are older."
    )
    if trial.datasets:
        st.caption(plain("They are of " + ", ".join(one.dataset for one in trial.datasets) + "."))
        with folded_form("Remove them", "remove_texts"):
            st.markdown("They do not come back. Every score stays.")
            why = st.text_input("Why")
            if st.form_submit_button("Remove old texts"):
                change(
                    lambda opened: remove_old_texts(opened, actor=current_actor()),
                    f"{trial.n_items + trial.n_outputs:,} texts are removed.",
                    why,
                )
                st.rerun()

st.subheader("Latest changes", anchor=False)
for event in events.events:
    said = f"{event.at:%Y-%m-%d %H:%M} UTC, {event.actor}: {event.action} {event.told}"
    st.markdown(f"- {plain(said)}")
