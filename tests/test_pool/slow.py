"""A question that a test can watch: it writes down that it began and ended."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from analysis.question import Progress, Question
from analysis.studies.study import Study
from store.engine import Store
from store.errors import NotFoundError


@dataclass(frozen=True, slots=True)
class Slow(Question[Study]):
    """Take some steps of a tenth of a second."""

    name: ClassVar[str] = "slow"
    needs_store: ClassVar[bool] = False
    log: Path
    steps: int = 3
    end: str = ""

    def answer(self, store: Store, progress: Progress | None = None) -> Study:
        self._write(f"began {os.getpid()}")
        for step in range(self.steps):
            time.sleep(0.1)
            if progress is not None:
                progress(step + 1, self.steps)
        if self.end == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.end == "refuses":
            raise NotFoundError("There is no such thing.")
        self._write("ended")
        return Study(f"{self.steps} steps", "", (), 0)

    def _write(self, line: str) -> None:
        with self.log.open("a", encoding="utf-8") as log:
            log.write(f"{line}\n")
