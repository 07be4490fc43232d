"""What a ranking over datasets says in words: the sentence and the warnings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from analysis import numbers
from analysis.statistics._typing import BoolArray, FloatArray, IntArray
from analysis.statistics.across.aggregates import Aggregates
from analysis.statistics.across.friedman import FriedmanTest, dataset_ranks
from analysis.statistics.across.over_datasets import PairsOverDatasets
from analysis.statistics.across.resampled_scores import ResampledScores
from analysis.statistics.across.skillings_mack import SkillingsMackTest
from analysis.statistics.across.stepwise_mean_ranks import StepwiseMeanRanks
from analysis.studies.dependence import although, count_as_one, sample_notes
from analysis.studies.dependent_datasets import DatasetSample
from analysis.studies.score_table import ScoreTable
from analysis.studies.study import count, listed

WILCOXON, STEPWISE, NEMENYI = "Wilcoxon–Holm", "stepwise mean ranks", "Nemenyi"

_EQUAL = 1e-9


class Rule(NamedTuple):
    """By which test the answer speaks of pairs."""

    name: str
    different: BoolArray
    n_datasets: IntArray
    """Datasets that a pair shares."""
    smallest: float
    """No pair can have a smaller adjusted p, whatever the scores."""


def choose_rule(pairs: PairsOverDatasets, by_mean_ranks: StepwiseMeanRanks | None) -> Rule:
    """Return Wilcoxon–Holm, or stepwise mean ranks where they were needed and can do more."""
    smallest = smallest_adjusted(pairs)
    if by_mean_ranks is not None and by_mean_ranks.smallest_pvalue < smallest:
        return Rule(
            STEPWISE, by_mean_ranks.different, pairs.n_datasets, by_mean_ranks.smallest_pvalue
        )
    return Rule(WILCOXON, pairs.different, pairs.n_datasets, smallest)


def sentence(
    table: ScoreTable,
    observed: FloatArray,
    mean_ranks: FloatArray,
    rank_test: FriedmanTest | SkillingsMackTest,
    rule: Rule,
    alpha: float,
    sample: DatasetSample,
) -> str:
    """Say who has the best mean rank, and from whom it cannot be told apart."""
    n_systems = len(table.systems)
    over = f"{count(len(table.datasets), 'dataset')}, {table.metric.label}"
    if isinstance(rank_test, SkillingsMackTest) and rank_test.n_parts > 1:
        return (
            f"No system can be called first: the {n_systems} systems fall into "
            f"{rank_test.n_parts} parts that share no dataset ({over})."
        )
    tied = [j for j in range(n_systems) if mean_ranks[j] - mean_ranks[0] < _EQUAL]
    best = _best(table, observed, mean_ranks, len(tied), over)
    best += although(sample.relations, sample.dependent)
    n_independent = len(sample.blocks)
    n_datasets = count(len(table.datasets), "dataset")
    apart_by, which = rule.name, "the two" if n_systems == 2 else "any two of them"
    if n_independent == 1:
        why = count_as_one(n_datasets, sample.relations, sample.dependent)
        return f"{best}; cannot tell {which} apart: {why}."
    if n_independent < len(table.datasets):
        apart_by += f" over {n_independent} that share no items"
    # Of two systems Friedman's test is the sign test: the pair's own test knows more.
    if n_systems > 2 and rank_test.pvalue_permutation > alpha:
        return (
            f"{best}; but as a whole the ranks may be chance "
            f"({name_of(rank_test)} test, p {numbers.relation(rank_test.pvalue_permutation)})."
        )
    others = range(len(tied), n_systems)
    if not others:
        return f"{best}."
    met = [j for j in others if rule.n_datasets[0, j]]
    alike = [table.systems[j] for j in met if not rule.different[0, j]]
    at = f"{apart_by}, α = {alpha:g}"
    if rule.smallest > alpha:
        return (
            f"{best}; cannot tell {which} apart: with {n_datasets} no adjusted p below "
            f"{numbers.pvalue(rule.smallest)} is possible ({at})."
        )
    never = len(others) - len(met)
    apart = f"; with {count(never, 'other')} it shares no dataset" if never else ""
    everyone = f"any of the {len(met)} others" if len(met) > 1 else "the other one"
    who = "it" if len(tied) == 1 else table.systems[0]
    if not alike:
        from_whom = f"all {len(met)} others" if len(met) > 1 else "the other one"
        return f"{best}; {who} is separated from {from_whom} ({at}){apart}."
    if len(alike) < len(met) or len(met) <= 2:
        everyone = listed(alike, most=4)
    return f"{best}; {who} cannot be separated from {everyone} ({at}){apart}."


def rank_test_in_words(found: FriedmanTest | SkillingsMackTest) -> str:
    """Return whether the ranks as a whole could be chance."""
    p = numbers.relation
    df = count(found.df, "degree")
    told = f"{name_of(found)} test, χ² = {numbers.fixed(found.statistic, 1)} with {df} of freedom"
    told += f", p {p(found.pvalue)}"
    if isinstance(found, FriedmanTest):
        told += f"; Iman and Davenport's F p {p(found.f_pvalue)}"
    permuted = f"with ranks permuted within datasets p {p(found.pvalue_permutation)}"
    return f"All systems alike? {told}; {permuted}."


def _best(
    table: ScoreTable, observed: FloatArray, mean_ranks: FloatArray, n_tied: int, over: str
) -> str:
    rank = f"{numbers.fixed(float(mean_ranks[0]), 2)} of {len(table.systems)} systems"
    if n_tied == len(table.systems):
        return f"All {n_tied} systems have the same mean rank ({over})"
    if n_tied > 1:
        return f"{listed(table.systems[:n_tied], most=4)} share the best mean rank, {rank} ({over})"
    n_own = int(np.count_nonzero(~np.isnan(observed[0])))
    own = "" if n_own == len(table.datasets) else f", over {n_own} of them"
    return f"{table.systems[0]} has the best mean rank, {rank} ({over}{own})"


def smallest_adjusted(pairs: PairsOverDatasets) -> float:
    """Return the smallest p that Wilcoxon–Holm could give any pair, whatever the scores."""
    n_datasets = int(pairs.n_datasets[np.triu_indices(pairs.n_systems, 1)].max(initial=0))
    return min(1.0, 2.0 ** (1 - n_datasets) * pairs.n_tests)


def _beside(aggregates: Aggregates) -> str:
    n_common = int(aggregates.common_datasets.sum())
    if not n_common:
        return "no dataset has scores of all systems"
    bounded = aggregates.score_range is not None
    bounds = "what it could be at least and at most, and " if bounded else ""
    return (
        f"beside each stands {bounds}the mean over the {count(n_common, 'dataset')} that all "
        "systems have"
    )


def without_interval(table: ScoreTable, resampled: ResampledScores) -> list[str]:
    """Name datasets that leave the aggregates of systems without intervals."""
    if table.basis != "items":
        return []
    scored = ~np.isnan(resampled.observed)
    lacking = [
        name
        for name, here, drawn in zip(table.datasets, scored.T, resampled.drawn.T, strict=True)
        if (here & ~drawn).any()
    ]
    if not lacking:
        return []
    return [
        f"On {listed(lacking)} there are too few items to draw anew, which leaves ranks and "
        "aggregates without intervals: choose the other datasets to have them."
    ]


def name_of(rank_test: FriedmanTest | SkillingsMackTest) -> str:
    """Return whose test it is."""
    return "Friedman" if isinstance(rank_test, FriedmanTest) else "Skillings–Mack"


def warn(
    table: ScoreTable,
    observed: FloatArray,
    aggregates: Aggregates,
    rank_test: FriedmanTest | SkillingsMackTest,
    pairs: PairsOverDatasets,
    rule: Rule,
    sample: DatasetSample,
) -> list[str]:
    """Return what a reader must know before believing ranks and means."""
    warnings = []
    n_missing = int(np.isnan(observed).sum())
    if n_missing:
        lacking = [
            name for name, row in zip(table.systems, observed, strict=True) if np.isnan(row).any()
        ]
        warnings.append(
            f"{listed(lacking)} {'has' if len(lacking) == 1 else 'have'} no score on some of the "
            f"{len(table.datasets)} datasets ({count(n_missing, 'score')} missing). Means over "
            f"unequal sets of datasets are not to be compared: {_beside(aggregates)}. Mean ranks "
            "are no fair order either: third of three and third of thirty count alike."
        )
    n_independent = len(sample.blocks)
    warnings += sample_notes(
        sample.relations, sample.dependent, n_independent, is_known=sample.is_known
    )
    if not sample.is_known and table.basis == "items":
        warnings.append(
            "Intervals over datasets are not given: they would take items that datasets share for "
            "items of each."
        )
    if isinstance(rank_test, SkillingsMackTest) and rank_test.n_parts > 1:
        warnings.append(
            f"The systems fall into {rank_test.n_parts} parts that share no dataset: their mean "
            "ranks say nothing about each other."
        )
    floor = smallest_adjusted(pairs)
    if floor > pairs.alpha and n_independent > 1:
        warnings.append(
            f"Wilcoxon–Holm can tell no pair apart here, whatever the scores: with "
            f"{count(n_independent, 'dataset')} and {count(pairs.n_tests, 'pair')} the "
            f"smallest possible adjusted p is {numbers.pvalue(floor)}. "
            + (
                "Stepwise mean ranks speak instead: they need fewer datasets, and say less about "
                "two systems that are close."
                if rule.smallest <= pairs.alpha
                else "More datasets or fewer systems are needed."
            )
        )
    return warnings


def order_note(observed: FloatArray, systems: Sequence[str]) -> str:
    """Say where leaving a system out turns the order of two others by mean rank."""
    ranks = dataset_ranks(observed)
    means = np.nanmean(ranks, axis=1)
    turned, example = 0, ""
    for left_out in range(len(systems)) if len(systems) > 2 else ():
        rest = np.delete(np.arange(len(systems)), left_out)
        own, others = ranks[left_out], ranks[rest]
        # Whoever stands below moves up by one place, whoever shares its place by half of one.
        without = np.nanmean(others - (own < others) - (own == others) / 2, axis=1)
        # `systems` stand by their mean rank: a later one that gets ahead was turned.
        ahead = (without[:, np.newaxis] > without + 1e-9) & (
            means[rest][:, np.newaxis] < means[rest] - 1e-9
        )
        turned += int(np.count_nonzero(ahead))
        if not example and ahead.any():
            i, j = (int(rest[k]) for k in np.argwhere(ahead)[0])
            example = f"without {systems[left_out]}, {systems[j]} would stand above {systems[i]}"
    if not turned:
        return ""
    return f"A mean rank depends on who else is in the pool: {example}" + (
        f" (one of {turned:,} such cases)." if turned > 1 else "."
    )
