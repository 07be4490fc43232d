"""What a command says after it changed one thing by hand."""

from __future__ import annotations

import typer

from store.console import answer, opened


def say_changed(context: typer.Context, command: str, uid: str, text: str, as_json: bool) -> None:
    """Print what was done, or the uid of what was changed as JSON."""
    with opened(context, read_only=True) as store:
        answer(
            command,
            {"changed": uid},
            store_revision=store.revision(),
            as_json=as_json,
            show=lambda console: console.print(text, markup=False),
        )
