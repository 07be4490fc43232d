"""Independent parts of a study, worked on here or by workers elsewhere, with the same results.

Workers are taken where ``TIEBREAK_DASK`` names a scheduler. A part is small enough to be done in
seconds, and what it gives depends on nothing but itself: so it matters to no bit where it is done.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeVar

Progress = Callable[[int, int], None]
"""Called with (parts done, of how many)."""

SCHEDULER: Final = "TIEBREAK_DASK"
HERE_FIRST_S: Final = 1.0
"""CPU seconds of work before any part is sent: what is done by then needs no cluster.

A crowded machine makes no work longer: its workers would wait as this process does.
"""

Part = TypeVar("Part")
Found = TypeVar("Found")

_elsewhere = [0.0]
_stays_here: ContextVar[bool] = ContextVar("_stays_here", default=False)


class UnfitWorkerError(Exception):
    """A worker cannot do a part: it has another version, or does not reach the store."""


def scheduler() -> str | None:
    """Return the address of the scheduler whose workers are taken, ``None`` for this process."""
    return None if _stays_here.get() else os.environ.get(SCHEDULER, "").strip() or None


def each(
    work: Callable[[Part], Found],
    parts: Sequence[Part],
    *,
    progress: Progress | None = None,
    sent: Callable[[Part], Found] | None = None,
) -> Iterator[Found]:
    """Yield ``work(part)`` for each part, in order.

    Parameters
    ----------
    work
        Depends on its part alone, and writes nothing that another part reads.
    parts
        What can be sent to another process.
    progress
        What it raises cancels the parts that are not done.
    sent
        What workers elsewhere call instead, and can be sent there; by default `work`.
    """
    address = scheduler()
    spent = 0.0
    for done, part in enumerate(parts):
        if address is not None and spent >= HERE_FIRST_S and len(parts) - done > 1:
            from analysis.workers.on_dask import each_on_dask  # takes half a second to load

            rest = _from(progress, done, len(parts))
            yield from each_on_dask(address, work, parts[done:], progress=rest, sent=sent or work)
            return
        if progress is not None:
            progress(done, len(parts))
        began = time.process_time()
        found = work(part)
        spent += time.process_time() - began
        yield found


def _from(progress: Progress | None, begin: int, total: int) -> Progress | None:
    """Return what the parts from one on report to."""
    if progress is None:
        return None
    return lambda done, _: progress(begin + done, total)


def cpu_s_elsewhere(more: float = 0.0) -> float:
    """Return the CPU seconds that workers have spent for this process, with some more."""
    _elsewhere[0] += more
    return _elsewhere[0]


@contextmanager
def staying_here() -> Iterator[None]:
    """Work on all parts in this process: it is a worker itself, or no worker can be had."""
    token = _stays_here.set(True)
    try:
        yield
    finally:
        _stays_here.reset(token)
