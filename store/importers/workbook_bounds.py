"""How much memory a workbook would take, counted before it is read."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Final
from xml.parsers.expat import ExpatError

import numpy as np
import numpy.typing as npt

from store.errors import ImportFormatError
from store.importers.budget import Budget
from store.importers.ods_bounds import Extents

OPEN_DOCUMENT: Final = ".ods"
_MOST_CELLS: Final = 20_000_000
"""From the first cell of a sheet to its last, the empty ones counted."""
_MOST_BYTES: Final = 1_000_000_000
"""Of the largest sheet as its reader holds it, with all texts that the sheets share."""
_CELL: Final = 32
"""Bytes of a cell as the reader holds it."""
_TEXT: Final = 32
"""Bytes that a text takes beside its characters."""
_PART: Final = 1 << 20
_OVERLAP: Final = 128
_PLACE = re.compile(rb"\br\s*=\s*[\"']([A-Za-z]{0,3})(\d{1,7})[\"']")
_SHARED = re.compile(rb"\bt\s*=\s*[\"']s[\"'][^<>]{0,64}>\s*<(?:\w+:)?v>\s*(\d{1,9})\s*<")
_TEXTS_HERE = re.compile(rb"</(?:\w+:)?is>|\bt\s*=\s*[\"']str[\"']")
_END_OF_SHARED = re.compile(rb"</(?:\w+:)?si>")
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError,
    ExpatError, ValueError,
)  # fmt: skip


def require_bounds(path: Path, shown: str, budget: Budget) -> None:
    """Refuse a workbook that would take too much, by its bytes, its cells or its texts.

    Raises
    ------
    ImportFormatError
        It would; or it is damaged.
    """
    is_open_document = path.suffix.lower() == OPEN_DOCUMENT
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            texts = np.zeros(0, np.int64)
            for member in sorted(members, key=lambda one: not _has_texts(one)):
                with archive.open(member) as packed:
                    if is_open_document and member.filename == "content.xml":
                        _count_repeated(packed, budget, shown)
                    elif _has_texts(member):
                        texts = np.concatenate([texts, _texts(packed, budget, shown)])
                    else:
                        _count(packed, texts, budget, shown)
    except _DAMAGED as error:
        told = str(error).split("\n", 1)[0].rstrip(".") or type(error).__name__
        reason = f"not a whole workbook ({told}). Save or copy it again."
        raise ImportFormatError(reason, path=shown) from None


def _has_texts(member: zipfile.ZipInfo) -> bool:
    return member.filename.lower().endswith("sharedstrings.xml")


def _parts(packed: IO[bytes], budget: Budget, shown: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield the parts of a member, each with the end of the one before it."""
    tail = b""
    while part := packed.read(_PART):
        budget.read(shown, len(part))
        yield tail, part
        tail = (tail + part)[-_OVERLAP:]


def _texts(packed: IO[bytes], budget: Budget, shown: str) -> npt.NDArray[np.int64]:
    """Return about how many bytes each text takes that the sheets share."""
    found = [np.zeros(1, np.int64)]
    begin = 0
    for tail, part in _parts(packed, budget, shown):
        ends = [match.end() for match in _END_OF_SHARED.finditer(tail + part)]
        at = np.array(ends, np.int64) + (begin - len(tail))
        found.append(at[at > begin])
        begin += len(part)
    places = np.concatenate(found)
    return places[1:] - places[:-1] + _TEXT


def _count(packed: IO[bytes], texts: npt.NDArray[np.int64], budget: Budget, shown: str) -> None:
    n_rows = n_columns = 1
    n_bytes = int(texts.sum())
    for tail, part in _parts(packed, budget, shown):
        seen = tail + part
        for letters, digits in _PLACE.findall(seen):
            n_rows = max(n_rows, int(digits))
            n_columns = max(n_columns, _column_number(letters))
        if len(texts):
            numbers = np.array(_SHARED.findall(seen), "S9").astype(np.int64)
            n_bytes += int(texts[numbers[numbers < len(texts)]].sum())
        if _TEXTS_HERE.search(seen):
            n_bytes += len(part)
        _require(n_rows * n_columns, n_bytes, shown)


def _count_repeated(packed: IO[bytes], budget: Budget, shown: str) -> None:
    extents, n_bytes = Extents(), 0
    for _, part in _parts(packed, budget, shown):
        extents.feed(part)
        n_bytes += len(part)
        _require(extents.n_cells, n_bytes, shown)


def _require(n_cells: int, n_bytes: int, shown: str) -> None:
    """Raise `ImportFormatError` for too many cells, or for texts of too many bytes in them."""
    if n_cells > _MOST_CELLS:
        raise ImportFormatError(
            f"a sheet reaches over more than {_MOST_CELLS:,} cells. Delete what stands far "
            "from the table, or save the table as .csv.",
            path=shown,
        )
    if n_bytes + _CELL * n_cells > _MOST_BYTES:
        raise ImportFormatError(
            f"a sheet would take more than {_MOST_BYTES // 1_000_000:,} MB of memory with its "
            "texts. Save the table as .csv, which is read part by part.",
            path=shown,
        )


def _column_number(letters: Sequence[int]) -> int:
    number = 0
    for letter in bytes(letters).upper():
        number = 26 * number + letter - ord("A") + 1
    return number
