"""`tiebreak compare` and `tiebreak adhoc`: two systems, from the store or from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from analysis.commands.asking import add_question, as_values, parameter, with_options
from analysis.commands.options import (
    FormatOption,
    ReportStyle,
    gave_report,
)
from analysis.commands.terminal import show_report
from analysis.setting import build
from analysis.studies.adhoc import study_adhoc
from analysis.studies.comparison import Compare, Comparison
from analysis.studies.pair_analysis import PairSettings
from store.console import JsonOption, answer, exits_in_words
from store.errors import StoreError
from store.importers.score_columns import read_two_columns

app = typer.Typer()


def _adhoc(context: typer.Context, **given: Any) -> None:
    """Compare two columns of scores in a file; nothing is stored."""
    settings = build(PairSettings, as_values(PairSettings, given))
    columns = read_two_columns(given["files"])
    study = study_adhoc(
        *columns,
        names=_two_names(given["names"]),
        settings=settings,
        higher_is_better=not given["lower_is_better"],
    )
    if gave_report(study.report, given["format"], given["as_json"]):
        return
    answer(
        "adhoc",
        study.to_dict(),
        store_revision=0,
        signature=study.signature,
        warnings=study.warnings,
        as_json=given["as_json"],
        show=lambda console: show_report(console, study.report()),
    )


def _show_comparison(console: Console, study: Comparison, *, by_group: bool) -> None:
    show_report(console, study.report(by_group=by_group))
    if by_group and not study.groups:
        console.print("The dataset declares no groups of items.")


def _two_names(given: str) -> tuple[str, str]:
    names = [name.strip() for name in given.split(",")]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise StoreError(f"`--names` must be two different names, as 'mine,theirs'; got '{given}'.")
    return names[0], names[1]


BY_GROUP = Annotated[bool, typer.Option("--by-group", help="A row per group of items.")]
FILES = Annotated[
    list[Path], typer.Argument(help="One file of two columns, or two files of one column.")
]
NAMES = Annotated[str, typer.Option(help="What to call the two, as 'mine,theirs'.")]
LOWER = Annotated[bool, typer.Option("--lower-is-better", help="As for error rates.")]

add_question(app, Compare, _show_comparison, shown={"by_group": (BY_GROUP, False)})
app.command("adhoc")(
    exits_in_words(
        with_options(
            _adhoc,
            PairSettings,
            [
                parameter("files", FILES),
                parameter("names", NAMES, "A,B"),
                parameter("lower_is_better", LOWER, False),
                parameter("format", FormatOption, ReportStyle.table),
                parameter("as_json", JsonOption, False),
            ],
        )
    )
)
