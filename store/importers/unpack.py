"""Unpacking archives and compressed files into a folder, with limits that a bomb cannot pass."""

from __future__ import annotations

import bz2
import errno
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final

from store.errors import ImportFormatError
from store.importers.budget import Budget, Counted, full
from store.importers.guard import PART, gunzipped

MOST_FOLDERS: Final = 64
"""Above a member of an archive."""
LONGEST_PART: Final = 255
"""Bytes of a member's name between two slashes, as file systems have it."""

_TARS = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2", ".tar.zst", ".tzst")
_PACKED = (".xz", ".bz2", ".zst")
"""Compressed single files; ``.gz`` is read as it stands by every importer."""
_FOREIGN = (".7z", ".rar", ".lz4", ".br")
_DAMAGED = (
    zipfile.BadZipFile,
    tarfile.TarError,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,  # an encrypted zip
    ValueError,
)


def is_archive(path: Path) -> bool:
    """Return whether a file holds other files, by its name."""
    return path.name.lower().endswith((".zip", *_TARS))


def is_packed(path: Path) -> bool:
    """Return whether a file is compressed in a way that importers do not read themselves."""
    return path.name.lower().endswith(_PACKED) and not is_archive(path)


def require_known_packing(path: Path, shown: str) -> None:
    """Raise `ImportFormatError` for an archive that nothing here unpacks."""
    if path.name.lower().endswith(_FOREIGN):
        raise ImportFormatError(
            f"a {path.suffix} archive, which is not read here. Unpack it first, or pack it as "
            ".zip or .tar.gz.",
            path=shown,
        )


def unpack(path: Path, folder: Path, shown: str, budget: Budget) -> None:
    """Unpack an archive, or one compressed file, into an empty folder.

    Links, devices and pipes in it are left out.

    Raises
    ------
    ImportFormatError
        It is damaged or encrypted, or has a member that would lie outside the folder.
    OverBudgetError
        With it the import unpacks too much.
    """
    try:
        if path.name.lower().endswith(".zip"):
            _unpack_zip(path, folder, shown, budget)
        elif is_archive(path):
            _unpack_tar(path, folder, shown, budget)
        else:
            with _opened(path) as packed:
                budget.unpack(shown, n_files=1)
                _copy(Counted(packed, budget, shown), folder / path.stem)
    except ImportFormatError:
        raise
    except _DAMAGED as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise full(shown) from None
        told = str(error).split("\n", 1)[0] or type(error).__name__
        raise ImportFormatError(
            f"cannot be unpacked ({told}). Copy or download it again.", path=shown
        ) from None


def _place(folder: Path, name: str, shown: str) -> Path:
    """Return where a member of an archive goes."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or ".." in parts or parts[0] == "/" or ":" in parts[0]:
        told = f"the member '{name}' would lie outside the folder"
    elif len(parts) > MOST_FOLDERS:
        told = f"a member lies {len(parts):,} folders deep"
    elif any(len(os.fsencode(part)) > LONGEST_PART for part in parts):
        told = f"the member '{name[:40]}…' has a name of {len(name):,} characters"
    else:
        place = folder.joinpath(*parts)
        place.parent.mkdir(parents=True, exist_ok=True)
        return place
    reason = f"{told}: this is no archive of results. Unpack it yourself if you trust it."
    raise ImportFormatError(reason, path=shown)


def _copy(packed: Counted | IO[bytes], place: Path) -> None:
    with place.open("wb") as unpacked:
        while part := packed.read(PART):
            unpacked.write(part)


def _unpack_zip(path: Path, folder: Path, shown: str, budget: Budget) -> None:
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        budget.require(shown, sum(member.file_size for member in members), len(members))
        for member in members:
            mode = member.external_attr >> 16
            if member.is_dir() or (stat.S_IFMT(mode) and not stat.S_ISREG(mode)):
                continue
            budget.unpack(shown, n_files=1)
            with archive.open(member) as packed:
                _copy(Counted(packed, budget, shown), _place(folder, member.filename, shown))


def _unpack_tar(path: Path, folder: Path, shown: str, budget: Budget) -> None:
    # "r|" reads on without going back, so that a member is never unpacked twice.
    with _opened(path) as stream:
        counted: Any = Counted(stream, budget, shown)  # headers too: they may be long
        with tarfile.open(fileobj=counted, mode="r|") as archive:
            for member in archive:
                packed = archive.extractfile(member) if member.isfile() else None
                if packed is not None:
                    budget.unpack(shown, n_files=1)
                    _copy(packed, _place(folder, member.name, shown))


def _opened(path: Path) -> AbstractContextManager[IO[bytes]]:
    """Return the unpacked bytes of a compressed file as a stream."""
    import pyarrow as pa

    name = path.name.lower()
    openers: dict[tuple[str, ...], Callable[[Path], Any]] = {
        (".gz", ".tgz"): lambda packed: gunzipped(packed.open("rb")),
        (".xz", ".txz"): lzma.open,
        (".bz2", ".tbz2"): bz2.open,
        (".zst", ".tzst"): lambda packed: pa.input_stream(str(packed), compression="zstd"),
    }
    for suffixes, opener in openers.items():
        if name.endswith(suffixes):
            return opener(path)  # type: ignore[no-any-return]  # streams of three libraries
    return path.open("rb")


def sniffed_suffix(head: bytes) -> str:
    """Return the extension that the first bytes of a stream deserve."""
    if head.startswith(b"PK\x03\x04") and b"xl/" in head and b"[Content_Types].xml" in head:
        return ".xlsx"
    if head.startswith(b"PK\x03\x04") and b"application/vnd.oasis.opendocument.spreadsheet" in head:
        return ".ods"
    for magic, suffix in _MAGIC:
        if head.startswith(magic):
            return suffix
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    first = start.split(b"\n", 1)[0]
    if start.startswith(b"["):
        return ".json"
    if start.startswith(b"{"):
        return ".jsonl" if first.rstrip().endswith(b"}") and b"\n{" in start else ".json"
    if b"\t" in first:
        return ".tsv"
    return ".csv" if b"," in first or b";" in first else ".txt"


_MAGIC = (
    (b"PK\x03\x04", ".zip"),
    (b"\xfd7zXZ\x00", ".xz"),
    (b"BZh", ".bz2"),
    (b"\x28\xb5\x2f\xfd", ".zst"),
    (b"PAR1", ".parquet"),
)


def members(folder: Path) -> Iterator[Path]:
    """Yield what lies below a folder, other than folders, in sorted order; links are not followed.

    A folder that cannot be opened is yielded itself.
    """
    found: list[Path] = []
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(here) as entries:
                for entry in entries:
                    is_folder = entry.is_dir(follow_symlinks=False)
                    (waiting if is_folder else found).append(Path(entry.path))
        except PermissionError:
            if here == folder:
                raise
            found.append(here)
    yield from sorted(found)
