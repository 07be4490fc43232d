"""Correlations as functions of sums over items."""

import math

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.exact_sums import exact_sum

_CONSTANT = 1e-12


def standardise(values: FloatArray) -> FloatArray:
    """Return values with mean 0 and variance 1, to the last bit free of their order.

    Zeros where all values are equal.
    """
    if not values.size or np.ptp(values) == 0:
        return np.zeros_like(values)
    # Halved first: the range of the largest floats is not itself a float.
    middle = values / 2 - exact_sum(values / 2) / values.size
    middle = middle / float(np.max(np.abs(middle)))
    return np.asarray(middle / math.sqrt(exact_sum(middle * middle) / values.size))


def correlate(x: FloatArray, y: FloatArray) -> float:
    """Return Pearson's correlation of two vectors; NaN where either is constant."""
    if x.size < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan
    x, y = standardise(x), standardise(y)
    return min(1.0, max(-1.0, exact_sum(x * y) / x.size))


def as_ranked(values: FloatArray, aggregation: str) -> FloatArray:
    """Return what Pearson's correlation is taken of: ranks for "spearman", else the values."""
    if aggregation != "spearman":
        return values
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[inverse.reshape(-1)])


def exchangeable_moments(side: FloatArray, aggregation: str) -> FloatArray:
    """Return z, z² and z·gold of predictions that can be exchanged between systems.

    Parameters
    ----------
    side : ndarray, shape (n_items, 2)
        Prediction and gold.
    aggregation : {"pearson", "spearman"}
        Systems may predict on scales of their own, which a correlation ignores: predictions are
        standardised, or ranked for "spearman".

    Returns
    -------
    ndarray, shape (n_items, 3)
    """
    prediction, gold = (as_ranked(column, aggregation) for column in side.T)
    if aggregation == "spearman":
        prediction = prediction - (len(side) + 1) / 2
    else:
        prediction = standardise(prediction)
    gold = standardise(gold)
    return np.stack([prediction, prediction**2, prediction * gold], axis=1)


def from_moments(sums: FloatArray, n_items: int) -> FloatArray:
    """Return the correlation with a standardised gold from sums of z, z² and z·gold.

    Parameters
    ----------
    sums : ndarray, shape (..., 3)
    n_items : int

    Returns
    -------
    ndarray, shape (...)
        NaN where the predictions are constant.
    """
    total, squares, products = np.moveaxis(sums, -1, 0)
    spread = n_items * squares - total * total
    defined = spread > _CONSTANT * n_items * np.abs(squares)
    metric = np.full(np.shape(products), np.nan)
    np.divide(products, np.sqrt(np.where(defined, spread, 1.0)), out=metric, where=defined)
    return np.asarray(np.clip(metric, -1.0, 1.0))
