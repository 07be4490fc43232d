"""The tables of Direct Assessment that WMT publishes: blanks between the cells, one at the end.

Three kinds: scores of segments (``ad-seg-scores``), means of systems (``ad-sys-scores``), and the
ranking with the systems' plain names, which has no header (``ad-sys-ranking…-names``). Means of
documents (``metrics-ad-doc-scores``) follow from the segments.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from store.errors import ImportFormatError
from store.importers.bundle import RowProblems
from store.importers.cells import no_number
from store.importers.textfile import read_text

Kind = Literal["segments", "systems", "names", "documents"]

_SEGMENT = ("SYS", "SID", "RAW.SCR", "Z.SCR", "N")
_SYSTEM = ("RAW.SCR", "Z.SCR", "N", "SYS")
_PART = "SEGID"
"""Column of names of segments or documents, in the tables of the metrics task."""
_ALL = "N.ALL"
_RANKING = ("RAW.SCR", "Z.SCR", "N", _ALL, "SYS", "NAME")
_NUMBERED = re.compile(r"(.+)\.\d+")


class SegmentRow(NamedTuple):
    """What people gave the output of a system on a segment, on average."""

    line: int
    system: str
    segment: str
    raw: float
    z: float
    n: int


class SystemRow(NamedTuple):
    """What people gave a system, on average."""

    line: int
    system: str
    raw: float
    z: float
    n: int
    name: str | None
    """Its plain name, where the table states it."""
    printed: tuple[str, str]
    """The cells of `raw` and `z`."""


@dataclass(frozen=True, slots=True, eq=False)
class DaTable:
    """One table."""

    path: Path
    shown: str
    sha256: str
    kind: Kind
    segments: Sequence[SegmentRow] = ()
    systems: Sequence[SystemRow] = ()


def kind_of(text: str) -> Kind | None:
    """Return what a text is by its first line."""
    cells = text.lstrip().partition("\n")[0].split()
    if set(_SEGMENT) <= set(cells):
        return "segments"
    if set(_SYSTEM) <= set(cells):
        return "documents" if _PART in cells else "systems"
    is_ranking = len(cells) == len(_RANKING) and all(map(_is_number, cells[:4]))
    return "names" if is_ranking and _NUMBERED.fullmatch(cells[4]) else None


def without_copies(tables: Sequence[DaTable]) -> tuple[list[DaTable], list[DaTable]]:
    """Return the tables without those that repeat an earlier one, and the copies.

    The metrics task publishes the averages again, under other names of systems and segments: all
    values are the same then.
    """
    kept: list[DaTable] = []
    copies: list[DaTable] = []
    known: set[tuple[Kind, tuple[tuple[float, float, int], ...]]] = set()
    for table in tables:
        rows: Sequence[SegmentRow | SystemRow] = table.segments or table.systems
        values = sorted((round(row.raw, 6), round(row.z, 6), row.n) for row in rows)
        mark = (table.kind, tuple(values))
        (copies if values and mark in known else kept).append(table)
        known.add(mark)
    return kept, copies


def plain_name(system: str) -> str:
    """Return a system's name without the number of its submission: ``"UF"`` for ``"UF.15"``."""
    numbered = _NUMBERED.fullmatch(system)
    return numbered[1] if numbered else system


def read_da_table(path: Path, shown: str, problems: RowProblems) -> DaTable:
    """Read one table; rows that cannot be used are reported to `problems`.

    Raises
    ------
    ImportFormatError
        It is none of the three.
    """
    text, sha256 = read_text(path, shown)
    kind = kind_of(text)
    if kind is None:
        raise ImportFormatError(
            f"no table of Direct Assessment: the header is neither '{' '.join(_SEGMENT)}' nor "
            f"'{' '.join(_SYSTEM)}'.",
            path=shown,
            line=1,
        )
    lines = list(enumerate(text.split("\n"), start=1))
    header: Sequence[str] = _RANKING
    if kind != "names":
        first = next(i for i, (_, line) in enumerate(lines) if line.strip())
        header, lines = lines[first][1].split(), lines[first + 1 :]
    rows = _rows(lines, header, shown, problems)
    if kind == "segments":
        segments = [_segment(number, row) for number, row in rows]
        return DaTable(path, shown, sha256, kind, segments=segments)
    if kind == "documents":
        return DaTable(path, shown, sha256, kind)
    return DaTable(
        path, shown, sha256, kind, systems=[_system(number, row) for number, row in rows]
    )


def _rows(
    lines: Sequence[tuple[int, str]], header: Sequence[str], shown: str, problems: RowProblems
) -> list[tuple[int, dict[str, str]]]:
    """Return the rows that hold what the header says."""
    rows = []
    for number, line in lines:
        cells = line.split()
        if not cells:
            continue
        if len(cells) != len(header):
            reason = f"the row has {len(cells)} cells, the header has {len(header)}."
            problems.report(shown, number, None, reason)
            continue
        row = dict(zip(header, cells, strict=True))
        bad = next((name for name in ("RAW.SCR", "Z.SCR") if not _is_number(row[name])), None)
        if bad is None and not row["N"].isdecimal():
            bad = "N"
        if bad is not None:
            problems.report(shown, number, bad, no_number(row[bad]))
            continue
        rows.append((number, row))
    return rows


def _segment(line: int, row: Mapping[str, str]) -> SegmentRow:
    raw, z = float(row["RAW.SCR"]), float(row["Z.SCR"])
    return SegmentRow(line, row["SYS"], row["SID"], raw, z, int(row["N"]))


def _system(line: int, row: Mapping[str, str]) -> SystemRow:
    printed = (row["RAW.SCR"], row["Z.SCR"])
    raw, z = map(float, printed)
    return SystemRow(line, row["SYS"], raw, z, int(row["N"]), row.get("NAME"), printed)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
