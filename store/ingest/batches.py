"""Which bundles are written at once: with one savepoint, and one statement for each table."""

from __future__ import annotations

from collections.abc import Sequence, Set

from store.importers.bundle import BundleRun, ImportBundle
from store.ingest.known import label_of
from store.spelling import composed

_AT_ONCE = 100
"""Bundles of a parcel."""
_MOST_CELLS = 1 << 20
"""Scores of them, so that they take little memory."""


def batches(bundles: Sequence[ImportBundle]) -> list[list[int]]:
    """Return the numbers of bundles in groups: those that name a run in common stand together."""
    group_of: dict[tuple[str, ...], int] = {}
    groups: dict[int, list[int]] = {}
    for number, bundle in enumerate(bundles):
        names = {_run_name(bundle, run) for run in bundle.runs}
        met = sorted({group_of[name] for name in names if name in group_of})
        mine = met[0] if met else number
        groups[mine] = sorted([number, *(one for other in met for one in groups.pop(other))])
        if len(met) > 1:
            group_of |= {name: mine for name, group in group_of.items() if group in met}
        group_of |= dict.fromkeys(names, mine)
    return sorted(groups.values())


def parcels(bundles: Sequence[ImportBundle], optional: Set[int]) -> list[list[list[int]]]:
    """Return the batches in parcels that are written at once, in order.

    In a parcel every bundle may be left out, or none; and its metrics have one unit each, since
    what a file brings can say in which unit a later one is kept.
    """
    found: list[list[list[int]]] = []
    n_bundles = n_cells = 0
    units: dict[str, str] = {}
    for batch in batches(bundles):
        of_batch = {
            label_of(metric): metric.unit for number in batch for metric in bundles[number].metrics
        }
        cells = sum(_n_cells(bundles[number]) for number in batch)
        fits = (
            n_bundles + len(batch) <= _AT_ONCE
            and n_cells + cells <= _MOST_CELLS
            and all(units.get(label, unit) == unit for label, unit in of_batch.items())
        )
        if not (found and fits and (found[-1][0][0] in optional) == (batch[0] in optional)):
            found.append([])
            n_bundles, n_cells, units = 0, 0, {}
        found[-1].append(batch)
        n_bundles, n_cells = n_bundles + len(batch), n_cells + cells
        units |= of_batch
    return found


def _n_cells(bundle: ImportBundle) -> int:
    return sum(scores.values.size for run in bundle.runs for scores in run.scores)


def _run_name(bundle: ImportBundle, run: BundleRun) -> tuple[str, ...]:
    dataset = bundle.datasets[run.dataset]
    return (*map(composed, (run.system, dataset.name, dataset.version)), run.label)
