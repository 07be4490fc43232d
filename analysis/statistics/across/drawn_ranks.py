"""Ranks of many systems in many replicates at once, as whole numbers."""

import numpy as np

from analysis.statistics._typing import FloatArray, RankArray

_MOST = np.iinfo(np.int16).max


def doubled_ranks(values: FloatArray) -> RankArray:
    """Return twice the rank of each value within its row: 2 is highest, ties share their middle.

    Parameters
    ----------
    values : ndarray, shape (n_rows, n_values)
        NaN where a value is not defined; the others are ranked among each other.

    Returns
    -------
    ndarray of int, same shape
        0 for NaN.

    Examples
    --------
    >>> doubled_ranks(np.array([[0.5, 0.9, np.nan, 0.5]]))
    array([[5, 2, 0, 5]], dtype=int16)
    """
    n_values = values.shape[1]
    dtype = np.int16 if 2 * n_values <= _MOST else np.int32
    order = np.argsort(-values, axis=1)
    descending = np.take_along_axis(values, order, axis=1)
    apart = descending[:, 1:] != descending[:, :-1]
    edge = np.ones((len(values), 1), np.bool_)
    places = np.arange(n_values, dtype=dtype)
    begins = np.where(np.hstack([edge, apart]), places, dtype(0))
    first = np.maximum.accumulate(begins, axis=1)
    ends = np.where(np.hstack([apart, edge]), places, dtype(n_values))
    last = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty(values.shape, dtype)
    np.put_along_axis(ranks, order, first + last + dtype(2), axis=1)
    ranks[np.isnan(values)] = 0
    return ranks
