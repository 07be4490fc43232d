"""`tiebreak correlate`: one dataset, several, and what it says to wrong arguments."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from dashboard.cli import app
from store.engine import open_store
from tests.test_studies.judged import add_rated

Run = Callable[..., Any]
QUICK = ("--level", "global", "--n-resamples", "199")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a function that runs a command on a store with two judged datasets."""
    path = tmp_path / "s.db"
    store = open_store(path, create=True)
    rng = np.random.default_rng(2)
    for name, n_items in (("de-en", 40), ("cs-en", 20)):
        truth = rng.normal(size=(6, n_items))
        noise = np.array([0.4, 4.0])[:, None, None] * rng.normal(size=(2, 6, n_items))
        add_rated(store, truth + noise, truth[None], dataset=name, metrics=["good", "bad"])
    store.close()

    def call(*words: str, code: int = 0) -> Any:
        outcome = CliRunner().invoke(app, ["--store", str(path), "correlate", *words])
        assert outcome.exit_code == code, outcome.output
        return outcome

    return call


def test_one_dataset_holds_what_the_contract_says(run: Run) -> None:
    answered = json.loads(run("de-en", "--gold", "quality", *QUICK, "--json").stdout)
    assert answered["command"] == "correlate"
    assert answered["signature"].startswith("correlate|dataset:de-en|gold:quality")
    rows = answered["result"]["rows"]
    assert [row["metric"] for row in rows] == ["good", "bad"]
    assert {"coefficient", "ci", "n", "pvalue_vs_best", "group"} <= set(rows[0])
    assert rows[0]["coefficient"] > 0.8 > rows[1]["coefficient"]
    assert [row["group"] for row in rows] == ["a", "b"]
    between = np.array(answered["result"]["between"])
    assert between.shape == (2, 2)
    assert between == pytest.approx(between.T)
    told = run("de-en", *QUICK).stdout  # the only gold there is
    assert "good follows 'quality' best" in told
    assert "Metrics that share a letter cannot be separated." in told


def test_several_datasets_are_averaged_with_weights(run: Run) -> None:
    def result(*words: str) -> dict[str, Any]:
        told = run(*words, "--gold", "quality", *QUICK, "--json").stdout
        return dict(json.loads(told)["result"])

    alike = result("all")
    assert alike["dataset_labels"] == ["cs-en", "de-en"]
    assert alike["weights"] == [0.5, 0.5]
    assert alike["pvalue_vs_reference"] == [None, 0.005]
    by_units = result("all", "--weights", "units")
    assert by_units["weights"] == pytest.approx([1 / 3, 2 / 3])
    assert by_units["mean"] == pytest.approx(alike["mean_by_units"])
    given = result("de-en,cs-en", "--weights", "2,1")
    assert given["mean"] == pytest.approx(by_units["mean"])
    told = " ".join(run("all", "--gold", "quality", *QUICK).stdout.split())
    assert "On the mean it is better than the other metric that is on every dataset." in told
    assert "p, good" in told


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("all", "--gold", "quality", "--weights", "size"), "`weights` must be equal, units"),
        (("all", "--gold", "quality", "--weights", "1,2,3"), "2 datasets and 3 numbers"),
        (("all", "--gold", "quality", "--weights", "1,-2"), "must be above 0"),
        (("de-en", "--gold", "quality", "--weights", "1"), "there is one"),
        (("de-en", "--weights", "1"), "name them, and the gold"),
        (("de-fr", "--gold", "quality"), "There is no dataset 'de-fr'"),
        (("all", "--gold", "fluency"), "No dataset has a gold 'fluency'"),
    ],
)
def test_wrong_arguments_are_named(run: Run, words: tuple[str, ...], message: str) -> None:
    said = " ".join(run(*words, code=2).stderr.split())
    assert message in said
