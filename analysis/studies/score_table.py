"""Systems by datasets: what every system scored on every dataset, from items or as reported."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from analysis.statistics.across.resampled_datasets import DatasetScores
from analysis.statistics.item_groups import as_group_codes
from analysis.studies.cells import CellKey, choose_metrics, load_cell, scored_cells
from store.datasets import get_dataset, list_datasets
from store.engine import Store
from store.errors import NotFoundError
from store.metrics import list_metrics
from store.records import MetricRecord
from store.reported import list_reported_scores
from store.systems import get_system, list_systems

Basis = Literal["items", "reported"]


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """The scores of systems on datasets for one metric."""

    metric: MetricRecord
    metrics: tuple[str, ...]
    """Labels of the metrics with scores on at least two datasets, the most used first."""
    basis: Basis
    systems: tuple[str, ...]
    system_uids: tuple[str, ...]
    datasets: tuple[str, ...]
    dataset_uids: tuple[str, ...]
    scores: tuple[DatasetScores, ...]
    """One per dataset, all with the same systems."""


def load_score_table(
    store: Store,
    *,
    metric: str | None = None,
    datasets: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    reported: bool | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ScoreTable:
    """Return the scores of systems on all datasets where at least two of them have one.

    Parameters
    ----------
    store
        Where from.
    metric, datasets, systems
        Uids or names; by default the metric with most datasets, and all there is on it.
    reported
        Whether figures that files and papers state are used, or item scores; by default item
        scores where two datasets have any.
    progress
        Called with (datasets done, datasets in all).

    Raises
    ------
    NotFoundError
        A name is unknown, or fewer than two datasets have scores of two systems.
    """
    wanted = None if systems is None else {get_system(store, name).uid for name in systems}
    inside = None if datasets is None else {get_dataset(store, name).uid for name in datasets}

    def restrict(found: Mapping[CellKey, Mapping[str, float | None]]) -> _Cells:
        kept = {
            key: {uid: v for uid, v in row.items() if wanted is None or uid in wanted}
            for key, row in found.items()
            if inside is None or key[0] in inside
        }
        return {key: row for key, row in kept.items() if len(row) >= 2}

    cells: _Cells = {}
    measure: MetricRecord | None = None
    labels: tuple[str, ...] = ()
    basis: Basis = "items"
    if not reported:
        cells = restrict(scored_cells(store))
        measure, labels = _choose(store, metric, cells)
    if measure is None and reported is not False:
        cells, basis = restrict(_stated(store)), "reported"
        measure, labels = _choose(store, metric, cells)
    if measure is None:
        raise NotFoundError(
            "Fewer than two of the datasets have scores of two systems"
            + (f" for '{metric}'" if metric else "")
            + {True: " that are reported.", False: " from items.", None: "."}[reported]
        )
    titles = {d.uid: d.label for d in list_datasets(store)}
    keys = sorted(
        (key for key in cells if key[1] == measure.uid), key=lambda key: titles[key[0]].casefold()
    )
    taking_part = {uid for key in keys for uid in cells[key]}
    ordered = [s for s in list_systems(store) if s.uid in taking_part]
    uids = [s.uid for s in ordered]
    loaded = []
    for done, key in enumerate(keys):
        if progress is not None:
            progress(done, len(keys))
        if basis == "items":
            loaded.append(_from_items(store, key, uids, cells[key]))
        else:
            loaded.append(_from_figures(measure, uids, cells[key]))
    return ScoreTable(
        metric=measure,
        metrics=labels,
        basis=basis,
        systems=tuple(s.name for s in ordered),
        system_uids=tuple(uids),
        datasets=tuple(titles[dataset] for dataset, _ in keys),
        dataset_uids=tuple(dataset for dataset, _ in keys),
        scores=tuple(loaded),
    )


_Cells = dict[CellKey, dict[str, float | None]]


def _choose(
    store: Store, metric: str | None, cells: _Cells
) -> tuple[MetricRecord | None, tuple[str, ...]]:
    """Return the metric of the question, if it is on two datasets, and all that are."""
    counts = Counter(metric_uid for _, metric_uid in cells)
    known = {m.uid: m.label for m in list_metrics(store)}
    labels = tuple(known[uid] for uid, n in counts.most_common() if n >= 2)
    measures = choose_metrics(store, metric, [metric_uid for _, metric_uid in cells])
    if not measures or counts[measures[0].uid] < 2:
        return None, labels
    return measures[0], labels


def _stated(store: Store) -> _Cells:
    """Return what is reported last for each system on each cell."""
    cells: _Cells = defaultdict(dict)
    for record in list_reported_scores(store):
        cells[record.dataset_uid, record.metric_uid][record.system_uid] = record.value
    return dict(cells)


def _from_items(
    store: Store, key: CellKey, systems: Sequence[str], present: Mapping[str, object]
) -> DatasetScores:
    here = [uid for uid in systems if uid in present]
    cell = load_cell(store, key, systems=here)
    matrix = cell.matrix
    scores = np.full((len(systems), *matrix.scores.shape[1:]), np.nan)
    scores[[systems.index(uid) for uid in here]] = matrix.scores
    labels = cell.clusters.groups
    return DatasetScores(
        scores=scores,
        aggregation=matrix.metric.aggregation,
        sign=matrix.metric.sign,
        groups=None if labels is None else as_group_codes(labels, scores.shape[1]),
    )


def _from_figures(
    metric: MetricRecord, systems: Sequence[str], stated: Mapping[str, float | None]
) -> DatasetScores:
    return DatasetScores(
        scores=np.empty((len(systems), 0, 1)),
        aggregation="mean",
        sign=metric.sign,
        point=np.array([stated.get(uid) for uid in systems], dtype=float),
    )
