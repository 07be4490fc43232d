"""How anything is changed from a page: what was done, or went wrong, stands above the next one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import streamlit as st

from dashboard.ui.links import plain
from dashboard.ui.notes import without_commands
from store.engine import Store, open_store
from store.errors import StoreError
from store.reasons import because

_SAID: Final = "editing_said"
_TRIED, _DONE = "editing_tried", "editing_done"
"""In the session: how often something was to be changed, and how often it was."""


def change(do: Callable[[Store], object], said: str, why: str = "") -> None:
    """Change the store; what went wrong, or what was done, stands above the next page."""
    _count(_TRIED)
    try:
        with open_store() as store, because(why):
            do(store)
    except StoreError as error:
        st.session_state[_SAID] = (False, without_commands(str(error)))
    else:
        st.session_state[_SAID] = (True, said)
        _count(_DONE)


def _count(name: str) -> None:
    st.session_state[name] = st.session_state.get(name, 0) + 1


def closing(name: str) -> str:
    """Return a key for a popover, another one after each try: so it closes, off what is said."""
    return f"{name}_{st.session_state.get(_TRIED, 0)}"


def emptied(name: str) -> str:
    """Return a key for a form, another one after each change: so the form is empty then."""
    return f"{name}_{st.session_state.get(_DONE, 0)}"


@contextmanager
def folded_form(label: str, key: str, *, is_small: bool = False) -> Iterator[None]:
    """Open a form behind the button `label`, which closes once it is sent."""
    with (
        st.popover(label, type="tertiary" if is_small else "secondary", key=closing(f"{key}_fold")),
        st.form(key, border=False),
    ):
        yield


def show_said() -> None:
    """Say once what the last change did."""
    if told := st.session_state.pop(_SAID, None):
        done, text = told
        (st.success if done else st.error)(plain(text))
