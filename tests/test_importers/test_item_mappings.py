"""Mappings of JSON by item and system."""

import json

import pytest

from store.importers.detect import read_paths


@pytest.fixture
def read(tmp_path):
    def make(content):
        (tmp_path / "qa").mkdir(exist_ok=True)
        (tmp_path / "qa/results.json").write_text(json.dumps(content))
        return read_paths(tmp_path / "qa").bundles

    return make


def _scores(bundles):
    found = {}
    for bundle in bundles:
        for run in bundle.runs:
            keys = [item.key for item in bundle.datasets[run.dataset].items]
            for one in run.scores:
                values = [None if v != v else v for v in one.values[:, 0].tolist()]
                name = bundle.metrics[one.metric].name
                found[run.system, name] = dict(zip(keys, values, strict=True))
    return found


def test_outcomes_of_each_run_by_item_need_not_be_whole(read) -> None:
    runs = {
        "baseline": {
            "r1": {f"i{n}": n % 2 for n in range(8)},
            "r2": {f"i{n}": 1 for n in range(7)},
        },
        "blind": {"r1": {f"i{n}": 0 for n in range(8)}},
    }
    found = _scores(read(runs))
    assert {system for system, _ in found} == {"baseline/r1", "baseline/r2", "blind/r1"}
    assert found["baseline/r2", "score"]["i7"] is None
    assert found["baseline/r1", "score"]["i7"] == 1


def test_results_of_each_system_within_an_item(read) -> None:
    rows = [
        {"audio_path": f"{n}.wav", "predictions": {"a": {"wer": 0.1 * n}, "b": {"wer": 0.5}}}
        for n in range(3)
    ]
    found = _scores(read(rows))
    assert found == {
        ("a", "wer"): {"0.wav": 0.0, "1.wav": 0.1, "2.wav": 0.2},
        ("b", "wer"): {"0.wav": 0.5, "1.wav": 0.5, "2.wav": 0.5},
    }


def test_criteria_of_an_answer_are_no_systems(read) -> None:
    rows = [
        {"id": f"q{n}", "rubric": {"clarity": {"score": n}, "depth": {"score": 2}}, "score": 0.5}
        for n in range(3)
    ]
    assert {system for system, _ in _scores(read(rows))}.isdisjoint({"clarity", "depth"})


@pytest.mark.parametrize("more", [{"model": "net"}, {"macro_f1": 0.5}, {}])
def test_classes_of_a_result_are_no_systems(read, more) -> None:
    rows = [
        {"id": f"r{n}", **more, "per_class": {"yes": {"f1": 0.1 * n}, "no": {"f1": 0.5}}}
        for n in range(3)
    ]
    assert {system for system, _ in _scores(read(rows))}.isdisjoint({"yes", "no"})
