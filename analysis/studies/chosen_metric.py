"""Which metric of a dataset a question is about."""

from __future__ import annotations

from analysis.studies.study import listed
from store.engine import Store
from store.errors import NotFoundError
from store.metrics import get_metric, list_metrics
from store.records import DatasetRecord, MetricRecord


def choose_metric(
    store: Store, dataset: DatasetRecord, metric: str | None
) -> tuple[MetricRecord, list[MetricRecord]]:
    """Return the metric asked for, or the most used, and all that the dataset has scores on.

    Raises
    ------
    NotFoundError
        There is no such metric, or the dataset has no scores on it, or none at all.
    """
    available = list_metrics(store, dataset_uid=dataset.uid)
    if not available:
        raise NotFoundError(f"The store has no scores on '{dataset.label}' yet.")
    measure = available[0] if metric is None else get_metric(store, metric)
    if measure.uid not in {m.uid for m in available}:
        raise NotFoundError(
            f"The store has no scores on '{dataset.label}' for the metric '{measure.label}'. "
            f"It has {listed([m.label for m in available])}."
        )
    return measure, available
