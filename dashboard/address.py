"""The address is the view: what it says is shown, and what a person sets is written into it.

Python reads the query and writes it in the callbacks of widgets; the browser (`steps.js`) turns
links into steps. A new value of one of `STEPS` makes an entry in the browser's history, as does a
link; anything else replaces the entry. Values are the machine's, never words on the screen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import resources
from typing import Any, Final, TypedDict, TypeVar
from urllib.parse import parse_qs, urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard import places
from store.errors import clipped
from store.lookup import did_you_mean

T = TypeVar("T")

STEPS: Final = ("tab", "dataset", "metric", "a", "b", "uid", "criterion", "gold", "pair")
"""Parameters whose new value is a step of its own, by whatever means it was chosen."""

_OURS: Final = "address_ours"
"""In the session: the last query that a widget has written."""
_CORRECTED: Final = "address_corrected"
"""In the session: what this run found in an old spelling, by name."""

_KNOWN: Final = "address_known"
"""In the session: the parameters that this run has asked for."""
_REFUSED: Final = "address_refused"
"""In the session: an address with names that mean nothing, what to say of it, and the names."""
_TITLE: Final = "address_title"
"""In the session: what the browser's tab is called."""
_GIVEN: Final = "address_given"
"""In the session: what "Copy link" of this run gives."""
_PLACE: Final = "address_place"
"""In the session: the place that is drawn."""
_PAGE: Final = "address_page"
"""In the session: Streamlit's name of the place that was begun last."""
_RUN: Final = "address_run"
"""In the session: how often a place was drawn."""
_DRAWN: Final = "address_drawn"
"""In the session: the place and tab where a parameter's widget was drawn last, by name."""
_COPY: Final = "address_copy"
"""In the session: where "Copy link" goes, until it is there."""

_copy: Final = st.components.v2.component(
    "tiebreak_copy_link",
    html='<div class="copy"></div>',
    css=resources.files("dashboard.components").joinpath("copy_link.css").read_text("utf-8"),
    js=resources.files("dashboard.components").joinpath("copy_link.js").read_text("utf-8"),
)
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
    told = values(name)
    return told[-1] if told else None


def values(name: str) -> list[str]:
    """Return all that the address says of a parameter that may stand there more than once."""
    known().add(name)
    return st.query_params.get_all(name)


def tell(changes: Mapping[str, str | Sequence[str] | None]) -> None:
    """Write parameters into the address, in a callback; ``None`` or an empty list takes one out.

    All of them make one entry in the history if one of `STEPS` gets a new value, else none. A
    widget of a place that was left meanwhile writes nothing: the browser shows another address.
    """
    here = _page()
    if st.session_state.get(_PAGE, here) != here:
        return
    told: dict[str, str | Sequence[str]] = {
        name: st.query_params.get_all(name) for name in st.query_params
    }
    told |= {name: text for name, text in changes.items() if text}
    kept = {name: told[name] for name in sorted(told) if changes.get(name, True)}
    if _query(kept) != _query():
        st.query_params.from_dict(kept)
    st.session_state[_OURS] = _query()


def leave() -> None:
    """Go to the page's bare address, in a callback."""
    tell(dict.fromkeys(list(st.query_params)))


def here_with(name: str, texts: Iterable[object]) -> list[str]:
    """Return this address with each of these values of one parameter."""
    told = {known: st.query_params.get_all(known) for known in st.query_params if known != name}
    rest = _query(told)
    return [f"?{rest}{'&' * bool(rest)}{urlencode({name: str(text)})}" for text in texts]


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
    drawn = st.session_state.setdefault(_DRAWN, {})
    here = (st.session_state.get(_PLACE), st.query_params.get("tab"))
    is_new = name not in st.session_state or drawn.get(name) != here  # else it may be another's
    if is_new or st.session_state[name] != shown:
        st.session_state[name] = shown  # only then: it would undo what a quick hand has typed
    drawn[name] = here
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


def known() -> set[str]:
    """Return the names of the parameters that this run has asked for."""
    names: set[str] = st.session_state.setdefault(_KNOWN, set())
    return names


def call(title: str) -> None:
    """Say what the browser's tab is called in this run."""
    st.session_state[_TITLE] = title


