"""Which differences between systems are real: results store and statistics as functions.

::

    import tiebreak
    tiebreak.log_run(system="mine", dataset="news", metric="accuracy", scores={"q1": 1, "q2": 0})

Importing this package loads nothing else; what a function needs is loaded when it is first used.
All problems with what you give are one of `StoreError`, `NotFoundError` (nothing has that name) and
`ImportFormatError` (scores or files cannot be used as they stand); both are a `StoreError`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from store.version import VERSION as __version__

if TYPE_CHECKING:
    from tiebreak.logging_runs import RunInProgress, log_run, start_run
    from tiebreak.results_store import (
        ImportFormatError,
        NotFoundError,
        Store,
        StoreError,
        open_store,
    )

__all__ = [
    "ImportFormatError",
    "NotFoundError",
    "RunInProgress",
    "Store",
    "StoreError",
    "__version__",
    "log_run",
    "open_store",
    "start_run",
]

_HOMES = {
    "logging_runs": ("RunInProgress", "log_run", "start_run"),
    "results_store": ("ImportFormatError", "NotFoundError", "Store", "StoreError", "open_store"),
}
"""Module -> the public names that it holds."""


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"tiebreak.{home}"), name)
    raise AttributeError(f"module 'tiebreak' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
