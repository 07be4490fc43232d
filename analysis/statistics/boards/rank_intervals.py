"""Ranks with what the data leave open, and how often a system comes out best."""

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray, IntArray, Seed
from analysis.statistics.aggregate import as_aggregation
from analysis.statistics.item_groups import as_group_codes, keep_groups
from analysis.statistics.resampling.system_metric import corpus_metric, mean_metric
from analysis.statistics.results import read_only
from analysis.statistics.validation import as_count, as_floats, as_seed

"""Relative difference up to which two corpus metrics are the same: rounding in other orders."""


class RankIntervals(NamedTuple):
    """The ranks that each system can have; 1 is best."""

    low: IntArray
    """Best rank possible, shape (n_systems,)."""
    high: IntArray
    """Worst rank possible, shape (n_systems,)."""


def rank_intervals(
    values: npt.ArrayLike,
    different: npt.ArrayLike,
    difference: npt.ArrayLike,
    *,
    n_untested: int = 0,
) -> RankIntervals:
    """Return the ranks that the tests of all pairs leave open to each system.

    Parameters
    ----------
    values : array_like, shape (n_systems,)
        Scores, higher is better; NaN = none. They say only how many systems there are: the ranks
        follow from the pairs, which may rest on other items than the scores.
    different : array_like of bool, shape (n_systems, n_systems)
        Which pairs differ, after correction for all pairs. Symmetric; the diagonal is ignored.
    difference : array_like, shape (n_systems, n_systems)
        Metric of row minus metric of column, higher is better.
    n_untested : int
        Further systems that could not be tested against any of these, and may stand anywhere.

    Returns
    -------
    RankIntervals
        From 1 + (systems that are better beyond doubt) to all systems - (systems that are worse
        beyond doubt).

    Raises
    ------
    ValueError
        If shapes do not fit, `different` is not symmetric, or a pair that differs has no
        difference.

    Notes
    -----
    The intervals hold for all systems at once: where `different` controls the family-wise error
    at alpha, then with probability 1 - alpha no pair is called wrongly, and every true rank is
    inside. With control of the false discovery rate, or without correction, they do not.

    References
    ----------
    Mogstad, Romano, Shaikh, Wilhelm (2024), Inference for Ranks with Applications to Mobility
    across Neighbourhoods and Academic Achievement across Countries, section 3.
    Al Mohamad, Goeman, van Zwet (2022), Simultaneous confidence intervals for ranks with
    application to ranking institutions.

    Examples
    --------
    >>> gain = [[0, 1, 5], [-1, 0, 4], [-5, -4, 0]]
    >>> low, high = rank_intervals([9, 8, 4], [[0, 0, 1], [0, 0, 1], [1, 1, 0]], gain)
    >>> low, high
    (array([1, 1, 3]), array([2, 2, 3]))
    """
    scores = as_floats(values, "values")
    pairs = as_different(different, scores)
    gain = as_floats(difference, "difference")
    if gain.shape != pairs.shape:
        raise ValueError(f"`difference` must have shape {pairs.shape}, got {gain.shape}.")
    if np.any(pairs & ~(np.abs(gain) > 0)):
        i, j = (int(k) for k in np.argwhere(pairs & ~(np.abs(gain) > 0))[0])
        raise ValueError(
            f"`difference` must say which of two different systems is better; at ({i}, {j}) it is "
            f"{gain[i, j]}."
        )
    n_better = np.count_nonzero(pairs & (gain < 0), axis=1)
    n_worse = np.count_nonzero(pairs & (gain > 0), axis=1)
    n_systems = len(scores) + n_untested
    return RankIntervals(
        read_only((1 + n_better).astype(np.int64)),
        read_only((n_systems - n_worse).astype(np.int64)),
    )


def as_different(different: npt.ArrayLike, values: FloatArray) -> BoolArray:
    """Return which pairs differ, with an empty diagonal, or raise ValueError."""
    if values.ndim != 1:
        raise ValueError(f"`values` must be 1-D (one per system), got shape {values.shape}.")
    pairs = np.array(different, dtype=bool)
    shape = (len(values), len(values))
    if pairs.size == 0 and not len(values):
        pairs = pairs.reshape(shape)
    if pairs.shape != shape:
        raise ValueError(
            f"`different` must have shape {shape}, one row and column per system, got "
            f"{pairs.shape}."
        )
    np.fill_diagonal(pairs, False)
    if np.any(pairs != pairs.T):
        i, j = (int(k) for k in np.argwhere(pairs != pairs.T)[0])
        raise ValueError(f"`different` must be symmetric; ({i}, {j}) and ({j}, {i}) disagree.")
    return pairs


