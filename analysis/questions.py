"""Every question that a store can be asked, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from analysis.question import Question
from analysis.studies.across_datasets import AcrossDatasets
from analysis.studies.claims.expected_gain import ExpectedGain
from analysis.studies.claims.study import Claims
from analysis.studies.comparison import Compare
from analysis.studies.humans.agreement.study import Agreement
from analysis.studies.humans.correlate import Correlate
from analysis.studies.humans.judges.study import Judges
from analysis.studies.items import Items
from analysis.studies.leaderboard import Board
from analysis.studies.pairs import Pairs
from analysis.studies.power.by_size import DistributionPower
from analysis.studies.power.metrics_apart import MetricsApart
from analysis.studies.power.planned import (
    AccuracyGap,
    AccuracyItems,
    AccuracyPower,
    CorpusPlan,
    DifferencePlan,
    RatingsPlan,
)
from analysis.studies.power.preferences import PreferencesPlan
from analysis.studies.power.proportions import ProportionsPower
from analysis.studies.power.test_sets import TestSetPower
from analysis.studies.ranking import Rank
from analysis.studies.simulations.overclaiming import SimulatedReplicability
from analysis.studies.simulations.pvalues import SimulatedPvalues

QUESTIONS: Final[Mapping[str, type[Question[Any]]]] = {
    question.name: question
    for question in (
        Board,
        Pairs,
        Compare,
        Items,
        AcrossDatasets,
        Rank,
        Claims,
        Correlate,
        Agreement,
        Judges,
        TestSetPower,
        MetricsApart,
        AccuracyPower,
        AccuracyGap,
        AccuracyItems,
        DifferencePlan,
        CorpusPlan,
        RatingsPlan,
        PreferencesPlan,
        DistributionPower,
        ProportionsPower,
        ExpectedGain,
        SimulatedReplicability,
        SimulatedPvalues,
    )
}
