"""Checks on arguments that several procedures share.

Each returns the normalised value or raises; messages name the argument, what was seen, and what
to do.
"""

import math
from collections.abc import Iterable
from operator import index

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray, Seed

ALTERNATIVES = ("two-sided", "greater", "less")


def as_floats(values: npt.ArrayLike, name: str) -> FloatArray:
    """Return `values` as a float64 copy; None becomes NaN."""
    array = np.asarray(values)
    if array.dtype.kind not in "biufO":
        raise TypeError(f"`{name}` must hold numbers, got {array.dtype} values.")
    try:
        return np.array(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"`{name}` must hold numbers (NaN where there is none).") from None


def as_pvalues(pvalues: npt.ArrayLike, *, name: str = "pvalues") -> FloatArray:
    """Return 1-D p-values, each in [0, 1] or NaN (not testable)."""
    values = as_floats(pvalues, name)
    if values.ndim != 1:
        raise ValueError(f"`{name}` must be 1-D (one per test), got shape {values.shape}.")
    check_pvalue_range(values, name)
    return values


def check_pvalue_range(values: FloatArray, name: str) -> None:
    """Raise where a value is neither in [0, 1] nor NaN."""
    wrong = np.argwhere((values < 0) | (values > 1))
    if wrong.size:
        place = tuple(int(i) for i in wrong[0])
        where = place[0] if len(place) == 1 else place
        raise ValueError(
            f"`{name}` must lie between 0 and 1 (NaN = not testable), "
            f"got {values[place]} at index {where}."
        )


def as_level(value: float, *, name: str = "alpha") -> float:
    """Return a probability strictly between 0 and 1."""
    try:
        level = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"`{name}` must be a number, got {value!r}.") from None
    if not 0 < level < 1:
        raise ValueError(f"`{name}` must lie strictly between 0 and 1, got {level}.")
    return level


def as_bounds(bounds: tuple[float, float], *, name: str = "bounds") -> tuple[float, float]:
    """Return two finite ends, the lower first."""
    low, high = (float(end) for end in bounds)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"`{name}` must be two finite ends, the lower first; got {low}, {high}.")
    return low, high


def as_choice(value: str, name: str, choices: Iterable[str]) -> str:
    """Return `value` if it is one of `choices`."""
    allowed = tuple(choices)
    if value not in allowed:
        listed = ", ".join(f"'{choice}'" for choice in allowed)
        raise ValueError(f"`{name}` must be one of {listed}; got {value!r}.")
    return value


def as_count(value: int, name: str) -> int:
    """Return a whole number of at least 1."""
    try:
        count = index(value)
    except TypeError:
        raise TypeError(
            f"`{name}` must be a whole number, got {type(value).__name__} {value!r}."
        ) from None
    if count < 1:
        raise ValueError(f"`{name}` must be at least 1, got {count}.")
    return count


def as_seed(rng: Seed) -> int:
    """Return the seed that `rng` stands for, so that it can be written into a signature.

    An int is itself (0 is a seed), a Generator gives its next raw word, None fresh entropy.
    """
    if rng is None:
        return int(np.random.PCG64DXSM().random_raw())
    if isinstance(rng, np.random.Generator):
        return int(rng.bit_generator.random_raw())
    if isinstance(rng, bool | np.bool_):
        raise TypeError("`rng` must be a whole number, a numpy Generator or None, got a bool.")
    try:
        seed = index(rng)
    except TypeError:
        raise TypeError(
            f"`rng` must be a whole number, a numpy Generator or None, got {type(rng).__name__}."
        ) from None
    if seed < 0:
        raise ValueError(f"`rng` must not be negative when it is a seed, got {seed}.")
    return seed
