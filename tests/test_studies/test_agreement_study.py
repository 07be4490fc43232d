"""`tiebreak agreement` and its study, on judgments whose every number can be worked out."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from analysis.statistics.annotation.agreement import pairwise_agreement
from analysis.statistics.annotation.humans_against_metric import humans_against_metric
from analysis.statistics.annotation.mace import mace
from analysis.studies.humans.agreement.study import AgreementStudy, study_agreement
from analysis.studies.humans.judged_units import load_units, orders_of
from dashboard.cli import app
from store.engine import Store, open_store
from store.errors import NotFoundError, StoreError
from store.importers.bundle import BundleCriterion, BundlePreference
from store.judgments import list_criteria
from tests.test_studies.people import keep, labelled, preferred, rated

NAN = math.nan
CHOICES = np.array(
    [
        [1, 1, -1, 1, -1, 0, 1, 1],
        [1, -1, -1, 1, -1, 1, 1, NAN],
        [1, 1, 1, NAN, -1, 0, -1, NAN],
    ]
)
SCORES = np.array(
    [
        [[3, 2, 1, 4, 1, 2, 5, 1], [2, 2, 2, 3, 2, 3, 4, 0]],
        [[0, 0, 1, 0, 1, 0, 0, 0], [1, 1, 0, 1, 0, 1, 1, 1]],
    ],
    dtype=float,
)
PREFERENCE = BundleCriterion("better", 0, kind="preference")


@pytest.fixture
def chosen(store: Store) -> Store:
    """Return a store with three people's choices between s0 and s1, and two metrics."""
    keep(
        store,
        8,
        criteria=[PREFERENCE],
        preferences=[p for k, row in enumerate(CHOICES) for p in preferred(f"p{k}", row)],
        scores=SCORES,
        metrics=["good", "bad"],
    )
    return store


def by_name(study: AgreementStudy) -> dict[str, float]:
    return {row.name: row.value for row in study.coefficients}


def test_choices_agree_as_the_statistics_say(chosen: Store) -> None:
    study = study_agreement(chosen, "talks", n_resamples=199)
    found = pairwise_agreement(CHOICES, tie_credit="half")
    assert study.mean_agreement == pytest.approx(found.mean)
    assert study.agreement_ci == pytest.approx(found.interval[:2])
    assert study.base_rate == pytest.approx(found.expected)
    assert np.array_equal(study.pairs, found.pairs, equal_nan=True)
    assert study.pairs_n.tolist() == found.n_shared.tolist()
    assert study.n_units == 7
    model = mace(CHOICES, n_restarts=20)
    assert [row.competence for row in study.annotators] == pytest.approx(model.competence.tolist())
    for row in study.to_dict()["annotators"]:  # fits as good are no sample: no interval
        assert [name for name in row if "competence" in name] == ["competence"]
    assert [row.n_judged for row in study.annotators] == [8, 7, 6]
    names = by_name(study)
    assert names["mean pairwise agreement"] == study.mean_agreement
    assert "Krippendorff's alpha, ordinal" in names  # ties lie between the choices
    assert not any(name.startswith("ICC") for name in names)


def test_metrics_are_held_against_the_same_choices(chosen: Store) -> None:
    study = study_agreement(chosen, "talks", n_resamples=199, seed=4)
    assert [row.metric for row in study.metrics] == ["good", "bad"]
    good = study.metrics[0]
    signs = np.sign(SCORES[0, 0] - SCORES[0, 1])
    expected = humans_against_metric(CHOICES, signs, n_resamples=199, rng=4)
    assert good.agreement == pytest.approx(expected.metric)
    assert good.difference == pytest.approx(expected.difference)
    assert good.pvalue == pytest.approx(expected.pvalue)
    assert good.pvalue_adjusted >= good.pvalue
    assert good.n_ties == 1
    assert study.metrics[1].agreement < 0.3
    assert study.metrics[1].difference > 0


def test_a_metric_that_guesses_agrees_less_and_a_person_does_not(store: Store) -> None:
    rng = np.random.default_rng(3)
    truth = rng.choice([-1, 1], 200)
    people = [np.where(rng.random(200) < 0.85, truth, -truth) for _ in range(4)]
    scores = np.zeros((2, 2, 200))
    scores[0, 0] = people[3]
    scores[1, 0] = rng.choice([-1, 1], 200)
    keep(
        store,
        200,
        criteria=[PREFERENCE],
        preferences=[p for k in range(3) for p in preferred(f"p{k}", people[k])],
        scores=scores,
        metrics=["person", "coin"],
    )
    study = study_agreement(store, "talks", n_resamples=999)
    assert [(row.name, row.verdict) for row in study.metrics] == [
        ("person", "undecided"),
        ("coin", "less"),
    ]
    assert "person agrees with them on" in study.sentence
    assert "; the other metric agrees less than they." in study.sentence


