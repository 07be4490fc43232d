"""The first line of a file, for telling formats apart without reading all of it."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from store.importers.textfile import GZIP_MAGIC

_ENOUGH = 65_536
"""Bytes that are read; a header that is longer is none that we know."""


def first_line(path: Path) -> str:
    """Return the first line of a text that holds something, gzip-compressed or not.

    Empty when the file cannot be read or is no text. Never raises.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_ENOUGH)
        if data.startswith(GZIP_MAGIC):
            with gzip.open(path) as unpacked:
                data = unpacked.read(_ENOUGH)
    except (OSError, EOFError, zlib.error):
        return ""
    if b"\0" in data:
        return ""
    text = data.decode("utf-8-sig", errors="replace")
    return text.lstrip("\r\n ").partition("\n")[0].rstrip("\r")
