"""Order statistics of all pairwise averages, without writing the averages down.

The Hodges-Lehmann estimate is the median of n(n+1)/2 Walsh averages (d_i + d_j) / 2, and its
interval is two more of their order statistics. Sorted values make a matrix whose rows and columns
rise, in which a weighted median of row medians discards a quarter of what is left at a time.
"""

import math
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.standard_error import z_quantile

Convention: TypeAlias = Literal["i<=j", "i<j"]
CONVENTIONS: tuple[Convention, ...] = ("i<=j", "i<j")

_ENUMERATED = 4_096
_EXACT_UP_TO = 200


class _Pairs(NamedTuple):
    """Distinct values with how often each occurs; cell (r, c), r <= c, stands for their pairs."""

    values: FloatArray
    counts: IntArray
    before: IntArray
    """Items below each value, and all of them at the end; shape (n_values + 1,)."""
    own: IntArray
    """Pairs within each value."""

    @property
    def first(self) -> IntArray:
        """First column of each row that holds any pair."""
        rows = np.arange(self.values.size)
        return np.where(self.own > 0, rows, rows + 1)

    def weight_below(self, ends: IntArray) -> int:
        """Return the number of pairs in columns before ``ends[row]``, over all rows."""
        rows = np.arange(self.values.size)
        some = ends > rows
        others = self.counts[some] * (self.before[ends[some]] - self.before[rows[some] + 1])
        return int(np.sum(self.own[some]) + np.sum(others))


def n_walsh(n_items: int, convention: Convention) -> int:
    """Return the number of Walsh averages."""
    return n_items * (n_items + 1 if convention == "i<=j" else n_items - 1) // 2


