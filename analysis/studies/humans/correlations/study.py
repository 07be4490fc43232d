"""Which metric follows the human judgments best, and which metrics cannot be told apart?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis import numbers
from analysis.report import Report
from analysis.statistics._typing import FloatArray
from analysis.statistics.boards.groups import group_letters
from analysis.statistics.meta_evaluation.comparison import MetricComparisons
from analysis.statistics.meta_evaluation.intervals import (
    correlation_interval,
    percentiles,
    resampled_correlations,
)
from analysis.statistics.meta_evaluation.levels import (
    Correlation,
    correlation,
    metric_correlations,
)
from analysis.statistics.multiplicity import METHODS, adjust
from analysis.statistics.results import read_only
from analysis.statistics.signature import build_signature
from analysis.studies.checked_numbers import check_numbers
from analysis.studies.humans.correlations.compared import compare_on
from analysis.studies.humans.correlations.human_line import human_line
from analysis.studies.humans.correlations.points import make_points, without_outliers
from analysis.studies.humans.correlations.report import correlations_report
from analysis.studies.humans.correlations.result import CorrelationRow, CorrelationsResult
from analysis.studies.humans.correlations.settings import (
    Chosen,
    CorrelationSettings,
    choose,
    takes_groups,
)
from analysis.studies.humans.correlations.slices import slice_correlations
from analysis.studies.humans.correlations.standings import stands
from analysis.studies.humans.correlations.words import sentence, warn
from analysis.studies.humans.evidence import (
    CONSENSUS,
    TIES,
    USUAL_CONSENSUS,
    USUAL_TIES,
    Consensus,
    Evidence,
    Ties,
    is_partial,
    load_evidence,
)
from analysis.studies.reading import failures_told
from analysis.studies.study import count, listed
from store.engine import Store
from store.errors import NotFoundError, StoreError

FEWEST_RESAMPLES = 99
DRAWS_OF_INTERVALS = 1_999
"""More change no digit of an interval that is shown."""
Order = npt.NDArray[np.intp]
How = tuple[Ties | None, Consensus | None]
"""What ties of preferences mean, and how choices become one; ``None``: as is usual."""


@dataclass(frozen=True, slots=True, eq=False)
class CorrelationsStudy(CorrelationsResult):
    """Metrics against one gold, the best first, with what to write down."""

    def report(self) -> Report:
        """Return what to write down: coefficients, comparisons, correlations of the metrics."""
        return correlations_report(self)


def study_correlations(
    store: Store,
    dataset: str,
    gold: str,
    *,
    metrics: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    without: Sequence[str] = (),
    settings: CorrelationSettings = CorrelationSettings(),  # noqa: B008 - frozen
    ties: Ties | None = None,
    consensus: Consensus | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> CorrelationsStudy:
    """Hold metrics against human judgments.

    Parameters
    ----------
    store
        Where from.
    dataset, gold, metrics, systems, without, ties, consensus
        As for `load_evidence`.
    settings
        Level, coefficient, test and the like.
    progress
        Called with (draws done, of how many); what it raises cancels the work.

    Raises
    ------
    NotFoundError
        A name is unknown, or there is nothing to hold against the gold.
    StoreError
        The settings do not fit the evidence.
    """
    check_settings(settings, ties, consensus)
    evidence = load_evidence(
        store,
        dataset,
        gold,
        metrics=metrics,
        systems=systems,
        without=without,
        ties=ties,
        consensus=consensus,
    )
    return hold_against_gold(store, evidence, settings, (ties, consensus), progress)


def hold_against_gold(
    store: Store,
    evidence: Evidence,
    settings: CorrelationSettings,
    how: How,
    progress: Callable[[int, int], None] | None = None,
) -> CorrelationsStudy:
    """Return the study of some evidence; `how` preferences became numbers is for its signature.

    Raises
    ------
    StoreError
        The settings do not fit the evidence.
    """
    chosen = choose(evidence, settings)
    found = compare_on(
        store,
        evidence,
        level=chosen.level,
        coefficient=chosen.coefficient,
        test=chosen.test,
        correction=settings.correction,
        alpha=settings.alpha,
        n_resamples=chosen.n_resamples,
        jackknife=chosen.jackknife,
        rng=settings.seed,
        progress=progress,
    )
    return _study(store, evidence, chosen, settings, found, how)


def check_settings(settings: CorrelationSettings, ties: str | None, consensus: str | None) -> None:
    """Refuse numbers and words that no evidence allows.

    Raises
    ------
    StoreError
        One of them is out of range or unknown.
    """
    check_numbers(
        alpha=settings.alpha,
        n_resamples=FEWEST_RESAMPLES if settings.n_resamples is None else settings.n_resamples,
        seed=settings.seed,
        fewest=FEWEST_RESAMPLES,
    )
    for name, word, known in (
        ("correction", settings.correction, METHODS),
        ("ties", ties, TIES),
        ("consensus", consensus, CONSENSUS),
    ):
        if word is not None and word not in known:
            raise StoreError(f"`{name}` must be one of {listed(list(known), most=20)}.")


def _study(
    store: Store,
    evidence: Evidence,
    chosen: Chosen,
    settings: CorrelationSettings,
    found: MetricComparisons,
    how: How,
) -> CorrelationsStudy:
    values = found.values
    missing = np.isnan(values)
    partial = np.array(is_partial(evidence))
    order = np.lexsort((np.where(missing, 0.0, -values), partial, missing))
    names = [evidence.names[i] for i in order]
    square = np.ix_(order, order)
    reference = _reference(evidence, order, settings.reference)
    rows = _rows(evidence, chosen, settings, found, order, reference)
    line = human_line(store, evidence, chosen)
    scores = evidence.scores[order]
    points, n_points = make_points(evidence, scores, chosen.level)
    slices, without_slice = slice_correlations(store, evidence, scores, chosen, settings.by)
    return CorrelationsStudy(
        sentence=sentence(evidence, chosen, rows, line),
        signature=_signature(store, evidence, chosen, settings, how),
        warnings=(
            *warn(evidence, chosen, rows, line),
            *_raised(found),
            *_too_few_draws(found, settings),
            *without_slice,
        ),
        store_revision=store.revision(),
        dataset=evidence.dataset,
        gold=evidence.gold_name,
        gold_uid=evidence.gold_uid,
        gold_source=evidence.gold_source,
        gold_rule=evidence.rule,
        kind=evidence.kind,
        level=chosen.level,
        coefficient=chosen.coefficient,
        test=chosen.test,
        correction=settings.correction,
        interval=chosen.interval,
        alpha=settings.alpha,
        reference=None if reference is None else names[reference],
        rows=rows,
        metrics=tuple(names),
        between=read_only(_between(scores, chosen)),
        difference=read_only(found.difference[square]),
        pvalue=read_only(found.pvalue[square]),
        pvalue_adjusted=read_only(found.pvalue_adjusted[square]),
        exact=found.exact,
        human_line=line,
        points=points,
        n_points=n_points,
        slices=slices,
        by=settings.by,
        n_systems=_n_systems(evidence),
        n_items=evidence.gold.shape[1],
        notes=evidence.notes,
    )


def _reference(evidence: Evidence, order: Order, name: str | None) -> int | None:
    """Return the place of the reference metric in the order of the rows."""
    if name is None:
        return None
    for place, i in enumerate(order):
        metric = evidence.metrics[i]
        if name in (metric.uid, metric.label, metric.name):
            return place
    raise NotFoundError(f"`reference` '{name}' is none of the metrics: {listed(evidence.names)}.")


def _rows(
    evidence: Evidence,
    chosen: Chosen,
    settings: CorrelationSettings,
    found: MetricComparisons,
    order: Order,
    reference: int | None,
) -> tuple[CorrelationRow, ...]:
    square = np.ix_(order, order)
    adjusted, pvalue = found.pvalue_adjusted[square], found.pvalue[square]
    values, difference = found.values[order], found.difference[square]
    partial = is_partial(evidence)
    # By place, not by value: what is on too few cells comes after the others.
    places = np.where(np.isnan(values), np.nan, -np.arange(len(order)))
    letters = group_letters(places, found.different[square]).letters
    # A letter says what tests found: what was tested against nothing has none.
    untested = [len(order) > 1 and bool(np.isnan(row).all()) for row in pvalue]
    vs_reference = _against_reference(pvalue, reference, settings.correction)
    ends = _intervals(evidence, chosen, settings)
    spared = without_outliers(evidence, evidence.scores[order], chosen)
    rows = []
    for place, i in enumerate(order):
        alone = correlation(
            evidence.scores[i], evidence.gold, level=chosen.level, coefficient=chosen.coefficient
        )
        p = float(vs_reference[place])
        rows.append(
            CorrelationRow(
                metric=evidence.names[i],
                metric_uid=evidence.metrics[i].uid,
                coefficient=float(values[place]),
                ci=ends[i],
                n=_n_units(alone, chosen, evidence),
                n_undefined=alone.n_undefined,
                is_partial=partial[i],
                pvalue_vs_best=math.nan if place == 0 else float(adjusted[place, 0]),
                versus_best=stands(
                    float(adjusted[place, 0]), difference[place, 0], settings.alpha, place == 0
                ),
                group="" if untested[place] else letters[place],
                pvalue_vs_reference=p,
                versus_reference=None
                if reference is None
                else stands(p, difference[place, reference], settings.alpha, place == reference),
                epsilon=float(found.epsilons[i]),
                without_outliers=spared[place],
            )
        )
    return tuple(rows)


def _against_reference(pvalue: FloatArray, reference: int | None, correction: str) -> FloatArray:
    """Return the p-values of the comparisons with the reference, corrected over these alone."""
    adjusted = np.full(len(pvalue), math.nan)
    others = [place for place in range(len(pvalue)) if place != reference]
    if reference is not None and others:
        adjusted[others] = adjust(pvalue[others, reference], correction).pvalues_adjusted
    return adjusted


def _intervals(
    evidence: Evidence, chosen: Chosen, settings: CorrelationSettings
) -> list[tuple[float, float]]:
    """Return the interval of each metric's coefficient, all from the same draws."""
    if chosen.interval == "fisher-z":
        found = [
            correlation_interval(
                values,
                evidence.gold,
                level=chosen.level,
                coefficient=chosen.coefficient,
                method="fisher-z",
                confidence_level=1 - settings.alpha,
            )
            for values in evidence.scores
        ]
        return [(one.low, one.high) for one in found]
    draws = resampled_correlations(
        evidence.scores,
        evidence.gold,
        level=chosen.level,
        coefficient=chosen.coefficient,
        method=chosen.interval,
        n_resamples=min(chosen.n_resamples, DRAWS_OF_INTERVALS),
        groups=evidence.groups if takes_groups(chosen.interval) else None,
        rng=settings.seed,
    )
    return [percentiles(values[~np.isnan(values)], 1 - settings.alpha) for values in draws]


