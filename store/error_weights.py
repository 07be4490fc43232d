"""How much marked errors weigh, by severity and category."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from store.errors import StoreError

MOST = 1_000_000
"""Of a weight: more than any error counts, and sums of it are exact enough."""


def weight_of(weights: Mapping[str, float], severity: str, category: str) -> float | None:
    """Return the weight of an error; ``None`` where no weight fits.

    A weight is for a severity, as ``"Minor"``, or for the categories of a severity that begin
    alike, as ``"Minor Fluency/Punctuation"``. The longest that fits counts. The case of letters
    is ignored.
    """
    best, weight = -1, None
    for name, value in weights.items():
        if _fits(name.casefold(), severity.casefold(), category.casefold()) and len(name) > best:
            best, weight = len(name), float(value)
    return weight


def parted(name: str) -> tuple[str, str]:
    """Return severity and category that the name of a weight says."""
    severity, _, category = name.partition(" ")
    return severity, category


def penalty(weights: Mapping[str, float], errors: Iterable[tuple[str, str]]) -> float:
    """Return the sum of the weights of (severity, category) pairs.

    Raises
    ------
    StoreError
        No weight fits an error.
    """
    found = []
    for severity, category in errors:
        weight = weight_of(weights, severity, category)
        if weight is None:
            raise StoreError(no_weight(weights, severity, category))
        found.append(weight)
    return math.fsum(found)


def checked_weights(weights: Mapping[str, float]) -> dict[str, float]:
    """Return weights with trimmed names.

    Raises
    ------
    StoreError
        There is none, one has no name, or one is not a number from 0.
    """
    if not weights:
        raise StoreError("Name at least one severity and its weight, as Major=5.")
    checked = {}
    for name, value in weights.items():
        if not name.strip():
            raise StoreError("A weight needs a severity, as Major=5.")
        if not 0 <= value <= MOST:
            most = f" to {MOST:,}" if value > MOST else ""
            raise StoreError(
                f"The weight of '{name.strip()}' is a penalty: a number from 0{most}, not "
                f"{value:g}."
            )
        checked[" ".join(name.split())] = float(value)
    return checked


def merged_weights(
    present: Mapping[str, float] | None,
    changed: Mapping[str, float],
    severities: Iterable[str],
) -> dict[str, float]:
    """Return the present weights with some of them changed; what is not named stays.

    Parameters
    ----------
    present
        The weights of a criterion.
    changed
        Name to weight; of names that differ in the case of letters only the new one stays.
    severities
        Of the errors that were marked: a new weight is for one of them, or for some categories.

    Raises
    ------
    StoreError
        A name is neither among the present weights nor of such a severity, or a weight is none.
    """
    checked = checked_weights(changed)
    present, severities = present or {}, list(dict.fromkeys(severities))
    known = {name.casefold() for name in present}
    for name in checked:
        if name.casefold() not in known and not any(_begins_with(name, one) for one in severities):
            raise StoreError(
                f"No error that was marked has the severity of '{name}', and there is no weight of "
                f"that name. Severities that were marked: {', '.join(severities) or 'none'}. "
                f"Weights: {_told(present)}."
            )
    new = {name.casefold(): name for name in checked}
    merged = {new.get(name.casefold(), name): weight for name, weight in present.items()}
    return merged | checked


def no_weight(weights: Mapping[str, float], severity: str, category: str) -> str:
    """Return what to say of an error that no weight fits."""
    what = f"'{severity} {category}'" if category else f"'{severity}'"
    return f"no weight fits the error {what}; there are weights for {_told(weights)}."


def _begins_with(name: str, severity: str) -> bool:
    name, severity = name.casefold(), " ".join(severity.split()).casefold()
    return name == severity or name.startswith(f"{severity} ")


def _told(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in weights.items()) or "none"


def _fits(name: str, severity: str, category: str) -> bool:
    severity = " ".join(severity.split())
    if name == severity:
        return True
    rest = name.removeprefix(f"{severity} ")
    return rest != name and " ".join(category.split()).startswith(rest)
