"""Rows of the MQM annotations that Google publishes: one for each error, with its span marked.

The cells hold bare quotation marks, so that the file is split at tabs and nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from store.errors import ImportFormatError
from store.importers.bundle import BundleErrorSpan, RowProblems

_SPELLINGS = {
    "system": ("system",),
    "doc": ("doc", "document"),
    "doc_id": ("doc_id", "docsegid", "doc_seg_id"),
    "seg_id": ("seg_id", "globalsegid", "global_seg_id"),
    "rater": ("rater",),
    "source": ("source",),
    "target": ("target",),
    "category": ("category",),
    "severity": ("severity",),
    "note": ("comment", "note", "metadata"),
}
"""Role -> names of its column; the sheets of different years spell some of them differently."""
_REQUIRED = tuple(role for role in _SPELLINGS if role not in ("doc_id", "note"))
_NO_ERROR = re.compile(r"no[-_ ]?error", re.IGNORECASE)
_MARK = re.compile(r"</?v>")


class Place(NamedTuple):
    """A segment: its document, its place there, and its number over the whole file."""

    doc: str
    doc_id: str
    seg_id: str


class Judged(NamedTuple):
    """What one rating is about."""

    system: str
    place: Place
    rater: str


@dataclass(slots=True)
class MqmRows:
    """The annotations of a file."""

    n_rows: int = 0
    ratings: dict[Judged, list[BundleErrorSpan]] = field(default_factory=dict)
    """In the order of the file; no error: an empty list."""
    first_lines: dict[tuple[str, str], int] = field(default_factory=dict)
    """Severity and category -> the line of the first such error."""
    sources: dict[Place, str] = field(default_factory=dict)
    targets: dict[tuple[str, Place], str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def is_mqm_header(line: str) -> bool:
    """Return whether the columns of MQM annotations stand in a line."""
    return all(role in _roles(line) for role in _REQUIRED)


def read_mqm_rows(text: str, shown: str, problems: RowProblems) -> MqmRows:
    """Read the annotations; rows that cannot be used are reported to `problems`.

    Raises
    ------
    ImportFormatError
        The header lacks a column.
    """
    lines = text.split("\n")
    roles = _roles(lines[0])
    missing = [role for role in _REQUIRED if role not in roles]
    if missing:
        raise ImportFormatError(
            f"no column {', '.join(missing)}. MQM annotations have the columns "
            f"{', '.join(_SPELLINGS)}, separated by tabs.",
            path=shown,
            line=1,
        )
    reader = _Reader(roles, lines[0].count("\t") + 1, shown, problems)
    for number, line in enumerate(lines[1:], start=2):
        if line.strip():
            reader.add(number, line.rstrip("\r").split("\t"))
    return reader.finished()


def _roles(header: str) -> dict[str, int]:
    """Return role -> number of its column."""
    names = [name.strip().lower() for name in header.rstrip("\r").split("\t")]
    found = {}
    for role, spellings in _SPELLINGS.items():
        place = next((names.index(name) for name in spellings if name in names), None)
        if place is not None:
            found[role] = place
    return found


@dataclass(slots=True)
class _Reader:
    roles: dict[str, int]
    width: int
    shown: str
    problems: RowProblems
    rows: MqmRows = field(default_factory=MqmRows)
    unclosed: list[int] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)
    """Lines whose text is not that of an earlier line on the same output or segment."""
    beside: list[int] = field(default_factory=list)
    """Lines that say "no error" where the same rater marked one."""

    def add(self, line: int, cells: Sequence[str]) -> None:
        """Add a row."""
        if len(cells) == self.width - 1 and self.roles.get("note") == self.width - 1:
            cells = [*cells, ""]  # an empty last cell was stripped
        if len(cells) != self.width:
            reason = f"the row has {len(cells)} cells, the header has {self.width}."
            self.problems.report(self.shown, line, None, reason)
            return
        row = {role: cells[place] for role, place in self.roles.items()}
        empty = next((r for r in ("system", "seg_id", "rater", "severity") if not row[r]), None)
        if empty:
            self.problems.report(self.shown, line, empty, "the cell is empty.")
            return
        self._add(line, row)

    def _add(self, line: int, row: dict[str, str]) -> None:
        place = Place(row["doc"], row.get("doc_id", ""), row["seg_id"])
        source, target = Marked.of(row["source"]), Marked.of(row["target"])
        is_same = self.rows.sources.setdefault(place, source.text) == source.text
        output = (row["system"], place)
        if self.rows.targets.setdefault(output, target.text) != target.text or not is_same:
            self.changed.append(line)
        self.rows.n_rows += 1
        judged = Judged(row["system"], place, row["rater"])
        is_known = judged in self.rows.ratings
        spans = self.rows.ratings.setdefault(judged, [])
        if _NO_ERROR.fullmatch(row["severity"]):
            if is_known:
                self.beside.append(line)
            return
        marked = source if source.start is not None and target.start is None else target
        if marked.is_open:
            self.unclosed.append(line)
        severity = row["severity"].strip().capitalize()
        self.rows.first_lines.setdefault((severity, row["category"]), line)
        spans.append(
            BundleErrorSpan(
                severity,
                row["category"],
                marked.start,
                marked.end,
                marked.text[marked.start : marked.end] if marked.start is not None else "",
                in_source=marked is source,
                note=_note(row.get("note", "")),
            )
        )

    def finished(self) -> MqmRows:
        """Return the rows, with what was odd about them."""
        odd = (
            (self.unclosed, "a span opens with <v> and never closes; it is read up to the end"),
            (self.changed, "the text is not that of an earlier line; the earlier one is kept"),
            (self.beside, "'no error' where the same rater marked one; the marked one counts"),
        )
        for lines, what in odd:
            if lines:
                more = f" and {len(lines) - 1:,} more" if len(lines) > 1 else ""
                self.rows.warnings.append(f"{self.shown}, line {lines[0]:,}{more}: {what}.")
        return self.rows


class Marked(NamedTuple):
    """A text without the marks ``<v>`` and ``</v>``, and what stood between them."""

    text: str
    start: int | None
    end: int | None
    is_open: bool

    @classmethod
    def of(cls, cell: str) -> Marked:
        """Take the marks out of a cell; of several spans from the first start to the last end."""
        text = _MARK.sub("", cell)
        start = cell.find("<v>")
        if start < 0:
            return cls(text, None, None, False)
        start -= 4 * cell.count("</v>", 0, start)
        last = cell.rfind("</v>")
        if last < start:
            return cls(text, start, len(text), True)
        n_opened = cell.count("<v>", 0, last)
        n_closed = cell.count("</v>", 0, last)
        return cls(text, start, last - 3 * n_opened - 4 * n_closed, False)


def _note(cell: str) -> str:
    """Return a comment; newer sheets put it into a JSON object."""
    if not cell.startswith("{"):
        return cell.strip()
    try:
        content: Any = json.loads(cell)
    except (ValueError, RecursionError):
        return cell.strip()
    note = content.get("note") if isinstance(content, dict) else None
    return note.strip() if isinstance(note, str) else ""
