"""Reading a file of judgments into a table: with or without a header, nested JSON made flat."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from store.errors import ImportFormatError
from store.importers.bundle import RowProblems
from store.importers.cells import is_missing, looks_numeric
from store.importers.columns import JUDGMENT_ROLES, find_roles
from store.importers.delimited import choose_delimiter
from store.importers.judgments.options import JudgmentOptions
from store.importers.judgments.work import without_platform
from store.importers.melted import melted
from store.importers.settings import Settings
from store.importers.tables import Table, read_table
from store.importers.textfile import data_suffix, peek_json, peek_text, read_json, read_text

_JSON_LINES = (".jsonl", ".ndjson")
_FEWEST_ANNOTATORS = 3
_MOST_LABELS = 12
OUTCOMES: Final[Mapping[str, str]] = {
    "winner_model_a": "model_a", "winner_model_b": "model_b", "winner_tie": "tie"
}  # fmt: skip
"""Columns of an arena with a 1 for one outcome of a battle, and what the column ``winner`` says."""

_A_WINNER: Final = re.compile(r"winner[ _-]?\d{1,2}", re.IGNORECASE)


def read_sheet(settings: Settings, options: JudgmentOptions, problems: RowProblems) -> Table:
    """Read the file that `settings` is about.

    Raises
    ------
    ImportFormatError
        No table, or nobody can tell whether its first line is a header.
    """
    table = _with_judges(_with_winner(_read_sheet(settings, options, problems)))
    return without_platform(table) if not settings.columns else table


def numbered_winners(columns: Sequence[str]) -> list[str]:
    """Return columns such as ``winner1``, ``winner2``: the verdicts of a judge each.

    They are none beside a column ``winner``, or beside one that names the annotators.
    """
    found = [name for name in columns if _A_WINNER.fullmatch(name)]
    others = {name.strip().lower() for name in columns} & {"winner", "annotator", "judge"}
    return found if len(found) > 1 and not others else []


def _with_judges(table: Table) -> Table:
    """Return a table with a row for each verdict where it has a column for each judge's verdict."""
    found = numbered_winners(table.columns)
    if not found:
        return table
    kept = tuple(name for name in table.columns if name not in found)
    n_rows = len(table.cells[found[0]])
    added = {
        "annotator": [f"annotator {_number_of(name)}" for name in found] * n_rows,
        "winner": [table.cells[name][row] for row in range(n_rows) for name in found],
    }
    told = f"Columns {found[0]} to {found[-1]} are the verdicts of {len(found)} annotators."
    return melted(table, kept, len(found), added, told)


def _number_of(name: str) -> str:
    return re.sub(r"\D", "", name)


def _with_winner(table: Table) -> Table:
    """Return a table with one column of verdicts where it has one for each outcome."""
    if not OUTCOMES.keys() <= set(table.columns) or "winner" in table.columns:
        return table
    rows = zip(*(table.cells[name] for name in OUTCOMES), strict=True)
    said = [[word for word, cell in zip(OUTCOMES.values(), row, strict=True) if _is_one(cell)]
            for row in rows]  # fmt: skip
    winners = [" and ".join(words) or None for words in said]
    kept = tuple(name for name in table.columns if name not in OUTCOMES)
    cells = {name: table.cells[name] for name in kept}
    return replace(table, columns=(*kept, "winner"), cells={**cells, "winner": winners})


def _is_one(cell: Any) -> bool:
    return str(cell).strip().lower() in ("1", "1.0", "true")


def _read_sheet(settings: Settings, options: JudgmentOptions, problems: RowProblems) -> Table:
    path, shown = settings.path, settings.shown
    suffix = data_suffix(path)
    if suffix == ".json":
        return flat(_read_records(path, shown))
    if suffix == ".parquet":
        return flat(read_table(path, shown, problems))
    text, sha256 = read_text(path, shown)
    if suffix in _JSON_LINES or text.lstrip().startswith("{"):
        return flat(read_table(path, shown, problems))
    rows, note = _split(text, suffix, shown)
    if _has_header(rows, settings, options):
        return read_table(path, shown, problems)
    return _headless(rows, note, sha256, options, settings, problems)


def first_record(path: Path) -> Mapping[str, Any]:
    """Return the first record of a JSON or JSON Lines file made flat; empty for any other file."""
    suffix = data_suffix(path)
    try:
        if suffix == ".json":
            content = peek_json(path)
            first = content[0] if isinstance(content, list) and content else content
        elif suffix in _JSON_LINES:
            text = peek_text(path)
            first = json.loads(text.lstrip().partition("\n")[0])
        else:
            return {}
    except (ImportFormatError, ValueError, RecursionError):
        return {}
    return dict(_leaves(first, ())) if isinstance(first, dict) else {}


def is_matrix_of_labels(path: Path) -> bool:
    """Return whether a table has no header and few labels: one column for each annotator."""
    suffix = data_suffix(path)
    if suffix not in (".csv", ".tsv"):
        return False
    try:
        text = peek_text(path)
        rows, _ = _split("\n".join(text.split("\n", 60)[:60]), suffix, path.name)
    except ImportFormatError:
        return False
    said = [cell for row in rows for cell in row if not is_missing(cell)]
    first = [cell for cell in rows[0] if not is_missing(cell)]
    n_labels = len(set(said))
    fewest = (
        _FEWEST_ANNOTATORS if looks_numeric(said) else 2
    )  # two columns of numbers may be scores
    is_wide = len(rows) > 1 and len(rows[0]) >= fewest
    is_headless = set(first) <= {cell for row in rows[1:] for cell in row}
    has_few = 1 < n_labels <= _MOST_LABELS and len(said) > 2 * n_labels
    return is_wide and is_headless and has_few


