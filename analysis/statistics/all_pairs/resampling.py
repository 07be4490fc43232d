"""Replicated differences of many pairs from one plan: how many are extreme, and where they lie."""

import math
from typing import NamedTuple, TypedDict

import numpy as np
import scipy

from analysis.statistics._typing import BoolArray, FloatArray, Floats, IntArray, Progress
from analysis.statistics.precision import coarser
from analysis.statistics.resampling.plan import BLOCK, count_block
from analysis.statistics.resampling.system_metric import SystemMetric
from analysis.statistics.resampling.tails import TIE, reached
from analysis.statistics.resampling.threads import count_blocks, run_blocks, run_tiles

_PAIRS_PER_TILE = 256
_CANCELLED = 1e-6


class ResamplingOptions(TypedDict):
    """What `resample_pairs` and `resample_rows` have in common."""

    two_sided: bool
    by_percentiles: bool
    delta: float
    n_resamples: int
    seed: int
    confidence_level: float | None
    n_threads: int | None


class Resampled(NamedTuple):
    """What resampling says about listed pairs; arrays of shape (n_pairs,)."""

    at_least: IntArray
    """Replicates with ``T* - t >= t - delta``; for a two-sided test ``|T* - t| >= |t - delta|``;
    by percentiles ``T* <= delta``."""
    at_most: IntArray
    low: FloatArray
    high: FloatArray
    standard_error: FloatArray
    """NaN, like the interval, if no interval was asked for."""


