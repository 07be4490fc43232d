"""What the pages say of a test's error rate is what docs/calibration.json counts."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from analysis.statistics.validity_bounds import Reason
from analysis.studies.calibrated import FALSE_ALARMS, MISSES, caution, interval_caution
from dashboard.cli import app

FIGURES = json.loads(
    (Path(__file__).resolve().parents[2] / "docs" / "calibration.json").read_text(encoding="utf-8")
)["figures"]
PEARSON = {"steiger": "steiger pearson", "williams": "williams pearson"}


def test_every_rate_is_the_one_simulated() -> None:
    for population, tests in FALSE_ALARMS.items():
        for test, rates in tests.items():
            for n_items, stated in rates.items():
                repetitions, errors = FIGURES[PEARSON.get(test, test)][population][str(n_items)][:2]
                assert errors / repetitions >= 0.065
                assert stated == f"{100 * errors / repetitions:.0f} %"


def test_every_miss_of_an_interval_is_the_one_simulated_and_none_is_left_out() -> None:
    for population, intervals in MISSES.items():
        for interval in ("t", "percentile", "inverted", "tango", "newcombe"):
            known = intervals.get(interval, {})
            cells = FIGURES[f"ci difference {interval}"].get(population, {})
            for n_items, (repetitions, misses, *_) in cells.items():
                stated = known.get(int(n_items))
                assert stated in (None, f"{100 * misses / repetitions:.0f} %")
                # Of few samples a rate is told from 6.5 % on, and must be from 7.5 % on.
                assert misses / repetitions >= 0.065 or stated is None
                assert misses / repetitions < 0.075 or stated is not None


@pytest.mark.parametrize("test", ["t", "signflip", "wilcoxon", "bootstrap", "sign"])
def test_no_rate_of_skewed_or_grouped_items_is_left_out(test: str) -> None:
    for population in ("skewed", "clustered"):
        for n_items, (repetitions, errors, *_) in FIGURES[test][population].items():
            if errors / repetitions >= 0.075:
                assert int(n_items) in FALSE_ALARMS[population][test]


def test_a_sentence_where_it_matters_and_none_where_not() -> None:
    calm = {"skewness": 0.0, "clustered": False, "binary": False}
    assert caution("t", n_units=200, **calm) == ""
    assert caution("permutation", n_units=1_000, **calm) == ""
    said = caution("t", n_units=20, **(calm | {"skewness": 2.0}))
    assert "more false alarms than stated (8 % in simulation with 20 items)" in said
    said = caution("t", n_units=300, **(calm | {"clustered": True}))
    assert "takes them as independent" in said
    assert caution("mcnemar", n_units=200, skewness=math.nan, clustered=False, binary=True) == ""


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Return a function that asks a store with few skewed groups, rare losses and several runs."""
    rng = np.random.default_rng(0)
    rows = []

    def add(dataset: str, system: str, trial: int, scores: Any, groups: Any) -> None:
        rows.extend(
            f"{system},{dataset},q{i},score,{score},{group},{trial}"
            for i, (score, group) in enumerate(zip(scores, groups, strict=True))
        )

    groups, base = np.repeat(["g0", "g1", "g2", "g3"], 10), rng.normal(size=40)
    gains = np.repeat([0.2, 0.21, 0.22, 1.9], 10) + 0.01 * rng.normal(size=40)
    add("groups", "a", 0, base + gains, groups)
    add("groups", "b", 0, base, groups)
    own = rng.random(20)
    add("losses", "a", 0, own + 0.01 + 0.001 * rng.normal(size=20), range(20))
    add("losses", "b", 0, own, range(20))
    for trial, luck in enumerate((0.0, 0.1, 0.5)):
        add("runs", "a", trial, own + luck, range(20))
        add("runs", "b", trial, own + 0.02 * rng.normal(size=20), range(20))
    add("skewed", "a", 0, own + rng.exponential(size=20) - 1.5, range(20))
    add("skewed", "b", 0, own, range(20))
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["system,dataset,item,metric,score,group,trial", *rows]))

    def call(*words: str, code: int = 0) -> dict[str, Any]:
        store = ["--store", str(tmp_path / "s.db"), *words]
        outcome = CliRunner().invoke(app, store)
        assert outcome.exit_code == code, outcome.output
        return dict(json.loads(outcome.stdout)["result"]) if "--json" in words else {}

    call("ingest", str(path), "--higher-is-better")
    call("set", "repeats", "runs", "seeds")
    return call


