"""`tiebreak gold`: one value per item and system from several annotators, by other rules."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

from analysis.statistics.annotation.mace import mace
from analysis.studies.humans.gold.study import make_gold
from dashboard.cli import app
from store.arrays import load_matrix
from store.engine import Store, open_store
from store.errors import StoreError
from store.importers.bundle import BundleCriterion, BundleErrorSpan, BundleRating
from store.metrics import list_metrics
from tests.test_studies.people import keep, labelled, preferred, rated

NAN = math.nan
TABLES = np.array([[[1, 2, 5], [2, 4, 4]], [[1, 3, 5], [3, 3, NAN]], [[2, 5, 4], [5, 5, 5]]])
QUALITY = BundleCriterion("quality", 0, lower=1, upper=5)
PREFERENCE = BundleCriterion("better", 0, kind="preference")


@pytest.fixture
def rated_store(store: Store) -> Store:
    """Return a store with three people's ratings of two systems on three items."""
    ratings = [r for k, table in enumerate(TABLES) for r in rated(f"p{k}", table)]
    keep(store, 3, criteria=[QUALITY], ratings=ratings)
    return store


def test_the_median_is_written_as_scores(rated_store: Store) -> None:
    study = make_gold(rated_store, "talks", rule="median", actor="tests")
    assert study.metric is not None
    assert study.metric.label == "quality [human: median of annotators]"
    assert study.metric.source == "human"
    assert (study.metric.lower, study.metric.upper) == (1, 5)
    matrix = load_matrix(rated_store, "talks", study.metric.uid)
    assert matrix.scores[:, :, 0].tolist() == np.nanmedian(TABLES, axis=0).tolist()
    assert study.means == pytest.approx(np.nanmedian(TABLES, axis=0).mean(axis=1))
    assert study.n_items == (3, 3)


def test_z_scores_have_no_bounds(rated_store: Store) -> None:
    study = make_gold(rated_store, "talks", rule="z-score", actor="tests")
    scaled = [stats.zscore(t, axis=None, ddof=1, nan_policy="omit") for t in TABLES]
    matrix = load_matrix(rated_store, "talks", study.metric.uid)  # type: ignore[union-attr]
    assert matrix.scores[:, :, 0] == pytest.approx(np.nanmean(scaled, axis=0))
    assert (study.metric.lower, study.metric.upper) == (None, None)  # type: ignore[union-attr]


def test_a_tied_majority_is_left_open(rated_store: Store) -> None:
    study = make_gold(rated_store, "talks", rule="majority", actor="tests")
    assert study.n_undecided == 4
    matrix = load_matrix(rated_store, "talks", study.metric.uid)  # type: ignore[union-attr]
    assert matrix.systems == ("s0",)  # of s1 everything is open
    assert matrix.scores[0, :, 0] == pytest.approx(np.array([1, NAN, 5]), nan_ok=True)
    assert study.n_items == (2, 0)
    assert any("left open" in note for note in study.warnings)


def test_the_same_again_replaces_itself(rated_store: Store) -> None:
    first = make_gold(rated_store, "talks", rule="median", actor="tests")
    second = make_gold(rated_store, "talks", rule="median", actor="tests")
    assert first.metric.uid == second.metric.uid  # type: ignore[union-attr]
    named = [m.label for m in list_metrics(rated_store) if m.name == "quality"]
    assert sorted(named) == [
        "quality [human: mean of annotators]",
        "quality [human: median of annotators]",
    ]


def test_the_mean_is_there_already(rated_store: Store) -> None:
    with pytest.raises(StoreError, match="The mean of annotators is in the store"):
        make_gold(rated_store, "talks", rule="mean", actor="tests")


