"""How far off a mean can be where nothing varies: what may not have been seen yet."""

import math

import numpy as np

from analysis.statistics._typing import FloatArray


def score_range(a: FloatArray, b: FloatArray) -> float:
    """Return how far the scores of both systems spread."""
    return max(float(np.max(a)), float(np.max(b))) - min(float(np.min(a)), float(np.min(b)))


def no_spread_tail(difference: float, margin: float, largest: float, n_units: int) -> float:
    """Return the chance of so many equal differences if the mean were -margin.

    For that a share of (difference + margin) / (difference + largest) of all units would have to
    differ by -largest: the inverse of `no_spread_bounds`.
    """
    if difference <= -margin:
        return 1.0
    if margin >= largest:
        return 0.0  # no difference reaches the margin
    return (1 - (difference + margin) / (difference + largest)) ** n_units


def no_spread_bounds(
    difference: float, largest: float, n_units: int, tail: float
) -> tuple[float, float]:
    """Return how far the mean difference can be from the one that all units have.

    If a share s of all units had another difference, n units without one had probability
    (1 - s)^n; that leaves s <= 1 - tail^(1/n), and those units differ by at most `largest`.
    Student's t would return the one difference as its own interval, which reads as certainty.
    """
    if largest == 0:
        return math.nan, math.nan
    share = -math.expm1(math.log(tail) / n_units)
    return (
        difference - share * (largest + difference),
        difference + share * (largest - difference),
    )
