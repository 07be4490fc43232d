"""Parts of a study on the workers of a Dask cluster.

A worker that dies has its parts done by the others. Where the scheduler is away, all workers are
gone, or a worker is unfit, this process does what is left, and says so in the log.
"""

from __future__ import annotations

import logging
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from importlib import import_module, metadata
from typing import Any, Final, Generic, TypeVar

from analysis.statistics.signature import METHOD_VERSION
from analysis.workers.parts import Progress, UnfitWorkerError, cpu_s_elsewhere, staying_here

CONNECTS_S: Final = 3.0
"""Seconds after which a scheduler counts as away."""
NO_WORKER_S: Final = 10.0
"""Seconds without any worker after which this process goes on by itself."""
_LOOKS_UP_EVERY_S: Final = 0.2
_AT_ONCE: Final = 200
"""Parts at workers: to look after more would cost more than it gives."""
_LARGE: Final = 1_000_000
"""Bytes of work that are sent once to each worker, and not with each part."""
_LIBRARIES: Final = ("tiebreak", "numpy", "scipy", "numba")
LOG: Final = logging.getLogger("tiebreak.workers")

Part = TypeVar("Part")
Found = TypeVar("Found")


def each_on_dask(
    address: str,
    work: Callable[[Part], Found],
    parts: Sequence[Part],
    *,
    progress: Progress | None,
    sent: Callable[[Part], Found],
) -> Iterator[Found]:
    """Yield what `parts.each` does; workers call `sent`, this process `work`."""
    left = _Left(work, parts, progress)
    try:
        client = connected(address)
    except (ImportError, OSError, ValueError) as error:
        LOG.warning("Dask at %s is away (%s): this process works by itself.", address, error)
        yield from left.here()
        return
    try:
        yield from _Sent(client, left).in_order(sent)
    finally:
        client.close(timeout=1)


def connected(address: str) -> Any:
    """Return a client of a scheduler.

    Raises
    ------
    ImportError
        Dask is not installed: `pip install 'tiebreak[dask]'`.
    OSError, ValueError
        The scheduler is away, or the address is none.
    """
    distributed: Any = import_module("distributed")
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # it says in many lines what we do
    return distributed.Client(address, timeout=CONNECTS_S, set_as_default=False)


def described(address: str) -> str:
    """Say how many workers a scheduler has, or that it is away."""
    try:
        client = connected(address)
    except (ImportError, OSError, ValueError):
        return f"Dask at {address} is away: this server works by itself."
    n_workers = len(client.ncores())
    client.close(timeout=1)
    return f"{n_workers} workers of Dask at {address} take parts of long studies."


@dataclass(frozen=True, slots=True)
class Packed:
    """Work on its way. Dask prints arguments: the password of a store is not to be read there."""

    data: bytes = field(repr=False)


class _Left(Generic[Part, Found]):
    """What was found so far, by the number of the part."""

    def __init__(
        self, work: Callable[[Part], Found], parts: Sequence[Part], progress: Progress | None
    ) -> None:
        self.work, self.parts, self.progress = work, parts, progress
        self.found: dict[int, Found] = {}
        self.n_done = 0

    def tell(self) -> None:
        if self.progress is not None:
            self.progress(self.n_done, len(self.parts))

    def here(self, begin: int = 0) -> Iterator[Found]:
        """Yield all parts from one on, those that are missing worked on in this process."""
        with staying_here():
            for at in range(begin, len(self.parts)):
                if at not in self.found:
                    self.tell()
                    self.found[at] = self.work(self.parts[at])
                    self.n_done += 1
                yield self.found.pop(at)


