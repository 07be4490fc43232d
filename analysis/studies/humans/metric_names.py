"""Metrics by their bare names, where that is enough to tell them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence


def bare_names(labels: Sequence[str]) -> dict[str, str]:
    """Return label -> name without the signature, unless two metrics share that name."""
    names = {label: label.partition(" [")[0] for label in labels}
    seen = Counter(names.values())
    return {label: name if seen[name] == 1 else label for label, name in names.items()}


def with_bare_names(text: str, names: Mapping[str, str]) -> str:
    """Return a sentence with the bare names in place of the labels."""
    for label in sorted(names, key=len, reverse=True):
        text = text.replace(label, names[label])
    return text
