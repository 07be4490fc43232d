"""Links between pages, and names made safe for Markdown."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlencode

import streamlit as st

PAGES: Final = Path(__file__).resolve().parents[1] / "app_pages"
"""The folder of page scripts; a page's URL is the name of its file."""

_ARROW: Final = ":material/arrow_forward:"

_MARKUP: Final = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&^=@])")
_ADDRESS: Final = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?<=@)", re.IGNORECASE)
"""Where Markdown sees an address, escaped or not, unless a character stands in between."""
_JOINER: Final = "\N{WORD JOINER}"


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
    """Return the address of a page with query parameters; a list repeats its parameter."""
    query = urlencode([(name, value) for name, value in params.items()], doseq=True)
    return f"{page}?{query}" if query else page


def link(label: str, page: str, **params: str | Sequence[str]) -> str:
    """Return a Markdown link, to stand within a sentence."""
    return f"[{plain(label)}]({page_url(page, **params)})"


def show_link(to: Link) -> None:
    """Show a link on a line of its own; a click is one step, in this tab and session."""
    st.page_link(
        PAGES / f"{to.page}.py", label=plain(to.label), query_params=dict(to.params), icon=_ARROW
    )


def show_permalink(page: str, **params: str | list[str]) -> None:
    """Show a link to this very view: a default may be another one tomorrow, this link stays."""
    show_link(Link("Link to this view", page, {name: v for name, v in params.items() if v}))


def plain(text: str) -> str:
    """Escape what Markdown (and Streamlit's additions to it) would read as markup.

    An address in a name stays text: a sign of no width keeps it from becoming a link.
    """
    return _MARKUP.sub(r"\\\1", _ADDRESS.sub(_JOINER, text.replace("\n", " ")))
