"""What holds figures in no form that is read is left out as such, and not passed over."""

import json

import pytest

from store.importers.detect import read_paths

BOARD = "model,accuracy\nA,0.5\nB,0.6\n"


@pytest.fixture
def faults(write, tmp_path):
    def make(**files):
        write(BOARD, "net/board.csv")
        for name, content in files.items():
            text = content if isinstance(content, str) else json.dumps(content)
            write(text, "net/" + name.replace("_DOT_", "."))
        found = read_paths([tmp_path / "net"], root=tmp_path)
        assert [bundle.format for bundle in found.bundles][-1] == "reported"
        return {one.path.rpartition("/")[2]: one.reason for one in found.faults}

    return make


def test_curves_and_logs_are_named_as_such(faults) -> None:
    found = faults(
        roc_DOT_csv="fpr,tpr\n0,0\n0.1,0.6\n1,1\n",
        curve_DOT_csv="threshold,precision,recall,f1\n0.1,0.5,1,0.6\n0.2,0.6,0.9,0.7\n",
        training_DOT_csv="epoch,train_loss,val_accuracy\n1,0.9,0.5\n2,0.8,0.6\n",
        history_DOT_json={"loss": [0.9, 0.8], "val_accuracy": [0.5, 0.6]},
        trainer_state_DOT_json={"log_history": [{"eval_accuracy": 0.5, "step": 1}]},
    )
    curves = [name for name, reason in found.items() if "a curve" in reason]
    logs = [name for name, reason in found.items() if "a log of training" in reason]
    assert sorted(curves) == ["curve.csv", "roc.csv"]
    assert sorted(logs) == ["history.json", "trainer_state.json", "training.csv"]


def test_a_log_beside_its_last_figures_is_no_fault(faults) -> None:
    log = {"log_history": [{"eval_accuracy": 0.5, "step": 1}]}
    assert faults(trainer_state_DOT_json=log, all_results_DOT_json={"eval_accuracy": 0.5}) == {}


def test_json_with_figures_in_an_unknown_form_is_left_out(faults) -> None:
    report = {"overall_f1": 0.5, "report": "a text", "by": [{"x": [{"accuracy": 0.5}]}]}
    found = faults(report_DOT_json=report, config_DOT_json=report, data_DOT_json={"a": [{"b": 1}]})
    assert list(found) == ["report.json"]
    assert "seems to hold results (overall_f1" in found["report.json"]


def test_tables_with_known_metrics_and_no_names(faults) -> None:
    found = faults(odd_DOT_csv="x,f1,accuracy\n1.5,0.5,0.6\n2.5,0.5,0.7\n")
    assert "seems to hold results (f1, accuracy)" in found["odd.csv"]


def test_tokens_called_like_metrics_are_no_results(faults) -> None:
    vocab = {"wer": 17, "AP": 3, **{f"tok{number}": number for number in range(40)}}
    assert faults(vocab_DOT_json=vocab) == {}


def test_verdicts_on_pairs_that_name_one_side_are_left_out(faults) -> None:
    rows = [
        {"result": "model_1", "judge": "net", "reference_model": "old", "instruction": "Why?"},
        {"result": "tie", "judge": "net", "reference_model": "old", "instruction": "How?"},
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    found = faults(pairs_DOT_jsonl=lines, models_DOT_csv="model,note\nmodel_1,a\nmodel_2,b\n")
    assert list(found) == ["pairs.jsonl"]
    assert "verdicts on pairs of outputs in 'result'" in found["pairs.jsonl"]


def test_a_manifest_of_chosen_items_holds_no_results(faults, tmp_path) -> None:
    rows = [{"instance_id": f"repo-{n}", "baseline_success_rate": 1.0, "why": "x"} for n in "abc"]
    assert faults(manifest_DOT_json={"purpose": "a control", "tasks": rows}) == {}
    (found,) = read_paths([tmp_path], root=tmp_path).left_out
    assert "a manifest, by its name" in found.reason
