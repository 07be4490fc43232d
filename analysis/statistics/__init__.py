"""The mathematics: arrays in, frozen results out; numpy and scipy only."""

from analysis.statistics._typing import Alternative, BoolArray, FloatArray, Seed
from analysis.statistics.across.overclaiming import (
    ESTIMATORS,
    SCENARIOS,
    Overclaiming,
    simulate_overclaiming,
)
from analysis.statistics.across.replicability import (
    COMBINATIONS,
    IDENTIFICATION_METHODS,
    SIDEDNESS,
    DirectedPvalues,
    Replicability,
    analyse_replicability,
    direct_pvalues,
    partial_conjunction,
)
from analysis.statistics.aggregate import AGGREGATIONS, aggregate_sums
from analysis.statistics.multiplicity import METHODS, Adjustment, adjust
from analysis.statistics.paired.result import PairedTest
from analysis.statistics.paired.tests import (
    TESTS,
    mcnemar_exact,
    paired_test,
    signflip,
)
from analysis.statistics.results import DegenerateDataWarning, JsonValue, Result
from analysis.statistics.signature import STATISTICS_VERSION, build_signature
from analysis.statistics.validation import ALTERNATIVES

__all__ = [
    "AGGREGATIONS",
    "ALTERNATIVES",
    "COMBINATIONS",
    "ESTIMATORS",
    "IDENTIFICATION_METHODS",
    "METHODS",
    "SCENARIOS",
    "SIDEDNESS",
    "STATISTICS_VERSION",
    "TESTS",
    "Adjustment",
    "Alternative",
    "BoolArray",
    "DegenerateDataWarning",
    "DirectedPvalues",
    "FloatArray",
    "JsonValue",
    "Overclaiming",
    "PairedTest",
    "Replicability",
    "Result",
    "Seed",
    "adjust",
    "aggregate_sums",
    "analyse_replicability",
    "build_signature",
    "direct_pvalues",
    "mcnemar_exact",
    "paired_test",
    "partial_conjunction",
    "signflip",
    "simulate_overclaiming",
]
