"""The command `tiebreak`: every layer's commands, and serve and demo."""

from __future__ import annotations

import gc
from typing import Annotated

import typer

from analysis.cli import app as questions
from store.cli import app as keeping
from store.lazy_commands import add_commands
from store.people import through
from store.version import VERSION

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    help="Which differences between systems are real? Results store, statistics, dashboard.",
)
add_commands(app, "dashboard.commands.serve", {"serve": "Open the dashboard on the store."})
add_commands(
    app,
    "analysis.commands.warm_up",
    {"warm-up": "Compile all loops once after an installation, so that no answer waits for it."},
)
add_commands(
    app,
    "dashboard.commands.demo",
    {"demo": "Load the example content: figures of papers, runs that we made, dated claims."},
)
app.add_typer(keeping)
app.add_typer(questions)


def _show_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"tiebreak {VERSION}")
        raise typer.Exit


@app.callback()
def choose_store(
    context: typer.Context,
    store: Annotated[
        str | None,
        typer.Option(
            help="SQLite file, database URL, or address of a server; else $TIEBREAK_STORE, else "
            "tiebreak.db."
        ),
    ] = None,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Say which version this is."
        ),
    ] = False,
) -> None:
    """Remember which store all commands work on."""
    before = through.set("command")
    context.call_on_close(lambda: through.reset(before))
    context.obj = store  # opening a store puts the default in: only then is the library loaded


def main() -> None:
    """Run the command.

    What is imported stays until the end. No search for garbage looks at it: not at the start,
    not in between (`store.lazy_commands`), not at the end. These took a quarter of `ls`.
    """
    gc.disable()
    try:
        app()
    finally:
        gc.freeze()
