"""Metrics against humans: what is said of metrics that cannot be compared as one would think."""

from __future__ import annotations

import math

import numpy as np
import pytest

from analysis.studies.humans.correlations.settings import CorrelationSettings
from analysis.studies.humans.correlations.study import study_correlations
from analysis.studies.power.metric_pairs import study_metric_pair_power
from store.engine import Store
from store.errors import NotFoundError, StoreError
from store.importers.bundle import (
    BundleCriterion,
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleRating,
    BundleRun,
    BundleScores,
    ImportBundle,
)
from store.ingest import ingest
from tests.test_studies.judged import add_preferred, add_rated, add_reported

RANKS = [1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10]
MIXED = [2.0, 9, 1, 7, 3, 10, 4, 8, 5, 6]


@pytest.mark.parametrize("share", [0.09, 0.2])
def test_direction_is_that_of_the_cells_that_both_scored(store: Store, share: float) -> None:
    """A lacks the items on which all metrics are bad; B beats it on all that A scored."""
    rng = np.random.default_rng(1)
    truth = rng.normal(size=(6, 200))
    hard = np.arange(200) < 200 * share
    noise = np.where(hard, 6.0, np.array([0.9, 0.75])[:, None, None])
    scores = truth + noise * rng.normal(size=(2, 6, 200))
    scores[0][:, hard] = np.nan
    add_rated(store, scores, truth[None], metrics=["A", "B"])
    settings = CorrelationSettings(level="global", n_resamples=999)
    study = study_correlations(store, "talks", "quality", settings=settings)
    at = {row.metric: place for place, row in enumerate(study.rows)}
    a, b = study.rows[at["A"]], study.rows[at["B"]]
    assert a.coefficient > b.coefficient
    assert study.difference[at["B"], at["A"]] > 0
    assert a.is_partial == (share > 0.1)
    if a.is_partial:
        assert study.sentence.count("B follows 'quality' best")
        assert a.versus_best == "worse"
    else:
        assert b.versus_best == "better"
        assert "A has the highest coefficient" in study.sentence
        assert "but B follows it better on what both scored" in study.sentence
    assert "separated from" not in study.sentence or a.is_partial


def test_what_was_not_tested_is_not_called_alike(store: Store) -> None:
    add_reported(store, {"X": RANKS, "Y": MIXED}, RANKS)
    asked = CorrelationSettings(coefficient="spearman", test="williams")
    study = study_correlations(store, "news de-en", "DA", settings=asked)
    assert [row.versus_best for row in study.rows] == ["reference", "untested"]
    assert [row.group for row in study.rows] == ["", ""]
    assert "cannot be separated" not in study.sentence
    assert "Y could not be tested against it" in study.sentence
    assert any("knows no error beside a coefficient of 1" in text for text in study.warnings)


def test_ranks_of_reported_figures_are_tested_by_exchange(store: Store) -> None:
    add_reported(store, {"X": RANKS, "Y": MIXED}, RANKS)
    asked = CorrelationSettings(coefficient="spearman")
    study = study_correlations(store, "news de-en", "DA", settings=asked)
    assert study.test == "perm-systems"
    assert study.rows[1].pvalue_vs_best < 0.05
    assert "separated from the other metric" in study.sentence
    assert study_correlations(store, "news de-en", "DA").test == "williams"


def test_perfect_ranks_have_no_interval(store: Store) -> None:
    add_reported(store, {"X": RANKS[:5], "Y": [1.0, 3, 2, 5, 4]}, RANKS[:5])
    asked = CorrelationSettings(coefficient="spearman")
    study = study_correlations(store, "news de-en", "DA", settings=asked)
    assert study.rows[0].coefficient == 1.0
    assert all(math.isnan(end) for end in study.rows[0].ci)
    assert not math.isnan(study.rows[1].ci[0])
    assert any("X has no interval" in text for text in study.warnings)


def test_few_units_are_named(store: Store) -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(2, 2, 40))
    scores[0, :, 5:] = np.nan
    add_preferred(store, scores, np.sign(rng.normal(size=(1, 40))), metrics=["rare", "usual"])
    study = study_correlations(
        store, "parses", "better", settings=CorrelationSettings(n_resamples=99)
    )
    assert any("Over fewer than 8 units: rare (5)" in text for text in study.warnings)


def test_words_for_preferences_are_refused_for_ratings(store: Store) -> None:
    truth = np.random.default_rng(0).normal(size=(6, 10))
    add_rated(store, truth[None], truth[None])
    for name, option in (("ties", {"ties": "drop"}), ("consensus", {"consensus": "mace"})):
        with pytest.raises(StoreError, match=f"`{name}` is for preferences, and 'quality' is none"):
            study_correlations(store, "talks", "quality", **option)  # type: ignore[arg-type]


def test_one_system_is_why_nothing_is_defined(store: Store) -> None:
    truth = np.random.default_rng(0).normal(size=(1, 10))
    add_rated(store, truth[None], truth[None])
    asked = CorrelationSettings(level="system", test="perm-inputs", interval="boot-inputs")
    study = study_correlations(store, "talks", "quality", settings=asked)
    assert "is not defined, there is one system" in study.sentence


def test_systems_without_scores_are_named(store: Store) -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(7, 30))
    scores = truth + rng.normal(size=truth.shape)
    scores[3] = np.nan
    add_rated(store, scores[None], truth[None])
    study = study_correlations(store, "talks", "quality")
    assert study.rows[0].n == 6
    assert "Judged, but not scored by any metric, and so not counted: s3." in study.warnings


def test_models_that_judged_are_named_where_there_is_no_metric(store: Store) -> None:
    ratings = [
        BundleRating(0, annotator, item, system, float(item + len(system)))
        for annotator in ("ann", "llama")
        for item in range(6)
        for system in ("a", "bb", "ccc")
    ]
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset("talks", items=[BundleItem(f"i{i}") for i in range(6)])],
            criteria=[BundleCriterion("quality", 0)],
            ratings=ratings,
            annotators={"llama": "model"},
        ),
        actor="tests",
    )
    with pytest.raises(NotFoundError, match=r"Models judged as well .quality.*`tiebreak judges`"):
        study_correlations(store, "talks", "quality")


def test_tau_c_of_several_metrics_warns(store: Store) -> None:
    add_reported(store, {"X": RANKS, "Y": MIXED}, RANKS)
    asked = CorrelationSettings(coefficient="kendall-c", test="perm-systems")
    study = study_correlations(store, "news de-en", "DA", settings=asked)
    assert any("take τ-b" in text for text in study.warnings)


def test_gold_of_figures_without_a_rule_is_said_to_be_as_scored(store: Store) -> None:
    rng = np.random.default_rng(2)
    values = rng.random((20, 3))
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset("news", items=[BundleItem(f"q{k}") for k in range(20)])],
            metrics=[
                BundleMetric("adequacy", higher_is_better=True, source="human"),
                BundleMetric("first", higher_is_better=True),
                BundleMetric("second", higher_is_better=True),
            ],
            runs=[
                BundleRun(
                    system,
                    0,
                    "",
                    [BundleScores(m, rng.random((20, 1)) + values[:, [m]]) for m in range(3)],
                )
                for system in ("A", "B", "C")
            ],
        ),
        actor="tests",
    )
    settings = CorrelationSettings(level="global", n_resamples=99)
    study = study_correlations(store, "news", "adequacy", settings=settings)
    assert "gold as scored." in study.report().as_text()
    pair = study_metric_pair_power(
        store, "news", "adequacy", "first", "second", settings=settings, items=[40], n_iterations=20
    )
    assert "gold as scored." in pair.report().as_text()