def test_few_skewed_groups_get_no_verdict_unless_a_test_is_named(run: Any) -> None:
    answered = run("compare", "a", "b", "--dataset", "groups", "--json")
    assert (answered["verdict"], answered["why"]) == ("undecided", "no-valid-test")
    assert answered["pvalue"] is None
    assert answered["ci"] == [None, None]
    assert "no valid test for 4 skewed groups" in answered["sentence"]
    board = run("pairs", "groups", "--json")
    assert board["pvalue"][0][1] is None
    assert board["guard"][0][1] == Reason.NO_VALID_TEST
    named = run("compare", "a", "b", "--dataset", "groups", "--test", "t", "--json")
    assert named["pvalue"] is not None
    assert named["why"] == ""


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_a_named_test_that_cannot_take_groups_answers_and_says_so_first(
    run: Any, test: str
) -> None:
    asked = ("--test", test, "--json")
    alone, board = (
        run("compare", "a", "b", "--dataset", "groups", *asked),
        run("pairs", "groups", *asked),
    )
    for answered in (alone, board):
        assert answered["sentence"].startswith("These items come in groups, and the ")
    assert (alone["n_units"], alone["clustered"]) == (40, False)
    place = board["systems"].index("a"), board["systems"].index("b")
    assert board["pvalue"][place[0]][place[1]] == alone["pvalue"]
    evidence = run("replicability", "a", "b", "--datasets", "groups", *asked)
    assert evidence["sentence"]
    run("compare", "a", "b", "--dataset", "groups", "--clusters", "--test", test, code=2)


@pytest.mark.parametrize(
    ("dataset", "word"), [("losses", "unseen"), ("runs", "runs"), ("skewed", "skewed")]
)
def test_the_guard_is_said_and_the_cell_is_the_comparison(
    run: Any, dataset: str, word: str
) -> None:
    answered = run("compare", "a", "b", "--dataset", dataset, "--json")
    assert answered["guard"] == word
    board = run("pairs", dataset, "--json")
    place = board["systems"].index("a"), board["systems"].index("b")
    assert board["pvalue"][place[0]][place[1]] == answered["pvalue"]
    assert board["ci_low"][place[0]][place[1]] == answered["ci"][0]
    named = run("compare", "a", "b", "--dataset", dataset, "--test", "permutation", "--json")
    assert named["guard"] == ""
    assert named["pvalue"] < answered["pvalue"]


def test_what_is_known_of_a_named_test_stands_first(run: Any) -> None:
    named = run("compare", "a", "b", "--dataset", "skewed", "--test", "t", "--json")
    first = named["sentence"].split(": see ")[0]
    assert "more false alarms than stated" in first
    board = run("pairs", "skewed", "--test", "t", "--json")
    assert board["sentence"].split(": see ")[0] == first


def test_what_is_known_of_a_named_interval_stands_first(run: Any) -> None:
    asked = ("skewed", "--interval", "percentile", "--json")
    named = run("compare", "a", "b", "--dataset", *asked)["sentence"]
    first = named.split(": see ")[0]
    assert "misses the true difference more often than stated (9 % in simulation" in first
    own = run("compare", "a", "b", "--dataset", "skewed", "--json")
    assert "misses" not in own["sentence"]
    calm = {"skewness": 0.0, "clustered": False, "binary": True, "grouped": False}
    assert interval_caution("tango", n_units=200, **calm) == ""
    assert "2 groups" in interval_caution("percentile", n_units=3, **(calm | {"grouped": True}))