def _raised(found: MetricComparisons) -> list[str]:
    """Say where an exchange of the two metrics does not decide."""
    n = int(np.count_nonzero(np.triu(found.raised)))
    if not n:
        return []
    return [
        f"{count(n, 'pair')} of metrics: p is that of the jackknife, the more careful one. "
        "An exchange finds differences too often where errors are of other kinds or rarely large."
    ]


def _too_few_draws(found: MetricComparisons, settings: CorrelationSettings) -> list[str]:
    """Say when no p-value can be small enough after the correction, however large a difference."""
    floors = found.pvalue_floor[np.triu_indices(found.n_metrics, 1)]
    floors = floors[~np.isnan(floors)]
    if found.correction not in ("holm", "bonferroni") or not len(floors):
        return []
    least = float(floors.min()) * found.n_tests
    if least <= settings.alpha:
        return []
    how = "exchanges" if found.exact else "draws"
    return [
        f"{found.n_resamples:,} {how} are too few for {count(found.n_tests, 'pair')} of metrics: "
        f"no adjusted p-value can be below {numbers.pvalue(min(1.0, least))}, so that no two can "
        "be separated. Compare fewer metrics, or take another test"
        + ("." if found.exact else ", or more draws.")
    ]


def _n_systems(evidence: Evidence) -> int:
    if evidence.units is None:
        return len(evidence.systems)
    return len({system for pair in evidence.units.pairs for system in pair})


