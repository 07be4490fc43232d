"""Figures in nested JSON come out the same, whichever level names systems, datasets, metrics."""

import json
from itertools import permutations

import pytest

from store.importers.detect import read_paths

_FIGURES = {
    ("gpt-4o", "squad", "accuracy"): 0.75,
    ("gpt-4o", "squad", "f1"): 0.625,
    ("gpt-4o", "gsm8k", "accuracy"): 0.5,
    ("gpt-4o", "gsm8k", "f1"): 0.375,
    ("t5-base", "squad", "accuracy"): 0.25,
    ("t5-base", "squad", "f1"): 0.125,
    ("t5-base", "gsm8k", "accuracy"): 0.0625,
    ("t5-base", "gsm8k", "f1"): 0.1875,
}


def _read(folder) -> dict[tuple[str, str, str], float]:
    return {
        (one.system, bundle.datasets[one.dataset].name, bundle.metrics[one.metric].name): one.value
        for bundle in read_paths(folder).bundles
        for one in bundle.reported_scores
    }


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_any_order_of_levels(tmp_path, order, wrapped) -> None:
    content: dict = {}
    for names, value in _FIGURES.items():
        first, second, third = (names[place] for place in order)
        content.setdefault(first, {}).setdefault(second, {})[third] = value
    content = {"date": "2026-01-02", "results": content} if wrapped else content
    (tmp_path / "results.json").write_text(json.dumps(content))
    assert _read(tmp_path) == _FIGURES


def test_a_metric_above_systems(tmp_path) -> None:
    (tmp_path / "squad.json").write_text(
        json.dumps({"accuracy": {"gpt-4o": 0.75, "t5-base": 0.25}, "f1": {"gpt-4o": 0.5}})
    )
    assert _read(tmp_path) == {
        ("gpt-4o", "squad", "accuracy"): 0.75,
        ("t5-base", "squad", "accuracy"): 0.25,
        ("gpt-4o", "squad", "f1"): 0.5,
    }


def test_a_metric_above_names_that_may_be_classes_is_not_turned(tmp_path) -> None:
    content = {"recall": {"cat": 0.5, "dog": 0.25}, "precision": {"cat": 0.5, "dog": 0.25}}
    (tmp_path / "pets.json").write_text(json.dumps(content))
    assert not _read(tmp_path)
