"""Closed testing by sums of statistics: how many cells of any set can be without an effect?

A set of cells is rejected when the sum of its statistics exceeds what exchanges make of it. The
largest set that is not rejected bounds the number of cells without an effect (Goeman and Solari
2011). Sets are too many to look at each: for a size m, the sum of the m largest gains of each
replicate bounds the gain of every set of that size (the single step), and a branch and bound
divides what that leaves open (Vesely, Finos and Goeman 2023).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, CodeArray, FloatArray

TABLE_BYTES = 128 * 2**20
"""Memory that the bounds of a branch and bound may take."""


class Unrejected(NamedTuple):
    """How large a set of cells can be without being rejected."""

    size: int
    """No larger set is unrejected."""
    decided: bool
    """Whether a set of this size was found; if not, the search was given up."""


def needed_reached(alpha: float, n_resamples: int) -> int:
    """Return how many replicates must reach the observed sum for a set not to be rejected.

    The p-value is (count + 1) / (n_resamples + 1), the set is rejected when it is at most alpha.

    Raises
    ------
    ValueError
        If no p-value of so few replicates can be at most alpha.
    """
    # Nudged: the product of a level such as 0.07 and a whole number may come out below it.
    needed = int(np.floor(alpha * (n_resamples + 1) * (1 + 1e-12)))
    if needed < 1:
        raise ValueError(
            f"`n_resamples` must be at least {int(np.ceil(1 / alpha)) - 1} for `alpha` {alpha:g}, "
            f"got {n_resamples}: no p-value could be that small."
        )
    return needed


def largest_unrejected(
    gains: CodeArray, needed: int, *, limit: int = 20_000, table_bytes: int = TABLE_BYTES
) -> Unrejected:
    """Find the size of the largest set of cells that its sum does not reject.

    Parameters
    ----------
    gains : ndarray of int32, shape (n_cells, n_resamples)
        Statistic of each replicate less the observed one, cells in ascending order of the
        observed statistic.
    needed : int
        Replicates with a sum of gains of 0 or more that a set needs to stay.
    limit : int
        Bounds that the search may look at for one size.
    table_bytes : int
        Memory that it may take; where that is not enough the single step decides.
    """
    from analysis.statistics.across.joint import closed_sums_kernels as kernels

    n, n_resamples = gains.shape
    prefixes = np.empty((n + 1, n_resamples), dtype=np.int32)
    counts = np.empty(n + 1, dtype=np.int64)
    kernels.prefix_sums(gains, prefixes, counts)
    found = int(np.flatnonzero(counts >= needed)[-1])
    if found == n:
        return Unrejected(n, True)
    largest = np.empty_like(prefixes)
    kernels.largest_sums(gains, largest, counts)
    sizes = np.flatnonzero(counts >= needed)[::-1]
    sizes = sizes[sizes > found]
    search = _Search(gains, prefixes, largest, sizes, table_bytes)
    for size in sizes:
        best, upper = search.most_reached(int(size), needed - 1, needed, limit)
        if upper >= needed:
            return Unrejected(int(size), best >= needed)
    return Unrejected(found, True)


def largest_pvalues(
    gains: CodeArray, *, limit: int = 1_000, table_bytes: int = TABLE_BYTES
) -> FloatArray:
    """Return the largest p-value of any set of at least so many cells.

    Parameters
    ----------
    gains, limit, table_bytes
        As for `largest_unrejected`.

    Returns
    -------
    ndarray, shape (n_cells,)
        Entry m - 1 is for sets of at least m cells: (count + 1) / (n_resamples + 1) with the
        count of the set that most replicates reach, or a bound where the search was given up.
    """
    from analysis.statistics.across.joint import closed_sums_kernels as kernels

    n, n_resamples = gains.shape
    prefixes = np.empty((n + 1, n_resamples), dtype=np.int32)
    least, most = np.empty(n + 1, dtype=np.int64), np.empty(n + 1, dtype=np.int64)
    kernels.prefix_sums(gains, prefixes, least)
    largest = np.empty_like(prefixes)
    kernels.largest_sums(gains, largest, most)
    # What larger sets show at least; a size is of interest where its bound is higher.
    shown = np.maximum.accumulate(least[::-1])[::-1]
    sizes = np.flatnonzero(most[1:] > shown[1:]) + 1
    search = _Search(gains, prefixes, largest, sizes, table_bytes)
    counts, top = np.zeros(n, dtype=np.int64), 0
    for size in range(n, 0, -1):
        if most[size] > max(top, least[size]):
            known = max(top, int(least[size]))
            top = search.most_reached(size, known, n_resamples + 1, limit)[1]
        else:
            top = max(top, int(least[size]))
        counts[size - 1] = top
    return np.asarray((counts + 1) / (n_resamples + 1))


class _Search:
    """Branch and bound over sets of cells, on the replicates that can matter."""

    def __init__(
        self,
        gains: CodeArray,
        prefixes: CodeArray,
        largest: CodeArray,
        sizes: npt.NDArray[np.intp],
        table_bytes: int,
    ) -> None:
        self._gains, self._prefixes, self._largest = gains, prefixes, largest
        n_rows = (len(gains) + 1) * (len(gains) + 2) // 2
        self._n_rows, self._capacity = n_rows, table_bytes // (4 * n_rows)
        self._for_all: _Table | None = None
        # Other replicates reach 0 for no set of any of these sizes.
        reached = np.any(largest[sizes] >= 0, axis=0)
        if sizes.size and np.count_nonzero(reached) <= self._capacity:
            self._for_all = self._table(reached)

    def most_reached(self, size: int, best: int, enough: int, limit: int) -> tuple[int, int]:
        """Return the count of the best set of `size` cells, and a bound for the count of any."""
        from analysis.statistics.across.joint import closed_sums_kernels as kernels

        table = self._for_all
        if table is None:
            reached = self._largest[size] >= 0
            n_reached = int(np.count_nonzero(reached))
            if n_reached > self._capacity:
                return best, n_reached
            table = self._table(reached)
        room = np.empty((size + 1, table.gains.shape[1]), dtype=np.int32)
        return kernels.most_reached(*table, size, best, enough, limit, room)

    def _table(self, reached: BoolArray) -> "_Table":
        from analysis.statistics.across.joint import closed_sums_kernels as kernels

        kept = np.flatnonzero(reached)
        gains = np.ascontiguousarray(self._gains[:, kept])
        sums = np.empty((self._n_rows, kept.size), dtype=np.int32)
        kernels.table_of_largest(gains, sums)
        return _Table(gains, np.ascontiguousarray(self._prefixes[:, kept]), sums)


class _Table(NamedTuple):
    gains: CodeArray
    prefixes: CodeArray
    largest: CodeArray
    """Of the first cells, any number of them: see `table_of_largest`."""
