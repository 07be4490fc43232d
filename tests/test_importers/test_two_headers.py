"""Tables whose header has two rows, as merged cells and as pandas writes several levels."""

import pytest


def figures(bundle):
    return {
        (f.system, bundle.datasets[f.dataset].name, bundle.metrics[f.metric].name): f.value
        for f in bundle.reported_scores
    }


def test_groups_above_metrics_are_datasets(read) -> None:
    text = "Method,Source,,Target,,Notes\n,Accuracy,F1,Accuracy,F1,\nA,0.5,0.4,0.3,0.2,so\n"
    assert figures(read(text, "spam/board.csv")) == {
        ("A", "Source", "Accuracy"): 0.5,
        ("A", "Source", "F1"): 0.4,
        ("A", "Target", "Accuracy"): 0.3,
        ("A", "Target", "F1"): 0.2,
    }


def test_levels_of_a_data_frame(read) -> None:
    text = "model,accuracy,accuracy,f1,f1\n,mean,std,mean,std\nA,0.5,0.1,0.4,0.1\n"
    found = figures(read(text, "spam/board.csv"))
    assert {key[1:]: value for key, value in found.items()} == {
        ("spam", "accuracy | mean"): 0.5,
        ("spam", "f1 | mean"): 0.4,
    }


@pytest.mark.parametrize(
    "text",
    [
        "model,accuracy,f1\nA,0.5,0.4\nB,0.3,0.2\n",
        "model,accuracy,f1\nA,,\nB,0.3,0.2\n",
        ",accuracy,f1\nA,n/a,0.5\nB,0.3,0.2\n",
    ],
)
def test_one_header_stays_one(read, text) -> None:
    found = figures(read(text, "spam/board.csv"))
    assert found["B", "spam", "accuracy"] == 0.3


def test_an_empty_line_above_the_header_is_passed_over(read) -> None:
    found = figures(read("\nmodel,accuracy\nA,0.5\nB,0.3\n", "spam/board.csv"))
    assert found["B", "spam", "accuracy"] == 0.3


def test_names_of_the_index_in_a_third_row(read) -> None:
    text = ",,accuracy,accuracy,f1,f1\n,,mean,std,mean,std\nmodel,prompt,,,,\nA,x,0.5,0.1,0.4,0\n"
    found = figures(read(text, "spam/summary.csv"))
    assert found["A", "spam", "accuracy | mean"] == 0.5


@pytest.mark.parametrize(
    "above",
    [
        "Table 1: results of the test,,\n",
        "Results of the test\n",
        ",,Performance\n,,\n",
        "2024,,\n",
    ],
)
def test_a_title_above_the_header_is_no_group(read, above) -> None:
    bundle = read(above + "Method,Accuracy,F1\nA,0.5,0.4\nB,0.6,0.5\n", "spam/board.csv")
    assert figures(bundle) == {
        ("A", "spam", "Accuracy"): 0.5,
        ("A", "spam", "F1"): 0.4,
        ("B", "spam", "Accuracy"): 0.6,
        ("B", "spam", "F1"): 0.5,
    }
    assert any("title of the table" in told for told in bundle.understood)
