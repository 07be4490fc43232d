"""What speaks for one system over another on each of several datasets: tested or reported."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from analysis.statistics import Alternative, direct_pvalues, paired_test
from analysis.studies.study import count, listed
from store import vectors
from store.arrays import load_matrix
from store.engine import Store
from store.errors import NotFoundError
from store.importers.bundle import Sidedness
from store.metrics import list_metrics
from store.records import MetricRecord, ReportedComparisonRecord, SystemRecord
from store.reported import list_reported_comparisons
from store.runs import list_runs

TestName = Literal["auto", "t", "mcnemar", "permutation"]
"""Tests for a pair of systems with item scores."""

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


@dataclass(frozen=True, slots=True, eq=False)
class DatasetEvidence:
    """The evidence on one dataset about systems A and B."""

    dataset: str
    dataset_uid: str
    pvalue: float
    """Undirected: two-sided, or as the source states it; NaN = not testable."""
    pvalue_a_over_b: float
    pvalue_b_over_a: float
    favours: str | None
    """The system that scores better; ``None`` when neither does or nobody knows."""
    difference: float
    """A minus B on the metric's own scale."""
    score_a: float
    score_b: float
    n_items: int
    """Items with a score from both; 0 when only figures are reported."""
    n_missing: int
    """Items that one of them has no score on."""
    test: str
    sidedness: str
    printed: str
    """The p-value as the source prints it; empty when it was computed here."""
    source: str
    not_testable: str
    """Why there is no p-value; empty when there is one."""


@dataclass(frozen=True, slots=True, eq=False)
class PairEvidence:
    """The evidence on all datasets that two systems share on one metric."""

    metric: MetricRecord
    datasets: tuple[DatasetEvidence, ...]
    warnings: tuple[str, ...]


def gather_reported(
    store: Store,
    a: SystemRecord,
    b: SystemRecord,
    *,
    metric: MetricRecord | None,
    datasets: Sequence[str] | None,
) -> PairEvidence:
    """Return the p-values that files and papers state for A against B.

    A two-sided or unstated p-value is halved toward the system that scored better.

    Raises
    ------
    NotFoundError
        Nothing is reported for this pair.
    """
    stated = [
        _as_seen_from(a, comparison)
        for comparison in list_reported_comparisons(store, between=(a.uid, b.uid))
    ]
    measure = _choose_metric(store, metric, [c.metric_uid for c in stated])
    if measure is None:
        raise NotFoundError(
            f"No source in the store states p-values for '{a.name}' against '{b.name}'"
            + (f" on '{metric.label}'." if metric else ".")
            + " Without --reported they are tested on their item scores."
        )
    kept = {
        c.dataset_uid: c
        for c in stated
        if c.metric_uid == measure.uid and (datasets is None or c.dataset_uid in datasets)
    }
    warnings = _other_metrics(store, metric, measure, {c.metric_uid for c in stated})
    if any(c.sidedness == "unstated" for c in kept.values()):
        warnings.append(
            "The source does not say whether its p-values are one- or two-sided. With direction "
            "they are read as two-sided and halved toward the system that scored better."
        )
    return PairEvidence(
        metric=measure,
        datasets=tuple(_from_report(c, measure) for c in kept.values()),
        warnings=tuple(warnings),
    )


