"""Tables beside each other that name their systems and have the same items."""

from __future__ import annotations

import pytest

from store.importers.detect import read_paths


@pytest.fixture
def datasets(write, tmp_path):
    def make(**files):
        for name, rows in files.items():
            head = "model,task_id,correct\n"
            write(head + "".join(f"{row}\n" for row in rows), f"quiz/results/{name}.csv")
        found = read_paths([tmp_path / "quiz"], root=tmp_path)
        return {
            run.system: bundle.datasets[run.dataset].name
            for bundle in found.bundles
            for run in bundle.runs
        }

    return make


def test_files_with_the_same_items_are_of_one_dataset(datasets) -> None:
    found = datasets(T4_scored=["a,x_1,1", "a,x_2,0"], cloud=["b,x_2,1", "b,x_1,1"])
    assert found == {"a": "quiz", "b": "quiz"}


@pytest.mark.parametrize(
    "other", [["b,x_1,1", "b,x_3,0"], ["a,x_1,0", "a,x_2,0"]], ids=["other items", "same system"]
)
def test_files_of_which_that_is_not_so_keep_their_names(datasets, other) -> None:
    assert set(datasets(T4_scored=["a,x_1,1", "a,x_2,0"], cloud=other).values()) >= {"cloud"}


def test_items_that_are_only_counted_tell_nothing(datasets) -> None:
    found = datasets(T4_scored=["a,1,1", "a,2,0"], cloud=["b,1,1", "b,2,0"])
    assert found == {"a": "T4_scored", "b": "cloud"}