@pytest.mark.parametrize("ties", ["half", "drop", "first", "second"])
def test_what_a_metrics_tie_means(chosen: Store, ties: Any) -> None:
    study = study_agreement(chosen, "talks", metrics=["good"], ties=ties, n_resamples=99)
    signs = np.sign(SCORES[0, 0] - SCORES[0, 1])
    signs[signs == 0] = {"half": 0, "drop": NAN, "first": 1, "second": -1}[ties]
    expected = humans_against_metric(CHOICES, signs, n_resamples=99)
    assert study.metrics[0].agreement == pytest.approx(expected.metric)


def test_disagreements_come_worst_first_with_who_said_what(chosen: Store) -> None:
    study = study_agreement(chosen, "talks", n_resamples=99)
    spreads = [one.spread for one in study.disagreements]
    assert spreads == sorted(spreads, reverse=True)
    assert min(spreads) > 0
    worst = study.disagreements[0]
    assert worst.judgments == {"p0": "s0", "p1": "s1", "p2": "s0"}
    assert worst.what == "s0 or s1"
    said = {one.item_key: one.judgments for one in study.disagreements}
    assert said["i5"] == {"p0": "tie", "p1": "s0", "p2": "tie"}
    assert "i0" not in said


def test_consensus_is_that_of_the_others(chosen: Store) -> None:
    study = study_agreement(chosen, "talks", n_resamples=99)
    # p2 against p0 and p1 on items 0, 1, 2, 4, 5, 6: same, tie, other, same, tie/first, other.
    assert study.annotators[2].agreement_with_consensus == pytest.approx(
        (1 + 0.5 + 0 + 1 + 0.5) / 6
    )


def test_strengths_of_the_systems(chosen: Store) -> None:
    study = study_agreement(chosen, "talks", n_resamples=99)
    assert [row.system for row in study.strengths] == ["s0", "s1"]
    assert study.strengths[0].strength == pytest.approx(-study.strengths[1].strength)
    assert study.strengths[0].n_choices == 21


def test_systems_that_win_everything_are_pulled_back_and_it_is_said(store: Store) -> None:
    keep(
        store,
        6,
        criteria=[PREFERENCE],
        preferences=[*preferred("p0", np.ones(6)), *preferred("p1", np.ones(6))],
    )
    study = study_agreement(store, "talks", n_resamples=99)
    assert math.isfinite(study.strengths[0].strength)
    assert any("win, or lose, every choice" in note for note in study.warnings)
    assert study.mean_agreement == 1.0
    assert math.isnan(by_name(study)["Fleiss' kappa"])
    assert study.disagreements == ()


def test_ratings_agree_on_the_order_of_outputs(store: Store) -> None:
    rng = np.random.default_rng(1)
    truth = rng.normal(3, 1, (4, 12))
    tables = [np.clip(np.round(truth + 0.5 * rng.normal(size=truth.shape)), 1, 5) for _ in range(3)]
    keep(
        store,
        12,
        criteria=[BundleCriterion("quality", 0, lower=1, upper=5)],
        ratings=[r for k, table in enumerate(tables) for r in rated(f"p{k}", table)],
        scores=truth[None],
        metrics=["oracle"],
    )
    study = study_agreement(store, "talks", n_resamples=99)
    orders = np.array(
        [
            np.sign(table[i] - table[j])
            for table in [*tables, truth]
            for i in range(4)
            for j in range(i + 1, 4)
        ]
    ).reshape(4, 6, 12)
    flat = orders.transpose(0, 2, 1).reshape(4, -1)
    expected = humans_against_metric(flat[:3], flat[3], groups=np.repeat(np.arange(12), 6))
    assert study.mean_agreement == pytest.approx(expected.humans)
    assert study.metrics[0].agreement == pytest.approx(expected.metric)
    names = by_name(study)
    assert {"ICC1", "ICC2k", "Krippendorff's alpha, interval"} <= set(names)
    assert all(math.isnan(row.competence) for row in study.annotators)
    assert study.strengths == ()
    assert study.disagreements[0].what in {"s0", "s1", "s2", "s3"}


