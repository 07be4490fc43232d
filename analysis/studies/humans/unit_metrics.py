"""What metrics say of the units that annotators judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.studies.humans.judged_units import JudgedUnits
from analysis.studies.reading import read_matrix
from analysis.studies.study import listed
from store import vectors
from store.engine import Store
from store.errors import NotFoundError
from store.metrics import get_metric, list_metrics
from store.records import MetricRecord
from store.spelling import called

MetricTies = Literal["half", "drop", "first", "second"]

METRIC_TIES: tuple[MetricTies, ...] = ("half", "drop", "first", "second")


def choose_metrics(
    store: Store, units: JudgedUnits, metrics: Sequence[str] | None
) -> list[MetricRecord]:
    """Return the metrics of those names; by default all that no annotator made, by label.

    Raises
    ------
    NotFoundError
        A name is unknown, or has no scores on the dataset.
    """
    used = list_metrics(store, dataset_uid=units.criterion.dataset_uid)
    if metrics is None:
        automatic = [metric for metric in used if metric.source == "automatic"]
        return sorted(automatic, key=lambda metric: metric.label.casefold())
    chosen = []
    for name in metrics:
        here = called(name, used)
        chosen.append(here[0] if len(here) == 1 else get_metric(store, name))
    there = {metric.uid for metric in used}
    missing = [metric.label for metric in chosen if metric.uid not in there]
    if missing:
        raise NotFoundError(
            f"The store has no scores on '{units.criterion.dataset}' for {listed(missing)}."
        )
    return list({metric.uid: metric for metric in chosen}.values())


def item_scores(store: Store, units: JudgedUnits, metric: MetricRecord) -> FloatArray:
    """Return a metric's values, shape (n_systems, n_items), higher is better, NaN = none."""
    matrix = read_matrix(store, units.criterion.dataset_uid, metric.uid)
    values = np.full((len(units.systems), len(units.item_keys)), np.nan)
    for row, uid in enumerate(units.system_uids):
        if uid in matrix.system_uids:
            scores = matrix.scores[matrix.system_uids.index(uid)]
            values[row] = vectors.item_values(scores, metric.aggregation)
    return metric.sign * values


def metric_choices(scores: FloatArray, units: JudgedUnits, ties: MetricTies) -> FloatArray:
    """Return which output of each unit a metric prefers: 1, -1, 0 where it scores both alike.

    Parameters
    ----------
    scores
        Shape (n_systems, n_items).
    units
        Choices.
    ties
        "half" leaves 0, "drop" makes it NaN, "first" and "second" make it a preference for the
        first or second system of the pair, by name.
    """
    chosen = np.sign(scores[units.first, units.item] - scores[units.second, units.item])
    if ties != "half":
        chosen[chosen == 0] = {"drop": np.nan, "first": 1.0, "second": -1.0}[ties]
    return np.asarray(chosen)
