"""What no importer may build. These are mistakes in our own code, hence `ValueError`."""

from __future__ import annotations

import math

import numpy as np

from store.importers.bundle import COMPONENTS, BundleRun, ImportBundle


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
