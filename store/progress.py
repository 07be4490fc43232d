"""How far a long import is, told to whoever listens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Literal

Doing = Literal["looking at files", "reading files", "writing files"]


@dataclass(frozen=True, slots=True)
class Step:
    """Where an import is."""

    doing: Doing
    done: int = 0
    """Files that are through."""
    total: int = 0
    """Files in all."""
    n_rows: int = 0
    """Rows read, or scores written, since this began to be done."""

    def __str__(self) -> str:
        noun = "scores" if self.doing == "writing files" else "rows"
        rows = f", {self.n_rows:,} {noun}" if self.n_rows else ""
        return f"{self.doing.capitalize()}: {self.done:,} of {self.total:,}{rows}"


Listener = Callable[[Step], None]


class _Told:
    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self.step = Step("looking at files")


_told: ContextVar[_Told | None] = ContextVar("progress", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call `listener` with each step of the imports within."""
    before = _told.set(_Told(listener))
    try:
        yield
    finally:
        _told.reset(before)


@contextmanager
def unheard() -> Iterator[None]:
    """Tell nobody of what is read within, as where it is only seen what a file is."""
    before = _told.set(None)
    try:
        yield
    finally:
        _told.reset(before)


def tell(doing: Doing, done: int, total: int) -> None:
    """Say how many files are through."""
    told = _told.get()
    if told is not None:
        n_rows = told.step.n_rows if told.step.doing == doing else 0
        told.step = Step(doing, done, total, n_rows)
        told.listener(told.step)


def tell_rows(number: int) -> None:
    """Say that so many further rows were read, or scores written."""
    told = _told.get()
    if told is not None:
        told.step = replace(told.step, n_rows=told.step.n_rows + number)
        told.listener(told.step)
