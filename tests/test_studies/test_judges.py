"""`tiebreak judges`: a model beside people."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from analysis.statistics.annotation.humans_against_metric import humans_against_metric
from analysis.statistics.annotation.ppi import prediction_powered_mean
from analysis.studies.humans.judges.study import study_judges
from dashboard.cli import app
from store.engine import Store, open_store
from store.errors import NotFoundError, StoreError
from store.importers.bundle import BundleCriterion, BundlePreference
from store.metrics import list_metrics
from tests.test_studies.people import keep, labelled, preferred, rated

NAN = math.nan
N_ITEMS, N_HUMAN = 120, 40
QUALITY = BundleCriterion("quality", 0, lower=-10, upper=10)
PREFERENCE = BundleCriterion("better", 0, kind="preference")


def tables(seed: int = 0) -> tuple[list[np.ndarray], np.ndarray]:
    """Return two people's ratings of two systems on some items, and a judge's on all."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(2, N_ITEMS)) + np.array([[0.6], [0.0]])
    people = [truth + 0.3 * rng.normal(size=truth.shape) for _ in range(2)]
    for table in people:
        table[:, N_HUMAN:] = NAN
    return people, truth + 0.8 + 0.3 * rng.normal(size=truth.shape)


@pytest.fixture
def judged(store: Store) -> Store:
    """Return a store with people's and a judge's ratings on one criterion."""
    people, judge = tables()
    ratings = [r for k, table in enumerate(people) for r in rated(f"p{k}", table)]
    keep(
        store,
        N_ITEMS,
        criteria=[QUALITY],
        ratings=[*ratings, *rated("gpt", judge)],
        models=["gpt"],
    )
    return store


def test_systems_by_both_together(judged: Store) -> None:
    study = study_judges(judged, "talks", n_resamples=199)
    people, judge = tables()
    assert study.judge == "gpt"
    assert (study.n_people, study.n_units, study.n_both) == (2, 2 * N_ITEMS, 2 * N_HUMAN)
    human = np.full_like(judge, NAN)
    human[:, :N_HUMAN] = np.mean(people, axis=0)[:, :N_HUMAN]
    assert [row.system for row in study.systems] == ["s0", "s1"]
    for row, y, f in zip(study.systems, human, judge, strict=True):
        expected = prediction_powered_mean(y, f)
        assert row.corrected == pytest.approx(expected.estimate)
        assert (row.corrected_low, row.corrected_high) == pytest.approx(expected.interval[:2])
        assert row.human == pytest.approx(expected.classical)
        assert row.judge == pytest.approx(f.mean())
        assert row.bias == pytest.approx(0.8, abs=0.15)
        assert row.effective_n > 60
        assert (row.n_human, row.n_judged_only) == (N_HUMAN, N_ITEMS - N_HUMAN)
    pair = prediction_powered_mean(human[0] - human[1], judge[0] - judge[1])
    assert study.pairs[0].corrected == pytest.approx(pair.estimate)
    assert study.pairs[0].pvalue == pytest.approx(pair.pvalue)
    assert study.pairs[0].better == "first"
    assert any("random choice of all" in note for note in study.warnings)


def test_the_judge_against_the_ceiling(judged: Store) -> None:
    study = study_judges(judged, "talks", n_resamples=199, seed=3)
    people, judge = tables()
    signs = [np.sign(table[0] - table[1]) for table in [*people, judge]]
    # Items that no person judged play no part in the mean; they are drawn all the same.
    expected = humans_against_metric(signs[:2], signs[2], n_resamples=199, rng=3)
    assert study.ceiling is not None
    assert study.ceiling.metric == pytest.approx(expected.metric)
    assert study.ceiling.humans == pytest.approx(expected.humans)


