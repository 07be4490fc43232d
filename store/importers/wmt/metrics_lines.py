"""The lines of WMT's metrics task: of systems, documents and segments, 2019 to 2024.

Every line begins with METRIC, LANGUAGE PAIR and TEST SET and ends with SCORE. What stands between
changed: since 2020 the set of references, since 2021 the domain, and the document where the line
is about one or about a segment of one. In 2019 two words on the submission followed the score.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from store.importers.wmt.names import LANGUAGE_PAIR, letters_of

Level = Literal["systems", "documents", "segments"]

_LAYOUTS: Mapping[Level, tuple[tuple[str, ...], ...]] = {
    "systems": (
        ("SYSTEM", "SCORE"),
        ("REFSET", "SYSTEM", "SCORE"),
        ("DOMAIN", "REFSET", "SYSTEM", "SCORE"),
    ),
    "documents": (
        ("REFSET", "SYSTEM", "DOCUMENT", "SCORE"),
        ("DOMAIN", "DOCUMENT", "REFSET", "SYSTEM", "SCORE"),
    ),
    "segments": (
        ("SYSTEM", "SEGMENT", "SCORE"),
        ("REFSET", "SYSTEM", "DOCUMENT", "SEGMENT", "SCORE"),
        ("DOMAIN", "DOCUMENT", "REFSET", "SYSTEM", "SEGMENT", "SCORE"),
    ),
}
_START = ("METRIC", "LP", "TESTSET")
_OF_SUBMISSION = 2
"""Words behind the score in 2019: whether it is an ensemble, and where it can be had."""
_IN_NAME = re.compile(r"[._-](sys|doc|seg)(tem|ument|ment)?[._-]", re.IGNORECASE)
_MISSING = ("none", "nan", "na")
_CALLED: Mapping[str, Level] = {"sys": "systems", "doc": "documents", "seg": "segments"}


class Layout(NamedTuple):
    """What the columns of a file are."""

    level: Level
    names: tuple[str, ...]


def cells_of(line: str) -> list[str]:
    """Split a line at tabs, where there are any, else at blanks."""
    return [cell.strip() for cell in line.split("\t")] if "\t" in line else line.split()


def number_of(printed: str) -> float | None:
    """Return a score, NaN where it is missing; ``None``: no number."""
    if printed.lower() in _MISSING:
        return math.nan
    try:
        return float(printed)
    except ValueError:
        return None


def layout_of(line: str, name: str) -> Layout | None:
    """Return the layout of a file by its first line; its name tells a level that stays open.

    ``None``: it is no line of the metrics task.
    """
    cells = cells_of(line)
    if len(cells) < len(_START) + 2 or LANGUAGE_PAIR.fullmatch(cells[1]) is None:
        return None
    called = _IN_NAME.search(name)
    told = _CALLED[called[1].lower()] if called else None
    fitting = [
        Layout(level, (*_START, *names))
        for level in ("segments", "systems", "documents")
        for names in _LAYOUTS[level]
        if _fits(cells[len(_START) :], names)
    ]
    return next((one for one in fitting if one.level == told), fitting[0] if fitting else None)


def _fits(cells: Sequence[str], names: Sequence[str]) -> bool:
    row = dict(zip(names, cells, strict=False))
    more = cells[len(names) :]
    may_have_more = "REFSET" not in names and len(more) <= _OF_SUBMISSION
    if len(row) < len(names) or (more and not may_have_more):
        return False
    if number_of(row["SCORE"]) is None or not row.get("SEGMENT", "1").isdecimal():
        return False
    words = [row[name] for name in ("SYSTEM", "REFSET", "DOMAIN") if name in row]
    return all(number_of(word) is None for word in (*words, *more))


def reference_of(row: Mapping[str, str], known: dict[str, str]) -> str:
    """Return the set of references of a line; empty for the usual one of the test set.

    ``ref-A`` and ``refA`` are one, as they are spelled first: `known` has the spellings.
    """
    name = row.get("REFSET", "")
    if letters_of(name) in ("", letters_of(row["TESTSET"])):
        return ""
    return known.setdefault(letters_of(name), name)
