"""People: who changed the store, when last, and with which role now; an admin removes a name.

URL parameters: none.
"""

from dataclasses import asdict

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from dashboard import data, sign_in
from dashboard.ui.answers import answer
from dashboard.ui.changing import change, folded_form
from dashboard.ui.tables import show_table
from store.console import current_actor
from store.known_people import list_people, remove_person
from store.people import Person, current_person

st.title("People", anchor=False)
people = list_people(data.current_store())
answer(
    f"{numbers.counted(len(people), 'person')} changed this store."
    if len(people) == 1
    else f"{len(people):,} people changed this store.",
    "Who only looks leaves no trace.",
)


def role_of(name: str) -> str:
    """Return the role that somebody has where people sign in."""
    found = sign_in.signed_in(name)
    return found.role if isinstance(found, Person) else "none"


if people:
    frame = pd.DataFrame([asdict(one) for one in people])
    roles = {}
    if sign_in.is_on():
        frame["role"] = [role_of(one.name) for one in people]
        roles["role"] = Column("Role", help="By address; groups are known at a sign-in only")
    show_table(
        frame,
        key="people",
        columns={
            "name": Column("Who"),
            **roles,
            "n_changes": Column("Changes", "count"),
            "first_seen": Column("First", "moment"),
            "last_seen": Column("Last", "moment"),
        },
        filename="people",
        noun="person",
    )
if data.is_frozen() or not current_person().may("admin") or not people:
    st.stop()
with folded_form("Remove a name", "remove_name"):
    st.markdown("Another name takes its place, everywhere. Every change stays recorded.")
    gone = st.selectbox("Whose", [one.name for one in people], index=None)
    why = st.text_input("Why")
    if st.form_submit_button("Remove the name") and gone is not None:
        change(
            lambda store: remove_person(store, str(gone), actor=current_actor()),
            "The name is removed.",
            why,
        )
        st.rerun()
