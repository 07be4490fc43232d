"""Which datasets are a sample of datasets: those that share items are drawn and counted once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy

from analysis.statistics._typing import BoolArray, FloatArray, IntArray
from analysis.statistics.across.joint.units import joint_units
from analysis.statistics.across.resampled_datasets import DatasetScores, observe_over_datasets
from store.arrays import load_shared_items
from store.datasets import DatasetRelations
from store.engine import Store
from store.records import OverlapRecord


def _parts(linked: BoolArray) -> IntArray:
    """Return a number per node, from 0, the same for those that links join."""
    part = scipy.sparse.csgraph.connected_components(linked, directed=False)[1]
    return np.asarray(part, dtype=np.int64)


def pool_shared_items(
    store: Store,
    dataset_uids: Sequence[str],
    scores: Sequence[DatasetScores],
    counted: Sequence[BoolArray],
    overlaps: Sequence[OverlapRecord],
) -> tuple[DatasetScores, ...]:
    """Return the scores with items that datasets share as common units.

    Parameters
    ----------
    store, dataset_uids
        Where from, and of which datasets.
    scores
        One per dataset.
    counted
        For each dataset which of its items `scores` are over.
    overlaps
        Which of the datasets overlap.
    """
    named = {uid for overlap in overlaps for uid in (overlap.dataset_a_uid, overlap.dataset_b_uid)}
    at = [index for index, uid in enumerate(dataset_uids) if uid in named]
    if not at:
        return tuple(scores)
    shared = load_shared_items(store, [dataset_uids[index] for index in at])
    items = [numbers[counted[index]] for index, numbers in zip(at, shared, strict=True)]
    units = joint_units(items, [scores[index].groups for index in at])
    linked = np.array([[bool(np.isin(a, b).any()) for b in units] for a in units])
    pooled = list(scores)
    for index, own, pool in zip(at, units, _parts(linked), strict=True):
        pooled[index] = scores[index]._replace(groups=own, pool=int(pool))
    return tuple(pooled)


class DatasetSample(NamedTuple):
    """Datasets as a sample of datasets: what counts, and as how many."""

    blocks: tuple[tuple[int, ...], ...]
    """Places of datasets that count as one, as they overlap, or may, nobody knows by which items.
    Datasets whose items all stand on earlier ones are in no block."""
    own: tuple[BoolArray | None, ...]
    """For each dataset which of its items count: those on no earlier one; ``None`` for all."""
    is_known: bool
    """Whether it is known, or was declared, which items every two datasets share."""
    relations: DatasetRelations
    dependent: bool | None
    """What was declared for this analysis: that all depend on each other, or that none do."""

    @property
    def is_whole(self) -> bool:
        """Whether every dataset counts by itself, with all its items."""
        return len(self.blocks) == len(self.own) and all(own is None for own in self.own)


def sample_datasets(
    scores: Sequence[DatasetScores],
    dataset_uids: Sequence[str],
    relations: DatasetRelations,
    dependent: bool | None,
) -> DatasetSample:
    """Return which datasets are independent of each other, and by which items.

    An item that several datasets share counts on the first of them only; a dataset whose items all
    stand on earlier ones is left out. Datasets that overlap while nobody knows by which items, or
    of which nothing says whether they do, count as one.

    Parameters
    ----------
    scores
        One per dataset, as `pool_shared_items` returns them.
    dataset_uids, relations
        Which datasets these are, and what is known of every two of them.
    dependent
        See `DatasetSample`.
    """
    everything: list[BoolArray | None] = [None] * len(scores)
    if dependent is False:
        alone = tuple((index,) for index in range(len(scores)))
        return DatasetSample(alone, tuple(everything), True, relations, dependent)
    joined = np.full((len(scores),) * 2, bool(dependent))
    place = {uid: index for index, uid in enumerate(dataset_uids)}
    pairs = [(pair.dataset_a_uid, pair.dataset_b_uid) for pair in relations.overlaps]
    pairs += [(pair.dataset_a_uid, pair.dataset_b_uid) for pair in relations.unknown]
    for a, b in ((place[first], place[second]) for first, second in pairs):
        joined[a, b] |= not _are_linked(scores[a], scores[b])
    own = everything if dependent else _own_items(scores)
    left = [index for index, items in enumerate(own) if items is None or items.any()]
    part = _parts(joined)
    blocks = [
        tuple(index for index in left if part[index] == number) for number in np.unique(part[left])
    ]
    return DatasetSample(tuple(blocks), tuple(own), not joined.any(), relations, dependent)


def sample_scores(
    scores: Sequence[DatasetScores], sample: DatasetSample, observed: FloatArray | None = None
) -> FloatArray:
    """Return scores of systems over the blocks of a sample, for tests over datasets.

    Parameters
    ----------
    scores, sample
        As `sample_datasets` takes and returns them.
    observed
        What `observe_over_datasets` gives for all items, from a caller that has it.

    Returns
    -------
    ndarray of float, shape (n_systems, n_blocks)
        Higher is better; NaN = missing. That of several datasets is the mean over those of them
        that all have who have any; where there are none, the score on the one with most systems.
    """
    kept = [
        dataset if own is None else only_items(dataset, own)
        for dataset, own in zip(scores, sample.own, strict=True)
        if own is None or own.any()
    ]
    if observed is None or any(own is not None for own in sample.own):
        observed = observe_over_datasets(kept)
    column = {index: k for k, index in enumerate(sorted(sum(sample.blocks, ())))}
    return np.stack(
        [_mean_of(observed[:, [column[index] for index in block]]) for block in sample.blocks],
        axis=1,
    )


def only_items(dataset: DatasetScores, own: BoolArray) -> DatasetScores:
    """Return a dataset with some of its items, in no pool."""
    groups = None if dataset.groups is None else dataset.groups[own]
    return dataset._replace(scores=dataset.scores[:, own], groups=groups, pool=None)


def _are_linked(a: DatasetScores, b: DatasetScores) -> bool:
    """Return whether some items of two datasets are known to be the same."""
    if a.pool is None or a.pool != b.pool or a.groups is None or b.groups is None:
        return False
    return bool(np.isin(a.groups, b.groups).any())


def _own_items(scores: Sequence[DatasetScores]) -> list[BoolArray | None]:
    """Return which items of each dataset stand on no earlier one of its pool."""
    seen: dict[int, IntArray] = {}
    own: list[BoolArray | None] = []
    for dataset in scores:
        if dataset.pool is None or dataset.groups is None:
            own.append(None)
            continue
        before = seen.get(dataset.pool, np.empty(0, dtype=np.int64))
        new: BoolArray = ~np.isin(dataset.groups, before)
        seen[dataset.pool] = np.union1d(before, dataset.groups)
        own.append(None if new.all() else new)
    return own


def _mean_of(scores: FloatArray) -> FloatArray:
    """Return the mean over those datasets that all who have any of them have, or over one."""
    scored = ~np.isnan(scores)
    common = scored[scored.any(axis=1)].all(axis=0)
    if not common.any():
        common = np.arange(scores.shape[1]) == int(np.argmax(scored.sum(axis=0)))
    return np.asarray(scores[:, common].mean(axis=1))
