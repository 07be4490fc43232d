"""Submissions, reports and boards of SWE-bench, in files of our own making."""

import json

import numpy as np
import pytest

from store.engine import open_store
from store.errors import ImportFormatError
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths
from store.ingest import ingest
from store.reported import list_reported_scores
from store.run_scores import load_run_scores
from store.runs import list_runs

A, B, C, D = "org__app-1", "org__app-2", "org__lib-3", "org__lib-4"
WHOLE = {
    "total_instances": 4,
    "resolved_instances": 1,
    "resolved_ids": [A],
    "unresolved_ids": [],
    "empty_patch_ids": [B],
    "error_ids": [C],
    "incomplete_ids": [D],
}
SHORT = {"resolved": [B], "no_generation": [C], "no_logs": []}
ROOT = "evaluation/odd/20250102_agent"


@pytest.fixture
def bundle(write, tmp_path):
    def make(**files):
        for name, content in files.items():
            text = content if isinstance(content, str) else json.dumps(content)
            write(text, name)
        (bundle,) = read_paths([tmp_path], options=ReadOptions(), root=tmp_path, whole=True).bundles
        return bundle

    return make


def scores(run):
    return dict(zip("ABCD", run.scores[0].values[:, 0].tolist(), strict=False))


def test_a_report_tells_failed_from_missing(bundle):
    made = bundle(**{f"{ROOT}/results/results.json": WHOLE, f"{ROOT}/metadata.yaml": "name: Agent"})
    (run,) = made.runs
    assert (run.system, run.label) == ("Agent", "20250102_agent")
    assert run.provenance.evaluated_on.date().isoformat() == "2025-01-02"
    np.testing.assert_array_equal(run.scores[0].values[:, 0], [1, 0, np.nan, np.nan])
    assert run.statuses[0].tolist() == [0, 0, 2, 1]
    assert made.datasets[0].name == "SWE-bench odd"
    groups = [item.group for item in made.datasets[0].items]
    assert groups == ["org/app", "org/app", "org/lib", "org/lib"]


def test_short_results_are_completed_by_submissions_that_list_the_split(bundle):
    other = "evaluation/odd/20250103_short/results/results.json"
    made = bundle(**{f"{ROOT}/results/results.json": WHOLE, other: SHORT})
    run = next(run for run in made.runs if run.system == "short")
    assert run.scores[0].values[:, 0].tolist() == [0, 1, 0, 0]
    assert run.statuses[0].tolist() == [0, 0, 3, 0]
    assert any("4 instances together" in told for told in made.understood)


def test_short_results_are_completed_by_their_predictions_only_as_far_as_they_go(bundle):
    lines = "".join(json.dumps({"instance_id": one, "model_patch": ""}) + "\n" for one in (A, B))
    made = bundle(**{f"{ROOT}/results/results.json": SHORT, f"{ROOT}/all_preds.jsonl": lines})
    assert [item.key for item in made.datasets[0].items] == [A, B, C]
    assert made.runs[0].scores[0].values[:, 0].tolist() == [0, 1, 0]
    assert [left.path for left in made.left_out] == [f"{ROOT}/all_preds.jsonl"]


def test_short_results_alone_are_completed_by_the_store_only(write, tmp_path):
    whole = write(json.dumps(WHOLE), f"{ROOT}/results/results.json")
    short = write(json.dumps(SHORT), "other/evaluation/odd/20250103_short/results/results.json")
    (bundle,) = read_paths([short], root=tmp_path).bundles
    with open_store(tmp_path / "store.db", create=True) as store:
        with pytest.raises(ImportFormatError, match="only what succeeded"):
            ingest(store, bundle, actor="test")
        ingest(store, read_paths([whole], root=tmp_path).bundles[0], actor="test")
        ingest(store, bundle, actor="test")
        run = next(run for run in list_runs(store) if run.system == "short")
        (scores,) = load_run_scores(store, run.uid)
    assert scores.item_values.tolist() == [0, 1, 0, 0]


def test_results_by_instance(bundle):
    reports = {f"logs/{one}/report.json": {one: {"resolved": one == A}} for one in (A, B)}
    made = bundle(**{f"{ROOT}/{name}": content for name, content in reports.items()})
    assert made.runs[0].scores[0].values[:, 0].tolist() == [1, 0]


def test_reports_of_one_name_are_told_apart_by_the_folder_around(write, tmp_path):
    for run in ("exp1", "exp2"):
        write(json.dumps(WHOLE), f"{run}/evaluations/net.eval.json")
    found = read_paths([tmp_path], root=tmp_path, whole=True).bundles
    assert {(r.system, r.label) for b in found for r in b.runs} == {
        ("net", "exp1"),
        ("net", "exp2"),
    }


