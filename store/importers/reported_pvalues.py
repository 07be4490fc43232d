"""Columns and rows of p-values in a table that a paper prints: ``p-value``, ``p(A,B)``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from store.errors import ImportFormatError
from store.importers.printed import plain_name
from store.importers.settings import Settings
from store.importers.tables import Table
from store.importers.yaml_nodes import nearest

_SEPARATORS = (" vs. ", " vs ", ",", ";", "/", "|")
_PLAIN_P = re.compile(r"p([\s\-_.]*val(ue)?s?)?\.?", re.IGNORECASE)
_PAIR_P = re.compile(r"p[\s\-_.]*(?:val(?:ue)?s?\.?)?\s*[(\[]\s*(.+?)\s*[)\]]", re.IGNORECASE)


def has_pvalues(columns: Sequence[str]) -> bool:
    """Return whether a column is headed ``p-value`` or ``p(A,B)``."""
    return any(is_plain_p(column) or pair_text(column) is not None for column in columns)


def has_pvalue_rows(table: Table) -> bool:
    """Return whether a cell of the first column is headed ``p(A,B)``."""
    cells = table.cells[table.columns[0]]
    return any(isinstance(cell, str) and pair_text(cell) is not None for cell in cells)


def is_plain_p(name: str) -> bool:
    """Return whether a column is headed ``p`` or ``p-value``."""
    return _PLAIN_P.fullmatch(name.replace("$", "").strip()) is not None


def pair_text(name: str) -> str | None:
    """Return what stands in the brackets of ``p(A,B)``."""
    match = _PAIR_P.fullmatch(name.replace("$", "").strip())
    return match[1] if match else None


def pvalue_columns(
    table: Table, systems: Sequence[str], settings: Settings
) -> dict[str, tuple[str, str]]:
    """Return column -> the two systems whose p-values it holds.

    Raises
    ------
    ImportFormatError
        A header does not say which two systems are compared.
    """
    headed: dict[str, tuple[str, str]] = {}
    for column in table.columns:
        text = pair_text(column)
        if text is not None:
            headed[column] = split_pair(text, systems, settings, None)
        elif is_plain_p(column):
            if len(systems) != 2:
                raise ImportFormatError(
                    f"the table has {len(systems)} systems ({', '.join(systems)}); say in the "
                    "header which two are compared: p(A,B).",
                    path=table.shown,
                    field=column,
                )
            headed[column] = systems[0], systems[1]
    return headed


def split_pair(
    text: str, known: Sequence[str], settings: Settings, line: int | None
) -> tuple[str, str]:
    """Return the two systems of ``A,B``; a name may hold the separator itself.

    Raises
    ------
    ImportFormatError
        The text does not name two systems, or one that is not `known`.
    """
    halves = [
        (text[: match.start()], text[match.end() :])
        for mark in _SEPARATORS
        for match in re.finditer(re.escape(mark), text)
    ]
    named = [(plain_name(a), plain_name(b)) for a, b in halves if a.strip() and b.strip()]
    by_name = {name.lower(): name for name in known}
    unknown = ""
    for a, b in named:
        found = [by_name.get(settings.canonical(n).lower()) for n in (a, b)]
        if found[0] and found[1]:
            return found[0], found[1]
        unknown = unknown or (b if found[0] else a)
    if named and not known:
        return settings.canonical(named[0][0]), settings.canonical(named[0][1])
    reason = f"'{text}' does not name two systems; write p(A,B)."
    if named:
        reason = f"the p-value names the system '{unknown}'.{nearest(unknown, known)}"
    raise ImportFormatError(reason, path=settings.shown, line=line, field=f"p({text})")
