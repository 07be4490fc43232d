"""The row of filters on top of a page. Every filter is in the URL."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.ui import numbers

T = TypeVar("T")


def filter_row(key: str) -> DeltaGenerator:
    """Open the row: `with filter_row("runs_filters"):`. On a narrow screen it wraps."""
    return st.container(
        key=key, horizontal=True, vertical_alignment="bottom", gap="small", width="stretch"
    )


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
    """Choose one of `options` (the first, unless `default`); None only when there are none."""
    index = options.index(default) if default in options else 0
    return st.selectbox(
        label,
        options,
        index=index if options else None,
        key=key,
        format_func=name,
        help=help,
        width=width,
        bind="query-params",
    )


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


def show_count(shown: int, total: int, noun: str) -> None:
    """Say under the row how much of the whole is in view, when it is not all."""
    if shown != total:
        st.caption(f"{numbers.count(shown)} of {numbers.counted(total, noun)} match")
