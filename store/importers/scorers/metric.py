"""A metric that is computed at import: what it reads, how it is stored, what computes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from store.importers.bundle import COMPONENTS, BundleMetric, FloatArray

References = Sequence[Sequence[str]]
"""For each item the texts that are right, one or more."""
Outputs = Sequence[str | None]
"""For each item what the system gave; ``None`` where it gave nothing."""


class Prepared(NamedTuple):
    """A metric ready for the outputs of any system on some references."""

    metric: BundleMetric
    score: Callable[[Outputs], FloatArray]
    """Turn outputs into values of shape (n_items, n_components); NaN where there is no output."""


Prepare = Callable[[References, str], Prepared]
"""Takes the references and the language of the texts (``""``: unknown)."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """A metric that can be computed from texts."""

    name: str
    """What ``--score`` takes."""
    prepare: Prepare
    package: str = ""
    """Of the library that computes it; none for metrics that are a comparison of two texts."""


def each_against_best(
    metric: BundleMetric, references: References, score: Callable[[str, str], float]
) -> Prepared:
    """Return a metric whose item score is that against the reference that is best for it."""
    best = min if metric.higher_is_better is False else max

    def values(outputs: Outputs) -> FloatArray:
        found = [
            np.nan if given is None else best(score(given, right) for right in rights)
            for given, rights in zip(outputs, references, strict=True)
        ]
        return np.array(found, float).reshape(-1, 1)

    return Prepared(metric, values)


def with_gaps(
    metric: BundleMetric, outputs: Outputs, score: Callable[[list[str]], Sequence[Sequence[float]]]
) -> FloatArray:
    """Score the outputs, and give items without one NaN. The scored text of these is ``""``."""
    n_parts = len(COMPONENTS[metric.aggregation])
    values = np.array(score([given or "" for given in outputs]), float).reshape(-1, n_parts)
    values[[given is None for given in outputs]] = np.nan
    return values
