"""The commands that answer questions: one module of `analysis.commands` per kind."""

from __future__ import annotations

import typer

from analysis.commands import compare, leaderboard, pairs, replicability

app = typer.Typer(no_args_is_help=True)
for part in (leaderboard, compare, pairs, replicability):
    app.add_typer(part.app)
