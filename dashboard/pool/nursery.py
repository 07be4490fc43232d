"""The process that makes a process for each task: it has loaded already what studies need.

    python -m dashboard.pool.nursery FD [--loops]

On the socket FD come ends of other sockets, one for each task, each to a new child. The nursery
ends when the server closes FD or dies, and its children die with it.
"""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Final

from analysis.statistics.resampling.threads import on_one_thread
from dashboard import logs
from dashboard.pool import PROTOCOL, reading, tasks
from store.errors import StoreError

_QUIET_S: Final = 1.0
"""Seconds without a task before loops are compiled or loaded."""
_NICENESS: Final = 5
"""Pages go first."""
_REPORT_EVERY_S: Final = 0.1
_DIE_WITH_PARENT: Final = 1  # PR_SET_PDEATHSIG
_LIBC: Final = ctypes.CDLL(None)


def main(fd: int, *, with_loops: bool) -> None:
    """Make children until the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends us
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for children
    control = socket.socket(fileno=fd)
    _keep_out_of_copies()
    loops = None
    while True:
        if with_loops and _is_quiet(control):
            loops = loops or Loops()
            with_loops = not loops.are_loaded_while_quiet(control)
        said, ends, _, _ = socket.recv_fds(control, 1, 1)
        if not said:
            return
        if _becomes_child():
            control.close()
            with suppress(EOFError, BrokenPipeError):  # nobody waits any more
                _work(Connection(ends[0]))
            os._exit(0)
        os.close(ends[0])


class Loops:
    """Compiled loops: a child writes them to the disk, then we load them when nobody asks."""

    def __init__(self) -> None:
        self._compiled, theirs = os.pipe()
        if _becomes_child():
            _load_loops()
            os._exit(0)
        os.close(theirs)  # the child has the other one, and so tells that it is done

    def are_loaded_while_quiet(self, control: socket.socket) -> bool:
        """Return True once they are loaded, False as soon as there is a task."""
        if control.fileno() in select.select([control.fileno(), self._compiled], [], [])[0]:
            return False
        _load_loops()
        os.close(self._compiled)
        return True


def _is_quiet(control: socket.socket) -> bool:
    """Return whether there is no task for a while; until then what a page waits for goes first."""
    return not select.select([control], [], [], _QUIET_S)[0]


def _becomes_child() -> bool:
    """Fork; return whether this is the child, which ends when its parent does."""
    parent = os.getpid()
    if os.fork() != 0:
        return False
    _LIBC.prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:  # it died in between
        os._exit(1)
    os.nice(_NICENESS)
    return True


def _work(server: Connection) -> None:
    """Take one task, say how far it is, and give the answer."""
    server.send(os.getpid())
    task, is_alone = server.recv()
    last = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _REPORT_EVERY_S or done >= total:
            last = now
            server.send(("progress", (done, total)))

    try:
        if is_alone:
            outcome = ("done", task.run(progress))
        else:
            with on_one_thread():
                outcome = ("done", task.run(progress))
    except BrokenPipeError:
        raise
    except Exception as error:
        outcome = ("failed", error)
    server.send_bytes(_pickled(outcome))


def _pickled(outcome: tuple[str, Any]) -> bytes:
    try:
        return pickle.dumps(outcome, protocol=PROTOCOL)
    except Exception as error:
        return pickle.dumps(("failed", StoreError(f"{outcome[1]!r:.500} ({error})")))


def _load_loops() -> None:
    import scipy.special  # the tests take it, when they are called

    from analysis.statistics.warm_up import compile_loops

    assert scipy.special.ndtr
    compile_loops()
    _keep_out_of_copies()


def _keep_out_of_copies() -> None:
    """Keep what is loaded out of the search for garbage, which would copy all of it."""
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    assert tasks.LISTS  # loaded, for all children
    assert reading.MEMORY
    if logs.is_json():
        logs.begin_without_pages()
    main(int(sys.argv[1]), with_loops="--loops" in sys.argv)
