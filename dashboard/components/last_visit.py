"""When the reader was here last, as the reader's own browser keeps it.

The server knows no readers. The browser's local storage keeps two moments for each store: the
latest one and the end of the visit before; half an hour without the page ends a visit.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from importlib import resources
from typing import Final, NamedTuple

import streamlit as st

_mount: Final = st.components.v2.component(
    "tiebreak_last_visit",
    js=resources.files(__package__).joinpath("last_visit.js").read_text(encoding="utf-8"),
)


class Visit(NamedTuple):
    """What the browser says about the visit before this one."""

    ended: datetime | None
    """When it ended; ``None`` where there was none, or nothing is known."""
    is_first: bool
    """Whether the browser says that there was none."""


def last_visit(store: str, *, key: str = "last_visit") -> Visit:
    """Ask the browser when it last showed this page of a store, and have it keep this moment.

    Parameters
    ----------
    store
        What tells stores apart, such as the location; the browser gets a digest of it.
    key
        Streamlit's key.

    Returns
    -------
    Visit
        In the first run of a page nothing is known yet; the browser's answer runs it again.
    """
    told = (st.session_state.get(key) or {}).get("visit")
    name = f"tiebreak:last-visit:{hashlib.sha256(store.encode()).hexdigest()[:16]}"
    result = _mount(
        key=key,
        data={"name": name, "told": told},
        on_visit_change=_nothing,
    )
    return read_visit(result.visit)


def read_visit(told: object) -> Visit:
    """Return what the browser told; nothing that cannot be is believed."""
    if told == "first":
        return Visit(None, is_first=True)
    try:
        moment = datetime.fromisoformat(str(told))
    except ValueError:
        return Visit(None, is_first=False)
    if moment.tzinfo is None:
        return Visit(None, is_first=False)
    return Visit(min(moment.astimezone(UTC), datetime.now(UTC)), is_first=False)


def _nothing() -> None:
    """Tell Streamlit that `visit` is a state."""
