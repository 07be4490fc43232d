"""Tables and reports that were met outside and read as what they are not."""

from functools import partial

import pytest

from store.importers.language_codes import are_languages, split_language
from store.importers.no_metrics import no_metric

from .stated_figures import figures

REPORT = """              precision    recall  f1-score   support

           0       0.80      0.70      0.75       100
           1       0.90      0.85      0.87       120

    accuracy                           0.82       220
   macro avg       0.85      0.78      0.81       220
"""


@pytest.fixture
def read(read_folder):
    return partial(read_folder, at="all")


def test_wins_and_means_are_metrics_no_datasets(read) -> None:
    table = "System,Wins,Losses,Best-Worst Score,Rank\ngold,9,4,5,1\nmacro,4,9,-5,2\n"
    found = read({"coherence.csv": table}, directions=dict.fromkeys(
        ("Wins", "Losses", "Best-Worst Score"), True))  # fmt: skip
    assert figures(found)["macro", "coherence", "Losses"] == 9
    table = "System\tBLEURTMean\tBLEURTMedian\na\t0.5\t0.25\nb\t0.75\t0.5\n"
    found = read({"bleurt-scores.tsv": table, "coherence.csv": ""},
                 directions={"BLEURTMean": True, "BLEURTMedian": True})  # fmt: skip
    assert {metric for _, _, metric in figures(found)} == {"BLEURTMean", "BLEURTMedian"}


def test_pay_of_workers_is_no_result(read) -> None:
    rows = "".join(f"H{n},A{n},W{n % 2},0.34,{30 + n}\n" for n in range(9))
    found = read({"batch.csv": f"HITId,AssignmentId,WorkerId,Reward,WorkTimeInSeconds\n{rows}"})
    assert not found.bundles
    assert "Mechanical Turk" in str(found.faults)


def test_how_many_of_a_category_is_no_result(read) -> None:
    content = {"failures": [{"category": "form", "count": 18}, {"category": "match", "count": 1}]}
    assert not read({"failure_analysis.json": content}).bundles


def test_reports_of_languages_are_of_several_datasets(read) -> None:
    files = {
        f"svm_results_{code}_163337706{n}.9.txt": REPORT for n, code in enumerate(("en", "fr"))
    }
    found = figures(read(files))
    assert {key[:2] for key in found} == {("svm", "all/en"), ("svm", "all/fr")}


def test_codes_of_languages() -> None:
    assert split_language("svm_en", ["svm_en", "svm_fr"]) == ("svm", "en")
    assert split_language("en-svm", ["en-svm", "de-svm"]) == ("svm", "en")
    assert split_language("svm_en", ["svm_en", "knn_fr", "svm_x"]) is None
    assert split_language("en", ["en", "de"]) is None
    assert are_languages({"en", "DE"})
    assert not are_languages({"en"})
    assert not are_languages({"en", "svm"})


def test_items_of_languages_are_of_several_datasets(read) -> None:
    rows = "id,accuracy\n1,1\n2,0\n3,1\n"
    found = read({f"tagger_{code}.csv": rows for code in ("en", "de")})
    named = {
        (run.system, one.datasets[run.dataset].name) for one in found.bundles for run in one.runs
    }
    assert named == {("tagger", "en"), ("tagger", "de")}


def test_a_repeat_is_a_whole_number() -> None:
    assert no_metric("rep", [1, 2, None]) == "the number of a repeat"
    assert no_metric("Rep", [-0.84, 25.52]) is None


def test_rows_that_line_up_with_another_file_are_items(read) -> None:
    rows = "".join(f"0.{n + 10},0.{n + 20}\n" for n in range(20))
    files = {f"{s}.csv": f"BLEU,TER\n{rows}" for s in ("net-a", "net-b")}
    runs = [run for one in read(files).bundles for run in one.runs]
    assert {run.system for run in runs} == {"net-a", "net-b"}
    assert {part.values.shape for run in runs for part in run.scores} == {(20, 1)}
    files = {f"{s}.csv": f"accuracy,val_accuracy\n{rows}" for s in ("net-a", "net-b")}
    assert not read(files).bundles  # a line for each step of training


def test_figures_of_training_are_no_items(read) -> None:
    assert not read({"train_losses_lr_0.1.csv": "train_loss\n" + "0.5\n0.25\n" * 8}).bundles


