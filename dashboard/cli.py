"""The command `tiebreak`: every layer's commands, and serve and demo."""

from __future__ import annotations

from typing import Annotated

import typer

import analysis.cli
import store.cli
from store.lazy_commands import add_commands

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    help="Which differences between systems are real? Results store, statistics, dashboard.",
)
add_commands(
    app,
    "dashboard.commands",
    {
        "serve": "Open the dashboard on the store.",
        "demo": "Load the example content: figures of papers, runs that we made, dated claims.",
    },
)
app.add_typer(store.cli.app)
app.add_typer(analysis.cli.app)


@app.callback()
def choose_store(
    context: typer.Context,
    store: Annotated[
        str | None,
        typer.Option(help="SQLite file or database URL; else $TIEBREAK_STORE, else tiebreak.db."),
    ] = None,
) -> None:
    """Remember which store all commands work on."""
    context.obj = store  # opening a store puts the default in: only then is the library loaded


def main() -> None:
    """Run the command."""
    app()
