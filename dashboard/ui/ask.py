"""Widgets of a question's settings, and a question as an address has it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, Literal, TypeVar

import streamlit as st

from analysis.setting import Field, build, fields_of
from dashboard import address, data
from dashboard.ui import filters
from store.errors import StoreError

T = TypeVar("T")

_NARROWEST, _WIDEST, _LETTER, _FRAME = 90, 230, 8, 70
"""Pixels of a box: for its longest choice."""
_MORE: Final = 130
"""Pixels of "More settings"."""


def choose(
    question: type[T],
    given: Mapping[str, Any],
    *,
    among: Mapping[str, Sequence[str]] | None = None,
    hidden: Collection[str] = (),
    first: Mapping[str, Any] = MappingProxyType({}),
    lead: Sequence[str] = (),
) -> T:
    """Return a question with what is chosen in a widget for each setting.

    The main settings stand in the row as long as there is room, the others behind "More settings".

    Parameters
    ----------
    question
        What is asked; see `analysis.setting`.
    given
        Settings that the page knows already, by name.
    among
        The values that a setting takes here, by its name: systems, metrics and the like.
    hidden
        Settings that are left at their defaults here.
    first
        What a page begins with where the question has no default.
    lead
        Settings that stand in the row before the main ones, by name.
    """
    renew(question)
    known = among or {}
    begun = {**data.defaults_of(question, given), **first}
    for each in fields_of(question):  # a link that says what holds here anyway is no mistake
        if each.name in hidden and st.query_params.get(each.name) == each.write(each.default):
            address.value(each.name)
    shown = [
        replace(each, default=begun.get(each.name, each.default))
        for each in fields_of(question)
        if each.name not in given
        and each.name not in hidden
        and (each.kind not in ("text", "names") or each.name in known)
    ]
    values, more = {}, []
    for each in sorted(shown, key=lambda one: _place(one, lead)):
        names = known.get(each.name, ())
        in_row = each.name in lead or each.setting.main
        if in_row and filters.has_room(_room(each, names), filters.GAP + _MORE):
            values[each.name] = _widget(each, names, main=True)
        else:
            more.append(each)
    more.sort(key=shown.index)
    if more:
        with st.popover("More settings"):
            values |= {each.name: _widget(each, known.get(each.name, ())) for each in more}
    return build(question, {**given, **values})


def renew(question: type[Any]) -> None:
    """Replace names of earlier releases in the address, and begin again."""
    old = {
        each.setting.formerly: each.name
        for each in fields_of(question)
        if each.setting.formerly and address.values(each.setting.formerly)
    }
    if old:
        query = {name: address.values(name) for name in st.query_params if name not in old}
        address.redirect("", query | {new: address.values(name) for name, new in old.items()})
        st.stop()


def _place(each: Field, lead: Sequence[str]) -> tuple[int, bool]:
    """Return what sorts settings: those that lead, the main ones, the rest."""
    return (lead.index(each.name) if each.name in lead else len(lead), not each.setting.main)


def _room(each: Field, names: Sequence[str]) -> int | Literal["stretch"]:
    """Return the pixels that a setting takes in the row."""
    options = [*names] or [*(each.choices or each.setting.offered)]
    if each.kind == "names" or not options:
        return "stretch"
    return _width([each.in_words(one) for one in options])


def _widget(each: Field, names: Sequence[str], *, main: bool = False) -> Any:
    setting = each.setting
    if each.kind == "names":
        chosen = filters.choose_any(
            each.label,
            names,
            key=each.name,
            placeholder=each.setting.words.get("auto", "all"),
            help=setting.help,
        )
        return tuple(chosen) or None
    options = [*([None] if names and each.optional else []), *names]
    options = options or list(each.choices or setting.offered)
    if not options:
        return _number(each)
    if not each.choices and not names:
        options = _with_asked(each, options)
    # By machine value: a box takes `None` for "nothing is chosen" and shows nothing.
    values = {each.write(option): option for option in options}
    words = {value: each.in_words(option) for value, option in values.items()}
    text = filters.choose_one(
        each.label,
        list(values),
        key=each.name,
        default=each.write(each.default),
        name=words.__getitem__,
        help=setting.help,
        width=_width(list(words.values())) if main else _WIDEST,
    )
    return values[str(text)]


def _with_asked(each: Field, options: list[Any]) -> list[Any]:
    """Return the numbers a page lists, and the one that the address asks for if it is allowed."""
    asked = address.value(each.name)
    if asked is None:
        return options
    try:
        found = each.read(asked)
    except StoreError:
        return options  # told by the widget
    return options if found in options else [*options, found]


def _number(each: Field) -> float | None:
    low, high = each.setting.low, each.setting.high
    found = filters.choose_number(
        each.label,
        key=each.name,
        default=each.default,
        least=None if math.isinf(low) else low,
        most=None if math.isinf(high) else high,
        is_whole=each.kind == "whole",
        help=each.setting.help,
    )
    return found if found or not (each.optional and each.setting.open_ends) else None


def _width(words: Sequence[str]) -> int:
    longest = max(map(len, words), default=0)
    return max(_NARROWEST, min(_WIDEST, _FRAME + _LETTER * longest))
