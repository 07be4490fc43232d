"""Losses that one dataset shows and another may hide, for counts over datasets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.validity_bounds import BOUNDS


class Tails(NamedTuple):
    """What a system gains over another, item by item; arrays of shape (n_datasets, ...).

    NaN on datasets where nothing is to be guarded.
    """

    n: FloatArray
    """Units of the test: items, or groups of items."""
    mean: FloatArray
    sd: FloatArray
    """Of items."""
    loss: FloatArray
    """The largest loss of an item; at least 0, as is the largest gain."""
    gain: FloatArray

    @property
    def turned(self) -> Tails:
        """The same for the other system."""
        return Tails(self.n, -self.mean, self.sd, self.gain, self.loss)


def largest_losses(scores: FloatArray, sign: int = 1) -> FloatArray:
    """Return what row loses to column on the item where it loses most, at least 0.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_items)
        NaN = missing; a pair uses the items that both have. Without any: 0.
    sign : int
        -1 where lower scores are better.
    """
    found = np.zeros((len(scores),) * 2)
    better = sign * scores
    for row, own in enumerate(better):
        found[row] = np.fmax.reduce(better - own, axis=1, initial=0.0)
    return found


def guard_unseen(tails: Tails, pvalue: FloatArray) -> FloatArray:
    """Return p-values that allow for losses which only other datasets show.

    Parameters
    ----------
    tails : Tails
        On the datasets that are counted together, by one metric.
    pvalue : ndarray
        Of "the first is better"; of "they differ" where the first is better. NaN stays NaN.

    Returns
    -------
    ndarray
        Nowhere smaller.

    Notes
    -----
    Rare large losses make a test err on those datasets that happen to hold none: there many small
    gains stand alone. A count over datasets finds just these. Where the largest loss L of all
    datasets is far larger than any gain, and than what this dataset shows, its p is at least
    (L / (L + m))^n: the probability that n items hold none of the losses by which the mean gain m
    would come to 0 (Bahadur and Savage 1956).

    Examples
    --------
    >>> half = np.array([[0.05], [0.05]])
    >>> tails = Tails(half * 0 + 30, half, half, np.array([[0.0], [1.0]]), half * 2)
    >>> guard_unseen(tails, np.full((2, 1), 1e-6)).round(3).ravel().tolist()
    [0.231, 0.0]
    """
    largest = np.fmax.reduce(tails.loss, axis=0)
    best = np.fmax.reduce(tails.gain, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        possible = (
            (tails.mean > 0)
            & (largest >= BOUNDS["lopsided"].value * best)
            & (largest >= BOUNDS["unseen-here"].value * tails.loss)
            & (largest >= BOUNDS["tight"].value * tails.sd)
        )
        none_seen = np.exp(-tails.n * np.log1p(np.fmax(tails.mean, 0) / largest))
    return np.asarray(np.where(possible & (none_seen > pvalue), none_seen, pvalue))
