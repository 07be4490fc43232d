"""Differences, or whole matrices of scores, as whole numbers, so that every sum is exact.

Floating-point sums depend on their order: 0.3 - 0.2 and 0.2 - 0.1 differ in the last bit, and a
resampled statistic that equals the observed one may come out just below it. Whole numbers below
2^52 in float64 have no such error, in any order and for any matrix library.
"""

import math
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray, Floats
from analysis.statistics.precision import SCALES, are_whole, joined_differences

_Offsets: TypeAlias = tuple[FloatArray, float]

_EXACT_BITS = 52
_SINGLE_BITS = 24
_PROBES = 1_000
_AT_ONCE = 65_536
"""Numbers that stay in cache."""
_SMALLEST_STEP = -1_074
"""Exponent of the smallest number that float64 can tell from 0."""
_ORDINARY = 400
"""Rows whose largest number is beyond 2^±400 have squares that leave the range of float64."""


class WholeDifferences(NamedTuple):
    """Differences a - b in whole steps."""

    steps: FloatArray
    """Whole numbers in float64; any sum of a subset, with any signs, is exact."""
    step: float
    """Value of one step."""
    near: float
    """Up to so far apart sums are equal, in the unit of the scores; 0 where steps are exact."""


def whole_differences(a: FloatArray, b: FloatArray) -> WholeDifferences:
    """Express ``a - b`` in whole steps.

    Parameters
    ----------
    a, b : ndarray, shape (n,)
        Finite values.

    Returns
    -------
    WholeDifferences
        Exact where all values are multiples of a common simple fraction. Otherwise sizes that are
        equal at the precision of the pair are one, on the finest binary grid whose sums stay
        exact: 52 bits less the bits of n, relative to the largest difference.
    """
    for scale in SCALES:
        whole_a, whole_b = _as_whole(a, scale), _as_whole(b, scale)
        if whole_a is None or whole_b is None:
            continue
        steps = whole_a - whole_b
        if np.sum(np.abs(steps)) < 2.0**_EXACT_BITS:
            return WholeDifferences(steps, 1.0 / scale, 0.0)
    differences, near = joined_differences(a, b)
    peak = float(np.max(np.abs(differences), initial=0.0))
    if peak == 0:
        return WholeDifferences(np.zeros_like(a), 1.0, near)
    shift = _shift(peak, differences.size)
    steps = np.rint(np.ldexp(differences, shift))
    return WholeDifferences(steps, math.ldexp(1.0, -shift), near)


class WholeScores(NamedTuple):
    """Scores of several systems in whole steps, measured from a centre per item."""

    steps: Floats
    """Shape (n_systems, n_items); whole numbers in float32 or float64, 0 where missing."""
    present: BoolArray | None
    """Which scores there are, same shape; None where all are."""
    step: float
    """Value of one step."""
    exact: bool
    """False where the scores had to be rounded to a binary grid."""
    reach: float
    """No signed sum of differences between two systems is larger, in steps."""


def whole_scores(matrix: npt.ArrayLike) -> WholeScores:
    """Express the scores of several systems on the same items in whole steps.

    Parameters
    ----------
    matrix : array_like, shape (n_systems, n_items)
        Finite values; NaN where a system has no score.

    Returns
    -------
    WholeScores
        Differences between systems on the same item keep their value; the scores themselves are
        measured from the middle of the item's range, which keeps them small. Exact where all
        scores are multiples of a common simple fraction, in the largest such step. Otherwise
        rounded to the finest binary grid whose sums stay exact: 52 bits less the bits of
        n_items, relative to the largest range of an item.

    Notes
    -----
    All sums, of any scores with any signs, are exact in the type of `steps`: float32 while the
    ranges of the items add up to less than 2^24 steps, float64 otherwise. Peak memory: three
    float64 copies of the matrix.

    Examples
    --------
    >>> whole = whole_scores([[0.5, 0.75], [1.0, 0.25]])
    >>> whole.steps, whole.step
    (array([[0., 1.],
           [1., 0.]], dtype=float32), 0.5)
    """
    values = np.array(matrix, dtype=np.float64)
    missing = np.isnan(values)
    present = ~missing if missing.any() else None
    values[missing] = 0.0
    simple = _in_simple_steps(values, present)
    offsets, step = simple or _on_binary_grid(values, present)
    return _centred(offsets, present, step, exact=simple is not None)


def _centred(
    offsets: FloatArray, present: BoolArray | None, step: float, *, exact: bool
) -> WholeScores:
    """Measure steps above each item's lowest score from the middle of its range."""
    ranges = _item_range(offsets, present)[1]
    offsets -= np.floor(ranges / 2)
    if present is not None:
        offsets[~present] = 0.0
    reach = float(np.sum(ranges))
    dtype = np.float32 if reach < 2.0**_SINGLE_BITS else np.float64
    return WholeScores(offsets.astype(dtype, copy=False), present, step, exact, reach)


def whole_at(matrix: FloatArray, scale: float) -> WholeScores:
    """Express scores that are whole multiples of 1 / `scale` in whole steps.

    Parameters
    ----------
    matrix : ndarray, shape (n_systems, n_items)
        Rows for which `precision.simple_rows` says that `scale` serves; NaN where missing.
    scale : float
        One of `SCALES`.

    Returns
    -------
    WholeScores
        As `whole_scores` gives, exact.
    """
    missing = np.isnan(matrix)
    present = ~missing if missing.any() else None
    offsets = np.rint(matrix * scale)
    offsets[missing] = 0.0
    offsets -= _item_range(offsets, present)[0]
    divisor = _common_divisor(offsets, present)
    offsets /= divisor
    return _centred(offsets, present, divisor / scale, exact=True)