def test_utterances_are_no_systems(read) -> None:
    texts = "say what you have to say"
    rows = "".join(f"utt_{n},0.{n},{texts},{texts} now\n" for n in range(12))
    files = {f"{s}/per_utterance.csv": f"eval_id,wer,raw_reference,raw_hypothesis\n{rows}"
             for s in ("whisper-a", "whisper-b")}  # fmt: skip
    runs = [run for one in read(files).bundles for run in one.runs]
    assert {run.system for run in runs} == {"whisper-a", "whisper-b"}


def test_workers_are_no_systems(read) -> None:
    rows = "".join(f"W{n},4.5,3.25\n" for n in range(9))
    assert not read({"coherence.csv": f"WorkerId,PGN,BART\n{rows}"}).bundles


def test_splits_of_a_board_are_two_datasets(read) -> None:
    rows = "model,accuracy\na,0.5\nb,0.75\n"
    found = figures(read({"ood-dev-results.csv": rows, "ood-test-results.csv": rows}))
    assert {dataset for _, dataset, _ in found} == {"ood-dev", "ood-test"}


def test_files_called_after_metrics_are_of_one_dataset(read) -> None:
    files = {"net/f1_opt.json": {"f1_value": 0.5}, "net/rec_opt.json": {"rec_value": 0.25}}
    assert {key[:2] for key in figures(read(files))} == {("net", "net")}


def test_a_folder_of_a_model_is_a_part_of_the_system(read) -> None:
    files = {
        f"{model}/footweets/{prompt}.scores.json": {"bleu": 40.5, "comet": 0.75}
        for model in ("gemma-2-9b-it", "Llama-3.1-8B")
        for prompt in ("short", "long")
    }
    found = {key[0] for key in figures(read(files))}
    assert found == {
        f"{m}/{p}" for m in ("gemma-2-9b-it", "Llama-3.1-8B") for p in ("short", "long")
    }


def test_short_sentences_with_a_source_are_no_labels(read) -> None:
    files = {"test.src": "c u\n" * 9, "test.ref": "À demain.\n" * 9, "test.out": "a demain\n" * 9}
    (one,) = read(files).bundles
    assert {metric.name for metric in one.metrics} == {"chrF", "BLEU"}


def test_similarity_is_no_spread() -> None:
    assert no_metric("Sem. similarity", [0.5, 0.25]) is None
    assert no_metric("sem_accuracy", [0.5, 0.25]) == "a spread"


def test_names_of_prompts_are_no_items(read) -> None:
    rows = "".join(f"zs_{n},{256 * n},0.9{n},0.8{n}\n" for n in range(1, 7))
    found = read({"val_grid.csv": f"prompt,input_cap,accuracy,f1_macro\n{rows}"})
    assert not any(bundle.runs for bundle in found.bundles)


def test_features_of_patients_are_no_metrics(read) -> None:
    names = "Age,Fatigue,Obesity,Smoking,Weight Loss,Dust Allergy"
    rows = "".join(f"P{n}," + ",".join(str((n + m) % 7) for m in range(6)) + "\n" for n in range(9))
    assert not read({"patients.csv": f"Patient Id,{names}\n{rows}"}).bundles


def test_records_under_many_numbers_are_items(read) -> None:
    records = {str(n * 7): {"image_id": n * 7, "SPICE": n / 100} for n in range(60)}
    content = {"overall": {"SPICE": "0.295"}, "imgToEval": records}
    (one,) = read({"beam_eval_test.json": content}).bundles
    assert len(one.datasets[0].items) == 60
    layers = {str(n): {"accuracy": n / 10} for n in range(8)}
    found = read({"layers.json": layers, "beam_eval_test.json": ""})
    assert not any(bundle.reported_scores for bundle in found.bundles)


def test_other_texts_under_the_same_ids_are_of_another_dataset(read) -> None:
    files = {
        f"blimp_{task}_{seed}.csv": "pair_id,sentence_good,correct\n"
        + "".join(f"{n},a {task} of {n},{(n + seed) % 2}\n" for n in range(5))
        for task in ("island", "passive")
        for seed in (440, 577)
    }
    found = read(files)
    named = {
        (run.system, one.datasets[run.dataset].name) for one in found.bundles for run in one.runs
    }
    assert named == {(seed, f"blimp_{t}") for seed in ("440", "577") for t in ("island", "passive")}


