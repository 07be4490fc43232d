"""`tiebreak pairs` and `tiebreak items`: all systems of a dataset."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from analysis import numbers
from analysis.commands.options import (
    AlphaOption,
    FormatOption,
    OutOption,
    ReportStyle,
    SeedOption,
    ShuffleOption,
    UnitSizeOption,
    UnitStatisticOption,
    gave_report,
    names,
)
from analysis.studies.items import ItemsStudy, study_items
from analysis.studies.pairs import PairsStudy, study_pairs
from analysis.studies.pairs_words import Correction, PairsSettings
from analysis.studies.test_names import PairsTestName
from store.commands.export import FileFormat
from store.commands.export import FormatOption as FileFormatOption
from store.console import JsonOption, answer, exits_in_words, messages, opened, table
from store.export import format_of, write_rows

app = typer.Typer()
export_app = typer.Typer()


MetricOption = Annotated[str | None, typer.Option(help="By default the one most used.")]
MOST_PRINTED = 40
"""Pairs that a terminal shows; all are in the JSON and in the export."""


@app.command("pairs")
@exits_in_words
def pairs_command(
    context: typer.Context,
    dataset: str,
    metric: MetricOption = None,
    test: Annotated[
        PairsTestName, typer.Option(help="auto: the test that suits the scores.")
    ] = "auto",
    correction: Annotated[
        Correction, typer.Option(help="For testing many pairs at once.")
    ] = "holm",
    systems: Annotated[
        str | None, typer.Option(help="Names, separated by commas; by default all.")
    ] = None,
    alpha: AlphaOption = 0.05,
    margin: Annotated[
        float | None,
        typer.Option(help="Differences below this do not matter: allows 'equivalent'."),
    ] = None,
    n_resamples: Annotated[
        int, typer.Option(help="Resamples, where no exact way is short.")
    ] = 9_999,
    seed: SeedOption = 0,
    unit_size: UnitSizeOption = 1,
    unit_statistic: UnitStatisticOption = "mean",
    shuffle_seed: ShuffleOption = None,
    clusters: Annotated[
        bool | None,
        typer.Option(
            "--clusters/--no-clusters",
            help="Whether groups of items are the units; by default where they join items.",
        ),
    ] = None,
    format: FormatOption = ReportStyle.table,
    as_json: JsonOption = False,
) -> None:
    """Say which of all pairs of systems on a dataset differ."""
    settings = PairsSettings(
        test=test,
        correction=correction,
        alpha=alpha,
        margin=margin,
        n_resamples=n_resamples,
        seed=seed,
        clusters=clusters,
        unit_size=unit_size,
        unit_statistic=unit_statistic,
        shuffle_seed=shuffle_seed,
    )
    with (
        opened(context, read_only=True) as store,
        Progress(console=messages, transient=True, disable=not sys.stderr.isatty()) as bar,
    ):
        task = bar.add_task("Resampling", total=None)
        study = study_pairs(
            store,
            dataset,
            metric=metric,
            systems=names(systems),
            settings=settings,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    if gave_report(study.report, format, as_json):
        return
    answer(
        "pairs",
        study.to_dict(),
        store_revision=study.store_revision,
        signature=study.signature,
        warnings=study.warnings,
        as_json=as_json,
        show=lambda console: _show_pairs(console, study),
    )


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
) -> None:
    """Write one row per pair of systems on a dataset."""
    wanted = format_of(out, format, FileFormat)
    settings = PairsSettings(correction=correction)
    with opened(context, read_only=True) as store:
        study = study_pairs(store, dataset, metric=metric, settings=settings)
    n_rows = write_rows(study.rows(), out, wanted.value, sys.stdout)
    messages.print(f"{n_rows:,} rows.")


def _show_pairs(console: Console, study: PairsStudy) -> None:
    console.print(study.sentence, markup=False)
    console.print(study.how, markup=False)
    rows = study.rows()
    ends = "ci_simultaneous" if study.has_simultaneous else "ci"
    columns = ("a", "b", "verdict", "=difference", "=interval", "=p", "=adjusted", "=items")
    printed: list[list[Any]] = [
        [
            row["a"],
            row["b"],
            row["verdict"],
            row["difference"],
            numbers.interval(row[f"{ends}_low"], row[f"{ends}_high"], signed=True),
            numbers.pvalue(row["pvalue"]),
            numbers.pvalue(row["pvalue_adjusted"]),
            row["n_items"],
        ]
        for row in rows[:MOST_PRINTED]
    ]
    console.print(table("", columns, printed))
    if len(rows) > MOST_PRINTED:
        console.print(f"… and {len(rows) - MOST_PRINTED:,} more pairs: see --json or export.")


@app.command("items")
@exits_in_words
def items_command(
    context: typer.Context,
    dataset: str,
    metric: MetricOption = None,
    n: Annotated[int, typer.Option(help="Items to print of each kind.", min=1)] = 10,
    as_json: JsonOption = False,
) -> None:
    """Show the hardest items of a dataset and those that divide its systems."""
    with opened(context, read_only=True) as store:
        study = study_items(store, dataset, metric=metric)
    answer(
        "items",
        study.to_dict(),
        store_revision=study.store_revision,
        signature=study.signature,
        warnings=study.warnings,
        as_json=as_json,
        show=lambda console: _show_items(console, study, n),
    )


def _show_items(console: Console, study: ItemsStudy, n: int) -> None:
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
