"""Unpacking archives and compressed files into a folder, with limits that a bomb cannot pass."""

from __future__ import annotations

import bz2
import errno
import lzma
import os
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final

from store.errors import ImportFormatError
from store.importers.guard import PART, gunzipped, require_ratio

MOST_BYTES: Final = 10_000_000_000
"""Of all members of an archive together, unpacked."""
MOST_MEMBERS: Final = 50_000
"""Each takes about a millisecond to look at."""
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


def unpack(path: Path, folder: Path, shown: str) -> None:
    """Unpack an archive, or one compressed file, into an empty folder.

    Links, devices and pipes in it are left out.

    Raises
    ------
    ImportFormatError
        It is damaged or encrypted, has more than `MOST_MEMBERS` members or `MOST_BYTES` bytes, is
        packed more than `MOST_RATIO` times, or has a member that would lie outside the folder.
    """
    budget = Budget(path.stat().st_size, shown)
    try:
        if path.name.lower().endswith(".zip"):
            _unpack_zip(path, folder, budget)
        elif is_archive(path):
            _unpack_tar(path, folder, budget)
        else:
            with _opened(path) as packed:
                budget.copy(packed, folder / path.stem)
    except ImportFormatError:
        raise
    except _DAMAGED as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise ImportFormatError(
                f"cannot be unpacked: {tempfile.gettempdir()} is full. Free space, or set TMPDIR "
                "to a folder with more.",
                path=shown,
            ) from None
        told = str(error).split("\n", 1)[0] or type(error).__name__
        raise ImportFormatError(
            f"cannot be unpacked ({told}). Copy or download it again.", path=shown
        ) from None


class Budget:
    """Counts what is unpacked, and stops it where it is too much."""

    def __init__(self, n_packed: int, shown: str) -> None:
        self._n_packed = max(n_packed, 1)
        self._shown = shown
        self._n_bytes = 0
        self._n_members = 0

    def place(self, folder: Path, name: str) -> Path:
        """Return where a member goes."""
        self._n_members += 1
        self.require_members(self._n_members)
        parts = PurePosixPath(name.replace("\\", "/")).parts
        if not parts or ".." in parts or parts[0] == "/" or ":" in parts[0]:
            raise self._refused(f"the member '{name}' would lie outside the folder")
        if len(parts) > MOST_FOLDERS:
            raise self._refused(f"a member lies {len(parts):,} folders deep")
        if any(len(os.fsencode(part)) > LONGEST_PART for part in parts):
            raise self._refused(f"the member '{name[:40]}…' has a name of {len(name):,} characters")
        place = folder.joinpath(*parts)
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    def require_members(self, n_members: int) -> None:
        """Refuse an archive of so many files."""
        if n_members > MOST_MEMBERS:
            raise self._refused(f"holds more than {MOST_MEMBERS:,} files")

    def copy(self, packed: IO[bytes], place: Path) -> None:
        """Write what a stream gives to a file."""
        with place.open("wb") as unpacked:
            while part := packed.read(PART):
                self.count(len(part))
                unpacked.write(part)

    def count(self, n_bytes: int) -> None:
        """Take note of unpacked bytes."""
        self._n_bytes += n_bytes
        self.require_bytes(self._n_bytes)

    def require_bytes(self, n_bytes: int) -> None:
        """Refuse an archive of so many unpacked bytes, counted or stated by itself."""
        if n_bytes > MOST_BYTES:
            raise self._refused(f"holds more than {MOST_BYTES // 1_000_000:,} MB")
        require_ratio(n_bytes, self._n_packed, self._shown)

    def _refused(self, what: str) -> ImportFormatError:
        reason = f"{what}: this is no archive of results. Unpack it yourself if you trust it."
        return ImportFormatError(reason, path=self._shown)


def _unpack_zip(path: Path, folder: Path, budget: Budget) -> None:
    with zipfile.ZipFile(path) as archive:
        budget.require_members(len(archive.infolist()))
        budget.require_bytes(sum(member.file_size for member in archive.infolist()))
        for member in archive.infolist():
            mode = member.external_attr >> 16
            if member.is_dir() or (stat.S_IFMT(mode) and not stat.S_ISREG(mode)):
                continue
            with archive.open(member) as packed:
                budget.copy(packed, budget.place(folder, member.filename))


def _unpack_tar(path: Path, folder: Path, budget: Budget) -> None:
    # "r|" reads on without going back, so that a member is never unpacked twice.
    with _opened(path) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            packed = archive.extractfile(member) if member.isfile() else None
            if packed is not None:
                budget.copy(packed, budget.place(folder, member.name))


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
