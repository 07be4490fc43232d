"""Tables and reports that were met outside and read as what they are not."""

import json

import pytest

from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths
from store.importers.language_codes import are_languages, split_language
from store.importers.no_metrics import no_metric

REPORT = """              precision    recall  f1-score   support

           0       0.80      0.70      0.75       100
           1       0.90      0.85      0.87       120

    accuracy                           0.82       220
   macro avg       0.85      0.78      0.81       220
"""


@pytest.fixture
def read(tmp_path):
    def make(files, **options):
        for name, content in files.items():
            path = tmp_path / "all" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return read_paths(tmp_path / "all", root=tmp_path, options=ReadOptions(**options))

    return make


def figures(found):
    return {
        (one.system, bundle.datasets[one.dataset].name, bundle.metrics[one.metric].name): one.value
        for bundle in found.bundles
        for one in bundle.reported_scores
    }


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
