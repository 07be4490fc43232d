"""Intervals that invert the sign-flip test: which differences would it not reject?

Taking a difference δ off one system and flipping signs at random gives Σ s (d - δ); that is at
least as far above as what was observed exactly where the mean of the flipped items is at most δ.
The test at any δ is therefore a count of means over random halves of the items, and the interval
ends at order statistics of these means (Hartigan's typical values): one set of patterns gives both
the p-value and the interval.
"""

import math
from typing import NamedTuple

import numpy as np
import scipy

from analysis.statistics._typing import FloatArray, IntArray, Progress
from analysis.statistics.all_pairs.complete_sets import CompleteSet, complete_sets, order_of_visits
from analysis.statistics.all_pairs.intervals import Ends
from analysis.statistics.resampling.plan import (
    BLOCK,
    SignCodes,
    blocks_at_once,
    signed_sums_of,
    stacked_codes,
)
from analysis.statistics.resampling.threads import run_blocks, run_tiles

_ALL_PATTERNS = 12
"""Up to this many units every pattern is listed, as many as would be drawn otherwise."""
_PAIRS_AT_ONCE = 512


class _Units(NamedTuple):
    """Sums of some systems over the units that they all have."""

    columns: FloatArray
    """Shape (n_units, n_systems)."""
    sizes: FloatArray
    """Items per unit, shape (n_units,)."""
    places: IntArray
    """Where the units stand in the plan."""


