"""`tiebreak judges`: a model judge beside people."""

from __future__ import annotations

import typer

from analysis.commands.asking import add_question
from analysis.studies.humans.judges.study import Judges

app = typer.Typer()

add_question(app, Judges)
