"""Tasks that are worked on now: who waits for them, and how they end.

Who asks for what somebody waits for already waits along. When the last one leaves, by a click on
"Stop" or by closing the tab, the process is killed; nothing of it is kept.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, Protocol

from dashboard.pool import PROTOCOL
from dashboard.turns import turns
from store.errors import StoreError

if TYPE_CHECKING:
    from analysis.question import Progress
    from store.damage import Found

AT_ONCE: Final = min(8, max(4, 2 * (os.cpu_count() or 1)))
"""Long tasks worked on at the same time: each may hold the scores of a whole board in memory."""
LONG_S: Final = 1.0
"""Seconds after which a task is long, and leaves its place to a short one if it can."""
_SHORT_AT_ONCE: Final = 4
LOOKS_UP_EVERY_S: Final = 0.2
"""How often who waits looks whether somebody still wants the answer."""
DIED: Final = (
    "The process that computed this has ended before it was done, perhaps for lack of memory. The "
    "server goes on. Ask again; if it happens twice, ask for fewer systems or datasets."
)

_STOPPED: Final = "An admin has stopped this work. Ask again later, or for less."

OnWait = Callable[[tuple[int, int] | None], None]
"""Called while one waits, with (steps done, of how many) once known; what it raises leaves."""


class Task(Protocol):
    """What a process of its own can be asked; it is sent there."""

    @property
    def asked(self) -> Any:
        """What it is about: a question, or the name of something else."""

    def run(self, progress: Progress | None) -> tuple[Any, Found]:
        """Return the answer, with what was found damaged."""


class Flight:
    """One task at work."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.uid = token_hex(6)
        self.steps: tuple[int, int] | None = None
        self.outcome: tuple[str, Any] | None = None
        self.n_waiting = 0
        self.is_given_up = False
        self.is_stopped = False
        """By an admin, although somebody waits."""
        self.since = time.time()
        self.worker: int | None = None
        """Process id."""
        self.landed = threading.Event()

    @property
    def name(self) -> str:
        """Of what is asked."""
        asked = self.task.asked
        return asked if isinstance(asked, str) else str(asked.name)


class _Places:
    """Places to work at: some for short tasks, so that these never wait for long ones."""

    def __init__(self) -> None:
        self._short = threading.Semaphore(_SHORT_AT_ONCE)
        self._long = threading.Semaphore(AT_ONCE)

    @contextmanager
    def taken(self) -> Iterator[Callable[[], None]]:
        """Take a place for a short task; yield what moves it to one for long ones, if it can."""
        held = self._short

        def move() -> None:
            nonlocal held
            if held is self._short and self._long.acquire(blocking=False):
                self._short.release()
                held = self._long

        held.acquire()
        try:
            yield move
        finally:
            held.release()