def is_list_of_numbers(cell: Any) -> bool:
    """Return whether a cell is a list that holds a number.

    Whatever else it holds is a fault for the reader to name, not a sign of another form.
    """
    return isinstance(cell, list) and any(
        isinstance(one, (int, float)) and not isinstance(one, bool) for one in cell
    )


def _read_records(path: Path, shown: str) -> Table:
    content, sha256 = read_json(path, shown)
    if not isinstance(content, list) or not all(isinstance(one, dict) for one in content):
        raise ImportFormatError(
            "not a list of objects. A JSON file of judgments is a list with one object for each "
            "output that was judged.",
            path=shown,
        )
    columns = tuple(dict.fromkeys(name for one in content for name in one))
    cells = {name: [one.get(name) for one in content] for name in columns}
    note = "Lines in messages are records: the first of the list is line 1."
    return Table(shown, sha256, columns, cells, range(1, len(content) + 1), (note,))


def flat(table: Table) -> Table:
    """Return the table with every object in a cell spread over columns such as ``"human.fluency"``.

    Lists stay as they are.
    """
    nested = [
        name for name in table.columns if any(isinstance(cell, dict) for cell in table.cells[name])
    ]
    if not nested:
        return table
    cells: dict[str, Sequence[Any]] = {}
    for name in table.columns:
        if name not in nested:
            cells[name] = table.cells[name]
            continue
        spread = [dict(_leaves({name: cell}, ())) for cell in table.cells[name]]
        for leaf in dict.fromkeys(leaf for row in spread for leaf in row):
            if leaf != name or any(row.get(leaf) is not None for row in spread):
                cells[leaf] = [row.get(leaf) for row in spread]
    return replace(table, columns=tuple(cells), cells=cells)


def _leaves(value: Mapping[str, Any], path: tuple[str, ...]) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, below in value.items():
        here = (*path, str(name))
        found += _leaves(below, here) if isinstance(below, dict) else [(".".join(here), below)]
    return found


def _split(text: str, suffix: str, shown: str) -> tuple[list[list[str]], str | None]:
    """Return all rows of a text table, the empty ones too, without those at its end."""
    delimiter, note = choose_delimiter(text, suffix)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        rows = [[cell.strip() for cell in row] for row in reader]
    except csv.Error as error:
        raise ImportFormatError(
            f"the quotation marks do not pair up ({error}).", path=shown, line=reader.line_num
        ) from None
    while rows and not rows[-1]:
        rows.pop()
    return rows, note if "\n" in text and len(max(rows, key=len)) > 1 else None


def _has_header(rows: Sequence[list[str]], settings: Settings, options: JudgmentOptions) -> bool:
    """Return whether the first line names the columns.

    It does not when it holds a word twice or only words that other lines hold as well. It does
    when it holds a known name of a column, or only words that no other line holds.
    """
    if options.header is not None:
        return options.header
    named = [cell for cell in rows[0] if not is_missing(cell)]
    words, body = set(named), {cell for row in rows[1:] for cell in row}
    if len(words) < len(named) or words <= body:
        return False
    if settings.columns or find_roles(rows[0], {}, JUDGMENT_ROLES, settings.shown):
        return True
    if not words & body:
        return True
    common, others = sorted(words & body), sorted(words - body)
    raise ImportFormatError(
        f"is this line a header? It shares '{common[0]}' with the lines below, but '{others[0]}' "
        "stands only here. Say --option header=yes or --option header=no.",
        path=settings.shown,
        line=1,
    )


def _headless(
    rows: list[list[str]],
    note: str | None,
    sha256: str,
    options: JudgmentOptions,
    settings: Settings,
    problems: RowProblems,
) -> Table:
    """Return a table without header: its columns are annotators, or items with rows=annotators."""
    shown = settings.shown
    width = len(next(row for row in rows if row))
    kept: list[list[str]] = []
    lines: list[int] = []
    for line, row in enumerate(rows, start=1):
        if row and len(row) != width:
            reason = f"the line has {len(row)} cells, the first one has {width}."
            problems.report(shown, line, None, reason)
            row = []
        kept.append(row or [""] * width)
        lines.append(line)
    names = options.annotators if options.rows != "annotators" else ()
    if names and (len(names) != width or len(set(names)) != width):
        raise ImportFormatError(
            f"{len(set(names))} names of annotators for {width} columns.",
            path=shown,
            field="annotators",
        )
    if not names:
        stem = "annotator " if options.rows != "annotators" else ""
        names = tuple(f"{stem}{number}" for number in range(1, width + 1))
    cells = {name: [row[i] for row in kept] for i, name in enumerate(names)}
    told = "The first line is no header: it holds judgments like the others."
    notes = (told,) if note is None else (note, told)
    return Table(shown, sha256, names, cells, lines, notes)
