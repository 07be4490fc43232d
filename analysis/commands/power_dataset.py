"""`tiebreak power dataset`: what a stored test set can find."""

from __future__ import annotations

import math
from typing import Any

import typer
from rich.console import Console

from analysis import numbers
from analysis.commands.asking import add_question
from analysis.studies.power.dataset import DatasetPower
from analysis.studies.power.dataset_words import places
from analysis.studies.power.resolution import ResolutionStudy
from analysis.studies.power.test_sets import TestSetPower
from store.console import table

app = typer.Typer()


def _show_any(console: Console, study: DatasetPower | ResolutionStudy) -> None:
    if isinstance(study, DatasetPower):
        _show(console, study)
    else:
        _show_rows(console, study)


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


add_question(app, TestSetPower, _show_any, typed="dataset")
