"""What the server loads while it listens already: what pages import, and the pool of studies.

One thread imports everything, the frame of all pages first and then tab by tab; a tab that somebody
opens comes next. While a page is drawn the thread waits: the page needs the processor more.

What is loaded once and stays is kept out of the search for garbage: to look through all of pandas,
scipy and numba costs more than most pages.
"""

from __future__ import annotations

import ast
import gc
import importlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from dashboard.places import tabs

_FOLDER: Final = Path(__file__).resolve().parent / "app_pages"
_ABOVE: Final = __name__.removesuffix("dashboard.warm_up")
_FRAME: Final = ("dashboard.app", "dashboard.api.app")
_LONGEST_PAUSE_S: Final = 5.0


class WarmUp:
    """The thread that loads, and what it has loaded so far."""

    def __init__(self) -> None:
        self._scripts = {tab.script: threading.Event() for _, tab in tabs()}
        self._frame = threading.Event()
        self._asked: list[str] = []
        self._n_drawn = 0
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Begin to load, once."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._load, name="warm-up", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """End the processes that were started."""
        if self._thread is not None:
            from dashboard.pool.asking import pool

            pool.stop()

    @property
    def has_frame(self) -> bool:
        """Whether what all pages and the API have in common is loaded, or nobody loads it."""
        return self._thread is None or self._frame.is_set()

    @property
    def is_done(self) -> bool:
        """Whether all tabs are loaded, or nobody loads them."""
        return self._thread is None or all(one.is_set() for one in self._scripts.values())

    def wait_for_frame(self) -> None:
        """Wait until what all pages and the API have in common is loaded."""
        if self._thread is not None:
            self._frame.wait()

    def wait_for(self, script: str) -> None:
        """Wait until what a tab's script imports is loaded; it comes next."""
        if self._thread is not None and not self._scripts[script].is_set():
            with self._changed:
                self._asked.append(script)
                self._changed.notify_all()
            self._scripts[script].wait()

    @contextmanager
    def page(self) -> Iterator[None]:
        """Hold the thread back while a page is drawn, except for what the page waits for."""
        with self._changed:
            self._n_drawn += 1
        try:
            yield
        finally:
            with self._changed:
                self._n_drawn -= 1
                self._changed.notify_all()

    def _load(self) -> None:
        has_pool = _start_pool()
        gc.disable()  # what is imported stays: to search it takes a quarter of the time
        for name in _FRAME:
            with suppress(Exception):  # whoever imports it again says why
                importlib.import_module(_ABOVE + name)
        self._frame.set()
        left = list(self._scripts)
        while left:
            self._let_pages_go_first()
            script = self._asked.pop(0) if self._asked else left[0]
            if script in left:
                left.remove(script)
                with suppress(Exception):  # the page says why
                    _import_as(_FOLDER / f"{script}.py")
                self._scripts[script].set()
        _keep_what_is_loaded()
        if not has_pool:
            self._let_pages_go_first()
            _compile_loops()

    def _let_pages_go_first(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._asked or not self._n_drawn, _LONGEST_PAUSE_S)


warm_up: Final = WarmUp()
"""Of this server. In a process that never begins, everything is loaded where it is imported."""


def _import_as(script: Path) -> None:
    """Do what a script's imports do, and nothing else of it."""
    tree = ast.parse(script.read_bytes(), str(script))
    tree.body = [line for line in tree.body if isinstance(line, ast.Import | ast.ImportFrom)]
    exec(compile(tree, str(script), "exec"), {})


def _start_pool() -> bool:
    from dashboard.pool import asking
    from store.scratch import remove_left_behind

    remove_left_behind()
    return asking.start()


def _compile_loops() -> None:
    from analysis.statistics.warm_up import compile_loops

    compile_loops()
    _keep_what_is_loaded()


def _keep_what_is_loaded() -> None:
    gc.collect()
    gc.freeze()
    gc.enable()
