"""The row of filters on top of a page. Every filter is in the address."""

import math
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, Literal, NamedTuple, TypeVar

import streamlit as st
from streamlit.elements.lib.mutable_tab_container import TabContainer

from analysis import glossary, numbers
from analysis.setting import LEFT_OPEN
from dashboard import address
from dashboard.ui.links import plain
from store.errors import clipped
from store.lookup import did_you_mean

T = TypeVar("T")
N = TypeVar("N", int, float)


class _Unknown(NamedTuple):
    """A parameter of the address that cannot be shown, and why."""

    name: str
    said: str


_MOST_WHOLE: Final = 2**53 - 1
"""The largest whole number that a browser counts exactly."""
_MOST_SAID: Final = 600
"""Characters of what is said of a value that a link asks for."""
ROOM: Final = 1060
"""Pixels of a row on a screen of 1440."""
GAP: Final = 16
MOST: Final = 5
"""Filters in view in one row; further ones go behind "More settings"."""
_STRETCHED: Final = 140
"""Pixels of a filter that takes what is left."""
_FOLD: Final = '<details class="tiebreak-fold"><summary>Filters and settings</summary></details>'


class _Row:
    """The row under way."""

    def __init__(self) -> None:
        self.unknown: list[_Unknown] = []
        self.n_filters = 0
        self.taken = 0
        """Pixels."""


_ROW: ContextVar[_Row | None] = ContextVar("row", default=None)
"""``None`` outside of a row."""


@contextmanager
def filter_row(key: str) -> Iterator[None]:
    """Open the row: `with filter_row("runs_filters"):`. On a narrow screen it is folded.

    What a link asks for and no filter has is told right below the row, and nothing is answered:
    an answer about something else would be taken for the one that was asked for.
    """
    row = _Row()
    token = _ROW.set(row)
    try:
        with st.container(
            key=key, horizontal=True, vertical_alignment="bottom", gap="small", width="stretch"
        ):
            if key.endswith("_filters"):
                st.html(_FOLD)  # it stands first: while it is closed the style hides what follows
            yield
    finally:
        _ROW.reset(token)
    _stop_at(row.unknown)


def has_room(width: int | Literal["stretch"], beside: int = 0) -> bool:
    """Tell whether a filter fits into the row under way, with `beside` px after it."""
    row = _ROW.get()
    wide = _STRETCHED if width == "stretch" else width
    return row is None or (row.n_filters < MOST and row.taken + wide + beside <= ROOM)


def take_room(width: int | Literal["stretch"]) -> None:
    """Count a filter in the row under way."""
    if row := _ROW.get():
        row.n_filters += 1
        row.taken += GAP + (_STRETCHED if width == "stretch" else width)


def _stop_at(unknown: Sequence[_Unknown]) -> None:
    """Say what is not known, and stop until the reader goes on without it."""
    for one in unknown:
        st.warning(plain(one.said))
    if unknown:
        without = {one.name: None for one in unknown}
        st.button("Show what is chosen above", on_click=address.tell, args=(without,))
        st.stop()


def choose_one(
    label: str,
    options: Sequence[T],
    *,
    key: str,
    default: T | None = None,
    name: Callable[[T], str] = str,
    value: Callable[[T], str] = str,
    help: str | None = None,
    width: int = 200,
) -> T | None:
    """Choose one of `options` (the first, unless `default`); None only when there are none.

    The address says the `value` of an option; its `name` on the screen, as older links have it,
    is understood and replaced. What the reader chose stands in the address, even the default.
    """
    chosen = (default if default in options else options[0]) if options else None
    asked = address.value(key)
    if asked is not None:
        found = {value(option): option for option in reversed(options)}
        words = {name(option): option for option in reversed(options)}
        if asked in found:
            chosen = found[asked]
        elif asked in words:
            chosen = words[asked]
            address.correct(key, value(words[asked]))
        else:
            _tell(label, key, asked, list(found))
    take_room(width)
    picked = st.selectbox(
        label,
        options,
        index=None,
        format_func=name,
        help=help or glossary.find(label),
        width=width,
        **address.widget(key, chosen, value),
    )
    return chosen if picked is None else picked


def choose_some(
    label: str,
    options: Sequence[T],
    *,
    key: str,
    default: Sequence[T] = (),
    name: Callable[[T], str] = str,
    value: Callable[[T], str] = str,
    help: str | None = None,
    width: int = 240,
) -> list[T]:
    """Choose any number of `options`; none chosen means all of them."""
    chosen = choose_any(
        label,
        options,
        key=key,
        default=default,
        name=name,
        value=value,
        placeholder="all",
        help=help,
        width=width,
    )
    return chosen or list(options)


def choose_any(
    label: str,
    options: Sequence[T],
    *,
    key: str,
    default: Sequence[T] = (),
    name: Callable[[T], str] = str,
    value: Callable[[T], str] = str,
    placeholder: str | None = None,
    most: int | None = None,
    help: str | None = None,
    width: int | Literal["stretch"] = "stretch",
) -> list[T]:
    """Choose any number of `options`, or at `most` so many; none chosen is none."""
    found = {value(option): option for option in options}
    words = {name(option): option for option in options}
    chosen = list(default)
    if asked := address.values(key):
        tell_unknown(label, key, words | found)
        chosen = [(words | found)[one] for one in asked if one in words | found]
        if any(one in words and one not in found for one in asked):
            address.correct(key, [value(option) for option in chosen])
    take_room(width)
    picked: list[T] = st.multiselect(
        label,
        options,
        format_func=name,
        help=help or glossary.find(label),
        width=width,
        placeholder=placeholder,
        max_selections=most,
        **address.widget(key, chosen[:most], value),
    )
    return picked


