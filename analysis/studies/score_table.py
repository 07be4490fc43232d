"""Systems by datasets: what every system scored on every dataset, from items or as reported."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from analysis.statistics._typing import BoolArray
from analysis.statistics.across.resampled_datasets import DatasetScores
from analysis.statistics.item_groups import as_group_codes, keep_groups
from analysis.studies.cells import (
    CellKey,
    choose_metrics,
    load_cell,
    refuse_all_metrics,
    scored_cells,
)
from analysis.studies.coverage import failure_notes
from analysis.studies.study import count, listed
from store.datasets import get_dataset, list_datasets
from store.engine import Store
from store.errors import NotFoundError, StoreError
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
    """One per dataset, all with the same systems and, on a dataset, over the same items."""
    counted: tuple[BoolArray, ...]
    """For each dataset which of its items these are; empty where figures are only reported."""
    notes: tuple[str, ...]
    """What was left out, and why."""


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

    Scores over different items are not compared: on each dataset those items count that every
    system with scores there has a score on.

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
    refuse_all_metrics(metric)
    wanted = None if systems is None else {get_system(store, name).uid for name in systems}
    inside = None if datasets is None else {get_dataset(store, name).uid for name in datasets}

    for name, chosen in (("systems", wanted), ("datasets", inside)):
        if chosen is not None and len(chosen) < 2:
            raise StoreError(f"`{name}` must name at least two {name} to rank, or be left out.")

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
            + " A ranking needs two systems on two datasets that share a metric: `tiebreak ls "
            "metrics` and `ls datasets` show what there is."
        )
    titles = {d.uid: d.label for d in list_datasets(store)}
    keys = sorted(
        (key for key in cells if key[1] == measure.uid), key=lambda key: titles[key[0]].casefold()
    )
    taking_part = {uid for key in keys for uid in cells[key]}
    ordered = [s for s in list_systems(store) if s.uid in taking_part]
    uids = [s.uid for s in ordered]
    kept: list[CellKey] = []
    loaded: list[DatasetScores] = []
    counted: list[BoolArray] = []
    notes = [] if metric else other_metrics_of_all(metric, measure, labels)
    for done, key in enumerate(keys):
        if progress is not None:
            progress(done, len(keys))
        if basis == "items":
            scores, common, note = _from_items(store, key, uids, cells[key], titles[key[0]])
            notes += note
        else:
            scores, common = _from_figures(measure, uids, cells[key]), np.zeros(0, dtype=np.bool_)
        if scores is not None:
            kept.append(key)
            loaded.append(scores)
            counted.append(common)
    if len(kept) < 2:
        raise NotFoundError(
            f"Fewer than two datasets can be compared for '{measure.label}'. {' '.join(notes)}"
        )
    notes += (
        [
            *_only_reported(store, measure, uids, kept, wanted),
            *failure_notes(
                store,
                {key: titles[key[0]] for key in kept},
                {system.uid: system.name for system in ordered},
            ),
        ]
        if basis == "items"
        else _contradictions(store, measure, uids, kept)
    )
    return ScoreTable(
        metric=measure,
        metrics=labels,
        basis=basis,
        systems=tuple(s.name for s in ordered),
        system_uids=tuple(uids),
        datasets=tuple(titles[dataset] for dataset, _ in kept),
        dataset_uids=tuple(dataset for dataset, _ in kept),
        scores=tuple(loaded),
        counted=tuple(counted),
        notes=tuple(notes),
    )


def other_metrics_of_all(
    asked: str | None, chosen: MetricRecord, labels: Sequence[str]
) -> list[str]:
    """Say which metric was chosen, when nobody asked for one and there are others."""
    others = [label for label in labels if label != chosen.label]
    if asked is not None or not others:
        return []
    return [f"Metric: {chosen.label}. There are also scores on {listed(others)}."]


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
    store: Store, key: CellKey, systems: Sequence[str], present: Mapping[str, object], label: str
) -> tuple[DatasetScores | None, BoolArray, list[str]]:
    """Return the scores on the items that all systems have, which these are, and what to know."""
    here = [uid for uid in systems if uid in present]
    cell = load_cell(store, key, systems=here)
    matrix = cell.matrix
    scored = np.asarray(~np.isnan(matrix.scores).any(axis=2))
    common: BoolArray = np.asarray(scored.all(axis=0))
    tried = int(scored.any(axis=0).sum())
    n_common = int(common.sum())
    if not n_common:
        return None, common, [f"{label} is left out: no item has a score of all its systems."]
    note = []
    if n_common < tried:
        n_each = scored.sum(axis=1)
        fewest = [name for name, n in zip(matrix.systems, n_each, strict=True) if n == n_each.min()]
        note.append(
            f"On {label} only the {n_common:,} of {tried:,} items count that all systems have a "
            f"score on; {listed(fewest, most=3)} {'has' if len(fewest) == 1 else 'have'} "
            f"{int(n_each.min()):,}."
        )
    scores = np.full((len(systems), n_common, matrix.scores.shape[2]), np.nan)
    scores[[systems.index(uid) for uid in here]] = matrix.scores[:, common]
    labels = cell.clusters.groups
    groups = None if labels is None else as_group_codes(labels, len(common))
    loaded = DatasetScores(
        scores=scores,
        aggregation=matrix.metric.aggregation,
        sign=matrix.metric.sign,
        groups=None if groups is None else keep_groups(groups, common),
    )
    return loaded, common, note


def _from_figures(
    metric: MetricRecord, systems: Sequence[str], stated: Mapping[str, float | None]
) -> DatasetScores:
    return DatasetScores(
        scores=np.empty((len(systems), 0, 1)),
        aggregation="mean",
        sign=metric.sign,
        point=np.array([stated.get(uid) for uid in systems], dtype=float),
    )


def _only_reported(
    store: Store,
    metric: MetricRecord,
    systems: Sequence[str],
    keys: Sequence[CellKey],
    wanted: set[str] | None,
) -> list[str]:
    """Name systems that are left out because they have figures only."""
    names = {
        record.system: None
        for record in list_reported_scores(store, metric_uid=metric.uid)
        if record.system_uid not in systems
        and (record.dataset_uid, metric.uid) in keys
        and (wanted is None or record.system_uid in wanted)
    }
    if not names:
        return []
    return [
        f"Left out, with reported figures only: {listed(list(names))}. With --reported figures are "
        "compared instead."
    ]


def _contradictions(
    store: Store, metric: MetricRecord, systems: Sequence[str], keys: Sequence[CellKey]
) -> list[str]:
    """Tell of figures that sources state differently: the last one counts."""
    stated: dict[tuple[str, str], dict[float, None]] = defaultdict(dict)
    for record in list_reported_scores(store, metric_uid=metric.uid):
        if record.system_uid in systems and (record.dataset_uid, metric.uid) in keys:
            stated[record.system, record.dataset][record.value] = None
    differing = [cell for cell, values in stated.items() if len(values) > 1]
    if not differing:
        return []
    system, dataset = differing[0]
    values = ", ".join(f"{v:g}" for v in stated[system, dataset])
    return [
        f"For {count(len(differing), 'score')} the sources state different figures, and the last "
        f"one counts: {system} on {dataset} has {values}."
    ]
