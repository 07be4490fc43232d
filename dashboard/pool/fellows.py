"""What this server works on, written where its fellows on the same store see and stop it.

Only what takes longer than `EVERY_S` is written, by a thread that lives while something is at
work. Pages never wait for it, and where the store cannot be written to nothing is shown elsewhere.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from store.errors import StoreError

if TYPE_CHECKING:
    from dashboard.pool.flights import Pool
    from store.engine import Store
    from store.server_work import Work

EVERY_S: Final = 2.0
HERE: Final = f"{socket.gethostname()}, process {os.getpid()}"
"""This server."""


def own_work(pool: Pool, server: str = HERE) -> list[Work]:
    """Return what a pool works on now, the oldest first."""
    from store.server_work import Work  # the pool starts before the database

    return [
        Work(
            *(flight.uid, server, flight.name, int(time.time() - flight.since), flight.n_waiting),
            *(flight.steps or (None, None)),
        )
        for flight in pool.at_work()
    ]


class Notices:
    """The thread that writes what a pool works on, and stops what an admin wants stopped.

    Parameters
    ----------
    pool
        Whose work.
    opened
        Opens the store.
    server
        As fellows see it.
    every_s
        Seconds between two looks.
    """

    def __init__(
        self,
        pool: Pool,
        opened: Callable[[], Store],
        *,
        server: str = HERE,
        every_s: float = EVERY_S,
    ) -> None:
        self._pool, self._opened = pool, opened
        self._server, self._every_s = server, every_s
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_asked = False

    def begin(self) -> None:
        """Say that work begins."""
        with self._lock:
            self._is_asked = True
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._keep, name="fellows", daemon=True)
                self._thread.start()

    def _keep(self) -> None:
        """Write until nothing is at work any more."""
        if not self._goes_on():
            return  # most work is done by now: the store was not even opened
        with suppress(StoreError), self._opened() as store:
            self._look(store)
            while self._goes_on():
                self._look(store)
            self._look(store)

    def _goes_on(self) -> bool:
        """Wait a moment; return whether there is something to write."""
        with self._lock:
            self._is_asked = False
        time.sleep(self._every_s)
        with self._lock:
            if self._is_asked or self._pool.at_work():
                return True
            self._thread = None
            return False

    def _look(self, store: Store) -> None:
        from store.server_work import write_work

        with suppress(StoreError):  # somebody else writes: next time
            for uid in write_work(store, self._server, own_work(self._pool, self._server)):
                self._pool.end(uid)