def largest_exact(n_items: int) -> float:
    """Return below how many steps numbers of n items have exact sums of differences."""
    return 2.0 ** (_EXACT_BITS - 1 - n_items.bit_length())


class RowGrids(NamedTuple):
    """Scores rounded row by row, each to a binary grid of its own."""

    values: FloatArray
    """Multiples of the row's step; any sum of them, with any signs, is exact; NaN where missing."""
    steps: FloatArray
    """Value of one step of each row, shape (n_systems,); infinite where squares of the row's
    values would leave the range of float64."""


def on_row_grids(matrix: FloatArray) -> RowGrids:
    """Round each row to the finest binary grid whose sums stay exact.

    Parameters
    ----------
    matrix : ndarray, shape (n_systems, n_items)
        NaN where missing.

    Returns
    -------
    RowGrids
        52 bits less the bits of n_items, relative to the row's largest number. A row depends on
        its own numbers only, so sums of its values are the same beside any other rows.
    """
    peaks = np.max(np.abs(matrix), axis=1, initial=0.0, where=~np.isnan(matrix))
    exponents = np.frexp(peaks)[1]
    ordinary = (np.abs(exponents) <= _ORDINARY) | (peaks == 0)
    shifts = np.where(ordinary, _EXACT_BITS - matrix.shape[1].bit_length() - exponents, 0)
    # Products with powers of two are exact, and quicker than ldexp.
    values = matrix * np.ldexp(1.0, shifts)[:, np.newaxis]
    np.rint(values, out=values)
    steps = np.ldexp(1.0, -shifts)
    values *= steps[:, np.newaxis]
    values[~ordinary] *= 0.0
    return RowGrids(values, np.where(ordinary, np.where(peaks == 0, 0.0, steps), np.inf))


def of_ordinary_size(scores: FloatArray) -> FloatArray:
    """Return scores of any shape times a power of two that leaves none beyond 2^±400 the largest.

    No digit of a number changes but of those 2^-600 the size of the largest, so that order and
    ties of differences are as before.
    """
    peak = float(np.nanmax(np.abs(scores), initial=0.0))
    exponent = math.frexp(peak)[1]
    return scores if abs(exponent) <= _ORDINARY else np.ldexp(scores, -exponent)


def tie_tolerance(step_of_one: FloatArray, step_of_other: FloatArray, n_items: int) -> FloatArray:
    """Return how far apart sums of differences between two rows may lie that are equal on paper.

    The two rows are on grids with these steps: each of n numbers is off by half a step at most,
    and by less for having been written in binary; twice that serves the observed sum as well.
    """
    return np.asarray(2.0 * n_items * (step_of_one + step_of_other))


def _in_simple_steps(values: FloatArray, present: BoolArray | None) -> _Offsets | None:
    """Return whole steps above each item's lowest score, if a simple fraction is their step."""
    flat = values.reshape(-1)
    for scale in SCALES:
        if _as_whole(flat[:: max(1, flat.size // _PROBES)], scale) is None:
            continue
        whole = np.empty_like(flat)
        for start in range(0, flat.size, _AT_ONCE):
            part = _as_whole(flat[start : start + _AT_ONCE], scale)
            if part is None:
                break
            whole[start : start + _AT_ONCE] = part
        else:
            offsets = whole.reshape(values.shape)
            low, ranges = _item_range(offsets, present)
            offsets -= low
            divisor = _common_divisor(offsets, present)
            if np.sum(ranges) / divisor < 2.0**_EXACT_BITS:
                offsets /= divisor
                return offsets, divisor / scale
    return None


def _common_divisor(offsets: FloatArray, present: BoolArray | None) -> float:
    """Return the largest number that divides all offsets; 1 if all are 0."""
    flat = (offsets if present is None else offsets[present]).reshape(-1)
    divisor = int(np.gcd.reduce(flat[:: max(1, flat.size // _PROBES)].astype(np.int64), initial=0))
    if divisor != 1:
        divisor = int(np.gcd.reduce(flat.astype(np.int64), initial=divisor))
    return float(max(1, divisor))


def _on_binary_grid(values: FloatArray, present: BoolArray | None) -> _Offsets:
    """Return steps of a power of two above each item's lowest score."""
    low, ranges = _item_range(values, present)
    shift = _shift(float(np.max(ranges, initial=0.0)), values.shape[1])
    return np.rint(np.ldexp(values - low, shift)), math.ldexp(1.0, -shift)


def _shift(peak: float, n: int) -> int:
    """Return the power of two by which n numbers up to `peak` become steps with exact sums."""
    return min(_EXACT_BITS - n.bit_length() - math.frexp(peak)[1], -_SMALLEST_STEP)


def _item_range(values: FloatArray, present: BoolArray | None) -> tuple[FloatArray, FloatArray]:
    """Return lowest score and range per item, both 0 for an item without scores."""
    where = True if present is None else present
    low = np.min(values, axis=0, initial=np.inf, where=where)
    high = np.max(values, axis=0, initial=-np.inf, where=where)
    empty = low > high
    low[empty] = high[empty] = 0.0
    return low, high - low


def _as_whole(values: FloatArray, scale: float) -> FloatArray | None:
    """Return ``values * scale`` if they are whole up to the error of writing them in binary."""
    return np.rint(values * scale) if are_whole(values, scale).all() else None
