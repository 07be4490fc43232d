"""The checksum that stands beside texts."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any, Final

TEXT_CHECKSUM: Final = "text_checksum"
"""What `checksum` is called in SQL."""
_END, _NONE = b"\xff", b"\xfe"
"""Neither byte is part of UTF-8: texts that are put together otherwise have another sum."""


def checksum(*texts: str | bytes | None) -> int:
    """Return the CRC-32 of some texts in their order; bytes are taken for UTF-8.

    >>> checksum("ab", None) == checksum(b"ab", None) != checksum("a", "b")
    True
    """
    total = 0
    for text in texts:
        told = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        total = zlib.crc32(_NONE if told is None else told + _END, total)
    return total


def checksum_of(*columns: str) -> Callable[[Any], int]:
    """Return the default of a column that holds the checksum of other columns of its row."""

    def of_row(context: Any) -> int:
        row = context.get_current_parameters()
        return checksum(*(row.get(name) for name in columns))

    return of_row
