"""k̂ of all pairs from item scores: 100 systems, 60 datasets of 2,000 items.

Allowed are 60 seconds on two processors. What is held against them is processor time, which other
work on the machine does not change. The peer is what one would write with scipy: a test for each
dataset and pair.
"""

from __future__ import annotations

import math
import multiprocessing
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from analysis.statistics.across.counts import count_all_pairs
from analysis.statistics.across.joint.cells import JointCell
from analysis.statistics.across.joint.counts import joint_counts
from analysis.statistics.all_pairs.pairwise import pairwise
from analysis.studies.replicability_matrix import study_replicability_matrix
from benchmarks.all_pairs import highest_memory, ratings, scipy_loop
from store.engine import open_store
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleRun,
    BundleScores,
    ImportBundle,
    SourceFile,
)
from store.ingest import ingest

FloatArray = npt.NDArray[np.float64]
SYSTEMS, DATASETS, ITEMS = 100, 60, 2_000
_ALLOWED = 2 * 60.0  # processor seconds
_WHAT = f"k̂, S{SYSTEMS} N{DATASETS} n{ITEMS}"
_JOINT_RESAMPLES = 999


def run() -> list[tuple[str, float, float]]:
    """Return (name, share of what is allowed or of the peer's time, largest share)."""
    rows = []
    for name, squeeze in _SCALES.items():
        seconds = _seconds(lambda: _count(squeeze))  # noqa: B023
        rows.append((f"{_WHAT}, {name}, of 2 × 60 s", seconds / _ALLOWED, 0.15))
        if name == "graded":
            peer = DATASETS * scipy_loop(_scores(0))
            rows.append((f"{_WHAT}, {name}, against a scipy loop", seconds / peer, 1 / 5_000))
    cells = _cells(SYSTEMS, DATASETS, ITEMS)
    seconds = _seconds(lambda: joint_counts(cells, n_resamples=_JOINT_RESAMPLES))
    rows.append((f"{_WHAT}, joint, a tenth shared, of 2 × 60 s", seconds / _ALLOWED, 0.3))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.db"
        _fill(path)
        for again, gate in (("", 0.25), (" again", 0.1)):
            seconds = _seconds(lambda: _study(path))
            rows.append((f"{_WHAT}, from the store{again}, of 2 × 60 s", seconds / _ALLOWED, gate))
    return rows


def growth() -> list[tuple[str, float]]:
    """Return (what, exponent of processor time in it), over a factor of 4."""
    smaller = {
        f"systems ({SYSTEMS // 4} to {SYSTEMS})": (SYSTEMS // 4, DATASETS, ITEMS),
        f"datasets ({DATASETS // 4} to {DATASETS})": (SYSTEMS, DATASETS // 4, ITEMS),
        f"items ({ITEMS // 4} to {ITEMS:,})": (SYSTEMS, DATASETS, ITEMS // 4),
    }
    rows = []
    for name, work in (("", _count_graded), (", joint", _count_jointly)):
        full = _seconds(lambda: work(SYSTEMS, DATASETS, ITEMS))  # noqa: B023
        for what, shape in smaller.items():
            part = _seconds(lambda: work(*shape))  # noqa: B023
            rows.append((f"{what}{name}", math.log(full / part) / math.log(4)))
    return rows


def peak_memory() -> dict[str, float]:
    """Return MiB that the matrix adds to a process that has made a small one before."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.db"
        _fill(path)
        with context.Pool(1, maxtasksperchild=1) as pool:
            return {
                "p-values and counts, one dataset's scores at a time": pool.apply(_added_by_counts),
                "from the store": pool.apply(_added_by_study, (path,)),
                "joint, all scores in memory before": pool.apply(_added_by_joint),
            }


def _graded(scores: FloatArray) -> FloatArray:
    return scores


def _binary(scores: FloatArray) -> FloatArray:
    return (scores > 0).astype(np.float64)


_SCALES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "graded": _graded,
    "ratings": ratings,
    "right or wrong": _binary,
}


def _scores(dataset: int, n_systems: int = SYSTEMS, n_items: int = ITEMS) -> FloatArray:
    """Return scores of a dataset: half the variance is the items' own; systems differ a little."""
    rng = np.random.default_rng(dataset)
    noise = rng.normal(size=n_items) + rng.normal(size=(n_systems, n_items))
    return noise + np.linspace(0, 0.3, n_systems)[:, np.newaxis]


def _count(
    squeeze: Callable[[FloatArray], FloatArray],
    n_systems: int = SYSTEMS,
    n_datasets: int = DATASETS,
    n_items: int = ITEMS,
) -> None:
    """Draw scores, test each pair on each dataset, and count for all pairs."""
    pvalues = np.empty((n_datasets, n_systems, n_systems))
    for dataset in range(n_datasets):
        result = pairwise(
            squeeze(_scores(dataset, n_systems, n_items)),
            alternative="greater",
            correction="none",
            interval="none",
        )
        pvalues[dataset] = result.pvalue
    counts = count_all_pairs(pvalues)
    assert np.all(counts.k["bonferroni"] <= counts.k["count"])


def _count_graded(*shape: int) -> None:
    _count(_graded, *shape)


def _count_jointly(*shape: int) -> None:
    joint_counts(_cells(*shape), n_resamples=_JOINT_RESAMPLES)


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _cells(n_systems: int, n_datasets: int, n_items: int) -> list[JointCell]:
    """Return cells whose first items are the same ones everywhere."""
    n_shared = n_items // 10
    units = np.arange(n_datasets * n_items).reshape(n_datasets, n_items)
    units[:, :n_shared] = np.arange(n_shared)
    return [
        JointCell(_scores(dataset, n_systems, n_items)[:, :, np.newaxis], "mean", units[dataset])
        for dataset in range(n_datasets)
    ]


def _fill(path: Path) -> None:
    """Write a store with scores of all systems on all datasets."""
    store = open_store(path, create=True)
    for dataset in range(DATASETS):
        items = [BundleItem(f"question {dataset} of {i}") for i in range(ITEMS)]
        bundle = ImportBundle(
            format="benchmark",
            files=[SourceFile(f"scores {dataset}.csv", f"{dataset:064x}")],
            datasets=[BundleDataset(f"dataset {dataset:02d}", items=items)],
            metrics=[BundleMetric("score", higher_is_better=True)],
            runs=[
                BundleRun(f"system {i:03d}", 0, scores=[BundleScores(0, row[:, np.newaxis])])
                for i, row in enumerate(_scores(dataset))
            ],
        )
        ingest(store, bundle, actor="bench")
    store.close()


def _study(path: Path, n_systems: int = SYSTEMS, n_datasets: int = DATASETS) -> None:
    store = open_store(path)
    study = study_replicability_matrix(
        store,
        systems=[f"system {i:03d}" for i in range(n_systems)],
        datasets=[f"dataset {i:02d}" for i in range(n_datasets)],
    )
    store.close()
    assert study.k.shape == (n_systems, n_systems)


def _added_by_counts() -> float:
    _count(_graded, 4, 2, 50)
    return _added(lambda: _count(_graded))


def _added_by_study(path: Path) -> float:
    _study(path, 4, 2)
    return _added(lambda: _study(path))


def _added_by_joint() -> float:
    joint_counts(_cells(4, 3, 50), n_resamples=99)
    cells = _cells(SYSTEMS, DATASETS, ITEMS)
    return _added(lambda: joint_counts(cells, n_resamples=_JOINT_RESAMPLES))


def _added(work: Callable[[], object]) -> float:
    before = highest_memory()
    work()
    return highest_memory() - before
