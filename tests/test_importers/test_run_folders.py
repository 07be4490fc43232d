"""Which folders of runs name systems and which datasets: metrics that libraries leave there."""

import pytest


@pytest.fixture
def read(read_folder):
    return read_folder


def figures(found):
    """Return (system, dataset, metric) -> the values that are stated."""
    values = {}
    for bundle in found.bundles:
        for one in bundle.reported_scores:
            key = (one.system, bundle.datasets[one.dataset].name, bundle.metrics[one.metric].name)
            values.setdefault(key, []).append(one.value)
    return values


def test_folders_of_models_and_tasks_are_systems_and_datasets(read):
    found = read(
        {
            f"out/{model}/{task}/eval_results.json": {"eval_accuracy": value, "epoch": 3.0}
            for model, task, value in [
                ("bert-base", "mrpc", 0.5), ("bert-base", "rte", 0.25),
                ("roberta-base", "mrpc", 0.75), ("roberta-base", "rte", 0.125),
            ]
        }
    )  # fmt: skip
    assert figures(found) == {
        ("bert-base", "mrpc", "eval_accuracy"): [0.5],
        ("bert-base", "rte", "eval_accuracy"): [0.25],
        ("roberta-base", "mrpc", "eval_accuracy"): [0.75],
        ("roberta-base", "rte", "eval_accuracy"): [0.125],
    }


def test_folders_of_models_are_systems_on_what_is_around(read):
    values = {"predict_rouge1": 31.5, "predict_loss": 2.5, "predict_samples": 100}
    found = read(
        {
            "outputs/t5-small/predict_results.json": values,
            "outputs/bart-large/predict_results.json": values,
        }
    )
    assert figures(found) == {
        (system, "lab", metric): [values[metric]]
        for system in ("t5-small", "bart-large")
        for metric in ("predict_rouge1", "predict_loss")
    }


def test_files_called_after_their_task(read):
    lines = "eval_acc = {}\neval_loss = 0.5\n"
    found = read(
        {
            f"bert_{task}_seed{n}/eval_results_{task}.txt": lines.format(n / 8)
            for task in ("mrpc", "cola")
            for n in (1, 2)
        }
    )
    assert figures(found) == {
        ("bert", task, metric): values
        for task in ("mrpc", "cola")
        for metric, values in (("eval_acc", [0.125, 0.25]), ("eval_loss", [0.5, 0.5]))
    }
    sources = {one.source for bundle in found.bundles for one in bundle.reported_scores}
    assert sources == {"run bert (seed=1)", "run bert (seed=2)"}


def test_one_run_in_a_folder_of_a_dataset(read):
    found = read({"bert-base/mrpc/all_results.json": {"eval_accuracy_mm": 0.5}})
    assert figures(found) == {("bert-base", "mrpc", "eval_accuracy_mm"): [0.5]}


def test_cards_of_one_name_in_folders_of_one_name(read):
    card = (
        "---\nmodel-index:\n- name: mrpc\n  results:\n  - dataset: {{name: GLUE}}\n"
        "    metrics:\n    - {{type: accuracy, value: {}}}\n---\n"
    )
    found = read({"bert/mrpc/README.md": card.format(0.5), "gpt/mrpc/README.md": card.format(0.25)})
    assert figures(found) == {
        ("mrpc (bert/mrpc)", "GLUE", "accuracy"): [0.5],
        ("mrpc (gpt/mrpc)", "GLUE", "accuracy"): [0.25],
    }


def test_answers_in_folders_of_models_are_of_one_dataset(read):
    answers = {f"5f{n:02x}": "a river" for n in range(9)}
    found = read(
        {f"{model}/eval_predictions.json": answers for model in ("distilbert-v1", "bert-large-v1")}
    )
    named = {(bundle.runs[0].system, bundle.datasets[0].name) for bundle in found.bundles}
    assert named == {("distilbert-v1", "lab"), ("bert-large-v1", "lab")}


def test_runs_of_hydra_are_called_after_what_was_chosen(read):
    files = {}
    for number, (model, seed) in enumerate([("bert", 1), ("bert", 2), ("gpt", 1)]):
        folder = f"multirun/2024-03-01/10-00-00/{number}"
        files[f"{folder}/.hydra/overrides.yaml"] = f"- model={model}\n- lr=0.1\n- seed={seed}\n"
        files[f"{folder}/metrics.json"] = {"accuracy": number / 8}
    assert figures(read(files)) == {
        ("bert", "lab", "accuracy"): [0, 0.125],
        ("gpt", "lab", "accuracy"): [0.25],
    }


def test_names_that_link_somewhere_are_read_without_their_address(read):
    links = "[a](https://example.org/a)", "<a href='https://example.org/y'>org/y</a>"
    rows = "".join(f"{link},0.5,0.25\n" for link in links)
    found = figures(read({"board.csv": f"Model,accuracy,f1\n{rows}"}))
    assert {system for system, _, _ in found} == {"a", "org/y"}


def test_a_dataset_that_is_the_path_of_a_file_is_called_after_it(read):
    rows = "net,../data/birds.csv,0.5\nnet,../data/fish.jsonl,0.25\n"
    found = figures(read({"board.csv": f"model,dataset,accuracy\n{rows}"}))
    assert {dataset for _, dataset, _ in found} == {"birds", "fish"}
    of_splits = "net,birds/test.csv,0.5\nnet,fish/test.csv,0.25\n"
    found = figures(read({"board.csv": f"model,dataset,accuracy\n{of_splits}"}))
    assert {dataset for _, dataset, _ in found} == {"birds/test.csv", "fish/test.csv"}