def probability_best(
    scores: npt.ArrayLike,
    *,
    aggregation: str = "mean",
    groups: Sequence[Hashable] | npt.NDArray[np.generic] | None = None,
    higher_is_better: bool = True,
    n_resamples: int = 9_999,
    rng: Seed = 0,
    n_threads: int | None = None,
) -> FloatArray:
    """Return how often each system comes first when the items are drawn anew.

    Not the probability that a system is the best one, and no test: two equal systems get 1/2
    each, and so do two that differ by luck alone now and then. It shows how the first place
    hangs on the items.

    Parameters
    ----------
    scores : array_like, shape (n_systems, n_items) or (n_systems, n_items, n_components)
        NaN = missing. Only items that all systems have scores for are drawn; a system without
        any score is left out.
    aggregation : str
        As for `paired_test`.
    groups : sequence, shape (n_items,), optional
        Items with the same label are drawn together; None is a group of its own.
    higher_is_better : bool
    n_resamples : int
    rng : int, Generator or None
        All systems share the same draws.
    n_threads : int, optional
        Changes nothing but the time.

    Returns
    -------
    ndarray, shape (n_systems,)
        Shares that sum to 1; systems that tie share. NaN for a system without scores, and for
        all where fewer than two items (or groups) are shared, or the metric is nowhere defined.

    Raises
    ------
    TypeError, ValueError
        If scores do not suit the aggregation, or an argument is out of range.

    Notes
    -----
    Time O(n_resamples · n_systems · n_items) in matrix products for metrics of sums; medians and
    rank correlations are sorted anew in each replicate. Means are summed in whole steps, so that
    ties are exact.

    Examples
    --------
    >>> probability_best([[1, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 0]], n_resamples=99).round(2)
    array([0.5, 0.5, 0. ])
    """
    cube = _as_cube(scores, aggregation)
    as_count(n_resamples, "n_resamples")
    seed = as_seed(rng)
    codes = None if groups is None else as_group_codes(groups, cube.shape[1])
    scored = np.asarray(~np.isnan(cube).any(axis=2))
    ranked = np.flatnonzero(scored.any(axis=1))
    best = np.full(len(cube), np.nan)
    shared = np.asarray(scored[ranked].all(axis=0))
    if not ranked.size or not shared.any():
        return read_only(best)
    cube = cube[ranked][:, shared]
    codes = None if codes is None else keep_groups(codes, shared)
    metric = (
        mean_metric(cube[:, :, 0], codes)
        if aggregation == "mean"
        else corpus_metric(cube, aggregation, codes)
    )
    if metric.n_units < 2:
        return read_only(best)
    sign = 1.0 if higher_is_better else -1.0

    from analysis.statistics.resampling.plan import BLOCK, counted_in_turn
    from analysis.statistics.resampling.threads import run_blocks

    def work(block: int, rows: int) -> FloatArray:
        at_once = 0 if metric.exact else BLOCK
        pieces = counted_in_turn(seed, block, metric.n_units, metric.dtype, rows=at_once)
        values = np.concatenate([metric.values(counts) for counts in pieces], axis=1)
        return _shares(sign * values[:, :rows].T.astype(np.float64), metric.room)

    # fsum: the total must not hang on the order in which blocks were added.
    firsts = np.array(run_blocks(work, n_resamples, n_threads=n_threads))
    totals = np.array([math.fsum(column) for column in firsts.T])
    if totals.sum() > 0:
        best[ranked] = totals / totals.sum()
    return read_only(best)


def _as_cube(scores: npt.ArrayLike, aggregation: str) -> FloatArray:
    n_components = len(as_aggregation(aggregation).components)
    cube = as_floats(scores, "scores")
    if cube.ndim == 2:
        cube = cube[:, :, np.newaxis]
    if cube.ndim != 3 or cube.shape[2] != n_components:
        raise ValueError(
            f"`scores` must have shape (n_systems, n_items, {n_components}) for aggregation "
            f"'{aggregation}', got {np.shape(scores)}."
        )
    if np.any(np.isinf(cube)):
        raise ValueError("`scores` must be finite (NaN = missing), got an infinite score.")
    return cube


def _shares(values: FloatArray, room: FloatArray) -> FloatArray:
    """Return how often each column holds the row's largest value; those that tie share."""
    defined = np.where(np.isnan(values), -np.inf, values)
    top = defined.max(axis=1, keepdims=True)
    near = np.maximum(room, room[defined.argmax(axis=1)][:, np.newaxis])
    with np.errstate(invalid="ignore"):  # rows where nothing is defined count for nobody
        first = defined >= top - near
    first &= np.isfinite(top)
    return np.asarray((first / np.maximum(first.sum(axis=1, keepdims=True), 1)).sum(axis=0))