def test_lower_ratings_can_be_better(store: Store) -> None:
    table = np.array([[1, 2, 1, 1], [3, 4, 5, 2.0]])
    keep(
        store,
        4,
        criteria=[BundleCriterion("errors", 0, higher_is_better=False)],
        ratings=[*rated("p0", table), *rated("p1", table + 1)],
        scores=-table[None],
        metrics=["quality"],
    )
    study = study_agreement(store, "talks", n_resamples=99)
    assert study.mean_agreement == study.metrics[0].agreement == 1.0


def test_orders_of_too_many_units_are_taken_of_fewer_items(store: Store) -> None:
    table = np.arange(30.0).reshape(3, 10)
    keep(store, 10, criteria=[BundleCriterion("quality", 0)], ratings=rated("p0", table))
    units = load_units(store, list_criteria(store)[0])
    everything, left_out = orders_of(units)
    assert (everything.n_units, left_out) == (30, 0)
    some, left_out = orders_of(units, most_cells=12)
    assert (some.n_units, left_out) == (12, 6)
    assert sorted(set(some.item.tolist())) == [0, 3, 6, 9]


def test_labels_of_items(store: Store) -> None:
    labels = np.array([[0, 1, 1, 0, 1, 0], [0, 1, 0, 0, 1, NAN], [1, 1, 1, 0, 1, 0]])
    keep(
        store,
        6,
        criteria=[BundleCriterion("topic", 0, level="nominal", labels=["sport", "news"])],
        ratings=[r for k, row in enumerate(labels) for r in labelled(f"p{k}", row)],
    )
    study = study_agreement(store, "talks", n_resamples=99)
    found = pairwise_agreement(labels)
    assert study.mean_agreement == pytest.approx(found.mean)
    assert by_name(study)["commonest answer"] == pytest.approx(9 / 17)
    assert study.metrics == ()
    assert study.disagreements[0].judgments == {"p0": "sport", "p1": "sport", "p2": "news"}
    assert study.disagreements[0].what == ""
    with pytest.raises(StoreError, match="`metrics`: 'topic' holds no comparison of outputs"):
        study_agreement(store, "talks", metrics=["BLEU"])


def test_replicates_are_one_judgment(store: Store) -> None:
    again = [
        BundlePreference(0, "p0", 0, "s1", "s0", "first", replicate=1),
        BundlePreference(0, "p0", 0, "s1", "s0", "first", replicate=2),
    ]
    keep(
        store,
        2,
        criteria=[PREFERENCE],
        preferences=[*preferred("p0", [1, 1]), *again, *preferred("p1", [-1, 1])],
    )
    units = load_units(store, list_criteria(store)[0])
    assert units.values.tolist() == [[-1, 1], [-1, 1]]


def test_people_go_before_models(store: Store) -> None:
    keep(
        store,
        4,
        criteria=[PREFERENCE],
        preferences=[*preferred("p", [1, 1, -1, 1]), *preferred("judge", [1, -1, -1, 1])],
        models=["judge"],
    )
    alone = study_agreement(store, "talks", n_resamples=99)
    assert [row.name for row in alone.annotators] == ["p"]
    assert "was judged by one annotator" in alone.sentence
    assert any("left out: they are models" in note for note in alone.warnings)
    both = study_agreement(store, "talks", annotators="all", n_resamples=99)
    assert both.mean_agreement == 0.75
    models = study_agreement(store, "talks", annotators="model", n_resamples=99)
    assert [row.kind for row in models.annotators] == ["model"]


def test_groups_are_drawn_as_a_whole(store: Store) -> None:
    rng = np.random.default_rng(2)
    by_group = rng.choice([-1.0, 1.0], (2, 12))
    choices = np.repeat(by_group, 5, axis=1)
    keep(
        store,
        60,
        criteria=[PREFERENCE],
        preferences=[p for k, row in enumerate(choices) for p in preferred(f"p{k}", row)],
        groups=[f"g{i // 5}" for i in range(60)],
    )
    study = study_agreement(store, "talks", n_resamples=499)
    groups = np.repeat(np.arange(12), 5)
    expected = pairwise_agreement(choices, groups=groups).interval
    low, high = study.agreement_ci
    assert high - low == pytest.approx(expected.high - expected.low, abs=0.1)
    assert any("With 12 groups of items" in note for note in study.warnings)


