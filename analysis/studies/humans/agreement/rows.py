"""The rows of a study of agreement: annotators, metrics, disagreements."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.annotation.agreement import PairwiseAgreement, TieCredit, credit
from analysis.statistics.annotation.humans_against_metric import humans_against_metrics
from analysis.statistics.annotation.mace import Mace
from analysis.statistics.multiplicity import adjust
from analysis.studies.humans.judged_units import JudgedUnits
from analysis.studies.humans.unit_metrics import MetricTies, item_scores, metric_choices
from store.engine import Store
from store.importers.bundle import AnnotatorKind
from store.records import MetricRecord

Verdict = Literal["less", "more", "undecided", "no comparison"]

MOST_DISAGREEMENTS = 50


@dataclass(frozen=True, slots=True)
class AnnotatorRow:
    """One annotator."""

    uid: str
    name: str
    kind: AnnotatorKind
    n_judged: int
    """Units."""
    agreement_with_others: float
    """Mean agreement with each of the others; NaN without a shared unit."""
    competence: float
    """How often the annotator knows rather than guesses (MACE); NaN for ratings on a scale."""
    agreement_with_consensus: float
    """With the consensus of the others; units on which that is open do not count."""


@dataclass(frozen=True, slots=True)
class MetricAgreementRow:
    """Agreement of a metric with the annotators, against that among them."""

    metric: str
    """The label."""
    metric_uid: str
    name: str
    """Without the signature, where no other metric here has the same."""
    agreement: float
    """Mean over pairs of annotators of how far the two agree with it, on what both judged."""
    ci_low: float
    ci_high: float
    humans: float
    """Of the annotators with each other, on the same units."""
    difference: float
    """`humans` less `agreement`."""
    difference_low: float
    difference_high: float
    pvalue: float
    pvalue_adjusted: float
    """By Holm, for the number of metrics."""
    verdict: Verdict
    """Whether the metric agrees with annotators less or more than they agree with each other."""
    n_units: int
    """Units that two annotators judged and the metric scored."""
    n_single: int
    """Units that it scored and a single annotator judged; they do not count."""
    n_ties: int
    """Units whose two outputs the metric scores alike."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A unit that annotators judge differently."""

    item_key: str
    what: str
    """The outputs in question; empty where the item itself was judged."""
    spread: float
    """Share of pairs of annotators who say different things; of ratings the standard deviation."""
    judgments: Mapping[str, str]
    """Annotator's name to what was said."""


class Settings(NamedTuple):
    """What all rows share."""

    tie_credit: TieCredit
    ties: MetricTies
    alpha: float
    n_resamples: int
    seed: int


def annotator_rows(
    units: JudgedUnits, compared: JudgedUnits, pairwise: PairwiseAgreement, model: Mace | None
) -> tuple[AnnotatorRow, ...]:
    """Return a row per annotator, in the order of `units.annotators`."""
    with_consensus = _with_consensus(units, compared, pairwise.tie_credit)
    rows = []
    for i, annotator in enumerate(units.annotators):
        rows.append(
            AnnotatorRow(
                uid=annotator.uid,
                name=annotator.name,
                kind=annotator.kind,
                n_judged=int(np.count_nonzero(~np.isnan(units.values[i]))),
                agreement_with_others=float(pairwise.with_others[i]),
                competence=math.nan if model is None else float(model.competence[i]),
                agreement_with_consensus=with_consensus[i],
            )
        )
    return tuple(rows)


def _with_consensus(
    units: JudgedUnits, compared: JudgedUnits, tie_credit: TieCredit
) -> list[float]:
    """Return how far each agrees with what the others say together."""
    votes = compared.values
    if units.what == "labels" or compared.what != "choices":
        return [_with_commonest(votes, i) for i in range(len(votes))]
    sums, given = np.nansum(votes, axis=0), ~np.isnan(votes)
    n_given = given.sum(axis=0)
    shares = []
    for own, has in zip(votes, given, strict=True):
        both = has & (n_given > 1)
        said = np.sign(sums[both] - own[both])
        shares.append(float(credit(own[both], said, tie_credit).mean()) if both.any() else math.nan)
    return shares


def _with_commonest(votes: FloatArray, row: int) -> float:
    values = np.unique(votes[~np.isnan(votes)])
    counts = np.stack([np.count_nonzero(votes == value, axis=0) for value in values])
    own = votes[row]
    counts = counts - (own == values[:, np.newaxis])
    most = counts.max(axis=0)
    decided = ~np.isnan(own) & (most > 0) & (np.count_nonzero(counts == most, axis=0) == 1)
    if not decided.any():
        return math.nan
    return float(np.mean(values[counts.argmax(axis=0)][decided] == own[decided]))


