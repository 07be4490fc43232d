"""`tiebreak power metrics`: how many systems and items would tell two metrics apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress as Bar

from analysis import numbers
from analysis.commands.options import (
    AlphaOption,
    FormatOption,
    ReportStyle,
    SeedOption,
    gave_report,
)
from analysis.studies.humans.correlations.settings import CorrelationSettings, with_words
from analysis.studies.power.metric_pairs import (
    ITERATIONS,
    MetricPairPower,
    study_metric_pair_power,
)
from store.console import JsonOption, answer, exits_in_words, opened, table
from store.errors import StoreError

app = typer.Typer()


@app.command("metrics")
@exits_in_words
def metrics_command(
    context: typer.Context,
    dataset: Annotated[str, typer.Argument(help="Name or uid.")],
    a: Annotated[str, typer.Argument(help="A metric, by name or uid.")],
    b: Annotated[str, typer.Argument(help="Another one.")],
    gold: Annotated[str, typer.Option(help="What people judged, or a metric.")],
    level: Annotated[str | None, typer.Option(help="system, item, per-system or global.")] = None,
    coefficient: Annotated[
        str | None, typer.Option(help="As for `correlate`, such as pearson or kendall.")
    ] = None,
    test: Annotated[
        str | None,
        typer.Option(
            help="As for `correlate`: perm-inputs speaks of these systems, perm-systems of others."
        ),
    ] = None,
    systems: Annotated[
        str | None, typer.Option(help="Numbers of systems to look at, separated by commas.")
    ] = None,
    items: Annotated[
        str | None, typer.Option(help="Numbers of items to look at, separated by commas.")
    ] = None,
    power: Annotated[
        float, typer.Option(help="Probability with which the two are to be told apart.")
    ] = 0.8,
    draws: Annotated[int, typer.Option(help="Meta-evaluations drawn for each size.")] = ITERATIONS,
    alpha: AlphaOption = 0.05,
    seed: SeedOption = 0,
    format: FormatOption = ReportStyle.table,
    as_json: JsonOption = False,
) -> None:
    """Say how many systems and items would tell two metrics apart."""
    settings = with_words(
        CorrelationSettings(alpha=alpha, seed=seed),
        level=level,
        coefficient=coefficient,
        test=test,
    )
    with opened(context, read_only=True) as store, _told() as progress:
        study = study_metric_pair_power(
            store,
            dataset,
            gold,
            a,
            b,
            settings=settings,
            systems=_counts("systems", systems),
            items=_counts("items", items),
            power=power,
            n_iterations=draws,
            progress=progress,
        )
    if gave_report(study.report, format, as_json):
        return
    answer(
        "power metrics",
        study.to_dict(),
        store_revision=study.store_revision,
        signature=study.signature,
        warnings=study.warnings,
        as_json=as_json,
        show=lambda console: _show(console, study),
    )


def _counts(name: str, given: str | None) -> list[int] | None:
    """Return whole numbers separated by commas."""
    if given is None:
        return None
    try:
        return [int(part) for part in given.split(",")]
    except ValueError:
        raise StoreError(
            f"`--{name}` must be whole numbers separated by commas, as 8,16,32; got '{given}'."
        ) from None


@contextmanager
def _told() -> Iterator[Callable[[int, int], None]]:
    """Show on a terminal how many meta-evaluations were drawn."""
    console = Console(stderr=True)
    with Bar(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("drawing meta-evaluations", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _show(console: Console, study: MetricPairPower) -> None:
    console.print(study.sentence, markup=False)
    for rows in (study.by_items, study.by_systems):
        if not rows:
            continue
        lines: list[list[Any]] = [
            [
                numbers.count(row.n_systems) if row.draws_systems else f"these {row.n_systems:,}",
                numbers.count(row.n_items) if row.draws_items else f"these {row.n_items:,}",
                numbers.probability(row.power),
                f"{row.low:.3f} to {row.high:.3f}",
                None if math.isnan(row.type_s) else f"{row.type_s:.3f}",
            ]
            for row in rows
        ]
        head = ["=systems", f"={study.item_noun}s", "=power", "=95 % band", "=wrong way"]
        console.print(table("", head, lines))
