"""Numbers that a person gives to a study, refused in words where they make no sense."""

from __future__ import annotations

import math
from typing import Final

from analysis.choices import MOST_DRAWS
from store.errors import StoreError

SMALLEST_ALPHA: Final = 1e-9
"""Levels nearer to 0 or 1 are beyond what floating-point tails can tell apart."""
MOST_RESAMPLES: Final = MOST_DRAWS


def check_numbers(*, alpha: float, n_resamples: int, seed: int, fewest: int = 1) -> None:
    """Check what all studies across datasets are given.

    Parameters
    ----------
    alpha
        Level, between 0 and 1.
    n_resamples
        From `fewest` to ten million.
    seed
        Not negative.

    Raises
    ------
    StoreError
        One of them is out of range.
    """
    if not SMALLEST_ALPHA <= alpha <= 1 - SMALLEST_ALPHA:
        raise StoreError(
            f"`alpha` must lie between 0 and 1, and {SMALLEST_ALPHA:g} away from both, got "
            f"{alpha:g}."
        )
    if n_resamples < fewest:
        raise StoreError(f"`n_resamples` must be at least {fewest}, got {n_resamples}.")
    if n_resamples > MOST_RESAMPLES:
        raise StoreError(
            f"`n_resamples` must be at most {MOST_RESAMPLES:,}, got {n_resamples:,}: more would "
            "change no digit that matters."
        )
    if seed < 0:
        raise StoreError(f"`seed` must not be negative, got {seed}.")


def check_positive(name: str, value: float | None) -> None:
    """Check a number that may be left out.

    Raises
    ------
    StoreError
        It is not above 0, or not finite.
    """
    if value is not None and not 0 < value < math.inf:
        raise StoreError(f"`{name}` must be a number above 0, got {value:g}.")


def check_finite(name: str, value: float | None) -> None:
    """Check a number that may be left out.

    Raises
    ------
    StoreError
        It is not finite.
    """
    if value is not None and not math.isfinite(value):
        raise StoreError(f"`{name}` must be a finite number, got {value:g}.")
