"""Readings of files that end badly."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, replace
from typing import Any

from analysis.question import Progress
from dashboard.pool.reading import ReadFiles


@dataclass(frozen=True, slots=True)
class Dies(ReadFiles):
    """Unpack something, and be killed as by a fault in a library."""

    def run(self, _progress: Progress | None) -> Any:
        """End without a word."""
        (self.scratch / "unpacked").write_text("x", encoding="utf-8")
        (self.paths[0].parent / "scratch").write_text(str(self.scratch), encoding="utf-8")
        os.kill(os.getpid(), signal.SIGSEGV)


@dataclass(frozen=True, slots=True)
class TakesAll(ReadFiles):
    """Take all memory that there is."""

    def run(self, _progress: Progress | None) -> Any:
        """Read as usual, with a reader that never ends."""
        return ReadFiles.run(replace(self, work=_takes_all), None)


def _takes_all(*_: Any, **__: Any) -> Any:
    taken = []
    while True:
        taken.append(bytearray(50_000_000))
