"""What one import may unpack: bytes, files and room on the disk, of all its archives together.

It is held against the bytes that were sent, however deep or wide archives lie in archives. What is
not unpacked into files (gzip, members of logs, columns of Parquet and Arrow, XML of workbooks)
counts once for each file, before anybody reads it.
"""

from __future__ import annotations

import io
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from store.errors import ImportFormatError
from store.importers.guard import (
    CELL_BYTES,
    GZIP_MAGIC,
    PART,
    gathered,
    gunzipped,
    largest_import,
    require_bytes,
    require_file,
    require_ratio,
    status_of,
)

MOST_FILES: Final = 50_000
"""Each takes about a millisecond to look at."""
SPARED: Final = 1_000_000_000
"""Bytes of the disk that stay free for all others; of a small disk a twentieth."""
_ZIP, _PARQUET, _ARROW = b"PK\x03\x04", b"PAR1", b"ARROW1"
_UNREADABLE: Final = (
    OSError, EOFError, zlib.error, ValueError, RuntimeError, zipfile.BadZipFile, NotImplementedError
)  # fmt: skip


class OverBudgetError(ImportFormatError):
    """What an import unpacks is too much."""


class Budget:
    """Counts what an import was sent and what it unpacks, and stops it where it is too much."""

    def __init__(self, scratch: Path) -> None:
        """`scratch`: the folder that archives are unpacked into."""
        self.n_sent = 0
        """Bytes of the files that were given, as they are."""
        self._scratch = scratch
        self._n_files = self._n_on_disk = self._n_read = self._n_given_back = 0

    @contextmanager
    def given_back(self) -> Iterator[None]:
        """Forget what was counted meanwhile, if it turns out to be too much: it is thrown away.

        It took time to unpack: all that is forgotten is as much as may be unpacked, no more.
        """
        held = self._n_files, self._n_on_disk, self._n_read
        try:
            yield
        except OverBudgetError as error:
            n_bytes = self._n_on_disk + self._n_read - sum(held[1:])
            with suppress(ImportFormatError):
                require_ratio(self._n_given_back, self.n_sent, error.path or "")
                self._n_given_back += n_bytes
                self._n_files, self._n_on_disk, self._n_read = held
            raise

    def unpack(self, shown: str, n_bytes: int = 0, n_files: int = 0) -> None:
        """Count what is about to be written into the scratch folder.

        Raises
        ------
        OverBudgetError
            It is too much, or the disk has no room.
        """
        self.require(shown, n_bytes, n_files)
        self._n_files += n_files
        self._n_on_disk += n_bytes

    def read(self, shown: str, n_bytes: int) -> None:
        """Count what is unpacked in memory; see `unpack`."""
        self._require_ratio(shown, n_bytes)
        self._n_read += n_bytes

    def require(self, shown: str, n_bytes: int, n_files: int = 0) -> None:
        """Refuse so much more, without counting it; see `unpack`."""
        if self._n_files + n_files > MOST_FILES:
            raise _refused(f"holds more than {MOST_FILES:,} files", shown)
        if self._n_on_disk + n_bytes > largest_import():
            raise _refused(f"holds more than {largest_import() // 1_000_000:,} MB", shown)
        self._require_ratio(shown, n_bytes)
        disk = shutil.disk_usage(self._scratch)
        if n_bytes > disk.free - min(SPARED, disk.total // 20):
            raise full(shown)

    def _require_ratio(self, shown: str, n_bytes: int) -> None:
        try:
            require_ratio(self._n_on_disk + self._n_read + n_bytes, self.n_sent, shown)
        except ImportFormatError as error:
            raise OverBudgetError(error.reason, path=shown) from None


class Counted:
    """A stream whose bytes count as they are read, since they go into the scratch folder."""

    def __init__(self, stream: IO[bytes], budget: Budget, shown: str) -> None:
        self._stream, self._budget, self._shown = stream, budget, shown

    def read(self, size: int = -1) -> bytes:
        """Read on."""
        data = self._stream.read(size)
        self._budget.unpack(self._shown, len(data))
        return data


def full(shown: str) -> OverBudgetError:
    """Return the error that the disk has no room for what is unpacked."""
    return OverBudgetError(
        "cannot be unpacked: the folder of temporary files is full. Free space, or set TMPDIR to "
        "one with more.",
        path=shown,
    )


def _refused(what: str, shown: str) -> OverBudgetError:
    reason = f"{what}: this is no archive of results. Unpack it yourself if you trust it."
    return OverBudgetError(reason, path=shown)


def require_size(path: Path, shown: str, budget: Budget) -> None:
    """Count what a file becomes when it is read, without holding it; what is damaged passes.

    Raises
    ------
    ImportFormatError
        It is larger than a file may be, unpacked, or too much with all that was unpacked before.
    """
    require_file(path, shown)
    try:
        require_bytes(status_of(path).st_size, shown)
        with path.open("rb") as file, budget.given_back():
            n_bytes = 0
            for part in _sizes(file, shown):
                n_bytes += part
                require_bytes(n_bytes, shown)
                budget.read(shown, part)
    except _UNREADABLE:
        return


def _sizes(file: IO[bytes], shown: str) -> Iterator[int]:
    """Yield, part by part, how many bytes a packed file becomes; nothing for others."""
    head = file.read(len(_ARROW))
    file.seek(0)
    if head.startswith(GZIP_MAGIC):
        start = b""
        with gunzipped(file) as unpacking:
            while part := unpacking.read(PART):
                start = start or part
                yield max(len(part), CELL_BYTES * (part.count(b",") + part.count(b"\n")))
        if start.startswith((_PARQUET, _ARROW)):
            file.seek(0)
            yield from _sizes(io.BytesIO(gathered(gunzipped(file), shown)), shown)
    elif head.startswith(_ZIP):
        with zipfile.ZipFile(file) as archive:
            yield from (member.file_size for member in archive.infolist())
    elif head.startswith(_PARQUET):
        yield from _sizes_of_parquet(file)
    elif head.startswith(_ARROW):
        yield from _sizes_of_arrow(file)


def _sizes_of_parquet(file: IO[bytes]) -> Iterator[int]:
    import pyarrow.parquet as pq

    about = pq.read_metadata(file)
    yield CELL_BYTES * about.num_rows * about.num_columns
    nested = [n for n in range(about.num_columns) if about.schema.column(n).max_repetition_level]
    for number in range(about.num_row_groups):
        group = about.row_group(number)
        n_cells = CELL_BYTES * group.num_rows * about.num_columns
        yield max(group.total_byte_size - n_cells, 0)
        yield from (CELL_BYTES * group.column(n).num_values for n in nested)


def _sizes_of_arrow(file: IO[bytes]) -> Iterator[int]:
    import pyarrow as pa

    reader = pa.ipc.open_file(file)
    for number in range(reader.num_record_batches):
        batch = reader.get_batch(number)
        yield max(batch.nbytes, CELL_BYTES * batch.num_rows * batch.num_columns)
