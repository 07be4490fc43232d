"""One way to give any study away: as plain text, Markdown, LaTeX, HTML, CSV or JSON.

A study builds a `Report` out of sentences and tables and leaves the writing to this module. Cells
are plain values; how they look is decided here, alike in every form::

    Report(
        title="Leaderboard of digits",
        sentences=(study.sentence,),
        tables=(
            Table(
                ("system", Column("accuracy", decimals=3), "interval", Column("p", "pvalue")),
                [[Strong("A"), Strong(0.91), (0.89, 0.93), None], ["B", 0.88, (0.86, 0.9), 0.02]],
                caption="Accuracy on digits",
                strong="may be best",
            ),
        ),
        signature=study.signature,
    ).as_markdown()
"""

from __future__ import annotations

import csv
import io
import json
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from analysis.by_row import MOST_AT_ONCE
from analysis.columns import Column, Value, printed
from analysis.markup import (
    floating_table,
    latex,
    latex_packages,
    long_table,
    markdown,
    markdown_paragraph,
    one_line,
    padded,
    text_width,
)
from analysis.statistics.results import JsonValue, to_plain
from store.shown import spreadsheet_safe

WIDEST_TEXT: Final = 48
"""Characters of a cell in plain text before it goes on in the next line."""
WIDEST_LATEX: Final = 40
"""Characters of a cell in LaTeX before its column becomes a paragraph."""
LONGEST_FLOAT: Final = 40
"""Rows of a LaTeX table that still fits one page."""


class Strong(NamedTuple):
    """A cell that stands out: bold, or starred in plain text."""

    value: Value


