"""`tiebreak replicability`: two systems, or all pairs of them, across datasets."""

from __future__ import annotations

import typer

from analysis.commands.asking import add_question
from analysis.studies.across_datasets import AcrossDatasets

app = typer.Typer()

add_question(app, AcrossDatasets)
