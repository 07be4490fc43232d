"""Links between pages, and names made safe for Markdown."""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.by_row import MOST_AT_ONCE, by_row
from dashboard import address, places
from dashboard.shelf import Shelf

_MARKUP: Final = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&^=@])")
_ADDRESS: Final = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?<=@)", re.IGNORECASE)
"""Where Markdown sees an address, escaped or not, unless a character stands in between."""
_JOINER: Final = "\N{WORD JOINER}"
_ESCAPED: Final = re.compile(rf"\\{_MARKUP.pattern}|{_JOINER}")
_kept: Final = Shelf[Sequence[str]](most=4_000_000)  # bytes of what differs by row


class Link(NamedTuple):
    """A place in the dashboard, with the words to click on."""

    label: str
    page: str
    params: Mapping[str, str | list[str]]

    @property
    def url(self) -> str:
        """The address, relative to the current page."""
        return page_url(self.page, **self.params)


def page_url(page: str, **params: str | Sequence[str]) -> str:
    """Return the address of a tab, named by its script; a list repeats its parameter."""
    return places.href(page, params)


def page_urls(
    page: str, shared: Mapping[str, str | Sequence[str]], **each: Iterable[object]
) -> Sequence[str]:
    """Return the addresses of a tab for the rows of a table: `each` says what differs."""
    told = {name: list(map(str, values)) for name, values in each.items()}
    rows = list(zip(*told.values(), strict=True))

    def of_row(i: int) -> str:
        return places.href(page, {**shared, **dict(zip(told, rows[i], strict=True))})

    if len(rows) > MOST_AT_ONCE:
        return by_row(len(rows), of_row)
    return _kept.made((page, dict(shared), told), lambda: by_row(len(rows), of_row))


def link(label: str, page: str, **params: str | Sequence[str]) -> str:
    """Return a Markdown link, to stand within a sentence."""
    return f"[{plain(label)}]({page_url(page, **params)})"


def show_link(to: Link) -> None:
    """Show a link on a line of its own; a click is one step, in this tab and session.

    Streamlit's own link is drawn as the open one wherever it leads within a place.
    """
    st.html(
        f'<a class="tiebreak-link" href="{html.escape(to.url)}">'
        f'<span aria-hidden="true">→</span> {html.escape(to.label)}</a>'
    )


def show_tabs(place: places.Place, shown: places.Tab | None, at: DeltaGenerator) -> None:
    """Show the tabs of a place as links that keep what all of them share."""
    listed = [tab for tab in place.tabs if tab.is_listed]
    if len(listed) == 1:
        return
    told = address.shared(place.shared)
    items = [_tab(tab, told, is_open=tab is shown) for tab in listed]
    for script in place.further:
        there, tab = places.where(script)
        named = address.shared((*there.shared, *place.shared))
        if not named["dataset"]:  # a metric of all datasets may be none of the one that opens
            named = {name: named[name] for name in place.shared}
        items.append(_tab(tab, named, is_open=False))
    at.html(f'<nav class="tiebreak-tabs" aria-label="{place.title}">{"".join(items)}</nav>')


def _tab(tab: places.Tab, told: places.Query, *, is_open: bool) -> str:
    current = ' aria-current="page"' if is_open else ""
    return f'<a href="{html.escape(places.href(tab.script, told))}"{current}>{tab.title}</a>'


def show_permalink(page: str, **params: str | list[str]) -> None:
    """Have "Copy link" give all of this view: a default may be another one tomorrow.

    What else the address says, as the order of a table, goes along.
    """
    told = {name: address.values(name) for name in address.known() if name in st.query_params}
    for name in ("tab", "v"):
        told.pop(name, None)
    address.give(page_url(page, **{**told, **params}))


def plain(text: str) -> str:
    """Escape what Markdown (and Streamlit's additions to it) would read as markup.

    An address in a name stays text: a sign of no width keeps it from becoming a link.
    """
    return _MARKUP.sub(r"\\\1", _ADDRESS.sub(_JOINER, text.replace("\n", " ")))


def unescaped(text: str) -> str:
    """Return the text that `plain` has made Markdown of, for a table or a file."""
    return _ESCAPED.sub(lambda found: found[1] or "", text)
