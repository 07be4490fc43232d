"""Names and texts of strangers, made safe for what shows them: a terminal, a spreadsheet."""

from __future__ import annotations

import re
from typing import Any, Final

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
GUARDED: Final = r"^'('* *[=+\-@\t\r])"
"""A cell with a guard, for `re` and Arrow alike; the group is how it begins without."""
_GUARDED: Final = re.compile(GUARDED)
_FORMULA: Final = re.compile(r" *[=+\-@\t\r]")


def visible(text: str) -> str:
    """Return a text that a terminal prints as it is.

    Control characters, which could colour, overwrite or rename what stands on the screen, become
    pictures of themselves; those that turn the direction of writing become a question mark.

    >>> visible("a\\x1b[31mb")
    'a␛[31mb'
    """
    return _UNSEEN.sub(_picture, text)


def spreadsheet_safe(cell: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula: text that begins like one gets a '.

    So does a text that begins like one with a guard, so that `unguarded` is exact.

    >>> spreadsheet_safe("=1+1"), spreadsheet_safe("-0.5"), spreadsheet_safe(-0.5)
    ("'=1+1", '-0.5', -0.5)
    """
    if not isinstance(cell, str):
        return cell
    is_formula = _FORMULA.match(cell) is not None and not _is_number(cell)
    return f"'{cell}" if is_formula or _GUARDED.match(cell) else cell


def unguarded(cell: str) -> str:
    """Return a cell as it was before `spreadsheet_safe`.

    >>> unguarded("'=1+1"), unguarded("-0.5"), unguarded("'s")
    ('=1+1', '-0.5', "'s")
    """
    return cell[1:] if _GUARDED.match(cell) else cell


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else "\N{REPLACEMENT CHARACTER}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
