"""What is known of the systems of a dataset on a metric."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from analysis import numbers
from analysis.statistics.boards.resolution import BoardResolution
from analysis.statistics.paired.equivalence import Verdict
from analysis.studies.leaderboard_rows import LeaderboardRow
from analysis.studies.study import Study
from store.records import DatasetRecord, MetricRecord


@dataclass(frozen=True, slots=True, eq=False)
class LeaderboardResult(Study):
    """The systems of a dataset on a metric, the best first."""

    dataset: DatasetRecord
    metric: MetricRecord
    metrics: tuple[MetricRecord, ...]
    """All metrics with scores on this dataset, the most used first."""
    rows: tuple[LeaderboardRow, ...]
    n_shared: int
    """Items that every system with item scores was scored on."""
    resolution: BoardResolution
    lead: str
    """"real", or "tie of n" systems that may be best, after correction; "cannot tell" where missing
    items could turn that; empty where it cannot be tested."""
    lead_alone: Verdict | None
    """The first system with item scores against the next one alone, without correction; ``None``
    where there are no two."""
    n_pairs: int
    """Pairs that were tested, and are corrected together."""
    compared_by: str
    """"own" scores where all systems have the same items; "item effects", "shared items", or
    "none" where they do not."""
    n_groups: int
    """Groups of systems that cannot be told apart."""
    test: str
    """By which the pairs were compared; empty with fewer than two systems with item scores."""
    correction: str
    alpha: float
    n_resamples: int
    """Behind `p_best`, and behind intervals of metrics that are no means."""

    @property
    def may_be_best(self) -> list[str]:
        """Return the labels of the systems that no other one beats beyond doubt."""
        return [row.label for row in self.rows if row.may_be_best]

    @property
    def adjusted(self) -> bool:
        """Return whether scores are not simply those on each system's own items."""
        return self.compared_by != "own"

    @property
    def decimals(self) -> int:
        """Return how many decimals the scores support."""
        halves = [(row.ci[1] - row.ci[0]) / 2 for row in self.rows if row.ci is not None]
        if halves and median(halves) > 0:
            return numbers.decimals(half_width=median(halves))
        if all(row.basis == "reported" for row in self.rows):  # as they were printed
            stated = [repr(row.score).partition(".")[2] for row in self.rows]
            return min(4, max(map(len, stated), default=0))
        is_percent = self.metric.unit == "percent" or any(abs(r.score) > 1.5 for r in self.rows)
        n_scored = max((row.n_scored for row in self.rows), default=0)
        return numbers.decimals(n=n_scored or None, span=100.0 if is_percent else 1.0)
