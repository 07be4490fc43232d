"""`tiebreak rank`: systems over datasets."""

from __future__ import annotations

import typer

from analysis.commands.asking import add_question
from analysis.studies.ranking import Rank

app = typer.Typer()


add_question(app, Rank)
