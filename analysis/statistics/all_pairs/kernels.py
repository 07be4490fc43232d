"""Compiled counts over all pairs of systems in one block of the shared plan of signs."""

import numpy as np

from analysis.statistics._typing import CodeArray, FloatArray, Floats, IntArray
from analysis.statistics.resampling.kernels import called_with, compiled


@called_with(
    "(floats[:, :, ::1], floats[:, :, ::1], i8[::1], i8[::1], i8, i8, i8, "
    "floats[:, :, ::1], i4[:, :, ::1])",
)
@compiled
def count_two_sided(
    first: Floats,
    second: Floats,
    first_pattern: IntArray,
    second_pattern: IntArray,
    first_system: int,
    second_system: int,
    n_rows: int,
    targets: Floats,
    counts: CodeArray,
) -> None:
    """Count the replicates with ``|T| >= |t|`` for all pairs of two runs of systems.

    Parameters
    ----------
    first : ndarray, shape (n_first, n_second_patterns, 256)
        Signed sums of each system over the items that a partner of each pattern has too.
    second : ndarray, shape (n_second, n_first_patterns, 256)
    first_pattern, second_pattern : ndarray
        Pattern of each system, as an index into the other's second axis.
    first_system, second_system : int
        Where the runs begin.
    n_rows : int
        Replicates that count.
    targets : ndarray, shape (1, n_systems, n_systems)
        ``|t|``, less what may be rounding; a pair with NaN is left out.
    counts : ndarray, shape (1, n_systems, n_systems)
        Added to.
    """
    for a in range(first.shape[0]):
        for b in range(second.shape[0]):
            t = targets[0, first_system + a, second_system + b]
            if np.isnan(t):
                continue
            x, y = first[a, second_pattern[b]], second[b, first_pattern[a]]
            count = np.int32(0)
            for r in range(n_rows):
                count += np.int32(abs(x[r] - y[r]) >= t)
            counts[0, first_system + a, second_system + b] += count


@called_with(
    "(floats[:, :, ::1], floats[:, :, ::1], i8[::1], i8[::1], i8, i8, i8, "
    "floats[:, :, ::1], i4[:, :, ::1])",
)
@compiled
def count_one_sided(
    first: Floats,
    second: Floats,
    first_pattern: IntArray,
    second_pattern: IntArray,
    first_system: int,
    second_system: int,
    n_rows: int,
    targets: Floats,
    counts: CodeArray,
) -> None:
    """Count ``T >= t`` into ``counts[0]`` and ``T <= t`` into ``counts[1]``.

    ``targets[0]`` is t, with its sign, less what may be rounding; ``targets[1]`` t and that.
    """
    for a in range(first.shape[0]):
        for b in range(second.shape[0]):
            t = targets[0, first_system + a, second_system + b]
            if np.isnan(t):
                continue
            most = targets[1, first_system + a, second_system + b]
            x, y = first[a, second_pattern[b]], second[b, first_pattern[a]]
            above, below = np.int32(0), np.int32(0)
            for r in range(n_rows):
                difference = x[r] - y[r]
                above += np.int32(difference >= t)
                below += np.int32(difference <= most)
            counts[0, first_system + a, second_system + b] += above
            counts[1, first_system + a, second_system + b] += below


@called_with(
    "(floats[:, :, ::1], i8[::1], i8, i8[::1], i8[::1], f8[::1], f8[::1], b1, i8[::1])",
)
@compiled
def count_maxima(
    sums: Floats,
    pattern: IntArray,
    n_rows: int,
    left: IntArray,
    right: IntArray,
    weight: FloatArray,
    target: FloatArray,
    two_sided: bool,
    counts: IntArray,
) -> None:
    """Count, hypothesis by hypothesis, the replicates whose running maximum reaches the target.

    Parameters
    ----------
    sums : ndarray, shape (n_systems, n_patterns, n_replicates)
        Signed sums of each system over the items that a partner of each pattern has too.
    pattern : ndarray, shape (n_systems,)
    n_rows : int
        Replicates that count.
    left, right, weight, target : ndarray, shape (n_hypotheses,)
        In ascending order of the observed statistic ``T · weight``.
    counts : ndarray, shape (n_hypotheses,)
        Added to.
    """
    highest = np.full(n_rows, -np.inf)
    for k in range(left.size):
        x, y = sums[left[k], pattern[right[k]]], sums[right[k], pattern[left[k]]]
        w, t = weight[k], target[k]
        count = np.int32(0)
        for r in range(n_rows):
            value = np.float64(x[r]) - np.float64(y[r])
            if two_sided:
                value = abs(value)
            value *= w
            top = value if value > highest[r] else highest[r]
            highest[r] = top
            count += np.int32(top >= t)
        counts[k] += count


@called_with("(floats[:, :, ::1], i8[::1], i8[::1], i8[::1], f8[::1], f8[::1])")
@compiled
def raise_maxima(
    sums: Floats,
    pattern: IntArray,
    left: IntArray,
    right: IntArray,
    weight: FloatArray,
    highest: FloatArray,
) -> None:
    """Raise to the largest absolute statistic of each replicate over all pairs.

    Parameters
    ----------
    sums : ndarray, shape (n_systems, n_patterns, n_replicates)
        As for `count_maxima`.
    pattern : ndarray, shape (n_systems,)
    left, right, weight : ndarray, shape (n_pairs,)
    highest : ndarray, shape (n_rows,)
        Of the first replicates; changed.
    """
    for k in range(left.size):
        x, y = sums[left[k], pattern[right[k]]], sums[right[k], pattern[left[k]]]
        w = weight[k]
        for r in range(highest.size):
            value = abs(np.float64(x[r]) - np.float64(y[r])) * w
            highest[r] = value if value > highest[r] else highest[r]
