"""The resampling plan that all pairs share, and the loop over its blocks.

One matrix of signs, or of multiplicities, serves every system: the resampled sums of S systems
are one matrix product per block of 256 replicates, and those of all pairs their differences.
Blocks are independent of each other, so threads take whole blocks and the matrix library keeps to
one thread each; that is faster than threads inside a product.
"""

import functools
import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from analysis.statistics.random_streams import BLOCK_ROWS, Stream, raw_words

BLOCK = BLOCK_ROWS
"""Replicates per block; a part of what a seed means."""
MAX_THREADS = 8
"""Threads taken unasked; each needs its own block in memory."""

Progress: TypeAlias = Callable[[int, int], None]
_Value = TypeVar("_Value")
_alone: ContextVar[bool] = ContextVar("_alone", default=False)


class SignCodes(NamedTuple):
    """The signs of one block in short: sign r of a unit is ±1 times Hadamard entry (r, position).

    The Hadamard matrix is Sylvester's, of order 256.
    """

    positions: npt.NDArray[np.uint8]
    """Shape (n_units,)."""
    minus: npt.NDArray[np.uint8]
    """1 where the column is turned, shape (n_units,)."""


def sign_codes(seed: int, block: int, n_units: int) -> SignCodes:
    """Draw the signs of one block: 9 fair bits per unit stand for its 256 signs.

    Notes
    -----
    A column of signs is a random code word of the first-order Reed-Muller code RM(1, 8), an
    orthogonal array of strength 3: every replicate is a vector of independent fair signs, and any
    three replicates of a block are independent of each other. The number of replicates that
    exceed a threshold has therefore exactly the mean, variance and skewness that it has for
    wholly independent signs, so p-values and their Monte Carlo error are the same. The sums of
    all replicates come from one fast Hadamard transform instead of a matrix product: 8 additions
    per replicate whatever the number of items.

    References
    ----------
    Hedayat, Sloane, Stufken (1999), Orthogonal Arrays, chapter 4 (strength = dual distance - 1).
    """
    words = raw_words(seed, Stream.SIGN_FLIPS, block, -(-n_units // 4))
    codes = words.astype("<u8", copy=False).view("<u2")[:n_units]
    return SignCodes(codes.astype(np.uint8), ((codes >> 8) & 1).astype(np.uint8))


def sign_block(
    seed: int, block: int, n_units: int, dtype: npt.DTypeLike = np.float64
) -> npt.NDArray[np.floating]:
    """Return the signs of one block of replicates.

    Parameters
    ----------
    seed, block : int
        Which block of which plan.
    n_units : int
        Items, or groups that are exchanged as a whole.
    dtype : float32 or float64

    Returns
    -------
    ndarray, shape (256, n_units)
        Fair values ±1, C-contiguous; a last block may use fewer rows. ``sign_block(…) @ x`` is
        `signed_sums` of x, which is far quicker.
    """
    codes = sign_codes(seed, block, n_units)
    replicates = np.arange(BLOCK, dtype=np.uint8)[:, np.newaxis]
    odd = np.bitwise_count(replicates & codes.positions) & 1 ^ codes.minus
    return np.asarray(1 - 2 * odd.astype(dtype))


def signed_sums(columns: npt.NDArray[np.floating], codes: SignCodes) -> npt.NDArray[np.floating]:
    """Return the sums over units of sign times value, for all replicates of a block.

    Parameters
    ----------
    columns : ndarray, shape (n_units, n_columns)
        float32 or float64, C-contiguous; systems, or components of systems.
    codes : SignCodes
        Of the units.

    Returns
    -------
    ndarray, shape (256, n_columns)
        Exact where `columns` holds whole numbers whose absolute sum stays exact.
    """
    from analysis.statistics.all_pairs import kernels

    sums = np.zeros((BLOCK, columns.shape[1]), columns.dtype)
    kernels.add_rows(columns, 0, np.arange(len(columns)), codes.positions, codes.minus, sums)
    kernels.hadamard(sums)
    return sums


def count_block(
    seed: int, block: int, n_units: int, dtype: npt.DTypeLike = np.float64
) -> npt.NDArray[np.floating]:
    """Return how often each unit is drawn, with replacement, in one block of replicates.

    Parameters
    ----------
    seed, block, n_units, dtype
        As for `sign_block`.

    Returns
    -------
    ndarray, shape (256, n_units)
        Multiplicities, C-contiguous; each row sums to `n_units`.

    Notes
    -----
    A unit is a 32-bit number times n, shifted right by 32: its chance is off by less than 2^-32,
    one part in a hundred thousand for 40,000 units.
    """
    from analysis.statistics.all_pairs.kernels import scatter_counts

    per_row = -(-n_units // 2)
    words = raw_words(seed, Stream.BOOTSTRAP, block, BLOCK * per_row).reshape(BLOCK, per_row)
    counts = np.empty((BLOCK, n_units), dtype)
    scatter_counts(words, counts)
    return counts


def run_blocks(
    work: Callable[[int, int], _Value],
    n_resamples: int,
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> list[_Value]:
    """Call ``work(block, rows)`` for every block of a plan.

    Parameters
    ----------
    work : callable
        Takes the number of the block and how many of its 256 rows count (fewer in the last one).
        Runs in several threads at once and must not depend on the order of blocks.
    n_resamples : int
        Replicates in all.
    n_threads : int, optional
        1 works in the caller's thread; by default one thread per usable processor, at most 8.
    progress : callable, optional
        Called as ``progress(done, n_resamples)`` in the caller's thread after each block. An
        exception that it raises, or an interrupt, drops the blocks not yet begun and is passed on.

    Returns
    -------
    list
        What `work` returned, in the order of blocks.
    """
    sizes = [min(BLOCK, n_resamples - first) for first in range(0, n_resamples, BLOCK)]
    threads = min(n_threads or usable_threads(), max(1, len(sizes)))
    results: list[_Value] = []
    with blas_on_one_thread():
        if threads == 1:
            for block, rows in enumerate(sizes):
                results.append(work(block, rows))
                _report(progress, block, n_resamples)
            return results
        pool = ThreadPoolExecutor(threads)
        try:
            pending: list[Future[_Value]] = [
                pool.submit(work, block, rows) for block, rows in enumerate(sizes)
            ]
            for block, future in enumerate(pending):
                results.append(future.result())
                _report(progress, block, n_resamples)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    return results


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


def _report(progress: Progress | None, block: int, n_resamples: int) -> None:
    if progress is not None:
        progress(min((block + 1) * BLOCK, n_resamples), n_resamples)


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
