"""Where pages and the API let tasks be worked on: in the pool of this server, if it has one."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.pool.fellows import Notices
from dashboard.pool.flights import Pool

if TYPE_CHECKING:
    from analysis.question import Progress
    from dashboard.pool.tasks import Task
    from store.engine import Store

pool: Final = Pool()
"""Of this server."""


def start() -> bool:
    """Start the pool, where the system can make copies of a process; return whether there is one.

    Elsewhere studies are worked on in threads of the server.
    """
    if sys.platform == "linux":
        pool.on_begin = Notices(pool, _opened).begin
        pool.start()
    return pool.is_running


def _opened() -> Store:
    from dashboard.data import is_frozen  # the pool starts before the database
    from store.engine import open_store

    return open_store(read_only=is_frozen())


def worked_out(key: Hashable, task: Task, store: Store | None, progress: Progress | None) -> Any:
    """Return the answer to a task; `key` tells it from all others.

    What `progress` raises, or a page that is to be drawn anew or was closed, cancels the work.
    """
    if not pool.is_running:
        return task.answer(store, progress)
    return pool.answer(key, task, partial(on_wait, progress))


def on_wait(progress: Progress | None, steps: tuple[int, int] | None) -> None:
    """Say how far it is; end a script that nobody waits for any more."""
    if progress is not None and steps is not None:
        progress(*steps)
    elif get_script_run_ctx(suppress_warning=True) is not None:
        _ = "any" in st.session_state  # looking there ends a script that nobody waits for
