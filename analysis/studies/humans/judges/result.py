"""What is known of a model as judge."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.statistics.annotation.humans_against_metric import HumansAgainstMetric
from analysis.studies.humans.judges.judged_by_model import JudgeKind
from analysis.studies.humans.judges.rows import BiasRow, JudgedPair, JudgedSystem
from analysis.studies.study import Study
from store.judgments import CriterionRecord
from store.records import DatasetRecord


@dataclass(frozen=True, slots=True, eq=False)
class JudgesResult(Study):
    """A judge beside people."""

    dataset: DatasetRecord
    criterion: CriterionRecord
    judge: str
    judge_kind: JudgeKind
    n_people: int
    n_units: int
    """Units that anybody judged: outputs, or pairs of outputs, of an item."""
    n_both: int
    """Units that people and the judge judged."""
    unit_in_words: str
    """What the numbers of systems are."""
    ceiling: HumansAgainstMetric | None
    """The judge's agreement with people against theirs with each other."""
    systems: tuple[JudgedSystem, ...]
    """Best first."""
    pairs: tuple[JudgedPair, ...]
    biases: tuple[BiasRow, ...]
    alpha: float
    n_resamples: int
    seed: int

    @property
    def judged_more(self) -> bool:
        """Whether the judge judged anything that people did not."""
        return any(row.n_judged_only for row in self.systems)
