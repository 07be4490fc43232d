"""Metrics on one scale, so that they can exchange values."""

import numpy as np

from analysis.statistics._typing import FloatArray


def standardised(values: FloatArray, scale: str) -> FloatArray:
    """Return metrics with mean 0 and variance 1 over their cells, or as they are ("as given").

    Parameters
    ----------
    values : ndarray, shape (n_metrics, n_systems, n_items)
        NaN: no cell, in all metrics alike.
    scale : {"standardised", "as given"}

    Returns
    -------
    ndarray, same shape
        0 where all values of a metric are equal.
    """
    if scale == "as given":
        return values
    flat = values.reshape(len(values), -1)
    low = np.nanmin(flat, axis=1, keepdims=True)
    # Centred and in units of the range first: squares of very large or small numbers are none.
    reach = np.nanmax(flat, axis=1, keepdims=True) - low
    varies = reach > 0
    middle = (flat - low) / np.where(varies, reach, 1.0)
    middle = middle - np.nanmean(middle, axis=1, keepdims=True)
    spread = np.sqrt(np.nanmean(middle * middle, axis=1, keepdims=True))
    scaled = np.where(varies, middle / np.where(varies, spread, 1.0), 0.0 * middle)
    return np.asarray(scaled).reshape(values.shape)
