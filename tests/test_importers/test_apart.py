"""Preferences of several judges, and against several baselines."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

from store.importers.apart import baselines_of

HEADER = "annotator,annotator_kind,item,system_a,system_b,winner\n"


def table(*rows: tuple[str, str, str, str]) -> str:
    lines = [f"{j},{kind},q1,{a},{b},a\n" for j, kind, a, b in rows]
    return HEADER + "".join(lines)


def by_criterion(bundle):
    found = {one.name: set() for one in bundle.criteria}
    for one in bundle.preferences:
        name = bundle.criteria[one.criterion].name
        found[name].add((one.annotator, one.first, one.second))
    return found


def test_two_judges_that_are_models_are_two_criteria(read) -> None:
    text = table(("g", "model", "A", "B"), ("h", "model", "A", "B"))
    bundle = read(text, dataset="d")
    assert by_criterion(bundle) == {
        "preference by g": {("g", "A", "B")},
        "preference by h": {("h", "A", "B")},
    }
    assert any("2 judges: each is a metric of its own" in told for told in bundle.understood)
    together = read(text, dataset="d", choices={"split": "no"})
    assert list(by_criterion(together)) == ["preference"]


@pytest.mark.parametrize("kinds", [("human", "human"), ("human", "model")])
def test_people_stay_one_panel(read, kinds) -> None:
    bundle = read(table(("g", kinds[0], "A", "B"), ("h", kinds[1], "A", "B")), dataset="d")
    assert list(by_criterion(bundle)) == ["preference"]


def test_two_baselines_are_two_criteria(read) -> None:
    rows = [("g", "model", system, base) for base in ("X", "Y") for system in "ABC"]
    bundle = read(table(*rows), dataset="d")
    assert by_criterion(bundle) == {
        f"preference against {base}": {("g", system, base) for system in "ABC"}
        for base in ("X", "Y")
    }
    assert any("2 baselines" in told for told in bundle.understood)


def test_baselines_with_other_opponents_each() -> None:
    assert baselines_of({("A", "X"), ("X", "B"), ("C", "Y"), ("D", "Y")}) == {
        ("A", "X"): "X",
        ("X", "B"): "X",
        ("C", "Y"): "Y",
        ("D", "Y"): "Y",
    }


@pytest.mark.parametrize(
    "pairs",
    [
        [("A", "B")],
        [("A", "X"), ("B", "X")],  # one baseline
        list(combinations("ABCDE", 2)),  # an arena
        [("A", "B"), ("B", "C"), ("C", "D"), ("D", "E")],
        [("A", "X"), ("A", "Y"), ("B", "X"), ("B", "Y")],  # nobody can say which are baselines
        [("A", "X"), ("B", "X"), ("C", "D")],
    ],
)
def test_no_two_baselines(pairs) -> None:
    assert baselines_of(pairs) == {}


def test_judges_of_alpaca_eval(read) -> None:
    records = [
        {
            "instruction": f"do {n}", "generator_1": "base", "generator_2": system,
            "output_1": "a", "output_2": "b", "annotator": judge, "preference": 2.0,
        }
        for n, (judge, system) in enumerate([("g", "A"), ("h", "A"), ("g", "B"), ("h", "B")])
    ]  # fmt: skip
    bundle = read(json.dumps(records), "annotations.json")
    assert {one.name for one in bundle.criteria} == {"preference by g", "preference by h"}
    together = read(json.dumps(records), "annotations.json", choices={"split": "no"})
    assert len(together.criteria) == 1
