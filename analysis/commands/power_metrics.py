"""`tiebreak power metrics`: how many systems and items would tell two metrics apart."""

from __future__ import annotations

import typer

from analysis.commands.asking import add_question
from analysis.studies.power.metrics_apart import MetricsApart

app = typer.Typer()


add_question(app, MetricsApart, typed="metrics")
