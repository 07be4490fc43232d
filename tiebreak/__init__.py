"""Which differences between systems are real: results store and statistics as functions.

::

    import tiebreak
    tiebreak.log_run(system="mine", dataset="news", metric="accuracy", scores={"q1": 1, "q2": 0})
    tiebreak.compare([1, 0, 1, 1], [0, 0, 1, 0])

Importing this package loads nothing else; what a function needs is loaded when it is first used.
All problems with what you give are one of `StoreError`, `NotFoundError` (nothing has that name) and
`ImportFormatError` (scores or files cannot be used as they stand); both are a `StoreError`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from store.version import VERSION as __version__

if TYPE_CHECKING:
    from tiebreak.answers import Answer
    from tiebreak.logging_runs import RunInProgress, log_run, start_run
    from tiebreak.of_people_and_time import agreement, claims, correlate
    from tiebreak.on_one_dataset import compare, leaderboard, pairs, power
    from tiebreak.over_datasets import rank, replicability, replicability_matrix
    from tiebreak.results_store import (
        ImportFormatError,
        NotFoundError,
        Store,
        StoreError,
        ingest,
        open_store,
    )

__all__ = [
    "Answer",
    "ImportFormatError",
    "NotFoundError",
    "RunInProgress",
    "Store",
    "StoreError",
    "__version__",
    "agreement",
    "claims",
    "compare",
    "correlate",
    "ingest",
    "leaderboard",
    "log_run",
    "open_store",
    "pairs",
    "power",
    "rank",
    "replicability",
    "replicability_matrix",
    "start_run",
]

_HOMES = {
    "answers": ("Answer",),
    "of_people_and_time": ("agreement", "claims", "correlate"),
    "on_one_dataset": ("compare", "leaderboard", "pairs", "power"),
    "over_datasets": ("rank", "replicability", "replicability_matrix"),
    "logging_runs": ("RunInProgress", "log_run", "start_run"),
    "results_store": (
        "ImportFormatError",
        "NotFoundError",
        "Store",
        "StoreError",
        "ingest",
        "open_store",
    ),
}
"""Module -> the public names that it holds."""


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"tiebreak.{home}"), name)
    raise AttributeError(f"module 'tiebreak' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
