"""One name, however its letters were put together.

"é" is one character, or an e and an accent: keyboards and tables write the first, some file systems
the second, and nobody sees the difference. New names are kept composed (Unicode's NFC). A name that
a store holds otherwise, from before that was so, stays as it is and is found by either spelling.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Generic, Protocol, TypeVar

from store.errors import ImportFormatError

T = TypeVar("T")


def composed(name: str) -> str:
    """Return a name with every accent in its letter.

    >>> composed("Cafe\\u0301") == "Caf\\u00e9"
    True
    """
    return unicodedata.normalize("NFC", name)


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
        if not name.isascii() and spelled.setdefault((composed(name), id_), name) != name:
            raise ImportFormatError(
                f"the {what} '{name}' is spelled in two ways that look alike: with an accent of "
                "its own, and with one in its letter. Write it one way.",
                path=path,
            )
