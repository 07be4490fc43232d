"""Files of one import that state the same run otherwise: folders or times tell them apart."""

import pytest

from store.importers.detect import read_paths

SCORES = "system,dataset,item,metric,score\nA,qa,1,accuracy,{}\nA,qa,2,accuracy,1\n"
BOARD = "model,dataset,accuracy\nA,qa,{}\n"


@pytest.fixture
def labels(tmp_path):
    def make(files):
        for name, text in files.items():
            path = tmp_path / "all" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        bundles = read_paths(tmp_path / "all", root=tmp_path).bundles
        runs = [run.label for bundle in bundles for run in bundle.runs]
        return runs + [one.source for bundle in bundles for one in bundle.reported_scores]

    return make


def test_folders_with_other_scores_are_runs(labels) -> None:
    files = {f"{day}/scores/s.csv": SCORES.format(n) for n, day in enumerate(("v1", "v2"))}
    assert labels(files) == ["v1", "v2"]


def test_files_that_agree_are_one_run(labels) -> None:
    files = {f"{day}/s.csv": SCORES.format(1) for day in ("v1", "v2")}
    assert labels(files) == ["", ""]


def test_shards_that_contradict_stay_an_error(labels) -> None:
    assert labels({f"part{n}/s.csv": SCORES.format(n) for n in (0, 1)}) == ["", ""]


def test_times_in_names_tell_runs_apart(labels) -> None:
    days = ("20260704_021444", "20260704_095354")
    files = {f"run_{day}.csv": SCORES.format(n) for n, day in enumerate(days)}
    assert labels(files) == list(days)


def test_names_without_a_time_stay_an_error(labels) -> None:
    assert labels({f"{name}.csv": SCORES.format(n) for n, name in enumerate("ab")}) == ["", ""]


def test_figures_of_folders_have_sources_of_their_own(labels) -> None:
    files = {f"{name}/board.csv": BOARD.format(n / 4) for n, name in enumerate(("v1", "v2"))}
    assert labels(files) == ["v1/board.csv", "v2/board.csv"]


@pytest.mark.parametrize(
    ("folders", "systems"),
    [
        (("gpt_35_turbo", "gpt_4"), {"gpt_35_turbo (net)", "gpt_4 (net)"}),
        (("gpt4_run1", "gpt4_run2"), {"net"}),
        (("morning", "evening"), {"net"}),
    ],
)
def test_folders_called_like_systems_are_systems(tmp_path, folders, systems) -> None:
    for n, folder in enumerate(folders):
        path = tmp_path / "all" / folder / "net.jsonl_results.jsonl"
        path.parent.mkdir(parents=True)
        passed = "true" if n else "false"
        path.write_text(f'{{"task_id": "HumanEval/0", "completion": "", "passed": {passed}}}\n')
    found = read_paths(tmp_path / "all", root=tmp_path)
    assert {run.system for bundle in found.bundles for run in bundle.runs} == systems
