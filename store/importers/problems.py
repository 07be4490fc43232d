"""What is wrong with the rows of files, and with several files, in few words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from store.errors import ImportFormatError, describe_place

HINT = "Mend the file, or import with --lenient to skip such rows and list them."
_MOST_LINES = 18
"""Of reasons in one message; a line on what is not shown and the hint come after them."""
_MOST_PLACES = 3
_MOST_NAMES = 30
_VALUES = re.compile(r"'[^']*'|\"[^\"]*\"|\d[\d.,]*")


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """A row that a lenient import left out."""

    path: str
    line: int | None
    field: str | None
    reason: str


def in_words(rows: Sequence[SkippedRow]) -> str:
    """Return the reason of the first row, the like of it, and a line for each other kind.

    Reasons are of one kind when they differ in quoted texts and numbers only. The place of the
    first row is left to whoever shows it.
    """
    kinds: dict[str, list[SkippedRow]] = {}
    for row in rows:
        kinds.setdefault(_VALUES.sub("…", row.reason), []).append(row)
    lines: list[str] = []
    for alike in list(kinds.values())[:_MOST_LINES]:
        first, others = alike[0], alike[1:]
        place = _place(first, rows[0].path, None) if lines else ""
        lines.append(f"{place}{': ' if place else ''}{first.reason}{_also(first, others)}")
    hidden = list(kinds.values())[_MOST_LINES:]
    if hidden:
        n_rows = sum(map(len, hidden))
        lines.append(f"{n_rows:,} more problem{_s(n_rows)} of other kinds.")
    return "\n  ".join(lines)


def together(errors: Sequence[ImportFormatError]) -> ImportFormatError:
    """Return one error that tells those of several files; the same reason is told once."""
    if len(errors) == 1:
        return errors[0]
    by_reason: dict[tuple[int | None, str | None, str], list[str]] = {}
    for error in errors:
        reason = re.sub(rf"\s+{re.escape(HINT)}$", "", error.reason)
        by_reason.setdefault((error.line, error.field, reason), []).append(error.path)
    lines: list[str] = []
    for (line, field, reason), paths in by_reason.items():
        names = list(dict.fromkeys(paths))
        told = ", ".join(names[:_MOST_PLACES])
        if len(names) > _MOST_PLACES:
            told += f" and {len(names) - _MOST_PLACES:,} more"
        lines += (describe_place(told, line, field) + reason).split("\n")
    if len(lines) > _MOST_LINES:
        n_hidden = len(lines) - _MOST_LINES
        lines[_MOST_LINES:] = [f"{n_hidden:,} more line{_s(n_hidden)} of such problems."]
    if any(error.reason.endswith(HINT) for error in errors):
        lines.append(HINT)
    kinds = {type(error) for error in errors}
    kind = kinds.pop() if len(kinds) == 1 else ImportFormatError
    return kind("\n".join(lines))


def listed(names: Iterable[str]) -> str:
    """Return names for a message: the first ones, and how many there are besides."""
    known = list(names)
    told = ", ".join(known[:_MOST_NAMES])
    n_more = len(known) - _MOST_NAMES
    return f"{told} and {n_more:,} more" if n_more > 0 else told


def _also(first: SkippedRow, others: Sequence[SkippedRow]) -> str:
    """Return where the same is wrong again."""
    if not others:
        return ""
    shown: list[str] = []
    for row in others:
        if (place := _place(row, first.path, first.field)) and place not in shown:
            shown.append(place)
        if len(shown) == _MOST_PLACES:
            break
    told = f": {'; '.join(shown)}" if shown else ""
    if shown and len(others) > len(shown):
        told += "; …"
    return f" ({len(others):,} more such problem{_s(len(others))}{told}.)"


def _place(row: SkippedRow, path: str, field: str | None) -> str:
    """Return where a row stands, without what is known already."""
    other_path = "" if row.path == path else row.path
    other_field = None if row.field == field else row.field
    return describe_place(other_path, row.line, other_field).removesuffix(": ")


def _s(n: int) -> str:
    return "" if n == 1 else "s"
