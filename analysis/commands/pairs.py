"""`tiebreak pairs` and `tiebreak items`: all systems of a dataset."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.console import Console

from analysis.commands.asking import add_question, answered
from analysis.commands.options import (
    OutOption,
)
from analysis.studies.items import Items, ItemsStudy
from analysis.studies.pairs import Pairs
from analysis.studies.pairs_words import Correction, PairsSettings
from store.commands.file_format import FileFormat, RawOption
from store.commands.file_format import FormatOption as FileFormatOption
from store.console import exits_in_words, messages, table

app = typer.Typer()
export_app = typer.Typer()


MetricOption = Annotated[str | None, typer.Option(help="By default the one most used.")]


@export_app.command("pairs")
@exits_in_words
def export_pairs_command(
    context: typer.Context,
    dataset: str,
    metric: MetricOption = None,
    correction: Annotated[
        Correction, typer.Option(help="For testing many pairs at once.")
    ] = "holm",
    format: FileFormatOption = None,
    out: OutOption = None,
    raw: RawOption = False,
) -> None:
    """Write one row per pair of systems on a dataset."""
    from store.export import format_of, write_rows

    wanted = format_of(out, format, FileFormat)
    study = answered(context, Pairs(dataset, metric, settings=PairsSettings(correction=correction)))
    n_rows = write_rows(study.rows(), out, wanted.value, sys.stdout, raw=raw)
    messages.print(f"{n_rows:,} rows.")


def _show_items(console: Console, study: ItemsStudy, *, n: int) -> None:
    console.print(study.sentence, markup=False)
    for title, positions in (("Hardest", study.hardest), ("Most dividing", study.dividing)):
        rows = [
            [
                study.keys[i],
                study.groups[i],
                study.mean[i],
                study.spread[i],
                study.discrimination[i],
            ]
            for i in positions[:n]
        ]
        columns = ("item", "group", "=mean", "=spread", "=discrimination")
        console.print(table(title, columns, rows))


add_question(app, Pairs)
add_question(
    app,
    Items,
    _show_items,
    shown={"n": (Annotated[int, typer.Option(help="Items to print of each kind.", min=1)], 10)},
)
