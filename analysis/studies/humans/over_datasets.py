"""Metrics against humans over several datasets: languages, domains, years."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from analysis import numbers
from analysis.report import Cell, Column, Report, Strong, Table
from analysis.statistics import BoolArray, FloatArray
from analysis.statistics.meta_evaluation.intervals import percentiles, resampled_correlations
from analysis.statistics.multiplicity import adjust
from analysis.statistics.random_streams import BLOCK_ROWS
from analysis.statistics.results import read_only
from analysis.statistics.signature import build_signature
from analysis.studies.humans.correlations import (
    DRAWS_OF_INTERVALS,
    CorrelationsStudy,
    check_settings,
    hold_against_gold,
)
from analysis.studies.humans.correlations_words import COEFFICIENTS_IN_WORDS
from analysis.studies.humans.evidence import Consensus, Evidence, Ties, load_evidence
from analysis.studies.humans.golds import list_golds
from analysis.studies.humans.settings import CorrelationSettings
from analysis.studies.study import Study, count, listed
from store.datasets import get_dataset
from store.engine import Store
from store.errors import NotFoundError, StoreError

IntArray = npt.NDArray[np.int8]
BETTER, WORSE, CANNOT_TELL, NONE = 1, -1, 0, -2


@dataclass(frozen=True, slots=True, eq=False)
class CorrelationsOver(Study):
    """Correlations of metrics with a gold on several datasets; rows follow `metrics`."""

    gold: str
    coefficient: str
    level: str
    test: str
    alpha: float
    reference: str
    metrics: tuple[str, ...]
    """Best mean first."""
    dataset_labels: tuple[str, ...]
    dataset_uids: tuple[str, ...]
    values: FloatArray
    """Shape (n_metrics, n_datasets); NaN where a metric has no scores."""
    low: FloatArray
    high: FloatArray
    differs: IntArray
    """1 better than the reference on that dataset, -1 worse, 0 cannot be told, -2 not compared."""
    n: npt.NDArray[np.int64]
    """Units that each coefficient is over."""
    macro: FloatArray
    """Shape (n_metrics,): mean over the datasets that a metric is on."""
    macro_low: FloatArray
    macro_high: FloatArray
    micro: FloatArray
    """Mean weighted by the number of judged units."""
    human_lines: FloatArray
    """Shape (n_datasets,)."""
    studies: tuple[CorrelationsStudy, ...]

    def report(self) -> Report:
        """Return the correlations on every dataset as a table."""
        columns: list[str | Column] = ["metric"]
        columns += [Column(label, decimals=3) for label in self.dataset_labels]
        columns += [
            Column("mean", decimals=3),
            Column("interval", decimals=3),
            Column("by units", decimals=3),
        ]
        rows: list[list[Cell]] = []
        for i, name in enumerate(self.metrics):
            cells: list[Cell] = [
                Strong(float(v)) if d in (BETTER, WORSE) else float(v)
                for v, d in zip(self.values[i], self.differs[i], strict=True)
            ]
            ends = (float(self.macro_low[i]), float(self.macro_high[i]))
            rows.append([name, *cells, float(self.macro[i]), ends, float(self.micro[i])])
        return Report(
            title=f"Metrics against '{self.gold}' on {len(self.dataset_labels)} datasets",
            sentences=(self.sentence,),
            tables=(
                Table(
                    columns,
                    rows,
                    caption=f"{COEFFICIENTS_IN_WORDS[self.coefficient]} with '{self.gold}'",
                    strong=f"differs from {self.reference} on that dataset",
                ),
            ),
            signature=self.signature,
            warnings=self.warnings,
        )


def study_correlations_over(
    store: Store,
    gold: str,
    *,
    datasets: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    without: Sequence[str] = (),
    settings: CorrelationSettings = CorrelationSettings(),  # noqa: B008 - frozen
    ties: Ties = "sign",
    consensus: Consensus = "majority",
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

    Raises
    ------
    NotFoundError
        Fewer than two datasets have the gold.
    """
    check_settings(settings, ties, consensus)
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
    studies = [hold_against_gold(store, one, alone, (ties, consensus)) for one in evidence]
    _one_question(studies)
    table = _table(studies)
    means = _means(table, evidence, studies, settings)
    return _joined(store, gold, studies, settings, table, means, notes)


class _Table(NamedTuple):
    """Correlations of every metric on every dataset, in the order of first appearance."""

    names: list[str]
    values: FloatArray
    low: FloatArray
    high: FloatArray
    n: npt.NDArray[np.int64]


class _Means(NamedTuple):
    macro: FloatArray
    low: FloatArray
    high: FloatArray
    micro: FloatArray


def _all_evidence(
    store: Store, gold: str, datasets: Sequence[str] | None, how: Mapping[str, Any]
) -> tuple[list[Evidence], list[str]]:
    """Return the evidence of each dataset; what has no metrics is left out unless asked for."""
    found, notes = [], []
    known = list_golds(store)
    for uid in _datasets(store, gold, datasets):
        here = [g.uid for g in known if g.dataset_uid == uid and gold in (g.uid, g.name)]
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
    uids = list(dict.fromkeys(g.dataset_uid for g in known if gold in (g.name, g.uid)))
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
            values[i, d], low[i, d], high[i, d] = row.coefficient, row.ci_low, row.ci_high
            n[i, d] = row.n
    return _Table(names, values, low, high, n)


