"""The frame of every page: says in words what keeps one from being shown."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from types import CodeType
from typing import Final

import streamlit as st

from dashboard import address, messages
from dashboard.data import damage_seen, has_vanished
from dashboard.first_page import NOT_FOUND
from dashboard.old_names import lead_on
from dashboard.people import name_who_is_there, show_who
from dashboard.places import MOVED, PLACES, Place, asked_of, moved_to, where
from dashboard.ui import answers, states, views
from dashboard.ui.changing import show_said
from dashboard.ui.links import Link, plain, show_tabs
from dashboard.ui.notes import without_commands
from dashboard.ui.sidebar import MARK, remember, show_sidebar
from dashboard.ui.style import apply_style
from dashboard.warm_up import warm_up
from store.damage import blamed
from store.errors import NotFoundError, SchemaVersionError, StoreError, clipped
from store.lookup import did_you_mean

FOLDER: Final = Path(__file__).resolve().parent / "app_pages"
"""The folder of the tabs' scripts."""

_MOST_DAMAGES = 3


def show_damage() -> list[str]:
    """Say above every page which scores are damaged and left out; return what was said."""
    told = [str(one) for one in damage_seen()]
    for sentence in told[:_MOST_DAMAGES]:
        st.error(plain(sentence))
    if len(told) > _MOST_DAMAGES:
        st.error(f"And {len(told) - _MOST_DAMAGES:,} more: `tiebreak db check` lists them.")
    return told


def run() -> None:
    """Draw the place that the address names."""
    name_who_is_there()
    pages = [st.Page(_start, title="Home", default=True, visibility="hidden")]
    for place in PLACES:
        pages.append(st.Page(partial(_draw, place), title=place.title, url_path=place.name))
    for name in MOVED:
        leave = partial(_leave, name)
        pages.append(st.Page(leave, title=name, url_path=name, visibility="hidden"))
    page = st.navigation(pages, position="hidden")
    st.set_page_config(page_title=f"{page.title} · Tiebreak", page_icon=MARK, layout="wide")
    address.listen(page.url_path, moved=["", *MOVED])
    apply_style()
    if not show_who():
        return
    if wrong := messages.WORDS.get(address.value(messages.TOO_MUCH) or ""):
        states.too_much(wrong)
        return
    if page.url_path in MOVED:
        page.run()
        return
    listed = show_sidebar(page.url_path)
    try:
        page.run()
    finally:  # a page may stop early
        if title := address.title():
            st.set_page_config(page_title=f"{title} · Tiebreak")
        remember(page.url_path, listed)


def _start() -> None:
    """Go home: Streamlit gives its default page no address of its own."""
    asked = address.value(NOT_FOUND)
    if asked is not None:  # an unknown address ends here too
        states.no_page(asked, [Link(place.title, place.tabs[0].script, {}) for place in PLACES])
        return
    address.redirect(PLACES[0].name, _query())


def _leave(name: str) -> None:
    """Go where a page of before is now."""
    address.redirect(*moved_to(name, _query()))


def _query() -> dict[str, list[str]]:
    return {name: address.values(name) for name in st.query_params}


def _draw(place: Place) -> None:
    """Draw a place: its tabs, "Copy link", and the tab that the address names."""
    asked = address.value("tab")
    tab = place.tab(asked)
    left, right = st.columns([3, 1], vertical_alignment="center")
    tabs = left.empty()
    show_tabs(place, tab, tabs)
    corner = right.container(
        horizontal=True, horizontal_alignment="right", vertical_alignment="center"
    )
    address.offer(corner.container(width="content"))
    if tab is None and (script := place.script_of_before(str(asked))):
        query = {name: told for name, told in _query().items() if name != "tab"}
        address.redirect(where(script)[0].name, asked_of(script, query))
        return
    if tab is None:
        names = [each.name for each in place.tabs]
        st.warning(
            plain(
                f"There is no tab '{clipped(asked or '', 200)}' here."
                f"{did_you_mean(asked or '', names)}"
            )
        )
        return
    if refused := address.refused():
        said, names = refused
        st.warning(plain(said))
        st.button("Show it without that", on_click=address.tell, args=(dict.fromkeys(names),))
        return
    warm_up.wait_for(tab.script)
    if lead_on():
        return
    told = show_damage()
    show_said()
    banner = st.empty()
    answers.forget()
    try:
        view = views.asked_view()
    except NotFoundError as error:
        views.told_missing(error)
        return
    is_whole = False
    try:
        exec(_code(tab.script), {"__name__": f"dashboard.app_pages.{tab.script}"})
        is_whole = True
    except SchemaVersionError as error:
        states.wrong_revision(str(error), "tiebreak db upgrade")
    except NotFoundError as error:
        if has_vanished():
            states.vanished_store()
        elif "no store at" in str(error):
            states.empty_store()
        else:
            st.subheader(plain(without_commands(str(error))), anchor=False)
    except StoreError as error:
        st.subheader("The store cannot answer.", anchor=False)
        st.markdown(plain(without_commands(str(error))))
    except Exception:
        if blamed(damage_seen()) is None:
            raise
        st.subheader("The store cannot answer.", anchor=False)  # why stands above
    finally:
        if view is not None and answers.said():
            views.show_view(view, place.name, banner)
        elif is_whole:
            views.offer_saving(corner)
        leading = [*place.shared[:1], *(["dataset"] if place.further else [])]
        if any(name not in st.query_params for name in leading):
            show_tabs(place, tab, tabs)  # with what the page has chosen by itself
        address.settle(place.shared, is_whole=is_whole)
    if [str(one) for one in damage_seen()] != told:
        st.rerun()  # seen while the page was drawn: it is said above everything


@cache
def _code(script: str) -> CodeType:
    """Return a tab's script, which runs from top to bottom as Streamlit's own pages do."""
    path = FOLDER / f"{script}.py"
    return compile(path.read_bytes(), str(path), "exec")
