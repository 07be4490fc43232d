"""Which of its three questions the page of power answers."""

from __future__ import annotations

from typing import Final

import streamlit as st

from dashboard.ui import filters
from dashboard.ui.links import CARRIED

ALL, ONE, PLAN = "all test sets", "one test set", "plan a test set"
VIEWS: Final = (ALL, ONE, PLAN)
_OF_ONE: Final = frozenset({"dataset", "metric", "a", "b", "effect", "by"})
_KEY: Final = "view"


def choose_view() -> str:
    """Draw the choice; before there was one it is what the link is about."""
    filters.tell_unknown("view", _KEY, VIEWS)
    if st.query_params.get(_KEY) not in VIEWS and st.session_state.get(_KEY) not in VIEWS:
        st.session_state[_KEY] = _asked()
    chosen = st.segmented_control(
        "View",
        VIEWS,
        required=True,
        key=_KEY,
        bind="query-params",
        label_visibility="collapsed",
    )
    return chosen if chosen in VIEWS else ALL


def _asked() -> str:
    names = {name.removeprefix(CARRIED) for name in st.query_params}
    if names & _OF_ONE:
        return ONE
    return PLAN if any(name.startswith("plan") for name in names) else ALL


def open_one(dataset: str, metric: str) -> None:
    """Show one test set, by its first two systems, from the next run on: a callback."""
    for name in ("a", "b"):
        st.session_state.pop(name, None)
    st.session_state[_KEY] = ONE
    st.session_state["dataset"], st.session_state["metric"] = dataset, metric
