"""Columns that say in words what passed: a ``status`` of PASS and FAIL is ``passed``, 1 or 0."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from store.importers.columnar import Coded
from store.importers.known_metrics import is_quality
from store.importers.metric_registry import words_of

_STATUS = re.compile(r"(?:(\w+)_)?status")
"""What a column is called that tells what came of an item, and of what part of it."""
_OF_RECORDS = re.compile(r"(?:(\w+)_)?(?:status|result|outcome|verdict)|pass_?fail|pass_or_fail")
"""The same in records of JSON, which nothing else shows to be of items."""
_OF_ALL = words_of("test tests eval evaluation final overall task case run assertion check")
"""Parts that are the whole."""
_GIVEN = words_of(
    "gold true expected human reference target actual predicted prediction pred label"
)
"""Words in the names of columns of labels, of which one is right."""
GOOD = words_of("pass passed correct solved resolved")
BAD = words_of("fail failed incorrect wrong unsolved unresolved")
_NOTHING = words_of("error errored skip skipped timeout na none null nan")
"""What stands there where nothing was decided."""
_OF_ANSWERS = words_of("correct incorrect wrong")
_MARKS = re.compile(r"[^a-z]+")
PEEKED = 50
"""Rows that show whether a column is one of outcomes."""


def outcomes_read(
    columns: Sequence[str], cells: Mapping[str, Sequence[Any]], *, are_records: bool
) -> tuple[tuple[str, ...], dict[str, Sequence[Any]], list[str]]:
    """Return columns and cells with outcomes as truth values, and a sentence for each change."""
    named = names_of_outcomes(columns, cells, are_records=are_records)
    changed: dict[str, Sequence[Any]] = {}
    for column in list(named):
        try:
            changed[column] = _read(cells[column])
        except KeyError:  # a word of another kind further down
            del named[column]
    told = [f"'{column}' says it in words, and is read as '{to}'." for column, to in named.items()]
    renamed = {named.get(name, name): changed.get(name, cells[name]) for name in columns}
    return tuple(renamed), renamed, told


def may_say(columns: Iterable[str], *, are_records: bool) -> bool:
    """Return whether a column is called as one that tells outcomes."""
    called = _OF_RECORDS if are_records else _STATUS
    return any(called.fullmatch(_normal(name)) for name in columns)


def _read(cells: Sequence[Any]) -> Sequence[Any]:
    return cells.map(_outcome) if isinstance(cells, Coded) else list(map(_outcome, cells))


def names_of_outcomes(
    columns: Sequence[str], cells: Mapping[str, Iterable[Any]], *, are_records: bool
) -> dict[str, str]:
    """Return column -> metric for those that tell outcomes in words, by the first of their cells.

    None where another column has the same words: then these are labels, of which one is right.
    """
    if not may_say(columns, are_records=are_records):
        return {}
    called = _OF_RECORDS if are_records else _STATUS
    said = {name: _said(cells[name]) for name in columns if name in cells}
    telling = [name for name, words in said.items() if _fits(words) and words & (GOOD | BAD)]
    are_scored = bool(telling) and any(is_quality(c) for c in columns if c not in telling)
    found: dict[str, str] = {}
    for name in telling:
        match = called.fullmatch(_normal(name))
        if match is None and not are_records:
            continue
        if match is None or not _GIVEN.isdisjoint(_normal(name).split("_")):
            return {}
        if name.lower().endswith("status") and said[name].isdisjoint(GOOD) and are_scored:
            continue  # what failed may have crashed
        part = "" if match[1] is None or match[1] in _OF_ALL else f"{match[1]}_"
        found[name] = part + ("correct" if said[name] & _OF_ANSWERS else "passed")
    taken = [*found.values(), *(_normal(name) for name in columns if name not in found)]
    return found if len(set(taken)) == len(columns) else {}


def _outcome(cell: Any) -> bool | None:
    """Return what a word says: passed, failed, or nothing.

    Raises
    ------
    KeyError
        It is no such word.
    """
    word = _word(cell)
    if word in GOOD:
        return True
    if word in BAD:
        return False
    if word is None or (word and word not in _NOTHING):
        raise KeyError(word)
    return None


def _fits(words: frozenset[str]) -> bool:
    return words <= GOOD | BAD | _NOTHING


def _said(cells: Iterable[Any]) -> frozenset[str]:
    """Return the words of the first cells; a cell that is no text is a word of no kind."""
    words = {_word(cell) for cell in islice(cells, PEEKED)}
    return frozenset("?" if word is None else word for word in words if word != "")


def _word(cell: Any) -> str | None:
    """Return a cell in lower case without marks, nothing for an empty one; ``None``: no text."""
    if cell is None:
        return ""
    return _MARKS.sub("", cell.lower()) if isinstance(cell, str) else None


def _normal(name: str) -> str:
    return re.sub(r"[^0-9a-z]+", "_", name.lower()).strip("_")
