"""The first line of a file, for telling formats apart without reading all of it."""

from __future__ import annotations

from pathlib import Path

from store.importers.guard import start_of

_ENOUGH = 65_536
"""Bytes that are read; a header that is longer is none that we know."""


def first_line(path: Path) -> str:
    """Return the first line of a text that holds something, gzip-compressed or not.

    Empty when the file cannot be read or is no text. Never raises.
    """
    data = start_of(path, _ENOUGH)
    if b"\0" in data:
        return ""
    text = data.decode("utf-8-sig", errors="replace")
    return text.lstrip("\r\n ").partition("\n")[0].rstrip("\r")
