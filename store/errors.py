"""Errors that a person can act on.

::

    StoreError                    anything wrong with the store or with what is put in
    ├── SchemaVersionError        the file is older or newer than this code
    ├── NotFoundError             no such system, dataset, metric or run; names the nearest ones
    ├── ConflictError             the store already holds something else under that name
    ├── ReadOnlyError             writing is switched off here
    ├── ForbiddenError            whoever is at work has no right to that
    ├── StorageError              what the store lies on is damaged, full, or no store
    ├── UnreachableError          a server does not answer, or not now
    │   └── BusyError             others are writing: it was not our turn in time
    └── ImportFormatError         a file cannot be read as it stands: path, line, field, reason
        ├── UnknownFormatError    no importer recognises the file
        │   └── NoResultsError    the file is sound and holds no results (a log, a configuration)
        └── AlignmentError        items do not line up with those in the store
"""

from __future__ import annotations

from typing import Final

UNREADABLE: Final = (
    "a row of the store cannot be read: its file is damaged. Look at `tiebreak db check`, and go "
    "back to a backup with `tiebreak db restore`."
)
LONGEST_MESSAGE: Final = 6_000
_TAIL: Final = 500


def clipped(text: str, most: int = LONGEST_MESSAGE) -> str:
    """Return a text without its middle where it is too long to be read or sent.

    >>> clipped("a" * 9 + "b", 6)
    'aaa … aab'
    """
    tail = min(_TAIL, most // 2)
    return text if len(text) <= most else f"{text[: most - tail]} … {text[-tail:]}"


class StoreError(Exception):
    """Anything wrong with the store; the message says what to do."""

    def __init__(self, message: str = "") -> None:
        super().__init__(clipped(message))


class SchemaVersionError(StoreError):
    """The store's revision is not the one this code needs."""


class NotFoundError(StoreError):
    """Nothing in the store has that name, alias or uid."""


class ConflictError(StoreError):
    """The store already holds something different under the same name."""


class ReadOnlyError(StoreError):
    """Writing is not allowed here."""


class ForbiddenError(StoreError):
    """Whoever is at work has no right to that; the message says which role has."""


class StorageError(StoreError):
    """What the store lies on is damaged, full, or no store: no other request helps."""


class EmptyStoreError(StorageError):
    """The database has no table yet: whoever writes first makes the store."""


class UnreachableError(StoreError):
    """A server does not answer, or not now: later it may."""


class BusyError(UnreachableError):
    """Others are writing: it was not our turn in time."""


class ImportFormatError(StoreError):
    """A file cannot be imported as it stands.

    Carries `path`, `line` (1-based, ``None`` when the whole file is meant), `field` and `reason`
    separately, so that pages and JSON can show them in columns.
    """

    def __init__(
        self, reason: str, *, path: str = "", line: int | None = None, field: str | None = None
    ) -> None:
        self.path = path
        self.line = line
        self.field = field = None if field is None else clipped(field, 300)
        self.reason = reason = clipped(reason)
        super().__init__(describe_place(path, line, field) + reason)


class UnknownFormatError(ImportFormatError):
    """No importer recognises the file."""


class NoResultsError(UnknownFormatError):
    """A sound file without results: a log, a configuration, a README. It is left out, no fault."""


class AlignmentError(ImportFormatError):
    """The items of a file do not line up with the items of the dataset."""


def describe_place(path: str, line: int | None, field: str | None) -> str:
    """Return ``"scores.csv, line 7, field 'score': "`` or as much of it as is known."""
    parts = [path] if path else []
    if line is not None:
        parts.append(f"line {line}")
    if field is not None:
        parts.append(f"field '{field}'")
    return ", ".join(parts) + ": " if parts else ""
