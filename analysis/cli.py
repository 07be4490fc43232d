"""The commands that answer questions: one module of `analysis.commands` per kind."""

from __future__ import annotations

import typer

from analysis.commands import (
    agreement,
    claims,
    compare,
    correlate,
    gate,
    gold,
    judges,
    leaderboard,
    pairs,
    power,
    ranking,
    replicability,
    simulate,
)

app = typer.Typer(no_args_is_help=True)
for part in (
    *(leaderboard, compare, gate, pairs, ranking, replicability, power, simulate, claims),
    *(correlate, agreement, gold, judges),
):
    app.add_typer(part.app)
