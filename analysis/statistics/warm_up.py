"""Compile all loops before somebody waits for them."""

from __future__ import annotations

import importlib
import multiprocessing
import pkgutil
from typing import Any, TypeAlias

from analysis import statistics

Calls: TypeAlias = list[tuple[Any, Any]]
"""Loops, and the types that each is called with."""


def compile_loops(n_processes: int = 1) -> int:
    """Compile every loop for all types that it is called with, or load it; return how many it took.

    About a minute and a half of one processor the first time. Afterwards machine code is read from
    disk in a few seconds, where a folder for it can be written: beside the source, in the user's
    cache, or in ``NUMBA_CACHE_DIR``. Several processes load nothing into this one; where none
    can be forked, this one does it all. Nothing else depends on having called this.
    """
    parts = apart(calls())
    if n_processes == 1 or "fork" not in multiprocessing.get_all_start_methods():
        return sum(map(_compile, parts))
    with multiprocessing.get_context("fork").Pool(n_processes) as pool:
        return sum(pool.imap_unordered(_compile_part, range(len(parts))))


def calls() -> Calls:
    """Return all loops that Python calls, and what with."""
    for module in pkgutil.walk_packages(statistics.__path__, f"{statistics.__name__}."):
        importlib.import_module(module.name)
    from numba.core.sigutils import normalize_signature

    from analysis.statistics.resampling.kernels import CALLED

    # A text would be compiled as well, but kept on disk under its own words.
    parse: Any = normalize_signature
    return [(loop, parse(types)[0]) for loop, types in CALLED]


def apart(of: Calls) -> list[Calls]:
    """Return parts that have no loop in common, the largest first.

    Two processes that compile one loop for different types at once can mix up its files on disk.
    """
    parts: list[tuple[set[Any], Calls]] = []
    for call in of:
        loops, ours = _reached_from(call[0]), [call]
        for part in [part for part in parts if part[0] & loops]:
            parts.remove(part)
            loops, ours = loops | part[0], part[1] + ours
        parts.append((loops, ours))
    return [ours for _, ours in sorted(parts, key=lambda part: -len(part[0]))]


def _reached_from(loop: Any) -> set[Any]:
    found, new = {loop}, [loop]
    while new:
        code = new.pop().py_func
        named = {code.__globals__.get(name) for name in code.__code__.co_names} - found
        new += [one for one in named if hasattr(one, "py_func")]
        found.update(new)
    return found


def _compile_part(number: int) -> int:
    return _compile(apart(calls())[number])  # loops cannot be sent to another process


def _compile(part: Calls) -> int:
    for loop, types in part:
        loop.compile(types)
    return sum(sum(loop.stats.cache_misses.values()) for loop in {loop for loop, _ in part})