def title() -> str:
    """Return what this run shows in few words: what a page says, else pair, dataset, metric."""
    said = st.session_state.pop(_TITLE, "")
    if said:
        return str(said)
    shown = {
        name: str(st.session_state[name])
        for name in ("a", "b", "dataset")
        if name in known() and st.session_state.get(name)
    }
    if "a" in shown and "b" in shown:
        pair = f"{shown['a']} vs {shown['b']}"
        return f"{pair} · {shown['dataset']}" if "dataset" in shown else pair
    return shown.get("dataset", "")


def offer(copy: DeltaGenerator) -> None:
    """Say where "Copy link" goes, once the address of the view is known."""
    st.session_state[_COPY] = copy


def given() -> str:
    """Return the address that "Copy link" gives, relative; "" where it is the browser's own."""
    return str(st.session_state.get(_GIVEN, ""))


def shared(names: Sequence[str]) -> dict[str, list[str]]:
    """Return what the address says of parameters, or else what the page has chosen by itself.

    That does not make them known: another tab may ask for them.
    """
    chosen = parse_qs(given().partition("?")[2])
    return {name: st.query_params.get_all(name) or chosen.get(name, []) for name in names}


def give(href: str) -> None:
    """Show "Copy link" for this address, which says all of the view."""
    st.session_state[_GIVEN] = href
    with st.session_state.pop(_COPY):
        _copy(key="copy_link", data={"href": href})


def listen(place: str, moved: Sequence[str] = ()) -> None:
    """Take over the links to all places and say which `place` is drawn; once, before it is.

    An entry of one of the `moved` places is replaced by the place that it leads to.
    """
    for name in (_CORRECTED, _KNOWN, _TITLE, _GIVEN):
        st.session_state.pop(name, None)
    st.session_state[_PLACE] = place
    st.session_state[_PAGE] = _page()
    run = st.session_state[_RUN] = st.session_state.get(_RUN, 0) + 1
    known = {"places": [*places.BY_NAME, *moved], "moved": list(moved), "steps": STEPS}
    with st.container(key="address"):
        _mount(key="steps", data={**known, "at": _here(), "run": run})


def refused() -> tuple[str, list[str]] | None:
    """Return what is wrong with names in this very address, as the run before found, and these."""
    at, said, names = st.session_state.get(_REFUSED) or ("", "", [])
    return (said, names) if names and at == _query() else None


def settle(shared: Sequence[str], *, is_whole: bool) -> None:
    """Finish a place: refuse names that mean nothing, correct old spellings, offer the link.

    Parameters
    ----------
    shared
        Parameters of the place that not every tab asks for.
    is_whole
        Whether all was drawn: else not all names that mean something have been asked for.
    """
    asked = known() | set(shared) | {"tab"}
    odd = sorted(name for name in st.query_params if name not in asked)
    if odd and is_whole:
        if is_ours():
            tell(dict.fromkeys(odd))
        else:
            said = [
                f"'{name}' means nothing here.{did_you_mean(name, sorted(asked))}" for name in odd
            ]
            st.session_state[_REFUSED] = (_query(), clipped(" ".join(said)), odd)
            st.rerun()
    if corrected := st.session_state.pop(_CORRECTED, None):
        told = {name: st.query_params.get_all(name) for name in st.query_params}
        redirect("", told | corrected)
    if is_whole and _COPY in st.session_state:
        give("")


def redirect(place: str, query: Mapping[str, str | Sequence[str]]) -> None:
    """Have the browser show another address (`place` "": of this place) in the entry of this."""
    here = _here()
    to = f"./{place or _place()}?{_query(query)}".rstrip("?")
    with st.container(key="address_redirect"):
        _mount(key="redirect", data={"from": here, "to": to})


def _page() -> str | None:
    """Return Streamlit's name of the place that this run is for; in a callback too."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.page_script_hash if context else None


def _place() -> str:
    """Return the place that this run draws; "" where a part of a page stands alone."""
    place: str = st.session_state.get(_PLACE, "")
    return place


def _here() -> str:
    """Return the address that this run draws, relative to the server's."""
    return f"./{_place()}?{_query()}".rstrip("?")


def _query(told: Mapping[str, str | Sequence[str]] | None = None) -> str:
    if told is None:
        told = {name: st.query_params.get_all(name) for name in st.query_params}
    return urlencode(sorted(told.items()), doseq=True)
