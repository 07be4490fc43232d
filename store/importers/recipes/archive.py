"""Reading members of a zip file, those compressed with Zstandard (method 93) included."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Sequence
from fnmatch import fnmatch
from typing import Final

from store.errors import ImportFormatError
from store.importers.guard import gathered, require_bytes

ZIP_MAGIC: Final = b"PK\x03\x04"
_ZSTANDARD: Final = 93
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)
_LOCAL_HEADER: Final = 30
"""Bytes of a member's own header before its name."""


class Archive:
    """A zip file in memory."""

    def __init__(self, data: bytes, shown: str) -> None:
        self.shown = shown
        self._data = data
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _DAMAGED as error:
            reason = f"not a whole zip file ({error}). It may be cut off: copy it again."
            raise ImportFormatError(reason, path=shown) from None
        self.names: Sequence[str] = tuple(self._zip.namelist())

    def matching(self, pattern: str) -> list[str]:
        """Return the members whose name fits a pattern such as ``"samples/*.json"``, in order."""
        return [name for name in self.names if fnmatch(name, pattern)]

    def read(self, name: str) -> bytes:
        """Return the content of a member.

        Raises
        ------
        ImportFormatError
            It is damaged, encrypted, too large, or compressed in a way that is not known.
        """
        info = self._zip.getinfo(name)
        place = f"{self.shown}:{name}"
        require_bytes(info.file_size, place)
        try:
            if info.compress_type == _ZSTANDARD:
                return self._zstandard(info, place)
            with self._zip.open(info) as stream:
                return gathered(stream, place, info.compress_size)
        except NotImplementedError:
            reason = f"is compressed by method {info.compress_type}, which is not read. Zip again."
            raise ImportFormatError(reason, path=place) from None
        except _DAMAGED as error:
            reason = f"the compressed file is damaged ({error}). Copy it again."
            raise ImportFormatError(reason, path=place) from None

    def _zstandard(self, info: zipfile.ZipInfo, place: str) -> bytes:
        import pyarrow as pa

        header = self._data[info.header_offset : info.header_offset + _LOCAL_HEADER]
        if len(header) < _LOCAL_HEADER or not header.startswith(ZIP_MAGIC):
            raise zipfile.BadZipFile("a member has no header")
        begins = info.header_offset + _LOCAL_HEADER
        begins += int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        packed = self._data[begins : begins + info.compress_size]
        stream = pa.CompressedInputStream(pa.BufferReader(packed), "zstd")
        data: bytes = stream.read(info.file_size + 1)  # the size that was counted
        if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
            raise zipfile.BadZipFile("size or checksum differ")
        return data
