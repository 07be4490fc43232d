"""Metrics against humans over several datasets: languages, domains, years."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from analysis import numbers
from analysis.report import Report
from analysis.statistics._typing import BoolArray, FloatArray, Progress
from analysis.statistics.results import read_only
from analysis.statistics.signature import build_signature
from analysis.studies.humans.correlations.settings import CorrelationSettings
from analysis.studies.humans.correlations.standings import Standing
from analysis.studies.humans.correlations.study import (
    CorrelationsStudy,
    check_settings,
    hold_against_gold,
)
from analysis.studies.humans.evidence import Consensus, Evidence, Ties, load_evidence
from analysis.studies.humans.golds import list_golds
from analysis.studies.humans.over_datasets.marks import mark_against
from analysis.studies.humans.over_datasets.means import (
    MeanPairs,
    Means,
    Weights,
    average,
    check_weights,
    compare_means,
    weigh,
    within,
)
from analysis.studies.humans.over_datasets.report import over_datasets_report
from analysis.studies.humans.over_datasets.result import OverResult
from analysis.studies.humans.over_datasets.words import over_datasets_sentence
from analysis.studies.reading import failures_told
from analysis.studies.study import count, listed
from store.datasets import get_dataset
from store.engine import Store
from store.errors import NotFoundError, StoreError
from store.spelling import called


@dataclass(frozen=True, slots=True, eq=False)
class CorrelationsOver(OverResult):
    """Correlations of metrics with a gold on several datasets, with what to write down."""

    def report(self) -> Report:
        """Return the correlations on every dataset as a table."""
        return over_datasets_report(self)


def study_correlations_over(
    store: Store,
    gold: str,
    *,
    datasets: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    without: Sequence[str] = (),
    settings: CorrelationSettings = CorrelationSettings(),  # noqa: B008 - frozen
    weights: Weights = "equal",
    ties: Ties | None = None,
    consensus: Consensus | None = None,
    progress: Progress | None = None,
) -> CorrelationsOver:
    """Hold metrics against the same gold on several datasets.

    Parameters
    ----------
    store
        Where from.
    gold
        Name of a criterion or metric that the datasets share.
    datasets
        Uids or names; by default all with that gold.
    metrics, systems, without, settings, ties, consensus
        As for `study_correlations`. The reference is by default the metric with the best mean.
    weights
        What a dataset counts in the mean: "equal", "units" (by what was judged on it), or a number
        for each, in the order of `datasets`.
    progress
        Called with (steps done, of how many); what it raises cancels the work.

    Raises
    ------
    NotFoundError
        Fewer than two datasets have the gold.
    StoreError
        The settings or weights do not fit.
    """
    check_settings(settings, ties, consensus)
    check_weights(weights)
    evidence, notes = _all_evidence(
        store,
        gold,
        datasets,
        {
            "metrics": metrics,
            "systems": systems,
            "without": without,
            "ties": ties,
            "consensus": consensus,
        },
    )
    alone = replace(settings, reference=None)
    n_parts = 2 * len(evidence)
    studies = [
        hold_against_gold(store, one, alone, (ties, consensus), within(progress, part, n_parts))
        for part, one in enumerate(evidence)
    ]
    _one_question(studies)
    table = _table(studies)
    n_units = table.n.max(axis=0)
    shares = weigh(weights, n_units)
    means = average(table.values, (table.low, table.high), shares, n_units, studies)
    complete = [
        name
        for name, values in zip(table.names, table.values, strict=True)
        if not np.isnan(values).any()
    ]
    pairs = compare_means(
        store, complete, shares, evidence, studies, settings, within(progress, 1, 2)
    )
    return _joined(store, gold, studies, settings, shares, table, means, pairs, notes)


class _Table(NamedTuple):
    """Correlations of every metric on every dataset, in the order of first appearance."""

    names: list[str]
    values: FloatArray
    low: FloatArray
    high: FloatArray
    n: npt.NDArray[np.int64]


def _all_evidence(
    store: Store, gold: str, datasets: Sequence[str] | None, how: Mapping[str, Any]
) -> tuple[list[Evidence], list[str]]:
    """Return the evidence of each dataset; what has no metrics is left out unless asked for."""
    found, notes = [], []
    known = list_golds(store)
    for uid in _datasets(store, gold, datasets):
        here = [g.uid for g in called(gold, known) if g.dataset_uid == uid]
        try:
            found.append(load_evidence(store, uid, here[0] if here else gold, **how))
        except NotFoundError as error:
            if datasets is not None:
                raise
            notes.append(f"{get_dataset(store, uid).label} is left out: {error}")
    if len(found) < 2:
        raise NotFoundError(f"Fewer than two datasets have metrics and '{gold}'. {' '.join(notes)}")
    return found, notes


def _datasets(store: Store, gold: str, datasets: Sequence[str] | None) -> list[str]:
    if datasets is not None:
        uids = [get_dataset(store, name).uid for name in datasets]
        if len(set(uids)) < len(uids):
            raise StoreError("`datasets` names a dataset twice.")
        return uids
    known = list_golds(store)
    uids = list(dict.fromkeys(g.dataset_uid for g in called(gold, known)))
    if not uids:
        names = sorted({g.name for g in known})
        hint = f" There is {listed(names)}." if names else ""
        raise NotFoundError(f"No dataset has a gold '{gold}'.{hint}")
    return uids


def _one_question(studies: Sequence[CorrelationsStudy]) -> None:
    """Refuse to average what was not asked alike."""
    for name in ("level", "coefficient"):
        words = {getattr(study, name) for study in studies}
        if len(words) > 1:
            raise StoreError(
                f"The datasets differ in the {name} that fits them: {listed(sorted(words))}. Say "
                f"`{name}` for all of them."
            )


def _table(studies: Sequence[CorrelationsStudy]) -> _Table:
    names = list(dict.fromkeys(row.metric for study in studies for row in study.rows))
    shape = (len(names), len(studies))
    values, low, high = (np.full(shape, np.nan) for _ in range(3))
    n = np.zeros(shape, np.int64)
    for d, study in enumerate(studies):
        for row in study.rows:
            i = names.index(row.metric)
            values[i, d], low[i, d], high[i, d] = row.coefficient, *row.ci
            n[i, d] = row.n
    return _Table(names, values, low, high, n)


def _joined(
    store: Store,
    gold: str,
    studies: Sequence[CorrelationsStudy],
    settings: CorrelationSettings,
    weights: FloatArray,
    table: _Table,
    means: Means,
    pairs: MeanPairs | None,
    notes: Sequence[str],
) -> CorrelationsOver:
    everywhere = np.asarray(~np.isnan(table.values).any(axis=1))
    order = np.lexsort((-np.nan_to_num(means.value, nan=-9.0), ~everywhere))
    names = [table.names[i] for i in order]
    reference = settings.reference or names[0]
    if reference not in names:
        raise NotFoundError(f"`reference` '{reference}' is none of the metrics: {listed(names)}.")
    first = studies[0]
    lines = [math.nan if s.human_line is None else s.human_line.value for s in studies]
    ordered = Means(*(values[order] for values in means))
    against = np.full(len(names), np.nan)
    if pairs is not None:
        against[:] = [
            pairs.pvalue(name, reference, named=settings.reference is not None) for name in names
        ]
    over = CorrelationsOver(
        sentence="",
        signature=_signature(store, gold, studies, settings, reference, weights, pairs),
        warnings=(*_warnings(studies, names, everywhere[order], notes), *_on_draws(pairs)),
        store_revision=store.revision(),
        gold=gold,
        coefficient=first.coefficient,
        level=first.level,
        test=first.test,
        alpha=settings.alpha,
        reference=reference,
        metrics=tuple(names),
        dataset_labels=tuple(s.dataset.label for s in studies),
        dataset_uids=tuple(s.dataset.uid for s in studies),
        values=read_only(table.values[order]),
        low=read_only(table.low[order]),
        high=read_only(table.high[order]),
        differs=read_only(mark_against(studies, names, reference, settings)),
        n=read_only(table.n[order]),
        weights=read_only(weights),
        mean=read_only(ordered.value),
        mean_low=read_only(ordered.low),
        mean_high=read_only(ordered.high),
        mean_by_units=read_only(ordered.by_units),
        mean_test=None if pairs is None else pairs.test,
        groups=tuple("" if pairs is None else pairs.group(name) for name in names),
        versus_best=_standings(pairs, names, names[0], named=False),
        versus_reference=_standings(pairs, names, reference, named=settings.reference is not None),
        pvalue_vs_reference=read_only(against),
        human_lines=read_only(np.array(lines)),
        studies=tuple(studies),
    )
    return replace(over, sentence=over_datasets_sentence(over))


def _on_draws(pairs: MeanPairs | None) -> list[str]:
    """Say when p-values near alpha rest on a few draws, so that another seed decides otherwise."""
    if pairs is None or pairs.found.correction not in ("holm", "bonferroni"):
        return []
    floor = pairs.found.n_tests / (pairs.found.n_resamples + 1)
    if floor <= pairs.found.alpha / 10:
        return []
    return [
        f"Corrected over {count(pairs.found.n_tests, 'pair')}, no p-value of the means can be "
        f"below {numbers.pvalue(floor)} with {pairs.found.n_resamples:,} draws, and those near "
        f"{pairs.found.alpha:g} hang on the seed. More draws decide more surely."
    ]


def _standings(
    pairs: MeanPairs | None, names: Sequence[str], reference: str, *, named: bool
) -> tuple[Standing | None, ...]:
    if pairs is None:
        return tuple(None for _ in names)
    return tuple(pairs.standing(name, reference, named=named) for name in names)


def _signature(
    store: Store,
    gold: str,
    studies: Sequence[CorrelationsStudy],
    settings: CorrelationSettings,
    reference: str,
    weights: FloatArray,
    pairs: MeanPairs | None,
) -> str:
    return build_signature(
        "correlate-over",
        gold=gold,
        datasets=",".join(s.dataset.label for s in studies),
        level=studies[0].level,
        coefficient=studies[0].coefficient,
        test=studies[0].test,
        interval=studies[0].interval,
        weights="equal"
        if np.ptp(weights) == 0
        else " ".join(f"{weight:.6g}" for weight in weights),
        mean_test="none" if pairs is None else pairs.test,
        correction=settings.correction,
        reference=reference,
        alpha=settings.alpha,
        n_resamples=settings.n_resamples or "usual",
        seed=settings.seed,
        **failures_told(store),
    )


def _warnings(
    studies: Sequence[CorrelationsStudy],
    names: Sequence[str],
    everywhere: BoolArray,
    notes: Sequence[str],
) -> tuple[str, ...]:
    warnings = list(notes)
    partial = [name for name, all_of in zip(names, everywhere, strict=True) if not all_of]
    if partial:
        warnings.append(
            f"Not on every dataset: {listed(partial)}. Their means are over the datasets they are "
            "on, and stand below the others for that."
        )
    if len({study.interval for study in studies}) > 1 or len({s.test for s in studies}) > 1:
        warnings.append("Datasets differ in what can be drawn anew: systems, items, or both.")
    for study in studies:
        warnings += [f"{study.dataset.label}: {text}" for text in study.warnings]
    return tuple(dict.fromkeys(warnings))