def test_reports_of_classes_in_folders_of_systems_are_on_one_dataset(read):
    report = (
        "              precision    recall  f1-score   support\n\n"
        "         PER       0.60      0.50      0.55         5\n\n"
        "   micro avg       0.60      0.50      0.55         5\n"
    )
    found = figures(read({f"{one}/test_report.txt": report for one in ("bert", "crf")}))
    assert {key[:2] for key in found} == {("bert", "lab"), ("crf", "lab")}


def test_steps_of_training_are_of_their_model(read):
    found = read(
        {
            f"sst2/{model}/checkpoint-{step}/all_results.json": {"eval_accuracy": 0.5}
            for model in ("bert", "roberta")
            for step in (100, 200)
        }
    )
    systems = {(system, dataset) for system, dataset, _ in figures(found)}
    expected = {"bert@checkpoint-100", "bert@checkpoint-200"}
    assert systems >= {(system, "sst2") for system in expected}
    assert len(systems) == 4


def test_folds_are_told_apart_by_their_source(read):
    found = read(
        {f"bert/fold{n}/metrics.json": {"test_accuracy": n / 4, "test_f1": 0.5} for n in (1, 2)}
        | {f"svm/fold{n}/metrics.json": {"test_accuracy": 0.5, "test_f1": 0.5} for n in (1, 2)}
    )
    assert figures(found)["bert", "lab", "test_accuracy"] == [0.25, 0.5]
    sources = {one.source for bundle in found.bundles for one in bundle.reported_scores}
    assert len(sources) == 4


def test_a_file_may_be_called_after_the_metric_of_its_numbers(read):
    found = read({"accuracy.json": {"sst2": {"bert": 0.5, "svm": 0.25}, "rte": {"bert": 1.0}}})
    assert figures(found) == {
        ("bert", "sst2", "accuracy"): [0.5],
        ("svm", "sst2", "accuracy"): [0.25],
        ("bert", "rte", "accuracy"): [1.0],
    }


def test_steps_of_training_stand_beside_the_finished_model(read):
    found = read(
        {
            "bert/mrpc/eval_results.json": {"eval_accuracy": 0.5},
            "bert/mrpc/checkpoint-10/eval_results.json": {"eval_accuracy": 0.25},
            "gpt/mrpc/eval_results.json": {"eval_accuracy": 0.75},
        }
    )
    assert figures(found) == {
        ("bert", "mrpc", "eval_accuracy"): [0.5],
        ("bert@checkpoint-10", "mrpc", "eval_accuracy"): [0.25],
        ("gpt", "mrpc", "eval_accuracy"): [0.75],
    }


def test_splits_beside_each_other_are_parts_of_the_dataset(read):
    found = read(
        {
            f"{system}/{split}_metrics.json": {"accuracy": value, "f1": value / 2}
            for system, split, value in [
                ("svm", "train", 0.5), ("svm", "test", 0.25),
                ("logreg", "train", 0.75), ("logreg", "test", 0.125),
            ]
        }
    )  # fmt: skip
    told = {key: value for key, value in figures(found).items() if key[2] == "accuracy"}
    assert told == {
        ("svm", "lab/train", "accuracy"): [0.5],
        ("svm", "lab/test", "accuracy"): [0.25],
        ("logreg", "lab/train", "accuracy"): [0.75],
        ("logreg", "lab/test", "accuracy"): [0.125],
    }


def test_seeds_in_the_names_of_files_are_repeats(read):
    found = figures(read({f"results_seed{n}.json": {"accuracy": n / 8} for n in (1, 2)}))
    assert found == {("lab", "lab", "accuracy"): [0.125, 0.25]}


def test_names_of_datasets_are_not_split_where_folders_tell_the_systems(read):
    found = read(
        {
            f"{model}/wikiann-{lang}/eval_results.json": {"eval_f1": 0.5}
            for model in ("bert-base", "xlm-roberta")
            for lang in ("de", "en")
        }
    )
    assert {key[:2] for key in figures(found)} == {
        (model, f"wikiann-{lang}")
        for model in ("bert-base", "xlm-roberta")
        for lang in ("de", "en")
    }


def test_what_the_scorer_of_parsers_prints(read):
    table = (
        "Metric     | Precision |    Recall |  F1 Score | AligndAcc\n"
        "-----------+-----------+-----------+-----------+-----------\n"
        "Tokens     |     99.50 |     99.40 |     99.45 |\n"
        "LAS        |     80.00 |     79.00 |     79.50 |     79.90\n"
    )
    found = figures(read({f"{one}/en_ewt.txt": table for one in ("udpipe", "stanza")}))
    assert found["stanza", "en_ewt", "LAS F1"] == [79.5]
    assert found["udpipe", "en_ewt", "LAS aligned accuracy"] == [79.9]


def test_what_two_tables_of_a_folder_state_of_the_same_datasets_is_told_apart(read):
    head = "dataset,num_samples,accuracy,f1\n"
    files = {
        "filter_net/no_filter_classification_report.csv": f"{head}birds,4,0.5,0.25\n",
        "filter_net/summary_classification_report.csv": f"{head}birds,4,0.75,0.5\n",
        "filter_net/sub/classification_report.csv": f"{head}birds,4,1.0,1.0\n",
        "gpt/hard_scores.csv": f"{head}fish,4,0.5,0.25\n",
        "gpt/easy_scores.csv": f"{head}cows,4,0.5,0.25\n",
    }
    found = figures(read(files))
    assert found["filter_net (no_filter)", "birds", "accuracy"] == [0.5]
    assert found["filter_net", "birds", "accuracy"] == [0.75]
    assert {system for system, dataset, _ in found if dataset in ("fish", "cows")} == {"gpt"}
