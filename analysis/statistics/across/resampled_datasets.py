"""Scores of several systems on several datasets, with the items of each dataset drawn anew.

A stratified bootstrap: every dataset is a stratum, and one draw of its items, or groups of items,
serves all systems. Datasets that share items are a pool, one stratum with one draw. A metric is
computed anew from what was drawn, so aggregates over datasets can be taken replicate by replicate,
of metrics that are no means too.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import (
    BoolArray,
    FloatArray,
    Floats,
    IntArray,
    Progress,
    Seed,
)
from analysis.statistics.across.resampled_scores import ResampledScores
from analysis.statistics.aggregate import aggregate_sums, aggregate_systems, is_sum_based
from analysis.statistics.all_pairs.complete_sets import distinct_rows
from analysis.statistics.all_pairs.components import as_components
from analysis.statistics.fixed_point import whole_scores
from analysis.statistics.item_groups import renumber
from analysis.statistics.random_streams import Stream
from analysis.statistics.resampling.metrics import resampled_metric
from analysis.statistics.resampling.plan import BLOCK, count_block
from analysis.statistics.resampling.system_metric import sum_units
from analysis.statistics.resampling.threads import part_of, run_blocks
from analysis.statistics.results import read_only
from analysis.statistics.validation import as_count, as_floats, as_seed

_Values = Callable[[Floats], FloatArray]

_SINGLE = 2.0**24
_OWN_BLOCKS = 32
"""Bits that blocks have for themselves: block b of dataset d has the key d · 2^32 + b."""
_WHOLE = 1e-9
_SMALLEST = float(np.finfo(np.float64).tiny)
"""One over less is no number."""


class DatasetScores(NamedTuple):
    """What the systems scored on one dataset."""

    scores: FloatArray
    """Shape (n_systems, n_items, n_components), the same systems in every dataset; NaN = missing.
    A system without scores there is all NaN."""
    aggregation: str
    """One of `AGGREGATIONS`."""
    sign: int = 1
    """-1 where a lower metric is better."""
    groups: IntArray | None = None
    """Group of each item as a number, shape (n_items,); groups are drawn as a whole."""
    point: FloatArray | None = None
    """Figures that are only reported, shape (n_systems,), for systems without items; NaN = none."""
    pool: int | None = None
    """Datasets of one pool share items: equal `groups` are one unit there, drawn once for all."""


def resample_over_datasets(
    datasets: Sequence[DatasetScores],
    *,
    n_resamples: int = 1_999,
    rng: Seed = 0,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> ResampledScores:
    """Draw the items of every dataset anew, and score all systems on each draw.

    Parameters
    ----------
    datasets : sequence of DatasetScores
        With the same systems in the same order.
    n_resamples : int
        Replicates.
    rng : int, Generator or None
        Seed; 0 is a seed. The draws of a dataset depend on the seed, on its place in `datasets`
        and on its number of items (or groups), on nothing else; those of a pool on the place of its
        first dataset, and on the units of all.
    n_threads, progress
        As for `run_blocks`; neither changes a result.

    Returns
    -------
    ResampledScores

    Raises
    ------
    TypeError, ValueError
        If there are no datasets, systems differ in number, scores do not suit their aggregation,
        or a sign, groups or reported figures do not fit.

    Notes
    -----
    Datasets are drawn independently of each other, but for those of a pool. Of a pool as many units
    are drawn as all of its datasets have together: how many fall to one dataset varies. Where two
    datasets share items and are in no pool, intervals of what is aggregated over both are too
    narrow.

    A system that misses items is scored on those drawn that it has; items that no system has
    are not drawn. Components are summed in whole steps, so that equal systems stay equal in every
    replicate, whatever the matrix library.

    Time O(n_resamples · n_systems · n_items) in matrix products for metrics of sums; medians and
    correlations take every system by itself. Memory: 8 bytes · n_resamples · n_systems ·
    n_datasets, and one dataset at a time.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, 8.3 (several samples); Agarwal,
    Schwarzer, Castro, Courville and Bellemare (2021), Deep Reinforcement Learning at the Edge of
    the Statistical Precipice, section 4.1: there runs are drawn within tasks, here items.

    Examples
    --------
    >>> first = DatasetScores(np.array([[[1.0], [1], [0]], [[1], [0], [0]]]), "mean")
    >>> second = DatasetScores(np.array([[[2.0], [4]], [[4], [4]]]), "mean")
    >>> resample_over_datasets([first, second], n_resamples=99).observed.round(3)
    array([[0.667, 3.   ],
           [0.333, 4.   ]])
    """
    resamples, seed = as_count(n_resamples, "n_resamples"), as_seed(rng)
    checked = [_check(dataset, index) for index, dataset in enumerate(datasets)]
    n_systems = _common_systems(checked)
    shape = (n_systems, len(checked))
    observed, n_items = np.full(shape, np.nan), np.zeros(shape, dtype=np.int64)
    drawn = np.zeros(shape, dtype=np.bool_)
    for index, dataset in enumerate(checked):
        n_items[:, index] = _count_items(dataset)
        observed[:, index] = _observed(dataset, n_items[:, index])
        drawn[:, index] = (_count_units(dataset) > 1) & ~np.isnan(observed[:, index])
    if not drawn.any():
        resamples = 0
    replicates = np.full((*shape, resamples), np.nan)
    listed = [int(index) for index in np.flatnonzero(drawn.any(axis=0))]
    pools = _pools(checked, listed)
    for done, index in enumerate(listed):
        systems = np.flatnonzero(drawn[:, index])
        _resample(
            checked[index],
            systems,
            replicates[:, index],
            seed=seed,
            pool=pools.get(checked[index].pool, _Pool(index)),
            n_threads=n_threads,
            progress=part_of(progress, done, len(listed)),
        )
    return ResampledScores(
        read_only(observed),
        read_only(replicates.transpose(2, 0, 1)),
        read_only(drawn),
        read_only(n_items),
        tuple(dataset.aggregation for dataset in checked),
        resamples,
        seed,
    )


def observe_over_datasets(datasets: Sequence[DatasetScores]) -> FloatArray:
    """Return `ResampledScores.observed` alone: nothing is drawn."""
    checked = [_check(dataset, index) for index, dataset in enumerate(datasets)]
    _common_systems(checked)
    columns = [_observed(dataset, _count_items(dataset)) for dataset in checked]
    return read_only(np.stack(columns, axis=1))


class _Drawable(NamedTuple):
    """A metric of several systems by how often each unit is drawn."""

    dtype: type[np.floating]
    values: _Values
    """From counts (256, n_units), of the units of the dataset, to (n_systems, 256)."""


class _Pool(NamedTuple):
    """Whose units are drawn together."""

    first: int
    """Place of its first dataset, from which its draws have their key."""
    units: IntArray | None = None
    """Numbers of its units, rising; ``None`` for the units of one dataset."""


def _pools(datasets: list[DatasetScores], listed: Sequence[int]) -> dict[int | None, _Pool]:
    """Return the pools of some datasets, by their number."""
    pools: dict[int | None, _Pool] = {}
    for index in listed:
        dataset = datasets[index]
        if dataset.pool is None or dataset.groups is None:
            continue
        units = np.unique(dataset.groups[_is_scored(dataset)])
        if dataset.pool in pools:
            first, others = pools[dataset.pool]
            assert others is not None
            pools[dataset.pool] = _Pool(first, np.union1d(others, units))
        else:
            pools[dataset.pool] = _Pool(index, units)
    return pools


def _is_scored(dataset: DatasetScores) -> BoolArray:
    """Return which items any system has a score on."""
    return np.asarray(~np.isnan(dataset.scores[:, :, 0]).all(axis=0))


def _check(dataset: DatasetScores, index: int) -> DatasetScores:
    """Return a dataset with checked arrays; messages say which one is wrong."""
    try:
        scores = as_components(dataset.scores, dataset.aggregation)
        n_systems, n_items = scores.shape[:2]
        if dataset.sign not in (-1, 1):
            raise ValueError(f"`sign` must be 1 or -1 (lower is better), got {dataset.sign!r}.")
        groups = dataset.groups
        if groups is not None:
            groups = np.asarray(groups)
            if groups.shape != (n_items,) or groups.dtype.kind not in "iu":
                raise ValueError(
                    f"`groups` must hold a whole number for each of {n_items} items, got "
                    f"{groups.dtype} values of shape {groups.shape}."
                )
        if dataset.pool is not None and groups is None:
            raise ValueError("`groups` must number the units of a `pool`.")
        point = dataset.point
        if point is not None:
            point = as_floats(point, "point")
            if point.shape != (n_systems,) or np.isinf(point).any():
                raise ValueError(
                    f"`point` must hold one finite figure (NaN = none) for each of {n_systems} "
                    f"systems, got shape {point.shape}."
                )
    except (TypeError, ValueError) as error:
        raise type(error)(f"`datasets[{index}]`: {error}") from None
    return DatasetScores(scores, dataset.aggregation, dataset.sign, groups, point, dataset.pool)


def _common_systems(datasets: list[DatasetScores]) -> int:
    if not datasets:
        raise ValueError("`datasets` must hold at least one dataset.")
    sizes = [len(dataset.scores) for dataset in datasets]
    for index, size in enumerate(sizes):
        if size != sizes[0]:
            raise ValueError(
                f"`datasets` must all have the same systems: `datasets[0]` has {sizes[0]}, "
                f"`datasets[{index}]` {size}. Give a system without scores NaN."
            )
    return sizes[0]


def _observed(dataset: DatasetScores, n_items: IntArray) -> FloatArray:
    values = aggregate_systems(dataset.scores, dataset.aggregation)
    if dataset.point is not None:
        values = np.where(n_items == 0, dataset.point, values)
    return np.asarray(dataset.sign * values)


def _count_items(dataset: DatasetScores) -> IntArray:
    return np.asarray(np.count_nonzero(~np.isnan(dataset.scores[:, :, 0]), axis=1))


def _count_units(dataset: DatasetScores) -> IntArray:
    """Return how many items, or groups, each system has scores for."""
    present = ~np.isnan(dataset.scores[:, :, 0])
    if dataset.groups is not None and present.size:
        codes = renumber(dataset.groups)
        present = sum_units(np.ascontiguousarray(present.T, dtype=np.float64), codes).T > 0
    return np.asarray(np.count_nonzero(present, axis=1))


def _resample(
    dataset: DatasetScores,
    systems: IntArray,
    replicates: FloatArray,
    *,
    seed: int,
    pool: _Pool,
    n_threads: int | None,
    progress: Progress | None,
) -> None:
    """Write the replicates of the listed systems into rows of `replicates`."""
    # Drawn from what any system has, those without a spread of their own included.
    kept = _is_scored(dataset)
    scores = dataset.scores[np.ix_(systems, kept)]
    codes = None if dataset.groups is None else renumber(dataset.groups[kept])
    n_units = int(np.count_nonzero(kept)) if codes is None else int(codes.max()) + 1
    places: IntArray | slice = slice(None)
    if pool.units is not None and dataset.groups is not None and codes is not None:
        numbers = np.empty(n_units, dtype=np.int64)
        numbers[codes] = dataset.groups[kept]
        places, n_units = np.searchsorted(pool.units, numbers), len(pool.units)
    if is_sum_based(dataset.aggregation):
        metric = _of_sums(scores, dataset.aggregation, codes, n_units)
    else:
        metric = _one_by_one(scores, dataset.aggregation, codes)

    def work(block: int, rows: int) -> None:
        key = (pool.first << _OWN_BLOCKS) + block
        counts = count_block(seed, key, n_units, metric.dtype, stream=Stream.OVER_DATASETS)
        counts = np.ascontiguousarray(counts[:, places])
        start = block * BLOCK
        replicates[systems, start : start + rows] = dataset.sign * metric.values(counts)[:, :rows]

    run_blocks(work, replicates.shape[1], n_threads=n_threads, progress=progress)


def _of_sums(
    scores: FloatArray, aggregation: str, codes: IntArray | None, n_drawn: int
) -> _Drawable:
    """Prepare a function of sums of components; all systems in one product per component."""
    present = ~np.isnan(scores[:, :, 0])
    columns, steps = [], []
    for component in np.moveaxis(scores, 2, 0):
        whole, step = _absolute_steps(component)
        columns.append(_per_unit(whole, codes))
        steps.append(step)
    patterns, pattern = distinct_rows(present)
    sizes = _per_unit(patterns.astype(np.float64), codes)
    largest = max(float(np.max(np.abs(part), initial=0.0)) for part in [*columns, sizes])
    # Whole numbers whose sums, of any draw, are exact in float32.
    dtype: type[np.floating] = np.float32 if n_drawn * largest < _SINGLE else np.float64
    parts: list[Floats] = [np.ascontiguousarray(part, dtype=dtype) for part in columns]
    weights: Floats = np.ascontiguousarray(sizes, dtype=dtype)

    def values(counts: Floats) -> FloatArray:
        drawn = counts.T
        sums = [
            _in_steps((part @ drawn).astype(np.float64), step)
            for part, step in zip(parts, steps, strict=True)
        ]
        n = (weights @ drawn).astype(np.float64)[pattern]
        metric = aggregate_sums(np.stack(sums, axis=-1), aggregation, np.maximum(n, 1.0))
        return np.where(n > 0, metric, math.nan)

    return _Drawable(dtype, values)


def _one_by_one(scores: FloatArray, aggregation: str, codes: IntArray | None) -> _Drawable:
    """Prepare a metric that no sums give: each system by itself, on the units that it has."""
    codes = np.arange(scores.shape[1]) if codes is None else codes
    metrics = []
    for system in scores:
        own = ~np.isnan(system[:, 0])
        units, own_codes = np.unique(codes[own], return_inverse=True)
        grouped = None if units.size == np.count_nonzero(own) else own_codes.reshape(-1)
        order = np.argsort(codes[own], kind="stable") if grouped is None else slice(None)
        metrics.append((units, resampled_metric((system[own][order],), aggregation, grouped)))

    def values(counts: Floats) -> FloatArray:
        drawn = counts.astype(np.float64)
        return np.stack([metric.values(drawn[:, units]) for units, metric in metrics])

    return _Drawable(np.float64, values)


def _absolute_steps(scores: FloatArray) -> tuple[FloatArray, float]:
    """Return scores in whole steps above 0 (0 where missing), and the value of a step."""
    # Whole scores are measured from a centre of each item: a system that scores 0 shows it.
    whole = whole_scores(np.concatenate([scores, np.zeros((1, scores.shape[1]))]))
    steps = whole.steps.astype(np.float64)
    return np.where(np.isnan(scores), 0.0, steps[:-1] - steps[-1]), whole.step


def _per_unit(rows: FloatArray, codes: IntArray | None) -> FloatArray:
    """Return sums over groups, shape (n_rows, n_units)."""
    if codes is None:
        return rows
    return np.asarray(sum_units(np.ascontiguousarray(rows.T), codes).T)


def _in_steps(sums: FloatArray, step: float) -> FloatArray:
    """Return sums of whole steps on the scale of the scores, rounded once where it can be."""
    per_one = 1.0 / step if step > _SMALLEST else math.inf
    if 1 <= per_one < math.inf and abs(per_one - round(per_one)) < _WHOLE * per_one:
        return sums / round(per_one)
    return sums * step
