"""On which dataset and metric systems are compared where nobody says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from analysis.studies.study import listed
from store.datasets import get_dataset
from store.engine import Store
from store.errors import NotFoundError
from store.importers.known_metrics import is_cost
from store.metrics import get_metric
from store.records import SystemRecord
from store.runs import list_runs
from store.settings import settings_of_dataset


def choose_cell(
    store: Store,
    systems: Sequence[SystemRecord],
    dataset: str | None,
    metric: str | None,
) -> tuple[tuple[str, str], list[str]]:
    """Return (dataset uid, metric uid) to compare systems on, and what to say about the choice.

    Raises
    ------
    NotFoundError
        A name is unknown, or the systems share nothing there.
    """
    wanted_dataset = None if dataset is None else get_dataset(store, dataset)
    wanted_metric = None if metric is None else get_metric(store, metric)
    scored: list[Counter[tuple[str, str]]] = []
    names: dict[str, str] = {}
    for system in systems:
        found: Counter[tuple[str, str]] = Counter()
        for run in reversed(list_runs(store, system_uid=system.uid)):  # the oldest first
            for vector in run.vectors:
                names[run.dataset_uid], names[vector.metric_uid] = run.dataset, vector.metric
                cell = (run.dataset_uid, vector.metric_uid)
                found[cell] = max(found[cell], vector.n_scored)
        scored.append(found)
    shared = [
        cell
        for cell in scored[0]
        if all(found[cell] for found in scored)
        and (wanted_dataset is None or cell[0] == wanted_dataset.uid)
        and (wanted_metric is None or cell[1] == wanted_metric.uid)
    ]
    if not shared:
        where = f" on '{wanted_dataset.label}'" if wanted_dataset else ""
        where += f" for the metric '{wanted_metric.label}'" if wanted_metric else ""
        raise NotFoundError(
            f"{listed([repr(system.name) for system in systems])} have no item scores in "
            f"common{where}. Compare systems that were scored on the same dataset, or import the "
            "scores per item."
        )
    best = max(
        shared,
        key=lambda cell: (not is_cost(names[cell[1]]), min(found[cell] for found in scored)),
    )
    primary = (best[0], settings_of_dataset(store, best[0]).get("metric", ""))
    best = primary if primary in shared else best
    others = sorted({names[cell[0]] for cell in shared if cell[0] != best[0]})
    notes = []
    if others:
        notes.append(
            f"Compared on {names[best[0]]}, the dataset with most items scored for both. They "
            f"also share {listed(others)}."
        )
    metrics = sorted({names[cell[1]] for cell in shared if cell[0] == best[0]} - {names[best[1]]})
    if metrics:
        notes.append(f"Metric: {names[best[1]]}. The store also has {listed(metrics)}.")
    return best, notes
