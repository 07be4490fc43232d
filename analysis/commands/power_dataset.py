"""`tiebreak power dataset`: what a stored test set can find."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Annotated, Any, Literal

import typer
from rich.console import Console

from analysis import numbers
from analysis.commands.options import (
    AlphaOption,
    FormatOption,
    ReportStyle,
    SeedOption,
    gave_report,
)
from analysis.statistics import Alternative
from analysis.studies.power.dataset import DatasetPower, study_dataset_power
from analysis.studies.power.dataset_words import places
from analysis.studies.power.resolution import ResolutionStudy, study_resolution
from store.console import JsonOption, answer, exits_in_words, opened, table
from store.errors import StoreError

app = typer.Typer()


class CurveBy(StrEnum):
    """How power by number of items is found."""

    model = "model"
    normal = "normal"
    bootstrap = "bootstrap"


@app.command("dataset")
@exits_in_words
def dataset_command(
    context: typer.Context,
    dataset: Annotated[
        str | None,
        typer.Argument(help="Name or uid; without one all test sets are told, each in a line."),
    ] = None,
    metric: Annotated[str | None, typer.Option(help="By default the most used one.")] = None,
    a: Annotated[str | None, typer.Option(help="By default the first of the leaderboard.")] = None,
    b: Annotated[str | None, typer.Option(help="By default the second.")] = None,
    effect: Annotated[
        str | None,
        typer.Option(help="True gain of A over B that matters, on the metric's own scale."),
    ] = None,
    alpha: AlphaOption = 0.05,
    power: Annotated[
        float, typer.Option(help="Probability with which a difference is to be found.")
    ] = 0.8,
    alternative: Annotated[
        Alternative, typer.Option(help="greater: only whether A is better.")
    ] = "two-sided",
    by: Annotated[
        CurveBy,
        typer.Option(
            help="Power by number of items: model (what suits the scores), normal (Student's t), "
            "bootstrap (stored items drawn anew, with a Monte Carlo band)."
        ),
    ] = CurveBy.model,
    seed: SeedOption = 0,
    format: FormatOption = ReportStyle.table,
    as_json: JsonOption = False,
) -> None:
    """Say how small a difference a stored test set finds, and how many items others take."""
    if dataset is None:
        for name, given in (("--a", a), ("--b", b), ("--effect", effect)):
            if given is not None:
                raise StoreError(f"`{name}` is about one test set: name it, `power dataset NAME`.")
        _show_all(context, metric, alpha, power, format, as_json)
        return
    with opened(context, read_only=True) as store:
        study = study_dataset_power(
            store,
            dataset,
            metric=metric,
            a=a,
            b=b,
            effect=_as_effect(effect),
            alpha=alpha,
            power=power,
            alternative=alternative,
            by=by.value,
            seed=seed,
        )
    if gave_report(study.report, format, as_json):
        return
    answer(
        "power dataset",
        study.to_dict(),
        store_revision=study.store_revision,
        signature=study.signature,
        warnings=study.warnings,
        as_json=as_json,
        show=lambda console: _show(console, study),
    )


def _show_all(
    context: typer.Context,
    metric: str | None,
    alpha: float,
    power: float,
    style: ReportStyle,
    as_json: bool,
) -> None:
    with opened(context, read_only=True) as store:
        study = study_resolution(store, metric=metric, alpha=alpha, power=power)
    if gave_report(study.report, style, as_json):
        return
    answer(
        "power dataset",
        study.to_dict(),
        store_revision=study.store_revision,
        signature=study.signature,
        warnings=study.warnings,
        as_json=as_json,
        show=lambda console: _show_rows(console, study),
    )


def _as_effect(given: str | None) -> float | Literal["observed"] | None:
    if given is None:
        return None
    if given == "observed":
        return "observed"
    try:
        return float(given)
    except ValueError:
        raise StoreError(
            f"`--effect` must be a number on the metric's own scale, as 0.02; got '{given}'."
        ) from None


def _show(console: Console, study: DatasetPower) -> None:
    console.print(study.sentence, markup=False)
    if not study.by_size:
        return
    digits = places(study)
    drawn = {
        int(n): (power, low, high)
        for n, power, low, high in zip(
            study.curve.x, study.curve.power, study.curve.low, study.curve.high, strict=True
        )
    }
    has_band = study.curve.n_iterations > 0
    size = numbers.fixed(study.for_effect, digits)
    columns = ["=items", "=finds"]
    if not math.isnan(study.for_effect):
        columns += [f"=power for {size}", *(["=95 % band"] if has_band else [])]
    rows: list[list[Any]] = []
    for n_items in sorted({*drawn, *(row.n_items for row in study.by_size)}):
        found = next((row.mde for row in study.by_size if row.n_items == n_items), None)
        row: list[Any] = [
            numbers.count(n_items) + (" (now)" if n_items == study.n_items else ""),
            numbers.fixed(found, digits + 1),
        ]
        if n_items in drawn and len(columns) > 2:
            power, low, high = drawn[n_items]
            row += [numbers.probability(float(power))]
            row += [f"{low:.3f} to {high:.3f}"] * has_band
        rows.append([*row, *[None] * (len(columns) - len(row))])
    console.print(table("", columns, rows))


def _show_rows(console: Console, study: ResolutionStudy) -> None:
    console.print(study.sentence, markup=False)
    rows = [
        [
            row.dataset,
            row.metric,
            row.n_items or None,
            row.first,
            row.second,
            row.gap,
            row.mde,
            row.items_needed,
        ]
        for row in study.rows
        if row.test
    ]
    if rows:
        console.print(
            table(
                "",
                (
                    "test set",
                    "metric",
                    "=items",
                    "first",
                    "second",
                    "=gap",
                    "=finds",
                    "=for 1 point",
                ),
                rows,
            )
        )
