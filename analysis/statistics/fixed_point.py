"""Differences, or whole matrices of scores, as whole numbers, so that every sum is exact.

Floating-point sums depend on their order: 0.3 - 0.2 and 0.2 - 0.1 differ in the last bit, and a
resampled statistic that equals the observed one may come out just below it. Whole numbers below
2^52 in float64 have no such error, in any order and for any matrix library.
"""

import math
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray

_Offsets: TypeAlias = tuple[FloatArray, float]

# Whole numbers, hundredths, all fractions with denominators 1..10, four and six decimals.
_SCALES = (1.0, 100.0, 2520.0, 1e4, 1e6)
_EXACT_BITS = 52
_SINGLE_BITS = 24
_PROBES = 1_000
_AT_ONCE = 65_536
_SMALLEST_EXPONENT = -900
# Beyond this a multiple of a step can no longer be told from its neighbours.
_LARGEST_WHOLE = 2.0**44


class WholeDifferences(NamedTuple):
    """Differences a - b in whole steps."""

    steps: FloatArray
    """Whole numbers in float64; any sum of a subset, with any signs, is exact."""
    step: float
    """Value of one step."""


def whole_differences(a: FloatArray, b: FloatArray) -> WholeDifferences:
    """Express ``a - b`` in whole steps.

    Parameters
    ----------
    a, b : ndarray, shape (n,)
        Finite values.

    Returns
    -------
    WholeDifferences
        Exact where all values are multiples of a common simple fraction. Otherwise rounded to
        the finest binary grid whose sums stay exact: 52 bits less the bits of n, relative to the
        largest difference.
    """
    for scale in _SCALES:
        whole_a, whole_b = _as_whole(a, scale), _as_whole(b, scale)
        if whole_a is None or whole_b is None:
            continue
        steps = whole_a - whole_b
        if np.sum(np.abs(steps)) < 2.0**_EXACT_BITS:
            return WholeDifferences(steps, 1.0 / scale)
    differences = a - b
    peak = float(np.max(np.abs(differences), initial=0.0))
    if peak == 0:
        return WholeDifferences(np.zeros_like(a), 1.0)
    exponent = max(math.frexp(peak)[1], _SMALLEST_EXPONENT)
    shift = _EXACT_BITS - differences.size.bit_length() - exponent
    return WholeDifferences(np.rint(np.ldexp(differences, shift)), math.ldexp(1.0, -shift))


class WholeScores(NamedTuple):
    """Scores of several systems in whole steps, measured from a centre per item."""

    steps: npt.NDArray[np.floating]
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
    ranges = _item_range(offsets, present)[1]
    offsets -= np.floor(ranges / 2)
    offsets[missing] = 0.0
    reach = float(np.sum(ranges))
    dtype = np.float32 if reach < 2.0**_SINGLE_BITS else np.float64
    return WholeScores(offsets.astype(dtype, copy=False), present, step, simple is not None, reach)


def _in_simple_steps(values: FloatArray, present: BoolArray | None) -> _Offsets | None:
    """Return whole steps above each item's lowest score, if a simple fraction is their step."""
    flat = values.reshape(-1)
    for scale in _SCALES:
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
    peak = float(np.max(ranges, initial=0.0))
    exponent = max(math.frexp(peak)[1], _SMALLEST_EXPONENT)
    shift = _EXACT_BITS - values.shape[1].bit_length() - exponent
    return np.rint(np.ldexp(values - low, shift)), math.ldexp(1.0, -shift)


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
    scaled = values * scale
    whole = np.rint(scaled)
    size = np.abs(scaled)
    close = (np.abs(scaled - whole) <= 8 * np.finfo(np.float64).eps * size) & (
        size < _LARGEST_WHOLE
    )
    return whole if bool(np.all(close)) else None
