"""Several bundles of one format as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from store.importers.bundle import BundleMetric, ImportBundle


def joined(bundles: Sequence[ImportBundle]) -> ImportBundle:
    """Return the datasets, metrics and runs of several bundles in one, and all that they tell."""
    metrics: dict[BundleMetric, int] = {}
    runs = []
    for number, bundle in enumerate(bundles):
        places = [metrics.setdefault(metric, len(metrics)) for metric in bundle.metrics]
        for run in bundle.runs:
            scores = [replace(one, metric=places[one.metric]) for one in run.scores]
            runs.append(replace(run, dataset=number, scores=scores))
    return replace(
        bundles[0],
        files=list(dict.fromkeys(file for one in bundles for file in one.files)),
        datasets=[one.datasets[0] for one in bundles],
        metrics=list(metrics),
        runs=runs,
        aliases={name: other for one in bundles for name, other in one.aliases.items()},
        skipped=[row for one in bundles for row in one.skipped],
        understood=list(dict.fromkeys(text for one in bundles for text in one.understood)),
        warnings=list(dict.fromkeys(text for one in bundles for text in one.warnings)),
        guesses=list(dict.fromkeys(guess for one in bundles for guess in one.guesses)),
        left_out=[each for one in bundles for each in one.left_out],
    )