@pytest.mark.parametrize("scale", [1.0, 0.001])
def test_what_the_judges_further_judgments_are_worth(store: Store, scale: float) -> None:
    people, judge = tables()
    noise = np.random.default_rng(1).normal(size=judge.shape)
    keep(
        store,
        N_ITEMS,
        criteria=[QUALITY],
        ratings=rated("p", people[0]),
        scores=np.stack([scale * judge, scale * noise]),
        metrics=["good", "useless"],
    )
    good = study_judges(store, "talks", judge="good", n_resamples=99)
    gain = np.median([row.effective_n / row.n_human for row in good.systems])
    assert gain > 1.5  # on whatever scale the metric is
    assert f"make those as precise as {gain:.2g} times as many without" in good.sentence
    useless = study_judges(store, "talks", judge="useless", n_resamples=99)
    assert max(row.effective_n / row.n_human for row in useless.systems) < 1.05
    assert "its further judgments add next to nothing to them. Told apart" in useless.sentence


def test_items_that_were_not_drawn_at_random_are_noticed(store: Store) -> None:
    _, judge = tables()
    order = np.argsort(-judge.mean(axis=0))
    human = np.full_like(judge, NAN)
    human[:, order[:40]] = judge[:, order[:40]]
    keep(
        store,
        N_ITEMS,
        criteria=[QUALITY],
        ratings=[*rated("p", human), *rated("gpt", judge)],
        models=["gpt"],
    )
    study = study_judges(store, "talks", n_resamples=99)
    assert any("rates the items that people judged higher" in note for note in study.warnings)


def test_a_metric_or_another_criterion_can_be_the_judge(store: Store) -> None:
    people, judge = tables()
    other = BundleCriterion("quality by model", 0, lower=-10, upper=10)
    keep(
        store,
        N_ITEMS,
        criteria=[QUALITY, other],
        ratings=[*rated("p", people[0]), *rated("gpt", judge, criterion=1)],
        models=["gpt"],
        scores=judge[None],
        metrics=["similarity"],
    )
    by_criterion = study_judges(
        store, "talks", gold="quality", judge="quality by model", n_resamples=99
    )
    by_metric = study_judges(store, "talks", gold="quality", judge="similarity", n_resamples=99)
    assert by_criterion.judge_kind == "criterion"
    assert by_metric.judge_kind == "metric"
    for one, two in zip(by_criterion.systems, by_metric.systems, strict=True):
        assert one == two
    assert any("need not be on the scale" in note for note in by_metric.warnings)


def test_peoples_own_mean_is_no_judge(store: Store) -> None:
    people, judge = tables()
    keep(
        store,
        N_ITEMS,
        criteria=[QUALITY],
        ratings=rated("p", people[0]),
        scores=judge[None],
        metrics=["similarity"],
    )
    gold = next(m for m in list_metrics(store) if m.source == "human")
    for name in ("quality", gold.uid, gold.label):
        with pytest.raises(StoreError, match=r"made of people's.*There are 'similarity'"):
            study_judges(store, "talks", judge=name, n_resamples=99)


def test_people_who_always_prefer_one_system_are_a_verdict(store: Store) -> None:
    always = preferred("p", np.where(np.arange(220) < 20, 1.0, NAN))
    judge = np.ones(220)
    judge[30:60] = -1
    keep(
        store,
        220,
        criteria=[PREFERENCE],
        preferences=[*always, *preferred("gpt", judge)],
        models=["gpt"],
    )
    study = study_judges(store, "talks", n_resamples=99)
    assert study.pairs[0].better == "first"
    assert study.pairs[0].pvalue == pytest.approx(2.0**-19, rel=1)
    assert all(row.corrected_high > row.corrected_low for row in study.systems)
    assert any("four made-up judgments" in note for note in study.warnings)


