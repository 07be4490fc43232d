"""`tiebreak power distribution`, `file`, `proportions`, `expected-gain`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from analysis.commands.asking import add_question, as_values, parameter, with_options
from analysis.commands.options import FormatOption, ReportStyle, gave_report
from analysis.commands.terminal import show_report
from analysis.setting import build
from analysis.studies.claims.expected_gain import ExpectedGain
from analysis.studies.power.by_size import DistributionPower, FilePowerSettings, study_file_power
from analysis.studies.power.proportions import ProportionsPower
from store.console import JsonOption, answer, exits_in_words
from store.importers.score_columns import read_two_columns

app = typer.Typer()

FILES = Annotated[
    list[Path], typer.Argument(help="One file of two columns, or two files of one column.")
]


def _file(context: typer.Context, **given: Any) -> None:
    """Say how the power for the difference in a file grows with the number of items."""
    settings = build(FilePowerSettings, as_values(FilePowerSettings, given))
    study = study_file_power(*read_two_columns(given["files"]), settings)
    if gave_report(study.report, given["format"], given["as_json"]):
        return
    answer(
        "power file",
        study.to_dict(),
        store_revision=0,
        signature=study.signature,
        warnings=study.warnings,
        as_json=given["as_json"],
        show=lambda console: show_report(console, study.report()),
    )


add_question(app, DistributionPower, typed="distribution")
add_question(app, ProportionsPower, typed="proportions")
add_question(app, ExpectedGain, typed="expected-gain")
app.command("file")(
    exits_in_words(
        with_options(
            _file,
            FilePowerSettings,
            [
                parameter("format", FormatOption, ReportStyle.table),
                parameter("as_json", JsonOption, False),
            ],
            before=[parameter("files", FILES)],
        )
    )
)
