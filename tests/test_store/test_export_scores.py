"""Exported scores are, byte by byte, what a row-wise writer of all scores would write."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from store.datasets import list_items
from store.engine import Store, open_store
from store.export_scores import write_scores
from store.importers.bundle import (
    COMPONENTS,
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleRun,
    BundleScores,
    ImportBundle,
    SourceFile,
    Status,
)
from store.ingest import ingest
from store.metrics import list_metrics
from store.run_scores import load_run_scores
from store.runs import list_runs
from store.shown import spreadsheet_safe


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with names that need quoting, groups, parts, several trials and missing scores."""
    items = [BundleItem("a,b", group="g"), BundleItem('say "x"'), BundleItem("=1+1", group="é")]
    nan = np.nan
    mean = [[0.1], [nan], [1e-7]]
    parts = [[3.0, 1.0, 0.0], [nan] * 3, [2.0, 0.0, 5.0]]
    bundle = ImportBundle(
        format="test",
        files=[SourceFile("t.csv", "0" * 64)],
        datasets=[BundleDataset("d", items=items), BundleDataset("e", "v1", items=items[:1])],
        metrics=[BundleMetric("accuracy"), BundleMetric("span", "s", True, aggregation="f1")],
        runs=[
            BundleRun(
                "one, two",
                0,
                "second",
                [
                    BundleScores(0, np.array(mean)),
                    BundleScores(0, np.array(mean) * 2, trial=1),
                    BundleScores(1, np.array(parts)),
                ],
                {0: np.array([Status.OK, Status.ERROR, Status.OK], np.uint8)},
            ),
            BundleRun("-b", 1, scores=[BundleScores(0, np.array([[1.0]]))]),
        ],
    )
    store = open_store(tmp_path_factory.mktemp("export") / "s.db", create=True)
    ingest(store, bundle, actor="test")
    return store


def rows_of(store: Store) -> list[dict[str, Any]]:
    """Return all rows, one by one."""
    metrics = {metric.uid: metric for metric in list_metrics(store)}
    return [
        {
            "system": run.system,
            "dataset": run.dataset,
            "dataset_version": run.dataset_version or None,
            "run": run.label or None,
            "trial": vector.trial,
            "item": item.key,
            "group": item.group,
            "metric": metrics[vector.metric_uid].label,
            "status": Status(status).name.lower().replace("_", " "),
        }
        | {
            name: None if np.isnan(value) else float(value)
            for name, value in zip(
                COMPONENTS[metrics[vector.metric_uid].aggregation], scores, strict=True
            )
        }
        for run in reversed(list_runs(store))
        for vector in load_run_scores(store, run.uid)
        for item, scores, status in zip(
            list_items(store, run.dataset_uid), vector.scores, vector.status, strict=True
        )
    ]


@pytest.mark.parametrize("raw", [False, True])
def test_text_is_that_of_a_row_wise_writer(store: Store, raw: bool) -> None:
    rows = exact = rows_of(store)
    if not raw:
        rows = [{name: spreadsheet_safe(cell) for name, cell in row.items()} for row in rows]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    wanted = io.StringIO()
    writer = csv.DictWriter(wanted, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    got = io.StringIO()
    assert write_scores(store, None, "csv", got, raw=raw) == len(rows) == 10
    assert got.getvalue() == wanted.getvalue()
    lines = io.StringIO()
    write_scores(store, None, "jsonl", lines, raw=raw)
    assert lines.getvalue() == "".join(
        json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in exact
    )


def test_parquet_has_the_same_rows(store: Store, tmp_path: Path) -> None:
    write_scores(store, tmp_path / "s.parquet", "parquet", io.StringIO())
    rows = rows_of(store)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    whole = [{name: row.get(name) for name in columns} for row in rows]
    assert pq.read_table(tmp_path / "s.parquet").to_pylist() == whole


def test_a_store_without_scores_gives_a_file_without_rows(tmp_path: Path) -> None:
    store = open_store(tmp_path / "s.db", create=True)
    out = io.StringIO()
    assert write_scores(store, None, "csv", out) == 0
    assert out.getvalue() == "\n"
