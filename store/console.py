"""What every command does alike: open the store, answer as a table or as JSON, fail in words.

With ``--json`` exactly one object goes to standard output; messages and progress go to standard
error. Exit codes: 0 done, 1 a gate failed, 2 wrong use or bad input, 3 done in part, 130 stopped by
Ctrl-C.
"""

from __future__ import annotations

import errno
import functools
import json
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec, TypeVar

import typer
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.style import Style
from rich.table import Table

from store.errors import StoreError
from store.location import resolve_location, sqlite_path, without_password
from store.people import current_person
from store.shown import visible
from store.whereabouts import warning_of_place

if TYPE_CHECKING:
    from store.damage import Seen
    from store.engine import Store

P = ParamSpec("P")
R = TypeVar("R")

EXIT_GATE_FAILED = 1
EXIT_WRONG_USE = 2
EXIT_PARTLY_DONE = 3
EXIT_STOPPED = 130

JsonOption = Annotated[bool, typer.Option("--json", help="Answer with one JSON object.")]


class TextConsole(Console):
    """A console whose terminal shows every name as text; what goes into a pipe stays as it is."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of what is printed, without the control characters of names."""
        for segment in super().render(renderable, options):
            if segment.control or not self.is_terminal:
                yield segment
            else:
                yield Segment(visible(segment.text), segment.style)


