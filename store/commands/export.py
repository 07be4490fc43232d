"""`tiebreak export`: scores, judgments and runs into files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from store.commands.file_format import FileFormat, FormatOption, RawOption
from store.console import exits_in_words, messages, opened
from store.damage import seen_anywhere
from store.export import format_of, require_target, run_rows, write_mapping, write_rows
from store.export_eee import export_eee
from store.export_judgments import chosen_criteria, judgment_rows, write_scales
from store.export_mlflow import export_mlflow
from store.export_scores import write_scores

app = typer.Typer()


@app.command("scores")
@exits_in_words
def export_scores_command(
    context: typer.Context,
    dataset: Annotated[str | None, typer.Option(help="Only this dataset.")] = None,
    format: FormatOption = None,
    out: Annotated[Path | None, typer.Option(help="File to write; else standard output.")] = None,
    raw: RawOption = False,
) -> None:
    """Write every item score in the long form that `ingest` reads; --out adds a mapping file."""
    wanted = format_of(out, format, FileFormat)
    with opened(context, read_only=True) as store:
        require_target(out, wanted.value)
        mapping = None if out is None else write_mapping(store, out)  # before scores: it may refuse
        n_rows = write_scores(store, out, wanted.value, sys.stdout, dataset=dataset, raw=raw)
        if mapping is not None:
            messages.print(f"With {mapping}", markup=False)
    _tell(f"{n_rows:,} rows.")


@app.command("judgments")
@exits_in_words
def export_judgments_command(
    context: typer.Context,
    dataset: str,
    criterion: Annotated[
        list[str] | None,
        typer.Option(help="Only this criterion. Can be given several times."),
    ] = None,
    format: FormatOption = None,
    out: Annotated[Path | None, typer.Option(help="File to write; else standard output.")] = None,
    raw: RawOption = False,
) -> None:
    """Write ratings or preferences as a table that `ingest` reads; --out adds a mapping file."""
    wanted = format_of(out, format, FileFormat)
    with opened(context, read_only=True) as store:
        criteria = chosen_criteria(store, dataset, criterion or [])
        rows = judgment_rows(store, criteria)
        n_rows = write_rows(rows, out, wanted.value, sys.stdout, raw=raw)
        if out is not None:
            messages.print(f"With {write_scales(criteria, out)}", markup=False)
    _tell(f"{n_rows:,} rows.")


@app.command("runs")
@exits_in_words
def export_runs_command(
    context: typer.Context,
    format: FormatOption = None,
    out: Annotated[Path | None, typer.Option(help="File to write; else standard output.")] = None,
    raw: RawOption = False,
) -> None:
    """Write one row per run and metric, with provenance."""
    wanted = format_of(out, format, FileFormat)
    with opened(context, read_only=True) as store:
        n_rows = write_rows(run_rows(store), out, wanted.value, sys.stdout, raw=raw)
    _tell(f"{n_rows:,} rows.")


FolderOption = Annotated[Path, typer.Option(help="Folder to write; it must not hold anything.")]
DatasetOption = Annotated[str | None, typer.Option(help="Only this dataset.")]


@app.command("eee")
@exits_in_words
def export_eee_command(
    context: typer.Context, out: FolderOption, dataset: DatasetOption = None
) -> None:
    """Write runs as records of Every Eval Ever, with the lines of their items."""
    with opened(context, read_only=True) as store:
        n_records = export_eee(store, out, dataset=dataset)
    _tell(f"{n_records:,} records.")


@app.command("mlflow")
@exits_in_words
def export_mlflow_command(
    context: typer.Context, out: FolderOption, dataset: DatasetOption = None
) -> None:
    """Write runs as a file store of MLflow, with the scores of their items."""
    with opened(context, read_only=True) as store:
        n_runs = export_mlflow(store, out, dataset=dataset)
    _tell(f"{n_runs:,} runs. Look at them with `mlflow ui --backend-store-uri {out}`.")


def _tell(sentence: str) -> None:
    """Say how much was written, and what the store has lost of it."""
    messages.print(sentence)
    for damaged in seen_anywhere():
        messages.print(f"Note: {damaged}", markup=False)
