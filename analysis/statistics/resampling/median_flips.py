"""The distribution of a difference of medians when the two systems are exchanged item by item.

No sums help here: every pattern is sorted. The median of the differences per item is a special
case: exchanging the systems turns a difference d into -d, so it is that of d and -d, halved.
"""

from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import BoolArray, FloatArray, IntArray
from analysis.statistics.fixed_point import whole_differences
from analysis.statistics.item_groups import renumber
from analysis.statistics.random_streams import BLOCK_ROWS, Stream, random_bits
from analysis.statistics.resampling.listed_flips import MAX_ENUMERATED
from analysis.statistics.resampling.tails import OTHER_SIDE, FlipOutcome, reached

MAX_ENUMERATED_VALUES = 20_000_000
"""Scores that the list of all patterns may have to sort (a second)."""


class _Exchange(NamedTuple):
    first: FloatArray
    """Whole steps in canonical order, shape (n_items,)."""
    second: FloatArray
    units: IntArray
    """Number of the unit of each item; those of differing units come first, from 0."""
    n_different: int
    """Units that an exchange changes."""
    of_differences: bool
    turned: bool
    """Whether the systems have changed places."""


def median_flip_test(
    a: FloatArray,
    b: FloatArray,
    *,
    of_differences: bool,
    alternative: str,
    n_resamples: int,
    seed: int,
    groups: IntArray | None = None,
) -> FlipOutcome:
    """Test a difference of medians, or a median of differences, by exchanging the systems.

    Parameters
    ----------
    a, b : ndarray, shape (n_items,)
        Complete items, at least one.
    of_differences : bool
        Whether the statistic is the median of a - b instead of the difference of medians.
    alternative : {"two-sided", "greater", "less"}
        Two-sided counts patterns with ``|T| >= |t|``.
    n_resamples, seed : int
        Random patterns where not all are listed.
    groups : ndarray of int, shape (n_items,), optional
        Numbers of the items' groups from 0; whole groups are exchanged.

    Returns
    -------
    FlipOutcome
        Exact by listing all patterns (at most 16 differing items or groups, and few items), else
        Monte Carlo with p = (count + 1) / (n_resamples + 1). Comparisons are exact: medians of
        whole steps.
    """
    exchange = _set_up(a, b, of_differences=of_differences, groups=groups)
    observed = float(_statistic(exchange, np.ones((1, exchange.n_different), dtype=bool))[0])
    side = OTHER_SIDE[alternative] if exchange.turned else alternative
    n = exchange.n_different
    if n <= MAX_ENUMERATED and (len(a) << n) <= MAX_ENUMERATED_VALUES:
        patterns = np.arange(1 << n)[:, np.newaxis] >> np.arange(n) & 1
        drawn = np.concatenate(
            [
                _statistic(exchange, patterns[start : start + BLOCK_ROWS] == 1)
                for start in range(0, 1 << n, BLOCK_ROWS)
            ]
        )
        extreme = np.count_nonzero(reached(drawn, observed, side))
        # The distribution is symmetric: the largest value is as frequent as the smallest.
        sizes = np.abs(drawn) if side == "two-sided" else drawn
        most = np.count_nonzero(sizes == np.max(sizes))
        return FlipOutcome(float(extreme / drawn.size), float(most / drawn.size), True, 0)
    count = 0
    for block in range(-(-n_resamples // BLOCK_ROWS)):
        bits = random_bits(seed, Stream.SIGN_FLIPS, block, n)
        bits = bits[: n_resamples - block * BLOCK_ROWS]
        drawn = _statistic(exchange, bits == 1)
        count += int(np.count_nonzero(reached(drawn, observed, side)))
    total = n_resamples + 1
    return FlipOutcome((count + 1) / total, 1 / total, False, n_resamples)


def _set_up(
    a: FloatArray, b: FloatArray, *, of_differences: bool, groups: IntArray | None
) -> _Exchange:
    if of_differences:
        first = whole_differences(a, b).steps
        second = -first
    else:
        both = np.concatenate([a, b])
        first, second = np.split(whole_differences(both, np.zeros_like(both)).steps, 2)
    codes = np.arange(len(a)) if groups is None else groups
    kept = _sorted(first, second, codes)
    mirrored = _sorted(second, first, codes)
    gap = (kept[0] - mirrored[0]) if len(a) else np.zeros(0)
    nonzero = gap[gap != 0]
    turned = bool(nonzero.size and nonzero[0] < 0)
    first, second, codes = mirrored if turned else kept
    differing = np.unique(codes[first != second])
    numbers = np.full(int(np.max(codes, initial=-1)) + 1, differing.size)
    numbers[differing] = np.arange(differing.size)
    units = numbers[codes]
    return _Exchange(first, second, units, differing.size, of_differences, turned)


def _sorted(
    first: FloatArray, second: FloatArray, codes: IntArray
) -> tuple[FloatArray, FloatArray, IntArray]:
    order = np.lexsort((second, first))
    return first[order], second[order], renumber(codes[order])


def _statistic(exchange: _Exchange, keep: BoolArray) -> FloatArray:
    """Return twice the difference of medians for patterns of units that keep their places."""
    # One more column for all units that an exchange does not change.
    kept = np.concatenate([keep, np.ones((len(keep), 1), dtype=bool)], axis=1)[:, exchange.units]
    first = np.where(kept, exchange.first, exchange.second)
    if exchange.of_differences:
        return 2.0 * _doubled_median(first)
    second = np.where(kept, exchange.second, exchange.first)
    return _doubled_median(first) - _doubled_median(second)


def _doubled_median(values: FloatArray) -> FloatArray:
    n = values.shape[1]
    low, high = (n - 1) // 2, n // 2
    values = np.partition(values, [low, high], axis=1)
    return np.asarray(values[:, low] + values[:, high])
