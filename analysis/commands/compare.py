"""`tiebreak compare` and `tiebreak adhoc`: two systems, from the store or from a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from analysis.commands.asking import add_question, parameter
from analysis.commands.options import FILES, require_new
from analysis.commands.terminal import show_report
from analysis.setting import build, values_of
from analysis.studies.adhoc import Adhoc
from analysis.studies.adhoc_session import is_session, read_session, write_session
from analysis.studies.comparison import Compare, Comparison
from analysis.studies.two_columns import TwoColumns
from store.importers.score_columns import read_two_columns

app = typer.Typer()


def _show_comparison(console: Console, study: Comparison, *, by_group: bool) -> None:
    show_report(console, study.report(by_group=by_group))
    if by_group and not study.groups:
        console.print("The dataset declares no groups of items.")


def _of_files(context: typer.Context, asked: Adhoc, given: dict[str, Any]) -> Adhoc:
    require_new(given["save"], "--save")
    found = _opened(context, asked, given["files"])
    if found is None:
        a, b, names = read_two_columns(given["files"])
        found = replace(asked, columns=TwoColumns(a, b), names=asked.names or names)
    if given["save"] is not None:
        given["save"].write_text(write_session(found), encoding="utf-8")
    return found


def _opened(context: typer.Context, asked: Adhoc, files: list[Path]) -> Adhoc | None:
    """Return the session that is opened, with what was typed beside it; ``None`` for scores."""
    if len(files) != 1 or not files[0].is_file() or not is_session(files[0].read_bytes()):
        return None
    session = read_session(files[0].read_bytes(), str(files[0]))
    typed = {
        name: value
        for name, value in values_of(asked).items()
        if (source := context.get_parameter_source(name)) and source.name == "COMMANDLINE"
    }
    return replace(build(Adhoc, values_of(session) | typed), columns=session.columns)


SAVE = Annotated[
    Path | None,
    typer.Option(help="Keep scores, names and settings in this file; `adhoc FILE` opens it again."),
]
BY_GROUP = Annotated[bool, typer.Option("--by-group", help="A row per group of items.")]

add_question(app, Compare, _show_comparison, shown={"by_group": (BY_GROUP, False)})
add_question(app, Adhoc, before=[FILES], more=[parameter("save", SAVE, None)], complete=_of_files)
