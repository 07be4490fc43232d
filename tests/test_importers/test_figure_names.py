"""Files of figures that name neither system nor dataset are called after their paths, together."""

import json

import pytest

from store.importers.detect import read_paths


def _figures(folder, files: dict[str, object]) -> set[tuple[str, str, str, float]]:
    """Write files, read their folder, and return system, dataset, metric and value of figures."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return {
        (one.system, bundle.datasets[one.dataset].name, bundle.metrics[one.metric].name, one.value)
        for bundle in read_paths(folder).bundles
        for one in bundle.reported_scores
    }


_GRID = {
    ("bert-base", "squad", "accuracy", 0.5),
    ("bert-base", "gsm8k", "accuracy", 0.25),
    ("gpt-4o", "squad", "accuracy", 0.75),
    ("gpt-4o", "gsm8k", "accuracy", 0.625),
}


@pytest.mark.parametrize(
    "pattern",
    [
        "{system}/{dataset}/metrics.json",
        "{dataset}/{system}/metrics.json",
        "{dataset}/{system}/eval_results.json",
        "{system}_{dataset}.json",
        "{dataset}--{system}.json",
        "{dataset} {system}.json",
    ],
)
def test_a_grid_of_files_names_systems_and_datasets(tmp_path, pattern) -> None:
    folder = tmp_path / "out"
    files = {pattern.format(system=s, dataset=d): {"accuracy": v} for s, d, _, v in _GRID}
    assert _figures(folder, files) == _GRID


@pytest.mark.parametrize("pattern", ["gpt-4o_{}.json", "{}-gpt-4o.json", "gpt-4o/{}/metrics.json"])
def test_one_system_on_several_datasets(tmp_path, pattern) -> None:
    values = {d: v for s, d, _, v in _GRID if s == "gpt-4o"}
    files = {pattern.format(dataset): {"accuracy": v} for dataset, v in values.items()}
    expected = {one for one in _GRID if one[0] == "gpt-4o"}
    assert _figures(tmp_path / "out", files) == expected


def test_a_single_file_below_system_and_dataset(tmp_path) -> None:
    found = _figures(tmp_path / "out", {"gpt-4o/squad/metrics.json": {"accuracy": 0.75}})
    assert found == {("gpt-4o", "squad", "accuracy", 0.75)}


def test_tables_of_datasets_called_after_systems(tmp_path) -> None:
    files = {
        "gpt-4o.csv": "dataset,accuracy\nsquad,0.75\ngsm8k,0.625\n",
        "bert-base.csv": "dataset,accuracy\nsquad,0.5\ngsm8k,0.25\n",
    }
    assert _figures(tmp_path / "out", files) == _GRID


def test_what_a_file_says_goes_before_its_path(tmp_path) -> None:
    files = {
        f"{i}.json": {"config": {"model": s, "dataset": d, "t": 0.0}, "metrics": {"accuracy": v}}
        for i, (s, d, _, v) in enumerate(sorted(_GRID))
    }
    assert _figures(tmp_path / "out", files) == _GRID


def test_the_task_beside_the_figures_is_their_dataset(tmp_path) -> None:
    content = {"model": "gpt-4o", "task": "squad", "results": {"accuracy": 0.75}}
    assert _figures(tmp_path / "out", {"a.json": content}) == {
        ("gpt-4o", "squad", "accuracy", 0.75)
    }


def test_seeds_in_the_names_of_files_are_repeats(tmp_path) -> None:
    files = {
        f"{s}_squad_seed{n}.json": {"accuracy": n / 4}
        for s in ("gpt-4o", "t5-base")
        for n in (1, 2)
    }
    found = _figures(tmp_path / "out", files)
    assert found == {(s, "squad", "accuracy", n / 4) for s in ("gpt-4o", "t5-base") for n in (1, 2)}


def test_a_grid_of_unknown_names_is_asked_about(tmp_path) -> None:
    for i, name in enumerate(("foo/x1", "foo/x2", "bar/x1", "bar/x2")):
        path = tmp_path / "out" / name / "metrics.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"accuracy": i / 4}))
    questions = [one for bundle in read_paths(tmp_path / "out").bundles for one in bundle.questions]
    assert questions
    assert {one.guess for one in questions} == {"datasets"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("metrics.csv", "accuracy,f1\n0.75,0.5\n"),
        ("metrics.csv", ",accuracy,f1\n0,0.75,0.5\n"),
        ("metrics.json", [{"accuracy": 0.75, "f1": 0.5}]),
        ("metrics.yaml", "accuracy: 0.75\nf1: 0.5\n"),
    ],
)
def test_a_single_row_of_metrics_is_a_run(tmp_path, name, content) -> None:
    found = _figures(tmp_path / "out", {f"gpt-4o/squad/{name}": content})
    assert found == {("gpt-4o", "squad", "accuracy", 0.75), ("gpt-4o", "squad", "f1", 0.5)}
