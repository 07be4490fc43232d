"""Checks on the arguments that questions of power share.

Each returns the normalised value or raises; messages name the argument, what was seen, and what
to do. What all of statistics shares is in `analysis.statistics.validation`.
"""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from analysis.statistics._typing import IntArray
from analysis.statistics.validation import as_count, as_level

FEWEST_UNITS: Final = 2
"""Items, groups, workers: one says nothing about others."""
_LEVEL_LIMIT = 0.5


def as_number(value: float, name: str) -> float:
    """Return a number, which may be NaN or infinite."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"`{name}` must be a number, got {value!r}.") from None


def as_finite(value: float, name: str) -> float:
    """Return a finite number."""
    number = as_number(value, name)
    if not math.isfinite(number):
        raise ValueError(f"`{name}` must be finite, got {number}.")
    return number


def as_above_zero(value: float, name: str) -> float:
    """Return a finite number above 0."""
    number = as_finite(value, name)
    if number <= 0:
        raise ValueError(f"`{name}` must be above 0, got {number:g}.")
    return number


def as_share(value: float, name: str) -> float:
    """Return a number between 0 and 1, both included."""
    share = as_finite(value, name)
    if not 0 <= share <= 1:
        raise ValueError(f"`{name}` must be a share between 0 and 1, got {share:g}.")
    return share


def as_difference(value: float, name: str = "difference", *, of: str = "items") -> float:
    """Return a finite difference that can be found: not 0. `of`: what would have to find it."""
    difference = as_finite(value, name)
    if difference == 0:
        raise ValueError(f"`{name}` must not be 0: no number of {of} could show it.")
    return difference


def as_several(value: int, name: str) -> int:
    """Return a whole number of at least 2."""
    count = as_count(value, name)
    if count < FEWEST_UNITS:
        raise ValueError(
            f"`{name}` must be at least {FEWEST_UNITS}, got {count}: one says nothing about others."
        )
    return count


def as_sizes(sizes: Sequence[int]) -> IntArray:
    """Return numbers of items, each at least 2."""
    numbers = [as_count(size, "sizes") for size in sizes]
    if not numbers or min(numbers) < FEWEST_UNITS:
        raise ValueError(f"`sizes` must hold numbers of at least {FEWEST_UNITS}, got {sizes!r}.")
    return np.array(numbers, dtype=np.int64)


def as_low_level(alpha: float) -> float:
    """Return a level below 0.5."""
    level = as_level(alpha)
    if level >= _LEVEL_LIMIT:
        raise ValueError(
            f"`alpha` must be below {_LEVEL_LIMIT}, got {level}: above, results in the wrong "
            "direction would be significant."
        )
    return level


def as_target_power(power: float, alpha: float) -> float:
    """Return the power asked for, which must be above the level of the test."""
    target, level = as_level(power, name="power"), as_level(alpha)
    if target <= level:
        raise ValueError(
            f"`power` must be above `alpha` ({level}), which a test of no use has, got {target}."
        )
    return target