Cell: TypeAlias = "Value | Strong"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns.

    Raises
    ------
    ValueError
        A row has not one cell per column.
    """

    columns: Sequence[str | Column]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    notes: Sequence[str] = ()
    """Sentences below the table."""
    strong: str = ""
    """What cells in `Strong` have in common: "may be best"; said below the table."""

    def __post_init__(self) -> None:
        # One function makes all of very many rows.
        for number, row in enumerate(self.rows[:MOST_AT_ONCE]):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"`rows` must have one cell per column, {len(self.columns)}; "
                    f"row {number} has {len(row)}."
                )

    def titles(self) -> list[str]:
        """Return the titles of the columns."""
        return [column.title for column in self._columns()]

    def as_text(self) -> str:
        """Return aligned lines; cells that stand out end in a star."""
        made = self._made()
        cells = [[_wrapped(cell) for cell in row] for row in made.written()]
        head = [[one_line(title)] for title in self.titles()]
        widths = [
            max(text_width(line) for row in [head, *cells] for line in row[i])
            for i in range(len(head))
        ]
        right = made.is_number()
        lines = [one_line(self.caption)] if self.caption else []
        for row in [head, [["-" * width] for width in widths], *cells]:
            for k in range(max(map(len, row), default=0)):
                parts = [part[k] if k < len(part) else "" for part in row]
                line = map(padded, parts, widths, right)
                lines.append("  ".join(line).rstrip())
        return "\n".join([*lines, *made.all_notes("*")])

    def as_markdown(self) -> str:
        """Return a table as GitHub and most other readers of Markdown take it."""
        made = self._made()
        right = made.is_number()
        lines = [f"**{markdown(self.caption)}**", ""] if self.caption else []
        lines.append("| " + " | ".join(map(markdown, self.titles())) + " |")
        lines.append("|" + "|".join("---:" if is_right else "---" for is_right in right) + "|")
        for row in made.rows:
            cells = []
            for column, cell in zip(self._columns(), row, strict=True):
                written = markdown(printed(_value(cell), column))
                cells.append(f"**{written}**" if isinstance(cell, Strong) else written)
            lines.append("| " + " | ".join(cells) + " |")
        notes = [markdown_paragraph(note) for note in made.all_notes("Bold")]
        return "\n".join([*lines, *(f"\n{note}" for note in notes)])

    def as_latex(self) -> str:
        """Return a booktabs table; one that does not fit a page becomes a longtable."""
        is_long = len(self.rows) > LONGEST_FLOAT
        made = self._made()
        specs = "".join(map(made._latex_column, range(len(self.columns)), made.is_number()))
        head = " & ".join(map(latex, self.titles())) + r" \\"
        body = []
        for row in made.rows:
            cells = []
            for column, cell in zip(self._columns(), row, strict=True):
                written = latex(printed(_value(cell), column))
                cells.append(rf"\textbf{{{written}}}" if isinstance(cell, Strong) else written)
            # After \\ a bracket or a star would be read as its argument.
            cells[0] = "{}" + cells[0] if cells[0].startswith(("[", "*")) else cells[0]
            body.append("  " + " & ".join(cells) + r" \\")
        caption = rf"\caption{{{latex(self.caption)}}}" if self.caption else ""
        notes = [latex(note) for note in made.all_notes("Bold")]
        if is_long:
            return long_table(specs, head, body, caption, notes)
        return floating_table(specs, head, body, caption, notes)

    def as_html(self) -> str:
        """Return a table for a notebook or a page."""
        made = self._made()
        right = made.is_number()
        side = ['style="text-align: right"' if is_right else "" for is_right in right]
        head = [
            f"<th {align}>{escape(title)}</th>"
            for title, align in zip(self.titles(), side, strict=True)
        ]
        lines = [f"<caption>{escape(self.caption)}</caption>"] if self.caption else []
        lines.append(f"<thead><tr>{''.join(head)}</tr></thead>")
        for row in made.rows:
            cells = []
            for column, cell, align in zip(self._columns(), row, side, strict=True):
                written = escape(printed(_value(cell), column))
                tag = f"<b>{written}</b>" if isinstance(cell, Strong) else written
                cells.append(f"<td {align}>{tag}</td>")
            lines.append(f"<tr>{''.join(cells)}</tr>")
        notes = [f"<p>{escape(note)}</p>" for note in made.all_notes("Bold")]
        return "\n".join(["<table>", *lines, "</table>", *notes])

    def as_csv(self, *, raw: bool = False) -> str:
        """Return the values as they are, not rounded; an interval takes two columns.

        Unless `raw` no text is one that a spreadsheet would compute.
        """
        rows = [[_value(cell) for cell in row] for row in self.rows]
        paired = [any(isinstance(row[i], tuple) for row in rows) for i in range(len(self.columns))]
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        head: list[str] = []
        for title, is_paired in zip(self.titles(), paired, strict=True):
            head += [f"{title} low", f"{title} high"] if is_paired else [title]
        safe = (lambda cell: cell) if raw else spreadsheet_safe
        writer.writerow(map(safe, head))
        for row in rows:
            cells: list[JsonValue] = []
            for value, is_paired in zip(row, paired, strict=True):
                plain = to_plain(value)
                if is_paired:
                    cells += plain if isinstance(plain, list) else [None, None]
                else:
                    cells.append(plain)
            writer.writerow(map(safe, cells))
        return file.getvalue()

    def to_dict(self) -> dict[str, JsonValue]:
        """Return columns, rows and words as JSON-safe values."""
        rows = self._made().rows
        return {
            "caption": self.caption,
            "columns": list(self.titles()),
            "rows": [[to_plain(_value(cell)) for cell in row] for row in rows],
            "strong": [[isinstance(cell, Strong) for cell in row] for row in rows],
            "strong_means": self.strong,
            "notes": list(self.notes),
        }

    def _columns(self) -> list[Column]:
        return [c if isinstance(c, Column) else Column(c) for c in self.columns]

    def written(self) -> list[list[str]]:
        """Return the cells as a person reads them, those that stand out with a star."""
        columns = self._columns()
        stars = [any(isinstance(row[i], Strong) for row in self.rows) for i in range(len(columns))]
        return [
            [
                printed(_value(cell), column) + _star(cell, is_starred)
                for column, cell, is_starred in zip(columns, row, stars, strict=True)
            ]
            for row in self.rows
        ]

    def is_number(self) -> list[bool]:
        """Return which columns hold numbers only."""
        return [
            any(not isinstance(_value(row[i]), str | None) for row in self.rows)
            and not any(isinstance(_value(row[i]), str) for row in self.rows)
            for i in range(len(self.columns))
        ]

    def all_notes(self, mark: str) -> list[str]:
        """Return the lines below the table, first what `mark` (star, bold) means if it is used."""
        used = any(isinstance(cell, Strong) for row in self.rows for cell in row)
        legend = [f"{mark}: {self.strong}."] if self.strong and used else []
        return [*legend, *map(one_line, self.notes)]

    def _made(self) -> Table:
        """Return the table with all rows made: what many rows are made of is looked at often."""
        return self if isinstance(self.rows, list) else replace(self, rows=list(self.rows))

    def _latex_column(self, i: int, is_number: bool) -> str:
        if is_number:
            return "r"
        column = self._columns()[i]
        longest = max((len(printed(_value(row[i]), column)) for row in self.rows), default=0)
        if longest <= WIDEST_LATEX:
            return "l"
        return r">{\raggedright\arraybackslash}p{0.4\linewidth}"


@dataclass(frozen=True, slots=True)
class Report:
    """A study as sentences and tables."""

    title: str
    sentences: Sequence[str] = ()
    """The answer first."""
    tables: Sequence[Table] = ()
    signature: str = ""
    """One line from which everything can be repeated."""
    warnings: Sequence[str] = ()
    """What a reader must know before believing the sentences."""

    def as_text(self) -> str:
        """Return the report for a terminal or a mail."""
        title = one_line(self.title)
        parts = [f"{title}\n{'=' * text_width(title)}"] if title else []
        parts += [textwrap.fill(one_line(sentence), 100) for sentence in self.sentences]
        parts += [table.as_text() for table in self.tables]
        parts += [textwrap.fill(f"Note: {one_line(note)}", 100) for note in self.warnings]
        parts += [self.signature] if self.signature else []
        return "\n\n".join(parts) + "\n"

    def as_markdown(self) -> str:
        """Return the report as Markdown."""
        parts = [f"## {markdown(self.title)}"] if self.title else []
        parts += [markdown_paragraph(sentence) for sentence in self.sentences]
        parts += [table.as_markdown() for table in self.tables]
        parts += [f"> Note: {markdown(note)}" for note in self.warnings]
        parts += [f"`{self.signature.replace('`', chr(39))}`"] if self.signature else []
        return "\n\n".join(parts) + "\n"

    def as_latex(self) -> str:
        """Return the report as LaTeX to be included; the first lines name the packages needed."""
        parts = [rf"\paragraph{{{latex(self.title)}}}"] if self.title else []
        parts += [latex(sentence) for sentence in self.sentences]
        parts += [table.as_latex() for table in self.tables]
        parts += [f"Note: {latex(note)}" for note in self.warnings]
        parts += [rf"{{\footnotesize\raggedright {latex(self.signature)}\par}}"] * bool(
            self.signature
        )
        whole = "\n\n".join(parts)
        return "\n".join([*latex_packages(whole), whole]) + "\n"

    def as_html(self) -> str:
        """Return the report as a piece of HTML, for a notebook."""
        parts = [f"<h4>{escape(self.title)}</h4>"] if self.title else []
        parts += [f"<p>{escape(sentence)}</p>" for sentence in self.sentences]
        parts += [table.as_html() for table in self.tables]
        parts += [f"<p>Note: {escape(note)}</p>" for note in self.warnings]
        parts += [f"<p><code>{escape(self.signature)}</code></p>"] if self.signature else []
        return "\n".join(parts) + "\n"

    def as_csv(self, *, raw: bool = False) -> str:
        """Return the values of the tables, one below the other, an empty line between them."""
        return "\n".join(table.as_csv(raw=raw) for table in self.tables)

    def as_json(self) -> str:
        """Return the report as one JSON object with unrounded values."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=2) + "\n"

    def to_dict(self) -> dict[str, JsonValue]:
        """Return everything as JSON-safe values."""
        return {
            "title": self.title,
            "sentences": list(self.sentences),
            "tables": [table.to_dict() for table in self.tables],
            "warnings": list(self.warnings),
            "signature": self.signature,
        }


def _value(cell: Cell) -> Value:
    value = cell.value if isinstance(cell, Strong) else cell
    return value.item() if isinstance(value, np.generic) else value


def _star(cell: Cell, is_starred: bool) -> str:
    """Return what follows a cell, so that a column with stars keeps its digits in line."""
    return " *" if isinstance(cell, Strong) else "  " * is_starred


def _wrapped(written: str) -> list[str]:
    if text_width(written.rstrip()) <= WIDEST_TEXT:
        return [written]
    return textwrap.wrap(written, WIDEST_TEXT) or [""]
