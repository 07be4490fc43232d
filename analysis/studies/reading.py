"""Item scores as studies take them from a store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.precision import comparable
from store import vectors
from store.arrays import load_matrix, load_runs
from store.engine import Store
from store.kept_settings import AS_SOURCE
from store.records import MetricRecord, RunRecord, ScoreMatrix
from store.runs import list_runs
from store.settings import dataset_settings, settings_of_dataset


def read_matrix(
    store: Store, dataset: str, metric: str, *, systems: Sequence[str] | None = None
) -> ScoreMatrix:
    """Return what `store.arrays.load_matrix` does, with equal scores for what is equal on paper."""
    matrix = load_matrix(store, dataset, metric, systems=systems)
    return replace(matrix, scores=comparable(matrix.scores))


def failures_count(store: Store, dataset_uid: str) -> str:
    """Return what failures on a dataset count as: see `store.kept_settings.FAILURES`."""
    if store.failures is not None:
        return store.failures
    return settings_of_dataset(store, dataset_uid).get("failures", AS_SOURCE)


def state_of(store: Store, dataset_uid: str | None = None) -> dict[str, str | int]:
    """Return what a signature says of the store: its revision, and how failures count in it."""
    return {**failures_told(store, dataset_uid), "store": store.revision()}


def failures_told(store: Store, dataset_uid: str | None = None) -> dict[str, str]:
    """Return what a signature says of how failures count; nothing where as the source does.

    As it was asked for, else on one dataset, or on each that has a setting of its own.
    """
    if store.failures is not None:
        return {"failures": store.failures}
    own = dataset_settings(store)
    told = {uid: one["failures"] for uid, one in own.items() if "failures" in one}
    if dataset_uid is not None:
        told = {uid: how for uid, how in told.items() if uid == dataset_uid}
        failures = " ".join(told.values())
    else:
        failures = " ".join(f"{uid} {how}" for uid, how in sorted(told.items()))
    return {"failures": failures} if told else {}


def read_runs(store: Store, dataset_uid: str, metric: MetricRecord) -> list[RunRecord]:
    """Return the runs on a dataset; what they say of a metric is as failures count."""
    runs = list_runs(store, dataset_uid=dataset_uid)
    if failures_count(store, dataset_uid) == AS_SOURCE:
        return runs
    read = load_runs(store, dataset_uid, metric.uid)
    return [_as_read(run, metric, list(read.get(run.uid, ()))) for run in runs]


def _as_read(run: RunRecord, metric: MetricRecord, trials: Sequence[FloatArray]) -> RunRecord:
    own = [vector for vector in run.vectors if vector.metric_uid == metric.uid]
    if len(own) != len(trials):  # one is damaged
        return run
    others = [vector for vector in run.vectors if vector.metric_uid != metric.uid]
    for vector, values in zip(own, trials, strict=True):
        value = vectors.aggregate(values, metric.aggregation)
        n_scored = int(vectors.scored(values).sum())
        others.append(replace(vector, n_scored=n_scored, value=None if np.isnan(value) else value))
    return replace(run, vectors=tuple(others))
