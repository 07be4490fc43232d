"""Score vectors out of the store: as matrices for the statistics, one by one for a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, compress
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa

from store import vectors
from store.damage import Damage, are_sound, seen
from store.datasets import dataset_record
from store.engine import Store
from store.errors import StoreError
from store.failures import Counted, as_counted
from store.importers.kinds import COMPONENTS, FloatArray, OverlapKind
from store.lookup import find_id, find_ids, find_metric_id
from store.metrics import metric_by_id
from store.models import (
    Dataset,
    DatasetOverlap,
    Item,
    Run,
    ScoreVector,
    System,
)
from store.natural_order import natural_key
from store.overlaps import Pair, shared_names
from store.records import MetricRecord, RunMatrix, ScoreMatrix
from store.shared_items import IntArray, ItemNames, number_items
from store.shared_scores import items_of_equal_scores


class _Owner(NamedTuple):
    name: str
    uid: str
    vectors: list[tuple[int, bytes]]
    """(id, data) of each."""


# Built once: to put a query together takes longer than to run it. It does not sort: that would
# copy the vectors.
_VECTORS = (
    sa.select(
        *(ScoreVector.id, ScoreVector.run_id, ScoreVector.trial),
        *(ScoreVector.data, ScoreVector.digest),
        *(System.id.label("system_id"), System.name, System.uid),
    )
    .join(Run, Run.id == ScoreVector.run_id)
    .join(System, System.id == Run.system_id)
    .where(
        Run.dataset_id == sa.bindparam("dataset_id"),
        ScoreVector.metric_id == sa.bindparam("metric_id"),
        Run.deleted_at.is_(None),
        System.deleted_at.is_(None),
    )
)
_REPEATS = (
    sa.select(
        Run.uid,
        Run.label,
        ScoreVector.run_id,
        ScoreVector.trial,
        ScoreVector.id,
        ScoreVector.data,
        ScoreVector.digest,
    )
    .join(Run, Run.id == ScoreVector.run_id)
    .where(
        Run.dataset_id == sa.bindparam("dataset_id"),
        Run.system_id == sa.bindparam("system_id"),
        ScoreVector.metric_id == sa.bindparam("metric_id"),
        Run.deleted_at.is_(None),
    )
    .order_by(Run.id, ScoreVector.trial)
)
_VECTORS_OF_SOME = _VECTORS.where(System.id.in_(sa.bindparam("system_ids", expanding=True)))
_REPEATS_OF_SOME = _VECTORS_OF_SOME.add_columns(Run.repeats).order_by(Run.id, ScoreVector.trial)
_VECTORS_OF_RUNS = (
    sa.select(
        *(Run.uid, ScoreVector.id, ScoreVector.run_id, ScoreVector.trial),
        *(ScoreVector.data, ScoreVector.digest),
    )
    .join(Run, Run.id == ScoreVector.run_id)
    .where(
        Run.dataset_id == sa.bindparam("dataset_id"),
        ScoreVector.metric_id == sa.bindparam("metric_id"),
        Run.deleted_at.is_(None),
    )
    .order_by(ScoreVector.id)
)
_NAMES = (
    sa.select(Item.key, Item.content_hash)
    .where(Item.dataset_id == sa.bindparam("dataset_id"))
    .order_by(Item.position)
)
_LIVING = sa.select(Dataset.id).where(Dataset.deleted_at.is_(None))
_DECLARED = sa.select(
    DatasetOverlap.dataset_a_id, DatasetOverlap.dataset_b_id, DatasetOverlap.kind
).where(
    DatasetOverlap.dataset_a_id.in_(_LIVING),
    DatasetOverlap.dataset_b_id.in_(_LIVING),
    DatasetOverlap.kind != "independent",
)
_N_ITEMS = sa.select(Dataset.n_items).where(Dataset.id == sa.bindparam("dataset_id"))
_SYSTEM = sa.select(System.name, System.uid).where(System.id == sa.bindparam("system_id"))


def load_matrix(
    store: Store,
    dataset: str,
    metric: str,
    *,
    systems: Sequence[str] | None = None,
) -> ScoreMatrix:
    """Return the scores of all systems, or of some, on a dataset.

    Parameters
    ----------
    store
        Where from.
    dataset, metric
        Uid or name.
    systems
        Uids or names; the rows come in this order. By default all that have scores, by name.

    Notes
    -----
    A vector that is not what was written is left out and told (`store.damage`). Attempts that
    failed count as the dataset's setting says (`store.failures`), here and in all that follows.
    A system with several runs or trials gets the mean over them, item by item, of those that
    scored the item. Memory: 8 bytes × systems × items × components, twice while it is loaded.
    """
    with store.read() as connection:
        dataset_id = find_id(connection, "dataset", dataset)
        dataset_row = dataset_record(connection, dataset_id)
        metric_id = find_metric_id(connection, metric)
        metric_row = metric_by_id(connection, metric_id)
        which = {"dataset_id": dataset_id, "metric_id": metric_id}
        counted = as_counted(connection, dataset_id, metric_row)
        if systems is None:
            found = _owners(connection, _VECTORS, which, counted)
            owners = sorted(found.values(), key=lambda owner: natural_key(owner.name))
        else:
            wanted = find_ids(connection, "system", systems)
            which_systems = which | {"system_ids": wanted}
            found = _owners(connection, _VECTORS_OF_SOME, which_systems, counted)
            _require_scores(connection, wanted, found, dataset_row.name, metric_row.name)
            owners = [found[system_id] for system_id in wanted]
    shape = (dataset_row.n_items, len(COMPONENTS[metric_row.aggregation]))
    rows = b"".join(_row([data for _, data in sorted(o.vectors)], shape) for o in owners)
    return ScoreMatrix(
        dataset=dataset_row,
        metric=metric_row,
        systems=tuple(owner.name for owner in owners),
        system_uids=tuple(owner.uid for owner in owners),
        n_vectors=tuple(len(owner.vectors) for owner in owners),
        scores=vectors.decode(rows, shape[1]).reshape(len(owners), *shape),
    )


def load_runs(store: Store, dataset: str, metric: str) -> dict[str, FloatArray]:
    """Return the item scores of every run on a dataset, trial by trial.

    Parameters
    ----------
    store
        Where from.
    dataset, metric
        Uid or name.

    Returns
    -------
    dict
        Uid of the run -> shape (n_trials, n_items, n_components), NaN = missing, on the metric's
        own scale. Runs without item scores of the metric are left out.
    """
    with store.read() as connection:
        dataset_id = find_id(connection, "dataset", dataset)
        metric_id = find_metric_id(connection, metric)
        metric_row = metric_by_id(connection, metric_id)
        shape = _shape(connection, dataset_id, metric_row)
        counted = as_counted(connection, dataset_id, metric_row)
        which = {"dataset_id": dataset_id, "metric_id": metric_id}
        trials: dict[str, list[bytes]] = {}
        rows = connection.execute(_VECTORS_OF_RUNS, which).all()
        sound = are_sound(connection, [(row.id, row.data, row.digest) for row in rows])
        for row in compress(rows, sound):
            trials.setdefault(row.uid, []).append(counted(row.run_id, row.trial, row.data))
    return {uid: _repeats(stored, shape) for uid, stored in trials.items()}


def mean_of_trials(trials: Iterable[FloatArray]) -> FloatArray:
    """Return the mean over trials, item by item, of those that scored the item; NaN for none.

    Each has shape (n_items, n_components), and so has the mean.
    """
    each = list(trials)
    if len(each) == 1:
        return each[0]
    total, counts = np.zeros(each[0].shape), np.zeros((len(each[0]), 1))
    for values in each:
        present = vectors.scored(values)
        total[present] += values[present]
        counts[present] += 1
    with np.errstate(invalid="ignore"):
        return np.asarray(total / counts)


def load_seeds(
    store: Store, dataset: str, metric: str, systems: Sequence[str]
) -> dict[str, FloatArray]:
    """Return what systems scored on a dataset, training by training.

    Trials of a run are samples, and count as their mean, unless the run says that each is a
    training of its own (`store.repeats`); another run is another training.

    Parameters
    ----------
    store, dataset, metric
        As for `load_runs`.
    systems
        Uids or names.

    Returns
    -------
    dict
        Uid of the system -> shape (n_seeds, n_items, n_components), NaN = missing.
    """
    with store.read() as connection:
        dataset_id = find_id(connection, "dataset", dataset)
        metric_id = find_metric_id(connection, metric)
        metric_row = metric_by_id(connection, metric_id)
        shape = _shape(connection, dataset_id, metric_row)
        wanted = find_ids(connection, "system", systems)
        which = {"dataset_id": dataset_id, "metric_id": metric_id, "system_ids": wanted}
        counted = as_counted(connection, dataset_id, metric_row)
        rows = connection.execute(_REPEATS_OF_SOME, which).all()
        sound = are_sound(connection, [(row.id, row.data, row.digest) for row in rows])
    seeds: dict[str, dict[tuple[int, int], list[bytes]]] = {}
    for row in compress(rows, sound):
        seed = row.run_id, row.trial if row.repeats == "seeds" else 0
        data = counted(row.run_id, row.trial, row.data)
        seeds.setdefault(row.uid, {}).setdefault(seed, []).append(data)
    return {
        uid: np.stack([mean_of_trials(_repeats(stored, shape)) for stored in of_system.values()])
        for uid, of_system in seeds.items()
    }


def load_run_matrix(store: Store, dataset: str, metric: str, system: str) -> RunMatrix:
    """Return every run and trial of one system on a dataset, not averaged.

    For the variance between repeats beside that between items; repeats are never items.

    Raises
    ------
    NotFoundError
        There is no such dataset, metric or system.
    StoreError
        The system has no item scores there.
    """
    with store.read() as connection:
        dataset_id = find_id(connection, "dataset", dataset)
        metric_id = find_metric_id(connection, metric)
        system_id = find_id(connection, "system", system)
        dataset_row = dataset_record(connection, dataset_id)
        metric_row = metric_by_id(connection, metric_id)
        which = {"dataset_id": dataset_id, "metric_id": metric_id, "system_id": system_id}
        stored = connection.execute(_REPEATS, which).all()
        sound = are_sound(connection, [(row.id, row.data, row.digest) for row in stored])
        rows = list(compress(stored, sound))
        counted = as_counted(connection, dataset_id, metric_row)
        found = [system_id] if rows else []
        _require_scores(
            connection, [system_id], dict.fromkeys(found), dataset_row.name, metric_row.name
        )
        name, uid = connection.execute(_SYSTEM, which).one()
    shape = (dataset_row.n_items, len(COMPONENTS[metric_row.aggregation]))
    return RunMatrix(
        dataset=dataset_row,
        metric=metric_row,
        system=name,
        system_uid=uid,
        labels=tuple(f"{row.label or row.uid} / {row.trial}" for row in rows),
        run_uids=tuple(row.uid for row in rows),
        trials=tuple(row.trial for row in rows),
        scores=_repeats([counted(row.run_id, row.trial, row.data) for row in rows], shape),
    )


def load_groups(store: Store, dataset_uid: str) -> list[str | None]:
    """Return the group of each item, in item order."""
    with store.read() as connection:
        dataset_id = find_id(connection, "dataset", dataset_uid)
        query = sa.select(Item.group_key).where(Item.dataset_id == dataset_id)
        return list(connection.scalars(query.order_by(Item.position)))


def item_names(store: Store, dataset_uid: str) -> Iterator[tuple[str, str | None]]:
    """Yield key and group of each item, in item order."""
    with store.read() as connection:
        dataset_id = find_id(connection, "dataset", dataset_uid)
        query = sa.select(Item.key, Item.group_key).where(Item.dataset_id == dataset_id)
        for row in connection.execute(query.order_by(Item.position)):
            yield row.key, row.group_key


def load_shared_items(store: Store, datasets: Sequence[str]) -> list[IntArray]:
    """Return a number for every item of some datasets; equal numbers mean the same item.

    Items are the same when they hold the same content, in whichever of the datasets; when several
    systems have the same scores on them, in two datasets whose overlap that shows
    (`store.shared_scores`); or when they have the same name in two datasets that overlap: by
    declaration, or because enough telling names are equal (see `store.datasets.list_overlaps`).
    Where names only count the rows, they say nothing about datasets that were declared to share
    items; then these items stay apart. The items of transforms of the datasets link them, also
    where the transforms are not asked for.

    Parameters
    ----------
    store
        Where from.
    datasets
        Uids or names; one that is named twice gets the same numbers twice.

    Returns
    -------
    list of arrays
        For each dataset shape (n_items,), in item order. The numbers count from 0 in the order of
        first appearance.
    """
    with store.read() as connection:
        wanted = find_ids(connection, "dataset", datasets)
        stated = {(a, b): kind for a, b, kind in connection.execute(_DECLARED)}
        items = {}
        for dataset_id in _with_transforms(wanted, stated):
            rows = connection.execute(_NAMES, {"dataset_id": dataset_id}).all()
            keys, hashes = zip(*rows, strict=True) if rows else ((), ())
            items[dataset_id] = ItemNames(keys, hashes)
        declared = {pair: kind for pair, kind in stated.items() if items.keys() >= set(pair)}
        sizes = {dataset_id: len(items[dataset_id].keys) for dataset_id in wanted}
        same_names = shared_names(connection, sizes)
        undeclared = [pair for pair in combinations(sorted(sizes), 2) if pair not in declared]
        same_scores = items_of_equal_scores(connection, undeclared)
    numbers = number_items(items, declared, same_names, same_scores)
    return [numbers[dataset_id] for dataset_id in wanted]


def _with_transforms(wanted: Sequence[int], declared: Mapping[Pair, OverlapKind]) -> list[int]:
    """Return the datasets, each once, and after them all that transforms connect with them."""
    found = list(dict.fromkeys(wanted))
    for here in found:
        for pair, kind in declared.items():
            if kind == "transform" and here in pair:
                found += [there for there in pair if there not in found]
    return found


def _require_scores(
    connection: sa.Connection,
    wanted: Sequence[int],
    found: Mapping[int, object],
    dataset: str,
    metric: str,
) -> None:
    lacking = [system_id for system_id in wanted if system_id not in found]
    if lacking:
        name = connection.scalar(sa.select(System.name).where(System.id == lacking[0]))
        for one in seen(connection):
            if isinstance(one, Damage) and (one.system, one.dataset, one.metric) == (
                name,
                dataset,
                metric,
            ):
                raise StoreError(str(one))
        raise StoreError(
            f"The store has no item scores of '{name}' on '{dataset}' for the metric '{metric}'."
        )


def _owners(
    connection: sa.Connection,
    query: sa.Select[*tuple[Any, ...]],
    which: Mapping[str, Any],
    counted: Counted,
) -> dict[int, _Owner]:
    """Return system id -> the system and its vectors."""
    owners: dict[int, _Owner] = {}
    rows = connection.execute(query, which).all()
    sound = are_sound(connection, [(row.id, row.data, row.digest) for row in rows])
    for row in compress(rows, sound):
        owner = owners.setdefault(row.system_id, _Owner(row.name, row.uid, []))
        owner.vectors.append((row.id, counted(row.run_id, row.trial, row.data)))
    return owners


def _shape(connection: sa.Connection, dataset_id: int, metric: MetricRecord) -> tuple[int, int]:
    """Return how many items and components a vector has."""
    n_items = connection.scalar(_N_ITEMS, {"dataset_id": dataset_id})
    return n_items or 0, len(COMPONENTS[metric.aggregation])


def _row(stored: Sequence[bytes], shape: tuple[int, int]) -> bytes:
    """Return the bytes of one row: a vector, or the mean over several, item by item."""
    if len(stored) == 1:
        n_missing = shape[0] * shape[1] - len(stored[0]) // 8
        return stored[0] + _MISSING * n_missing if n_missing else stored[0]
    return vectors.encode(mean_of_trials(_repeats(stored, shape)))


def _repeats(stored: Sequence[bytes], shape: tuple[int, int]) -> FloatArray:
    rows = b"".join(_row([data], shape) for data in stored)
    return vectors.decode(rows, shape[1]).reshape(len(stored), *shape)


_MISSING = vectors.encode(np.array([np.nan]))
