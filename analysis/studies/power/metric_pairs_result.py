"""What is known of telling two metrics apart."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.studies.humans.correlations.settings import (
    Coefficient,
    Level,
    Test,
)
from analysis.studies.humans.evidence import Kind
from analysis.studies.study import Study
from store.records import DatasetRecord


@dataclass(frozen=True, slots=True, eq=False)
class MetricPowerRow:
    """What a meta-evaluation of one size would find."""

    n_systems: int
    n_items: int
    """Items; groups of items where they are the independent units."""
    draws_systems: bool
    """Whether other systems are thought of; else these ones."""
    draws_items: bool
    power: float
    """Share of the drawn meta-evaluations that find the metric better that is ahead here."""
    low: float
    """95 % band of the simulation alone; leaves out the error of the data that is drawn from."""
    high: float
    type_m: float
    """Mean size of the significant differences over the one observed here."""
    type_s: float
    """Share of the significant ones that have it the wrong way round."""
    n_untestable: int


@dataclass(frozen=True, slots=True, eq=False)
class MetricPairResult(Study):
    """How large a meta-evaluation must be to tell two metrics apart; differences are A minus B."""

    dataset: DatasetRecord
    gold: str
    gold_rule: str
    kind: Kind
    metric_a: str
    metric_b: str
    metric_a_uid: str
    metric_b_uid: str
    level: Level
    coefficient: Coefficient
    test: Test
    alpha: float
    target_power: float
    n_systems: int
    n_items: int
    """Items; groups of items where they are the independent units."""
    item_noun: str
    difference: float
    """Observed; taken as the true one."""
    pvalue: float
    """Of the stored meta-evaluation."""
    by_items: tuple[MetricPowerRow, ...]
    """With as many systems as there are."""
    by_systems: tuple[MetricPowerRow, ...]
    """With as many items as there are."""
    items_needed: int | None
    """The fewest of those looked at that reach the power asked for."""
    systems_needed: int | None
    n_iterations: int
    n_resamples: int
    seed: int
