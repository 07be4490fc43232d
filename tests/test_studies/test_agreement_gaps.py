"""`tiebreak agreement` where annotators, metrics or scales leave gaps, and says so."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from analysis.statistics.annotation.humans_against_metric import humans_against_metric
from analysis.statistics.annotation.icc import intraclass_correlations
from analysis.statistics.annotation.kappa import cohen_kappa
from analysis.studies.humans.agreement.study import AgreementStudy, CoefficientRow, study_agreement
from store.engine import Store
from store.importers.bundle import BundleCriterion
from tests.test_studies.people import keep, preferred, rated

NAN = math.nan
PREFERENCE = BundleCriterion("better", 0, kind="preference")
Floats = npt.NDArray[np.float64]


def row_of(study: AgreementStudy, name: str) -> CoefficientRow:
    return next(row for row in study.coefficients if row.name == name)


def crowd(n_workers: int, n_items: int, per_item: int, seed: int = 1) -> Floats:
    """Return ratings from 1 to 5 of one system, a few workers per item: workers by items."""
    rng = np.random.default_rng(seed)
    ratings = np.full((n_workers, n_items), NAN)
    for item, level in enumerate(rng.normal(3, 1, n_items)):
        who = rng.choice(n_workers, per_item + int(rng.integers(0, 2)), replace=False)
        ratings[who, item] = np.clip(np.round(level + rng.normal(0, 0.7, len(who))), 1, 5)
    return ratings


def keep_ratings(store: Store, ratings: Floats, criterion: BundleCriterion) -> None:
    keep(
        store,
        ratings.shape[1],
        criteria=[criterion],
        ratings=[r for k, row in enumerate(ratings) for r in rated(f"p{k}", row[None])],
    )


def test_metrics_and_people_are_held_against_each_other_on_the_same_units(store: Store) -> None:
    rng = np.random.default_rng(5)
    people = rng.choice([-1.0, 1.0], (3, 40))
    people[1:, 25:] = NAN  # one annotator only
    scores = rng.normal(size=(2, 2, 40))
    scores[1, :, :10] = NAN  # the second metric lacks some
    scores[0, 1, 2] = scores[0, 0, 2]
    scores[1, 1, 12] = scores[1, 0, 12]
    keep(
        store,
        40,
        criteria=[PREFERENCE],
        preferences=[p for k, row in enumerate(people) for p in preferred(f"p{k}", row)],
        scores=scores,
        metrics=["whole", "part"],
    )
    study = study_agreement(store, "talks", n_resamples=199)
    rows = {row.name: row for row in study.metrics}
    assert (rows["whole"].n_units, rows["whole"].n_single) == (25, 15)
    assert (rows["part"].n_units, rows["part"].n_single) == (15, 15)
    for name, values, used in (
        ("whole", scores[0], slice(0, 25)),
        ("part", scores[1], slice(10, 25)),
    ):
        signs = np.sign(values[0] - values[1])
        expected = humans_against_metric(people[:, used], signs[used], n_resamples=99)
        assert rows[name].agreement == pytest.approx(expected.metric)
        assert rows[name].humans == pytest.approx(expected.humans)
        assert rows[name].difference == pytest.approx(rows[name].humans - rows[name].agreement)
    told = " ".join(study.warnings)
    assert "whole 1 of 25" in told
    assert "part 1 of 15" in told
    assert "25 at most; up to 15 that one judged are left out" in told
    assert "Some metrics have scores of fewer units" in told


def test_nothing_is_said_of_units_where_all_are_the_same(store: Store) -> None:
    choices = np.array([[1, -1, 1, 1], [1, 1, 1, -1.0]])
    keep(
        store,
        4,
        criteria=[PREFERENCE],
        preferences=[p for k, row in enumerate(choices) for p in preferred(f"p{k}", row)],
        scores=np.arange(8.0).reshape(1, 2, 4),
        metrics=["BLEU"],
    )
    told = " ".join(study_agreement(store, "talks", n_resamples=99).warnings)
    assert "left out" not in told
    assert "fewer units" not in told


def test_a_crowd_of_whom_nobody_rated_all_has_its_correlation(store: Store) -> None:
    ratings = crowd(30, 60, 3)
    keep_ratings(store, ratings, BundleCriterion("quality", 0, lower=1, upper=5))
    study = study_agreement(store, "talks", n_resamples=99)
    assert {row.name for row in study.coefficients if row.name.startswith("ICC")} == {
        "ICC1, with gaps"
    }
    row = row_of(study, "ICC1, with gaps")
    expected = intraclass_correlations(ratings).uneven
    assert expected is not None
    assert row.value == pytest.approx(expected.value)
    # Intervals by F hold for normal ratings only.
    assert math.isnan(row.ci_low)
    assert math.isnan(row.ci_high)
    assert "60 units rated 3 to 4 times" in row.note
    assert any("No unit was rated by all 30 annotators: ICC2, ICC3" in w for w in study.warnings)


def test_how_many_units_were_left_out_is_said(store: Store) -> None:
    ratings = np.array([[1, 2, 4, 5, 3.0], [2, 2, 5, 4, NAN], [1, 3, 4, 5, 2]])
    keep_ratings(store, ratings, BundleCriterion("quality", 0))
    study = study_agreement(store, "talks", n_resamples=99)
    assert row_of(study, "ICC3k").note.endswith("4 units that all 3 rated, 1 left out")
    assert "5 units rated 2 to 3 times" in row_of(study, "ICC1, with gaps").note
    assert not any("rated by all" in note for note in study.warnings)


def test_why_a_correlation_is_missing(store: Store) -> None:
    ratings = np.array([[1, 5, 1, 4], [5, 1, 4, 1.0]])
    keep_ratings(store, ratings, BundleCriterion("quality", 0))
    study = study_agreement(store, "talks", n_resamples=99)
    row = row_of(study, "ICC2k")
    assert math.isnan(row.value)
    assert row.note.endswith("not defined: ratings contradict each other more than they agree")
    assert "not defined" not in row_of(study, "ICC2").note


@pytest.mark.parametrize(
    ("scale", "spacing", "words"),
    [
        ({"lower": 1, "upper": 5}, "values", "distances on the scale 1 to 5"),
        ({"lower": 1, "upper": 5, "level": "ordinal"}, "values", "distances on the scale 1 to 5"),
        ({"level": "interval"}, "values", "distances of the values"),
        ({"level": "ordinal"}, "ranks", "the scale is not known"),
    ],
)
def test_weighted_kappa_goes_by_the_scale(
    store: Store, scale: dict[str, Any], spacing: Any, words: str
) -> None:
    ratings = np.array([[1, 1, 2, 2, 5, 5, 5, 1], [1, 2, 2, 5, 5, 5, 2, 1.0]])
    keep_ratings(store, ratings, BundleCriterion("quality", 0, **scale))
    study = study_agreement(store, "talks", n_resamples=99)
    row = row_of(study, "quadratic weighted kappa, mean over pairs")
    expected = cohen_kappa(ratings, weights="quadratic", spacing=spacing)
    assert row.value == pytest.approx(expected.value)
    assert words in row.note


def test_ties_alone_are_an_answer(store: Store) -> None:
    keep(
        store,
        5,
        criteria=[PREFERENCE],
        preferences=[*preferred("p0", np.zeros(5)), *preferred("p1", np.zeros(5))],
    )
    study = study_agreement(store, "talks", n_resamples=99)
    assert study.strengths == ()
    assert study.mean_agreement == 1.0
    assert any(note.startswith("Every choice is a tie") for note in study.warnings)


def test_models_are_not_called_people(store: Store) -> None:
    keep(
        store,
        4,
        criteria=[PREFERENCE],
        preferences=[*preferred("a", [1, 1, -1, 1]), *preferred("b", [1, -1, -1, 1])],
        models=["a", "b"],
    )
    study = study_agreement(store, "talks", n_resamples=99)
    assert study.sentence.startswith("The 2 models who judged 'better' on talks agree")


def test_one_annotator_has_nobody_to_agree_with(store: Store) -> None:
    scores = np.array([[[1.0, 2, 3, 4], [0.0, 3, 1, 1]]])
    choices = preferred("p0", [1, 1, -1, 1])
    keep(store, 4, criteria=[PREFERENCE], preferences=choices, scores=scores, metrics=["BLEU"])
    study = study_agreement(store, "talks", n_resamples=99)
    assert "was judged by one annotator: there is nobody to agree with." in study.sentence
    assert "BLEU agrees with p0 on" in study.sentence
    assert all(table.rows for table in study.report().tables)
    keep(store, 4, dataset="alone", criteria=[PREFERENCE], preferences=choices)
    assert not any("intervals" in w for w in study_agreement(store, "alone").warnings)


def test_a_correlation_below_minus_one_is_explained(store: Store) -> None:
    ratings = np.array([[4, 3, 2, 2, 1, 1], [1, 1, 5, 4, 5, 3.0]])
    keep_ratings(store, ratings, BundleCriterion("quality", 0))
    study = study_agreement(store, "talks", n_resamples=99)
    ends = [end for row in study.coefficients for end in (row.ci_low, row.ci_high)]
    assert not np.isinf(ends).any()
    note = row_of(study, "ICC2k").note
    assert note.endswith("below −1: ratings of a unit contradict each other")


def test_pairs_that_share_few_units_are_told_of(store: Store) -> None:
    keep_ratings(store, crowd(30, 60, 3), BundleCriterion("quality", 0, lower=1, upper=5))
    told = " ".join(study_agreement(store, "talks", n_resamples=99).warnings)
    assert "Most pairs of annotators share fewer than 5 units: the mean of their kappas" in told
    keep(
        store,
        4,
        dataset="two",
        criteria=[PREFERENCE],
        preferences=[*preferred("a", [1, 1, -1, 1]), *preferred("b", [1, -1, -1, 1])],
    )
    told = " ".join(study_agreement(store, "two", n_resamples=99).warnings)
    assert "The two annotators share fewer than 20 units." in told
