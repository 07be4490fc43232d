"""The store against the least that could do the same: bare sqlite3, and a plain file of numbers.

Both sides run in one process, interleaved, so that a busy machine slows both. Times are CPU times;
the ratio is the median over the repetitions. What is short is timed five calls at a time, for the
clock is coarse.
"""

from __future__ import annotations

import hashlib
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from store.arrays import load_matrix
from store.engine import open_store
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleRun,
    BundleScores,
    FloatArray,
    ImportBundle,
    SourceFile,
)
from store.ingest import ingest

N_ITEMS = 5_000
N_METRICS = 3
N_SYSTEMS = 200


def run() -> list[tuple[str, float, float]]:
    """Return (name, ratio, gate) of each comparison; a ratio above its gate is too slow."""
    with tempfile.TemporaryDirectory() as folder:
        return [
            (
                f"ingest {N_ITEMS:,} items × {N_METRICS} metrics / bare sqlite3",
                ingest_ratio(Path(folder)),
                4.5,
            ),
            *(
                (f"load_matrix {N_SYSTEMS} systems × {N_ITEMS:,} items / {peer}", ratio, gate)
                for (peer, ratio), gate in zip(
                    matrix_ratios(Path(folder)).items(), (16.0, 1.0), strict=True
                )
            ),
        ]


def ingest_ratio(folder: Path, repetitions: int = 7) -> float:
    """Return how much longer an ingest takes than to write the same rows with bare sqlite3."""
    rng = np.random.default_rng(0)
    bundle = _bundle("A", rng.random((N_METRICS, N_ITEMS)))
    ours, bare = [], []
    for i in range(repetitions):
        ours.append(_write_ours(bundle, folder / f"ours{i}.db"))
        bare.append(_write_bare(folder / f"ours{i}.db", folder / f"bare{i}.db"))
    return float(np.median(np.divide(ours, bare)))


def matrix_ratios(folder: Path, repetitions: int = 25) -> dict[str, float]:
    """Return how much longer `load_matrix` takes than others take to read the same numbers.

    A plain file has no digests. Bare sqlite3 holds what it reads against them each time; the store
    does the first time, and compares quick sums when it reads the same again, as it does here.
    """
    scores = np.random.default_rng(0).random((N_SYSTEMS, N_ITEMS))
    scores.tofile(folder / "scores.f8")
    path = folder / "matrix.db"
    store = open_store(path, create=True)
    names = [f"system {i:03d}" for i in range(N_SYSTEMS)]
    runs = [_run(name, row[None, :]) for name, row in zip(names, scores, strict=True)]
    ingest(store, _bundle_of(runs, n_metrics=1), actor="bench")
    store.close()  # what was written stands in the file, as another process finds it
    store, bare = open_store(path), sqlite3.connect(path)
    assert np.array_equal(load_matrix(store, "qa", "metric 0").scores[:, :, 0], scores)

    def read_bare() -> None:
        rows = bare.execute("SELECT data, digest FROM score_vector ORDER BY run_id").fetchall()
        assert all(hashlib.sha256(data).hexdigest() == digest for data, digest in rows)
        np.stack([np.frombuffer(data) for data, _ in rows])

    peers = {
        "np.fromfile": lambda: np.fromfile(folder / "scores.f8"),
        "bare sqlite3 and SHA-256, read again": read_bare,
    }
    ours: list[float] = []
    theirs: dict[str, list[float]] = {name: [] for name in peers}
    for _ in range(repetitions):
        ours.append(_cpu_seconds(lambda: load_matrix(store, "qa", "metric 0"), 5))
        for name, read in peers.items():
            theirs[name].append(_cpu_seconds(read, 5))
    store.close()
    bare.close()
    return {name: float(np.median(np.divide(ours, took))) for name, took in theirs.items()}


def _write_ours(bundle: ImportBundle, target: Path) -> float:
    """Ingest a bundle into a new store; return the CPU seconds of the ingest."""
    store = open_store(target, create=True)
    seconds = _cpu_seconds(lambda: ingest(store, bundle, actor="bench"))
    store.close()
    return seconds


def _write_bare(source: Path, target: Path) -> float:
    """Write the items and vectors of a store into the same two tables; return the CPU seconds."""
    read = sqlite3.connect(source)
    made = read.execute(
        "SELECT sql FROM sqlite_master WHERE tbl_name IN ('item', 'score_vector') "
        "AND sql IS NOT NULL ORDER BY type DESC"
    ).fetchall()
    items = read.execute(
        "SELECT dataset_id, position, key, chain_hash FROM item ORDER BY id"
    ).fetchall()
    cursor = read.execute("SELECT * FROM score_vector")
    columns = [column for column, *_ in cursor.description]
    vectors = cursor.fetchall()
    read.close()
    write = sqlite3.connect(target, isolation_level=None)
    for pragma in ("page_size=16384", "journal_mode=WAL", "synchronous=FULL"):
        write.execute(f"PRAGMA {pragma}")
    for (statement,) in made:
        write.execute(statement)

    def work() -> None:
        write.execute("BEGIN IMMEDIATE")
        write.executemany(
            "INSERT INTO item (dataset_id, position, key, chain_hash) VALUES (?, ?, ?, ?)", items
        )
        marks = ", ".join("?" * len(columns))
        write.executemany(f"INSERT INTO score_vector VALUES ({marks})", vectors)
        write.execute("COMMIT")

    seconds = _cpu_seconds(work)
    write.close()
    return seconds


def _cpu_seconds(work: Callable[[], object], times: int = 1) -> float:
    began = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - began) / times


def _bundle(system: str, scores: FloatArray) -> ImportBundle:
    return _bundle_of([_run(system, scores)], n_metrics=len(scores))


def _run(system: str, scores: FloatArray) -> BundleRun:
    vectors = [BundleScores(metric, row[:, None]) for metric, row in enumerate(scores)]
    return BundleRun(system, 0, scores=vectors)


def _bundle_of(runs: list[BundleRun], n_metrics: int) -> ImportBundle:
    return ImportBundle(
        format="benchmark",
        files=[SourceFile("scores.csv", "0" * 64)],
        datasets=[BundleDataset("qa", items=[BundleItem(f"item {i:05d}") for i in range(N_ITEMS)])],
        metrics=[BundleMetric(f"metric {i}", higher_is_better=True) for i in range(n_metrics)],
        runs=runs,
    )
