"""`tiebreak power distribution`, `file`, `proportions`, `expected-gain`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import typer

from analysis.commands.asking import add_question
from analysis.commands.options import FILES
from analysis.studies.claims.expected_gain import ExpectedGain
from analysis.studies.power.by_size import DistributionPower, FilePower
from analysis.studies.power.proportions import ProportionsPower
from analysis.studies.two_columns import TwoColumns
from store.importers.score_columns import read_two_columns

app = typer.Typer()


def _of_file(context: typer.Context, asked: FilePower, given: dict[str, Any]) -> FilePower:
    return replace(asked, columns=TwoColumns(*read_two_columns(given["files"])))


add_question(app, DistributionPower, typed="distribution")
add_question(app, ProportionsPower, typed="proportions")
add_question(app, ExpectedGain, typed="expected-gain")
add_question(app, FilePower, typed="file", before=[FILES], complete=_of_file)