def test_ratings_that_are_all_the_same_have_no_interval(store: Store) -> None:
    _, judge = tables()
    human = np.full_like(judge, NAN)
    human[:, :N_HUMAN] = [[5.0], [4.0]]
    keep(
        store,
        N_ITEMS,
        criteria=[QUALITY],
        ratings=[*rated("p", human), *rated("gpt", judge)],
        models=["gpt"],
    )
    study = study_judges(store, "talks", n_resamples=99)
    assert all(math.isnan(row.corrected_low) for row in study.systems)
    assert study.pairs[0].better == "first"
    assert any("People rate all outputs of s0 and s1 the same" in w for w in study.warnings)


def test_a_metric_where_lower_is_better_is_turned(store: Store) -> None:
    people, judge = tables()
    keep(
        store,
        N_ITEMS,
        criteria=[BundleCriterion("errors", 0, higher_is_better=False)],
        ratings=rated("p", people[0]),
        scores=-judge[None],
        metrics=["quality"],
    )
    study = study_judges(store, "talks", judge="quality", n_resamples=99)
    expected = prediction_powered_mean(people[0][0], judge[0])
    row = next(row for row in study.systems if row.system == "s0")
    assert row.corrected == pytest.approx(expected.estimate)
    assert study.pairs[0].better == "second"  # fewer errors
    assert study.systems[0].system == "s1"


def choices(seed: int, n: int, longer: float = 0.0) -> list[BundlePreference]:
    rng = np.random.default_rng(seed)
    made = []
    for i in range(n):
        turned = bool(rng.random() < 0.5)
        lengths = rng.integers(50, 400, 2)
        lean = 0.6 + longer * np.log2(lengths[0] / lengths[1])
        word = "first" if rng.random() < 1 / (1 + np.exp(-lean)) else "second"
        first, second = ("s1", "s0") if turned else ("s0", "s1")
        made.append(
            BundlePreference(
                0,
                "gpt",
                i,
                first,
                second,
                word,  # type: ignore[arg-type]
                order_known=True,
                first_length=int(lengths[0]),
                second_length=int(lengths[1]),
            )
        )
    return made


def test_choices_show_place_and_length(store: Store) -> None:
    people = preferred("p", np.where(np.arange(600) < 60, 1.0, NAN))
    keep(
        store,
        600,
        criteria=[PREFERENCE],
        preferences=[*choices(1, 600, longer=1.0), *people],
        models=["gpt"],
    )
    study = study_judges(store, "talks", n_resamples=99)
    by_model, by_people = study.biases
    assert by_model.who == "gpt"
    assert by_model.position.balanced.value > 0.55
    assert by_model.length.per_doubling_interval.contains(1.0)
    assert by_people.who == "p"
    notes = " ".join(study.warnings)
    assert "gpt prefers the output shown first" in notes
    assert "gpt prefers the longer output" in notes
    assert study.unit_in_words == "share of comparisons won"
    rows = {row.system: row for row in study.systems}
    assert rows["s0"].human == 1.0
    assert rows["s0"].corrected + rows["s1"].corrected == pytest.approx(1.0)


def test_a_judge_alone_says_that_people_are_missing(store: Store) -> None:
    keep(store, 50, criteria=[PREFERENCE], preferences=choices(2, 50), models=["gpt"])
    study = study_judges(store, "talks", n_resamples=99)
    assert study.sentence.startswith("Only gpt judged 'better' on talks")
    assert study.ceiling is None
    assert study.pairs == ()
    assert math.isnan(study.systems[0].corrected)


def test_what_cannot_be_asked(judged: Store) -> None:
    with pytest.raises(NotFoundError, match=r"'gtp' is no model that judged.*Did you mean 'gpt'"):
        study_judges(judged, "talks", judge="gtp")
    with pytest.raises(StoreError, match="`alpha` must lie between 0 and 1"):
        study_judges(judged, "talks", alpha=2)
    keep(
        judged,
        3,
        dataset="labels",
        criteria=[BundleCriterion("topic", 0, level="nominal", labels=["a", "b"])],
        ratings=labelled("p", [0, 1, 1]),
    )
    with pytest.raises(StoreError, match="'topic' holds labels"):
        study_judges(judged, "labels")
    keep(judged, 2, dataset="people", criteria=[QUALITY], ratings=rated("p", [[1, 2], [2, 3]]))
    with pytest.raises(StoreError, match="No model judged 'quality' on 'people'"):
        study_judges(judged, "people")
    keep(
        judged,
        2,
        dataset="several",
        criteria=[QUALITY],
        ratings=[*rated("a", [[1, 2]]), *rated("b", [[1, 2]])],
        models=["a", "b"],
    )
    with pytest.raises(StoreError, match="Several models judged: a and b"):
        study_judges(judged, "several")


