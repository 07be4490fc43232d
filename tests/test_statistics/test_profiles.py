"""Performance profiles agree with counting, and their intervals with what new draws give."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.across.count_intervals import (
    count_interval,
    spread_of_counts,
    spread_of_draws,
)
from analysis.statistics.across.profiles import performance_profiles
from analysis.statistics.across.resampled_datasets import (
    DatasetScores,
    resample_over_datasets,
)
from analysis.statistics.across.resampled_scores import ResampledScores

NAN = math.nan
grid = st.integers(0, 8).map(lambda k: k / 8)


def _reported(table):
    table = np.asarray(table, dtype=float)
    nothing = np.empty((len(table), 0, 1))
    return resample_over_datasets(
        [DatasetScores(nothing, "mean", point=column) for column in table.T]
    )


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


@given(st.lists(grid, min_size=1, max_size=9), st.lists(grid, min_size=1, max_size=5))
def test_profile_counts_scores_above_thresholds(scores, thresholds):
    found = performance_profiles(_reported([scores]), thresholds=thresholds)
    expected = [np.mean([x > tau for x in scores]) for tau in sorted(thresholds)]
    np.testing.assert_allclose(found.value[0], expected)
    assert np.isnan(found.low).all()


def test_a_score_at_the_threshold_is_not_above_it_whatever_its_last_digit():
    found = performance_profiles(_reported([[0.1 + 0.2, 0.3, 0.4]]), thresholds=[0.3])
    assert found.value[0, 0] == pytest.approx(1 / 3)


def test_default_thresholds_reach_from_one_to_zero():
    found = performance_profiles(_reported([[0.2, 0.9], [0.4, NAN], [NAN, NAN]]))
    assert found.thresholds.size == 101
    assert found.value[:2, 0].tolist() == [1, 1]
    assert found.value[:2, -1].tolist() == [0, 0]
    assert np.isnan(found.value[2]).all()
    assert found.n_datasets.tolist() == [2, 1, 0]
    assert performance_profiles(_reported([[NAN]])).thresholds.size == 0
    assert np.ptp(performance_profiles(_reported([[0.0]])).thresholds) > 0


def test_profile_of_replicates_equals_a_loop():
    rng = np.random.default_rng(0)
    datasets = [DatasetScores((rng.random((2, 20, 1)) < 0.6) * 1.0, "mean") for _ in range(5)]
    resampled = resample_over_datasets(datasets, n_resamples=99)
    taus = np.array([0.45, 0.6, 0.7])
    found = performance_profiles(resampled, thresholds=taus, confidence_level=0.9)
    for s in range(2):
        drawn = np.array([[np.mean(r[s] > t + 1e-12) for r in resampled.resampled] for t in taus])
        ends = count_interval(found.value[s], spread_of_draws(drawn, 0.9))
        np.testing.assert_allclose([found.low[s], found.high[s]], ends)
    assert np.all((found.low <= found.value) & (found.value <= found.high))
    assert np.all(np.diff(found.value, axis=1) <= 0)


def test_a_dataset_without_items_leaves_no_interval():
    rng = np.random.default_rng(0)
    items = DatasetScores(rng.random((2, 20, 1)), "mean")
    bare = DatasetScores(np.empty((2, 0, 1)), "mean", point=np.array([0.5, NAN]))
    found = performance_profiles(resample_over_datasets([items, bare], n_resamples=49))
    assert np.isnan(found.low).all(axis=1).tolist() == [True, False]


def test_count_interval_widens_by_the_correlation_of_drawn_orders():
    # Two scores: the second draw has 2/3 of the variance of both.
    replicates = np.array([[0.2, 0.4, 0.5, 0.6, 0.8]])
    low, high = count_interval(np.array([0.5]), spread_of_draws(replicates, 0.5))
    assert (low[0], high[0]) == pytest.approx((0.5 - 0.1 * 1.5**0.5, 0.5 + 0.1 * 1.5**0.5))
    rng = np.random.default_rng(0)
    for n in (2, 4, 15):
        first = rng.normal(size=(20_000, n))
        ranks = [stats.rankdata(first + rng.normal(size=first.shape), axis=1) for _ in range(2)]
        centred = [r - (n + 1) / 2 for r in ranks]
        shared = np.mean(centred[0] * centred[1]) / ((n**2 - 1) / 12)
        far = count_interval(
            np.zeros(1), spread_of_draws(replicates - 0.5, 0.5), n_compared=n, ends=(-9, 9)
        )
        assert far[1][0] == pytest.approx(0.1 / math.sqrt(1 - shared), rel=0.02)


def test_spread_by_counts_is_that_of_the_draws():
    rng = np.random.default_rng(0)
    times = rng.integers(0, 4, (30, 6))
    times[3] = 0
    figures = np.arange(6) / 5
    found = spread_of_counts(times, figures, 0.8)
    for row, (low, middle, high) in enumerate(zip(*found, strict=True)):
        wanted = spread_of_draws(np.repeat(figures, times[row])[np.newaxis], 0.8)
        assert (low, middle, high) == pytest.approx([end[0] for end in wanted], nan_ok=True)
    assert math.isnan(found.low[3])
    assert math.isnan(found.middle[3])


def test_intervals_hold_what_new_draws_give():
    rng = np.random.default_rng(1)
    chance, taus = np.full(12, 0.6), np.array([0.56, 0.6, 0.64])
    fresh = rng.binomial(100, chance, (20_000, 12)) / 100
    truth = np.array([np.mean(fresh > tau + 1e-9) for tau in taus])
    held, n_samples = np.zeros(3, dtype=int), 400
    for _ in range(n_samples):
        found = performance_profiles(_binary(chance, 100, rng), thresholds=taus)
        held += (found.low[0] <= truth) & (truth <= found.high[0])
    assert np.all(stats.binom.cdf(held, n_samples, 0.92) > 0.001), held


@pytest.mark.parametrize("thresholds", [[NAN], [[0.1]], [math.inf]])
def test_wrong_thresholds_are_named(thresholds):
    with pytest.raises(ValueError, match="`thresholds` must be finite and 1-D"):
        performance_profiles(_reported([[0.5]]), thresholds=thresholds)


def test_wrong_level_is_named():
    with pytest.raises(ValueError, match="`confidence_level`"):
        performance_profiles(_reported([[0.5]]), confidence_level=0)