def test_lone_reports_of_one_folder_are_two_systems(bundle):
    made = bundle(**{"gpt.run1.json": WHOLE, "net.run1.json": WHOLE})
    assert [(run.system, run.label) for run in made.runs] == [("gpt", "run1"), ("net", "run1")]
    assert made.guesses[0].subject == "dataset"


@pytest.mark.parametrize(
    ("file", "system", "label", "dataset"),
    [
        ("net-4.5.net-4.5-full", "net-4.5", "net-4.5-full", "SWE-bench"),
        ("net-4.5.eval", "net-4.5", "runs", "SWE-bench"),
        ("swe-bench_lite__test__mine_v1.5", "mine_v1.5", "", "SWE-bench Lite"),
        ("Subset.swe_bench_verified__test__mine", "mine", "", "SWE-bench Verified"),
        ("swe-bench-m__dev__mine", "mine", "", "SWE-bench multimodal dev"),
    ],
)
def test_what_the_name_of_a_report_says(write, tmp_path, file, system, label, dataset):
    write(json.dumps(WHOLE), f"runs/{file}.json")
    (found,) = read_paths([tmp_path], root=tmp_path, whole=True).bundles
    assert (found.runs[0].system, found.runs[0].label) == (system, label)
    assert found.datasets[0].name == dataset


def test_predictions_beside_a_report_are_no_table_of_costs(write, tmp_path):
    cost = {"instance_id": A, "model_patch": "", "usage": {"cost_usd": 0.5}}
    write(json.dumps(WHOLE), "gpt.run1.json")
    write(json.dumps(cost), "predictions.jsonl")
    (found,) = read_paths([tmp_path], root=tmp_path, whole=True).bundles
    assert [metric.name for metric in found.metrics] == ["resolved"]
    assert [one.path for one in found.left_out] == ["predictions.jsonl"]


@pytest.mark.parametrize(
    "files",
    [
        {f"{ROOT}/results/results.json": WHOLE | {"resolved_instances": 3}},
        {f"{ROOT}/per_instance_details.json": {A: {"resolved": "yes"}}},
        {
            f"{ROOT}/per_instance_details.json": {A: {"resolved": False}},
            f"{ROOT}/results/results.json": WHOLE,
        },
    ],
)
def test_contradictions_are_refused(bundle, files):
    with pytest.raises(ImportFormatError):
        bundle(**files)


def entry(name, resolved, details=None, **more):
    date = {"date": "2025-11-18", "folder": f"f_{name}", "site": ["http://a.org"]}
    return {"name": name, "resolved": resolved, "per_instance_details": details, **date, **more}


def test_boards(bundle, tmp_path):
    details = {
        A: {"resolved": True, "cost": 0.5, "api_calls": 4},
        B: {"resolved": False, "cost": None, "api_calls": 6},
    }
    verified = [entry("mini", 52.8, details, instance_cost=0.5), entry("other", 60.0)]
    again = entry("again", 52.8, details, folder="f_mini")
    boards = [{"name": "bash-only", "results": verified}, {"name": "Verified", "results": [again]}]
    made = bundle(**{"leaderboards.json": {"leaderboards": boards}})
    names = [dataset.name for dataset in made.datasets]
    assert names == ["SWE-bench bash-only", "SWE-bench Verified"]
    (run,) = made.runs
    values = [one.values[:, 0].tolist() for one in run.scores]
    np.testing.assert_array_equal(values, [[1, 0], [0.5, np.nan], [4, 6]])
    assert [overlap.kind for overlap in made.overlaps] == ["shared-items"]
    store = open_store(tmp_path / "store.db", create=True)
    report = ingest(store, made, actor="test")
    assert [(one.metric, one.recomputed) for one in report.differences] == [("resolved", 0.5)]
    stated = {(s.system, s.metric): s for s in list_reported_scores(store)}
    assert stated["other", "resolved"].value == 0.6
    assert stated["other", "resolved"].printed == "60.0"


@pytest.mark.parametrize("number", [float("inf"), int("9" * 400), True])
def test_a_share_that_is_no_number_is_named(bundle, number):
    boards = [{"name": "Verified", "results": [entry("a", 50.0), entry("b", number)]}]
    with pytest.raises(ImportFormatError, match=r"f_b/resolved.* is no number"):
        bundle(**{"leaderboards.json": {"leaderboards": boards}})


def test_a_lone_report_names_its_model_and_lost_instances_after_the_predictions(bundle):
    lines = [{"instance_id": key, "model_name_or_path": "org/net"} for key in (A, B, C)]
    found = bundle(
        **{
            "e2e/evaluation_report.json": {A: {"resolved": True}, B: {"resolved": False}},
            "e2e/predictions.jsonl": "\n".join(map(json.dumps, lines)),
        }
    )
    [run] = found.runs
    assert run.system == "org/net"
    assert [item.key for item in found.datasets[0].items] == [A, B, C]
    np.testing.assert_array_equal(run.scores[0].values[:, 0], [1, 0, np.nan])
