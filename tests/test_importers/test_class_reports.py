"""Classification reports as text, as a table and inside JSON."""

import json

import pytest

from store.errors import ImportFormatError
from store.importers.known_metrics import lookup

TEXT = """              precision    recall  f1-score   support

     not bad       0.80      0.70      0.75       100
         bad       0.90      0.85      0.87       120

    accuracy                           0.82       220
   macro avg       0.85      0.78      0.81       220
weighted avg       0.85      0.78      0.82       220
"""
TABLE = """,precision,recall,f1-score,support
not bad,0.8,0.7,0.75,100.0
bad,0.9,0.85,0.87,120.0
accuracy,0.82,0.82,0.82,0.82
macro avg,0.85,0.78,0.81,220.0
weighted avg,0.85,0.78,0.82,220.0
"""
ON_ITS_SIDE = """,not bad,bad,accuracy,macro avg,weighted avg
precision,0.8,0.9,0.82,0.85,0.85
recall,0.7,0.85,0.82,0.78,0.78
f1-score,0.75,0.87,0.82,0.81,0.82
support,100,120,0.82,220,220
"""


def figures(bundle):
    return {
        (
            f.system,
            bundle.datasets[f.dataset].name,
            bundle.metrics[f.metric].name,
            bundle.metrics[f.metric].signature,
        ): (f.value, f.n_items)
        for f in bundle.reported_scores
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("svm_classification_report.txt", TEXT),
        ("svm_classification_report.csv", TABLE),
        ("svm_classification_report.csv", ON_ITS_SIDE),
    ],
)
def test_classes_are_no_systems(read, name, text) -> None:
    bundle = read(text, f"spam/{name}")
    found = figures(bundle)
    assert bundle.format == "classification_report"
    assert len(found) == 13
    assert found["svm", "spam", "f1-score", "class not bad"] == (0.75, 100)
    assert found["svm", "spam", "accuracy", ""][0] == 0.82
    assert found["svm", "spam", "macro recall", ""] == (0.78, 220)


def test_a_report_called_nothing_else_is_called_after_its_folder(read) -> None:
    found = figures(read(TEXT, "spam/results/classification_report.txt"))
    assert {key[:2] for key in found} == {("spam", "spam")}


def test_of_several_reports_the_line_above_says_whose_each_is(read) -> None:
    text = f"=== Naive Bayes ===\n{TEXT}\nClassification report for SVM:\n{TEXT}"
    found = figures(read(text, "spam/reports.txt"))
    assert {key[0] for key in found} == {"Naive Bayes", "SVM"}


def test_a_report_in_json_names_no_dataset(read, write) -> None:
    row = {"precision": 0.5, "recall": 0.5, "f1-score": 0.5, "support": 4}
    report = {"0": row, "accuracy": 0.5, "macro avg": row, "weighted avg": row}
    text = json.dumps({"classification_report": report, "train_size": 9})
    write(text, "spam/results/metrics_raw.json")
    found = figures(read(text, "spam/results/metrics_clean.json"))
    assert {key[:2] for key in found} == {("metrics_clean", "spam")}
    assert found["metrics_clean", "spam", "macro f1-score", ""] == (0.5, None)


def test_a_header_without_rows_is_refused(read) -> None:
    with pytest.raises(ImportFormatError, match="the report has no row"):
        read(TEXT.partition("\n")[0] + "\n", "r.txt")


def test_metrics_of_a_negative_class_are_known_and_turned_ones_are_not() -> None:
    for name in ("neg_f1", "negative_recall", "f1_neg", "non_hate_f1"):
        assert lookup(name) is not None, name
    for name in ("neg_mean_squared_error", "neg_log_loss", "1-WER", "non_f1"):
        assert lookup(name) is None, name
