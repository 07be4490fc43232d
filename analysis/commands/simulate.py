"""`tiebreak simulate`: the simulations of the papers."""

from __future__ import annotations

import typer

from analysis.commands.asking import add_question
from analysis.studies.simulations.overclaiming import SimulatedReplicability
from analysis.studies.simulations.pvalues import SimulatedPvalues

app = typer.Typer()

add_question(app, SimulatedReplicability, typed="replicability")
add_question(app, SimulatedPvalues, typed="pvalues")
