"""What a value of a record means: a number, a direction, a moment, a property."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Any, Final

from store.importers.cells import LARGEST, CellError, parse_date, parse_number
from store.importers.recipes.paths import Place, as_words, getter

LONGEST_PROPERTY: Final = 200
"""Characters; a longer value is a text."""


def are_alike(one: Mapping[int, float], other: Mapping[int, float]) -> bool:
    """Return whether two records say the same; NaN is NaN."""
    return one.keys() == other.keys() and all(
        value == other[key] or (math.isnan(value) and math.isnan(other[key]))
        for key, value in one.items()
    )


def is_property(value: Any) -> bool:
    """Return whether a value is short enough to be a property of an item, not a text of it."""
    is_short = isinstance(value, str) and 0 < len(value) <= LONGEST_PROPERTY
    return is_short or isinstance(value, (bool, int, float))


def is_among(name: str, only: Iterable[str], without: Iterable[str]) -> bool:
    """Return whether a name fits a pattern of `only` (none: any) and none of `without`."""
    allowed = tuple(only)
    return (not allowed or any(fnmatchcase(name, one) for one in allowed)) and not any(
        fnmatchcase(name, one) for one in without
    )


def number_of(value: Any, words: Mapping[str, float]) -> float | None:
    """Return a number, NaN for nothing, ``None`` for what is no number."""
    if words and isinstance(value, (str, bool, int, float)):
        spelled = as_words(value)
        if spelled is not None and spelled in words:
            return words[spelled]
    if value is None:
        return math.nan
    if isinstance(value, str):
        try:
            return parse_number(value)[0]
        except CellError:
            return None
    if isinstance(value, (bool, int, float)) and not abs(value) > LARGEST:
        return float(value)
    return None


def finite_or_none(value: Any) -> float | None:
    """Return a number that says something, ``None`` for anything else."""
    number = number_of(value, {})
    return None if number is None or math.isnan(number) else number


def direction_at(stated: bool | str | None, place: Place) -> bool | None:
    """Return whether higher is better: as the recipe says, or the field that it names."""
    if stated is None or isinstance(stated, bool):
        return stated
    turned = stated.startswith("not ")
    value = getter(stated.removeprefix("not "))(place)
    return None if not isinstance(value, bool) else value is not turned


def moment_of(value: Any) -> tuple[datetime, bool] | None:
    """Return a moment written as ISO text, seconds or milliseconds, and whether UTC is assumed."""
    if isinstance(value, str) and value.replace(".", "", 1).isdecimal() and len(value) >= 9:
        value = float(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if not 0 < value < LARGEST:
            return None
        seconds = value / 1000 if value > 1e11 else value
        if not 0 < seconds < 1e11:
            return None
        return datetime.fromtimestamp(seconds, UTC), False
    if not isinstance(value, str):
        return None
    try:
        return parse_date(value)
    except CellError:
        return None
