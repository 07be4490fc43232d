"""Saved views: who keeps which, and what it answered then.

URL parameters: those of the table.
"""

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from dashboard import data
from dashboard.ui import states
from dashboard.ui.answers import answer
from dashboard.ui.changing import change
from dashboard.ui.filters import choose_one
from dashboard.ui.links import unescaped
from dashboard.ui.tables import show_table
from store.console import current_actor
from store.views import forget_view, list_views

st.title("Views", anchor=False)
views = list_views(data.current_store())
if not views and not data.datasets():
    states.empty_store()
    st.stop()
if not views:
    answer("No view is saved yet.")
    st.markdown(
        "Every page with an answer has *Save view* at its top: a short link, which says later "
        "whether the answer has changed."
    )
    st.stop()

answer(f"{numbers.counted(len(views), 'saved view')}.")
show_table(
    pd.DataFrame([view.to_dict() for view in views]).assign(
        created_at=[view.created_at for view in views],
        answer=[unescaped(view.answer) for view in views],
    ),
    key="views",
    columns={
        "name": Column("View", pinned=True),
        "owner": Column("Who"),
        "created_at": Column("Saved", "moment"),
        "place": Column("Place"),
        "answer": Column("Answer then"),
        "revision": Column("Revision", "count", shown=False),
        "uid": Column("Uid", shown=False),
    },
    filename="views",
    noun="view",
    links={"name": [f"{view.place}?v={view.uid}" for view in views]},
    is_main=True,
)
if not data.is_read_only():
    with st.expander("Take a view away"):
        by_uid = {view.uid: view for view in views}
        uid = str(choose_one("View", list(by_uid), key="view", name=lambda uid: by_uid[uid].name))
        st.button(
            "Take away",
            on_click=change,
            args=(
                lambda store: forget_view(store, uid, actor=current_actor()),
                f"The view ‘{by_uid[uid].name}’ is gone.",
            ),
        )
