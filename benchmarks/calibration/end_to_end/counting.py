"""What was answered, and what counts as an error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

HEADER = "system,dataset,item,metric,score,group,seed"
HIGHER = "--higher-is-better"


class Counts(NamedTuple):
    """What was answered in a scenario."""

    asked: int = 0
    refused: int = 0
    """Questions answered by "no valid test"."""
    alarms: int = 0
    """Differences found where there are none."""
    intervals: int = 0
    """Intervals that were shown."""
    missed: int = 0
    """Those that do not hold the true value."""

    def plus(self, other: Counts) -> Counts:
        """Return the sum of both."""
        return Counts(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


def counted(
    pvalue: float | None,
    verdict: str,
    interval: Sequence[float | None],
    truth: float,
) -> Counts:
    """Count one answer about a difference whose true value is known."""
    low, high = interval
    shown = low is not None and high is not None
    inside = low is not None and high is not None and low <= truth <= high
    return Counts(
        asked=1,
        refused=int(pvalue is None),
        alarms=int(truth == 0 and verdict in ("better", "worse")),
        intervals=int(shown),
        missed=int(shown and not inside),
    )
