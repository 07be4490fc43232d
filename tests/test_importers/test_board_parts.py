"""Boards whose columns join a system or a dataset with a metric, and rows that are no systems."""

import pytest

from store.errors import ImportFormatError
from store.importers.detect import read_paths


def figures(bundle):
    return {
        (f.system, bundle.datasets[f.dataset].name, bundle.metrics[f.metric].name): f.value
        for f in bundle.reported_scores
    }


def test_metric_and_dataset_without_a_gap(read) -> None:
    text = (
        "# submission,BLEUall,BLEUnews,chrF++all,chrF++news\n{\\bf A\\_1},1,2,30,40\nB,2,3,31,41\n"
    )
    assert figures(read(text, "slt/automatic.csv")) == {
        ("A_1", "all", "BLEU"): 1,
        ("A_1", "news", "BLEU"): 2,
        ("A_1", "all", "chrF++"): 30,
        ("A_1", "news", "chrF++"): 40,
        ("B", "all", "BLEU"): 2,
        ("B", "news", "BLEU"): 3,
        ("B", "all", "chrF++"): 31,
        ("B", "news", "chrF++"): 41,
    }


def test_one_known_metric_tells_that_of_the_datasets_beside_it(read) -> None:
    text = "Model,Accuracy (%),Hindi,Tamil,Odia\nBase,80,-,-,-\nNew+,95,96,94,95\nGain,+15,-,-,-\n"
    bundle = read(text, "mix/compare.csv")
    assert figures(bundle) == {
        ("Base", "overall", "Accuracy (%)"): 80,
        ("New+", "overall", "Accuracy (%)"): 95,
        ("New+", "Hindi", "Accuracy (%)"): 96,
        ("New+", "Tamil", "Accuracy (%)"): 94,
        ("New+", "Odia", "Accuracy (%)"): 95,
    }
    assert any(
        "Rows that compare or sum up others are left out: Gain." in t for t in bundle.understood
    )


def test_systems_in_columns_of_parts(read) -> None:
    text = "Emotion,ovr_f1_mean,ovr_acc_mean,net_f1_mean,net_acc_mean\nJoy,0.3,0.2,0.4,0.5\n"
    text += "Fear,0.1,0.2,0.3,0.4\n"
    found = figures(read(text, "emo/mean_scores.csv"))
    assert found["ovr", "emo/Joy", "f1"] == 0.3
    assert found["net", "emo/Fear", "acc"] == 0.4
    assert len(found) == 8


def test_the_file_names_the_metric_of_systems_by_part(read) -> None:
    text = "difficulty,base,graph\neasy,0.1,0.2\nhard,0.01,0.02\n"
    assert set(figures(read(text, "rag/bleu_by_difficulty.csv"))) == {
        (system, f"difficulty/{part}", "bleu")
        for system in ("base", "graph")
        for part in ("easy", "hard")
    }


def test_pvalues_are_no_scores(read) -> None:
    with pytest.raises(ImportFormatError, match="which two systems they compare"):
        read(",f1,accuracy\nJoy,0.9,0.8\nFear,0.04,0.6\n", "emo/p_values.csv")


def test_records_of_items_are_no_figures(write, tmp_path) -> None:
    record = '{"question": "who?", "answer": "me", "method": "%s", "latency": 0.5}'
    content = ", ".join(f'"q1_{name}": {record % name}' for name in ("graph", "vector"))
    write("{" + content + "}", "rag/detailed.json")
    found = read_paths([tmp_path / "rag"], root=tmp_path)
    assert all(bundle.format != "nested_figures" for bundle in found.bundles)


def test_systems_under_another_word_beside_datasets(read) -> None:
    text = "benchmark,runner,f1\nd1,A,0.5\nd1,B,0.6\nd2,A,0.7\nd2,B,0.8\n"
    assert set(figures(read(text, "pi/board.csv"))) == {
        (system, dataset, "f1") for system in "AB" for dataset in ("d1", "d2")
    }


def test_features_are_parts_of_the_system(read) -> None:
    text = "model,feature,f1\nsvm,bow,0.5\nsvm,tfidf,0.6\nnb,bow,0.7\nnb,tfidf,0.8\n"
    assert set(figures(read(text, "nlu/all_results.csv"))) == {
        (f"{model} (feature={feature})", "nlu", "f1")
        for model in ("svm", "nb")
        for feature in ("bow", "tfidf")
    }


def test_teams_are_systems_and_their_runs_apart(read) -> None:
    text = "Team,Lang,Run,ACC@1,MAP@3\nA,en,1,0.5,0.4\nA,en,2,0.6,0.5\nA,es,1,0.3,0.2\n"
    text += "B,en,1,0.4,0.3\n"
    bundle = read(text, "mtls/A.csv")
    assert {one.system for one in bundle.reported_scores} == {"A", "B"}
    assert {dataset.name for dataset in bundle.datasets} == {"mtls/en", "mtls/es"}
    assert len(bundle.reported_scores) == 8


def test_questions_name_no_systems(write, tmp_path) -> None:
    rows = "".join(f"What is the plot of {name}?,0.5,0.{n}\n" for n, name in enumerate("abcd"))
    write("original,risk,success\n" + rows, "v3/steering.csv")
    found = read_paths([tmp_path / "v3"], root=tmp_path)
    assert not any(bundle.reported_scores for bundle in found.bundles)


def test_numbers_of_a_setting_are_parts_of_the_system(read) -> None:
    text = "model,dataset,freeze_fraction,val_acc\nA,c,0,0.5\nA,c,0.5,0.6\nB,c,0,0.4\n"
    text += "B,c,0.5,0.3\n"
    assert {place[0] for place in figures(read(text, "tl/all.csv"))} == {
        f"{model} (freeze_fraction={part})" for model in "AB" for part in ("0", "0.5")
    }
