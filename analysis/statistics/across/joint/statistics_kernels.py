"""Compiled loops of the joint statistics."""

import math

import numpy as np
from numba.core.types import Array, NamedTuple, f8, i4, i8

from analysis.statistics._typing import ByteArray, CodeArray, FloatArray, IntArray
from analysis.statistics.across.joint.statistics import TailScale
from analysis.statistics.resampling.kernels import called_with, compiled

_LOG_TWO_PI = math.log(2.0 * math.pi)
_SCALE = NamedTuple([Array(f8, 1, "C", True), f8, f8, f8, i8], TailScale)  # type: ignore[no-untyped-call]  # numba has no types


@compiled
def step_of(z: float, scale: TailScale) -> int:
    """Return -2 ln of the normal upper tail at z in whole steps, at most the bound."""
    table = scale.table
    place = (z - scale.start) * scale.per_unit
    if place <= 0.0:
        return 0
    if place < table.size - 1:
        i = int(place)
        value = table[i] + (place - i) * (table[i + 1] - table[i])
    else:
        # Asymptotic series of Mills' ratio; its error is below 1e-5 from 40 on.
        value = z * z + _LOG_TWO_PI + 2.0 * math.log(z) + 2.0 / (z * z)
    value = value * scale.grid + 0.5
    return scale.bound if value >= scale.bound else int(value)


@called_with((f8[::1], _SCALE, i4[::1]))
@compiled
def to_steps(values: FloatArray, scale: TailScale, steps: CodeArray) -> None:
    """Write `step_of` of each value."""
    for i in range(values.size):
        steps[i] = np.int32(step_of(values[i], scale))


@called_with("(f8[::1], i8[::1], u1[::1], u1[::1], f8[::1])")
@compiled
def add_units(
    values: FloatArray,
    units: IntArray,
    positions: ByteArray,
    minus: ByteArray,
    sums: FloatArray,
) -> None:
    """Add ± each value to the position of its unit in `sums`, shape (256,)."""
    for i in range(values.size):
        unit = units[i]
        if minus[unit]:
            sums[positions[unit]] -= values[i]
        else:
            sums[positions[unit]] += values[i]


@called_with((f8[:, ::1], i8, f8[::1], i4[:, ::1], _SCALE, i8, i8, i4[:, :, :, ::1]))
@compiled
def enter_gains(
    sums: FloatArray,
    n_rows: int,
    weights: FloatArray,
    observed: CodeArray,
    scale: TailScale,
    cell: int,
    first: int,
    gains: CodeArray,
) -> None:
    """Write what each replicate has more than the observed, for one cell and many pairs.

    Parameters
    ----------
    sums : ndarray, shape (256, n_pairs)
        Signed sums of one block.
    n_rows : int
        Replicates of the block that count.
    weights : ndarray, shape (n_pairs,)
        Turn sums into standardised statistics.
    observed : ndarray of int32, shape (2, n_pairs)
        In steps, of both directions.
    cell, first : int
        Where to write.
    gains : ndarray of int32, shape (n_pairs, 2, n_cells, n_resamples)
    """
    for pair in range(sums.shape[1]):
        w = weights[pair]
        up, down = observed[0, pair], observed[1, pair]
        over, under = gains[pair, 0, cell], gains[pair, 1, cell]
        for r in range(n_rows):
            z = sums[r, pair] * w
            over[first + r] = np.int32(step_of(z, scale) - up)
            under[first + r] = np.int32(step_of(-z, scale) - down)
