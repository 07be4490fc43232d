"""What the differences of pairs look like, for the guard of the tests of means."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray, IntArray
from analysis.statistics.precision import coarser, precision_of
from analysis.statistics.resampling.kernels import called_with, compiled
from analysis.statistics.resampling.threads import run_tiles
from analysis.statistics.validity_bounds import BOUNDS, DifferenceFacts, Moments, RunSpread

_PAIRS_AT_ONCE = 2_048
_LANES = 64


def difference_facts(
    scores: FloatArray,
    first: npt.NDArray[np.intp],
    second: npt.NDArray[np.intp],
    *,
    codes: IntArray | None = None,
    runs: RunSpread | None = None,
    few_groups: float = BOUNDS["few-groups"].value,
    n_threads: int | None = None,
) -> DifferenceFacts:
    """Return the facts of the pairs ``first[k]``, ``second[k]`` of systems, first minus second.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_items)
        NaN = missing; a pair uses the items that both have.
    first, second : ndarray of int, shape (n_pairs,)
    codes : ndarray of int, shape (n_items,), optional
        Numbers from 0 of groups that are the units of the test.
    runs : RunSpread, optional
        How much the scores of each system change from run to run.
    few_groups : float
        Below so many groups the answer must hold by the t test for groups of unequal sizes, too.
    n_threads : int, optional
        No result depends on it.

    Notes
    -----
    The error of few groups is Bell and McCaffrey's CR2, with the degrees of freedom that
    Satterthwaite's approximation gives for independent items: with equal groups the usual one and
    one less than there are groups. Where a system has several runs, their variance is added, less
    what the noise of items makes of it; the degrees of freedom count all of it.

    References
    ----------
    Bell and McCaffrey (2002), Bias reduction in standard errors for linear regression with
    multi-stage samples; Satterthwaite (1946).
    """
    values = np.ascontiguousarray(scores)
    with np.errstate(invalid="ignore"):
        low = np.fmin.reduce(values, axis=1, initial=np.inf)
        high = np.fmax.reduce(values, axis=1, initial=-np.inf)
        mean = np.nansum(values, axis=1) / np.maximum(1, np.count_nonzero(values == values, axis=1))
    tolerance = coarser(precision_of(scores), first, second)
    starts = np.arange(values.shape[1] + 1)
    if codes is not None:
        order = np.argsort(codes, kind="stable")
        values = np.ascontiguousarray(values[:, order])
        starts = np.append(np.flatnonzero(np.diff(codes[order], prepend=-1)), codes.size)
    found = np.zeros((first.size, 14))

    def work(tile: int) -> None:
        at = slice(tile * _PAIRS_AT_ONCE, (tile + 1) * _PAIRS_AT_ONCE)
        if codes is not None:
            _by_units(values, starts, first[at], second[at], tolerance[at], found[at])
            return
        _by_items(values, first[at], second[at], tolerance[at], found[at])
        left = at.start + np.flatnonzero(found[at, 0] < 0)
        out = np.zeros((left.size, found.shape[1]))
        _by_units(values, starts, first[left], second[left], tolerance[left], out)
        found[left] = out

    run_tiles(work, -(-first.size // _PAIRS_AT_ONCE), n_threads=n_threads)
    units, differing, items = (
        Moments(*(np.ascontiguousarray(column) for column in found[:, k : k + 4].T))
        for k in (0, 4, 8)
    )
    for moments in (units, differing, items):
        # Which side a tie seems to lean to is a matter of rounding.
        moments.mean[np.abs(moments.mean) <= tolerance] = 0.0
    tied = items.mean == 0
    ahead = np.where(items.mean > 0, mean[first], mean[second])
    behind = np.where(items.mean > 0, mean[second], mean[first])
    ahead = np.where(tied, np.fmin(mean[first], mean[second]), ahead)
    behind = np.where(tied, np.fmax(mean[first], mean[second]), behind)
    with np.errstate(invalid="ignore"):
        largest = np.maximum(
            ahead - np.fmin(low[first], low[second]), np.fmax(high[first], high[second]) - behind
        )
    few = (units.n < items.n) & (units.n < few_groups) & (units.n > 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        squared = np.where(few, found[:, 12], units.sd**2 / units.n)
        df = np.where(few, found[:, 13], units.n - 1)
    several = np.zeros(first.size, dtype=np.bool_)
    if runs is not None:
        squared, df, several = _with_runs(squared, df, runs, first, second)
    asked = (few | several) & (squared > 0)
    return DifferenceFacts(
        units,
        differing,
        items,
        np.asarray(largest),
        np.where(asked, np.sqrt(squared), np.nan),
        np.where(asked, np.maximum(df, 1.0), np.nan),
        several,
    )


def _with_runs(
    squared: FloatArray,
    df: FloatArray,
    runs: RunSpread,
    first: npt.NDArray[np.intp],
    second: npt.NDArray[np.intp],
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return squared errors with the variance of runs, their df, and whose runs are known."""
    known = runs.n_runs > 1
    n = np.maximum(runs.n_runs, 2)
    added = np.where(known, np.maximum(0.0, runs.between - runs.noise) / n, 0.0)
    # All of it, so that variances estimated below 0 count as well.
    doubt = np.where(known, (runs.between / n) ** 2 / (n - 1), 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Both systems first: the sum is then the same for the pair turned round.
        total = squared + (added[first] + added[second])
        whole = total**2 / (squared**2 / df + (doubt[first] + doubt[second]))
    return total, np.where(total > 0, whole, df), known[first] | known[second]


@called_with(
    "(Array(f8, 2, 'C', True), i8[::1], i8[::1], f8[::1], f8[:, ::1])",
    "(f8[:, ::1], i8[::1], i8[::1], f8[::1], f8[:, ::1])",
)
@compiled
def _by_items(
    scores: FloatArray,
    first: npt.NDArray[np.intp],
    second: npt.NDArray[np.intp],
    tolerance: FloatArray,
    out: FloatArray,
) -> None:
    """Write the moments where every item is a unit; -1 items: leave it to `_by_units`.

    Sums of plain powers do where the mean is not far from 0, in standard deviations, and powers
    stay in the range of numbers.
    """
    for p in range(first.size):
        n, k, one, two, three = _powers(scores[first[p]], scores[second[p]], tolerance[p])
        if two != 0 and (two < 1e-120 or two > 1e120 or two - one * one / k < 1e-6 * two):
            out[p, 0] = -1.0
            continue
        _moments(n, one, two, three, 0.0, 1.0, tolerance[p], out[p, 0:4])
        _moments(k, one, two, three, 0.0, 1.0, tolerance[p], out[p, 4:8])
        out[p, 8:12] = out[p, 0:4]


@compiled
def _powers(
    a: FloatArray, b: FloatArray, rounding: float
) -> tuple[float, float, float, float, float]:
    """Return how many differences there are and how many are not 0, and sums of three powers.

    In lanes, so that the order is fixed.
    """
    # Arrays made here, one sum per lane: only so does the loop use wide registers.
    shared, differing = np.zeros(_LANES), np.zeros(_LANES)
    one, two, three = np.zeros(_LANES), np.zeros(_LANES), np.zeros(_LANES)
    whole = a.size - a.size % _LANES
    for start in range(0, whole, _LANES):
        for j in range(_LANES):
            d = a[start + j] - b[start + j]
            shared[j] += 1.0 if d == d else 0.0
            d = d if abs(d) > rounding else 0.0
            differing[j] += 1.0 if d != 0.0 else 0.0
            square = d * d
            one[j] += d
            two[j] += square
            three[j] += square * d
    for i in range(whole, a.size):
        d = a[i] - b[i]
        shared[0] += 1.0 if d == d else 0.0
        d = d if abs(d) > rounding else 0.0
        differing[0] += 1.0 if d != 0.0 else 0.0
        one[0] += d
        two[0] += d * d
        three[0] += d * d * d
    return shared.sum(), differing.sum(), one.sum(), two.sum(), three.sum()


@called_with(
    "(Array(f8, 2, 'C', True), i8[::1], i8[::1], i8[::1], f8[::1], f8[:, ::1])",
    "(f8[:, ::1], i8[::1], i8[::1], i8[::1], f8[::1], f8[:, ::1])",
)
@compiled
def _by_units(
    scores: FloatArray,
    starts: npt.NDArray[np.intp],
    first: npt.NDArray[np.intp],
    second: npt.NDArray[np.intp],
    tolerance: FloatArray,
    out: FloatArray,
) -> None:
    """Write the moments of units, of those that differ, and of items; items by unit."""
    n_groups = starts.size - 1
    for p in range(first.size):
        a, b, rounding = scores[first[p]], scores[second[p]], tolerance[p]
        n, n_units, total, widest = 0.0, 0.0, 0.0, 0.0
        for g in range(n_groups):
            there = 0.0
            for i in range(starts[g], starts[g + 1]):
                d = a[i] - b[i]
                if d == d:
                    there += 1.0
                    total += d
                    widest = max(widest, abs(d))
            n += there
            n_units += 1.0 if there > 0 else 0.0
        if n == 0:
            continue
        mean, per_unit = total / n, n_units / n
        square, shares, leverages, leverages_squared = 0.0, 0.0, 0.0, 0.0
        # All powers are of differences over the widest, so that tiny ones do not vanish.
        scale = widest if widest > 0 else 1.0
        u1, u2, u3, k = 0.0, 0.0, 0.0, 0.0
        i1, i2, i3 = 0.0, 0.0, 0.0
        for g in range(n_groups):
            there, sum_ = 0.0, 0.0
            for i in range(starts[g], starts[g + 1]):
                d = a[i] - b[i]
                if d == d:
                    there += 1.0
                    sum_ += d
                    c = (d - mean) / scale
                    i1 += c
                    i2 += c * c
                    i3 += c * c * c
            if there > 0:
                k += 1.0 if abs(sum_) > rounding * there else 0.0
                share = there / n
                if share < 1:
                    rest = (sum_ - there * mean) / scale
                    square += rest * rest / (1 - share)
                    leverage = share * share / (1 - share)
                    shares += share * share
                    leverages += leverage
                    leverages_squared += leverage * leverage
                c = (sum_ * per_unit - mean) / scale
                u1 += c
                u2 += c * c
                u3 += c * c * c
        _moments(n_units, u1, u2, u3, mean, scale, rounding, out[p, 0:4])
        # Those that differ: the others lie all at 0.
        zero, zeros = -mean / scale, n_units - k
        u1, u2, u3 = u1 - zeros * zero, u2 - zeros * zero**2, u3 - zeros * zero**3
        _moments(k, u1, u2, u3, mean, scale, rounding, out[p, 4:8])
        _moments(n, i1, i2, i3, mean, scale, rounding, out[p, 8:12])
        out[p, 12] = square * (scale / n) ** 2
        spread = shares + leverages * leverages - leverages_squared
        out[p, 13] = 1 / spread if spread > 0 else 0.0


@compiled
def _moments(
    n: float,
    first: float,
    second: float,
    third: float,
    centre: float,
    scale: float,
    rounding: float,
    out: FloatArray,
) -> None:
    """Write the moments from sums of powers of (value - centre) / scale; 0 for what is rounding."""
    out[0] = n
    out[1:4] = 0.0
    if n < 1:
        return
    shift = first / n
    variance = second / n - shift * shift
    out[1] = centre + scale * shift
    if n < 2 or not variance > max(1e-12 * (second / n), (rounding / scale) ** 2):
        return
    out[2] = scale * np.sqrt(variance * n / (n - 1))
    centred = third / n - 3 * shift * second / n + 2 * shift * shift * shift
    out[3] = centred / variance**1.5
