"""Reading a file's bytes and text, with an exact complaint when it is not what it should be."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from store.errors import ImportFormatError
from store.importers.binaries import LONGEST, told_of_binary
from store.importers.guard import (
    GZIP_MAGIC,
    PART,
    gathered,
    gunzipped,
    require_bytes,
    require_file,
    require_values,
    status_of,
)

DATA_SUFFIXES = (
    ".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".eval", ".conllu", ".conllx",
    ".conll", ".xlsx", ".xlsm", ".ods",
)  # fmt: skip
"""Extensions that are no part of a name."""


_TABLES = (".csv", ".tsv")
_MARGIN = 1_000
"""Bytes after the first line that show whether another object begins there."""
_IN_UTF8 = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|^\xff\xfe|^\xfe\xff"
)
_JSON_LINES = re.compile(rb"\s*\{[^\n]*\}[ \t\r]*\n\s*\{")


@dataclass(frozen=True, slots=True)
class FileBytes:
    """The content of a file; `data` is unpacked when the file is gzip-compressed."""

    shown: str
    sha256: str
    """Digest of the file as it lies on the disk."""
    data: bytes


def read_bytes(path: Path, shown: str) -> FileBytes:
    """Read a file, unpacking gzip.

    Raises
    ------
    ImportFormatError
        The file is missing, a folder, unreadable, too large, or its compressed part is damaged.
    """
    with opened(path, shown) as file:
        raw = gathered(file, shown)
    return FileBytes(shown, hashlib.sha256(raw).hexdigest(), unpacked(raw, path, shown))


@contextmanager
def opened(path: Path, shown: str) -> Iterator[io.BufferedReader]:
    """Open a file that is there and not too large; what keeps it from being read is told.

    Raises
    ------
    ImportFormatError
        The file is missing, a folder, unreadable or too large.
    """
    require_file(path, shown)
    try:
        with path.open("rb") as file:
            yield file
    except FileNotFoundError:
        raise ImportFormatError("there is no such file.", path=shown) from None
    except IsADirectoryError:
        raise ImportFormatError("this is a folder, not a file.", path=shown) from None
    except OSError as error:
        raise ImportFormatError(f"cannot be read: {error.strerror}.", path=shown) from None


@contextmanager
def opened_whole(path: Path, shown: str) -> Iterator[tuple[str, IO[bytes]]]:
    """Open a file whose reader looks into any place of it; with its SHA-256.

    It is read from the disk part by part, unless gzip has packed it.
    """
    with opened(path, shown) as file:
        start = file.read(len(GZIP_MAGIC))
        file.seek(0)
        if start == GZIP_MAGIC or path.suffix.lower() == ".gz":
            content = read_bytes(path, shown)
            yield content.sha256, io.BytesIO(content.data)
        else:
            require_bytes(os.fstat(file.fileno()).st_size, shown)
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
            yield sha256, file


def read_text(path: Path, shown: str) -> tuple[str, str]:
    """Return the text of a UTF-8 file, of a table of Windows-1252 too, and the file's SHA-256."""
    content = read_bytes(path, shown)
    text = _western(content.data) if data_suffix(path) in _TABLES else None
    return text or decode(content.data, shown), content.sha256


def is_western(path: Path, shown: str) -> bool:
    """Return whether a table is read as Windows-1252, of which Latin-1 is a part: a guess."""
    return data_suffix(path) in _TABLES and _western(read_bytes(path, shown).data) is not None


def _western(data: bytes) -> str | None:
    """Return a text that is not UTF-8 and can be Windows-1252; not one in both."""
    if data.isascii() or b"\0" in data or _IN_UTF8.search(data):
        return None
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return None


def peek_text(path: Path) -> str:
    """Return the text of a file for telling what it is: of a large table only the first lines.

    Raises
    ------
    ImportFormatError
        It cannot be read, or is no text.
    """
    try:
        about = status_of(path)
    except OSError:
        return read_text(path, path.name)[0]
    if about.st_size <= PART:
        return _small_text(path, about.st_mtime_ns, about.st_size)
    if path.suffix.lower() in (".csv", ".tsv", ".jsonl", ".ndjson"):
        with path.open("rb") as file:
            start = file.read(PART)
        if not start.startswith(GZIP_MAGIC) and b"\n" in start:
            whole = start[: start.rfind(b"\n") + 1]
            return (_western(whole) if data_suffix(path) in _TABLES else None) or decode(
                whole, path.name
            )
    return read_text(path, path.name)[0]


@lru_cache(maxsize=2)
def _small_text(path: Path, changed: int, size: int) -> str:
    return read_text(path, path.name)[0]


def read_json(path: Path, shown: str) -> tuple[Any, str]:
    """Return the content of a JSON file and the SHA-256 of the file.

    Raises
    ------
    ImportFormatError
        Not JSON; line and column are named.
    """
    text, sha256 = read_text(path, shown)
    return parse_json(text, shown), sha256


def peek_json(path: Path) -> Any:
    """Return the content of a JSON file for telling what it is; nobody may change it.

    Raises
    ------
    ImportFormatError
        See `read_json`.
    """
    try:
        about = status_of(path)
    except OSError:
        return read_json(path, path.name)[0]
    return _parsed(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=2)
def _parsed(path: Path, changed: int, size: int) -> Any:
    return read_json(path, path.name)[0]


