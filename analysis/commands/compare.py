"""`tiebreak compare` and `tiebreak adhoc`: two systems, from the store or from a file."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.console import Console

from analysis.commands.asking import add_question
from analysis.commands.options import FILES
from analysis.commands.terminal import show_report
from analysis.studies.adhoc import Adhoc
from analysis.studies.comparison import Compare, Comparison
from analysis.studies.two_columns import TwoColumns
from store.importers.score_columns import read_two_columns

app = typer.Typer()


def _show_comparison(console: Console, study: Comparison, *, by_group: bool) -> None:
    show_report(console, study.report(by_group=by_group))
    if by_group and not study.groups:
        console.print("The dataset declares no groups of items.")


def _of_file(context: typer.Context, asked: Adhoc, given: dict[str, Any]) -> Adhoc:
    return replace(asked, columns=TwoColumns(*read_two_columns(given["files"])))


BY_GROUP = Annotated[bool, typer.Option("--by-group", help="A row per group of items.")]

add_question(app, Compare, _show_comparison, shown={"by_group": (BY_GROUP, False)})
add_question(app, Adhoc, before=[FILES], complete=_of_file)
