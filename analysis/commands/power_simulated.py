"""`tiebreak power distribution`, `file`, `classes`, `proportions`, `expected-gain`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from analysis.commands.asking import add_question, parameter
from analysis.commands.options import FILES
from analysis.studies.claims.expected_gain import ExpectedGain
from analysis.studies.power.by_size import DistributionPower, FilePower
from analysis.studies.power.classes import ClassesPower
from analysis.studies.power.classes_file import read_class_table
from analysis.studies.power.proportions import ProportionsPower
from analysis.studies.two_columns import TwoColumns
from store.importers.score_columns import read_two_columns

app = typer.Typer()


def _of_file(context: typer.Context, asked: FilePower, given: dict[str, Any]) -> FilePower:
    return replace(asked, columns=TwoColumns(*read_two_columns(given["files"])[:2]))


def _of_table(context: typer.Context, asked: ClassesPower, given: dict[str, Any]) -> ClassesPower:
    return replace(asked, table=read_class_table(given["file"]))


_TABLE_HELP = (
    "CSV: class, share, both_right, only_new, only_baseline, both_wrong; counts or probabilities."
)
TABLE = parameter("file", Annotated[Path, typer.Argument(help=_TABLE_HELP)])

add_question(app, DistributionPower, typed="distribution")
add_question(app, ProportionsPower, typed="proportions")
add_question(app, ExpectedGain, typed="expected-gain")
add_question(app, FilePower, typed="file", before=[FILES], complete=_of_file)
add_question(app, ClassesPower, typed="classes", before=[TABLE], complete=_of_table)
