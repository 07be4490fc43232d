"""The range and the kind of a metric, as generally known; scores in the store may contradict it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from store.importers.kinds import Aggregation, MetricKind
from store.importers.known_metrics import KnownMetric, lookup

_OF_AGGREGATION: Final[Mapping[Aggregation, tuple[float, float]]] = {
    "f1": (0.0, 1.0),
    "bleu": (0.0, 100.0),
    "chrf": (0.0, 100.0),
    "pearson": (-1.0, 1.0),
    "spearman": (-1.0, 1.0),
}
_OF_UNIT: Final = {"proportion": 1.0, "percent": 100.0}
_KINDS: Final[Mapping[str, MetricKind]] = {"seconds": "time", "money": "money", "count": "count"}
_SCALES: Final = (1.0, 100.0)
"""What a share of what is right goes up to, as a proportion and in percent."""
_NO_ESTIMATE: Final = 2.0
"""A share whose scores end between 1 and this may be an estimate of a proportion: nobody knows."""


class KnownFacts(NamedTuple):
    """What is generally known; ``None`` and empty where nothing is."""

    lower: float | None = None
    upper: float | None = None
    kind: MetricKind = ""


def known_facts(
    name: str, aggregation: Aggregation, seen: Sequence[float] | None, unit: str = ""
) -> KnownFacts:
    """Return what is generally known of a metric whose scores go so far.

    Parameters
    ----------
    name, aggregation
        Of the metric.
    seen
        The lowest and the highest score in the store; ``None``: there are none.
    unit
        As stated; in points and the like, a share may end anywhere.

    A share of what is right ends at 1 where no score is above 1, and at 100 where some are.

    >>> known_facts("accuracy", "mean", (0.0, 1.0))
    KnownFacts(lower=0.0, upper=1.0, kind='bounded')
    >>> known_facts("accuracy", "mean", (12.5, 74.4)).upper
    100.0
    """
    if aggregation in _OF_AGGREGATION:
        return KnownFacts(*_OF_AGGREGATION[aggregation], "bounded")
    known = lookup(name)
    if known is None:
        return KnownFacts()
    lower, upper = known.lower, known.upper
    if known.measured == "share" and known.higher_is_better and not unit:
        upper = _end_of_share(seen)
    if unit in _OF_UNIT:
        upper = _OF_UNIT[unit]
    elif unit and known.measured == "share":
        lower = None
    if seen is not None and lower is not None and seen[0] < lower:
        lower = None
    if seen is not None and upper is not None and seen[1] > upper:
        upper = None
    return KnownFacts(lower, upper, _kind(known, lower, upper))


def _end_of_share(seen: Sequence[float] | None) -> float | None:
    if seen is None or _SCALES[0] < seen[1] <= _NO_ESTIMATE:
        return None
    return next((end for end in _SCALES if seen[1] <= end), None)


def _kind(known: KnownMetric, lower: float | None, upper: float | None) -> MetricKind:
    """Return the kind where it is certain: scores may leave a range, ratings have one unstated."""
    if known.measured in _KINDS:
        return _KINDS[known.measured]
    if lower is not None and upper is not None:
        return "bounded"
    is_distance = known.measured == "points" and known.lower is not None and known.upper is None
    return "unbounded" if is_distance or known.measured == "nats or bits" else ""
