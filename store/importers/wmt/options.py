"""What a person may choose about the files of WMT (``--option NAME=VALUE``): weights, test sets."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from store.error_weights import checked_weights
from store.errors import ImportFormatError
from store.importers.bundle import ReadOptions
from store.importers.yaml_nodes import nearest

MQM_WEIGHTS: Mapping[str, float] = {
    "Major": 5.0,
    "Minor": 1.0,
    "Neutral": 0.0,
    "Major Non-translation": 25.0,
    "Minor Fluency/Punctuation": 0.1,
}
"""Freitag et al. 2021, "Experts, Errors, and Context" (TACL 9), section 3: an entry is a severity,
or a severity and the beginning of a category."""


def known_choices(
    options: ReadOptions, known: Mapping[str, Collection[str] | None], format: str, shown: str
) -> dict[str, str]:
    """Return what a person chose, when the format knows all of it.

    Parameters
    ----------
    options
        What was given.
    known
        Name of each choice to the values that it can have; ``None``: any value, which the importer
        checks itself.
    format, shown
        Name of the format and of the file, for messages.

    Raises
    ------
    ImportFormatError
        A name or a value that the format does not know; the known ones are listed.
    """
    for name, value in options.choices.items():
        if name not in known:
            names = ", ".join(known)
            raise ImportFormatError(
                f"the format '{format}' has no option '{name}'.{nearest(name, list(known))} "
                f"Its options: {names}.",
                path=shown,
                field=name,
            )
        values = known[name]
        if values is not None and value not in values:
            raise ImportFormatError(
                f"the option '{name}' cannot be '{value}'; it is one of {', '.join(values)}.",
                path=shown,
                field=name,
            )
    return dict(options.choices)


def parse_weights(text: str, shown: str) -> dict[str, float]:
    """Read ``"Major:10, Minor Fluency/Punctuation:0.5"``; what is not named keeps its weight.

    Raises
    ------
    ImportFormatError
        An entry without a weight, or a weight that is no number from 0 on.
    """
    weights = dict(MQM_WEIGHTS)
    for entry in filter(None, (part.strip() for part in text.split(","))):
        name, mark, number = entry.replace("=", ":").rpartition(":")
        try:
            weight = float(number)
        except ValueError:
            weight = math.nan
        if not mark or not name.strip() or not (math.isfinite(weight) and weight >= 0):
            raise ImportFormatError(
                f"'{entry}' is no weight of an error. Write severity:weight or "
                "severity category:weight, parted by commas, as in "
                "--option 'weights=Major:10, Minor Fluency/Punctuation:0.5'.",
                path=shown,
                field="weights",
            )
        weights[name] = weight
    return checked_weights(weights)


def told_weights(weights: Mapping[str, float]) -> str:
    """Return the weights in words: ``"Major 5, Minor 1, Minor Fluency/Punctuation 0.1"``."""
    return ", ".join(f"{name} {weight:g}" for name, weight in weights.items())
