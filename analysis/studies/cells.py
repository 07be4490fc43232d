"""Cells: a dataset and a metric on which systems have item scores; and families of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analysis.statistics.validity_bounds import RunSpread
from analysis.studies.clusters import Clusters, choose_clusters
from analysis.studies.reading import read_matrix
from analysis.studies.run_spread import load_run_spread
from store.arrays import load_groups
from store.engine import Store
from store.errors import NotFoundError, StoreError
from store.importers.known_metrics import is_cost
from store.metrics import get_metric, list_metrics
from store.records import MetricRecord, ScoreMatrix
from store.runs import list_scored

CellKey = tuple[str, str]
"""Uids of a dataset and of a metric."""

ALL_METRICS = "all"
"""Asks for every metric there is."""


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """The item scores of systems on one dataset and metric."""

    matrix: ScoreMatrix
    clusters: Clusters
    runs: RunSpread | None
    """How much the scores change from run to run, where a system has several."""

    @property
    def key(self) -> CellKey:
        """Return the uids of dataset and metric."""
        return self.matrix.dataset.uid, self.matrix.metric.uid


def load_cell(
    store: Store,
    key: CellKey,
    *,
    systems: Sequence[str] | None = None,
    clusters: bool | None = None,
    test: str = "auto",
) -> Cell:
    """Return the scores of all systems, or of some, on a cell.

    Parameters
    ----------
    store
        Where from.
    key
        Which cell.
    systems
        Uids, in the order of rows; by default all with scores, by name.
    clusters
        Whether groups of items are the independent units; by default where they join items.
    test
        As a person asks for it: one that takes items as independent gets no groups by default.
    """
    dataset_uid, metric_uid = key
    matrix = read_matrix(store, dataset_uid, metric_uid, systems=systems)
    return Cell(
        matrix,
        choose_clusters(load_groups(store, dataset_uid), clusters, test=test),
        load_run_spread(store, matrix),
    )


def refuse_all_metrics(metric: str | None) -> None:
    """Refuse "all" where a question takes one metric.

    Raises
    ------
    StoreError
        All metrics are asked for.
    """
    if metric == ALL_METRICS:
        raise StoreError("`metric` 'all' is for two systems: name one metric.")


def scored_cells(store: Store) -> dict[CellKey, dict[str, None]]:
    """Return the uids of the systems with item scores on each cell, as first stored."""
    cells: dict[CellKey, dict[str, None]] = {}
    for dataset, metric, system in list_scored(store):
        cells.setdefault((dataset, metric), {})[system] = None
    return cells


def choose_metrics(
    store: Store, wanted: str | Sequence[str] | None, found: Iterable[str]
) -> list[MetricRecord]:
    """Return the metrics of a question.

    Parameters
    ----------
    store
        Where they are described.
    wanted
        Uid or name, several of them, or "all"; by default the one found most often. What an
        output took (time, money) comes after what it is worth.
    found
        Uids of the metrics that there are scores on, once per dataset.

    Returns
    -------
    list
        Empty where nothing is found on what was wanted. The one on most datasets comes first.

    Raises
    ------
    NotFoundError
        A name is unknown, or nothing is known on one of several metrics asked for.
    """
    counts = Counter(found)
    known = {m.uid: m for m in list_metrics(store)}
    by_use = sorted(counts, key=lambda uid: (is_cost(known[uid].name), -counts[uid]))
    if wanted is None:
        most = by_use[:1]
    elif wanted == ALL_METRICS:
        most = by_use
    else:
        names = [wanted] if isinstance(wanted, str) else list(wanted)
        asked = list(dict.fromkeys(get_metric(store, name).uid for name in names))
        most = [uid for uid in asked if counts[uid]]
        if most and len(most) < len(asked):
            lacking = next(m for m in known.values() if m.uid in set(asked) - set(most))
            raise NotFoundError(f"There are no scores to compare for the metric '{lacking.label}'.")
    return [known[uid] for uid in most]
