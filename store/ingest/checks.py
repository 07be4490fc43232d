"""What no importer may build. These are mistakes in our own code, hence `ValueError`."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np

from store.importers.bundle import COMPONENTS, BundleRun, Choice, ImportBundle


def require_well_built(bundle: ImportBundle) -> None:
    """Raise ``ValueError`` when the parts of a bundle do not fit together."""
    for run in bundle.runs:
        complaint = _wrong_with_scores(bundle, run) or _wrong_with_statuses(bundle, run)
        if complaint:
            raise ValueError(f"importer '{bundle.format}' {complaint}")
    for score in bundle.reported_scores:
        if not math.isfinite(score.value):
            raise ValueError(
                f"importer '{bundle.format}' built a reported score of '{score.system}' that is "
                f"not finite: {score.value}"
            )
    for comparison in bundle.reported_comparisons:
        if not 0 <= comparison.pvalue <= 1:
            raise ValueError(
                f"importer '{bundle.format}' built a p-value that is none: {comparison.pvalue}"
            )
    complaint = _wrong_with_criteria(bundle) or _wrong_with_judgments(bundle)
    if complaint:
        raise ValueError(f"importer '{bundle.format}' {complaint}")


def _wrong_with_criteria(bundle: ImportBundle) -> str:
    seen = set()
    for criterion in bundle.criteria:
        identity = (criterion.dataset, criterion.name)
        if identity in seen:
            return f"built the criterion '{criterion.name}' twice"
        seen.add(identity)
        if (criterion.kind == "error-spans") != (criterion.weights is not None):
            return f"built '{criterion.name}' ({criterion.kind}) with wrong weights"
        if criterion.level == "nominal" and not criterion.labels:
            return f"built the nominal criterion '{criterion.name}' without labels"
        if len(set(criterion.labels)) < len(criterion.labels):
            return f"built the criterion '{criterion.name}' with a label twice"
    return ""


def _wrong_with_judgments(bundle: ImportBundle) -> str:
    kinds = [criterion.kind for criterion in bundle.criteria]
    for rating in bundle.ratings:
        if kinds[rating.criterion] == "preference":
            return f"built a rating for '{bundle.criteria[rating.criterion].name}', a preference"
        if math.isinf(rating.value):
            return "let an infinite rating through"
    for preference in bundle.preferences:
        if kinds[preference.criterion] != "preference":
            name = bundle.criteria[preference.criterion].name
            return f"built a preference for '{name}', which has ratings"
        if preference.choice not in get_args(Choice):
            return f"built a choice that is none: {preference.choice!r}"
    return ""


def _wrong_with_scores(bundle: ImportBundle, run: BundleRun) -> str:
    n_items = len(bundle.datasets[run.dataset].items)
    seen = set()
    for scores in run.scores:
        metric = bundle.metrics[scores.metric]
        expected = (n_items, len(COMPONENTS[metric.aggregation]))
        if scores.values.shape != expected:
            return f"built a vector of shape {scores.values.shape}, expected {expected}"
        if np.isinf(scores.values).any():
            return "let an infinite score through"
        identity = (metric.name, metric.signature, scores.trial)
        if identity in seen:
            return f"built two vectors for the metric '{metric.name}' in trial {scores.trial}"
        seen.add(identity)
    return ""


def _wrong_with_statuses(bundle: ImportBundle, run: BundleRun) -> str:
    n_items = len(bundle.datasets[run.dataset].items)
    for status in run.statuses.values():
        if status.shape != (n_items,):
            return f"built {len(status)} statuses for {n_items} items"
    return ""
