"""Sums of many rows at once, each rounded once, as `math.fsum` rounds it."""

import math
from collections.abc import Iterator

import numpy as np

from analysis.statistics._typing import FloatArray

_AT_ONCE = 32_768
"""Numbers that stay in cache."""
_MANY = 1_000
"""From so many on, taking them one by one takes longer."""


def exact_sum(values: FloatArray) -> float:
    """Return the sum of one-dimensional values as `math.fsum` gives it, sooner where many."""
    if values.size < _MANY:
        return math.fsum(values.tolist())
    return float(exact_sums(values[np.newaxis])[0])


def exact_sums(rows: FloatArray) -> FloatArray:
    """Return the sum of each row, rounded once: the same in any order, and by any matrix library.

    Parameters
    ----------
    rows : ndarray, shape (n_rows, n_values)
        Where one is not finite, sums are those of `math.fsum` too.

    Returns
    -------
    ndarray of float, shape (n_rows,)

    Notes
    -----
    The numbers of a row are split at a power of two so large that their upper parts have an exact
    sum, then the rest likewise, until nothing is left: mostly twice. [1]_, algorithm 3.2.

    References
    ----------
    .. [1] Rump, Ogita and Oishi (2008), Accurate floating-point summation part I: faithful
       rounding, SIAM Journal on Scientific Computing 31(1).

    Examples
    --------
    >>> exact_sums(np.array([[0.1] * 10, [1e16, 1.0, -1e16, 0, 0, 0, 0, 0, 0, 0]]))
    array([1., 1.])
    """
    n_rows, n_values = rows.shape
    peak = max(float(np.max(rows, initial=0.0)), -float(np.min(rows, initial=0.0)))
    if not (math.isfinite(peak) and math.isfinite(float(_border(peak, n_values)))):
        return np.array([math.fsum(row) for row in rows])
    sums = np.zeros(n_rows)
    step = max(1, _AT_ONCE // max(1, n_values))
    for start in range(0, n_rows, step):
        part = rows[start : start + step]
        parts = [
            exact
            for at in range(0, n_values, _AT_ONCE)
            for exact in _exact_parts(part[:, at : at + _AT_ONCE])
        ]
        sums[start : start + step] = _rounded_once(parts)
    return sums


def _exact_parts(rows: FloatArray) -> Iterator[FloatArray]:
    """Yield numbers for each row, shape (n_rows,), that add up to its exact sum."""
    rest = rows
    while rest.any():
        peak = np.max(np.abs(rest), axis=1, keepdims=True)
        border = _border(peak, rows.shape[1])
        upper = (rest + border) - border
        yield np.sum(upper, axis=1)
        rest = rest - upper


def _border(peak: FloatArray | float, n_values: int) -> FloatArray:
    """Return a power of two so large that upper parts of so many numbers have an exact sum."""
    # One more than there are numbers, and one bit to spare.
    bits = math.frexp(n_values + 1)[1] + 1
    with np.errstate(over="ignore"):
        return np.asarray(np.ldexp(1.0, np.frexp(peak)[1] + bits))


def _rounded_once(parts: list[FloatArray]) -> FloatArray:
    if len(parts) > 2:
        return np.array([math.fsum(row) for row in zip(*parts, strict=True)])
    return np.asarray(sum(parts, start=np.float64(0.0)))
