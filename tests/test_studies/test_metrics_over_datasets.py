"""Metrics against humans over several datasets: means, their intervals, and what is tested."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analysis.statistics.meta_evaluation.comparison import compare_all_metrics
from analysis.statistics.meta_evaluation.weighted import compare_over_datasets
from analysis.studies.humans.correlations import compared
from analysis.studies.humans.correlations.settings import CorrelationSettings
from analysis.studies.humans.correlations.study import study_correlations
from analysis.studies.humans.evidence import load_evidence
from analysis.studies.humans.over_datasets.study import study_correlations_over
from store.engine import Store
from store.errors import StoreError
from tests.test_studies.judged import add_rated


def test_over_datasets_means_are_means_and_marks_are_against_the_reference(store: Store) -> None:
    rng = np.random.default_rng(8)
    for name in ("de", "fr", "cs"):
        truth = rng.normal(size=(6, 1)) + rng.normal(size=(6, 40))
        noise = np.array([0.2, 4.0])[:, None, None] * rng.normal(size=(2, 6, 40))
        add_rated(store, truth + noise, truth[None] + 0.0, dataset=name, metrics=["good", "bad"])
    settings = CorrelationSettings(level="global", n_resamples=199)
    over = study_correlations_over(store, "quality", settings=settings)
    assert over.metrics == ("good", "bad")
    assert over.dataset_labels == ("cs", "de", "fr")
    assert over.mean == pytest.approx(over.values.mean(axis=1))
    assert over.mean_by_units == pytest.approx(over.values.mean(axis=1))
    assert np.all((over.mean_low < over.mean) & (over.mean < over.mean_high))
    assert over.differs.tolist() == [[-2, -2, -2], [-1, -1, -1]]
    assert "1 metric is worse than good" in over.sentence
    json.dumps(over.to_dict(), allow_nan=False)
    alone = study_correlations(store, "de", "quality", settings=settings)
    assert over.values[0, 1] == alone.rows[0].coefficient


def add_three_datasets(store: Store, *, noise: tuple[float, ...] = (0.5, 0.52, 4.0)) -> None:
    rng = np.random.default_rng(8)
    for name, n_items in (("de", 40), ("fr", 40), ("cs", 80)):
        truth = rng.normal(size=(6, 1)) + rng.normal(size=(6, n_items))
        errors = np.array(noise)[:, None, None] * rng.normal(size=(len(noise), *truth.shape))
        names = ["good", "alike", "bad"][: len(noise)]
        add_rated(store, truth + errors, truth[None] + 0.0, dataset=name, metrics=names)


GLOBAL = CorrelationSettings(level="global", n_resamples=199)


def test_means_over_datasets_are_tested(store: Store) -> None:
    add_three_datasets(store)
    over = study_correlations_over(store, "quality", settings=GLOBAL)
    assert (over.metrics, over.reference) == (("good", "alike", "bad"), "good")
    p = over.pvalue_vs_reference
    assert math.isnan(p[0])
    assert p[2] <= 3 / 200
    loaded = [load_evidence(store, uid, "quality") for uid in over.dataset_uids]
    order = [loaded[0].names.index(name) for name in over.metrics]
    parts = [
        compare_all_metrics(
            one.scores[order],
            one.gold,
            level="global",
            coefficient="pearson",
            test=over.test,
            n_resamples=999,
            rng=place,
            keep_null=True,
        )
        for place, one in enumerate(loaded)
    ]
    again = compare_over_datasets(parts)
    assert p[1] == pytest.approx(again.pvalue_adjusted[0, 1], abs=0.06)
    assert over.mean == pytest.approx(again.values)
    assert over.versus_best == ("reference", "undecided", "worse")
    assert over.groups == ("a", "a", "b")
    assert any("hang on the seed" in text for text in over.warnings)
    many = study_correlations_over(store, "quality", settings=replace(GLOBAL, n_resamples=999))
    assert not any("hang on the seed" in text for text in many.warnings)
    assert "On the mean alike cannot be separated from it" in over.sentence
    named = study_correlations_over(
        store, "quality", settings=replace(GLOBAL, reference="bad"), weights="units"
    )
    assert named.weights == pytest.approx([0.5, 0.25, 0.25])
    assert named.mean == pytest.approx(named.mean_by_units)
    assert named.pvalue_vs_reference[:2] == pytest.approx([2 / 200, 2 / 200])


def test_exchanges_serve_all_weights(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    add_three_datasets(store)
    first = study_correlations_over(store, "quality", settings=GLOBAL)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("drawn again")

    monkeypatch.setattr(compared, "compare_all_metrics", never)
    second = study_correlations_over(store, "quality", settings=GLOBAL, weights=[1, 2, 5])
    assert second.mean == pytest.approx(first.values @ [1 / 8, 2 / 8, 5 / 8])
    with pytest.raises(AssertionError, match="drawn again"):
        study_correlations_over(store, "quality", settings=replace(GLOBAL, seed=3))


def test_progress_over_datasets_goes_up_to_the_end(store: Store) -> None:
    add_three_datasets(store)
    told: list[float] = []
    study_correlations_over(
        store, "quality", settings=GLOBAL, progress=lambda done, of: told.append(done / of)
    )
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert len(set(told)) >= 6


def test_a_metric_that_a_dataset_lacks_is_not_compared_on_the_mean(store: Store) -> None:
    add_three_datasets(store)
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(6, 40))
    noise = rng.normal(size=(2, 6, 40))
    add_rated(store, truth + noise, truth[None], dataset="pl", metrics=["alike", "bad"])
    over = study_correlations_over(store, "quality", settings=GLOBAL)
    assert over.metrics[2] == "good"
    assert over.groups[2] == ""
    assert math.isnan(over.pvalue_vs_reference[2])
    assert not math.isnan(over.pvalue_vs_reference[1])
    single = study_correlations_over(store, "quality", settings=GLOBAL, metrics=["good"],
                                     datasets=["de", "fr"])  # fmt: skip
    assert (single.mean_test, single.groups) == (None, ("",))
    assert "no means are compared" in single.report().sentences[1]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("size", "`weights` must be equal, units, or a number for each dataset; got 'size'"),
        ([1, 0, 1], "`weights` must be above 0"),
        ([1, math.inf, 1], "`weights` must be above 0"),
        ([1, 2], "there are 3 datasets and 2 numbers"),
    ],
)
def test_wrong_weights_are_named(store: Store, weights: Any, message: str) -> None:
    add_three_datasets(store, noise=(0.5,))
    with pytest.raises(StoreError, match=message):
        study_correlations_over(store, "quality", settings=GLOBAL, weights=weights)