def _means(
    table: _Table,
    evidence: Sequence[Evidence],
    studies: Sequence[CorrelationsStudy],
    settings: CorrelationSettings,
) -> _Means:
    """Return each metric's mean over its datasets, with an interval, and that weighted by units.

    The interval draws every dataset anew by itself: it speaks of these datasets with other
    systems and items, not of other datasets.
    """
    draws = np.full((len(table.names), len(studies), DRAWS_OF_INTERVALS), np.nan)
    blocks = -(-DRAWS_OF_INTERVALS // BLOCK_ROWS)
    for d, (one, study) in enumerate(zip(evidence, studies, strict=True)):
        method = study.interval
        if method == "fisher-z":
            continue
        drawn = resampled_correlations(
            one.scores,
            one.gold,
            level=study.level,
            coefficient=study.coefficient,
            method=method,
            n_resamples=DRAWS_OF_INTERVALS,
            groups=one.groups,
            rng=settings.seed,
            first_block=d * blocks,
        )
        for name, values in zip(one.names, drawn, strict=True):
            draws[table.names.index(name), d] = values
    return _Means(*_averaged(table, draws, settings.alpha))


def _averaged(table: _Table, draws: FloatArray, alpha: float) -> _Means:
    """Average over datasets; a metric counts the datasets it is on."""
    present = ~np.isnan(table.values)
    units = np.where(present, table.n, 0).astype(float)
    with np.errstate(invalid="ignore"):
        macro = np.nansum(table.values, axis=1) / present.sum(axis=1)
        micro = np.nansum(np.where(present, table.values * units, 0), axis=1) / units.sum(axis=1)
    low, high = np.full(len(macro), np.nan), np.full(len(macro), np.nan)
    for i, where in enumerate(present):
        means = draws[i, where].mean(axis=0) if where.any() else np.empty(0)
        low[i], high[i] = percentiles(means[~np.isnan(means)], 1 - alpha)
    return _Means(macro, low, high, micro)


def _joined(
    store: Store,
    gold: str,
    studies: Sequence[CorrelationsStudy],
    settings: CorrelationSettings,
    table: _Table,
    means: _Means,
    notes: Sequence[str],
) -> CorrelationsOver:
    everywhere = np.asarray(~np.isnan(table.values).any(axis=1))
    order = np.lexsort((-np.nan_to_num(means.macro, nan=-9.0), ~everywhere))
    names = [table.names[i] for i in order]
    reference = settings.reference or names[0]
    if reference not in names:
        raise NotFoundError(f"`reference` '{reference}' is none of the metrics: {listed(names)}.")
    differs = _marks(studies, names, reference, settings)
    first = studies[0]
    lines = [math.nan if s.human_line is None else s.human_line.value for s in studies]
    ordered = _Means(*(values[order] for values in means))
    return CorrelationsOver(
        sentence=_sentence(first, names, ordered, reference, differs, studies),
        signature=_signature(gold, studies, settings, reference),
        warnings=_warnings(studies, names, everywhere[order], notes),
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
        differs=read_only(differs),
        n=read_only(table.n[order]),
        macro=read_only(ordered.macro),
        macro_low=read_only(ordered.low),
        macro_high=read_only(ordered.high),
        micro=read_only(ordered.micro),
        human_lines=read_only(np.array(lines)),
        studies=tuple(studies),
    )


def _signature(
    gold: str,
    studies: Sequence[CorrelationsStudy],
    settings: CorrelationSettings,
    reference: str,
) -> str:
    return build_signature(
        "correlate-over",
        gold=gold,
        datasets=",".join(s.dataset.label for s in studies),
        level=studies[0].level,
        coefficient=studies[0].coefficient,
        test=studies[0].test,
        interval=studies[0].interval,
        correction=settings.correction,
        reference=reference,
        alpha=settings.alpha,
        n_resamples=settings.n_resamples or "usual",
        seed=settings.seed,
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


def _marks(
    studies: Sequence[CorrelationsStudy],
    names: Sequence[str],
    reference: str,
    settings: CorrelationSettings,
) -> IntArray:
    """Say of each metric and dataset how it compares with the reference, corrected per dataset.

    Over the comparisons with the reference where it was named; over all pairs where the data chose
    it, being the best one.
    """
    marks = np.full((len(names), len(studies)), NONE, np.int8)
    for d, study in enumerate(studies):
        if reference not in study.metrics:
            continue
        at = study.metrics.index(reference)
        others = [i for i in range(len(study.metrics)) if i != at]
        if not others:
            continue
        if settings.reference is None:
            pvalues = study.pvalue_adjusted[others, at]
        else:
            pvalues = adjust(study.pvalue[others, at], study.correction).pvalues_adjusted
        for i, p in zip(others, pvalues, strict=True):
            if not math.isnan(p):
                sign = BETTER if study.difference[i, at] > 0 else WORSE
                marks[names.index(study.metrics[i]), d] = (
                    sign if p <= settings.alpha else CANNOT_TELL
                )
    return marks


def _sentence(
    first: CorrelationsStudy,
    names: Sequence[str],
    means: _Means,
    reference: str,
    differs: IntArray,
    studies: Sequence[CorrelationsStudy],
) -> str:
    """Say which metric has the best mean, and where others differ from the reference."""
    value, low, high = float(means.macro[0]), float(means.low[0]), float(means.high[0])
    text = (
        f"Over {len(studies)} datasets {names[0]} follows '{first.gold}' best: mean "
        f"{COEFFICIENTS_IN_WORDS[first.coefficient]} {numbers.score(value, low=low, high=high)}"
    )
    if not math.isnan(low):
        text += f" ({numbers.interval(low, high)})"
    text += ". "
    worse = int((differs == WORSE).any(axis=1).sum())
    better = int((differs == BETTER).any(axis=1).sum())
    if not worse and not better:
        return text + f"On no dataset can any other metric be told apart from {reference}."
    told = [
        f"{count(n, 'metric')} {'is' if n == 1 else 'are'} {word}"
        for n, word in ((worse, "worse"), (better, "better"))
        if n
    ]
    return text + f"{' and '.join(told)} than {reference} on at least one dataset."
