"""Which items of two datasets are the same, as the scores of several systems say.

A copy of a dataset under another name, or a part of one, shows in the results: several systems
have on each of its items the scores that they have on the original. Items are held against each
other where they have the same name, or else the same place.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import compress
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from store import vectors
from store.damage import are_sound
from store.importers.kinds import FloatArray
from store.models import Item, Run, ScoreVector, System
from store.overlaps import Pair

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

FEWEST_ITEMS: Final = 10
"""As many items with equal scores make an overlap."""
LARGEST_CHANCE: Final = 1e-6
"""Chance of so many equal items, were the datasets different, from which on they are the same."""
_FEWEST_SYSTEMS: Final = 2
_MOST_SYSTEMS: Final = 6
_MOST_METRICS: Final = 3
_LAGS: Final = 5


class SystemScores(NamedTuple):
    """The scores of some systems on the items of one dataset."""

    names: IntArray
    """A number for each item, equal for equal names; shape (n_items,)."""
    of_systems: Mapping[int, FloatArray]
    """System id -> shape (n_items, n_components); NaN where there is none."""


def items_of_equal_scores(
    connection: sa.Connection, pairs: Collection[Pair]
) -> dict[Pair, IntArray]:
    """Return the items on which several systems have the same scores, for datasets that share any.

    Parameters
    ----------
    connection
        An open connection.
    pairs
        Ids of the datasets in question.

    Returns
    -------
    dict
        Pair -> positions of the items in the first and in the second dataset, shape (n, 2).
    """
    found: dict[Pair, IntArray] = {}
    for datasets in _scores_by_metric(connection, {i for pair in pairs for i in pair}):
        for pair in pairs:
            if pair not in found and datasets.keys() >= set(pair):
                links = equal_items(datasets[pair[0]], datasets[pair[1]])
                if len(links):
                    found[pair] = links
    return found


def equal_items(first: SystemScores, second: SystemScores) -> IntArray:
    """Return the items of two datasets on which all systems in common have equal scores.

    At least two systems must differ from each other and vary over items. The number of items that
    agree must be out of all proportion to chance: to how often scores agree that belong to any
    two items, or to neighbours, which matters where a dataset is sorted.

    Returns
    -------
    ndarray of int, shape (n, 2)
        Empty where the scores do not show that the datasets share items.
    """
    nothing = np.empty((0, 2), dtype=np.int64)
    common = [s for s in first.of_systems if s in second.of_systems]
    if len(common) < _FEWEST_SYSTEMS:
        return nothing
    a, b = ([scores.of_systems[s] for s in common] for scores in (first, second))
    if a[0].shape[1] != b[0].shape[1]:
        return nothing
    for places in _alignments(first.names, second.names):
        equal = _agree(a, b, places)
        if (
            _beyond_chance(equal, a, b, places)
            and _n_informative(a, places[equal, 0]) >= _FEWEST_SYSTEMS
        ):
            return places[equal]
    return nothing


def _alignments(first: IntArray, second: IntArray) -> Iterator[IntArray]:
    """Yield the places of items of the same name, and of items at the same place."""
    n = min(len(first), len(second))
    if not np.array_equal(first[:n], second[:n]):
        _, in_first, in_second = np.intersect1d(first, second, return_indices=True)
        order = np.argsort(in_first)
        yield np.stack([in_first[order], in_second[order]], axis=1)
    yield np.stack([np.arange(n), np.arange(n)], axis=1)


def _agree(a: Sequence[FloatArray], b: Sequence[FloatArray], places: IntArray) -> BoolArray:
    """Return at which places all systems that have scores agree, two of them at least."""
    agree = np.ones(len(places), dtype=np.bool_)
    n_known = np.zeros(len(places), dtype=np.int64)
    for of_a, of_b in zip(a, b, strict=True):
        first, second = of_a[places[:, 0]], of_b[places[:, 1]]
        missing = np.isnan(first[:, 0]) | np.isnan(second[:, 0])
        agree &= (first == second).all(axis=1) | missing
        n_known += ~missing
        if np.count_nonzero(agree) < FEWEST_ITEMS:
            break
    return np.asarray(agree & (n_known >= _FEWEST_SYSTEMS))


def _beyond_chance(
    equal: BoolArray, a: Sequence[FloatArray], b: Sequence[FloatArray], places: IntArray
) -> bool:
    n, n_equal = equal.size, int(equal.sum())
    if n_equal < FEWEST_ITEMS:
        return False
    for lag in range(1, min(_LAGS, n - 1) + 1):
        for ahead, behind in ((0, 1), (1, 0)):
            neighbours = np.empty((n - lag, 2), dtype=np.int64)
            neighbours[:, ahead], neighbours[:, behind] = places[lag:, ahead], places[:-lag, behind]
            agree = _agree(a, b, neighbours)
            if _tail(n_equal, n, float(agree.mean())) > LARGEST_CHANCE:
                return False
    both = [np.concatenate(side, axis=1)[places[:, k]] for k, side in enumerate((a, b))]
    rows = np.unique(np.nan_to_num(np.concatenate(both)), axis=0, return_inverse=True)[1]
    rows = rows.reshape(-1)
    shares = [np.bincount(side, minlength=rows.max() + 1) / n for side in (rows[:n], rows[n:])]
    return _tail(n_equal, n, float(shares[0] @ shares[1])) <= LARGEST_CHANCE


def _tail(at_least: int, of: int, chance: float) -> float:
    """Return a bound on the probability of so many successes (Chernoff)."""
    share = at_least / of
    if share <= chance:
        return 1.0
    if chance <= 0:
        return 0.0
    exponent = share * math.log(share / chance)
    if share < 1:
        exponent += (1 - share) * math.log((1 - share) / (1 - chance))
    return math.exp(-of * exponent)


def _n_informative(scores: Sequence[FloatArray], places: IntArray) -> int:
    """Return how many different systems there are whose scores vary."""
    systems = [of_system[places] for of_system in scores]
    return len({s.tobytes() for s in systems if np.any(np.nanstd(s, axis=0) > 0)})


def _scores_by_metric(
    connection: sa.Connection, ids: Collection[int]
) -> list[dict[int, SystemScores]]:
    """Return the scores on the datasets by each of the metrics that most of them have.

    Of each dataset a few systems are read, those with scores on most datasets; of each system the
    first run.
    """
    which = _vectors_to_read(connection, ids)
    used = {dataset for dataset, _, _ in which.values()}
    keys = sa.select(Item.dataset_id, Item.key).where(Item.dataset_id.in_(used))
    names: dict[int, list[str]] = defaultdict(list)
    for dataset, key in connection.execute(keys.order_by(Item.dataset_id, Item.position)):
        names[dataset].append(key)
    scores: dict[int, dict[int, dict[int, FloatArray]]] = defaultdict(lambda: defaultdict(dict))
    stored = sa.select(
        ScoreVector.id, ScoreVector.data, ScoreVector.digest, ScoreVector.n_components
    )
    rows = connection.execute(stored.where(ScoreVector.id.in_(which))).all()
    sound = are_sound(connection, [(row.id, row.data, row.digest) for row in rows])
    for vector, data, _, width in compress(rows, sound):
        dataset, metric, system = which[vector]
        values = vectors.pad(vectors.decode(data, width), len(names[dataset]))
        scores[metric][dataset][system] = values
    numbers: dict[str, int] = {}
    of_items = {
        dataset: np.array([numbers.setdefault(name, len(numbers)) for name in listed], np.int64)
        for dataset, listed in names.items()
    }
    return [
        {dataset: SystemScores(of_items[dataset], held) for dataset, held in datasets.items()}
        for datasets in scores.values()
    ]


def _vectors_to_read(
    connection: sa.Connection, ids: Collection[int]
) -> dict[int, tuple[int, int, int]]:
    """Return vector id -> ids of its dataset, metric and system."""
    query = (
        sa.select(Run.dataset_id, ScoreVector.metric_id, Run.system_id, sa.func.min(ScoreVector.id))
        .join(Run, Run.id == ScoreVector.run_id)
        .join(System, System.id == Run.system_id)
        .where(Run.dataset_id.in_(ids), Run.deleted_at.is_(None), System.deleted_at.is_(None))
        .group_by(Run.dataset_id, ScoreVector.metric_id, Run.system_id)
    )
    by_metric: dict[int, dict[tuple[int, int], int]] = defaultdict(dict)
    for dataset, metric, system, vector in connection.execute(query):
        by_metric[metric][dataset, system] = vector
    n_datasets = {m: len({dataset for dataset, _ in found}) for m, found in by_metric.items()}
    often = sorted((m for m, n in n_datasets.items() if n > 1), key=lambda m: (-n_datasets[m], m))
    chosen = {}
    for metric in often[:_MOST_METRICS]:
        present = Counter(system for _, system in by_metric[metric])
        taken: Counter[int] = Counter()
        for dataset, system in sorted(
            by_metric[metric], key=lambda place: (-present[place[1]], place[1])
        ):
            if taken[dataset] < _MOST_SYSTEMS:
                taken[dataset] += 1
                chosen[by_metric[metric][dataset, system]] = (dataset, metric, system)
    return chosen
