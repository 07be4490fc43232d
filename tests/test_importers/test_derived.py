"""Tables made from other files of an import: held against the items, or left out as a copy."""

import json
import math

import pytest

from store.importers.detect import read_paths

ITEMS = "model,id,accuracy\n" + "".join(f"{s},{i},{int(i < n)}\n" for s, n in (("A", 6), ("B", 3))
                                        for i in range(8))  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    def make(**files):
        (tmp_path / "qa").mkdir(exist_ok=True)
        for name, text in files.items():
            (tmp_path / "qa" / f"{name}.csv").write_text(text)
        return read_paths(tmp_path / "qa")

    return make


@pytest.mark.parametrize(
    "table",
    [
        "model,accuracy\nA,0.75\nB,0.375\n",
        "rank,model,score,n\n1,A,0.75,8\n2,B,0.375,8\n",
        "model,accuracy\nA,75\nB,37.5\n",
        "system,dataset,metric,value\nA,qa,accuracy,0.75\nB,qa,accuracy,0.375\n",
    ],
)
def test_means_beside_items_are_figures_of_their_runs(folder, table) -> None:
    found = folder(results=ITEMS, summary=table)
    (bundle,) = found.bundles
    figures = {bundle.runs[f.run].system: f.value for f in bundle.reported_scores}
    assert figures == {"A": 0.75, "B": 0.375}
    assert [one.name for one in bundle.datasets] == ["qa"]
    (left,) = found.left_out
    assert left.path.endswith("summary.csv")
    assert not left.is_fault


def test_figures_of_other_systems_stay_figures(folder) -> None:
    found = folder(results=ITEMS, board="model,accuracy\nC,0.75\nD,0.375\nA,0.75\n")
    assert [bundle.format for bundle in found.bundles] == ["reported", "generic"]


def test_an_average_over_datasets_is_no_dataset(folder) -> None:
    items = "model,dataset,id,correct\n" + "".join(
        f"{s},{d},{i},1\n" for s in "AB" for d in "xy" for i in range(4)
    )
    found = folder(all_results=items, summary="model,x,y,average\nA,1,1,1\nB,1,1,1\n")
    (bundle,) = found.bundles
    assert {one.name for one in bundle.datasets} == {"x", "y"}
    assert len(bundle.reported_scores) == 4


@pytest.mark.parametrize(("solved", "n_copies"), [(range(4), 1), (range(2, 6), 0)])
def test_a_copy_of_what_a_harness_wrote_is_left_out(folder, tmp_path, solved, n_copies) -> None:
    """Another system that solved as many of the tasks is none."""
    (tmp_path / "qa").mkdir()
    rows = ", ".join(
        f'{{"task_id": "t{i}", "trial_name": "t{i}.1-of-1.r", "is_resolved": {str(i < 4).lower()}}}'
        for i in range(6)
    )
    (tmp_path / "qa/results.json").write_text(f'{{"results": [{rows}], "accuracy": 0.67}}')
    copy = "system,task_id,resolved\n" + "".join(f"S,t{i},{int(i in solved)}\n" for i in range(6))
    found = folder(per_task=copy)
    formats = sorted(one.format for one in found.bundles)
    assert formats == ["generic", "terminal_bench"][n_copies:]
    assert ["again" in one.reason for one in found.left_out] == [True] * n_copies


def test_means_keyed_by_system_are_figures_and_no_items(tmp_path) -> None:
    path = tmp_path / "qa"
    path.mkdir()
    (path / "summary.json").write_text('{"A": {"accuracy": 0.5, "n": 8}, "B": {"accuracy": 0.6}}')
    (bundle,) = read_paths(path).bundles
    assert not bundle.runs
    assert {one.system: one.value for one in bundle.reported_scores} == {"A": 0.5, "B": 0.6}


def test_a_copy_may_differ_in_the_last_digit(tmp_path) -> None:
    path = tmp_path / "qa"
    path.mkdir()
    rows = [
        {"id": f"q{n}", "prediction": "one two three", "answer": f"two four{n}"} for n in range(6)
    ]
    (path / "predictions.json").write_text(json.dumps(rows))
    (bundle,) = read_paths(path).bundles
    f1 = next(one for one in bundle.runs[0].scores if bundle.metrics[one.metric].name == "token_f1")
    scored = [
        {"id": f"q{n}", "f1": math.nextafter(value, 1)} for n, value in enumerate(f1.values[:, 0])
    ]
    (path / "predictions_scored.json").write_text(json.dumps(scored))
    found = read_paths(path)
    assert [one.format for one in found.bundles] == ["predictions"]
    assert ["again" in one.reason for one in found.left_out] == [True]