def metric_votes(
    store: Store, compared: JudgedUnits, metrics: Sequence[MetricRecord], ties: MetricTies
) -> dict[MetricRecord, FloatArray]:
    """Return what each metric with scores of both outputs of some unit chooses."""
    votes = {
        metric: metric_choices(item_scores(store, compared, metric), compared, ties)
        for metric in metrics
    }
    return {metric: chosen for metric, chosen in votes.items() if not np.isnan(chosen).all()}


def metric_rows(
    compared: JudgedUnits, votes: Mapping[MetricRecord, FloatArray], settings: Settings
) -> tuple[MetricAgreementRow, ...]:
    """Return a row per metric, best agreement first."""
    found = humans_against_metrics(
        compared.values,
        list(votes.values()),
        tie_credit=settings.tie_credit,
        groups=compared.clusters,
        n_resamples=settings.n_resamples,
        rng=settings.seed,
    )
    names = [metric.name for metric in votes]
    adjusted = adjust([one.pvalue for one in found], "holm").pvalues_adjusted
    rows = [
        MetricAgreementRow(
            metric=metric.label,
            metric_uid=metric.uid,
            name=metric.name if names.count(metric.name) == 1 else metric.label,
            agreement=one.metric,
            ci_low=one.metric_interval.low,
            ci_high=one.metric_interval.high,
            humans=one.humans,
            difference=one.difference,
            difference_low=one.interval.low,
            difference_high=one.interval.high,
            pvalue=one.pvalue,
            pvalue_adjusted=float(p),
            verdict=_verdict(one.difference, float(p), settings.alpha),
            n_units=one.n_units,
            n_single=one.n_single,
            n_ties=one.n_ties,
        )
        for metric, one, p in zip(votes, found, adjusted, strict=True)
    ]
    return tuple(sorted(rows, key=lambda row: (-row.agreement, row.metric.casefold())))


def _verdict(difference: float, pvalue: float, alpha: float) -> Verdict:
    if math.isnan(difference) or math.isnan(pvalue):
        return "no comparison"
    if pvalue > alpha:
        return "undecided"
    return "less" if difference > 0 else "more"


def spreads(units: JudgedUnits) -> FloatArray:
    """Return how far annotators differ on each unit, see `Disagreement.spread`; NaN: one judged."""
    given = ~np.isnan(units.values)
    judges = given.sum(axis=0)
    spread = np.full(units.n_units, np.nan)
    often = judges > 1
    if units.what == "values":
        own = units.values[:, often]
        spread[often] = np.nanstd(own, axis=0, ddof=1) if often.any() else 0.0
    else:
        same = np.zeros(units.n_units)
        for value in np.unique(units.values[given]):
            n = np.count_nonzero(units.values == value, axis=0)
            same += n * (n - 1)
        pairs = judges * (judges - 1)
        spread[often] = 1 - same[often] / pairs[often]
    return spread


def disagreements(units: JudgedUnits) -> tuple[Disagreement, ...]:
    """Return the units on which annotators differ most, the worst first, then by item."""
    given = ~np.isnan(units.values)
    judges = given.sum(axis=0)
    spread = np.nan_to_num(spreads(units))
    order = np.lexsort((np.arange(units.n_units), -judges, -np.round(spread, 12)))
    worst = [int(i) for i in order[:MOST_DISAGREEMENTS] if spread[i] > 0]
    return tuple(
        Disagreement(
            item_key=units.item_keys[units.item[i]],
            what=_what(units, i),
            spread=float(spread[i]),
            judgments={
                units.annotators[k].name: _in_words(units, i, float(units.values[k, i]))
                for k in np.flatnonzero(given[:, i])
            },
        )
        for i in worst
    )


def _what(units: JudgedUnits, unit: int) -> str:
    first, second = units.first[unit], units.second[unit]
    if first < 0:
        return ""
    name = units.systems[first]
    return name if second < 0 else f"{name} or {units.systems[second]}"


def _in_words(units: JudgedUnits, unit: int, value: float) -> str:
    if units.what == "choices":
        if value == 0:
            return "tie"
        preferred = units.first[unit] if value > 0 else units.second[unit]
        return units.systems[int(preferred)]
    labels = units.criterion.labels
    if units.what == "labels" and int(value) < len(labels):
        return str(labels[int(value)])
    return f"{value:.4g}"