def _n_units(alone: Correlation, chosen: Chosen, evidence: Evidence) -> int:
    """Return over how many units the coefficient is taken, or averaged."""
    if chosen.level == "system":
        return alone.n_systems
    if chosen.level == "global":
        return alone.n_cells // 2 if evidence.is_mirrored else alone.n_cells
    return alone.n_units


def _between(scores: FloatArray, chosen: Chosen) -> FloatArray:
    """Return the correlations of the metrics with each other, at the same level."""
    return np.asarray(metric_correlations(scores, level=chosen.level, coefficient=_plain(chosen)))


def _plain(chosen: Chosen) -> str:
    """Return a coefficient that takes both sides alike; accuracies know a right side."""
    if "accuracy" not in chosen.coefficient:
        return chosen.coefficient
    return "kendall-b"


def _signature(
    store: Store,
    evidence: Evidence,
    chosen: Chosen,
    settings: CorrelationSettings,
    how: How,
) -> str:
    words: dict[str, str | int | float] = {
        "dataset": evidence.dataset.label,
        "gold": evidence.gold_name,
        "metrics": ",".join(m.label for m in evidence.metrics),
        "level": chosen.level,
        "coefficient": chosen.coefficient,
        "test": chosen.test,
        "interval": chosen.interval,
        "correction": settings.correction,
        "alpha": settings.alpha,
        "n_resamples": chosen.n_resamples,
        "seed": settings.seed,
    }
    if evidence.kind == "preferences":
        words |= {
            "ties": how[0] or USUAL_TIES,
            "consensus": how[1] or USUAL_CONSENSUS,
        }
    return build_signature("correlate", **words, **failures_told(store, evidence.dataset.uid))
