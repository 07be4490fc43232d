"""The address is the view: what it says is shown, and what a person sets is written into it.

Python reads the query and writes it in the callbacks of widgets; the browser (`steps.js`) turns
links into steps. A new value of one of `STEPS` makes an entry in the browser's history, as does a
link; anything else replaces the entry. Values are the machine's, never words on the screen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any, Final, TypedDict, TypeVar
from urllib.parse import urlencode

import streamlit as st

T = TypeVar("T")

STEPS: Final = ("tab", "dataset", "metric", "a", "b", "uid", "criterion", "gold", "pair")
"""Parameters whose new value is a step of its own, by whatever means it was chosen."""

_OURS: Final = "address_ours"
"""In the session: the last query that a widget has written."""
_CORRECTED: Final = "address_corrected"
"""In the session: what this run found in an old spelling, by name."""

_mount: Final = st.components.v2.component(
    "tiebreak_steps",
    js=resources.files("dashboard.components").joinpath("steps.js").read_text(encoding="utf-8"),
)


class Widget(TypedDict):
    """What makes a widget one of the address: ``st.toggle("Old", **widget("old", False))``."""

    key: str
    on_change: Callable[..., None]
    args: tuple[str, Callable[[Any], str]]


def value(name: str) -> str | None:
    """Return what the address says of a parameter (the last, if several); ``None``: nothing."""
    told = st.query_params.get_all(name)
    return told[-1] if told else None


def values(name: str) -> list[str]:
    """Return all that the address says of a parameter that may stand there more than once."""
    return st.query_params.get_all(name)


def tell(changes: Mapping[str, str | Sequence[str] | None]) -> None:
    """Write parameters into the address, in a callback; ``None`` or an empty list takes one out.

    All of them make one entry in the history if one of `STEPS` gets a new value, else none.
    """
    told: dict[str, str | Sequence[str]] = {
        name: st.query_params.get_all(name) for name in st.query_params
    }
    told |= {name: text for name, text in changes.items() if text}
    kept = {name: told[name] for name in sorted(told) if changes.get(name, True)}
    if _query(kept) != _query():
        st.query_params.from_dict(kept)
    st.session_state[_OURS] = _query()


def is_ours() -> bool:
    """Tell whether a widget has written this address last, so that nobody asked for the rest."""
    return st.session_state.get(_OURS) == _query()


def widget(name: str, shown: object, text: Callable[[Any], str] = str) -> Widget:
    """Have the next widget show what the address says, and write what is chosen into it.

    Parameters
    ----------
    name
        The parameter, and the widget's key.
    shown
        What the address (or the default) makes the widget's value. Give the widget no default.
    text
        Turns the value (each one, of a list) into what the address says.
    """
    if name not in st.session_state or st.session_state[name] != shown:
        st.session_state[name] = shown  # only then: it would undo what a quick hand has typed
    return {"key": name, "on_change": _write, "args": (name, text)}


def _write(name: str, text: Callable[[Any], str]) -> None:
    chosen = st.session_state[name]
    if isinstance(chosen, list | tuple):
        tell({name: [text(one) for one in chosen]})
    else:
        tell({name: None if chosen is None or chosen == "" else text(chosen)})


def correct(name: str, text: str | Sequence[str]) -> None:
    """Replace an old spelling in the address once this run is over."""
    st.session_state.setdefault(_CORRECTED, {})[name] = text


def listen(places: Sequence[str], moved: Sequence[str] = ()) -> None:
    """Take over the links to these places; once, before a page is drawn.

    An entry of one of the `moved` places is replaced by the place that it leads to.
    """
    st.session_state.pop(_CORRECTED, None)
    with st.container(key="address"):
        _mount(key="steps", data={"places": list(places), "moved": list(moved), "steps": STEPS})


def settle() -> None:
    """Have the browser replace what this run has corrected; once, after the page."""
    if corrected := st.session_state.pop(_CORRECTED, None):
        redirect("", {name: st.query_params.get_all(name) for name in st.query_params} | corrected)


def redirect(place: str, query: Mapping[str, str | Sequence[str]]) -> None:
    """Have the browser show another address (`place` "": of this place) in the entry of this."""
    with st.container(key="address_redirect"):
        _mount(key="redirect", data={"to": f"{place}?{_query(query)}".rstrip("?")})


def _query(told: Mapping[str, str | Sequence[str]] | None = None) -> str:
    if told is None:
        told = {name: st.query_params.get_all(name) for name in st.query_params}
    return urlencode(sorted(told.items()), doseq=True)
