"""Options that several commands of the analysis share."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import typer

from analysis.report import Report
from store.errors import StoreError

if TYPE_CHECKING:
    from store.export import ExportFormat

AlphaOption = Annotated[float, typer.Option(help="Bound on the probability of a false claim.")]


class ReportStyle(StrEnum):
    """How an answer is printed."""

    table = "table"
    text = "text"
    markdown = "markdown"
    latex = "latex"
    card = "card"
    badge = "badge"


FormatOption = Annotated[
    ReportStyle,
    typer.Option(
        help="table, or a report to keep: text, markdown, latex. Of a comparison of two also card "
        "and badge, pictures (SVG) to embed."
    ),
]


def gave_report(build: Callable[[], Report], style: ReportStyle, as_json: bool) -> bool:
    """Print the report where one is asked for; return whether it was.

    Raises
    ------
    StoreError
        A report and JSON were asked for at once.
    """
    if style is ReportStyle.table:
        return False
    if as_json:
        raise StoreError("`--json` and `--format` exclude each other. Leave one of them out.")
    report = build()
    form = {
        ReportStyle.text: report.as_text,
        ReportStyle.markdown: report.as_markdown,
        ReportStyle.latex: report.as_latex,
    }[style]
    sys.stdout.write(form().rstrip("\n") + "\n")
    return True


class TableFormat(StrEnum):
    """What the export of a table writes: values, or a table to print."""

    csv = "csv"
    jsonl = "jsonl"
    parquet = "parquet"
    latex = "latex"
    markdown = "markdown"


TableFormatOption = Annotated[
    TableFormat | None, typer.Option(help="By default what the file is called, else csv.")
]
OutOption = Annotated[Path | None, typer.Option(help="File to write; else standard output.")]

FILES: Final = inspect.Parameter(
    "files",
    inspect.Parameter.KEYWORD_ONLY,
    annotation=Annotated[
        list[Path], typer.Argument(help="One file of two columns, or two files of one column.")
    ],
)
"""What is compared without a store."""


def require_new(out: Path | None, option: str = "--out") -> None:
    """Raise `StoreError` where a file exists already, or its folder does not."""
    if out is None:
        return
    if out.exists():
        raise StoreError(f"{out} exists already: name another file with {option}.")
    if not out.absolute().parent.is_dir():
        raise StoreError(f"The folder {out.parent} does not exist. Make it first.")


def write_table(
    rows: Iterable[dict[str, Any]],
    report: Callable[[], Report],
    out: Path | None,
    format: TableFormat,
    *,
    raw: bool = False,
) -> None:
    """Write a table to a file, or to standard output: its rows, or how it is printed.

    Raises
    ------
    StoreError
        The file exists, its folder does not, or Parquet is asked for without a file.
    """
    if format is TableFormat.latex:
        _write_text(report().as_latex(), out)
    elif format is TableFormat.markdown:
        _write_text(report().as_markdown(), out)
    else:
        from store.export import write_rows

        write_rows(rows, out, cast("ExportFormat", format.value), sys.stdout, raw=raw)


def _write_text(text: str, out: Path | None) -> None:
    require_new(out)
    if out is None:
        sys.stdout.write(text)
    else:
        out.write_text(text, encoding="utf-8")
