"""The row of filters on top of a page. Every filter is in the URL."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

import streamlit as st

from analysis import numbers
from dashboard.ui.links import CARRIED, plain
from store.lookup import did_you_mean

T = TypeVar("T")


@contextmanager
def filter_row(key: str) -> Iterator[None]:
    """Open the row: `with filter_row("runs_filters"):`. On a narrow screen it wraps.

    What a link asks for and no filter has is told right below the row, and nothing is answered:
    an answer about something else would be taken for the one that was asked for.
    """
    unknown: list[str] = []
    token = _UNKNOWN.set(unknown)
    try:
        with st.container(
            key=key, horizontal=True, vertical_alignment="bottom", gap="small", width="stretch"
        ):
            yield
    finally:
        _UNKNOWN.reset(token)
    _stop_at(unknown)


def _stop_at(unknown: list[str]) -> None:
    """Say what is not known, and stop until the reader chooses."""
    for text in unknown:
        st.warning(plain(text))
    if unknown:
        st.button("Show what is chosen above")  # the next look is by the filters
        st.stop()


def choose_one(
    label: str,
    options: Sequence[T],
    *,
    key: str,
    default: T | None = None,
    name: Callable[[T], str] = str,
    help: str | None = None,
    width: int = 200,
) -> T | None:
    """Choose one of `options` (the first, unless `default`); None only when there are none.

    A choice of the reader stands in the URL, whatever it is. Before anything was chosen the URL
    is as it came; `links.show_permalink` gives one that says everything.
    """
    _take_carried(key, options, name)
    tell_unknown(label, key, [name(option) for option in options])
    wanted = (default if default in options else options[0]) if options else None
    is_asked = st.query_params.get(key) in [name(option) for option in options]
    is_first_look = key not in st.session_state
    if not (is_first_look and is_asked) and st.session_state.get(key) not in options:
        st.session_state[key] = wanted
    chosen = st.selectbox(
        label,
        options,
        index=None,  # so that no choice counts as a default, which the URL would leave out
        key=key,
        format_func=name,
        help=help,
        width=width,
        bind="query-params",
    )
    return wanted if chosen is None else chosen


def _take_carried(key: str, options: Sequence[T], name: Callable[[T], str]) -> None:
    """Choose what the link from another page asks for: see `links.show_link`."""
    asked = st.query_params.get(f"{CARRIED}{key}")
    if asked is None:
        return
    del st.query_params[f"{CARRIED}{key}"]
    for option in options:
        if name(option) == asked:
            st.session_state[key] = option
            return


def choose_some(
    label: str,
    options: Sequence[T],
    *,
    key: str,
    default: Sequence[T] = (),
    name: Callable[[T], str] = str,
    help: str | None = None,
    width: int = 240,
) -> list[T]:
    """Choose any number of `options`; none chosen means all of them."""
    tell_unknown(label, key, [name(option) for option in options])
    chosen = st.multiselect(
        label,
        options,
        default=list(default),
        key=key,
        format_func=name,
        help=help,
        width=width,
        placeholder="all",
        bind="query-params",
    )
    return chosen or list(options)


def search(label: str, *, key: str, width: int = 200) -> str:
    """Read words to search for, without spaces around them."""
    text = st.text_input(
        label, key=key, type="search", placeholder="search", width=width, bind="query-params"
    )
    return (text or "").strip()


def show_all_button(*keys: str) -> None:
    """Offer to empty the filters with these keys."""

    def empty() -> None:
        for key in keys:
            if key in st.session_state:
                st.session_state[key] = "" if isinstance(st.session_state[key], str) else []

    st.button("Show all", on_click=empty)


def show_count(shown: int, total: int, noun: str) -> None:
    """Say under the row how much of the whole is in view, when it is not all."""
    if shown != total:
        st.caption(f"Showing {numbers.count(shown)} of {numbers.counted(total, noun)}")


def tell_unknown(label: str, key: str, known: Sequence[str]) -> None:
    """Note what the link asks for and this filter does not have; it is dropped."""
    if key in st.session_state:
        return  # not the first look: the address follows the filter
    for asked in st.query_params.get_all(key):
        if asked not in known:
            text = (
                f"The link asks for '{asked}' as {label}, which is not among the choices here."
                f"{did_you_mean(asked, known)}"
            )
            row = _UNKNOWN.get()
            if row is None:  # a filter that stands alone
                _stop_at([text])
            else:
                row.append(text)


_UNKNOWN: ContextVar[list[str] | None] = ContextVar("unknown", default=None)
"""What the filters of the row under way could not find; ``None`` outside of a row."""
