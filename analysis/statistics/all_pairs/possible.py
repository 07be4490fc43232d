"""Intervals end where no difference can be: at the range of the metric."""

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.aggregate import RANGES
from analysis.statistics.all_pairs.engine import Engine
from analysis.statistics.all_pairs.intervals import Ends


def largest_differences(engine: Engine) -> FloatArray:
    """Return how far two systems can differ, pair by pair; infinite where that is not known.

    Bounds that the scores of a system leave do not count for its pairs. Right or wrong items are
    shares, from 0 to 1, where nothing is stated.
    """
    s = engine.settings
    found = np.full(engine.difference.shape, np.inf)
    if s.aggregation in ("mean", "median"):
        found[np.logical_and.outer(engine.binary, engine.binary)] = 1.0
    stated = RANGES.get(s.aggregation, s.bounds)
    if stated is None:
        return found
    least, most = stated
    holds = np.abs(engine.difference) <= most - least
    if s.aggregation in ("mean", "median"):
        inside = ~np.any((s.values < least) | (s.values > most), axis=(1, 2))
        holds &= np.logical_and.outer(inside, inside)
    return np.where(holds, most - least, found)


def within(ends: Ends, largest: FloatArray, delta: float = 0.0) -> Ends:
    """Return intervals that end at the largest difference; open ends stay open.

    `delta` stays where it is, in or out, even if it is a difference that cannot be.
    """
    low, high = np.minimum(-largest, delta), np.maximum(largest, delta)
    return Ends(
        np.where(np.isfinite(ends.low), np.maximum(ends.low, low), ends.low),
        np.where(np.isfinite(ends.high), np.minimum(ends.high, high), ends.high),
    )
