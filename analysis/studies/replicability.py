"""On how many datasets, and on which, is system A better than system B?

Dror, Baumer, Bogomolov and Reichart 2017, for p-values that a paper states and for runs with item
scores; without direction as the paper does it, and with direction; on one metric or several.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from analysis.choices import DRAWS, MARGIN, Clusters, Level, Seed
from analysis.report import Report
from analysis.setting import Setting
from analysis.statistics.across.joint.replicability import JointReplicability
from analysis.statistics.across.replicability import Replicability, analyse_replicability
from analysis.statistics.signature import build_signature
from analysis.studies.checked_numbers import check_numbers, check_positive
from analysis.studies.coverage import failure_notes
from analysis.studies.dependence import (
    Dependent,
    Estimating,
    check_choice,
    choose_estimator,
)
from analysis.studies.directed_pairs import TestSettings
from analysis.studies.evidence import PairEvidence
from analysis.studies.families import FamilyChoice, count_family, split
from analysis.studies.joint_evidence import count_jointly
from analysis.studies.new_datasets import NewDatasets, compare_on_new_datasets, sample_of
from analysis.studies.new_datasets_words import new_datasets_notes
from analysis.studies.reading import state_of
from analysis.studies.replicability_report import replicability_report
from analysis.studies.replicability_result import Recommendation, ReplicabilityResult
from analysis.studies.replicability_words import sentence, warn
from analysis.studies.reported_evidence import gather_reported
from analysis.studies.seed_order import order_by_seeds
from analysis.studies.test_names import TEST, PairsTestName
from analysis.studies.tested_evidence import gather_tested
from store.datasets import DatasetRelations, get_dataset, relate_datasets
from store.engine import Store
from store.errors import NotFoundError, StoreError
from store.records import NoteRecord
from store.systems import get_system
from store.tags import list_notes


@dataclass(frozen=True, slots=True)
class ReplicabilitySettings:
    """Everything about two systems across datasets that a person can choose."""

    metric: str | tuple[str, ...] | None = None
    """Uid or name, several of them, or "all"; by default the one on most datasets."""
    datasets: tuple[str, ...] | None = None
    alpha: Level = 0.05
    reported: Annotated[
        bool,
        Setting(
            "Use the p-values that papers and files state.",
            label="p-values",
            words={"no": "tested here", "yes": "as reported"},
            formerly="basis",
            main=True,
        ),
    ] = False
    estimator: Estimating = "auto"
    dependent: Dependent = None
    family: FamilyChoice = "together"
    margin: Annotated[
        float | None, MARGIN.but("Differences below this do not matter on a new dataset.")
    ] = None
    test: Annotated[PairsTestName, TEST.but("How item scores are tested.", main=False)] = "auto"
    n_resamples: Annotated[int, DRAWS.but("Random sign flips per test.")] = 9_999
    seed: Seed = 0
    clusters: Clusters = None

    @property
    def tests(self) -> TestSettings:
        """How item scores are tested."""
        return TestSettings(self.test, self.n_resamples, self.seed, self.clusters)


@dataclass(frozen=True, slots=True, eq=False)
class ReplicabilityStudy(ReplicabilityResult):
    """Systems A and B across datasets, with what to write down about them."""

    def report(self) -> Report:
        """Return what to write down: counts, datasets, what to expect on another one."""
        return replicability_report(self)


def study_replicability(
    store: Store,
    a: str,
    b: str,
    settings: ReplicabilitySettings = ReplicabilitySettings(),
    *,
    progress: Callable[[int, int], None] | None = None,
) -> ReplicabilityStudy:
    """Compare two systems across all datasets they share.

    Parameters
    ----------
    store
        Where from.
    a, b
        Uids or names.
    settings
        Metric, datasets, α, estimator, how item scores are tested.
    progress
        Called with (datasets done, datasets in all).

    Raises
    ------
    NotFoundError
        Unknown names, or nothing to compare the two on.
    StoreError
        Both are the same system, or the settings do not go together.
    """
    _check(settings)
    system_a, system_b = get_system(store, a), get_system(store, b)
    if system_a.uid == system_b.uid:
        raise StoreError(f"'{a}' and '{b}' are the same system: name two.")
    named = settings.datasets
    chosen = None if named is None else [get_dataset(store, d).uid for d in named]
    if settings.reported:
        evidence = gather_reported(
            store, system_a, system_b, metric=settings.metric, datasets=chosen
        )
    else:
        evidence = gather_tested(
            store,
            system_a,
            system_b,
            metric=settings.metric,
            datasets=chosen,
            settings=settings.tests,
            alpha=settings.alpha,
            progress=progress,
        )
    if not evidence.datasets:
        raise NotFoundError(
            f"'{system_a.name}' and '{system_b.name}' share none of the chosen datasets."
        )
    notes = (
        *list_notes(store, "system", system_a.uid),
        *list_notes(store, "system", system_b.uid),
    )
    names = (system_a.name, system_b.name)
    uids = (system_a.uid, system_b.uid)
    return _study(store, names, uids, evidence, settings, notes)


def _check(settings: ReplicabilitySettings) -> None:
    check_numbers(alpha=settings.alpha, n_resamples=settings.n_resamples, seed=settings.seed)
    check_positive("margin", settings.margin)
    check_choice(settings.estimator, settings.dependent, reported=settings.reported)


def _study(
    store: Store,
    names: tuple[str, str],
    uids: tuple[str, str],
    evidence: PairEvidence,
    settings: ReplicabilitySettings,
    notes: tuple[NoteRecord, ...],
) -> ReplicabilityStudy:
    results = tuple(
        analyse_replicability([getattr(e, field) for e in evidence.datasets], alpha=settings.alpha)
        for field in ("pvalue", "pvalue_a_over_b", "pvalue_b_over_a")
    )
    relations = relate_datasets(
        store, list(dict.fromkeys(e.dataset_uid for e in evidence.datasets))
    )
    joint, told = count_jointly(
        store,
        evidence,
        relations.overlaps,
        settings.tests,
        alpha=settings.alpha,
        asked_for=settings.estimator == "joint",
    )
    recommended = _recommend(evidence, results, joint, relations, settings)
    new_datasets, left = _on_new_datasets(store, evidence, relations, settings)
    return ReplicabilityStudy(
        sentence=sentence(names, evidence, results, recommended, settings.alpha),
        signature=_signature(store, names, evidence, recommended, settings),
        warnings=(
            *warn(evidence, results, names),
            *failure_notes(
                store,
                {cell.key: cell.matrix.dataset.label for cell in evidence.cells},
                dict(zip(uids, names, strict=True)),
            ),
            *told,
            *left,
        ),
        store_revision=store.revision(),
        system_a=names[0],
        system_b=names[1],
        system_a_uid=uids[0],
        system_b_uid=uids[1],
        metric=evidence.metrics[0],
        metrics=evidence.metrics,
        basis="reported" if settings.reported else "items",
        alpha=settings.alpha,
        datasets=evidence.datasets,
        missing=evidence.missing,
        undirected=results[0],
        a_over_b=results[1],
        b_over_a=results[2],
        joint=joint,
        recommended=recommended,
        family=settings.family,
        families=tuple(
            count_family(
                name,
                positions,
                evidence.datasets,
                relations,
                alpha=settings.alpha,
                estimator=settings.estimator,
                dependent=settings.dependent,
            )
            for name, positions in split(evidence.datasets, settings.family).items()
        ),
        new_datasets=new_datasets,
        seeds=order_by_seeds(store, uids, evidence, alpha=settings.alpha, seed=settings.seed),
        overlaps=tuple(relations.overlaps),
        n_unknown_pairs=len(relations.unknown),
        notes=notes,
    )


def _on_new_datasets(
    store: Store,
    evidence: PairEvidence,
    relations: DatasetRelations,
    settings: ReplicabilitySettings,
) -> tuple[NewDatasets | None, list[str]]:
    """Return what is to be expected on a new dataset, and which datasets that is based on."""
    if len(evidence.metrics) > 1 or len(evidence.datasets) < 2:
        return None, []
    scores, sample = sample_of(store, evidence, relations, settings.dependent)
    found = compare_on_new_datasets(
        evidence,
        scores,
        sample,
        tests=settings.tests,
        alpha=settings.alpha,
        margin=settings.margin,
        seed=settings.seed,
    )
    return found, new_datasets_notes(sample)


def _recommend(
    evidence: PairEvidence,
    results: tuple[Replicability, ...],
    joint: JointReplicability | None,
    relations: DatasetRelations,
    settings: ReplicabilitySettings,
) -> Recommendation:
    n_datasets = len({e.dataset_uid for e in evidence.datasets})
    choice = choose_estimator(
        relations.overlaps,
        relations.unknown,
        n_datasets,
        estimator=settings.estimator,
        dependent=settings.dependent,
        several_metrics=n_datasets < len(evidence.datasets),
    )
    if choice.estimator == "joint":
        assert joint is not None  # refused before for reported figures
        n_counted = joint.n_cells
        k = [d.k for d in (joint.undirected, joint.a_over_b, joint.b_over_a)]
    else:
        n_counted = results[0].n_datasets
        k = [getattr(r, f"k_{choice.estimator}") for r in results]
    return Recommendation(
        estimator=choice.estimator,
        asked_for=settings.estimator != "auto" or settings.dependent is not None,
        n_datasets=n_counted,
        k=k[0],
        k_a_over_b=k[1],
        k_b_over_a=k[2],
        known=choice.known,
        because=choice.because,
        doubt=choice.doubt,
    )


def _signature(
    store: Store,
    names: tuple[str, str],
    evidence: PairEvidence,
    recommended: Recommendation,
    settings: ReplicabilitySettings,
) -> str:
    told: dict[str, str | int | float] = {
        "a": names[0],
        "b": names[1],
        "metric": " ".join(m.label for m in evidence.metrics),
        "datasets": "all" if settings.datasets is None else " ".join(settings.datasets),
        "basis": "reported" if settings.reported else f"items:{settings.test}",
        "alpha": settings.alpha,
        "estimator": recommended.estimator,
    }
    if settings.family != "together":
        told["family"] = settings.family
    if settings.margin is not None:
        told["margin"] = settings.margin
    if not settings.reported:
        told |= {"n_resamples": settings.n_resamples, "seed": settings.seed}
    return build_signature("replicability", **told, **state_of(store))
