"""Commands that are named at once and loaded when they are run.

A command imports what it answers with: a database library, a statistics library. The command tree
therefore holds only its name, its line of help and the place of its module; nobody waits for the
commands that were not typed.
"""

from __future__ import annotations

import gc
import importlib
from collections.abc import Callable, Mapping
from typing import Any

import typer
from typer.core import TyperCommand

# What stands before `store` in an environment, where a wheel puts everything under one name.
_ABOVE = __name__.removesuffix("store.lazy_commands")


class LazyCommand(TyperCommand):
    """The name and the help line of a command. Its callback returns the command itself."""

    def load(self) -> TyperCommand:
        """Import the module and return the command."""
        assert self.callback is not None
        command = self.callback()
        assert isinstance(command, TyperCommand)
        return command

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Return the context of the real command, which runs from here on."""
        return self.load().make_context(info_name, args, parent, **extra)


def add_commands(app: typer.Typer, place: str, helps: Mapping[str, str]) -> None:
    """Add the commands of a module, after those that `app` has.

    Parameters
    ----------
    app
        What is typed before the names.
    place
        ``package.module`` whose `app` has the commands, or ``package.module:name_of_the_app``.
    helps
        Name of the command -> what its docstring says.
    """
    part = typer.Typer()
    for name, line in helps.items():
        part.command(name, cls=LazyCommand, help=line)(_loader(place, name))
    app.add_typer(part)


def _loader(place: str, name: str) -> Callable[[], Any]:
    module, _, attribute = place.partition(":")

    def load() -> Any:
        app = getattr(importlib.import_module(_ABOVE + module), attribute or "app")
        _search_what_comes_now()
        return typer.main.get_group(app).commands[name]

    return load


def _search_what_comes_now() -> None:
    """Search for garbage among what the command makes, not among what was imported for it.

    Only where the search stood still until now: a program that calls commands has its own way.
    """
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(100_000)
        gc.enable()
