"""A long CSV into the store, against pyarrow that reads it and bare sqlite3 that keeps its vectors.

The peer does the least that leads to the same numbers: it checks nothing, and keeps no names of
runs, statuses, digests or history. Both run in one process, interleaved; times are CPU times and
the ratio is the median. The file is made anew in a temporary folder and removed.
"""

from __future__ import annotations

import sqlite3
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

from store.engine import open_store
from store.importers.detect import read_paths
from store.ingest.planned import ingest_settled, settle

N_SYSTEMS, N_DATASETS, N_ITEMS = 50, 4, 5_000


def run() -> list[tuple[str, float, float]]:
    """Return (name, ratio, gate); a ratio above its gate is too slow."""
    n_rows = N_SYSTEMS * N_DATASETS * N_ITEMS
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        write_table(path, N_SYSTEMS, N_DATASETS, N_ITEMS)
        ratio = import_ratio(path)
    return [(f"import {n_rows:,} rows of a long CSV / pyarrow and bare sqlite3", ratio, 5.0)]


def write_table(path: Path, n_systems: int, n_datasets: int, n_items: int) -> None:
    """Write a long table of scores with four decimals."""
    rng = np.random.default_rng(0)
    items = [f"q{i:06d}" for i in range(n_items)]
    with path.open("w", encoding="utf-8") as file:
        file.write("system,dataset,item,metric,score\n")
        for system in range(n_systems):
            for dataset in range(n_datasets):
                head, scores = f"system {system:03d},set {dataset:02d},", rng.random(n_items)
                pairs = zip(items, scores.round(4).tolist(), strict=True)
                file.writelines([f"{head}{item},accuracy,{score}\n" for item, score in pairs])


def import_ratio(path: Path, repetitions: int = 3) -> float:
    """Return how much longer an import takes than to read the file and keep its vectors."""
    ours, bare = [], []
    for number in range(repetitions):
        began = time.process_time()
        _import(path, path.with_name(f"ours{number}.db"))
        between = time.process_time()
        _keep(path, path.with_name(f"bare{number}.db"))
        ours.append(between - began)
        bare.append(time.process_time() - between)
    return float(np.median(np.divide(ours, bare)))


def _import(path: Path, target: Path) -> None:
    store = open_store(target, create=True)
    read = read_paths(path)
    ingest_settled(store, read, settle(store, read.readings, {}), actor="bench")
    store.close()


def _keep(path: Path, target: Path) -> None:
    """Read the file with pyarrow; keep keys of items and vectors of scores in two tables."""
    texts = pa.dictionary(pa.int32(), pa.string())
    kinds = dict.fromkeys(("system", "dataset", "item", "metric"), texts)
    table = (
        arrow_csv.read_csv(
            path,
            arrow_csv.ReadOptions(use_threads=False),
            convert_options=arrow_csv.ConvertOptions(column_types=kinds),
        )
        .unify_dictionaries()
        .combine_chunks()
    )
    coded = {name: table.column(name).chunk(0) for name in kinds}
    system, dataset, item = (coded[n].indices.to_numpy() for n in ("system", "dataset", "item"))
    n_runs = len(coded["system"].dictionary) * len(coded["dataset"].dictionary)
    vectors = np.full((n_runs, len(coded["item"].dictionary)), np.nan)
    run = system * len(coded["dataset"].dictionary) + dataset
    vectors[run, item] = table.column("score").to_numpy()
    write = sqlite3.connect(target, isolation_level=None)
    for pragma in ("page_size=16384", "journal_mode=WAL", "synchronous=FULL"):
        write.execute(f"PRAGMA {pragma}")
    write.execute("BEGIN IMMEDIATE")
    write.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, key TEXT)")
    write.execute("CREATE TABLE vector (id INTEGER PRIMARY KEY, data BLOB)")
    keys = coded["item"].dictionary.to_pylist()
    write.executemany("INSERT INTO item (key) VALUES (?)", [(key,) for key in keys])
    write.executemany("INSERT INTO vector (data) VALUES (?)", [(v.tobytes(),) for v in vectors])
    write.execute("COMMIT")
    write.close()
