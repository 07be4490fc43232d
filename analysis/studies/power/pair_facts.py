"""What is worth knowing of a pair beside what it can find: agreement, groups."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from analysis.statistics.planning.accuracy.agreement import AgreementModel, agreement_range
from analysis.statistics.planning.design_effect import DesignEffect, design_effect
from analysis.studies.clusters import has_groups
from analysis.studies.power.pair_models import AccuracyModel, Target
from analysis.studies.power.pair_scores import PairScores


@dataclass(frozen=True, slots=True, eq=False)
class AgreementFacts:
    """On what share of right or wrong items two systems are both right or both wrong."""

    own: float
    least: float
    """That systems of these accuracies can have."""
    most: float
    expected: float
    """By the line of `source`, at the accuracies of the two."""
    source: str
    """What the line was fitted to."""
    n_pairs: int
    """Pairs of systems behind the line; 0 where it is a published one."""
    r_squared: float
    mde_expected: float
    """The smallest gap found with the agreement that the line expects; NaN where none is."""


def agreement_facts(
    pair: PairScores, expected: AgreementModel, target: Target
) -> AgreementFacts | None:
    """Return what there is to know of agreement; None where scores are graded."""
    if not pair.is_right_or_wrong:
        return None
    accuracies = float(np.mean(pair.first)), float(np.mean(pair.second))
    baseline, gap = min(accuracies), abs(accuracies[0] - accuracies[1])
    possible = agreement_range(baseline, min(gap, 1 - baseline))
    line = min(max(expected.expected(baseline, gap, clip=False), possible.least), possible.most)
    mde = math.nan
    if pair.groups is None:
        mde = AccuracyModel(baseline, expected, target).smallest_found(pair.n_items)
    return AgreementFacts(
        own=pair.agreement,
        least=possible.least,
        most=possible.most,
        expected=line,
        source=expected.source,
        n_pairs=expected.n_pairs,
        r_squared=expected.r_squared,
        mde_expected=mde,
    )


def design_of(pair: PairScores) -> DesignEffect | None:
    """Return what groups cost the comparison; None without groups or item values."""
    if pair.aggregation != "mean" or pair.n_items < 2 or not has_groups(pair.labels):
        return None
    return design_effect(pair.first[:, 0] - pair.second[:, 0], pair.labels)
