"""HELM run folders: parts joined, perturbations left out, splits, what is no score."""

import json

import pytest

from store.importers.detect import read_paths

from .conftest import figures_of, scores_of

RUN = "quiz-subject=birds,model=org_net"


def stat(name, mean, **more):
    return {"name": {"name": name, "split": "test", **more}, "count": 1, "mean": mean}


def item(key, *stats, trial=0, **more):
    return {"instance_id": key, "train_trial_index": trial, "stats": list(stats), **more}


@pytest.fixture
def folder(put):
    """Return a function that writes the files of a run."""

    def make(instances, stats=(), scenario="quiz", deployment="huggingface/net"):
        adapter = {"model": "org/net", "model_deployment": deployment, "method": "generation",
                   "max_train_instances": 5}  # fmt: skip
        spec = {"name": f"{scenario}:subject=birds", "adapter_spec": adapter, "metric_specs": [],
                "scenario_spec": {"args": {"subject": "birds"}}}  # fmt: skip
        state = {"request_states": [{
            "instance": {"id": "id1", "input": {"text": "Tweet?"}, "references": [
                {"output": {"text": "yes"}, "tags": ["correct"]}, {"output": {"text": "no"}}]},
            "train_trial_index": 0, "result": {"completions": [{"text": "aye"}]}}]}  # fmt: skip
        files = {"run_spec": spec, "per_instance_stats": instances, "stats": list(stats),
                 "scenario": {"name": scenario}, "scenario_state": state,
                 "instances": []}  # fmt: skip
        for name, content in files.items():
            put(content, f"{RUN}/{name}.json")

    return make


def test_a_run_is_one_bundle_with_scores_and_costs_only(folder, read):
    noise = stat("finish_reason_stop", 1.0)
    folder(
        [
            item("id1", stat("exact_match", 1.0), stat("inference_runtime", 2.0), noise),
            item("id2", stat("exact_match", 0.0), {"name": {"name": "f1_score"}, "count": 0}),
            item("id1", stat("exact_match", 0.0), perturbation={"name": "typos"}),
        ],
        [stat("exact_match", 0.5), stat("exact_match", 0.0, perturbation={"name": "typos"}), noise],
    )
    found = read()
    (bundle,) = found.bundles
    assert scores_of([bundle]) == {
        ("org/net", "quiz:subject=birds", "exact_match", 0): {"id1": 1, "id2": 0},
        ("org/net", "quiz:subject=birds", "inference_runtime", 0): {"id1": 2, "id2": None},
        ("org/net", "quiz:subject=birds", "f1_score", 0): {"id1": None, "id2": None},
    }
    assert figures_of([bundle]) == {("org/net", "quiz:subject=birds", "exact_match"): [0.5]}
    assert bundle.reported_scores[0].run == 0
    assert [m.higher_is_better for m in bundle.metrics[:2]] == [True, False]
    assert [one.path for one in found.left_out] == [f"{RUN}/instances.json"]


def test_trials_and_a_host_that_is_not_the_usual_one(folder, read):
    folder(
        [item("id1", stat("exact_match", 1.0)), item("id1", stat("exact_match", 0.0), trial=1)],
        deployment="together/net",
    )
    found = scores_of(read().bundles)
    assert [key[0] for key in found] == ["org/net (together)"] * 2
    assert [key[3] for key in found] == [0, 1]


def test_aggregates_of_parts_are_not_held_against_the_whole(folder, read):
    valid = {"name": {"name": "exact_match", "split": "valid"}, "count": 1, "mean": 0.0}
    folder(
        [item("id1", stat("exact_match", 1.0)), item("id2", valid)],
        [stat("exact_match", 1.0), valid],
    )
    (bundle,) = read().bundles
    assert bundle.reported_scores == []
    assert [i.metadata for i in bundle.datasets[0].items] == [{"split": "test"}, {"split": "valid"}]


def test_texts_come_from_the_state(folder, read):
    folder([item("id1", stat("exact_match", 1.0))])
    (bundle,) = read(with_text=True).bundles
    (one,) = bundle.datasets[0].items
    assert (one.input_text, one.reference_text) == ("Tweet?", "yes")
    assert bundle.runs[0].outputs == {0: ["aye"]}


def test_tables_of_groups_have_a_figure_for_each_model_and_scenario(tmp_path):
    about = {"run_group": "Birds", "metric": "EM"}
    header = [
        {"value": "Model"},
        {"value": "Mean win rate", "lower_is_better": False, "metadata": {}},
        {"value": "Birds - EM", "lower_is_better": False, "metadata": about},
        {"value": "Birds - # eval", "metadata": {"run_group": "Birds", "metric": "# eval"}},
    ]
    rows = [
        [{"value": "net"}, {"value": 0.5}, {"value": 0.61}, {"value": 10}],
        [{"value": "web"}, {"value": 0.7}, {}, {"value": 10}],
    ]
    table = {"title": "Accuracy", "header": header, "rows": rows}
    (tmp_path / "groups" / "json").mkdir(parents=True)
    (tmp_path / "groups" / "core.json").write_text(json.dumps([table]))
    (tmp_path / "groups" / "json" / "core_accuracy.json").write_text(json.dumps(table))
    read = read_paths(tmp_path)
    [figure] = read.bundles[0].reported_scores
    assert (figure.system, figure.value) == ("net", 0.61)
    assert [one.name for one in read.bundles[0].datasets] == ["Birds"]
    assert read.bundles[0].metrics[0].higher_is_better is True
    assert read.faults == []
