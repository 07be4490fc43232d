"""`tiebreak export`: scores and runs into files."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from store.console import exits_in_words, messages, opened
from store.export import run_rows, score_rows, write_mapping, write_rows

app = typer.Typer(no_args_is_help=True, help="Write scores or tables to a file.")


class FileFormat(StrEnum):
    """What an export writes."""

    csv = "csv"
    jsonl = "jsonl"
    parquet = "parquet"


@app.command("scores")
@exits_in_words
def export_scores_command(
    context: typer.Context,
    dataset: Annotated[str | None, typer.Option(help="Only this dataset.")] = None,
    format: FileFormat = FileFormat.csv,
    out: Annotated[Path | None, typer.Option(help="File to write; else standard output.")] = None,
) -> None:
    """Write every item score in the long form that `ingest` reads; --out adds a mapping file."""
    with opened(context, read_only=True) as store:
        n_rows = write_rows(score_rows(store, dataset=dataset), out, format.value, sys.stdout)
        if out is not None:
            messages.print(f"With {write_mapping(store, out)}", markup=False)
    messages.print(f"{n_rows:,} rows.")


@app.command("runs")
@exits_in_words
def export_runs_command(
    context: typer.Context,
    format: FileFormat = FileFormat.csv,
    out: Annotated[Path | None, typer.Option(help="File to write; else standard output.")] = None,
) -> None:
    """Write one row per run and metric, with provenance."""
    with opened(context, read_only=True) as store:
        n_rows = write_rows(run_rows(store), out, format.value, sys.stdout)
    messages.print(f"{n_rows:,} rows.")
