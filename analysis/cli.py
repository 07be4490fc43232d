"""The commands that answer questions: one module of `analysis.commands` per kind."""

from __future__ import annotations

import typer

from analysis.commands import compare, leaderboard, pairs, ranking, replicability, simulate

app = typer.Typer(no_args_is_help=True)
for part in (leaderboard, compare, pairs, ranking, replicability, simulate):
    app.add_typer(part.app)
