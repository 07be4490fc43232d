"""`tiebreak rank`: systems over datasets."""

from __future__ import annotations

import math
import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from analysis import numbers
from analysis.commands.options import (
    AlphaOption,
    FormatOption,
    ReportStyle,
    SeedOption,
    gave_report,
    names,
)
from analysis.studies.ranking import RankingStudy, study_ranking
from analysis.studies.ranking_report import rank_test_in_words
from store.console import JsonOption, answer, exits_in_words, messages, opened, table

app = typer.Typer()


@app.command("rank")
@exits_in_words
def rank_command(
    context: typer.Context,
    metric: Annotated[str | None, typer.Option(help="By default the one on most datasets.")] = None,
    datasets: Annotated[
        str | None, typer.Option(help="Names, separated by commas; by default all.")
    ] = None,
    systems: Annotated[
        str | None, typer.Option(help="Names, separated by commas; by default all.")
    ] = None,
    reported: Annotated[
        bool | None,
        typer.Option(
            "--reported/--items",
            help="Reported figures or item scores; by default item scores where there are any.",
        ),
    ] = None,
    alpha: AlphaOption = 0.05,
    target: Annotated[
        float | None,
        typer.Option(help="What the optimality gap is measured from; by default the best score."),
    ] = None,
    n_resamples: Annotated[
        int, typer.Option(help="Bootstrap draws of the items of each dataset.")
    ] = 1_999,
    seed: SeedOption = 0,
    format: FormatOption = ReportStyle.table,
    as_json: JsonOption = False,
) -> None:
    """Rank systems over datasets: mean ranks, tests, aggregates with intervals."""
    with (
        opened(context, read_only=True) as store,
        Progress(console=messages, transient=True, disable=not sys.stderr.isatty()) as bar,
    ):
        task = bar.add_task("Resampling", total=None)
        study = study_ranking(
            store,
            metric=metric,
            datasets=names(datasets),
            systems=names(systems),
            reported=reported,
            alpha=alpha,
            target=target,
            n_resamples=n_resamples,
            seed=seed,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    if gave_report(study.report, format, as_json):
        return
    answer(
        "rank",
        study.to_dict(),
        store_revision=study.store_revision,
        signature=study.signature,
        warnings=study.warnings,
        as_json=as_json,
        show=lambda console: _show(console, study),
    )


def _interval(low: float, high: float, places: int) -> str:
    if math.isnan(low):
        return numbers.MISSING
    return f"{numbers.fixed(float(low), places)} to {numbers.fixed(float(high), places)}"


def _show(console: Console, study: RankingStudy) -> None:
    for text in (study.sentence, rank_test_in_words(study), study.order_note):
        if text:
            console.print(text, markup=False)
    found = study.aggregates
    columns: tuple[str, ...] = (
        "system",
        "=mean rank",
        "=interval",
        "=datasets",
        "=macro mean",
        "=interval",
        "=IQM",
    )
    rows: list[list[Any]] = [
        [
            name,
            numbers.fixed(float(study.mean_ranks[i]), 2),
            _interval(study.rank_low[i], study.rank_high[i], 2),
            int(study.n_datasets[i]),
            float(found.mean.value[i]),
            _interval(found.mean.low[i], found.mean.high[i], 4),
            float(found.iqm.value[i]),
        ]
        for i, name in enumerate(study.systems)
    ]
    if not study.complete:
        columns = (*columns, "=mean over common")
        for i, row in enumerate(rows):
            row.append(float(found.common.mean.value[i]))
    console.print(table("", columns, rows))
