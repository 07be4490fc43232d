"""Runs of Terminal-Bench, in files of our own making."""

import json

import numpy as np
import pytest

from store.errors import ImportFormatError
from store.importers.bundle import Status
from store.importers.detect import read_paths


def trial(task, verdict, tokens=0):
    times = {"agent_started_at": "2025-07-11T19:00:00+00:00"}
    times["agent_ended_at"] = "2025-07-11T19:01:30+00:00"
    return {"task_id": task, "is_resolved": verdict, "total_input_tokens": tokens, **times}


def results(*trials, accuracy=0.5):
    ids = {"resolved_ids": ["a"], "unresolved_ids": ["b"]}
    return json.dumps({"id": "x", "results": trials, "accuracy": accuracy, **ids})


@pytest.fixture
def bundles(write, tmp_path):
    def make(**files):
        for name, content in files.items():
            write(content, f"20250711_agent_net/{name}/results.json")
        return read_paths([tmp_path], root=tmp_path, whole=True).bundles

    return make


def test_runs_of_a_submission_are_trials(bundles):
    one = results(trial("a", True, 7), trial("b.hard", False))
    two = results(trial("a", None), trial("b.hard", True), trial("c", False), accuracy=0.25)
    (bundle,) = bundles(run1=one, run2=two)
    assert bundle.format == "terminal_bench"
    (run,) = bundle.runs
    assert run.system == "agent_net"
    assert run.provenance.evaluated_on.date().isoformat() == "2025-07-11"
    assert [(i.key, i.group) for i in bundle.datasets[0].items][1] == ("b.hard", "b")
    resolved = {s.trial: s.values[:, 0] for s in run.scores if s.metric == 0}
    np.testing.assert_array_equal(resolved[0], [1, 0, np.nan])
    np.testing.assert_array_equal(resolved[1], [np.nan, 1, 0])
    assert [run.statuses[n].tolist() for n in (0, 1)] == [[0, 0, 1], [2, 0, 0]]
    costs = {(s.trial, bundle.metrics[s.metric].name): s.values[:, 0] for s in run.scores}
    np.testing.assert_array_equal(costs[0, "duration"], [90, 90, np.nan])
    np.testing.assert_array_equal(costs[0, "input_tokens"], [7, np.nan, np.nan])
    assert [(s.source, s.value) for s in bundle.reported_scores] == [("run1", 0.5), ("run2", 0.25)]
    assert any("1 of 2 runs state another accuracy" in told for told in bundle.understood)


def test_how_trials_failed_is_their_outcome(bundles):
    modes = [
        ("a", True, "agent_timeout"),
        ("b", False, "agent_timeout"),
        ("c", None, "parse_error"),
        ("d", None, "test_timeout"),
        ("e", None, "unknown_agent_error"),
        ("f", False, "unset"),
    ]
    trials = [{**trial(task, verdict), "failure_mode": mode} for task, verdict, mode in modes]
    (bundle,) = bundles(run=results(*trials))
    (status,) = bundle.runs[0].statuses.values()
    assert [Status(one).name for one in status] == [
        *("OK", "TIMED_OUT", "JUDGE_FAILED", "JUDGE_FAILED", "ERROR", "OK"),
    ]


def test_a_task_tried_twice_in_a_run(bundles):
    (bundle,) = bundles(run=results(trial("a", True), trial("b", True), trial("a", False)))
    resolved = [s.values[:, 0] for s in bundle.runs[0].scores if s.metric == 0]
    np.testing.assert_array_equal(resolved, [[1, 1], [0, np.nan]])


def test_a_number_of_tokens_beyond_all_numbers_was_not_counted(bundles):
    (bundle,) = bundles(run=results(trial("a", True, int("9" * 400)), trial("b", True, 7)))
    names = [metric.name for metric in bundle.metrics]
    (tokens,) = [s for s in bundle.runs[0].scores if names[s.metric] == "input_tokens"]
    np.testing.assert_array_equal(tokens.values[:, 0], [np.nan, 7])


@pytest.mark.parametrize("bad", [{"task_id": "b", "is_resolved": "yes"}, {"is_resolved": True}])
def test_damaged_trials_name_their_place(bundles, bad):
    with pytest.raises(ImportFormatError, match=r"results\[1\]"):
        bundles(run=results(trial("a", True), bad))


def test_trials_in_files_of_their_own_are_those_of_their_run(write, tmp_path):
    for task, verdict, number in (("a", True, 1), ("a", False, 2), ("b", None, 1)):
        one = {"trial_name": f"{task}.{number}-of-2", **trial(task, verdict)}
        place = f"20250711_agent_net/{task}/{task}.{number}-of-2"
        write(json.dumps(one), f"terminal-bench-core@0.1.1/{place}/results.json")
    (bundle,) = read_paths([tmp_path], root=tmp_path, whole=True).bundles
    (run,) = bundle.runs
    found = {s.trial: s.values[:, 0].tolist() for s in run.scores if s.metric == 0}
    assert (run.system, bundle.datasets[0].version) == ("agent_net", "0.1.1")
    np.testing.assert_equal(found, {0: [1, np.nan], 1: [0, np.nan]})


def test_a_run_with_a_file_of_its_own_does_not_count_its_trials_twice(write, bundles):
    one = json.dumps({"trial_name": "a.1-of-1", **trial("a", True)})
    write(one, "20250711_agent_net/run1/a/a.1-of-1/results.json")
    (bundle,) = bundles(run1=results(trial("a", True), trial("b", False)))
    (run,) = bundle.runs
    assert [s.values[:, 0].tolist() for s in run.scores if s.metric == 0] == [[1, 0]]


def test_files_of_runs_side_by_side_keep_what_each_states(write, tmp_path):
    for name, accuracy in (("one", 0.5), ("two", 0.25)):
        content = results(trial("a", True), trial("b", False), accuracy=accuracy)
        write(content, f"20250711_agent_net/{name}_results.json")
    (bundle,) = read_paths([tmp_path], root=tmp_path, whole=True).bundles
    assert {s.source: s.value for s in bundle.reported_scores} == {
        "one_results": 0.5,
        "two_results": 0.25,
    }


def test_runs_as_the_harness_writes_them_belong_to_their_agents(write, tmp_path):
    for time, agent, model, verdict in (
        ("2025-09-14__14-24-59", "terminus", "org/net", True),
        ("2025-09-14__15-55-09", "terminus", "org/net", False),
        ("2025-09-15__10-00-00", "own-agent", None, False),
    ):
        metadata = {"agent_name": agent, "model_name": model, "dataset_version": "0.1.1"}
        write(json.dumps(metadata), f"runs/{time}/run_metadata.json")
        write(results(trial("a", verdict)), f"runs/{time}/results.json")
    bundles = read_paths([tmp_path / "runs"], root=tmp_path).bundles
    resolved = {
        run.system: [s.values.ravel().tolist() for s in run.scores if s.metric == 0]
        for bundle in bundles
        for run in bundle.runs
    }
    assert resolved == {"terminus (org/net)": [[1], [0]], "own-agent": [[0]]}
    assert not any(bundle.guesses for bundle in bundles)
