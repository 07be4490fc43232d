"""Logs of one model and task with other settings are other systems, or other datasets."""

import json

import pytest

from store.importers.detect import read_paths


@pytest.fixture
def logs(tmp_path):
    """Return a function that writes logs of Inspect and reads them: (system, dataset, label)."""

    def make(*stated, model="net"):
        for number, one in enumerate(stated):
            evaluation = {
                "task": "quiz",
                "task_id": f"t{number}",
                "model": model,
                "created": "2026-05-01T10:00:00Z",
                "dataset": {"samples": 1},
                "config": {},
                **{k: v for k, v in one.items() if k != "generate"},
            }
            sample = {"id": 1, "epoch": 1, "input": "?", "scores": {"match": {"value": "C"}}}
            metrics = {"accuracy": {"value": 1.0}}
            log = {
                "status": "success",
                "eval": evaluation,
                "plan": {"config": one.get("generate", {})},
                "results": {"scores": [{"name": "match", "scorer": "match", "metrics": metrics}]},
                "samples": [sample],
            }
            (tmp_path / f"log{number}.json").write_text(json.dumps(log))
        bundles = read_paths([tmp_path], root=tmp_path, whole=True).bundles
        for bundle in bundles:
            assert [one.system for one in bundle.reported_scores] == [bundle.runs[0].system]
        return [(b.runs[0].system, b.datasets[0].name, b.runs[0].label[20:]) for b in bundles]

    return make


def test_arguments_of_the_task_tell_systems_apart(logs) -> None:
    found = logs({"task_args": {"shots": 0, "cot": True}}, {"task_args": {"shots": 3, "cot": True}})
    assert found == [("net (shots=0)", "quiz", ""), ("net (shots=3)", "quiz", "")]


def test_temperature_is_a_setting_and_a_seed_is_none(logs) -> None:
    found = logs(
        {"generate": {"temperature": 0.5, "seed": 1}}, {"generate": {"temperature": 1, "seed": 2}}
    )
    assert [one[0] for one in found] == ["net (temperature=0.5)", "net (temperature=1)"]


def test_what_chooses_data_tells_datasets_apart(logs) -> None:
    found = logs({"task_args": {"subset": "law"}}, {"task_args": {"subset": "art"}})
    assert [one[:2] for one in found] == [
        ("net", "quiz (subset=law)"),
        ("net", "quiz (subset=art)"),
    ]


def test_logs_of_one_second_are_runs_of_their_own(logs) -> None:
    assert logs({}, {"config": {"limit": 1}}) == [("net", "quiz", ", t0"), ("net", "quiz", ", t1")]


def test_one_model_keeps_its_name_where_only_others_differ(logs) -> None:
    found = logs({"task_args": {"shots": 0}}, {"task_args": {"shots": 3}, "model": "other"})
    assert [one[0] for one in found] == ["net", "other"]


def test_long_settings_are_in_no_name(logs) -> None:
    found = logs({"task_args": {"prompt": "x" * 99}}, {"task_args": {"prompt": "y"}})
    assert [one[0] for one in found] == ["net", "net"]


def test_a_copy_of_a_log_is_the_same_run(logs) -> None:
    assert logs({"task_id": "t"}, {"task_id": "t"}) == [("net", "quiz", "")] * 2
