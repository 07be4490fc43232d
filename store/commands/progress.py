"""The progress of an import on standard error, and its end by Ctrl-C in words."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from store.console import EXIT_STOPPED, messages
from store.engine import Store
from store.progress import Step, listening

_PATIENCE_S = 1.0
"""What takes less shows nothing."""
_EVERY_S = {True: 0.2, False: 10.0}
"""How often a terminal is told, and how often a log."""


class ProgressLine:
    """One line that a terminal overwrites; a log gets a new one now and then."""

    def __init__(self) -> None:
        self._stream = sys.stderr
        self._is_terminal = self._stream.isatty()
        self._next = time.monotonic() + (_PATIENCE_S if self._is_terminal else _EVERY_S[False])
        self._is_shown = False

    def __call__(self, step: Step) -> None:
        """Show a step, if the last one was shown long enough ago."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _EVERY_S[self._is_terminal]
        self._stream.write(f"\r\x1b[2K{step}" if self._is_terminal else f"{step}\n")
        self._stream.flush()
        self._is_shown = self._is_terminal

    def clear(self) -> None:
        """Take the line off the terminal."""
        if self._is_shown:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()
            self._is_shown = False


@contextmanager
def shown_progress() -> Iterator[ProgressLine]:
    """Show the progress of the import within."""
    line = ProgressLine()
    try:
        with listening(line):
            yield line
    finally:
        line.clear()


@contextmanager
def stopped_in_words(store: Store | None = None) -> Iterator[None]:
    """End with words and exit code 130 where Ctrl-C stops what is within.

    `store` is the one that may have been written; ``None``: none was open yet.
    """
    before = store.last_change() if store else 0
    try:
        yield
    except (KeyboardInterrupt, typer.Abort):  # the latter at a question
        if store and store.last_change() != before:
            messages.print(
                "Stopped. The store has changed meanwhile: `tiebreak ls ingests` tells whether "
                "this import is in it. It is there whole or not at all."
            )
        else:
            messages.print("Stopped. Nothing was written: the store is as it was.")
        raise typer.Exit(EXIT_STOPPED) from None
