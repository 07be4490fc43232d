"""On how many datasets, and on which, is system A better than system B?

Dror, Baumer, Bogomolov and Reichart 2017, for p-values that a paper states and for runs with item
scores; without direction as the paper does it, and with direction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from analysis.statistics import Replicability, analyse_replicability
from analysis.statistics.signature import build_signature
from analysis.studies.evidence import (
    DatasetEvidence,
    PairEvidence,
    TestName,
    gather_reported,
    gather_tested,
)
from analysis.studies.study import Study, count, listed
from store.datasets import get_dataset, list_overlaps
from store.engine import Store
from store.errors import NotFoundError, StoreError
from store.metrics import get_metric
from store.records import MetricRecord, NoteRecord, OverlapRecord
from store.systems import get_system
from store.tags import list_notes

Estimator = Literal["fisher", "bonferroni"]

ESTIMATOR_NAMES: Mapping[str, str] = {"fisher": "Fisher", "bonferroni": "Bonferroni"}


@dataclass(frozen=True, slots=True, eq=False)
class Recommendation:
    """Which estimator is valid for these datasets, what it says, and why this one."""

    estimator: Estimator
    k: int
    """The count without direction."""
    k_a_over_b: int
    k_b_over_a: int
    because: str


@dataclass(frozen=True, slots=True, eq=False)
class ReplicabilityStudy(Study):
    """Systems A and B across datasets."""

    system_a: str
    system_b: str
    system_a_uid: str
    system_b_uid: str
    metric: MetricRecord
    basis: Literal["reported", "items"]
    alpha: float
    datasets: tuple[DatasetEvidence, ...]
    undirected: Replicability
    a_over_b: Replicability
    b_over_a: Replicability
    recommended: Recommendation
    overlaps: tuple[OverlapRecord, ...]
    notes: tuple[NoteRecord, ...]
    """Notes on either system."""

    def identified(self, result: Replicability, method: str) -> list[str]:
        """Return the names of the datasets that `method` identifies in one direction."""
        chosen = result.identified[method]
        return [e.dataset for e, yes in zip(self.datasets, chosen, strict=True) if yes]

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON-safe values; identified datasets by name."""
        # Not super(): a dataclass with slots is a new class, which the bare form does not know.
        plain = Study.to_dict(self)
        for name, result in (
            ("undirected", self.undirected),
            ("a_over_b", self.a_over_b),
            ("b_over_a", self.b_over_a),
        ):
            plain[name]["identified"] = {
                method: self.identified(result, method) for method in result.identified
            }
        return plain


