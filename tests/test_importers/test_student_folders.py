"""Folders as students and small projects keep them: each was read as what it is not, or in part."""

import json

import pytest

from store.importers.detect import read_paths

from .stated_figures import figures


@pytest.fixture
def read(write, tmp_path):
    def make(**files):
        for name, content in files.items():
            text = content if isinstance(content, str) else json.dumps(content)
            write(text, "net/" + name.replace("__", "/").replace("_DOT_", "."))
        return read_paths([tmp_path / "net"], root=tmp_path)

    return make


@pytest.mark.parametrize(
    ("name", "matrix"),
    [
        ("confusion_matrix", ",A,B,C\nA,0.7,0.1,0.3\nB,0.1,0.8,0.2\nC,0,0,1\n"),
        ("classes", ",A,B,C\nA,0.7,0.1,0.2\nB,0.1,0.8,0.1\nC,0,0.25,0.75\n"),
        ("zeros", ",A,B,C\nA,0,0,1\nB,0,1,0\nC,0,0,0\n"),
    ],
)
def test_a_confusion_matrix_holds_no_pvalues(read, name, matrix) -> None:
    found = read(**{f"{name}_DOT_csv": matrix})
    assert all(bundle.format != "pvalue_matrix" for bundle in found.bundles)


def test_a_report_by_label_under_other_names(read) -> None:
    rows = "PER,0.5,0.4,0.45,9\nLOC,0.25,0.5,0.3,8\n"
    found = read(per_label_metrics_DOT_csv="label,precision,recall,f1,support\n" + rows)
    assert found.bundles[0].format == "classification_report"
    (bundle,) = found.bundles
    measured = {
        (
            one.system,
            bundle.metrics[one.metric].name,
            bundle.metrics[one.metric].signature,
        ): one.value
        for one in bundle.reported_scores
    }
    assert measured["net", "f1-score", "class PER"] == 0.45
    assert measured["net", "recall", "class LOC"] == 0.5


def test_unknown_figures_beside_known_ones_are_metrics(read) -> None:
    found = read(metrics_DOT_json={"f1": 0.5, "found_any_gold": 0.956, "n_questions": 500})
    assert {place[2] for place in figures(found)} == {"f1", "found_any_gold"}


def test_figures_beside_a_report_are_read_too(read) -> None:
    rows = {"yes": {"precision": 1.0, "recall": 0.5, "f1-score": 0.6, "support": 2}}
    average = {"macro avg": {**rows["yes"], "precision": 0.25}}
    found = read(metrics_DOT_json={"f1": 0.75, "report": {**rows, **average, "accuracy": 0.5}})
    assert {place[2]: value for place, value in figures(found).items()} == {
        "f1": 0.75,
        "accuracy": 0.5,
        "macro precision": 0.25,
        "macro recall": 0.5,
        "macro f1-score": 0.6,
    }


def test_a_run_that_names_itself_is_the_system(read) -> None:
    found = read(
        runs__a_lora_x__task_DOT_json={"run": "a_lora_x", "task": "xsum", "rougeL": 15.5},
        runs__b_lora_x__task_DOT_json={"run": "b_lora_x", "task": "xsum", "rougeL": 17.5},
    )
    assert figures(found) == {
        ("a_lora_x", "xsum", "rougeL"): 15.5,
        ("b_lora_x", "xsum", "rougeL"): 17.5,
    }


def test_datasets_by_system_are_no_items(read) -> None:
    found = read(baselines_DOT_json={"4": {"mmlu": 55.9, "hellaswag": 63.9, "arc_easy": 72.5}})
    assert not any(bundle.runs for bundle in found.bundles)
    assert [one.path for one in found.faults]


def test_outputs_called_hyp_are_of_the_folder_that_tells_them_apart(read) -> None:
    found = read(
        **{
            f"{name}__talk__{kind}__1_DOT_txt": text
            for name, said in (("asr1", "hi yo"), ("asr2", "hi you"))
            for kind, text in (("ref", "hi you (t-1)\n"), ("hyp", f"{said} (t-1)\n"))
        }
    )
    assert {run.system for bundle in found.bundles for run in bundle.runs} == {"asr1", "asr2"}


def test_counts_beside_figures_of_parts_do_not_count(read) -> None:
    part = {"n": 40, "em": 0.25, "f1": 0.5, "wrong_by_a": 3, "wrong_by_b": 4, "share_a": 0.4}
    found = read(analysis_DOT_json={"bridge": part, "comparison": part})
    assert {place[1:]: value for place, value in figures(found).items()} == {
        ("bridge", "em"): 0.25,
        ("bridge", "f1"): 0.5,
        ("comparison", "em"): 0.25,
        ("comparison", "f1"): 0.5,
    }


def test_a_long_confusion_matrix_is_no_board(read) -> None:
    head = "model,feature,a_pred_a,a_pred_b,b_pred_a,b_pred_b\n"
    found = read(confusion_matrices_DOT_csv=head + "svm,bow,8,2,3,7\nnb,bow,7,3,2,8\n")
    assert not found.bundles


def test_nested_figures_in_yaml(read) -> None:
    text = "Relevance:\n  Majority:\n    f1: 0.46\n    f1_se: 0.01\n  LSTM:\n    f1: 0.7\n"
    text += "Type:\n  Majority:\n    f1: 0.2\n  LSTM:\n    f1: 0.6\n"
    found = read(baselines_DOT_yaml=text, config_DOT_yaml="train:\n  loss: 0.5\n  f1: 0.5\n")
    assert len(figures(found)) == 4
    assert {place[2] for place in figures(found)} == {"f1"}


def test_metrics_beside_matrices_and_parts(read) -> None:
    content = {
        "accuracy": 0.75,
        "f1_macro": 0.5,
        "f1_per_class": {"a": 0.25, "b": 0.75},
        "confusion_matrix": [[3, 1], [0, 4]],
    }
    found = read(eval_DOT_json=content)
    assert {place[2]: value for place, value in figures(found).items()} == {
        "accuracy": 0.75,
        "f1_macro": 0.5,
    }
    (bundle,) = found.bundles
    assert any("f1_per_class, confusion_matrix" in told for told in bundle.understood)
