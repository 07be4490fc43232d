"""`tiebreak claims WORD`: a command of the group, or else the name of a dataset."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

_HISTORY = "\0"
"""Stands for the group's own question; nobody can type it."""


class ClaimsGroup(TyperGroup):
    """A group whose first word may be the name of a dataset, or be missing."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put a name before words that do not begin with one of the group's commands."""
        if args[:1] != ["--help"] and not set(args[:1]) & set(self.commands):
            args = [_HISTORY, *args]
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the command that is meant, without a name of its own where it is the group's."""
        if args[0] == _HISTORY:
            from analysis.commands.claims import history  # only now: it loads the study

            return None, typer.main.get_command(history), args[1:]
        return super().resolve_command(ctx, args)
