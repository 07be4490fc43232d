"""What is known of the claims on a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from analysis.studies.claims.records import ClaimRow, Look, RuleOutcome, Step
from analysis.studies.claims.settings import ClaimSettings
from analysis.studies.study import Study
from store.claim_records import Verdict
from store.records import DatasetRecord, MetricRecord


@dataclass(frozen=True, slots=True, eq=False)
class ClaimsResult(Study):
    """The claims on a dataset and metric, the oldest first."""

    dataset: DatasetRecord
    metric: MetricRecord
    metrics: tuple[MetricRecord, ...]
    """All metrics of the dataset with dated scores or claims."""
    settings: ClaimSettings
    looks: tuple[Look, ...]
    """Every scored system."""
    rows: tuple[ClaimRow, ...]
    """What was claimed: records that were found, and what the ledger states."""
    raw: tuple[Step, ...]
    """The best score so far."""
    frontier: tuple[Step, ...]
    """The first score, then the best that was shown to be one: its holder significantly beaten."""
    ladder: tuple[Step, ...]
    """What a Ladder leaderboard would show."""
    ladder_note: str
    """Why there is no Ladder; empty where there is."""
    rules: tuple[RuleOutcome, ...]
    """Every rule for the sequence; claims in the order of `rows`."""
    verdicts: Mapping[Verdict, int]
    """How many claims got which."""
    n_looks: int
    n_records: int
    n_tested: int
    n_held: int
    usual_gain: float
    """Median of the gains of all records; NaN without. Each claim is judged by that of the
    others."""
    n_undated: int
    """Scores without a date, which are left out."""