def choose_part(
    label: str,
    options: Sequence[T],
    *,
    key: str,
    default: T | None = None,
    name: Callable[[T], str] = str,
    value: Callable[[T], str] = str,
    is_labelled: bool = False,
) -> T:
    """Choose one of a few `options` that are all in view, the first unless `default`."""
    chosen = default if default in options and default is not None else options[0]
    found = {name(option): option for option in options} | {value(o): o for o in options}
    if (asked := address.value(key)) is not None:
        tell_unknown(label, key, found)
        chosen = found.get(asked, chosen)
        if asked in found and asked != value(chosen):
            address.correct(key, value(chosen))
    picked = st.segmented_control(
        label,
        options,
        required=True,
        format_func=lambda option: plain(name(option)),
        label_visibility="visible" if is_labelled else "collapsed",
        **address.widget(key, chosen, value),
    )
    return chosen if picked is None else picked


def tabs(options: Sequence[str], *, key: str, default: str | None = None) -> Sequence[TabContainer]:
    """Return a tab for each of `options`; the open one (at first `default`) is in the address."""
    asked = address.value(key)
    if asked is not None:
        tell_unknown("part of the page", key, options)
    chosen = asked if asked in options else default or options[0]
    return st.tabs(options, **address.widget(key, chosen))


def choose_number(
    label: str,
    *,
    key: str,
    default: float | None = None,
    least: float | None = None,
    most: float | None = None,
    step: float | None = None,
    is_whole: bool = False,
    help: str | None = None,
    width: int | Literal["stretch"] = "stretch",
) -> float | None:
    """Choose a number from `least` to `most`; an empty field is the `default`, if any."""
    kind: Any = int if is_whole else float
    chosen, least, most, step = (
        None if bound is None else kind(bound)
        for bound in (asked_number(label, key, default, least, most, is_whole), least, most, step)
    )
    take_room(width)
    picked = st.number_input(
        label,
        min_value=least,
        max_value=most,
        value=None,
        step=step,
        format="%d" if is_whole else "%g",
        help=help or glossary.find(label),
        width=width,
        **address.widget(key, chosen, str if is_whole else "{:.12g}".format),
    )
    return default if picked is None else picked


def asked_number(
    label: str,
    key: str,
    default: float | None,
    least: float | None = None,
    most: float | None = None,
    is_whole: bool = False,
) -> float | None:
    """Return the number that the address asks for; `default` where it asks for none."""
    asked = address.value(key)
    if asked is None or (asked == LEFT_OPEN and default is None):
        return default
    try:
        found = int(asked) if is_whole else float(asked)
    except ValueError:
        found = math.nan
    inside = (least is None or found >= least) and (most is None or found <= most)
    if inside and abs(found) <= (_MOST_WHOLE if is_whole else sys.float_info.max):
        return found
    kind = "a whole number" if is_whole else "a number"
    bounds = [
        f"{words} {bound:g}"
        for words, bound in (("at least", least), ("at most", most))
        if bound is not None
    ]
    kind = ", ".join([kind, *bounds])
    tell_text(key, f"The link asks for '{asked}' as {label}, which must be {kind}.")
    return default


def choose_whether(label: str, *, key: str, help: str | None = None) -> bool:
    """Choose whether something holds: not at first."""
    asked = address.value(key)
    if asked not in (None, "true", "false"):
        _tell(label, key, str(asked), ["true", "false"])
    return st.toggle(
        label, help=help, **address.widget(key, asked == "true", lambda on: "true" if on else "")
    )


def search(label: str, *, key: str, width: int = 200) -> str:
    """Read words to search for, without spaces around them."""
    take_room(width)
    text = st.text_input(
        label,
        type="search",
        placeholder="search",
        width=width,
        **address.widget(key, address.value(key) or ""),
    )
    return (text or "").strip()


def show_all_button(*keys: str) -> None:
    """Offer to empty the filters with these keys."""
    st.button("Show all", on_click=address.tell, args=(dict.fromkeys(keys),))


def show_count(shown: int, total: int, noun: str) -> None:
    """Say under the row how much of the whole is in view, when it is not all."""
    if shown != total:
        st.caption(f"Showing {numbers.count(shown)} of {numbers.counted(total, noun)}")


def tell_unknown(label: str, key: str, known: Collection[str]) -> None:
    """Note what the address asks for and this filter does not have."""
    asked = address.values(key)
    if unknown := [one for one in asked if one not in known]:
        if address.is_ours():  # left from before what the reader has just changed
            address.tell({key: [one for one in asked if one in known]})
            return
        for one in unknown:
            _tell(label, key, one, list(known))


def _tell(label: str, key: str, asked: str, known: Sequence[str]) -> None:
    tell_text(
        key,
        f"The link asks for '{asked}' as {label}, which is not among the choices here."
        f"{did_you_mean(asked, known)}",
    )


def tell_text(key: str, said: str) -> None:
    """Note what cannot be shown, unless it is left from what the reader has just changed."""
    said = clipped(said, _MOST_SAID)
    if address.is_ours():
        address.tell({key: None})
        return
    row = _ROW.get()
    if row is None:  # a filter that stands alone
        _stop_at([_Unknown(key, said)])
    else:
        row.unknown.append(_Unknown(key, said))
