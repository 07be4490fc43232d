"""Closed testing by sums of statistics: how many cells of any set can be without an effect?

A set of cells is rejected when the sum of its statistics exceeds what exchanges make of it. The
largest set that is not rejected bounds the number of cells without an effect (Goeman and Solari
2011). Sets are too many to look at each: for a size m, the sum of the m largest gains of each
replicate bounds the gain of every set of that size (the single step), and a branch and bound
divides what that leaves open (Vesely, Finos and Goeman 2023).
"""

from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.across.joint.statistics import GainArray

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
    gains: GainArray, needed: int, *, limit: int = 20_000, table_bytes: int = TABLE_BYTES
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
    search = Search(gains, prefixes, largest, table_bytes)
    for size in range(n, found, -1):
        if counts[size] < needed:
            continue
        best, upper = search.most_reached(size, needed - 1, needed, limit)
        if best >= needed:
            return Unrejected(size, True)
        if upper >= needed:
            return Unrejected(size, False)
    return Unrejected(found, True)


def largest_pvalues(
    gains: GainArray, *, limit: int = 300, table_bytes: int = TABLE_BYTES
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
    search = Search(gains, prefixes, largest, table_bytes)
    counts = np.zeros(n, dtype=np.int64)
    top = 0
    for size in range(n, 0, -1):
        if most[size] > max(top, least[size]):
            floor = max(top, int(least[size]))
            top = search.most_reached(size, floor, n_resamples + 1, limit)[1]
        else:
            top = max(top, int(least[size]))
        counts[size - 1] = top
    return np.asarray((counts + 1) / (n_resamples + 1))


class Search:
    """Branch and bound over sets of cells, on the replicates that can matter."""

    def __init__(
        self, gains: GainArray, prefixes: GainArray, largest: GainArray, table_bytes: int
    ) -> None:
        self._gains, self._prefixes, self._largest = gains, prefixes, largest
        n, n_resamples = gains.shape
        self._n_rows = (n + 1) * (n + 2) // 2
        self._capacity = table_bytes // (4 * self._n_rows)
        self._n_resamples = n_resamples
        self._kept: tuple[GainArray, GainArray, GainArray] | None = None

    def most_reached(self, size: int, best: int, enough: int, limit: int) -> tuple[int, int]:
        """Return the count of the best set of `size` cells, and a bound for the count of any."""
        from analysis.statistics.across.joint import closed_sums_kernels as kernels

        reached = self._largest[size] >= 0
        n_active = int(np.count_nonzero(reached))
        if n_active > self._capacity:
            return best, n_active
        # Others cannot reach 0 for any set of this size.
        active = np.flatnonzero(reached)
        gains = np.ascontiguousarray(self._gains[:, active])
        prefixes = np.ascontiguousarray(self._prefixes[:, active])
        table = np.empty((self._n_rows, n_active), dtype=np.int32)
        kernels.table_of_largest(gains, table)
        partial = np.empty((size + 1, n_active), dtype=np.int32)
        found, upper, _ = kernels.most_reached(
            gains, prefixes, table, size, best, enough, limit, partial
        )
        return int(found), int(upper)
