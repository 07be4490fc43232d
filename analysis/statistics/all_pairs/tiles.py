"""Work over pairs, in pieces that threads can take."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from analysis.statistics.all_pairs.plan import Progress, blas_on_one_thread, usable_threads


def run_tiles(
    work: Callable[[int], None],
    n_tiles: int,
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Call ``work(tile)`` for each tile, in several threads at once.

    Parameters
    ----------
    work : callable
        Writes its results where no other tile does; must not depend on the order of tiles.
    n_tiles : int
    n_threads : int, optional
        1 works in the caller's thread; by default one thread per usable processor, at most 8.
    progress : callable, optional
        Called as ``progress(done, n_tiles)`` in the caller's thread. An exception that it raises
        drops the tiles not yet begun and is passed on.
    """
    threads = min(n_threads or usable_threads(), max(1, n_tiles))
    with blas_on_one_thread():
        if threads == 1:
            for tile in range(n_tiles):
                work(tile)
                if progress is not None:
                    progress(tile + 1, n_tiles)
            return
        pool = ThreadPoolExecutor(threads)
        try:
            pending = [pool.submit(work, tile) for tile in range(n_tiles)]
            for tile, future in enumerate(pending):
                future.result()
                if progress is not None:
                    progress(tile + 1, n_tiles)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def part_of(progress: Progress | None, index: int, n_parts: int) -> Progress | None:
    """Return what one of several parts of the work, taken as equally long, is to report to."""
    if progress is None:
        return None

    def report(done: int, total: int) -> None:
        progress(index * total + done, n_parts * total)

    return report
