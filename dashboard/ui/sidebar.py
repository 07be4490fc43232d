"""The sidebar: name of product and store, one search, the places, and what the store is."""

from __future__ import annotations

import html
from base64 import b64encode
from collections.abc import Iterable
from pathlib import PurePath
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import address, data, places
from dashboard.search import search
from dashboard.ui.links import plain
from store.errors import NotFoundError, StoreError
from store.location import resolve_location, without_password
from store.schema import head_revision
from store.version import VERSION

EVERY: Final = 5
"""Seconds between two looks whether the store has changed."""
_CELL: Final = "sidebar_cell"
"""In the session: the dataset and metric that were looked at last."""
_DRAWN: Final = "sidebar_drawn"
"""In the session: the state of the store that the page shows."""
MARK: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="22" height="22">'
    '<rect width="32" height="32" rx="6" fill="#4a3f86"/>'
    '<path d="M7 12h18M7 20h18" stroke="#fff" stroke-width="3.4" stroke-linecap="round"/>'
    '<path d="M20.5 6.5l-9 19" stroke="#fff" stroke-width="3.4" stroke-linecap="round"/></svg>'
)
"""Our own: what looks equal and is not."""
_PICTURE: Final = f"data:image/svg+xml;base64,{b64encode(MARK.encode()).decode()}"


def show_sidebar(shown: str) -> DeltaGenerator:
    """Draw the sidebar, and return where its places stand; `shown` names the open one."""
    with st.sidebar:
        location = without_password(resolve_location())
        name = location if "://" in location else PurePath(location).stem
        st.html(
            f'<div class="tiebreak-name"><img alt="" src="{_PICTURE}"><span><b>Tiebreak</b><br>'
            f"<small>{html.escape(name)}</small></span></div>"
        )
        _show_search()
        listed = st.empty()
        _show_places(listed, shown)
        _show_newer()
        foot = [place for place in places.PLACES if place.is_at_foot]
        st.html(f'<nav class="tiebreak-places" aria-label="Foot">{_links(foot, shown)}</nav>')
        with st.expander("About this store"):
            _show_about(location)
    return listed


def remember(place: str, listed: DeltaGenerator) -> None:
    """Keep the dataset and metric of a board, and have the sidebar lead there from now on."""
    if place == "board":
        known = [name for name in ("dataset", "metric") if name in address.known()]
        cell = {name: str(st.session_state[name]) for name in known if st.session_state.get(name)}
        if "dataset" in cell and cell != st.session_state.get(_CELL):
            st.session_state[_CELL] = cell
            _show_places(listed, place)


def _show_places(listed: DeltaGenerator, shown: str) -> None:
    above = [place for place in places.PLACES if not place.is_at_foot]
    listed.html(f'<nav class="tiebreak-places" aria-label="Places">{_links(above, shown)}</nav>')


def _links(listed: Iterable[places.Place], shown: str) -> str:
    parts = []
    for place in listed:
        query = st.session_state.get(_CELL, {}) if place.name == "board" else {}
        current = ' aria-current="page"' if place.name == shown else ""
        to = html.escape(places.href(place.tabs[0].script, query))
        parts.append(f'<a href="{to}"{current}>{place.title}</a>')
    return "".join(parts)


def _show_search() -> None:
    words = st.text_input(
        "Search",
        type="search",
        placeholder="Search (press /)",
        label_visibility="collapsed",
        key="search_everything",
    )
    if not words:
        return
    try:
        hits = search(words)
    except StoreError:  # the page says why nothing can be read
        return
    if not hits:
        st.caption(plain(f"Nothing is called '{words}'."))
        return
    items = "".join(
        f'<a href="{html.escape(hit.link.url)}">{html.escape(hit.link.label)}'
        f" <small>{hit.kind}</small></a>"
        for hit in hits
    )
    st.html(f'<nav class="tiebreak-places" aria-label="Found">{items}</nav>')


def _show_newer() -> None:
    try:
        st.session_state[_DRAWN] = data.shown_state()
    except StoreError:  # the page says it
        st.session_state.pop(_DRAWN, None)
        return
    _look()


@st.fragment(run_every=EVERY)
def _look() -> None:
    """Offer to reload once the store has changed; nothing moves before that."""
    drawn = st.session_state.get(_DRAWN)
    try:
        now = data.shown_state()
    except StoreError:
        return
    if drawn is not None and now != drawn:
        st.caption("The store has changed since this page was drawn.")
        if st.button("Show the new state"):
            st.rerun(scope="app")


def _show_about(location: str) -> None:
    st.markdown(plain(location))
    st.caption(f"Version {VERSION}, schema {head_revision()}")
    try:
        store = data.current_store()
        size = f", {store.path.stat().st_size / 1e6:,.1f} MB" if store.path is not None else ""
        st.caption(f"Revision {store.revision():,}{size}")
    except NotFoundError:
        st.caption("There is no store here.")
    except (StoreError, OSError):
        st.caption("It cannot be opened.")
