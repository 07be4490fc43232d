"""`tiebreak power metrics`: how many systems and items would tell two metrics apart."""

from __future__ import annotations

import math
from typing import Any

import typer
from rich.console import Console

from analysis import numbers
from analysis.commands.asking import add_question
from analysis.studies.power.metric_pairs import (
    MetricPairPower,
)
from analysis.studies.power.metrics_apart import MetricsApart
from store.console import table

app = typer.Typer()


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


add_question(app, MetricsApart, _show, typed="metrics")
