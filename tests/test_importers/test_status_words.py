"""Columns that say in words what passed: read as truth values, by items."""

import json

import pytest

from store.importers.detect import read_paths


def _scores(folder):
    (bundle,) = read_paths(folder).bundles
    (dataset,) = bundle.datasets
    keys = [item.key for item in dataset.items]
    return {
        (run.system, bundle.metrics[one.metric].name): dict(
            zip(keys, one.values[:, 0].tolist(), strict=True)
        )
        for run in bundle.runs
        for one in run.scores
    }


@pytest.mark.parametrize(
    ("column", "words", "metric"),
    [
        ("status", "PASS FAIL PASS", "passed"),
        ("Status", "\u2705passed \u274cfailed passed", "passed"),
        ("test_status", "passed failed passed", "passed"),
    ],
)
def test_words_of_what_passed_are_scores_of_items(tmp_path, column, words, metric) -> None:
    rows = "".join(f"t{n},net,{word}\n" for n, word in enumerate(words.split()))
    (tmp_path / "cases.csv").write_text(f"test_id,model,{column}\n{rows}")
    assert _scores(tmp_path) == {("net", metric): {"t0": 1.0, "t1": 0.0, "t2": 1.0}}


def test_records_with_ids_and_outcomes_are_items(tmp_path) -> None:
    rows = [{"case_id": f"c{n}", "result": "passed" if n else "failed"} for n in range(4)]
    (tmp_path / "net.json").write_text(json.dumps(rows))
    assert _scores(tmp_path) == {
        ("net", "passed"): {"c0": 0.0, "c1": 1.0, "c2": 1.0, "c3": 1.0},
    }


def test_what_was_skipped_is_missing(tmp_path) -> None:
    (tmp_path / "net.csv").write_text("id,status\na,PASS\nb,FAIL\nc,skipped\nd,ERROR\n")
    (bundle,) = read_paths(tmp_path).bundles
    values = bundle.runs[0].scores[0].values[:, 0].tolist()
    assert values[:2] == [1.0, 0.0]
    assert [value != value for value in values[2:]] == [True, True]


@pytest.mark.parametrize(
    "table",
    [
        "id,status\na,success\nb,running\nc,success\n",
    ],
)
def test_labels_and_other_states_are_no_outcomes(tmp_path, table) -> None:
    (tmp_path / "net.csv").write_text(table)
    names = {one.name for bundle in read_paths(tmp_path).bundles for one in bundle.metrics}
    assert names.isdisjoint({"passed", "correct"})


def test_where_all_failed_and_nothing_else_is_scored_all_failed(tmp_path) -> None:
    rows = [{"task_id": f"t{n}", "weight": n, "status": "failed"} for n in range(4)]
    (tmp_path / "net.json").write_text(json.dumps({"model": "net", "runs": rows}))
    assert _scores(tmp_path) == {("net", "passed"): {f"t{n}": 0.0 for n in range(4)}}