def test_a_language_pair_is_not_cut(read) -> None:
    files = {
        f"{system}/{kind}_en-{code}.csv": "src,mt,bleu\n"
        + "".join(f"a {kind} for {code} {n},b,0.{n}\n" for n in range(5))
        for system in ("opus", "nllb")
        for kind in ("idiom", "plain")
        for code in ("cs", "de")
    }
    found = read(files)
    named = {
        (run.system, one.datasets[run.dataset].name) for one in found.bundles for run in one.runs
    }
    datasets = {f"{kind}_en-{code}" for kind in ("idiom", "plain") for code in ("cs", "de")}
    assert named == {(system, one) for system in ("opus", "nllb") for one in datasets}


def test_a_dataset_is_called_without_the_ending_of_yaml(read) -> None:
    content = "- model: a\n  accuracy: 0.5\n- model: b\n  accuracy: 0.75\n"
    assert {key[1] for key in figures(read({"parsing_ptb.yaml": content}))} == {"parsing_ptb"}


def test_what_scorers_print_is_of_a_system_on_a_dataset(read) -> None:
    text = "Precision   : 0.73\nRecall      : 0.62\nF_0.5       : 0.71\n"
    names = [f"de/{s}.fm-{d}.out.eval" for s in ("base", "net") for d in ("dev", "test")]
    found = figures(read(dict.fromkeys(names, text)))
    assert {key[:2] for key in found} == {
        (s, f"fm-{d}") for s in ("base", "net") for d in ("dev", "test")
    }
    assert found["net", "fm-dev", "F_0.5"] == 0.71


def test_what_eval_pl_prints_of_a_parser(read) -> None:
    text = (
        "  Labeled   attachment score: 3 / 4 * 100 = 75.00 %\n"
        "  Unlabeled attachment score: 4 / 4 * 100 = 100.00 %\n"
        "  Label accuracy score:       2 / 4 * 100 = 50.00 %\n\n  =====\n\n  Evaluation of x\n"
    )
    found = figures(read({"ptb/net-a.txt": text, "ptb/net-b.txt": text}))
    assert found["net-a", "ptb", "LAS"] == 75
    assert found["net-b", "ptb", "UAS"] == 100


def test_folders_of_runs_are_systems_and_those_of_tasks_datasets(read) -> None:
    files = {}
    for model in ("bert-base", "gpt2"):
        for task in ("incivility", "smells"):
            folder = f"finetuning/{task}/{model}/test"
            files[f"{folder}/test_results.json"] = {"f1": 0.5, "loss": 0.25}
            nested = {"eval_accuracy": {"accuracy": 0.75}, "epoch": 3.0}
            files[f"{folder}/train_results.json"] = nested
    found = figures(read(files))
    assert {key[0] for key in found} == {"bert-base", "gpt2"}
    assert {key[1] for key in found} == {
        f"{task}/{split}" for task in ("incivility", "smells") for split in ("test", "train")
    }
    assert found["gpt2", "smells/train", "accuracy"] == 0.75


def test_kinds_of_entities_are_no_systems(read) -> None:
    content = {
        "eval_Person": {"precision": 0.5, "recall": 0.5, "f1": 0.5, "number": 9},
        "eval_Place": {"precision": 1.0, "recall": 1.0, "f1": 1.0, "number": 7},
        "eval_overall_f1": 0.75,
    }
    found = figures(read({"net/eval_results.json": content}))
    assert not {key[0] for key in found} & {"eval_Person", "Person"}


def test_a_system_at_the_end_of_names_with_other_items(read) -> None:
    files = {
        f"{one}_dev_gpt-4o_shots3.csv": "id,chrf\n" + "".join(f"{one}{n},0.{n}\n" for n in range(9))
        for one in ("bribri", "maya")
    }
    named = {
        (run.system, one.datasets[run.dataset].name)
        for one in read(files).bundles
        for run in one.runs
    }
    assert named == {("gpt-4o_shots3", "bribri_dev"), ("gpt-4o_shots3", "maya_dev")}


def test_figures_of_an_evaluation_on_what_was_trained_on_stand_apart(read) -> None:
    files = {}
    for model, f1 in (("bert-base", 0.5), ("gpt2", 0.25)):
        for task in ("incivility", "smells"):
            for split, gain in (("test", 0), ("train", 0.5)):
                files[f"{task}/{model}/{split}_results.json"] = {"eval_f1": f1 + gain}
    found = figures(read(files))
    assert found["gpt2", "smells", "eval_f1"] == 0.25
    assert found["gpt2", "smells/train", "eval_f1"] == 0.75
