"""Records of Every Eval Ever and stores of MLflow: the same scores when they go in again."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
import yaml

import tiebreak
from store.datasets import get_dataset, list_datasets, list_items
from store.engine import Store, open_store
from store.errors import NotFoundError, StoreError
from store.export_eee import export_eee
from store.export_mlflow import export_mlflow
from store.importers.bundle import ReadOptions
from store.ingest.files import ingest_files
from store.metrics import list_metrics
from store.reported import list_reported_scores
from store.run_scores import load_run_scores
from store.runs import list_runs


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a store with two systems, texts, groups, a missing score and two trials."""
    words = {"dataset": "news", "dataset_version": "v2", "store": tmp_path / "s.db"}
    texts = {"q1": "Who?", "q2": "Where, ü?", "q3": "Why?"}
    for trial in range(2):
        tiebreak.log_run(
            system="org/net",
            scores={
                "q1": {"accuracy": 1 / 3, "loss": 0.1 + 0.2},
                "q2": {"accuracy": 0, "loss": 1e-17 + trial},
                "q3": {"accuracy": math.nan, "loss": 5},
            },
            texts=texts,
            references={"q1": "me"},
            outputs={"q1": "you", "q2": "there"},
            groups={"q1": "d1", "q2": "d1", "q3": "d2"},
            config={"temperature": 0.5},
            trial=trial,
            **words,
        )
    other = {"q1": {"accuracy": 1, "zeal": 7}, "q3": {"accuracy": 0, "zeal": 9}}
    tiebreak.log_run(system="b: ü", scores=other, higher_is_better=False, **words)
    with open_store(tmp_path / "s.db") as opened:
        yield opened


def vectors(store: Store) -> dict[tuple[str, str, str], set[bytes]]:
    """Return (system, metric, direction) -> the bytes of each trial's scores, by item."""
    found: dict[tuple[str, str, str], set[bytes]] = {}
    keys = [item.key for item in list_items(store, get_dataset(store, "news@v2").uid)]
    for run in list_runs(store):
        metrics = {vector.metric_uid: vector.metric for vector in run.vectors}
        for one in load_run_scores(store, run.uid):
            column = dict(zip(keys, one.scores[:, 0], strict=False))
            scores = np.array([column.get(key, np.nan) for key in ("q1", "q2", "q3")])
            found.setdefault((run.system, metrics[one.metric_uid]), set()).add(scores.tobytes())
    return found


def test_records_go_in_again_bit_equal(store: Store, tmp_path: Path) -> None:
    assert export_eee(store, tmp_path / "out") == 6
    with open_store(tmp_path / "again.db", create=True) as again:
        done = ingest_files(
            again, tmp_path / "out", actor="test", options=ReadOptions(with_text=True)
        )
        assert done.plan.is_whole, [one.reason for one in done.plan.entries]
        assert vectors(again) == vectors(store)
        assert {one.name: one.higher_is_better for one in list_metrics(again)} == {
            "accuracy": True,
            "loss": False,
            "zeal": False,
        }
        assert not [found for report in done.reports for found in report.differences]
        items = list_items(again, get_dataset(again, "news@v2").uid)
        known = list_items(store, get_dataset(store, "news@v2").uid)
        assert {i.key: i.content_hash for i in items} == {i.key: i.content_hash for i in known}
        assert ingest_files(again, tmp_path / "out", actor="test").reports[0].changed is False


def test_records_are_as_the_schemas_ask(store: Store, tmp_path: Path) -> None:
    export_eee(store, tmp_path / "out", dataset="news@v2")
    paths = sorted(tmp_path.glob("out/news/org/net/*[0-9].json"))
    records = [json.loads(path.read_text("utf-8")) for path in paths]
    by_metric = {
        one["evaluation_results"][0]["metric_config"]["metric_name"]: one for one in records
    }
    assert by_metric["loss"]["evaluation_results"][0]["metric_config"]["lower_is_better"] is True
    record = by_metric["accuracy"]
    assert record["model_info"]["id"] == "org/net"
    assert record["evaluation_results"][0]["score_details"]["score"] == 1 / 6
    detail = record["detailed_evaluation_results"]
    lines = (tmp_path / "out" / detail["file_path"]).read_text("utf-8").splitlines()
    assert len(lines) == detail["total_rows"] == 2
    first = json.loads(lines[0])
    assert (first["sample_id"], first["evaluation"]["score"]) == ("q1", 1 / 3)
    assert (first["input"]["raw"], first["output"]["raw"]) == ("Who?", ["you"])
    assert first["metadata"] == {"group": "d1"}
    known = {one["evaluation_result_id"] for one in record["evaluation_results"]}
    assert {json.loads(line)["evaluation_result_id"] for line in lines} == known


@pytest.mark.parametrize("write", [export_eee, export_mlflow])
def test_folder_must_be_new(store: Store, tmp_path: Path, write) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").touch()
    with pytest.raises(StoreError, match="exists already"):
        write(store, tmp_path / "out")
    with pytest.raises(NotFoundError):
        write(store, tmp_path / "new", dataset="olds")
    assert not (tmp_path / "new").exists()


def test_store_of_mlflow_goes_in_again_bit_equal(store: Store, tmp_path: Path) -> None:
    assert export_mlflow(store, tmp_path / "mlruns") == 3
    with open_store(tmp_path / "again.db", create=True) as again:
        done = ingest_files(again, tmp_path / "mlruns", actor="test")
        assert done.plan.is_whole, [one.reason for one in done.plan.entries]
        assert vectors(again) == vectors(store)
        assert {one.name: one.higher_is_better for one in list_metrics(again)} == {
            "accuracy": True,
            "loss": False,
            "zeal": False,
        }
        figures = list_reported_scores(again)
        runs = {v.value for run in list_runs(store) for v in run.vectors}
        assert {one.value for one in figures} == runs
        assert {(one.system, one.dataset) for one in figures} == {
            ("org/net", "news"),
            ("b: ü", "news"),
        }
        assert [one.label for one in list_datasets(again)] == ["news (v2)"]
        groups = {i.key: i.group for i in list_items(again, list_datasets(again)[0].uid)}
        assert groups == {"q1": "d1", "q2": "d1", "q3": "d2"}
        assert not any(
            r.changed for r in ingest_files(again, tmp_path / "mlruns", actor="t").reports
        )


def test_files_are_laid_out_as_mlflow_writes_them(store: Store, tmp_path: Path) -> None:
    export_mlflow(store, tmp_path / "mlruns")
    experiment = yaml.safe_load((tmp_path / "mlruns" / "1" / "meta.yaml").read_text("utf-8"))
    assert (experiment["experiment_id"], experiment["name"]) == ("1", "news v2")
    runs = [path.parent for path in tmp_path.glob("mlruns/1/*/meta.yaml")]
    for run in runs:
        meta = yaml.safe_load((run / "meta.yaml").read_text("utf-8"))
        assert meta["run_id"] == run.name
        assert (len(run.name), meta["status"], meta["lifecycle_stage"]) == (32, 3, "active")
        time, value, step = (run / "metrics" / "accuracy").read_text().split()
        assert (int(time), step) == (meta["end_time"], "0")
        assert float(value) in (1 / 6, 0.5)
    temperatures = [run / "tags" / "config.temperature" for run in runs]
    assert [path.read_text() for path in temperatures if path.exists()] == ["0.5", "0.5"]
