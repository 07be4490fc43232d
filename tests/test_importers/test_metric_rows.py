"""Tables with a row for each metric, in files of our own making."""

import pytest

from store.importers.detect import read_paths


def stated(bundle):
    return {
        (
            one.system,
            bundle.datasets[one.dataset].name,
            bundle.metrics[one.metric].name,
            one.source,
        ): one.value
        for one in bundle.reported_scores
    }


@pytest.fixture
def read(write, tmp_path):
    def make(text, name="net/cv.csv"):
        write(text, name)
        return read_paths([tmp_path / "net"], root=tmp_path)

    return make


def test_folds_are_repeats_of_one_system(read) -> None:
    (one,) = read(
        "metric,fold_1,fold_2,mean,std\naccuracy,0.8,0.9,0.85,0.07\nf1,0.5,,0.5,0\n"
    ).bundles
    assert one.format == "metric_rows"
    assert stated(one) == {
        ("net", "net", "accuracy", "cv.csv, fold_1"): 0.8,
        ("net", "net", "accuracy", "cv.csv, fold_2"): 0.9,
        ("net", "net", "f1", "cv.csv, fold_1"): 0.5,
    }
    assert any("std" in told and "mean" in told for told in one.understood)


@pytest.mark.parametrize("corner", ["metric", "", "Method"])
def test_columns_are_systems(read, corner) -> None:
    text = f"{corner},bert,lstm,improvement\nAccuracy,0.8,0.7,0.1\nTotal time,9,2,7\n"
    (one,) = read(text, "net/boxes.csv").bundles
    assert stated(one) == {
        ("bert", "boxes", "Accuracy", "boxes.csv"): 0.8,
        ("lstm", "boxes", "Accuracy", "boxes.csv"): 0.7,
        ("bert", "boxes", "Total time", "boxes.csv"): 9,
        ("lstm", "boxes", "Total time", "boxes.csv"): 2,
    }


def test_splits_and_spreads(read) -> None:
    (one,) = read("Metric,Train,Test\nF1,0.9,0.8\n").bundles
    assert {place[:3] for place in stated(one)} == {
        ("net", "net/train", "F1"),
        ("net", "net/test", "F1"),
    }
    (one,) = read("measure,value,ci_low,ci_high\nBLEU,30,28,31\n").bundles
    assert {place[:3]: value for place, value in stated(one).items()} == {
        ("net", "net", "BLEU"): 30
    }


@pytest.mark.parametrize(
    "text",
    [
        "metric,f1,accuracy\nbert,0.5,0.6\nlstm,0.4,0.6\n",  # systems by metrics
        "name,math,code\nbert,50,60\nlstm,40,60\n",
        "metric,dataset,A\nf1,d1,0.5\nf1,d2,0.5\n",  # the same metric again
    ],
)
def test_other_tables_are_left_to_others(read, text) -> None:
    assert all(one.format != "metric_rows" for one in read(text).bundles)
