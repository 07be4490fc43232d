"""`tiebreak power dataset`: what a stored test set can find."""

from __future__ import annotations

import typer

from analysis.commands.asking import add_question
from analysis.studies.power.test_sets import TestSetPower

app = typer.Typer()


add_question(app, TestSetPower, typed="dataset")
