"""Records: the scores that passed the best of their day."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray, IntArray
from analysis.statistics.results import Result, read_only
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_floats


@dataclass(frozen=True, slots=True, eq=False)
class Records(Result):
    """Which scores of a history passed all earlier ones.

    Attributes
    ----------
    values : ndarray of float, shape (n,)
        As given, in order of time, higher is better.
    is_record : ndarray of bool, shape (n,)
        Strictly above all earlier values. The first value is one.
    best_before : ndarray of float, shape (n,)
        Best value before; NaN where there is none.
    previous : ndarray of int, shape (n,)
        Index of the record that held before; -1 where there is none.
    gain : ndarray of float, shape (n,)
        ``values - best_before``; negative where a value did not reach the best.
    looks : ndarray of int, shape (n,)
        Number of the look that each value was, from 1; 0 where the value is NaN.
    n_looks : int
        Values that are not NaN.
    """

    values: FloatArray
    is_record: BoolArray
    best_before: FloatArray
    previous: IntArray
    gain: FloatArray
    looks: IntArray
    n_looks: int

    @property
    def signature(self) -> str:
        """One line from which the records can be found again."""
        return build_signature("records", n=self.values.size, looks=self.n_looks)


def find_records(values: npt.ArrayLike, *, times: npt.ArrayLike | None = None) -> Records:
    """Find the scores that strictly passed all earlier ones.

    Parameters
    ----------
    values : array_like, shape (n,)
        Higher is better, oldest first; NaN where a system has no score, which is no look.
    times : array_like, shape (n,), optional
        Numbers or datetime64, never falling. Scores of the same time are compared with the best
        before that time, and only the highest of them (the first of equals) can be a record.

    Returns
    -------
    Records

    Raises
    ------
    TypeError
        If `values` does not hold numbers.
    ValueError
        If `values` is not 1-D or has infinite values, or `times` do not fit it, are missing or
        fall.

    Notes
    -----
    The best of several noisy scores is on average too high, and only gains become records: see
    `correct_gain` for what is left of them.

    Examples
    --------
    >>> found = find_records([70, 72, 72, 71, 75])
    >>> found.is_record, found.previous
    (array([ True,  True, False, False,  True]), array([-1,  0,  1,  1,  1]))
    """
    given = as_floats(values, "values")
    if given.ndim != 1:
        raise ValueError(f"`values` must be 1-D (one per system), got shape {given.shape}.")
    if np.isinf(given).any():
        raise ValueError("`values` must be finite (NaN = no score), got an infinite value.")
    is_record = np.zeros(given.size, dtype=np.bool_)
    previous = np.full(given.size, -1, dtype=np.int64)
    record = -1
    for start, stop in _same_time(times, given.size):
        previous[start:stop] = record
        block = given[start:stop]
        if np.isnan(block).all():
            continue
        highest = start + int(np.nanargmax(block))
        if record < 0 or given[highest] > given[record]:
            record = highest
            is_record[record] = True
    best_before = np.where(previous >= 0, given[previous] if given.size else given, np.nan)
    scored = ~np.isnan(given)
    return Records(
        values=read_only(given),
        is_record=read_only(is_record),
        best_before=read_only(best_before),
        previous=read_only(previous),
        gain=read_only(given - best_before),
        looks=read_only(np.where(scored, np.cumsum(scored), 0).astype(np.int64)),
        n_looks=int(scored.sum()),
    )


def _same_time(times: npt.ArrayLike | None, n_values: int) -> list[tuple[int, int]]:
    """Return start and end of each stretch of equal times."""
    if times is None:
        return [(place, place + 1) for place in range(n_values)]
    moments = np.asarray(times)
    if moments.dtype.kind != "M":
        moments = as_floats(times, "times")
    if moments.shape != (n_values,):
        raise ValueError(
            f"`times` must have one entry per value, shape {(n_values,)}, got {moments.shape}."
        )
    if np.any(np.isnat(moments) if moments.dtype.kind == "M" else np.isnan(moments)):
        raise ValueError("`times` must not be missing; leave out the systems without a date.")
    if np.any(moments[1:] < moments[:-1]):
        raise ValueError("`times` must not fall; sort the systems by time, oldest first.")
    changes = (np.flatnonzero(moments[1:] != moments[:-1]) + 1).tolist()
    borders = [0, *changes, n_values] if n_values else []
    return list(pairwise(borders))