def test_choices_become_shares_of_pairs_won(store: Store) -> None:
    choices = np.array([[1, 1, -1, 1], [1, -1, -1, NAN], [1, 0, 1, -1]])
    keep(
        store,
        4,
        criteria=[PREFERENCE],
        preferences=[p for k, row in enumerate(choices) for p in preferred(f"p{k}", row)],
    )
    study = make_gold(store, "talks", rule="majority", actor="tests")
    matrix = load_matrix(store, "talks", study.metric.uid)  # type: ignore[union-attr]
    assert matrix.scores[:, :, 0].tolist() == [[1, 0.5, 0, 0.5], [0, 0.5, 1, 0.5]]
    assert [one.label for one in study.values] == ["s0", "tie", "s1", "tie"]
    by_mace = make_gold(store, "talks", rule="mace-em", actor="tests")
    assert [one.value for one in by_mace.values] == mace(choices, method="em").labels.tolist()
    assert all(one.entropy >= 0 for one in by_mace.values)
    is_open = not mace(choices, method="em").identified
    assert any("several fits" in note for note in by_mace.warnings) == is_open
    with pytest.raises(StoreError, match="`rule` 'median' does not fit choices"):
        make_gold(store, "talks", rule="median", actor="tests")


def test_labels_of_items_are_told_and_not_written(store: Store) -> None:
    labels = np.array([[0, 1, 1, 0], [0, 1, 0, 0], [1, 1, 1, 0.0]])
    keep(
        store,
        4,
        criteria=[BundleCriterion("topic", 0, level="nominal", labels=["sport", "news"])],
        ratings=[r for k, row in enumerate(labels) for r in labelled(f"p{k}", row)],
    )
    study = make_gold(store, "talks", rule="majority", actor="tests")
    assert study.metric is None
    assert [one.label for one in study.values] == ["sport", "news", "news", "sport"]
    assert "Nothing is written to the store, since no system was judged" in study.sentence
    assert list_metrics(store) == []
    rows = list(csv.DictReader(study.as_csv().splitlines()))
    assert [row["label"] for row in rows] == ["sport", "news", "news", "sport"]
    assert rows[0]["n_judgments"] == "3"
    with pytest.raises(StoreError, match="`rule` 'z-score' does not fit labels"):
        make_gold(store, "talks", rule="z-score", actor="tests")


def test_other_weights_of_errors(store: Store) -> None:
    spans = [
        BundleRating(0, "p", i, "s0", 0.0, spans=[BundleErrorSpan(severity)] * n)
        for i, (severity, n) in enumerate([("Major", 2), ("Minor", 1), ("Minor", 0)])
    ]
    criterion = BundleCriterion(
        "mqm", 0, kind="error-spans", higher_is_better=False, weights={"Major": 5, "Minor": 1}
    )
    keep(store, 3, criteria=[criterion], ratings=spans)
    study = make_gold(store, "talks", rule="mean", weights={"Major": 10, "Minor": 3}, actor="tests")
    matrix = load_matrix(store, "talks", study.metric.uid)  # type: ignore[union-attr]
    assert matrix.scores[0, :, 0].tolist() == [20, 3, 0]
    assert "weights Major=10, Minor=3" in study.metric.signature  # type: ignore[union-attr]
    assert study.metric.higher_is_better is False  # type: ignore[union-attr]


def test_whose_judgments(store: Store) -> None:
    keep(
        store,
        2,
        criteria=[QUALITY],
        ratings=[*rated("p", [[1, 2]]), *rated("judge", [[5, 5]]), *rated("other", [[3, 3]])],
        models=["judge", "other"],
    )
    own = make_gold(store, "talks", rule="median", actor="tests")
    assert own.values[0].value == 1
    models = make_gold(store, "talks", rule="median", annotators="model", actor="tests")
    assert models.metric.source == "model"  # type: ignore[union-attr]
    assert models.values[0].value == 4
    everybody = make_gold(store, "talks", rule="median", annotators="all", actor="tests")
    assert everybody.metric.signature == "model: median of annotators; people and models"  # type: ignore[union-attr]
    assert everybody.values[0].value == 3


