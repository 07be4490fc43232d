"""What kind of numbers the scores of a pair are: two values, whole steps, or neither.

Only the rows of the pair decide. A pair is tested the same way, to the last bit, whichever other
systems stand beside it.
"""

from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import BoolArray, FloatArray, IntArray
from analysis.statistics.fixed_point import largest_exact
from analysis.statistics.precision import simple_rows

NOT_WHOLE = -1
_FEW = 64


class Kinds(NamedTuple):
    """Kinds of listed pairs."""

    scale: IntArray
    """Place in `precision.SCALES` of the first that makes both rows whole; or `NOT_WHOLE`."""
    shared_scale: int
    """Place of a scale that makes all rows whole; or `NOT_WHOLE`."""


class TwoValues(NamedTuple):
    """Pairs whose scores have one of two values, by the higher one."""

    high: float
    pairs: IntArray
    """Places in the list of pairs."""


def kinds_of(values: FloatArray, left: IntArray, right: IntArray) -> Kinds:
    """Find the scale of each pair.

    Parameters
    ----------
    values : ndarray, shape (n_systems, n_items)
        NaN where missing.
    left, right : ndarray of int, shape (n_pairs,)
    """
    simple = simple_rows(values, limit=largest_exact(values.shape[1]))
    scale = np.full(left.size, NOT_WHOLE)
    for place in reversed(range(simple.shape[1])):
        scale[simple[left, place] & simple[right, place]] = place
    serving = np.flatnonzero(simple.all(axis=0))
    return Kinds(scale, int(serving[0]) if serving.size else NOT_WHOLE)


def two_valued(values: FloatArray, left: IntArray, right: IntArray) -> list[TwoValues]:
    """Find the pairs whose scores take no more than two values between them."""
    low = np.fmin.reduce(values, axis=1, initial=np.inf)
    high = np.fmax.reduce(values, axis=1, initial=-np.inf)

    def only_ends(rows: IntArray, n_items: int) -> BoolArray:
        part = values[rows, :n_items]
        ends = (part == low[rows, np.newaxis]) | (part == high[rows, np.newaxis])
        return np.asarray(np.all(ends | np.isnan(part), axis=1))

    likely = np.arange(len(values))
    likely = likely[only_ends(likely, _FEW)]
    likely = likely[only_ends(likely, values.shape[1])]
    two = np.zeros(len(values), np.bool_)
    two[likely] = True
    lower, upper = np.minimum(low[left], low[right]), np.maximum(high[left], high[right])
    fits = two[left] & two[right]
    for end in (low[left], low[right], high[left], high[right]):
        fits &= (end == lower) | (end == upper)
    pairs = np.flatnonzero(fits)
    # Who has the higher value is all that counts: the lower one may be another for each pair.
    highs, which = np.unique(upper[pairs], return_inverse=True)
    order = np.argsort(which, kind="stable")
    groups = np.split(pairs[order], np.flatnonzero(np.diff(which[order])) + 1)
    return [TwoValues(float(end), some) for end, some in zip(highs, groups, strict=False)]