def inverted_intervals(
    scores: FloatArray,
    pairs: IntArray,
    *,
    codes: IntArray | None = None,
    alpha: float = 0.05,
    n_resamples: int = 9_999,
    seed: int = 0,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Ends:
    """Return the intervals that invert the two-sided sign-flip test of mean differences.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_items)
        NaN: missing; a pair uses the items that both have.
    pairs : ndarray of int
        Pairs by their places in the upper triangle.
    codes : ndarray of int, shape (n_items,), optional
        Numbers of the items' groups from 0, exchanged as a whole.
    alpha : float
        One less the level of the interval.
    n_resamples, seed, n_threads, progress
        The plan of `signflip_all_pairs`, so that intervals and p-values count the same patterns.

    Returns
    -------
    Ends
        In the order of `pairs`. NaN where no pattern could reject anything: fewer than
        ``1 + log2(1 / alpha)`` units, or too few replicates.

    References
    ----------
    Hartigan (1969), Using subsample values as typical values, JASA 64.
    """
    found = Ends(np.full(pairs.size, np.nan), np.full(pairs.size, np.nan))
    place = np.full(len(scores) * (len(scores) - 1) // 2, -1)
    place[pairs] = np.arange(pairs.size)
    rank = math.floor(alpha * (n_resamples + 1) * (1 + 1e-12))
    sets = list(complete_sets(~np.isnan(scores), pairs))
    plan_size = scores.shape[1] if codes is None else int(codes.max(initial=-1)) + 1
    plan = stacked_codes(seed, n_resamples, plan_size)
    # One set: its blocks and pairs are shared out among threads; many: the sets are.
    inside = n_threads if len(sets) == 1 else 1

    def work(index: int) -> None:
        part = sets[index]
        units = _units(scores, part, codes)
        if len(units.columns) <= _ALL_PATTERNS:
            bounds = _listed(units, part, alpha)
        elif rank < 1:
            return
        else:
            report = progress if len(sets) == 1 else None
            bounds = _drawn(units, part, plan, n_resamples, rank, inside, report)
        at = place[part.pairs]
        found.low[at], found.high[at] = bounds

    if len(sets) == 1:
        work(0)
    else:
        run_tiles(work, len(sets), n_threads=n_threads, progress=progress)
    return found


def agreeing(
    bounds: Ends, difference: FloatArray, pvalue: FloatArray, alpha: float, null: float = 0.0
) -> Ends:
    """Bring an end that lies on the wrong side of the null hypothesis to its right side.

    Where p-value and interval come from one distribution, but one of them exactly and the other by
    drawing or rounding, they can part by the error of drawing. The p-value at the null hypothesis
    is the better known: the end that is past it moves there.

    Parameters
    ----------
    bounds
    difference, pvalue : ndarray, shape (n_pairs,)
    alpha : float
    null : float
        The difference that was tested.

    Returns
    -------
    Ends
        Without `null` exactly where ``pvalue <= alpha``.
    """
    low, high = bounds.low.copy(), bounds.high.copy()
    rejected = pvalue <= alpha
    above, below = rejected & (difference > null), rejected & (difference < null)
    step = 1e-9 * np.abs(difference - null)
    low = np.where(above & (low <= null), null + step, low)
    high = np.where(below & (high >= null), null - step, high)
    kept = ~rejected & ~np.isnan(pvalue)
    low = np.where(kept & (low > null), null, low)
    high = np.where(kept & (high < null), null, high)
    return Ends(low, high)


def _units(scores: FloatArray, part: CompleteSet, codes: IntArray | None) -> _Units:
    columns = np.ascontiguousarray(scores[np.ix_(part.systems, part.items)].T)
    if codes is None:
        return _Units(columns, np.ones(len(columns)), part.items)
    own = codes[part.items]
    order = np.argsort(own, kind="stable")
    places, starts, sizes = np.unique(own[order], return_index=True, return_counts=True)
    sums = np.ascontiguousarray(np.add.reduceat(columns[order], starts, axis=0))
    return _Units(sums, sizes.astype(np.float64), places.astype(np.int64))


def _listed(units: _Units, part: CompleteSet, alpha: float) -> Ends:
    from analysis.statistics.all_pairs.inversion_kernels import all_half_means

    n_pairs, n_units = part.pairs.size, len(units.columns)
    # Two-sided: a set and its rest count the same.
    rank = math.floor(alpha * 2.0 ** (n_units - 1) * (1 + 1e-12))
    low, high = np.full(n_pairs, np.nan), np.full(n_pairs, np.nan)
    if rank >= 1:
        by_system = units.columns.T
        differences = np.ascontiguousarray(by_system[part.left] - by_system[part.right])
        sizes = np.broadcast_to(units.sizes, differences.shape)
        all_half_means(differences, np.ascontiguousarray(sizes), rank, low, high)
    return Ends(low, high)


def _drawn(
    units: _Units,
    part: CompleteSet,
    plan: SignCodes,
    n_resamples: int,
    rank: int,
    n_threads: int | None,
    progress: Progress | None,
) -> Ends:
    from analysis.statistics.all_pairs.inversion_kernels import half_means

    columns = np.column_stack([units.columns, units.sizes])
    drawn = np.empty((columns.shape[1], n_resamples))

    together = blocks_at_once(*columns.shape)

    def draw(first: int, rows: int) -> None:
        some = (side[first : first + together] for side in plan)
        codes = SignCodes(*(np.take(side, units.places, axis=1) for side in some))
        sums = signed_sums_of(columns, codes).swapaxes(0, 1).reshape(len(drawn), -1)
        drawn[:, first * BLOCK : first * BLOCK + rows] = sums[:, :rows]

    threads = n_threads if together == 1 else 1
    run_blocks(draw, n_resamples, together=together, n_threads=threads, progress=progress)
    n_pairs = part.pairs.size
    low, high = np.empty(n_pairs), np.empty(n_pairs)
    totals = np.array([math.fsum(column) for column in units.columns.T.tolist()])
    size = float(np.sum(units.sizes))
    visits = order_of_visits(part.left, part.right, n_resamples)
    left, right = part.left[visits], part.right[visits]
    spread = _spread(units, left, right, totals / size)
    share = rank / (2.0 * n_resamples)
    reach = -float(scipy.special.ndtri(share)) if share < 0.5 else 0.0

    def work(tile: int) -> None:
        at = slice(tile * _PAIRS_AT_ONCE, (tile + 1) * _PAIRS_AT_ONCE)
        half_means(
            drawn[:-1],
            totals,
            drawn[-1],
            size,
            left[at],
            right[at],
            spread[at],
            rank,
            reach,
            low[at],
            high[at],
        )

    run_tiles(work, -(-n_pairs // _PAIRS_AT_ONCE), n_threads=n_threads)
    found = Ends(np.empty(n_pairs), np.empty(n_pairs))
    found.low[visits], found.high[visits] = low, high
    return found


def _spread(units: _Units, left: IntArray, right: IntArray, means: FloatArray) -> FloatArray:
    """Return about the root of the sum of squared centred differences: where to look for ends."""
    centred = units.columns - units.sizes[:, np.newaxis] * means
    peak = float(np.max(np.abs(centred), initial=0.0)) or 1.0
    rough = (centred / peak).astype(np.float32)
    gram = (rough.T @ rough).astype(np.float64)
    own = np.diag(gram)
    return peak * np.sqrt(np.maximum(own[left] + own[right] - 2.0 * gram[left, right], 0.0))