def test_the_command_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = open_store(path, create=True)
    people, judge = tables()
    ratings = [r for k, table in enumerate(people) for r in rated(f"p{k}", table)]
    keep(
        store,
        N_ITEMS,
        criteria=[QUALITY],
        ratings=[*ratings, *rated("gpt", judge)],
        models=["gpt"],
    )
    study = study_judges(store, "talks", n_resamples=199)
    store.close()

    def run(*words: str) -> Any:
        outcome = CliRunner().invoke(app, ["--store", str(path), *words])
        assert outcome.exit_code == 0, outcome.output
        return outcome.stdout

    words = ("judges", "talks", "--n-resamples", "199")
    assert study.sentence in run(*words)
    answered = json.loads(run(*words, "--json"))
    assert answered["result"]["systems"][0]["corrected"] == study.systems[0].corrected
    assert answered["result"]["ceiling"]["metric"] == study.ceiling.metric  # type: ignore[union-attr]
    assert "judge less people" in run(*words, "--format", "markdown")
    assert r"\begin{tabular}" in run(*words, "--format", "latex")


def test_power_takes_the_spread_of_stored_ratings(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = open_store(path, create=True)
    rng = np.random.default_rng(5)
    items, people = rng.normal(size=(1, 40)), rng.normal(0, 0.3, 4)
    gaps = rng.normal(0.5, 0.2, 4)
    ratings = []
    for k in range(4):
        table = items + people[k] + np.array([[gaps[k]], [0.0], [-2.0]])
        ratings += rated(f"p{k}", table + 0.5 * rng.normal(size=(3, 40)))
    keep(store, 40, criteria=[BundleCriterion("quality", 0)], ratings=ratings)
    store.close()

    def run(*words: str, code: int = 0) -> Any:
        outcome = CliRunner().invoke(app, ["--store", str(path), "power", "ratings", *words])
        assert outcome.exit_code == code, outcome.output
        return outcome

    words = ("--dataset", "talks", "--workers", "4", "--items", "40", "--effect", "0.5")
    found = run(*words)
    assert "quality on talks" in found.stdout
    assert "320 ratings by 4 workers of 40 items (s0 against s1)" in found.stderr
    other = run(*words, "--a", "s2", "--b", "s0")
    assert "(s2 against s0)" in other.stderr
    alone = run(*words, "--b", "s2")
    assert "(s0 against s2)" in alone.stderr
    wrong = run(*words, "--variance", "high", code=2)
    assert "exclude each other" in wrong.stderr
    assert "need `--dataset`" in run("--workers", "4", "--effect", "1", "--a", "x", code=2).stderr
    assert "'x' has no ratings" in run(*words, "--a", "x", code=2).stderr


def test_power_names_the_option_that_it_has(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = open_store(path, create=True)
    other = BundleCriterion("fluency", 0)
    ratings = [*rated("p", [[1, 2]]), *rated("p", [[1, 2]], criterion=1)]
    keep(store, 2, criteria=[QUALITY, other], ratings=ratings)
    store.close()
    words = ("power", "ratings", "--dataset", "talks", "--workers", "3", "--effect", "1")
    outcome = CliRunner().invoke(app, ["--store", str(path), *words])
    assert outcome.exit_code == 2
    assert "`--criterion`" in outcome.stderr
    assert "--gold" not in outcome.stderr
