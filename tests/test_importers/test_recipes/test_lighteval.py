"""LightEval: results, and the details that belong to them."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from .conftest import figures_of, scores_of

TASK = "community|quiz|5"
TIME = "2025-12-18T14-46-52.771203"


def results(digest="0e3d3070789c3703", max_samples=None, **figures):
    metric = {"metric_name": ["acc"], "higher_is_better": {"acc": True, "fails": False}}
    figures = figures or {"acc": 0.5, "acc_stderr": 0.1, "fails": 0.25}
    return {
        "config_general": {"model_name": "org/net", "model_dtype": "bfloat16",
                           "max_samples": max_samples},
        "results": {TASK: figures, "all": figures, "community|quiz:_average|5": figures},
        "versions": {},
        "config_tasks": {TASK: {"metrics": [metric]}},
        "summary_tasks": {TASK: {"hashes": {"hash_examples": digest}}},
        "summary_general": {},
    }  # fmt: skip


def test_averages_over_tasks_are_no_results_and_directions_are_stated(put, read):
    put(results(), f"results/org/net/results_{TIME}.json")
    (bundle,) = read().bundles
    name = "org/net (bfloat16)"
    assert figures_of([bundle]) == {(name, "quiz", "acc"): [0.5], (name, "quiz", "fails"): [0.25]}
    assert [m.higher_is_better for m in bundle.metrics] == [True, False]
    assert bundle.reported_scores[0].stderr == 0.1
    assert bundle.runs[0].label.startswith("5-shot 2025-12-18")
    assert bundle.datasets[0].version == "0e3d3070"


@pytest.mark.parametrize(("part", "version"), [(None, "0e3d3070"), (10, "")])
def test_other_items_are_another_version_unless_only_a_part_was_asked(put, read, part, version):
    put(results(max_samples=part), "results_2025-01-01T00-00-00.json")
    assert read().bundles[0].datasets[0].version == version


def test_details_belong_to_the_run_of_their_results(put, read, tmp_path):
    put(results(), f"results/org/net/results_{TIME}.json")
    rows = [
        {"doc": {"id": "7", "query": "Tweet?", "choices": ["a", "b"], "gold_index": 1},
         "metric": {"acc": 1.0, "fails": 0.0}, "model_response": {"text": ["b"]}},
        {"doc": {"id": "9", "query": "Moo?", "choices": ["a", "b"], "gold_index": 0},
         "metric": {"acc": 0.0, "fails": None}, "model_response": {"text": ["b"]}},
    ]  # fmt: skip
    folder = tmp_path / f"details/org/net/{TIME}"
    folder.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / f"details_{TASK}_{TIME}.parquet")
    details, stated = read(with_text=True).bundles
    assert scores_of([details]) == {
        ("org/net (bfloat16)", "quiz", "acc", 0): {"7": 1, "9": 0},
        ("org/net (bfloat16)", "quiz", "fails", 0): {"7": 0, "9": None},
    }
    assert details.datasets[0].version == stated.datasets[0].version
    assert details.runs[0].label == stated.runs[0].label
    assert details.datasets[0].items[0].reference_text == "b"


def test_the_direction_of_a_task_that_is_named_without_its_shots(put, read):
    content = results(em_fuzzy=0.5)
    metric = {"metric_name": "em_fuzzy", "higher_is_better": True}
    content["config_tasks"] = {TASK.rpartition("|")[0]: {"metric": [metric]}}
    put(content, f"results_{TIME}.json")
    assert [m.higher_is_better for m in read().bundles[0].metrics] == [True]
