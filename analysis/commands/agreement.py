"""`tiebreak agreement`: annotators among themselves and against metrics."""

from __future__ import annotations

import typer

from analysis.commands.asking import add_question
from analysis.studies.humans.agreement.study import Agreement

app = typer.Typer()

add_question(app, Agreement)