def walsh_median(differences: FloatArray, convention: Convention) -> float:
    """Return the Hodges-Lehmann estimate; NaN without pairs.

    Parameters
    ----------
    differences : ndarray, shape (n_items,)
        Finite values.
    convention : {"i<=j", "i<j"}
        Whether each value is paired with itself too.

    Notes
    -----
    Exact for any n; O(n log^2 n) time at worst and O(n) memory.

    References
    ----------
    Hodges and Lehmann (1963), Estimates of location based on rank tests. Johnson and Mizoguchi
    (1978), Selecting the Kth element in X + Y, for the way.
    """
    n_pairs = n_walsh(differences.size, convention)
    if n_pairs == 0:
        return math.nan
    pairs = _as_pairs(differences, convention)
    low, high = _adjacent(pairs, (n_pairs - 1) // 2, n_pairs // 2)
    return (low + high) / 4


def walsh_bounds(
    differences: FloatArray, convention: Convention, n_outside: int
) -> tuple[float, float]:
    """Return the order statistics with `n_outside` Walsh averages beyond each; ±inf if none."""
    n_pairs = n_walsh(differences.size, convention)
    if n_outside < 0 or 2 * n_outside >= n_pairs:
        return -math.inf, math.inf
    pairs = _as_pairs(differences, convention)
    low, _ = _adjacent(pairs, n_outside, n_outside)
    high, _ = _adjacent(pairs, n_pairs - 1 - n_outside, n_pairs - 1 - n_outside)
    return low / 2, high / 2


def n_outside_interval(n_items: int, convention: Convention, confidence_level: float) -> int:
    """Return how many Walsh averages an interval leaves beyond each end; -1 if it has no ends.

    Notes
    -----
    The number of Walsh averages above the true centre is the signed-rank statistic: of n items
    for "i<=j", and, because a pair with itself is left out, of n - 1 for "i<j". Its distribution
    is exact up to 200 items, normal with continuity correction beyond.
    """
    n_ranks = n_items if convention == "i<=j" else n_items - 1
    if n_ranks < 1:
        return -1
    tail = (1 - confidence_level) / 2
    if n_ranks <= _EXACT_UP_TO:
        from analysis.statistics.all_pairs.rank_kernels import rank_sum_chances

        below = np.cumsum(rank_sum_chances(np.arange(1, n_ranks + 1)))
        return int(np.searchsorted(below, tail * (1 + 1e-12), side="right")) - 1
    error = math.sqrt(n_ranks * (n_ranks + 1) * (2 * n_ranks + 1) / 24)
    return n_outside_normal(n_items, convention, error * z_quantile(confidence_level))


def n_outside_normal(n_items: int, convention: Convention, reach: float) -> int:
    """Return the same by a normal statistic that reaches out so far from its centre."""
    return math.floor(n_walsh(n_items, convention) / 2 - reach - 0.5)


def _as_pairs(differences: FloatArray, convention: Convention) -> _Pairs:
    values, counts = np.unique(differences, return_counts=True)
    counts = counts.astype(np.int64)
    before = np.concatenate([[0], np.cumsum(counts)])
    own = counts * (counts + (1 if convention == "i<=j" else -1)) // 2
    return _Pairs(values, counts, before, own)


def _adjacent(pairs: _Pairs, first: int, second: int) -> tuple[float, float]:
    """Return the sums of pairs ranked `first` and `second`, counted from 0.

    `second` is `first` or the next one.
    """
    rows = np.arange(pairs.values.size)
    low = pairs.first.astype(np.int64)
    high = np.full(rows.size, rows.size, dtype=np.int64)
    while int(np.sum(high - low)) > max(_ENUMERATED, 4 * rows.size):
        pivot = _weighted_median_of_rows(pairs.values, low, high)
        below = _row_ends(pairs.values, low, high, pivot, include=False)
        upto = _row_ends(pairs.values, low, high, pivot, include=True)
        n_below, n_upto = pairs.weight_below(below), pairs.weight_below(upto)
        if second < n_below:
            high = below
        elif first >= n_upto:
            low = upto
        else:
            smaller = pivot if first >= n_below else _row_largest(pairs, below)
            larger = pivot if second < n_upto else _row_smallest(pairs, upto)
            return smaller, larger
    return _enumerate(pairs, low, high, first, second)


def _weighted_median_of_rows(values: FloatArray, low: IntArray, high: IntArray) -> float:
    """Return a sum with at least a quarter of the remaining cells on either side."""
    rows = np.flatnonzero(high > low)
    middle = (low[rows] + high[rows] - 1) // 2
    medians = values[rows] + values[middle]
    order = np.argsort(medians)
    weights = np.cumsum((high - low)[rows][order])
    return float(medians[order[np.searchsorted(weights, weights[-1] / 2)]])


def _row_ends(
    values: FloatArray, low: IntArray, high: IntArray, pivot: float, *, include: bool
) -> IntArray:
    """Return the end of the cells below `pivot` (or up to it) in each row.

    The sums themselves are compared, as they are rounded, so that counts never disagree.
    """
    left, right = low.copy(), high.copy()
    for _ in range(values.size.bit_length() + 1):
        middle = (left + right) // 2
        sums = values + values[np.minimum(middle, values.size - 1)]
        goes = (sums <= pivot if include else sums < pivot) & (left < right)
        left = np.where(goes, middle + 1, left)
        right = np.where(goes, right, middle)
    return left


def _row_largest(pairs: _Pairs, ends: IntArray) -> float:
    rows = np.flatnonzero(ends > pairs.first)
    return float(np.max(pairs.values[rows] + pairs.values[ends[rows] - 1]))


def _row_smallest(pairs: _Pairs, starts: IntArray) -> float:
    rows = np.flatnonzero(starts < pairs.values.size)
    return float(np.min(pairs.values[rows] + pairs.values[starts[rows]]))


def _enumerate(
    pairs: _Pairs, low: IntArray, high: IntArray, first: int, second: int
) -> tuple[float, float]:
    """Sort the cells that are left and walk to the ranks asked for."""
    sizes = np.maximum(high - low, 0)
    rows = np.repeat(np.arange(sizes.size), sizes)
    starts = np.cumsum(sizes) - sizes
    columns = np.arange(rows.size) - starts[rows] + low[rows]
    weights = np.where(rows == columns, pairs.own[rows], pairs.counts[rows] * pairs.counts[columns])
    sums = pairs.values[rows] + pairs.values[columns]
    order = np.argsort(sums)
    upto = np.cumsum(weights[order]) + pairs.weight_below(low)
    places = np.searchsorted(upto, [first, second], side="right")
    smaller, larger = sums[order[places]]
    return float(smaller), float(larger)
