"""On how many datasets is each system better than each other one?

Dror et al. 2017 for all pairs of systems at once, with the estimator that the overlap of a pair's
datasets allows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from analysis.report import Report
from analysis.statistics._typing import BoolArray, FloatArray, IntArray, Progress
from analysis.statistics.across.counts import count_all_pairs
from analysis.statistics.results import read_only
from analysis.statistics.signature import build_signature
from analysis.statistics.validity_bounds import Reason
from analysis.studies.cells import (
    CellKey,
    choose_metrics,
    refuse_all_metrics,
    scored_cells,
)
from analysis.studies.checked_numbers import check_numbers
from analysis.studies.coverage import failure_notes
from analysis.studies.dependence import (
    ESTIMATOR_NAMES,
    EstimatorChoice,
    beside,
    check_choice,
    choose_estimator,
)
from analysis.studies.directed_pairs import (
    N_TAILS,
    DirectedPairs,
    TestSettings,
    ToCount,
    allow_for_others,
    directed_pairs,
)
from analysis.studies.joint_matrix import count_all_jointly
from analysis.studies.reading import state_of
from analysis.studies.replicability_matrix_report import replicability_matrix_report
from analysis.studies.replicability_matrix_result import PairsConfidence, ReplicabilityMatrix
from analysis.studies.replicability_matrix_words import coverage, leaning, sentence
from analysis.studies.score_table import other_metrics_of_all
from analysis.studies.store_parts import each_in_store
from analysis.studies.study import count
from analysis.studies.test_names import PairsTestName, in_public_words
from store.datasets import DatasetRelations, get_dataset, list_datasets, relate_datasets
from store.engine import Store
from store.errors import NotFoundError, StoreError
from store.metrics import list_metrics
from store.records import MetricRecord
from store.systems import get_system, list_systems


@dataclass(frozen=True, slots=True, eq=False)
class ReplicabilityMatrixStudy(ReplicabilityMatrix):
    """All pairs of systems over several datasets, with what to write down about them."""

    def report(self) -> Report:
        """Return what to write down: the matrix, where it fits a page, and the pairs."""
        return replicability_matrix_report(self)


def study_replicability_matrix(
    store: Store,
    *,
    metric: str | None = None,
    datasets: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    alpha: float = 0.05,
    estimator: EstimatorChoice = "auto",
    dependent: bool | None = None,
    pairs: PairsConfidence = "together",
    test: PairsTestName = "auto",
    n_resamples: int = 9_999,
    seed: int = 0,
    progress: Progress | None = None,
) -> ReplicabilityMatrixStudy:
    """Count, for every ordered pair of systems, the datasets on which the first is better.

    Parameters
    ----------
    store
        Where from; the p-values of each dataset are kept there.
    metric, datasets, systems
        Uids or names; by default the metric with most datasets, and all there is on it.
    alpha
        Bound on the probability of claiming too many datasets for any ordered pair, or for one.
    estimator, dependent
        How datasets are counted; by default what is known of a pair's datasets decides.
    pairs
        "together": `alpha` is divided by the number of ordered pairs; "alone": each has its own,
        as on the page of a pair and in Dror et al.
    test, n_resamples, seed
        How item scores are tested.
    progress
        Called with (datasets done, datasets in all); what it raises cancels.

    Raises
    ------
    NotFoundError
        A name is unknown, or no two systems share two datasets.
    StoreError
        The settings do not go together.
    """
    check_numbers(alpha=alpha, n_resamples=n_resamples, seed=seed)
    refuse_all_metrics(metric)
    check_choice(estimator, dependent, reported=False)
    question = _choose(store, metric, datasets, systems)
    evidence = _gather(store, question, TestSettings(test, n_resamples, seed), progress)
    relations = relate_datasets(store, [dataset for dataset, _ in question.keys])
    choice = choose_estimator(
        relations.overlaps,
        relations.unknown,
        len(question.keys),
        estimator=estimator,
        dependent=dependent,
    )
    plain = count_all_pairs(evidence.pvalue, alpha=alpha)
    n_ordered = max(1, int(np.count_nonzero(plain.n_testable)))
    level = alpha / n_ordered if pairs == "together" else alpha
    found = count_all_pairs(evidence.pvalue, alpha=level)
    by_estimator, told = {**found.k, "count": plain.k["count"]}, list[str]()
    able = np.asarray(~np.isnan(evidence.pvalue).all(axis=(1, 2)))
    n_shared = found.n_testable
    if estimator == "joint":
        by_estimator["joint"], n_shared, told = count_all_jointly(
            store,
            [key for key, yes in zip(question.keys, able, strict=True) if yes],
            question.systems,
            relations.overlaps,
            np.where(evidence.reason != Reason.KEPT, np.nan_to_num(evidence.pvalue), 0.0)[able],
            alpha=level,
            n_resamples=n_resamples,
            seed=seed,
            progress=progress,
        )
    depend = _depend(evidence.pvalue, question.keys, relations)
    k, names = _settle(by_estimator, estimator, dependent, depend)
    order = _order(k, question.names)
    at = np.ix_(order, order)
    used = Counter(names[i][j] for i in range(len(k)) for j in range(i) if n_shared[i, j])
    metric_record = question.metric
    labels = tuple(question.labels)
    ordered = tuple(question.names[i] for i in order)
    warnings = [
        *evidence.warnings,
        *failure_notes(
            store,
            dict(zip(question.keys, labels, strict=True)),
            dict(zip(question.systems, question.names, strict=True)),
        ),
        *told,
        *coverage(n_shared, len(labels)),
        *leaning(evidence.reason, evidence.pvalue),
    ]
    return ReplicabilityMatrixStudy(
        sentence=sentence(
            ordered,
            k[at],
            n_shared[at],
            f"{count(len(labels), 'dataset')}, {metric_record.label}; "
            f"{ESTIMATOR_NAMES[choice.estimator]}{beside(choice.known, choice.doubt)}; "
            + ("all pairs taken together" if pairs == "together" else "each pair by itself"),
        ),
        signature=build_signature(
            "replicability-matrix",
            metric=metric_record.label,
            systems="all" if systems is None else " ".join(systems),
            datasets="all" if datasets is None else " ".join(datasets),
            test=test,
            alpha=alpha,
            estimator=estimator,
            pairs=pairs,
            n_resamples=n_resamples,
            seed=seed,
            **state_of(store),
        ),
        warnings=(*warnings, *other_metrics_of_all(metric, metric_record, question.metrics)),
        store_revision=store.revision(),
        metric=metric_record,
        metrics=question.metrics,
        systems=ordered,
        system_uids=tuple(question.systems[i] for i in order),
        datasets=labels,
        dataset_uids=tuple(dataset for dataset, _ in question.keys),
        alpha=alpha,
        test=test,
        estimator=estimator,
        pairs=pairs,
        n_ordered=n_ordered,
        used=dict(used.most_common()),
        k=read_only(k[at]),
        n_shared=read_only(n_shared[at]),
        k_by_estimator={name: read_only(counts[at]) for name, counts in by_estimator.items()},
        mean_difference=read_only(evidence.mean_difference[at]),
        estimators=tuple(tuple("" if i == j else names[i][j] for j in order) for i in order),
        overlaps=tuple(relations.overlaps),
        n_unknown_pairs=len(relations.unknown),
        because=choice.because,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """What is compared: a metric, its datasets by name, and systems by name."""

    metric: MetricRecord
    metrics: tuple[str, ...]
    keys: list[CellKey]
    labels: list[str]
    systems: list[str]
    names: list[str]
    present: dict[CellKey, dict[str, None]]


@dataclass(frozen=True, slots=True, eq=False)
class _Evidence:
    pvalue: FloatArray
    """Shape (n_datasets, n_systems, n_systems)."""
    reason: npt.NDArray[np.int8]
    """A `validity.Reason` for each p-value."""
    mean_difference: FloatArray
    warnings: list[str]


def _choose(
    store: Store, metric: str | None, datasets: Sequence[str] | None, systems: Sequence[str] | None
) -> _Question:
    wanted = None if systems is None else {get_system(store, name).uid for name in systems}
    inside = None if datasets is None else {get_dataset(store, name).uid for name in datasets}
    if wanted is not None and len(wanted) < 2:
        raise StoreError("`systems` must name at least two systems to compare, or be left out.")
    labels = {d.uid: d.label for d in list_datasets(store)}
    cells = {
        key: {uid: None for uid in found if wanted is None or uid in wanted}
        for key, found in scored_cells(store).items()
        if inside is None or key[0] in inside
    }
    cells = {key: found for key, found in cells.items() if len(found) >= 2}
    measures = choose_metrics(store, metric, [metric_uid for _, metric_uid in cells])
    if not measures:
        raise NotFoundError(
            "No dataset in question has item scores of two systems"
            + (f" for '{metric}'." if metric else ".")
            + " Counts of datasets need tests of item scores; `tiebreak rank --reported` "
            "compares reported figures."
        )
    n_datasets = Counter(metric_uid for _, metric_uid in cells)
    known = {m.uid: m.label for m in list_metrics(store)}
    measure = measures[0]
    keys = sorted(
        (key for key in cells if key[1] == measure.uid), key=lambda key: labels[key[0]].casefold()
    )
    taking_part = {uid for key in keys for uid in cells[key]}
    ordered = [s for s in list_systems(store) if s.uid in taking_part]
    return _Question(
        metric=measure,
        metrics=tuple(known[uid] for uid, n in n_datasets.most_common() if n >= 2),
        keys=keys,
        labels=[labels[dataset] for dataset, _ in keys],
        systems=[s.uid for s in ordered],
        names=[s.name for s in ordered],
        present={key: cells[key] for key in keys},
    )


def _gather(
    store: Store, question: _Question, settings: TestSettings, progress: Progress | None
) -> _Evidence:
    n, place = len(question.systems), {uid: i for i, uid in enumerate(question.systems)}
    pvalue = np.full((len(question.keys), n, n), np.nan)
    reason = np.zeros(pvalue.shape, dtype=np.int8)
    tails = np.full((len(question.keys), N_TAILS, n, n), np.nan)
    total, counted = np.zeros((n, n)), np.zeros((n, n))
    warnings = []
    parts = [
        (key, [uid for uid in question.systems if uid in question.present[key]])
        for key in question.keys
    ]
    tested = each_in_store(store, partial(_test_cell, settings=settings), parts, progress)
    for done, ((_, here), found) in enumerate(zip(parts, tested, strict=True)):
        if isinstance(found, str):
            warnings.append(f"{question.labels[done]} is not testable and not counted: {found}")
            continue
        at = np.ix_([place[uid] for uid in here], [place[uid] for uid in here])
        pvalue[done][at], reason[done][at] = found.pvalue, found.reason
        tails[done][:, *at] = found.tails
        known = np.isfinite(found.difference)
        total[at] += np.where(known, found.difference, 0.0)
        counted[at] += known
    if warnings and len(warnings) == len(question.keys):
        raise StoreError(warnings[0])
    allowed = allow_for_others(
        [ToCount(*one) for one in zip(pvalue, reason, tails, strict=True)], directed=True
    )
    with np.errstate(invalid="ignore"):
        return _Evidence(
            np.stack([one.pvalue for one in allowed]),
            np.stack([one.reason for one in allowed]),
            total / counted,
            warnings,
        )


def _test_cell(
    store: Store, part: tuple[CellKey, list[str]], *, settings: TestSettings
) -> DirectedPairs | str:
    """Return the p-values of some systems on a cell, or why there are none."""
    try:
        return directed_pairs(store, *part, settings)
    except ValueError as problem:
        return in_public_words(str(problem))


def _testable(keys: Sequence[CellKey], pvalue: FloatArray) -> list[CellKey]:
    return [key for key, p in zip(keys, pvalue, strict=True) if not np.isnan(p).all()]


def _depend(pvalue: FloatArray, keys: Sequence[CellKey], relations: DatasetRelations) -> BoolArray:
    """Return which pairs are tested on two datasets that overlap, or may for all that is known."""
    place = {dataset: i for i, (dataset, _) in enumerate(keys)}
    testable = ~np.isnan(pvalue)
    depend = np.zeros(pvalue.shape[1:], dtype=bool)
    dependent = [(o.dataset_a_uid, o.dataset_b_uid) for o in relations.overlaps]
    dependent += [(u.dataset_a_uid, u.dataset_b_uid) for u in relations.unknown]
    for a, b in dependent:
        first, second = place[a], place[b]
        depend |= testable[first] & testable[second]
    return depend


def _settle(
    counts: Mapping[str, IntArray],
    estimator: EstimatorChoice,
    dependent: bool | None,
    depend: BoolArray,
) -> tuple[IntArray, list[list[str]]]:
    """Return the count of every pair by its estimator, and the estimators' names."""
    if estimator != "auto":
        return counts[estimator], [[estimator] * len(depend)] * len(depend)
    if dependent is not None:
        depend = np.full(depend.shape, dependent)
    names = [["bonferroni" if yes else "fisher" for yes in row] for row in depend]
    return np.where(depend, counts["bonferroni"], counts["fisher"]), names


def _order(k: IntArray, names: Sequence[str]) -> list[int]:
    lead = k.sum(axis=1) - k.sum(axis=0)
    return sorted(range(len(names)), key=lambda i: (-lead[i], names[i].casefold()))