def resample_pairs(
    metric: SystemMetric,
    left: IntArray,
    right: IntArray,
    *,
    two_sided: bool,
    by_percentiles: bool,
    delta: float,
    n_resamples: int,
    seed: int,
    confidence_level: float | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Resampled:
    """Resample the differences of listed pairs from one shared plan.

    Parameters
    ----------
    metric : SystemMetric
    left, right : ndarray of int, shape (n_pairs,)
        The two systems of each pair.
    two_sided, by_percentiles : bool
        What is counted: see `Resampled`. By percentiles, one side at a time.
    delta : float
    n_resamples, seed : int
    confidence_level : float, optional
        Of percentile intervals; None for no intervals, which saves keeping the replicates.
    n_threads, progress
        As for `run_blocks`.

    Notes
    -----
    A block of 256 replicates is one product of the units' sums with the multiplicities. Intervals
    keep n_systems · n_resamples values. What the replicates are does not depend on threads.
    """
    from analysis.statistics.all_pairs import pair_kernels

    n_systems, n_pairs = metric.observed.size, left.size
    observed = metric.observed[left] - metric.observed[right]
    # |T* - t| >= |t| means T* <= min(0, 2t) or T* >= max(0, 2t); T* - t >= t means T* >= 2t.
    shift = delta / metric.unit
    twice = 0.0 * observed if by_percentiles else 2.0 * (observed - shift)
    low, high = (np.minimum(twice, 0.0), np.maximum(twice, 0.0)) if two_sided else (twice, twice)
    room = coarser(metric.room, left, right)
    low, high = (
        (low + shift + room).astype(metric.dtype),
        (high + shift - room).astype(metric.dtype),
    )
    kept = confidence_level is not None
    replicates = np.empty((n_systems, n_resamples if kept else 0), dtype=metric.dtype)

    def work(block: int, rows: int) -> IntArray:
        # All rows of a block, also where fewer count: a product's last bit may depend on them.
        drawn = count_block(seed, block, metric.n_units, metric.dtype)
        values = np.ascontiguousarray(metric.values(drawn)[:, :rows])
        scale = metric.scale(drawn)[:rows]
        found = np.zeros((2, n_pairs), dtype=np.int64)
        count = pair_kernels.count_two_sided if two_sided else pair_kernels.count_one_sided
        count(values, scale, left, right, low, high, found)
        if kept:
            start = block * BLOCK
            replicates[:, start : start + rows] = values * scale if scale.size else values
        return found

    counts = np.zeros((2, n_pairs), dtype=np.int64)
    count_blocks(work, counts, n_resamples, n_threads=n_threads, progress=progress, writes=kept)
    ends = np.full((3, n_pairs), np.nan)
    if confidence_level is not None:
        ends = _intervals(replicates, left, right, confidence_level, n_threads) * metric.unit
    if by_percentiles:
        counts = counts[::-1]
    return Resampled(counts[0], counts[0 if two_sided else 1], *ends)


def resample_rows(
    differences: FloatArray,
    sizes: FloatArray,
    rounding: FloatArray,
    *,
    two_sided: bool,
    by_percentiles: bool,
    delta: float,
    n_resamples: int,
    seed: int,
    confidence_level: float | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Resampled:
    """Resample mean differences of pairs that each have items of their own.

    Units are drawn from all there are, and a replicate of a pair is the mean over those drawn that
    both its systems have.

    Parameters
    ----------
    differences, sizes : ndarray, shape (n_pairs, n_units)
        Sums of the pair's differences over each unit, in whole steps, and how many items that
        are; 0 where there are none.
    rounding : ndarray, shape (n_pairs,)
        How far means may lie apart that are equal, but for their own rounding.
    two_sided, by_percentiles, delta, n_resamples, seed, confidence_level, n_threads, progress
        As for `resample_pairs`; `delta` in whole steps.
    """
    n_pairs, n_units = differences.shape
    observed = np.sum(differences, axis=1) / np.sum(sizes, axis=1)
    replicates = np.empty((n_pairs, n_resamples))

    def work(block: int, rows: int) -> None:
        drawn = count_block(seed, block, n_units, np.float64)
        sums, items = (differences @ drawn.T)[:, :rows], (sizes @ drawn.T)[:, :rows]
        here = replicates[:, block * BLOCK : block * BLOCK + rows]
        here[...] = np.nan
        np.divide(sums, items, out=here, where=items > 0)

    run_blocks(work, n_resamples, n_threads=n_threads, progress=progress)
    centred = replicates - observed[:, np.newaxis]
    largest = np.nanmax(np.abs(centred), axis=1, initial=0.0)
    room = (rounding + TIE * np.maximum(np.abs(observed), largest))[:, np.newaxis]
    gain = observed[:, np.newaxis] - delta
    sides = ("two-sided", "two-sided") if two_sided else ("greater", "less")
    if by_percentiles:
        centred, gain, sides = replicates, np.full_like(gain, delta), sides[::-1]
    at_least, at_most = (
        np.count_nonzero(reached(centred, gain, side, room), axis=1) for side in sides
    )
    ends = np.full((3, n_pairs), np.nan)
    if confidence_level is not None:
        from analysis.statistics.all_pairs.pair_kernels import row_intervals

        ends[2] = np.nanstd(replicates, axis=1, ddof=1)
        share, reach = _tail(confidence_level, n_resamples)
        complete = not np.isnan(replicates).any()
        row_intervals(replicates, complete, observed, ends[2], share, reach, ends[0], ends[1])
    return Resampled(at_least, at_most, *ends)


def _tail(confidence_level: float, n_resamples: int) -> tuple[float, float]:
    """Return where the lower percentile lies among the replicates, and how many spreads off.

    The end is the replicate that a test by percentiles is decided at: the share of all of them,
    the observed difference counted in.
    """
    tail = (1.0 - confidence_level) / 2.0
    rank = math.floor(tail * (n_resamples + 1) * (1 + 1e-12))
    share = max(rank - 1, 0) / max(n_resamples - 1, 1)
    return share, -float(scipy.special.ndtri(tail))


def _intervals(
    replicates: Floats,
    left: IntArray,
    right: IntArray,
    confidence_level: float,
    n_threads: int | None,
) -> FloatArray:
    """Return percentiles and standard errors of the replicated differences, shape (3, n_pairs)."""
    from analysis.statistics.all_pairs.pair_kernels import pair_intervals

    share, reach = _tail(confidence_level, replicates.shape[1])
    middle, spread = _moments(replicates, left, right)
    complete = not np.isnan(replicates).any()
    ends = np.stack([np.full(left.size, np.nan), np.full(left.size, np.nan), spread])

    def work(tile: int) -> None:
        at = slice(tile * _PAIRS_PER_TILE, (tile + 1) * _PAIRS_PER_TILE)
        pair_intervals(
            replicates,
            complete,
            left[at],
            right[at],
            middle[at],
            spread[at],
            share,
            reach,
            ends[0, at],
            ends[1, at],
        )

    run_tiles(work, -(-left.size // _PAIRS_PER_TILE), n_threads=n_threads)
    return ends


def _moments(replicates: Floats, left: IntArray, right: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return mean and standard deviation of the replicated differences of listed pairs."""
    partial: BoolArray = np.asarray(np.isnan(replicates).any(axis=1))
    values = np.asarray(replicates, dtype=np.float64)
    if partial.any():
        values = np.where(partial[:, np.newaxis], 0.0, values)
    mean: FloatArray = np.asarray(np.mean(values, axis=1))
    centred = values - mean[:, np.newaxis]
    gram = centred @ centred.T
    own = np.diag(gram)
    gross = own[left] + own[right]
    squares = gross - 2.0 * gram[left, right]
    middle = mean[left] - mean[right]
    spread = np.sqrt(np.maximum(squares, 0.0) / max(values.shape[1] - 1, 1))
    # Where the difference of squares cancels, or replicates are not defined: pair by pair.
    for pair in np.flatnonzero((squares <= _CANCELLED * gross) | partial[left] | partial[right]):
        differences = np.subtract(replicates[left[pair]], replicates[right[pair]], dtype=np.float64)
        differences = differences[~np.isnan(differences)]
        several = differences.size > 1
        middle[pair] = np.mean(differences) if several else np.nan
        spread[pair] = np.std(differences, ddof=1) if several else np.nan
    return middle, spread