def test_mace_needs_labels_and_company(store: Store) -> None:
    keep(
        store,
        30,
        criteria=[BundleCriterion("score", 0)],
        ratings=[*rated("p0", [np.arange(30) / 7]), *rated("p1", [np.arange(30) / 9])],
    )
    with pytest.raises(StoreError, match="takes every value as a label, and 'score' has"):
        make_gold(store, "talks", rule="mace", actor="tests")
    keep(store, 2, dataset="one", criteria=[PREFERENCE], preferences=preferred("p", [1, -1]))
    with pytest.raises(StoreError, match="needs at least two annotators"):
        make_gold(store, "one", rule="mace", actor="tests")
    with pytest.raises(StoreError, match="`weights`: 'better' holds choices"):
        make_gold(store, "one", rule="majority", weights={"Major": 1}, actor="tests")


def test_thresholds_and_control_items(store: Store) -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 40)
    people = [np.where(rng.random(40) < share, truth, 1 - truth) for share in (0.9, 0.8, 0.6)]
    choices = [p for k, row in enumerate(people) for p in preferred(f"p{k}", 2 * row - 1)]
    keep(store, 40, criteria=[PREFERENCE], preferences=choices)
    half = make_gold(store, "talks", rule="mace", threshold=0.5, actor="tests")
    assert 20 <= 40 - half.n_undecided < 40
    kept = [one for one in half.values if not math.isnan(one.value)]
    left = [one for one in half.values if math.isnan(one.value)]
    assert max(one.entropy for one in kept) < min(one.entropy for one in left)
    assert "the most certain 0.5" in half.rule_in_words
    known = {"i0": "s1", "i1": "s0"}
    fixed = make_gold(store, "talks", rule="mace", controls=known, actor="tests")
    assert [one.label for one in fixed.values[:2]] == ["s1", "s0"]
    with pytest.raises(StoreError, match="nobody judged the item 'i99'"):
        make_gold(store, "talks", rule="mace", controls={"i99": "s0"}, actor="tests")
    with pytest.raises(StoreError, match="are for 'mace', not for 'majority'"):
        make_gold(store, "talks", rule="majority", controls=known, actor="tests")
    with pytest.raises(StoreError, match="`threshold` must be above 0"):
        make_gold(store, "talks", rule="mace", threshold=0.0, actor="tests")


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = open_store(path, create=True)
    ratings = [r for k, table in enumerate(TABLES) for r in rated(f"p{k}", table)]
    keep(store, 3, criteria=[QUALITY], ratings=ratings)
    store.close()

    def run(*words: str, code: int = 0) -> Any:
        outcome = CliRunner().invoke(app, ["--store", str(path), *words])
        assert outcome.exit_code == code, outcome.output
        return outcome

    out = tmp_path / "gold.csv"
    told = run("gold", "talks", "quality", "--rule", "median", "--out", str(out)).stdout
    assert "Written as 'quality [human: median of annotators]' on talks" in told
    values = [row["value"] for row in csv.DictReader(out.read_text().splitlines())]
    assert values == ["1.0", "3.0", "3.0", "4.0", "5.0", "4.5"]
    answered = json.loads(run("gold", "talks", "--rule", "z-score", "--json").stdout)
    assert answered["result"]["metric"]["source"] == "human"
    assert len(answered["result"]["values"]) == 6
    assert (
        "exists already"
        in run("gold", "talks", "--rule", "median", "--out", str(out), code=2).stderr
    )


@pytest.mark.shared
@pytest.mark.parametrize("language", ["en", "da", "hr", "es"])
def test_planks_predictions(store: Store, shared_folder: Path, language: str) -> None:
    folder = shared_folder / f"data/plank_conll2015/{language}"
    with (folder / "annotated.csv").open() as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file)]
    code = {"blue": 1.0, "red": -1.0}
    sheet = np.array([[code.get(cell, NAN) for cell in row] for row in rows]).T
    choices = [
        p for k, row in enumerate(sheet) for p in preferred(f"annotator {k}", row, "blue", "red")
    ]
    keep(store, len(rows), dataset=language, criteria=[PREFERENCE], preferences=choices)
    study = make_gold(store, language, rule="mace-em", actor="tests")
    published = (folder / "prediction").read_text().split()
    assert [one.label for one in study.values] == published
