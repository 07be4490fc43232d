"""Differences as whole numbers, so that every sum of them is exact.

Floating-point sums depend on their order: 0.3 - 0.2 and 0.2 - 0.1 differ in the last bit, and a
resampled statistic that equals the observed one may come out just below it. Whole numbers below
2^52 in float64 have no such error, in any order and for any matrix library.
"""

import math
from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import FloatArray

# Whole numbers, hundredths, all fractions with denominators 1..10, four and six decimals.
_SCALES = (1.0, 100.0, 2520.0, 1e4, 1e6)
_EXACT_BITS = 52
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


def _as_whole(values: FloatArray, scale: float) -> FloatArray | None:
    """Return ``values * scale`` if they are whole up to the error of writing them in binary."""
    scaled = values * scale
    whole = np.rint(scaled)
    size = np.abs(scaled)
    close = (np.abs(scaled - whole) <= 8 * np.finfo(np.float64).eps * size) & (
        size < _LARGEST_WHOLE
    )
    return whole if bool(np.all(close)) else None
