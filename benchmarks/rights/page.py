"""The section of ``docs/reliability.md``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks.rights.forged import FORGED, UPLOAD
from benchmarks.rights.house import WHO
from benchmarks.rights.writes import ROWS

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- rights -->", "<!-- end of rights -->"


def table(tried: Mapping[tuple[str, str], str]) -> str:
    """Return what came of the write functions, as a table."""
    return _table(
        ("", *WHO),
        [(row.what, *(tried[row.what, who] for who in WHO)) for row in ROWS],
    )


def forged_table(found: Mapping[tuple[str, str], int]) -> str:
    """Return what came of the forged requests, as a table."""
    writes = ("POST /ingest", "POST /imports/{uid}/undo", " ".join(UPLOAD))
    rows = []
    for how in FORGED:
        cells = [str(found.get((how, place), "")) for place in writes]
        rest = {n for (one, place), n in found.items() if one == how and place not in writes}
        rows.append((how, *cells, ", ".join(map(str, sorted(rest)))))
    return _table(("", "ingest", "undo", "a page's upload", "all else"), rows)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def told(tried: Mapping[tuple[str, str], str], found: Mapping[tuple[str, str], int]) -> str:
    """Return the section of the page."""
    return f"""{BEGIN}
## Who may write what

Made by `make rights`: each write function is called for each person by a page, and for each token
by the API, as if both had forgotten to ask for the role. What is refused leaves the store as it
was. A write function or a place of the API that is not tried fails a test.

{table(tried)}

People come to pages, tokens over HTTP. The tokens are those of a contributor, where nothing else
is stated. Whoever holds the store's file may do everything.

Requests that are forged get these statuses, wherever they go. None changes anything.

{forged_table(found)}
{END}"""
