"""`tiebreak correlate`: metrics held against human judgments."""

from __future__ import annotations

import typer

from analysis.commands.asking import add_question
from analysis.studies.humans.correlate import Correlate

app = typer.Typer()


add_question(app, Correlate)
