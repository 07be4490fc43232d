"""Work in pieces that threads can take: tiles of pairs, and blocks of a resampling plan.

Pieces are independent of each other, so threads take whole ones and the matrix library keeps to
one thread each; that is faster than threads inside a product.
"""

import functools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController

from analysis.statistics._typing import CodeArray, IntArray, Progress
from analysis.statistics.resampling.plan import BLOCK
from analysis.workers import parts

MAX_THREADS = 8
"""Threads taken unasked; each needs its own block in memory."""

_WORTH_A_POOL = 0.02
"""Seconds of work that is left: with less of it threads cost more than they save."""

_FEW_TILES = 8
"""With fewer the first is too large a part of the work to be done alone."""

_MOST_PARTS = 100
"""Of the blocks of a plan, where workers in other processes take them."""

_Value = TypeVar("_Value")
_alone: ContextVar[bool] = ContextVar("_alone", default=False)


def run_tiles(
    work: Callable[[int], _Value],
    n_tiles: int,
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> list[_Value]:
    """Call ``work(tile)`` for each tile, in several threads at once.

    Parameters
    ----------
    work : callable
        Must not depend on the order of tiles, nor write where another tile does.
    n_tiles : int
    n_threads : int, optional
        1 works in the caller's thread; by default one thread per usable processor, at most 8.
        Little work is done in the caller's thread all the same.
    progress : callable, optional
        Called as ``progress(done, n_tiles)`` in the caller's thread. An exception that it raises,
        or an interrupt, drops the tiles not yet begun and is passed on.

    Returns
    -------
    list
        What `work` returned, in the order of tiles.
    """
    threads = min(n_threads or usable_threads(), max(1, n_tiles))
    results: list[_Value] = []

    def take(value: _Value) -> None:
        results.append(value)
        if progress is not None:
            progress(len(results), n_tiles)

    with blas_on_one_thread():
        start = time.perf_counter()
        for tile in range(n_tiles if threads == 1 or n_tiles >= _FEW_TILES else 0):
            spent = time.perf_counter() - start
            if threads > 1 and tile and spent / tile * (n_tiles - tile) > _WORTH_A_POOL:
                break
            take(work(tile))
        begun = len(results)
        if begun < n_tiles:
            pool = ThreadPoolExecutor(min(threads, n_tiles - begun))
            try:
                for pending in [pool.submit(work, tile) for tile in range(begun, n_tiles)]:
                    take(pending.result())
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
    return results


def run_blocks(
    work: Callable[[int, int], _Value],
    n_resamples: int,
    *,
    together: int = 1,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> list[_Value]:
    """Call ``work(block, rows)`` for every block of a plan, as `run_tiles` does.

    Parameters
    ----------
    work : callable
        Takes the number of the block and how many of its 256 rows count (fewer in the last one).
    n_resamples : int
        Replicates in all; what `progress` speaks of.
    together : int
        Blocks that `work` takes at once: it gets the number of the first, and rows of all.
    n_threads, progress
        As for `run_tiles`.
    """

    size = together * BLOCK

    def report(done: int, _: int) -> None:
        if progress is not None:
            progress(min(done * size, n_resamples), n_resamples)

    return run_tiles(
        lambda part: work(part * together, min(size, n_resamples - part * size)),
        -(-n_resamples // size),
        n_threads=n_threads,
        progress=report,
    )


def count_blocks(
    work: Callable[[int, int], IntArray | CodeArray],
    totals: IntArray,
    n_resamples: int,
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
    writes: bool = False,
) -> IntArray:
    """Add to `totals` what ``work(block, rows)`` counts in every block of a plan; return them.

    Where there are workers in other processes, they take blocks too, unless `work` `writes`.
    """
    if parts.scheduler() is not None and not writes:
        counting = _Counting(work, n_resamples, n_threads)
        for found in parts.each(counting, counting.parts(), progress=progress):
            totals += found
        return totals
    adding = threading.Lock()

    def add(block: int, rows: int) -> None:
        found = work(block, rows)
        with adding:
            np.add(totals, found, out=totals)

    run_blocks(add, n_resamples, n_threads=n_threads, progress=progress)
    return totals


class _Counting:
    """Counts in some blocks, one after the other."""

    def __init__(
        self,
        work: Callable[[int, int], IntArray | CodeArray],
        n_resamples: int,
        n_threads: int | None,
    ) -> None:
        self._work, self._n_resamples, self._n_threads = work, n_resamples, n_threads

    def parts(self) -> list[range]:
        """Return the blocks in at most `_MOST_PARTS` parts, each with one for every thread here."""
        n_blocks = -(-self._n_resamples // BLOCK)
        step = max(usable_threads(), -(-n_blocks // _MOST_PARTS))
        return [range(at, min(at + step, n_blocks)) for at in range(0, n_blocks, step)]

    def __call__(self, blocks: range) -> IntArray:
        def count(at: int) -> IntArray | CodeArray:
            block = blocks[at]
            return self._work(block, min(BLOCK, self._n_resamples - block * BLOCK))

        found = run_tiles(count, len(blocks), n_threads=self._n_threads)
        return np.asarray(np.sum(found, axis=0, dtype=np.int64))


def part_of(progress: Progress | None, index: int, n_parts: int) -> Progress | None:
    """Return what one of several parts of the work, taken as equally long, is to report to."""
    if progress is None:
        return None

    def report(done: int, total: int) -> None:
        progress(index * total + done, n_parts * total)

    return report


@contextmanager
def on_one_thread() -> Iterator[None]:
    """Have the caller's thread take no others unasked.

    For many small comparisons in a row: each would start threads for less work than that takes.
    """
    token = _alone.set(True)
    try:
        with blas_on_one_thread():
            yield
    finally:
        _alone.reset(token)


def usable_threads() -> int:
    """Return how many threads to take unasked."""
    if _alone.get():
        return 1
    affinity = getattr(os, "sched_getaffinity", None)
    usable = len(affinity(0)) if affinity else os.cpu_count() or 1
    return min(usable, MAX_THREADS)


class _Pin:
    """Who holds the matrix library at one thread: the limit belongs to the whole process."""

    lock = threading.Lock()
    holders = 0
    restore: Callable[[], None]


@contextmanager
def blas_on_one_thread() -> Iterator[None]:
    """Keep the matrix library to one thread until the last of overlapping users has left."""
    with _Pin.lock:
        if _Pin.holders == 0:
            limit = _controller(len(sys.modules)).limit(limits=1, user_api="blas")
            _Pin.restore = limit.restore_original_limits
        _Pin.holders += 1
    try:
        yield
    finally:
        with _Pin.lock:
            _Pin.holders -= 1
            if _Pin.holders == 0:
                _Pin.restore()


@functools.lru_cache(maxsize=1)
def _controller(n_modules: int) -> ThreadpoolController:
    # Finding the loaded libraries takes longer than a small comparison; a later import may bring
    # another one.
    return ThreadpoolController()
