"""The natural order of names, ``q9`` before ``q10``, whatever order they came in."""

from __future__ import annotations

import re
from typing import Final

_NUMBER: Final = re.compile("[0-9]+")
_DIGITS: Final = 20


def natural_key(name: str) -> tuple[str, str]:
    """Return what sorts names, capitals beside small letters; no two names have the same.

    >>> sorted(["q10", "q9", "q09"], key=natural_key)
    ['q09', 'q9', 'q10']
    """
    return _NUMBER.sub(_padded, name.casefold()), name


def _padded(number: re.Match[str]) -> str:
    return number[0].zfill(_DIGITS)
