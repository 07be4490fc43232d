"""Saved views: what is shown now is kept under a name; opened later, it says what has changed."""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qs

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis import numbers
from dashboard import address, data
from dashboard.old_names import today
from dashboard.ui.answers import said
from dashboard.ui.changing import change, closing
from dashboard.ui.links import plain
from dashboard.ui.notes import without_commands
from store.console import current_actor
from store.errors import NotFoundError
from store.views import ViewRecord, get_view, save_view

VIEW: Final = "v"
"""The parameter that names a view."""
_NAME: Final = "view_name"


def asked_view() -> ViewRecord | None:
    """Return the view that the address names; where it says no more than that, go there.

    Raises
    ------
    NotFoundError
        There is no such view.
    """
    uid = address.value(VIEW)
    if uid is None:
        return None
    view = get_view(data.current_store(), uid)
    if set(st.query_params) == {VIEW}:
        address.redirect(view.place, {**parse_qs(view.query), VIEW: uid})
        st.stop()
    return view


def show_view(view: ViewRecord, place: str, at: DeltaGenerator) -> None:
    """Say above a page which view it is, and whether its answer is still the one it was."""
    now = {name: st.query_params.get_all(name) for name in st.query_params if name != VIEW}
    who = plain(f"‘{view.name}’, saved by {view.owner} on {numbers.day(view.created_at)}")
    if (place, now) != (view.place, today(parse_qs(view.query))):
        at.info(f"A variation of the view {who}.")
    elif said() == view.answer:
        at.success(f"The view {who}: the answer is the same.")
    else:
        at.warning(f"The view {who}: the answer has changed. It was: {view.answer}")


def offer_saving(at: DeltaGenerator) -> None:
    """Offer to keep what is shown, where that can be written down and there is an answer."""
    href, answer = address.given(), said()
    if not href or not answer or data.is_read_only():
        return
    with at.popover("Save view", type="tertiary", key=closing("view_fold")):
        st.text_input("Name", key=_NAME, max_chars=200)
        st.button("Save", key="view_save", on_click=_save, args=(href, answer))


def _save(href: str, answer: str) -> None:
    name = str(st.session_state.get(_NAME) or "")
    place, _, query = href.partition("?")
    kept: list[ViewRecord] = []
    change(
        lambda store: kept.append(
            save_view(store, name, place=place, query=query, answer=answer, actor=current_actor())
        ),
        f"The view ‘{name.strip()}’ is saved: it stands in Library, Views.",
    )
    if kept:
        st.session_state[_NAME] = ""


def told_missing(error: NotFoundError) -> None:
    """Say that a view is gone."""
    st.warning(plain(without_commands(str(error))))
    st.button("Show the page without it", on_click=address.tell, args=({VIEW: None},))
