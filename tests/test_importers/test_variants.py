"""Settings that stand in a column and in the name of the file: a part of the system."""

import json

import pytest

from store.importers.detect import read_paths


def _read(folder, name, column):
    place = folder / "humaneval"
    place.mkdir(exist_ok=True)
    rows = [{"task_id": f"t{n}", "passed": n > 1, **column, "model": "net-8B"} for n in range(4)]
    (place / name).write_text(json.dumps(rows))
    (bundle,) = read_paths(folder).bundles
    return [run.system for run in bundle.runs], [one.name for one in bundle.datasets]


def test_a_strategy_is_a_part_of_the_system(tmp_path) -> None:
    found = _read(tmp_path, "net-8B_chain_of_thought.json", {"strategy": "chain-of-thought"})
    assert found == (["net-8B (chain-of-thought)"], ["humaneval"])


@pytest.mark.parametrize("column", [{}, {"strategy": "other"}, {"subset": "hard"}])
def test_what_no_column_of_settings_says_names_the_dataset(tmp_path, column) -> None:
    assert _read(tmp_path, "net-8B_hard.json", column) == (["net-8B"], ["hard"])
