"""Files of strangers are read in a process of their own, with limits of memory and time.

What a library does with a file that was made to harm it ends there: the server and whoever looks at
its pages go on.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final
from uuid import uuid4

from dashboard.pool.flights import DIED, OnWait
from store.errors import ImportFormatError, StoreError
from store.importers.detect import read_paths
from store.importers.guard import files_up_to
from store.scratch import scratch_folder

if TYPE_CHECKING:
    from analysis.question import Progress
    from store.damage import Found

MEMORY: Final = 3_000_000_000
"""Bytes that reading may take, besides what the process has when it begins."""
LONGEST_S: Final = 300.0
_INSTEAD: Final = "Send less at once, or import it on the server with `tiebreak ingest FILE`."


@dataclass(frozen=True, slots=True)
class ReadFiles:
    """Work of a process: files into bundles."""

    asked: ClassVar[str] = "files of an import"
    paths: tuple[Path, ...]
    given: dict[str, Any]
    """For `work`."""
    most_bytes: int
    instead: str
    """What to do with a larger file."""
    scratch: Path
    """Where archives are unpacked: whoever asks removes it, also after a kill."""
    work: Callable[..., Any] = read_paths
    memory: int = MEMORY

    def run(self, _progress: Progress | None) -> tuple[Any, Found]:
        """Read the files.

        Raises
        ------
        ImportFormatError
            One cannot be read as it stands, or takes too much memory.
        """
        tempfile.tempdir = str(self.scratch)
        _limit_memory(self.memory)
        try:
            with files_up_to(self.most_bytes, self.instead):
                return self.work(self.paths, **self.given), {}
        except MemoryError:
            raise ImportFormatError(_too_large(self.memory)) from None


def reader(
    most_bytes: int,
    instead: str,
    on_wait: OnWait | None = None,
    work: Callable[..., Any] = read_paths,
) -> Any:
    """Return what reads files as `read_paths` does: elsewhere, where this server has a pool.

    Parameters
    ----------
    most_bytes, instead
        How large a file may be, unpacked, and what to do with a larger one.
    on_wait
        Called while one waits; what it raises ends the reading.
    work
        Does it; takes paths first, and can be pickled.
    """
    return partial(_read, most_bytes, instead, on_wait, work)


def _read(
    most_bytes: int,
    instead: str,
    on_wait: OnWait | None,
    work: Callable[..., Any],
    paths: Iterable[Path | str] | Path | str,
    **given: Any,
) -> Any:
    from dashboard.pool.asking import pool

    listed = tuple(map(Path, (paths,) if isinstance(paths, Path | str) else paths))
    if not pool.is_running:
        with files_up_to(most_bytes, instead):
            return work(listed, **given)
    end = time.monotonic() + LONGEST_S

    def still_wanted(steps: tuple[int, int] | None) -> None:
        if time.monotonic() > end:
            raise ImportFormatError(
                f"is not read after {LONGEST_S / 60:.0f} minutes, and was given up. {_INSTEAD}"
            )
        if on_wait is not None:
            on_wait(steps)

    with scratch_folder() as scratch:
        task = ReadFiles(listed, given, most_bytes, instead, scratch, work)
        try:
            return pool.answer(("read", uuid4().hex), task, still_wanted)
        except StoreError as error:
            if str(error) != DIED:
                raise
            raise ImportFormatError(_too_large(task.memory)) from None


def _too_large(memory: int) -> str:
    return (
        f"takes more than {memory / 1e9:.0f} GB of memory to read, or brings the reading down. "
        f"{_INSTEAD}"
    )


def _limit_memory(n_bytes: int) -> None:
    """Let this process take so many more bytes, where the system can see to it."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        held = 4096 * int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = held + n_bytes if hard == resource.RLIM_INFINITY else min(hard, held + n_bytes)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