class _Sent(Generic[Part, Found]):
    """Parts at the workers of a client."""

    def __init__(self, client: Any, left: _Left[Part, Found]) -> None:
        self._client, self._left = client, left
        self._pending: dict[Any, int] = {}
        """Future -> number of its part."""
        self._next = 0
        """Number of the first part that was not sent."""
        self._seen = time.monotonic()
        """When there was a worker last."""

    def in_order(self, sent: Callable[[Part], Found]) -> Iterator[Found]:
        """Yield what is found for each part, in order."""
        at = 0
        try:
            packed = self._pack(sent)
            while at < len(self._left.parts):
                self._submit(packed)
                self._left.tell()
                self._collect()
                while at in self._left.found:
                    yield self._left.found.pop(at)
                    at += 1
        except _GoneError as why:
            LOG.warning("Dask: %s. This process goes on by itself.", str(why).rstrip("."))
            self._cancel()
            yield from self._left.here(at)
        finally:
            self._cancel()

    def _pack(self, sent: Callable[[Part], Found]) -> Any:
        """Return the work as workers take it."""
        packed = Packed(import_module("cloudpickle").dumps(sent))
        if len(packed.data) <= _LARGE:
            return packed
        try:
            return self._client.scatter(packed, broadcast=True, timeout=CONNECTS_S)
        except (OSError, TimeoutError) as error:
            raise _GoneError(f"no worker takes the work ({error})") from None

    def _submit(self, packed: Any) -> None:
        """Have as many parts at workers as keep them busy."""
        done = partial(_done, wanted=versions())
        while len(self._pending) < _AT_ONCE and self._next < len(self._left.parts):
            future = self._client.submit(done, packed, self._left.parts[self._next], pure=False)
            self._pending[future] = self._next
            self._next += 1

    def _collect(self) -> None:
        """Wait a moment, and take what is done.

        Raises
        ------
        _GoneError
            No worker will do the rest.
        """
        distributed: Any = import_module("distributed")
        try:
            with self._client.as_current():
                pending = list(self._pending)
                ended = distributed.wait(pending, _LOOKS_UP_EVERY_S, "FIRST_COMPLETED").done
        except TimeoutError:
            self._look_for_workers()
            return
        except Exception as error:  # distributed has no common class of its faults
            raise _GoneError(f"the scheduler is gone ({error!s:.100})") from None
        for future in ended:
            self._take(future, self._pending.pop(future))

    def _take(self, future: Any, at: int) -> None:
        if future.status == "finished":
            self._left.found[at], spent = future.result()
            cpu_s_elsewhere(spent)
            self._left.n_done += 1
            return
        error = future.exception() if future.status == "error" else None
        if error is None or type(error).__module__.startswith("distributed"):
            raise _GoneError(f"a part was lost ({error or future.status})")
        if isinstance(error, UnfitWorkerError):
            raise _GoneError(str(error))
        raise error

    def _look_for_workers(self) -> None:
        if self._client.status != "running":
            raise _GoneError("the scheduler is gone")
        try:
            n_workers = len(self._client.ncores())
        except Exception as error:
            raise _GoneError(f"the scheduler is gone ({error!s:.100})") from None
        now = time.monotonic()
        if n_workers:
            self._seen = now
        elif now - self._seen > NO_WORKER_S:
            raise _GoneError(f"no worker for {NO_WORKER_S:.0f} seconds")

    def _cancel(self) -> None:
        """Have workers begin no part that nobody waits for."""
        pending, self._pending = list(self._pending), {}
        if pending and self._client.status == "running":
            self._client.cancel(pending)


class _GoneError(Exception):
    """Why no worker will do the rest."""


def versions() -> str:
    """Return what has to be the same for all who work on a study."""
    python = ".".join(platform.python_version_tuple()[:2])
    names = [f"{name} {metadata.version(name)}" for name in _LIBRARIES]
    return ", ".join([f"Python {python}", f"statistics {METHOD_VERSION}", *names])


def _done(packed: Packed, part: Any, *, wanted: str) -> tuple[Any, float]:
    """Do a part, in a worker; return what is found and the CPU seconds of this thread."""
    from analysis.statistics.resampling.threads import on_one_thread

    if versions() != wanted:
        raise UnfitWorkerError(f"a worker has {versions()}; here is {wanted}")
    began = time.thread_time()
    with staying_here(), on_one_thread():
        return _unpacked(packed)(part), time.thread_time() - began


@lru_cache(maxsize=4)
def _unpacked(packed: Packed) -> Callable[[Any], Any]:
    work: Callable[[Any], Any] = import_module("cloudpickle").loads(packed.data)
    return work
