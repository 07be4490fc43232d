"""Metrics against humans: every figure follows from the store, worked out again with scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.studies.humans.correlations.points import outliers
from analysis.studies.humans.correlations.settings import CorrelationSettings
from analysis.studies.humans.correlations.study import study_correlations
from analysis.studies.humans.golds import list_golds, study_golds
from analysis.studies.humans.over_datasets.study import study_correlations_over
from store.engine import Store
from store.errors import NotFoundError, StoreError
from tests.test_studies.judged import (
    add_compared,
    add_labels,
    add_preferred,
    add_rated,
    add_reported,
)

FEW = CorrelationSettings(n_resamples=199)


@pytest.fixture
def rated(store: Store) -> tuple[np.ndarray, np.ndarray]:
    """Fill the store with 8 systems on 30 items, three annotators, a good and a bad metric."""
    rng = np.random.default_rng(5)
    truth = rng.normal(size=(8, 1)) + rng.normal(size=(8, 30))
    ratings = np.round(truth + rng.normal(0, 0.5, (3, 8, 30)), 1)
    noise = np.array([0.3, 3.0])[:, None, None] * rng.normal(size=(2, 8, 30))
    scores = truth + noise
    domains = ["news" if i < 12 else "talks" for i in range(30)]
    add_rated(store, scores, ratings, metrics=["good", "bad"], domains=domains)
    return scores, ratings


def test_the_coefficients_are_those_of_scipy_at_every_level(
    store: Store, rated: tuple[np.ndarray, np.ndarray]
) -> None:
    scores, ratings = rated
    gold = ratings.mean(axis=0).round(13)  # of one decimal: means that are equal on paper are

    def value(level: str, coefficient: str) -> list[float]:
        settings = CorrelationSettings(level=level, coefficient=coefficient, n_resamples=99)  # type: ignore[arg-type]
        study = study_correlations(store, "talks", "quality", settings=settings)
        by_name = {row.metric: row.coefficient for row in study.rows}
        return [by_name["good"], by_name["bad"]]

    over_systems = [stats.pearsonr(m.mean(axis=1), gold.mean(axis=1)).statistic for m in scores]
    assert value("system", "pearson") == pytest.approx(over_systems, abs=1e-12)
    by_item = [
        np.mean([stats.kendalltau(m[:, i], gold[:, i]).statistic for i in range(30)])
        for m in scores
    ]
    assert value("item", "kendall") == pytest.approx(by_item, abs=1e-12)
    by_system = [
        np.mean([stats.spearmanr(m[s], gold[s]).statistic for s in range(8)]) for m in scores
    ]
    assert value("per-system", "spearman") == pytest.approx(by_system, abs=1e-12)
    pooled = [stats.pearsonr(m.ravel(), gold.ravel()).statistic for m in scores]
    assert value("global", "pearson") == pytest.approx(pooled, abs=1e-12)


def test_the_better_metric_is_named_and_told_apart(
    store: Store, rated: tuple[np.ndarray, np.ndarray]
) -> None:
    settings = CorrelationSettings(level="item", n_resamples=999, reference="bad")
    study = study_correlations(store, "talks", "quality", settings=settings)
    assert [row.metric for row in study.rows] == ["good", "bad"]
    assert study.sentence.startswith("On talks (8 systems on 30 items) good follows 'quality' best")
    assert "On these systems it is separated" in study.sentence
    good, bad = study.rows
    assert (good.group, bad.group) == ("a", "b")
    assert bad.pvalue_vs_best == study.pvalue_adjusted[0, 1] < 0.05
    assert good.versus_reference == "better"
    assert bad.versus_reference == "reference"
    assert np.isnan(good.pvalue_vs_best)
    assert np.isnan(bad.pvalue_vs_reference)
    assert good.ci[0] < good.coefficient < good.ci[1]
    assert study.difference[0, 1] == pytest.approx(good.coefficient - bad.coefficient)
    assert study.gold_rule == "human: mean of annotators"


def test_the_human_line_is_one_annotator_against_the_others(
    store: Store, rated: tuple[np.ndarray, np.ndarray]
) -> None:
    _, ratings = rated
    study = study_correlations(
        store, "talks", "quality", settings=CorrelationSettings(level="global", n_resamples=99)
    )
    each = [
        stats.pearsonr(ratings[a].ravel(), np.delete(ratings, a, 0).mean(axis=0).ravel()).statistic
        for a in range(3)
    ]
    assert study.human_line is not None
    assert study.human_line.value == pytest.approx(np.mean(each), abs=1e-12)
    assert study.human_line.low == pytest.approx(min(each), abs=1e-12)
    assert study.human_line.n_annotators == 3
    assert study.human_line.share == 1.0


def test_too_few_draws_are_told(store: Store) -> None:
    rng = np.random.default_rng(1)
    truth = rng.normal(size=(8, 20))
    add_rated(store, truth + rng.normal(size=(5, 8, 20)), truth[None])
    few = CorrelationSettings(level="item", n_resamples=99)
    study = study_correlations(store, "talks", "quality", settings=few)
    assert any(
        "99 draws are too few for 10 pairs of metrics: no adjusted p-value can be below 0.100" in w
        for w in study.warnings
    )
    enough = CorrelationSettings(level="item", n_resamples=999)
    study = study_correlations(store, "talks", "quality", settings=enough)
    assert not any("too few" in w for w in study.warnings)


def test_slices_hold_their_own_items(store: Store, rated: tuple[np.ndarray, np.ndarray]) -> None:
    scores, ratings = rated
    gold = ratings.mean(axis=0)
    settings = CorrelationSettings(level="global", by="domain", n_resamples=99)
    study = study_correlations(store, "talks", "quality", settings=settings)
    assert [(one.slice, one.n_items) for one in study.slices] == [("news", 12), ("talks", 18)]
    place = study.metrics.index("good")
    news = stats.pearsonr(scores[0, :, :12].ravel(), gold[:, :12].ravel()).statistic
    assert study.slices[0].values[place] == pytest.approx(news, abs=1e-12)
    by_length = study_correlations(
        store,
        "talks",
        "quality",
        settings=CorrelationSettings(level="global", by="tokens", n_resamples=99),
    )
    assert [one.n_items for one in by_length.slices] == [10, 10, 10]
    with pytest.raises(NotFoundError, match=r"no property 'colour'.*domain"):
        study_correlations(
            store, "talks", "quality", settings=CorrelationSettings(by="colour", n_resamples=99)
        )


def test_points_are_the_systems_and_an_outlier_is_named() -> None:
    gold = np.array([[1.0], [1.1], [0.9], [1.05], [0.95], [-4.0]])
    assert outliers(gold).tolist() == [False] * 5 + [True]
    assert not outliers(np.ones((5, 1))).any()


def test_an_outlying_system_is_left_out_beside(store: Store) -> None:
    rng = np.random.default_rng(2)
    level = np.array([0, 0.1, -0.1, 0.05, -0.05, 0.02, -9])[:, None]
    gold = level + rng.normal(0, 0.05, (7, 20))
    scores = (level + rng.normal(0, 1.0, (1, 7, 20))) + 0.0
    add_rated(store, scores, np.stack([gold, gold]))
    study = study_correlations(store, "talks", "quality", settings=FEW)
    (row,) = study.rows
    assert [p.system for p in study.points if p.is_outlier] == ["s6"]
    spared = stats.pearsonr(scores[0, :6].mean(axis=1), gold[:6].mean(axis=1)).statistic
    assert row.without_outliers == pytest.approx(spared, abs=1e-12)
    assert row.coefficient > 0.9 > row.without_outliers


def test_preferences_are_held_against_signs_of_differences(store: Store) -> None:
    rng = np.random.default_rng(3)
    scores = np.round(rng.uniform(size=(2, 2, 60)), 1)
    difference = scores[0, 0] - scores[0, 1]
    choices = np.where(rng.uniform(size=(3, 60)) < 0.8, np.sign(difference), -np.sign(difference))
    add_preferred(store, scores, choices, metrics=["followed", "other"])
    study = study_correlations(store, "parses", "better", settings=FEW)
    gold = np.sign(choices.sum(axis=0))
    by_name = {row.metric: row for row in study.rows}
    expected = stats.spearmanr(np.sign(difference), gold).statistic
    assert by_name["followed"].coefficient == pytest.approx(expected, abs=1e-12)
    assert (study.kind, study.level, study.coefficient) == ("preferences", "global", "spearman")
    assert by_name["followed"].n == 60
    assert any("scores alike count as 0" in text for text in study.warnings)
    dropped = study_correlations(store, "parses", "better", settings=FEW, ties="drop")
    kept = (difference != 0) & (gold != 0)
    row = next(row for row in dropped.rows if row.metric == "followed")
    assert row.n == int(kept.sum())
    phi = stats.pearsonr(np.sign(difference)[kept], gold[kept]).statistic
    assert row.coefficient == pytest.approx(phi, abs=1e-12)
    settings = CorrelationSettings(level="item", n_resamples=99)
    with pytest.raises(StoreError, match="one correlation over all of them"):
        study_correlations(store, "parses", "better", settings=settings)


def _of_four_systems(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    level = np.array([0, 0.4, 0.8, 1.2])[None, :, None]
    scores = level + rng.normal(size=(2, 4, 30))
    judged = scores[0] + rng.normal(0, 0.7, (4, 30))
    return scores, np.sign(judged[:, None] - judged[None, :])


def test_names_of_systems_do_not_move_a_correlation_over_several_pairs(store: Store) -> None:
    scores, choices = _of_four_systems(np.random.default_rng(4))
    found = []
    for dataset, names in (("one", "abcd"), ("other", "dbca")):
        add_compared(store, scores, choices, list(names), dataset=dataset)
        found.append(study_correlations(store, dataset, "better", settings=FEW))
    values = [[row.coefficient for row in study.rows] for study in found]
    assert values[0] == pytest.approx(values[1], abs=1e-12)
    assert [row.n for row in found[0].rows] == [180, 180]  # six pairs on thirty items
    assert (found[0].test, found[0].interval) == ("perm-inputs", "boot-inputs")
    upper = np.triu_indices(4, 1)
    signs = np.sign(scores[0][upper[0]] - scores[0][upper[1]]).ravel()
    gold = choices[upper].ravel()
    uncentred = signs @ gold / np.sqrt((signs @ signs) * (gold @ gold))
    row = next(row for row in found[0].rows if row.metric == "m0")
    assert row.coefficient == pytest.approx(uncentred, abs=1e-12)
    assert len(found[0].points) == 180


def test_consensus_by_mace_needs_two_annotators(store: Store) -> None:
    scores, choices = _of_four_systems(np.random.default_rng(4))
    add_compared(store, scores, choices, list("abcd"))
    with pytest.raises(StoreError, match="needs at least two annotators"):
        study_correlations(store, "answers", "better", settings=FEW, consensus="mace")


def test_pairs_on_one_item_are_not_taken_as_independent(store: Store) -> None:
    scores, choices = _of_four_systems(np.random.default_rng(4))
    add_compared(store, scores, choices, list("abcd"))
    settings = CorrelationSettings(test="williams", n_resamples=99)
    with pytest.raises(StoreError, match="pairs of outputs of an item as independent"):
        study_correlations(store, "answers", "better", settings=settings)
    with pytest.raises(StoreError, match="means something for two systems only"):
        study_correlations(store, "answers", "better", settings=FEW, ties="first")


def test_a_metric_on_few_pairs_does_not_come_first(store: Store) -> None:
    rng = np.random.default_rng(6)
    scores = rng.normal(size=(2, 2, 60))
    choices = np.sign(scores[0, 0] - scores[0, 1])[None]
    scores[0, :, 6:] = np.nan
    add_preferred(store, scores, choices, metrics=["rare", "usual"])
    study = study_correlations(store, "parses", "better", settings=FEW)
    assert [(row.metric, row.n) for row in study.rows] == [("usual", 60), ("rare", 6)]
    assert study.rows[1].coefficient == 1.0
    assert "usual follows 'better' best" in study.sentence
    assert any("rare (6): they stand below the others" in text for text in study.warnings)


def test_reported_figures_are_compared_over_systems(store: Store) -> None:
    values = {"BLEU": [10.0, 12, 15, 11, 20, 22], "TER": [0.9, 0.8, 0.7, 0.85, 0.6, 0.5]}
    human = [0.1, 0.2, 0.4, 0.15, 0.6, 0.9]
    add_reported(store, values, human, lower_is_better=["TER"])
    study = study_correlations(store, "news de-en", "DA", settings=FEW)
    by_name = {row.metric: row.coefficient for row in study.rows}
    assert by_name["BLEU"] == pytest.approx(stats.pearsonr(values["BLEU"], human).statistic)
    assert by_name["TER"] == pytest.approx(-stats.pearsonr(values["TER"], human).statistic)
    assert (study.kind, study.level) == ("reported", "system")
    assert (study.test, study.interval) == ("williams", "fisher-z")
    listed = CorrelationSettings(test="perm-systems", interval="boot-systems", n_resamples=99)
    assert study_correlations(store, "news de-en", "DA", settings=listed).exact
    assert any("hangs on each of them" in text for text in study.warnings)
    with pytest.raises(StoreError, match="reported figures only"):
        study_correlations(
            store, "news de-en", "DA", settings=CorrelationSettings(level="item", n_resamples=99)
        )


def test_golds_are_listed_and_the_missing_is_told(store: Store) -> None:
    assert study_golds(store).sentence.startswith("Nobody's judgments are in the store yet")
    add_preferred(store, np.ones((1, 2, 4)), np.ones((2, 4)))
    (gold,) = list_golds(store)
    assert (gold.name, gold.kind, gold.source) == ("better", "preference", "human")
    assert (gold.n_metrics, gold.n_systems, gold.n_items) == (1, 2, 4)
    with pytest.raises(NotFoundError, match="Judged on 'parses': better"):
        study_correlations(store, "parses", "worse", settings=FEW)
    add_labels(store)
    assert "are items, not outputs" in study_golds(store, "labelled").sentence
    with pytest.raises(NotFoundError, match="No dataset has a gold 'worse'"):
        study_correlations_over(store, "worse", settings=FEW)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"level": "word"}, "`level` must be one of"),
        ({"coefficient": "r"}, "`coefficient` must be one of"),
        ({"test": "z"}, "`test` must be one of"),
        ({"interval": "bayes"}, "`interval` must be one of"),
        ({"correction": "both"}, "`correction` must be one of"),
        ({"n_resamples": 3}, "`n_resamples` must be at least 99"),
        ({"alpha": 2.0}, "`alpha` must lie"),
        ({"reference": "none"}, "is none of the metrics: good and bad|bad and good"),
        ({"test": "williams", "coefficient": "pairwise-accuracy"}, "compares correlations"),
    ],
)
def test_wrong_settings_are_named(
    store: Store,
    rated: tuple[np.ndarray, np.ndarray],
    wrong: dict[str, object],
    message: str,
) -> None:
    settings = CorrelationSettings(**({"n_resamples": 99} | wrong))  # type: ignore[arg-type]
    with pytest.raises((StoreError, NotFoundError), match=message):
        study_correlations(store, "talks", "quality", settings=settings)


def test_by_default_an_exchange_over_cells_is_guarded_by_the_jackknife(store: Store) -> None:
    rng = np.random.default_rng(2)
    truth = rng.normal(size=(1, 40))
    scores = truth + np.stack([rng.exponential(size=(1, 40)), 1.6 * rng.normal(size=(1, 40))])
    add_rated(store, scores, truth[np.newaxis], metrics=["x", "y"])

    def study(**asked: str):  # type: ignore[no-untyped-def]
        return study_correlations(
            store,
            "talks",
            "quality",
            settings=CorrelationSettings(**asked),  # type: ignore[arg-type]
        )

    usual, named = study(), study(test="perm-inputs")
    assert (usual.test, usual.level) == ("perm-inputs", "global")
    assert usual.pvalue[0, 1] > named.pvalue[0, 1]
    assert any("jackknife" in warning for warning in usual.warnings)
    assert not any("jackknife" in warning for warning in named.warnings)
    assert study(coefficient="spearman").pvalue[0, 1] == pytest.approx(
        study(coefficient="spearman", test="perm-inputs").pvalue[0, 1]
    )
