"""Which of its three questions the page of power answers."""

from __future__ import annotations

from typing import Final

import streamlit as st

from dashboard import address
from dashboard.ui import filters

ALL, ONE, PLAN = "all test sets", "one test set", "plan a test set"
VIEWS: Final = {ALL: "all", ONE: "one", PLAN: "plan"}
_OF_ONE: Final = frozenset({"dataset", "metric", "a", "b", "effect", "by"})


def choose_view() -> str:
    """Draw the choice; before there was one it is what the link is about."""
    return filters.choose_part(
        "View", list(VIEWS), key="view", default=_asked(), value=VIEWS.__getitem__
    )


def _asked() -> str:
    names = set(st.query_params)
    if names & _OF_ONE:
        return ONE
    return PLAN if any(name.startswith("plan") for name in names) else ALL


def open_one(dataset: str, metric: str) -> None:
    """Show one test set, by its first two systems, from the next run on: a callback."""
    address.tell({"view": VIEWS[ONE], "dataset": dataset, "metric": metric, "a": None, "b": None})