def study_replicability(
    store: Store,
    a: str,
    b: str,
    *,
    metric: str | None = None,
    datasets: Sequence[str] | None = None,
    alpha: float = 0.05,
    reported: bool = False,
    test: TestName = "auto",
    dependent: bool | None = None,
    n_resamples: int = 9_999,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> ReplicabilityStudy:
    """Compare two systems across all datasets they share.

    Parameters
    ----------
    store
        Where from.
    a, b, metric, datasets
        Uids or names; by default the metric with most datasets, and all of them.
    alpha
        Bound on the probability of claiming too many datasets, in (0, 1).
    reported
        Use the p-values that files and papers state instead of testing item scores.
    test, n_resamples, seed
        How item scores are tested.
    dependent
        Treat the datasets as dependent or as independent; by default the overlaps that the store
        knows decide.
    progress
        Called with (datasets done, datasets in all).

    Raises
    ------
    NotFoundError
        Unknown names, or nothing to compare the two on.
    StoreError
        Both are the same system, or `alpha` is no probability.
    """
    if not 0 < alpha < 1:
        raise StoreError(f"`alpha` must lie between 0 and 1, got {alpha:g}.")
    if n_resamples < 1:
        raise StoreError(f"`n_resamples` must be at least 1, got {n_resamples}.")
    if seed < 0:
        raise StoreError(f"`seed` must not be negative, got {seed}.")
    system_a, system_b = get_system(store, a), get_system(store, b)
    if system_a.uid == system_b.uid:
        raise StoreError(f"'{a}' and '{b}' are the same system: name two.")
    measure = None if metric is None else get_metric(store, metric)
    chosen = None if datasets is None else [get_dataset(store, d).uid for d in datasets]
    if reported:
        evidence = gather_reported(store, system_a, system_b, metric=measure, datasets=chosen)
    else:
        evidence = gather_tested(
            store,
            system_a,
            system_b,
            metric=measure,
            datasets=chosen,
            test=test,
            n_resamples=n_resamples,
            seed=seed,
            progress=progress,
        )
    if not evidence.datasets:
        raise NotFoundError(
            f"'{system_a.name}' and '{system_b.name}' share none of the chosen datasets."
        )
    results = [
        analyse_replicability([getattr(e, field) for e in evidence.datasets], alpha=alpha)
        for field in ("pvalue", "pvalue_a_over_b", "pvalue_b_over_a")
    ]
    overlaps = list_overlaps(store, [e.dataset_uid for e in evidence.datasets])
    recommended = _recommend(results, overlaps, len(evidence.datasets), dependent)
    settings: dict[str, str | int | float] = {
        "a": system_a.name,
        "b": system_b.name,
        "metric": evidence.metric.label,
        "datasets": len(evidence.datasets),
        "basis": "reported" if reported else f"items:{test}",
        "alpha": alpha,
        "estimator": recommended.estimator,
    }
    if not reported:
        settings |= {"n_resamples": n_resamples, "seed": seed}
    return ReplicabilityStudy(
        sentence=_sentence(
            system_a.name, system_b.name, evidence.metric.label, results[0], recommended, alpha
        ),
        signature=build_signature("replicability", **settings, store=store.revision()),
        warnings=(*_warnings(evidence, results, system_a.name, system_b.name),),
        store_revision=store.revision(),
        system_a=system_a.name,
        system_b=system_b.name,
        system_a_uid=system_a.uid,
        system_b_uid=system_b.uid,
        metric=evidence.metric,
        basis="reported" if reported else "items",
        alpha=alpha,
        datasets=evidence.datasets,
        undirected=results[0],
        a_over_b=results[1],
        b_over_a=results[2],
        recommended=recommended,
        overlaps=tuple(overlaps),
        notes=(
            *list_notes(store, "system", system_a.uid),
            *list_notes(store, "system", system_b.uid),
        ),
    )


def _recommend(
    results: list[Replicability],
    overlaps: list[OverlapRecord],
    n_datasets: int,
    dependent: bool | None,
) -> Recommendation:
    """Dror et al. 2017, section 4.3: Fisher when independence may be assumed, else Bonferroni."""
    if dependent is not None:
        estimator: Estimator = "bonferroni" if dependent else "fisher"
        because = "The datasets were declared " + (
            "dependent for this analysis; Bonferroni is valid under any dependence."
            if dependent
            else "independent for this analysis, as Fisher assumes."
        )
        if overlaps and not dependent:
            because += f" The store disagrees: {_describe(overlaps)}."
    elif overlaps:
        estimator = "bonferroni"
        because = (
            f"The datasets are not independent: {_describe(overlaps)}. "
            "Bonferroni is valid under any dependence; Fisher would promise too much."
        )
    else:
        estimator = "fisher"
        because = (
            f"No overlap among the {count(n_datasets, 'dataset')} is declared or found in their "
            "items, so that Fisher may be used, which assumes independence."
        )
    k = [r.k_fisher if estimator == "fisher" else r.k_bonferroni for r in results]
    return Recommendation(estimator, k[0], k[1], k[2], because)


def _describe(overlaps: list[OverlapRecord]) -> str:
    verbs = {"shared-items": "share items", "contains": "overlap (one contains the other)"}
    verbs["transform"] = "hold the same items in another form"
    first = overlaps[0]
    text = f"{first.dataset_a} and {first.dataset_b} {verbs[first.kind]}"
    more = len(overlaps) - 1
    verb = "does" if more == 1 else "do"
    return text + (f", and so {verb} {count(more, 'other pair')}" if more else "")


def _sentence(
    a: str,
    b: str,
    metric: str,
    undirected: Replicability,
    recommended: Recommendation,
    alpha: float,
) -> str:
    n = undirected.n_datasets
    if not n:
        return f"Nothing can be said about {a} and {b}: not testable on any dataset."
    of_all = f"of {count(n, 'dataset')}"
    how = f"{metric}; {ESTIMATOR_NAMES[recommended.estimator]}, {1 - alpha:.4g} confidence"
    at_alpha = f"{metric}; {ESTIMATOR_NAMES[recommended.estimator]}, α = {alpha:g}"
    k_a, k_b = recommended.k_a_over_b, recommended.k_b_over_a
    if not k_a and not k_b:
        return (
            f"{a} and {b} cannot be told apart with direction on any {of_all} ({at_alpha}); "
            f"without direction they differ on at least {recommended.k}."
            if recommended.k
            else f"{a} and {b} cannot be told apart on any {of_all} ({at_alpha})."
        )
    parts = []
    if k_a:
        parts.append(f"{a} is better than {b} on at least {k_a} {of_all}")
    if k_b:
        parts.append(f"{b} is better than {a} on at least {k_b}" + ("" if parts else f" {of_all}"))
    return f"{', and '.join(parts)} ({how})."


def _warnings(evidence: PairEvidence, results: list[Replicability], a: str, b: str) -> list[str]:
    warnings = list(evidence.warnings)
    holm = results[0].identified["holm"]
    named = [e for e, yes in zip(evidence.datasets, holm, strict=True) if yes]
    sides = {e.favours for e in named if e.favours}
    if sides == {a, b}:
        better = {s: listed([e.dataset for e in named if e.favours == s]) for s in (a, b)}
        warnings.append(
            "Without direction Holm names datasets of both kinds: "
            f"{a} scores better on {better[a]}; {b} on {better[b]}."
        )
    untestable = [e for e in evidence.datasets if e.not_testable]
    for e in untestable:
        warnings.append(f"{e.dataset} is not testable and not counted: {e.not_testable}")
    partial = [e for e in evidence.datasets if e.n_missing]
    if partial:
        warnings.append(
            f"On {listed([e.dataset for e in partial])} only items with a score from both count."
        )
    return warnings
