"""Limits on the bytes that come in: how large, how packed, how wide, how long.

Everything that is read from a file, an archive, an upload or standard input passes here: it is
taken in parts and stopped at the first byte that is too much. The limits are far above what results
need.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from store.errors import ImportFormatError

GZIP_MAGIC: Final = b"\x1f\x8b"
CELL_BYTES: Final = 8
"""A cell of a table counts as so many: it takes more in memory than a short one in a file."""
OBJECT_BYTES: Final = 64
"""A list or an object of JSON counts as so many: "{}," has three in a file."""
MOST_RATIO: Final = 300
"""Of the unpacked size to the packed one, once `SMALL` bytes are unpacked."""
SMALL: Final = 200_000_000
MOST_BYTES: Final = 10_000_000_000
"""Of all archives of an import together, unpacked."""
MOST_COLUMNS: Final = 100_000
LONGEST_CELL: Final = 10_000_000
"""Characters of one cell of a text table."""
PART: Final = 1 << 20
_POINTER: Final = b"version https://git-lfs.github.com/spec/"
_LONGEST_POINTER: Final = 1_024
_UNREADABLE = (OSError, EOFError, zlib.error)
_LONGEST_NAME = 1 << 18
"""Bytes of names and comments in the headers of one gzip file: they are read one by one."""


class SizeLimit(NamedTuple):
    """How large a file may be, unpacked."""

    n_bytes: int
    instead: str
    """What to do with one that is larger."""

    @property
    def n_of_import(self) -> int:
        """Bytes that all archives of an import may become together, unpacked."""
        return min(MOST_BYTES, 20 * self.n_bytes)


_USUAL: Final = SizeLimit(2_000_000_000, "Split it, for instance into a file for each system.")
_limit: ContextVar[SizeLimit] = ContextVar("limit", default=_USUAL)


@contextmanager
def files_up_to(n_bytes: int, instead: str) -> Iterator[None]:
    """Refuse larger files than usual while this lasts; `instead` says what to do with them."""
    token = _limit.set(SizeLimit(n_bytes, instead))
    try:
        yield
    finally:
        _limit.reset(token)


def largest_import() -> int:
    """Return how many bytes all archives of an import may become together."""
    return _limit.get().n_of_import


def require_bytes(n_bytes: int, shown: str) -> None:
    """Raise `ImportFormatError` when so many bytes, unpacked, are too many."""
    limit = _limit.get()
    if n_bytes > limit.n_bytes:
        raise ImportFormatError(
            f"holds more than {limit.n_bytes // 1_000_000:,} MB, unpacked (a cell counts as "
            f"{CELL_BYTES} bytes at least). {limit.instead}",
            path=shown,
        )


def require_ratio(n_bytes: int, n_packed: int, shown: str) -> None:
    """Raise `ImportFormatError` when so few packed bytes became too many."""
    if n_bytes > max(SMALL, MOST_RATIO * max(n_packed, 1)):
        raise ImportFormatError(
            f"unpacks to more than {MOST_RATIO} times its size: these are no results. Unpack it "
            "yourself if you trust it.",
            path=shown,
        )


def require_values(text: str, shown: str) -> None:
    """Raise `ImportFormatError` when a JSON text makes too many objects, before it is parsed."""
    n_objects = text.count("{") + text.count("[")
    require_bytes(OBJECT_BYTES * n_objects + CELL_BYTES * text.count(","), shown)


def require_columns(n_columns: int, shown: str) -> None:
    """Raise `ImportFormatError` when a table has too many columns."""
    if n_columns > MOST_COLUMNS:
        raise ImportFormatError(
            f"has {n_columns:,} columns, more than {MOST_COLUMNS:,}. Turn it: one score in a line.",
            path=shown,
        )


_looked_at: ContextVar[tuple[Path, os.stat_result] | None] = ContextVar("looked_at", default=None)


@contextmanager
def looked_at(path: Path) -> Iterator[None]:
    """Ask the disk once how a file stands, while many readers ask what it is."""
    try:
        held = (path, path.stat())
    except OSError:
        held = None
    token = _looked_at.set(held)
    try:
        yield
    finally:
        _looked_at.reset(token)


def status_of(path: Path) -> os.stat_result:
    """Return how a file stands: size, time of its last change, kind.

    Raises
    ------
    OSError
        There is none, or it may not be looked at.
    """
    held = _looked_at.get()
    return held[1] if held is not None and held[0] is path else path.stat()


def require_file(path: Path, shown: str) -> None:
    """Raise `ImportFormatError` for a pipe, a device or a socket, before anybody opens it.

    What does not exist passes: whoever opens it says so.
    """
    try:
        mode = status_of(path).st_mode
    except OSError:
        return
    for is_kind, kind in _NO_FILES:
        if is_kind(mode):
            reason = f"{kind}, not a file. Write its content to a file, or pipe it into `-`."
            raise ImportFormatError(reason, path=shown)


_NO_FILES = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def gathered(stream: IO[bytes] | gzip.GzipFile, shown: str, n_packed: int | None = None) -> bytes:
    """Return all that a stream gives; stop as soon as it is too much.

    `n_packed` is the number of bytes that it is unpacked from.
    """
    taken = io.BytesIO()
    while part := stream.read(PART):
        taken.write(part)
        _require(taken.tell(), n_packed, shown)
    return taken.getvalue()


class _Named:
    """A file that is read by `gzip`, as far as its headers are of a bearable length."""

    mode, name = "rb", ""

    def __init__(self, file: Any) -> None:
        self._file, self._n_single = file, 0
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int = -1) -> bytes:
        """Read on; only names and comments are read byte by byte."""
        self._n_single += size == 1
        if self._n_single > _LONGEST_NAME:
            raise gzip.BadGzipFile("its header does not end")
        return bytes(self._file.read(size))


def gunzipped(file: Any) -> gzip.GzipFile:
    """Return what a gzip file holds, as a stream; an endless header is damage."""
    return gzip.GzipFile(fileobj=_Named(file))


def start_of(path: Path, n_bytes: int) -> bytes:
    """Return the first bytes of a file, unpacked; nothing where it cannot be read."""
    try:
        require_file(path, path.name)
        with path.open("rb") as file:
            data = file.read(n_bytes)
            if not data.startswith(GZIP_MAGIC):
                return data
            file.seek(0)
            with gunzipped(file) as unpacking:
                return unpacking.read(n_bytes)
    except (*_UNREADABLE, ImportFormatError):
        return b""


def require_content(path: Path, shown: str) -> None:
    """Raise `ImportFormatError` for the pointer that Git LFS leaves in place of a file."""
    try:
        is_small = status_of(path).st_size <= _LONGEST_POINTER
    except OSError:
        return
    if is_small and start_of(path, len(_POINTER)) == _POINTER:
        reason = "a pointer of Git LFS in place of the file: `git lfs pull` fetches what it holds."
        raise ImportFormatError(reason, path=shown)


def _require(n_bytes: int, n_packed: int | None, shown: str) -> None:
    require_bytes(n_bytes, shown)
    if n_packed is not None:
        require_ratio(n_bytes, n_packed, shown)
