"""Simulated comparisons by a corpus metric, tested by the plan of signs that all tests share.

A comparison is a row of item effects; the signed sums of 256 comparisons come from the same fast
transform as those of 256 systems. The effects of an item are linear in the true difference and in
the scale, so that one set of draws serves every difference.
"""

import math
from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.random_streams import Stream, random_uniforms
from analysis.statistics.resampling.plan import BLOCK, all_codes
from analysis.statistics.resampling.tails import TIE, reached
from analysis.statistics.resampling.threads import run_blocks

_TILE = 1_024
_TILES_PER_BLOCK = 1 << 32
_LEAST = 2.0**-53


class Draws(NamedTuple):
    """Simulated comparisons of two systems, up to the difference and the scale.

    A comparison's observed difference is ``shift · moved[0] + spread · wide[0]``, where `shift` is
    what an item that matters adds to it on average and `spread` half the Laplace scale; the other
    rows are the same under random exchanges.
    """

    moved: FloatArray
    """Number of items that matter, then signed sums; shape (1 + n_resamples, n_iterations)."""
    wide: FloatArray
    """Sum of standard Laplace variates of these items, then the signed sums; same shape."""


class Shares(NamedTuple):
    """What a test says of many simulated comparisons."""

    above: float
    """Share of all that are significant and above 0."""
    below: float
    size: float
    """Mean size of the significant differences; NaN without any."""
    mean: float
    """Of all observed differences."""


def draw_effects(
    n_items: int, p_zero: float, *, n_iterations: int, n_resamples: int, seed: int
) -> Draws:
    """Simulate comparisons and exchange the systems at random.

    Notes
    -----
    16 bytes per comparison and exchange are kept. Item i of comparison j and its signs belong to
    (seed, i, j), whatever the numbers of items, comparisons and exchanges.
    """
    from analysis.statistics.resampling import kernels

    codes = all_codes(seed, n_resamples, n_items)
    draws = Draws(*np.empty((2, 1 + n_resamples, n_iterations)))

    def work(block: int, rows: int) -> None:
        observed = np.zeros(2 * rows)
        signed = np.zeros((len(codes), BLOCK, 2 * rows))
        for tile, start in enumerate(range(0, n_items, _TILE)):
            place = block * _TILES_PER_BLOCK + tile
            width = min(_TILE, n_items - start)
            uniforms = random_uniforms(seed, Stream.POWER, place, _TILE)[:rows, :width]
            columns = _effects(uniforms, p_zero)
            observed += np.sum(columns, axis=0)
            items = np.arange(width)
            for sums, code in zip(signed, codes, strict=True):
                at = slice(start, start + width)
                kernels.add_rows(columns, 0, items, code.positions[at], code.minus[at], sums)
        for sums in signed:
            kernels.hadamard(sums)
        patterns = signed.reshape(-1, 2 * rows)[:n_resamples]
        at = slice(block * BLOCK, block * BLOCK + rows)
        for kept, half in zip(draws, (slice(rows), slice(rows, None)), strict=True):
            kept[0, at] = observed[half]
            kept[1:, at] = patterns[:, half]

    run_blocks(work, n_iterations)
    return draws


def judge_draws(
    draws: Draws, shift: float, spread: float, *, alpha: float, alternative: str
) -> Shares:
    """Test simulated comparisons: significant where (count + 1) / (m + 1) is at most `alpha`."""
    observed = shift * draws.moved[0] + spread * draws.wide[0]
    # Turned for "less": the exchange distribution is the same.
    towards = -1.0 if alternative == "less" else 1.0
    side = "two-sided" if alternative == "two-sided" else "greater"
    count = np.empty(observed.size, dtype=np.int64)
    for start in range(0, observed.size, BLOCK):
        at = slice(start, start + BLOCK)
        drawn = towards * (shift * draws.moved[1:, at] + spread * draws.wide[1:, at])
        target = towards * observed[at]
        extreme = reached(drawn, target, side, TIE * np.abs(target))
        count[at] = np.count_nonzero(extreme, axis=0)
    significant = (count + 1) / len(draws.moved) <= alpha
    sizes = np.abs(observed[significant])
    return Shares(
        float(np.mean(significant & (observed > 0))),
        float(np.mean(significant & (observed < 0))),
        float(np.mean(sizes)) if sizes.size else math.nan,
        float(np.mean(observed)),
    )


def _effects(uniforms: FloatArray, p_zero: float) -> FloatArray:
    """Return who matters, then its Laplace variate; shape (n_items, 2 n_iterations).

    One uniform gives both: below `p_zero` the item does not matter, and what lies above is
    uniform again.
    """
    matters = uniforms >= p_zero
    rest = np.clip((uniforms - p_zero) / (1 - p_zero), _LEAST, 1 - _LEAST)
    size = -np.log(2 * np.minimum(rest, 1 - rest))
    variate = np.where(matters, np.copysign(size, rest - 0.5), 0.0)
    return np.ascontiguousarray(np.concatenate([matters, variate]).T)
