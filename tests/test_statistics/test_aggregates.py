"""Aggregates over datasets agree with loops, scipy and the published definitions."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.across.aggregates import (
    MACRO,
    aggregate_over_datasets,
    interquartile_weights,
)
from analysis.statistics.across.resampled_datasets import (
    DatasetScores,
    resample_over_datasets,
)
from analysis.statistics.across.resampled_scores import ResampledScores

NAN = math.nan
figures = st.floats(-100, 100, allow_nan=False).map(lambda x: round(x, 3))


def _reported(table, **options):
    table = np.asarray(table, dtype=float)
    nothing = np.empty((len(table), 0, 1))
    datasets = [DatasetScores(nothing, "mean", point=column) for column in table.T]
    return aggregate_over_datasets(resample_over_datasets(datasets), **options)


def _items(n_systems=4, sizes=(30, 12, 50, 7, 21), seed=0):
    rng = np.random.default_rng(seed)
    return [
        DatasetScores((rng.random((n_systems, n, 1)) < rng.random()).astype(float), "mean")
        for n in sizes
    ]


def _binary(chance, n_items, rng, n_resamples=199):
    """Return observed and replicated means of 0/1 scores: drawing such items is binomial."""
    chance = np.atleast_2d(chance)
    observed = rng.binomial(n_items, chance) / n_items
    drawn = rng.binomial(n_items, observed, (n_resamples, *chance.shape)) / n_items
    full = np.full(chance.shape, n_items)
    every = np.ones(chance.shape, dtype=bool)
    aggregations = ("mean",) * chance.shape[1]
    drawn = np.ascontiguousarray(drawn.transpose(1, 2, 0)).transpose(2, 0, 1)
    return ResampledScores(observed, drawn, every, full, aggregations, n_resamples, 0)


@given(st.lists(figures, min_size=1, max_size=13), figures)
def test_figures_of_any_number_of_datasets(scores, target):
    # Odd and even numbers: the middle of an odd number is one score, not half of it.
    found = _reported([scores], target=target)
    assert found.mean.value[0] == pytest.approx(np.mean(scores), abs=1e-9)
    assert found.median.value[0] == pytest.approx(np.median(scores), abs=1e-9)
    # Every score four times over: whole scores at the borders, where scipy's definition is exact.
    exact = stats.trim_mean(np.repeat(scores, 4), 0.25)
    assert found.iqm.value[0] == pytest.approx(exact, abs=1e-9)
    # The published formula: target less the mean of scores cut off at the target.
    gap = target - np.mean(np.minimum(scores, target))
    assert found.optimality_gap.value[0] == pytest.approx(gap, abs=1e-9)


@pytest.mark.parametrize("n", [4, 8, 12, 60])
def test_iqm_is_the_trimmed_mean_where_four_divides_n(n):
    scores = np.random.default_rng(n).normal(size=(3, n))
    expected = stats.trim_mean(scores, 0.25, axis=1)
    np.testing.assert_allclose(_reported(scores).iqm.value, expected, rtol=1e-12)


@pytest.mark.parametrize("n", range(1, 20))
def test_interquartile_weights_sum_to_one_and_are_symmetric(n):
    weights = interquartile_weights(n)
    assert weights.sum() == pytest.approx(1)
    np.testing.assert_allclose(weights, weights[::-1])


def test_order_of_datasets_does_not_matter_to_figures():
    table = np.random.default_rng(0).random((3, 7))
    one, other = _reported(table), _reported(table[:, ::-1])
    for name in MACRO:
        np.testing.assert_allclose(getattr(one, name).value, getattr(other, name).value)


def test_intervals_are_percentiles_of_figures_per_replicate():
    resampled = resample_over_datasets(_items(), n_resamples=49)
    found = aggregate_over_datasets(resampled, confidence_level=0.9, target=0.6)
    naive = {name: np.empty((49, 4)) for name in (*MACRO, "micro")}
    sizes = np.array([30, 12, 50, 7, 21])
    for b, replicate in enumerate(resampled.resampled):
        for s, scores in enumerate(replicate):
            naive["mean"][b, s] = np.mean(scores)
            naive["median"][b, s] = np.median(scores)
            naive["iqm"][b, s] = stats.trim_mean(np.repeat(scores, 4), 0.25)
            naive["optimality_gap"][b, s] = np.mean([max(0.0, 0.6 - x) for x in scores])
            naive["micro"][b, s] = np.average(scores, weights=sizes)
    for name, values in naive.items():
        low, high = np.quantile(values, [0.05, 0.95], axis=0)
        np.testing.assert_allclose(getattr(found, name).low, low, rtol=1e-9)
        np.testing.assert_allclose(getattr(found, name).high, high, rtol=1e-9)


def test_micro_is_the_mean_over_all_items_and_macro_is_not():
    datasets = _items()
    found = aggregate_over_datasets(resample_over_datasets(datasets, n_resamples=9))
    pooled = np.concatenate([d.scores[:, :, 0] for d in datasets], axis=1)
    np.testing.assert_allclose(found.micro.value, pooled.mean(axis=1))
    assert not np.allclose(found.micro.value, found.mean.value)


def test_micro_is_nan_unless_all_metrics_are_means_over_items():
    datasets = _items()
    datasets[1] = datasets[1]._replace(aggregation="median")
    found = aggregate_over_datasets(resample_over_datasets(datasets, n_resamples=9))
    assert np.isnan(found.micro.value).all()
    assert not np.isnan(found.mean.low).any()
    assert np.isnan(_reported([[0.5, 0.6]]).micro.value).all()


def test_missing_datasets_are_said_bounded_and_left_out_in_common():
    table = np.array([[0.9, 0.5, 0.1], [0.8, NAN, 0.6], [NAN, NAN, NAN], [0.2, 0.4, 0.6]])
    found = _reported(table[[0, 1, 3]], score_range=(0, 1))
    assert not found.complete
    assert found.n_datasets.tolist() == [3, 2, 3]
    assert found.common_datasets.tolist() == [True, False, True]
    np.testing.assert_allclose(found.mean.value, [0.5, 0.7, 0.4])
    np.testing.assert_allclose(found.common.mean.value, [0.5, 0.7, 0.4])
    np.testing.assert_allclose(found.mean_bounds.low, [0.5, 1.4 / 3, 0.4])
    np.testing.assert_allclose(found.mean_bounds.high, [0.5, 2.4 / 3, 0.4])
    np.testing.assert_allclose(_reported(table[:2]).mean_bounds.low, [0.5, NAN])
    none = _reported(table, score_range=(0, 1))
    assert math.isnan(none.mean.value[2])
    assert (none.mean_bounds.low[2], none.mean_bounds.high[2]) == (0, 1)
    assert not none.common_datasets.any()
    assert np.isnan(none.common.iqm.value).all()


def test_a_missing_dataset_is_as_good_as_left_out():
    datasets = _items()
    missing = datasets[-1].scores.copy()
    missing[2] = NAN
    partial = [*datasets[:-1], datasets[-1]._replace(scores=missing)]
    with_gap = aggregate_over_datasets(resample_over_datasets(partial, n_resamples=99))
    without = aggregate_over_datasets(resample_over_datasets(datasets[:-1], n_resamples=99))
    for name in (*MACRO, "micro"):
        for end in range(3):
            assert getattr(with_gap, name)[end][2] == getattr(without, name)[end][2]
            np.testing.assert_array_equal(
                getattr(with_gap.common, name)[end], getattr(without, name)[end]
            )


def test_one_dataset_without_items_leaves_no_interval():
    datasets = _items(n_systems=2)
    bare = DatasetScores(np.empty((2, 0, 1)), "mean", point=np.array([0.5, NAN]))
    found = aggregate_over_datasets(resample_over_datasets([*datasets, bare], n_resamples=49))
    assert found.n_without_interval.tolist() == [1, 0]
    assert np.isnan(found.mean.low).tolist() == [True, False]
    assert not np.isnan(found.common.mean.low).any()


def test_constant_scores_have_an_interval_of_no_width():
    constant = DatasetScores(np.full((1, 3, 1), 0.7), "mean")
    mean = aggregate_over_datasets(resample_over_datasets([constant] * 3, n_resamples=49)).mean
    assert mean.low[0] == mean.value[0] == mean.high[0]


def test_an_undefined_replicate_is_left_out():
    scores = np.array([[[1.0, 1, 0], [0, 0, 0], [0, 0, 0]]])
    resampled = resample_over_datasets([DatasetScores(scores, "f1")], n_resamples=99)
    assert np.isnan(resampled.resampled).any()
    found = aggregate_over_datasets(resampled)
    assert found.mean.low[0] == found.mean.high[0] == pytest.approx(2 / 3)


def test_turned_is_what_lower_is_better_gives():
    datasets = _items()
    lower = [d._replace(sign=-1) for d in datasets]
    turned = aggregate_over_datasets(
        resample_over_datasets(lower, n_resamples=99), target=0.0, score_range=(-1, 0)
    ).turned()
    plain = aggregate_over_datasets(
        resample_over_datasets(datasets, n_resamples=99), score_range=(0, 1)
    )
    for name in ("mean", "median", "iqm", "micro"):
        for part in range(3):
            np.testing.assert_allclose(getattr(turned, name)[part], getattr(plain, name)[part])
    np.testing.assert_allclose(turned.optimality_gap.value, plain.mean.value)
    assert turned.score_range == (0, 1)


def test_json_keeps_the_names():
    found = _reported([[0.5, NAN], [0.25, 1.0]]).to_dict()
    assert json.loads(json.dumps(found))["mean"] == {
        "value": [0.5, 0.625],
        "low": [None, None],
        "high": [None, None],
    }
    assert found["common"]["iqm"]["value"] == [0.5, 0.25]
    assert "target:1.0" in found["signature"]
    assert "optimality_gap" in str(_reported([[0.5]]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence_level": 1}, "`confidence_level` must lie"),
        ({"target": math.inf}, "`target` must be finite"),
        ({"score_range": (1, 0)}, "`score_range` must be two finite"),
        ({"score_range": (0, 0.4)}, "`score_range` must hold all scores.*0.5 of system 0"),
    ],
)
def test_wrong_arguments_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        _reported([[0.5, 0.1]], **options)


@pytest.mark.parametrize("n_datasets", [5, 8])
def test_intervals_hold_the_truth_as_often_as_they_say_on_average(n_datasets):
    # On average over datasets: for a single set of them the median may do far worse (below).
    rng = np.random.default_rng(n_datasets)
    n_samples, held = 400, dict.fromkeys((*MACRO, "micro"), 0)
    for _ in range(n_samples):
        chance = rng.uniform(0.3, 0.9, n_datasets)
        truth = {
            "mean": chance.mean(),
            "median": np.median(chance),
            "iqm": stats.trim_mean(np.repeat(chance, 4), 0.25),
            "optimality_gap": 1 - chance.mean(),
            "micro": chance.mean(),
        }
        found = aggregate_over_datasets(_binary(chance, 150, rng))
        for name, value in truth.items():
            held[name] += bool(getattr(found, name).low[0] <= value <= getattr(found, name).high[0])
    for name, count in held.items():
        assert stats.binom.cdf(count, n_samples, 0.93) > 0.001, (name, count)


def test_median_of_crowded_scores_beside_a_gap_is_known_to_be_off():
    # Noise pushes this median up by 0.6 of its spread; a simulation of its own holds 82 %.
    chance = np.array([0.491, 0.496, 0.524, 0.535, 0.563, 0.773, 0.822, 0.892])
    rng = np.random.default_rng(0)
    median, mean, n_samples = 0, 0, 400
    for _ in range(n_samples):
        found = aggregate_over_datasets(_binary(chance, 150, rng))
        median += bool(found.median.low[0] <= np.median(chance) <= found.median.high[0])
        mean += bool(found.mean.low[0] <= chance.mean() <= found.mean.high[0])
    assert stats.binomtest(median, n_samples, 0.82).pvalue > 0.001, median
    assert stats.binomtest(mean, n_samples, 0.945).pvalue > 0.001, mean