messages = TextConsole(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def current_actor() -> str:
    """Return who is at work, for the audit trail."""
    return current_person().name


def exits_in_words(command: Callable[P, R]) -> Callable[P, R]:
    """Turn a `StoreError` into its message and exit code 2."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except StoreError as error:
            messages.print(f"[bold]Error:[/bold] {_escaped(str(error))}")
            for damaged in _damage():
                messages.print(f"[yellow]Note:[/yellow] {_escaped(str(damaged))}")
            raise typer.Exit(EXIT_WRONG_USE) from error
        except Exception as error:
            is_exit = type(error).__module__.startswith(("click", "typer"))
            if is_exit or not (found := _damage()):
                raise
            from store.damage import blamed

            behind = blamed(found)
            if behind is None:
                raise
            messages.print(f"[bold]Error:[/bold] {_escaped(str(behind))}")
            raise typer.Exit(EXIT_WRONG_USE) from error

    return run


def _damage() -> list[Seen]:
    """Return what this process found damaged: what fails or is refused may come of it."""
    if "store.damage" not in sys.modules:
        return []
    from store.damage import seen_anywhere

    return seen_anywhere()


@contextmanager
def opened(
    context: typer.Context,
    *,
    create: bool = False,
    read_only: bool = False,
    keeps_results: bool | None = None,
) -> Iterator[Store]:
    """Open the store that ``--store`` names as `open_store` does, and close it in the end."""
    from store.damage import forget  # loads the database: `serve` leaves that to its server
    from store.engine import open_store

    path = sqlite_path(resolve_location(context.obj))
    is_new = path is not None and not path.exists()
    forget()
    store = open_store(context.obj, create=create, read_only=read_only, keeps_results=keeps_results)
    if path is not None and is_new and (warning := warning_of_place(path)):
        messages.print(f"[yellow]Note:[/yellow] {_escaped(warning)}")
    try:
        yield store
    finally:
        store.close()


def answer(
    command: str,
    result: dict[str, Any],
    *,
    store_revision: int,
    signature: str = "",
    warnings: Sequence[str] = (),
    as_json: bool,
    show: Callable[[Console], None],
) -> None:
    """Print the answer: one JSON object, or whatever `show` prints, then the warnings."""
    from store.damage import seen_anywhere

    said = envelope(
        command,
        result,
        store_revision=store_revision,
        signature=signature or _command_line(),
        warnings=[*warnings, *map(str, seen_anywhere())],
    )
    with _full_in_words():
        _print(said, as_json, show)
    if as_json:
        return
    for warning in said["warnings"]:
        messages.print(f"[yellow]Note:[/yellow] {_escaped(warning)}")


def _print(said: dict[str, Any], as_json: bool, show: Callable[[Console], None]) -> None:
    if as_json:
        sys.stdout.write(f"{json_of(said)}\n")
        sys.stdout.flush()
        return
    console = TextConsole(highlight=False, soft_wrap=True, emoji=False)
    if not console.is_terminal:  # a pipe has no width
        console = TextConsole(highlight=False, soft_wrap=True, emoji=False, width=160)
    show(console)


@contextmanager
def _full_in_words() -> Iterator[None]:
    """Say so where the answer goes to a disk that is full: what was done is done."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        if sys.__stdout__ is not None and sys.stdout is sys.__stdout__:
            with suppress(OSError):  # what waits in it cannot be written at the end either
                sys.__stdout__.close()
        messages.print(
            "[bold]Error:[/bold] the answer cannot be written, for the disk is full. What the "
            "command changed in the store stays changed."
        )
        raise typer.Exit(EXIT_WRONG_USE) from None


def envelope(
    command: str,
    result: dict[str, Any],
    *,
    store_revision: int,
    signature: str,
    warnings: Sequence[str] = (),
) -> dict[str, Any]:
    """Return an answer as commands and the API give it."""
    return {
        "command": command,
        "signature": signature,
        "store_revision": store_revision,
        "warnings": list(warnings),
        "result": result,
    }


def json_of(said: dict[str, Any]) -> str:
    """Return an answer as one line of JSON."""
    return json.dumps(said, ensure_ascii=False, allow_nan=False, default=str)


def _command_line() -> str:
    """Return the command as it was typed, without the password of a store's address."""
    words = sys.argv[1:]
    for at, word in enumerate(words):
        if word.startswith("--store="):
            words[at] = f"--store={without_password(word.removeprefix('--store='))}"
        elif at and words[at - 1] == "--store":
            words[at] = without_password(word)
    return shlex.join(["tiebreak", *words])


def table(title: str, columns: Iterable[str], rows: Iterable[Sequence[Any]]) -> Table | LongTable:
    """Return a plain table; columns whose header begins with ``=`` hold numbers."""
    heads, cells = list(columns), [list(map(_as_text, row)) for row in rows]
    if len(cells) > MOST_FITTED_ROWS:
        return LongTable(title, heads, cells)
    grid = Table(title=title or None, title_justify="left", box=None, header_style="bold")
    for name in heads:
        is_number = name.startswith("=")
        grid.add_column(name.lstrip("="), justify="right" if is_number else "left", overflow="fold")
    for row in cells:
        grid.add_row(*map(_escaped, row))
    return grid


MOST_FITTED_ROWS = 500
"""Rows of a table that are fitted into the width of a terminal; that takes a millisecond each."""


class LongTable:
    """A table of very many rows: each column as wide as its longest cell, whatever the terminal."""

    def __init__(self, title: str, heads: list[str], cells: list[list[str]]) -> None:
        self._title, self._cells = title, cells
        self._heads = [name.lstrip("=") for name in heads]
        self._pad = [str.rjust if name.startswith("=") else str.ljust for name in heads]
        columns = zip(self._heads, *cells, strict=True)
        self._widths = [max(map(cell_len, column)) for column in columns]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterable[Segment]:
        """Yield the lines."""
        if self._title:
            yield from (Segment(self._title, Style(italic=True)), Segment.line())
        yield from (Segment(self._line(self._heads), Style(bold=True)), Segment.line())
        for row in self._cells:
            yield from (Segment(self._line(row)), Segment.line())

    def _line(self, cells: list[str]) -> str:
        padded = (
            pad(cell, width - cell_len(cell) + len(cell))
            for pad, cell, width in zip(self._pad, cells, self._widths, strict=True)
        )
        return f" {'  '.join(padded)} ".rstrip()


def _as_text(cell: Any) -> str:
    if cell is None or cell == "":
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, datetime):
        return f"{cell:%Y-%m-%d}"
    if isinstance(cell, float):
        return "–" if cell != cell else f"{cell:.4g}"
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, tuple | list):
        return ", ".join(map(_as_text, cell)) or "–"
    return str(cell)


def _escaped(text: str) -> str:
    return text.replace("[", r"\[")