def test_what_cannot_be_asked(chosen: Store) -> None:
    with pytest.raises(
        NotFoundError, match=r"Nobody judged 'fluency' on 'talks'\. Judged were better"
    ):
        study_agreement(chosen, "talks", gold="fluency")
    with pytest.raises(StoreError, match="`n_resamples` must be at least 99"):
        study_agreement(chosen, "talks", n_resamples=5)
    with pytest.raises(StoreError, match="`ties` must be one of"):
        study_agreement(chosen, "talks", ties="coin")  # type: ignore[arg-type]
    keep(chosen, 2, dataset="silent")
    with pytest.raises(NotFoundError, match="Nobody judged anything on 'silent'"):
        study_agreement(chosen, "silent")
    keep(
        chosen,
        2,
        dataset="two",
        criteria=[PREFERENCE, BundleCriterion("other", 0, kind="preference")],
        preferences=[*preferred("p", [1, 1]), *preferred("p", [1, 1], criterion=1)],
    )
    with pytest.raises(StoreError, match="Several things were judged on 'two': better and other"):
        study_agreement(chosen, "two")


def test_the_command_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = open_store(path, create=True)
    keep(
        store,
        8,
        criteria=[PREFERENCE],
        preferences=[p for k, row in enumerate(CHOICES) for p in preferred(f"p{k}", row)],
        scores=SCORES,
        metrics=["good", "bad"],
    )
    study = study_agreement(store, "talks", n_resamples=199)
    store.close()

    def run(*words: str, code: int = 0) -> Any:
        outcome = CliRunner().invoke(app, ["--store", str(path), *words])
        assert outcome.exit_code == code, outcome.output
        return outcome

    words = ("agreement", "talks", "--gold", "better", "--n-resamples", "199")
    told = run(*words).stdout
    assert study.sentence in told
    assert "Fleiss' kappa" in told
    assert "agrees with them" in told
    assert "p0: s0; p1: s1; p2: s0" in told
    answered = json.loads(run(*words, "--json").stdout)
    assert answered["command"] == "agreement"
    assert answered["signature"] == study.signature
    assert answered["result"]["mean_agreement"] == study.mean_agreement
    assert answered["result"]["metrics"][0]["metric"] == "good"
    assert len(answered["result"]["pairs"]) == 3
    assert "| good |" in run(*words, "--format", "markdown").stdout
    assert "Judged were better" in run("agreement", "talks", "--gold", "x", code=2).stderr


@pytest.mark.shared
@pytest.mark.parametrize(
    ("language", "published"),
    [("en", 0.728), ("es", 0.601), ("da", 0.768), ("de", 0.670), ("hr", 0.800)],
)
def test_planks_human_column(
    store: Store, shared_folder: Path, language: str, published: float
) -> None:
    path = shared_folder / f"data/plank_conll2015/{language}/annotated.csv"
    with path.open() as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file)]
    code = {"blue": 1.0, "red": -1.0}
    sheet = np.array([[code.get(cell, NAN) for cell in row] for row in rows]).T
    choices = [p for k, row in enumerate(sheet) for p in preferred(f"annotator {k}", row)]
    keep(store, len(rows), dataset=language, criteria=[PREFERENCE], preferences=choices)
    study = study_agreement(store, language, n_resamples=99)
    assert round(study.mean_agreement, 3) == published


def test_ties_of_metrics_are_refused_where_no_metric_is_compared(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = open_store(path, create=True)
    labels = np.array([[0, 1, 1, 0], [0, 1, 0, 0]])
    keep(
        store,
        4,
        criteria=[BundleCriterion("topic", 0, level="nominal", labels=["sport", "news"])],
        ratings=[r for k, row in enumerate(labels) for r in labelled(f"p{k}", row)],
    )
    store.close()
    words = ["--store", str(path), "agreement", "talks", "--n-resamples", "199"]
    assert CliRunner().invoke(app, words).exit_code == 0
    refused = CliRunner().invoke(app, [*words, "--ties", "drop"])
    assert refused.exit_code == 2
    assert "no metric is compared with the annotators of 'topic'. Leave it out." in refused.stderr
    assert not refused.stdout


def test_ties_of_metrics_count_with_ratings_too(store: Store) -> None:
    tables = [np.array([[1, 2, 3, 4, 5, 2], [2, 1, 5, 3, 4, 4]]) for _ in range(2)]
    alike = np.array([[0.5, 0.5, 0.1, 0.9, 0.8, 0.2], [0.5, 0.5, 0.9, 0.1, 0.2, 0.8]])
    keep(
        store,
        6,
        criteria=[BundleCriterion("quality", 0, lower=1, upper=5)],
        ratings=[r for k, table in enumerate(tables) for r in rated(f"p{k}", table)],
        scores=alike[None],
        metrics=["m"],
    )
    half = study_agreement(store, "talks", n_resamples=199).metrics[0]
    dropped = study_agreement(store, "talks", ties="drop", n_resamples=199).metrics[0]
    assert half.n_ties == 2
    assert half.agreement != dropped.agreement
