"""Tables, paragraphs and rates in Markdown, as the pages of the calibrations have them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table."""
    return "\n".join([_line(head), "|---" * len(head) + "|", *map(_line, rows)])


def table_if_any(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table, or nothing if it has no rows."""
    return table(head, rows) if rows else ""


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def percent(rate: float) -> str:
    """Return a rate as it stands on a page."""
    return f"{100 * rate:.1f}"


def filled(paragraph: str) -> str:
    """Return a paragraph in lines of the usual length."""
    return textwrap.fill(
        " ".join(paragraph.split()), 98, break_long_words=False, break_on_hyphens=False
    )


def filled_under_heading(chapter: str) -> str:
    """Return a heading as it is and the paragraphs below it in lines of the usual length."""
    heading, *paragraphs = chapter.split("\n\n")
    return "\n\n".join([heading, *map(filled, paragraphs)])


def listed_versions(versions: Mapping[str, str]) -> str:
    """Return versions as they stand in a sentence."""
    return ", ".join(f"{name} {version}" for name, version in versions.items())