def parse_json(text: str, shown: str) -> Any:
    """Return the content of a JSON text; see `read_json`."""
    require_values(text, shown)
    try:
        content = json.loads(text, object_pairs_hook=unique_names)
        require_characters(content, text)
        return content
    except RecursionError:
        raise ImportFormatError("nested too deeply to be results.", path=shown) from None
    except ValueError as error:
        if not isinstance(error, json.JSONDecodeError):
            raise ImportFormatError(f"{json_fault(error)}.", path=shown) from None
        raise _not_json(error, text, shown) from None


def require_characters(content: object, text: str) -> None:
    """Raise ``ValueError`` when JSON escapes half a character, which nothing can store."""
    if "\\ud" in text.lower():
        try:
            json.dumps(content, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("an escape such as \\ud800 is half a character") from None


def unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; the same value may stand twice under a name.

    Raises
    ------
    ValueError
        A name has two values.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        first: dict[str, Any] = {}
        for name, value in pairs:
            if first.setdefault(name, value) != value:
                raise ValueError(f"the name {name!r} stands twice in one object")
    return found


def json_fault(error: ValueError) -> str:
    """Return what is wrong with JSON that is well written, and holds what cannot be held."""
    digits = re.search(r"value has (\d+) digits", str(error))
    return f"a number has {int(digits[1]):,} digits" if digits else str(error)


def _not_json(error: json.JSONDecodeError, text: str, shown: str) -> ImportFormatError:
    is_cut = error.pos >= len(text.rstrip()) - 1 or error.msg.startswith("Unterminated")
    cut = " The file may be cut off." if is_cut else ""
    return ImportFormatError(
        f"not JSON: {error.msg} (column {error.colno}).{cut}", path=shown, line=error.lineno
    )


def decode(data: bytes, shown: str) -> str:
    """Decode UTF-8, with or without a byte-order mark.

    Raises
    ------
    ImportFormatError
        The file is empty, binary, or in another encoding; line and byte are named.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ImportFormatError("the file is in UTF-16. Save it as UTF-8.", path=shown, line=1)
    if told := told_of_binary(data[:LONGEST]):
        raise ImportFormatError(told, path=shown)
    if (null := data.find(b"\0")) >= 0:
        raise ImportFormatError(
            "this is a binary file (or UTF-16 without a mark), not text. Save it as UTF-8 text.",
            path=shown,
            line=_line_of(data, null),
        )
    if not data.removeprefix(b"\xef\xbb\xbf").strip():
        raise ImportFormatError("the file is empty.", path=shown)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        start = data.rfind(b"\n", 0, error.start) + 1
        raise ImportFormatError(
            f"byte 0x{data[error.start]:02x} (number {error.start - start + 1} of the line) is not "
            "UTF-8; the file may be in Latin-1 or Windows-1252. Save it as UTF-8.",
            path=shown,
            line=_line_of(data, error.start),
        ) from None


def data_suffix(path: Path) -> str:
    """Return the extension in lower case without ``.gz``: ``".csv"`` for ``scores.csv.gz``.

    JSON with an object on each line is ``".jsonl"``, though the file be called ``.json``.
    """
    suffix = _suffix(path.name)
    if suffix == ".json" and not path.name.lower().endswith(".gz"):
        try:
            about = status_of(path)
        except OSError:
            return ".json"
        return ".jsonl" if _are_lines(path, about.st_mtime_ns, about.st_size) else ".json"
    return suffix


@lru_cache(maxsize=256)
def _suffix(name: str) -> str:
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


@lru_cache(maxsize=4096)
def _are_lines(path: Path, changed: int, size: int) -> bool:
    """Return whether the first two lines of a file are objects of JSON."""
    try:
        with path.open("rb") as file:
            start = file.readline(PART) + file.read(_MARGIN)
        return _JSON_LINES.match(start) is not None and isinstance(
            json.loads(start.lstrip().partition(b"\n")[0]), dict
        )
    except (OSError, ValueError, RecursionError):
        return False


def data_stem(name: str) -> str:
    """Return a file's name without folder and extensions: ``"scores"`` for ``in/scores.csv.gz``."""
    stem = name.rpartition("/")[2]
    if stem.lower().endswith(".gz"):
        stem = stem[:-3]
    known = next(
        (suffix for suffix in (*DATA_SUFFIXES, ".yaml", ".yml") if stem.lower().endswith(suffix)),
        "",
    )
    return stem[: len(stem) - len(known)]


def _line_of(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1


def unpacked(raw: bytes, path: Path, shown: str) -> bytes:
    """Return the content of a file's bytes, gzip-compressed or not.

    Raises
    ------
    ImportFormatError
        The compressed part is damaged or too large, or only the name says that it is compressed.
    """
    if not raw.startswith(GZIP_MAGIC):
        if path.suffix.lower() == ".gz" and raw:
            raise ImportFormatError(
                "the name ends in .gz but the content is not gzip-compressed. Rename the file, or "
                "compress it.",
                path=shown,
            )
        return raw
    try:
        return gathered(gunzipped(io.BytesIO(raw)), shown, len(raw))
    except EOFError:
        raise ImportFormatError(
            "Compressed file ended early: it was cut off. Copy or download it again.", path=shown
        ) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise ImportFormatError(
            f"the compressed file is damaged ({error}). Copy or download it again.", path=shown
        ) from None
