"""Seeds and folds, as columns or as rows; boards that call their systems strategies."""

import pytest

from store.errors import UnknownFormatError


def figures(bundle):
    return {
        (
            f.system,
            bundle.datasets[f.dataset].name,
            bundle.metrics[f.metric].name,
            f.source.rpartition(", ")[2],
        ): f.value
        for f in bundle.reported_scores
    }


def runs(bundle):
    return {
        (run.system, run.provenance.seed, bundle.metrics[one.metric].name, one.trial): one.values[
            :, 0
        ].tolist()
        for run in bundle.runs
        for one in run.scores
    }


def test_seeds_in_columns_are_no_datasets(read) -> None:
    text = "model,seed_1,seed_2,mean,std\nA,80.1,80.5,80.3,0.2\nB,85.1,84.8,84.9,0.1\n"
    bundle = read(text, "spam/accuracy_by_seed.csv")
    assert figures(bundle) == {
        ("A", "spam", "accuracy", "seed 1"): 80.1,
        ("A", "spam", "accuracy", "seed 2"): 80.5,
        ("B", "spam", "accuracy", "seed 1"): 85.1,
        ("B", "spam", "accuracy", "seed 2"): 84.8,
    }
    assert any("left out: mean, std" in told for told in bundle.understood)


def test_metrics_of_several_runs_in_columns(read) -> None:
    text = "model,F1 (run 1),F1 (run 2),acc_run1,acc_run2\nA,1,2,3,4\n"
    found = figures(read(text, "board.csv", dataset="d"))
    assert found["A", "d", "F1", "run 2"] == 2
    assert found["A", "d", "acc", "run 1"] == 3


def test_seeds_in_columns_of_items_are_no_systems(read) -> None:
    bundle = read("id,seed1,seed2\nq1,1,0\nq2,0,0\n", "bert_accuracy.csv", system="A", dataset="d")
    assert runs(bundle) == {("A", 1, "accuracy", 0): [1, 0], ("A", 2, "accuracy", 0): [0, 0]}
    bundle = read("id,acc_trial1,acc_trial2\nq1,1,0\n", system="A", dataset="d")
    assert runs(bundle) == {("A", None, "acc", 0): [1], ("A", None, "acc", 1): [0]}


@pytest.mark.parametrize(
    "text",
    ["id,run1,run2\nq1,1,0\nq2,0,0\n", "id,seed1,seed3,other2\nq1,1,0,1\nq2,0,0,1\n"],
)
def test_columns_that_may_be_systems_stay_systems(read, text) -> None:
    bundle = read(text, metric="acc", dataset="d")
    assert {run.system for run in bundle.runs} == set(text.split("\n")[0].split(",")[1:])


@pytest.mark.parametrize("word", ["fold", "seed"])
def test_rows_of_repeats_have_metrics_in_columns(read, word) -> None:
    text = f"{word},accuracy,Macro F1,tp\n1,0.5,0.25,7\n2,0.75,0.5,8\nMean,0.6,0.4,7.5\n"
    found = figures(read(text, "spam/cv_results.csv"))
    assert found == {
        ("spam", "spam", "accuracy", f"{word} 1"): 0.5,
        ("spam", "spam", "accuracy", f"{word} 2"): 0.75,
        ("spam", "spam", "Macro F1", f"{word} 1"): 0.25,
        ("spam", "spam", "Macro F1", f"{word} 2"): 0.5,
    }


def test_words_that_are_others_in_each_row_name_the_systems(read) -> None:
    found = figures(read("strategy,accuracy\nzero-shot,0.5\nfew-shot,0.75\n", "spam/results.csv"))
    assert {key[0] for key in found} == {"zero-shot", "few-shot"}
    text = "strategy,fold,accuracy\nzero-shot,1,0.5\nfew-shot,1,0.75\nzero-shot,2,0.5\n"
    assert len(figures(read(text, "spam/results.csv"))) == 3


def test_texts_of_items_name_no_systems(read) -> None:
    rows = "".join(f"q{n},r,p,0.5\n" for n in range(3))
    assert read("prompt,reference,prediction,f1\n" + rows, "spam/a.csv").format == "generic"


def test_classes_and_topics_name_no_systems(read) -> None:
    found = figures(read("topic,accuracy,support\nlaw,0.5,9\nart,0.75,8\n", "spam/results.csv"))
    assert {key[0] for key in found} == {"spam"}
    with pytest.raises(Exception, match="not enough to read item scores"):
        read("class,accuracy,support\nlaw,0.5,9\nart,0.75,8\n")


def test_columns_beside_three_known_metrics_are_metrics(read) -> None:
    head = "rank,model,cer,wer,accuracy,ratio,composite,speed,gap\n"
    bundle = read(head + "1,A,1,2,3,4,5,6,7\n2,B,1,2,3,4,5,6,7\n", "spam/results.csv")
    assert [metric.name for metric in bundle.metrics][:3] == ["cer", "wer", "accuracy"]
    assert {dataset.name for dataset in bundle.datasets} == {"spam"}


def test_bounds_and_hyperparameters_are_no_datasets(read) -> None:
    text = "model,gamma,ci_95_lower,ci_95_upper,macro_f1\nA,1,0.4,0.6,0.5\nB,2,0.5,0.7,0.6\n"
    bundle = read(text, "spam/results.csv")
    assert [metric.name for metric in bundle.metrics] == ["macro_f1"]


def test_records_without_a_dataset_are_of_that_which_the_folder_names(read) -> None:
    text = '[{"model": "A", "f1": 0.5}, {"model": "A", "corpus": "other", "f1": 0.25}]'
    found = figures(read(text, "spam/all_results.json"))
    assert {key[1]: value for key, value in found.items()} == {"spam": 0.5, "other": 0.25}


def test_a_vocabulary_is_no_judgments(read) -> None:
    with pytest.raises(UnknownFormatError, match="no importer recognises"):
        read('{"annotator": 1, "item": 2, "rating": 3, "the": 4}', "vocab.json")


def test_a_prediction_beside_scores_is_the_output(read) -> None:
    bundle = read("id,reference,prediction,wer\nq1,a,b,0.5\n", system="A", dataset="d")
    assert bundle.datasets[0].items[0].metadata is None
    assert "output = 'prediction'" in " ".join(bundle.understood)


def test_a_board_called_after_its_metric_has_datasets_in_columns(read) -> None:
    text = "codec,hindi,tamil,MEAN\ndac,0.2,0.4,0.3\nencodec,0.1,0.5,0.3\n"
    found = figures(read(text, "spam/wer_results.csv"))
    assert found["dac", "hindi", "wer", "wer_results.csv"] == 0.2
    assert {key[1] for key in found} == {"hindi", "tamil"}


def test_ids_beside_metrics_of_splits_are_systems(read) -> None:
    text = "id,stage,train_rmse,val_rmse,input_dim\nB1_mean,base,3,4,2\nB2_ridge,base,1,2,2\n"
    bundle = read(text, "spam/experiments.csv")
    assert {f.system for f in bundle.reported_scores} == {"B1_mean", "B2_ridge"}
    assert not bundle.runs


def test_a_spread_in_the_cell_is_told(read) -> None:
    bundle = read("Method\tAP\tF1\nA\t$40.8$\t1\nB\t$22.8\\pm0.4$\t2 ± 0.1\n", "spam/board.tsv")
    assert [f.value for f in bundle.reported_scores] == [40.8, 1, 22.8, 2]
    assert any("2 figures are printed with a spread" in told for told in bundle.understood)
