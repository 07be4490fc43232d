"""One name, however its letters were put together.

"é" is one character, or an e and an accent: keyboards and tables write the first, some file systems
the second, and nobody sees the difference. Nor does anybody see marks that have no shape, which
come along where names are copied from pages, or a line break for what it is in a table. New names
are kept composed (Unicode's NFC), without such marks and on one line. A name that a store holds
otherwise, from before that was so, stays as it is and is found by either spelling.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final, Generic, Protocol, TypeVar

from store.errors import ImportFormatError

T = TypeVar("T")

LONGEST_NAME: Final = 1_000
"""Characters of what a system, dataset, metric, run or annotator is called."""
LONGEST_KEY: Final = 10_000
"""Characters of what an item or a group is called: some files call items by their text."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_UNSEEN = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
"""What has no shape: soft hyphens, breaks without width, marks of the direction of writing."""
_BLANK = re.compile("[\t\n\r\x85\u00a0\u2007\u2028\u2029\u202f]+")
"""What looks like a blank in a table: tabs, line breaks, blanks at which no line breaks."""
_BEGINNING: Final = 60


def composed(name: str) -> str:
    """Return a name with every accent in its letter, on one line, and without what nobody sees.

    A name of nothing but such marks stays as it is.

    >>> composed("Cafe\\u0301") == "Caf\\u00e9"
    True
    >>> composed("\\ufeffaccuracy\\n(dev)")
    'accuracy (dev)'
    """
    if name.isascii() and name.isprintable():
        return name
    plain = _BLANK.sub(" ", _UNSEEN.sub("", unicodedata.normalize("NFC", name))).strip()
    return plain or name


def require_name(name: str, field: str) -> str:
    """Return a name that can be shown in a table and on a terminal.

    Raises
    ------
    ImportFormatError
        It is longer than `LONGEST_NAME`, or holds a control character.
    """
    _require_length(name, LONGEST_NAME, field)
    if found := _CONTROL.search(name):
        raise ImportFormatError(
            f"the name {name[:_BEGINNING]!r} holds the control character U+{ord(found[0]):04X}. "
            "Remove it.",
            field=field,
        )
    return name


def require_keys(keys: Iterable[str], field: str) -> None:
    """Raise `ImportFormatError` for a name of an item or a group that is too long."""
    longest = max(keys, key=len, default="")
    _require_length(longest, LONGEST_KEY, field)


def _require_length(name: str, most: int, field: str) -> None:
    if len(name) > most:
        raise ImportFormatError(
            f"the name {name[:_BEGINNING] + '…'!r} has {len(name):,} characters, more than "
            f"{most:,}. Shorten it, or say which column holds the names.",
            field=field,
        )


class BySpelling(Generic[T]):
    """What is known by name; a name that is letter for letter the same goes first."""

    def __init__(self, known: Mapping[str, T]) -> None:
        self._exact = dict(known)
        self._composed: dict[str, T] = {}
        for name, value in known.items():
            self._composed.setdefault(composed(name), value)

    def get(self, name: str) -> T | None:
        """Return what has that name in this spelling, else in another."""
        found = self._exact.get(name)
        return self._composed.get(composed(name)) if found is None else found

    def add(self, name: str, value: T) -> None:
        """Take something in under a name."""
        self._exact[name] = value
        self._composed.setdefault(composed(name), value)


class _Called(Protocol):
    @property
    def uid(self) -> str: ...
    @property
    def name(self) -> str: ...


R = TypeVar("R", bound=_Called)


def called(given: str, records: Iterable[R]) -> list[R]:
    """Return the records with that uid or name; in another spelling where none has it in this."""
    listed = list(records)
    return [r for r in listed if given in (r.uid, r.name)] or [
        r for r in listed if composed(r.name) == composed(given)
    ]


def require_one_spelling(what: str, ids: Iterable[tuple[str, int]], path: str) -> None:
    """Refuse an import that spells one name in two ways: its parts could not be told apart.

    Parameters
    ----------
    what
        Kind of thing, for the message.
    ids
        Every name of the import, and what it is in the store.
    path
        The file, for the message.

    Raises
    ------
    ImportFormatError
        Two names are one in the store, and differ in how accents are written.
    """
    spelled: dict[tuple[str, int], str] = {}
    for name, id_ in ids:
        if spelled.setdefault((composed(name), id_), name) != name:
            raise ImportFormatError(
                f"the {what} '{name}' is spelled in two ways that look alike: with an accent of "
                "its own or in its letter, or with a mark or a break that nobody sees. Write it "
                "one way.",
                path=path,
            )