def gather_tested(
    store: Store,
    a: SystemRecord,
    b: SystemRecord,
    *,
    metric: MetricRecord | None,
    datasets: Sequence[str] | None,
    test: TestName,
    n_resamples: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> PairEvidence:
    """Test A against B on every dataset where both have item scores on the metric.

    Raises
    ------
    NotFoundError
        They have item scores on no dataset in common.
    """
    scored_a, scored_b = _scored_cells(store, a), _scored_cells(store, b)
    shared = [cell for cell in scored_a if cell in scored_b]
    measure = _choose_metric(store, metric, [metric_uid for _, metric_uid in shared])
    if measure is None:
        raise NotFoundError(
            f"'{a.name}' and '{b.name}' have item scores on no dataset in common"
            + (f" for '{metric.label}'." if metric else ".")
            + _reported_hint(store, a, b)
        )
    uids = [
        dataset_uid
        for dataset_uid, metric_uid in shared
        if metric_uid == measure.uid and (datasets is None or dataset_uid in datasets)
    ]
    evidence = []
    for done, uid in enumerate(uids):
        if progress is not None:
            progress(done, len(uids))
        evidence.append(_test_dataset(store, a, b, uid, measure, test, n_resamples, seed))
    warnings = _other_metrics(store, metric, measure, {metric_uid for _, metric_uid in shared})
    return PairEvidence(
        metric=measure,
        datasets=tuple(sorted(evidence, key=lambda e: e.dataset.casefold())),
        warnings=tuple(warnings),
    )


def _as_seen_from(
    a: SystemRecord, comparison: ReportedComparisonRecord
) -> ReportedComparisonRecord:
    """Return the comparison with system `a` on the left."""
    if comparison.system_a == a.name:
        return comparison
    turned: dict[Sidedness, Sidedness] = {"greater": "less", "less": "greater"}
    return replace(
        comparison,
        system_a=comparison.system_b,
        system_b=comparison.system_a,
        score_a=comparison.score_b,
        score_b=comparison.score_a,
        sidedness=turned.get(comparison.sidedness, comparison.sidedness),
    )


def _from_report(stated: ReportedComparisonRecord, metric: MetricRecord) -> DatasetEvidence:
    score_a = math.nan if stated.score_a is None else stated.score_a
    score_b = math.nan if stated.score_b is None else stated.score_b
    difference = score_a - score_b
    a_over_b, b_over_a = direct_pvalues(
        [stated.pvalue], stated.sidedness, [metric.sign * difference]
    )
    better = metric.sign * difference
    favours = None
    if better:
        favours = {True: stated.system_a, False: stated.system_b}.get(better > 0)
    if math.isnan(better):
        favours = None
    return DatasetEvidence(
        dataset=stated.dataset,
        dataset_uid=stated.dataset_uid,
        pvalue=stated.pvalue,
        pvalue_a_over_b=float(a_over_b[0]),
        pvalue_b_over_a=float(b_over_a[0]),
        favours=favours,
        difference=difference,
        score_a=score_a,
        score_b=score_b,
        n_items=0,
        n_missing=0,
        test=stated.test,
        sidedness=stated.sidedness,
        printed=stated.printed,
        source=stated.source,
        not_testable="",
    )


def _test_dataset(
    store: Store,
    a: SystemRecord,
    b: SystemRecord,
    dataset_uid: str,
    metric: MetricRecord,
    test: TestName,
    n_resamples: int,
    seed: int,
) -> DatasetEvidence:
    matrix = load_matrix(store, dataset_uid, metric.uid, systems=[a.uid, b.uid])
    scores_a, scores_b = matrix.scores
    # Each dataset draws from its own stream, the same in every store and on every run.
    stream = (seed << 32) | zlib.crc32(matrix.dataset.label.encode())
    better, worse = (scores_a, scores_b) if metric.higher_is_better else (scores_b, scores_a)
    reason = ""
    pvalues: dict[Alternative, float] = {}
    name: str = test
    try:
        for alternative in ALTERNATIVES:
            result = paired_test(
                better,
                worse,
                test="signflip" if test == "permutation" else test,
                aggregation=metric.aggregation,
                alternative=alternative,
                n_resamples=n_resamples,
                rng=stream,
            )
            pvalues[alternative] = result.pvalue
            name = result.test
        if math.isnan(pvalues["two-sided"]):
            reason = (
                "all items differ by the same amount, or the metric is not defined on them."
                if result.n_items > 1
                else f"{count(result.n_items, 'item')} with a score from both."
            )
    except ValueError as error:
        reason = str(error)
    both = vectors.scored(scores_a) & vectors.scored(scores_b)
    score_a = vectors.aggregate(scores_a[both], metric.aggregation)
    score_b = vectors.aggregate(scores_b[both], metric.aggregation)
    difference = score_a - score_b
    if abs(difference) <= 1e-12 * max(abs(score_a), abs(score_b)):
        difference = 0.0  # equal but for the order of a sum
    gain = metric.sign * difference
    return DatasetEvidence(
        dataset=matrix.dataset.label,
        dataset_uid=dataset_uid,
        pvalue=pvalues.get("two-sided", math.nan),
        pvalue_a_over_b=pvalues.get("greater", math.nan),
        pvalue_b_over_a=pvalues.get("less", math.nan),
        favours=a.name if gain > 0 else b.name if gain < 0 else None,
        difference=difference,
        score_a=score_a,
        score_b=score_b,
        n_items=int(both.sum()),
        n_missing=len(both) - int(both.sum()),
        test=name,
        sidedness="two-sided",
        printed="",
        source="",
        not_testable=reason,
    )


def _scored_cells(store: Store, system: SystemRecord) -> dict[tuple[str, str], None]:
    """Return (dataset uid, metric uid) wherever the system has item scores, in stable order."""
    return {
        (run.dataset_uid, vector.metric_uid): None
        for run in sorted(list_runs(store, system_uid=system.uid), key=lambda run: run.created_at)
        for vector in run.vectors
        if vector.n_scored
    }


def _choose_metric(
    store: Store, wanted: MetricRecord | None, found: Iterable[str]
) -> MetricRecord | None:
    """Return the wanted metric if there is anything on it, else the one on most datasets."""
    counts = Counter(found)
    if wanted is not None:
        return wanted if counts[wanted.uid] else None
    if not counts:
        return None
    most = counts.most_common(1)[0][0]
    return next(m for m in list_metrics(store) if m.uid == most)


def _other_metrics(
    store: Store, asked: MetricRecord | None, chosen: MetricRecord, found: set[str]
) -> list[str]:
    """Say which metric was chosen, when nobody asked for one and there are others."""
    if asked is not None:
        return []
    others = [m.label for m in list_metrics(store) if m.uid in found and m.uid != chosen.uid]
    if not others:
        return []
    return [f"Metric: {chosen.label}. The two are also compared on {listed(others)}."]


def _reported_hint(store: Store, a: SystemRecord, b: SystemRecord) -> str:
    stated = list_reported_comparisons(store, between=(a.uid, b.uid))
    if not stated:
        return ""
    return f" There are {len(stated)} reported p-values for them: ask with --reported."