class Pool:
    """Processes that answer, one for each task, made by a nursery.

    `with_loops`: have the nursery load compiled loops while nobody asks.
    """

    def __init__(self, *, with_loops: bool = True) -> None:
        self._options = ["--loops"] if with_loops else []
        self._flights: dict[Hashable, Flight] = {}
        self._lock = threading.Lock()
        self._places = _Places()
        self._making = threading.Lock()
        self._control: socket.socket | None = None
        self._nursery: subprocess.Popen[bytes] | None = None
        self._n_at_work = 0
        self.on_begin: Callable[[], None] | None = None
        """Called when work begins."""
        self._ended: Counter[str] = Counter()

    def work(self) -> tuple[int, Counter[str]]:
        """Return how many tasks are at work, and how many were done, failed or were left."""
        with self._lock:
            return self._n_at_work, self._ended.copy()

    def answer(self, key: Hashable, task: Task, on_wait: OnWait) -> Any:
        """Return the answer to a task; `key` tells it from all others.

        Raises
        ------
        StoreError
            It cannot be answered, or its process ended.
        """
        with self._lock:
            flight = self._flights.get(key)
            if flight is None:
                flight = self._flights[key] = Flight(task)
                threading.Thread(target=self._fly, args=(key, flight), daemon=True).start()
            flight.n_waiting += 1
        if self.on_begin is not None:
            self.on_begin()
        try:
            with turns.given_away():
                while not flight.landed.wait(LOOKS_UP_EVERY_S):
                    on_wait(flight.steps)
        finally:
            self._leave(key, flight)
        assert flight.outcome is not None
        kind, found = flight.outcome
        if kind == "failed":
            raise found
        return found

    @property
    def is_running(self) -> bool:
        """Whether it was started."""
        return self._control is not None

    def start(self) -> None:
        """Start the nursery, so that it has loaded what studies need when somebody asks."""
        with self._making:
            if self._nursery is None or self._nursery.poll() is not None:
                ours, theirs = socket.socketpair()
                module = f"{__package__}.nursery"
                command = [sys.executable, "-m", module, str(theirs.fileno()), *self._options]
                with theirs:
                    self._nursery = subprocess.Popen(command, pass_fds=[theirs.fileno()])
                if self._control is not None:
                    self._control.close()
                self._control = ours

    def at_work(self) -> list[Flight]:
        """Return the tasks that are worked on now, the oldest first."""
        with self._lock:
            return sorted(self._flights.values(), key=lambda one: one.since)

    def end(self, uid: str) -> None:
        """End a task that is at work; whoever waits for it is told so."""
        with self._lock:
            for flight in self._flights.values():
                if flight.uid == uid and flight.worker is not None:
                    flight.is_stopped = True
                    with suppress(ProcessLookupError):
                        os.kill(flight.worker, signal.SIGKILL)

    def stop(self) -> None:
        """End the nursery and all its children."""
        with self._making:
            if self._nursery is not None and self._control is not None:
                self._control.close()
                self._nursery.kill()
                self._nursery.wait()
                self._nursery = self._control = None

    def _leave(self, key: Hashable, flight: Flight) -> None:
        with self._lock:
            flight.n_waiting -= 1
            if flight.n_waiting or flight.landed.is_set():
                return
            flight.is_given_up = True
            self._forget(key, flight)
            if flight.worker is not None:
                with suppress(ProcessLookupError):
                    os.kill(flight.worker, signal.SIGKILL)

    def _forget(self, key: Hashable, flight: Flight) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]

    def _fly(self, key: Hashable, flight: Flight) -> None:
        """See a task through, in a thread of its own."""
        with self._places.taken() as becomes_long:
            try:
                if not flight.is_given_up:
                    flight.outcome = self._outcome(flight, becomes_long)
            except (EOFError, OSError):
                flight.outcome = ("failed", StoreError(_STOPPED if flight.is_stopped else DIED))
            except Exception as error:
                flight.outcome = ("failed", error)
            finally:
                with self._lock:
                    self._forget(key, flight)
                    flight.worker = None
                    kind = "left" if flight.is_given_up else (flight.outcome or ("failed",))[0]
                    self._ended[kind] += 1
                    flight.landed.set()

    def _outcome(self, flight: Flight, becomes_long: Callable[[], None]) -> tuple[str, Any]:
        with self._lock:
            is_alone = self._n_at_work == 0
            self._n_at_work += 1
        try:
            with self._child() as child:
                worker = child.recv()
                with self._lock:
                    flight.worker = worker
                    if flight.is_given_up:
                        os.kill(worker, signal.SIGKILL)
                child.send_bytes(pickle.dumps((flight.task, is_alone), protocol=PROTOCOL))
                began = time.monotonic()
                while True:
                    has_come = child.poll(LONG_S)
                    if time.monotonic() - began > LONG_S:
                        becomes_long()
                    if not has_come:
                        continue
                    kind, found = child.recv()
                    if kind == "progress":
                        flight.steps = found
                        continue
                    if kind == "done":
                        from store.damage import remember  # the pool starts before the database

                        found, damaged = found
                        remember(damaged)
                    return kind, found
        finally:
            with self._lock:
                self._n_at_work -= 1

    def _child(self) -> Connection:
        """Return the connection to a new child of the nursery, which may have to be made anew."""
        ours, theirs = socket.socketpair()
        with theirs:
            for _ in range(2):
                self.start()
                with suppress(OSError), self._making:
                    assert self._control is not None
                    socket.send_fds(self._control, [b"."], [theirs.fileno()])
                    break
        return Connection(ours.detach())
