"""Probability of improvement and mean ranks agree with counting pair by pair."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.across.count_intervals import count_interval, spread_of_draws
from analysis.statistics.across.drawn_ranks import doubled_ranks
from analysis.statistics.across.improvement import (
    mean_ranks,
    probability_of_improvement,
)
from analysis.statistics.across.resampled_datasets import (
    DatasetScores,
    resample_over_datasets,
)
from analysis.statistics.across.resampled_scores import ResampledScores

NAN = math.nan
cell = st.one_of(st.just(NAN), st.integers(0, 3).map(float))


def _reported(table):
    table = np.asarray(table, dtype=float)
    nothing = np.empty((len(table), 0, 1))
    return resample_over_datasets(
        [DatasetScores(nothing, "mean", point=column) for column in table.T]
    )


def _items(n_systems=3, n_datasets=6, seed=0):
    rng = np.random.default_rng(seed)
    return [
        DatasetScores((rng.random((n_systems, 25, 1)) < 0.6) * 1.0, "mean")
        for _ in range(n_datasets)
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


@given(st.lists(st.lists(cell, min_size=4, max_size=4), min_size=2, max_size=4))
def test_value_is_the_mean_of_mann_whitney_over_datasets(table):
    table = np.array(table)
    found = probability_of_improvement(_reported(table))
    for i in range(len(table)):
        for j in range(len(table)):
            shared = ~np.isnan(table[i]) & ~np.isnan(table[j])
            assert found.n_datasets[i, j] == np.count_nonzero(shared)
            if i == j or not shared.any():
                assert math.isnan(found.value[i, j])
                continue
            # The published definition, with one run per dataset.
            u = [stats.mannwhitneyu([x], [y])[0] for x, y in table[[i, j]][:, shared].T]
            assert found.value[i, j] == pytest.approx(np.mean(u))
            assert found.value[i, j] + found.value[j, i] == pytest.approx(1)


@given(st.lists(st.lists(cell, min_size=4, max_size=4), min_size=2, max_size=4))
def test_mean_ranks_are_those_of_scipy(table):
    table = np.array(table)
    ranks = stats.rankdata(-table, axis=0, nan_policy="omit")
    expected = [np.mean(r[~np.isnan(r)]) if (~np.isnan(r)).any() else NAN for r in ranks]
    np.testing.assert_allclose(mean_ranks(_reported(table)).value, expected)


def test_replicates_equal_a_loop():
    resampled = resample_over_datasets(_items(), n_resamples=99)
    found = probability_of_improvement(resampled, confidence_level=0.9)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        won = np.array([np.mean((r[i] > r[j]) + 0.5 * (r[i] == r[j])) for r in resampled.resampled])
        ends = count_interval(found.value[i, j : j + 1], spread_of_draws(won[None], 0.9))
        assert (found.low[i, j], found.high[i, j]) == pytest.approx((ends[0][0], ends[1][0]))
        assert found.on_new_items[i, j] == pytest.approx(won.mean())
        assert found.low[j, i] == pytest.approx(1 - found.high[i, j])
        assert found.on_new_items[j, i] == pytest.approx(1 - won.mean())
    ranks = np.array([stats.rankdata(-r, axis=0).mean(axis=1) for r in resampled.resampled])
    expected = mean_ranks(resampled, confidence_level=0.9)
    for s in range(3):
        ends = count_interval(
            expected.value[s : s + 1],
            spread_of_draws(ranks[None, :, s], 0.9),
            n_compared=3,
            ends=(1, 3),
        )
        assert (expected.low[s], expected.high[s]) == pytest.approx((ends[0][0], ends[1][0]))


def test_identical_systems_tie_in_every_replicate():
    datasets = [d._replace(scores=d.scores[[0, 0]] / 3) for d in _items()]
    resampled = resample_over_datasets(datasets, n_resamples=99)
    found = probability_of_improvement(resampled)
    assert (
        found.value[0, 1] == found.low[0, 1] == found.high[0, 1] == found.on_new_items[0, 1] == 0.5
    )
    assert mean_ranks(resampled).low.tolist() == [1.5, 1.5]


def test_missing_items_leave_no_interval_where_they_matter():
    datasets = _items()
    bare = DatasetScores(np.empty((3, 0, 1)), "mean", point=np.array([0.5, NAN, 0.2]))
    resampled = resample_over_datasets([*datasets, bare], n_resamples=49)
    found = probability_of_improvement(resampled)
    assert math.isnan(found.low[0, 2])
    assert not math.isnan(found.low[0, 1])
    assert found.n_datasets[0].tolist() == [7, 6, 7]
    assert np.isnan(mean_ranks(resampled).low).tolist() == [True, False, True]


def test_undefined_replicates_are_left_out():
    scores = np.array([[[1.0, 1, 0], [0, 0, 0], [0, 0, 0]], [[1, 2, 0], [1, 0, 0], [1, 0, 0]]])
    resampled = resample_over_datasets([DatasetScores(scores, "f1")], n_resamples=199)
    found = probability_of_improvement(resampled)
    defined = ~np.isnan(resampled.resampled).any(axis=(1, 2))
    assert 0 < np.count_nonzero(defined) < 199
    replicates = resampled.resampled[defined, :, 0]
    won = (replicates[:, 0] > replicates[:, 1]) + 0.5 * (replicates[:, 0] == replicates[:, 1])
    assert found.on_new_items[0, 1] == pytest.approx(won.mean())
    assert not np.isnan(mean_ranks(resampled).low).any()


@pytest.mark.parametrize("gain", [0.0, 0.06])
def test_intervals_hold_what_new_draws_give(gain):
    # Small gains that all point one way: plain percentiles miss these too often.
    rng = np.random.default_rng(5)
    chance = np.repeat([[0.6 + gain], [0.6]], 40, axis=1)
    fresh = rng.binomial(100, chance, (4_000, 2, 40))
    truth = np.mean((fresh[:, 0] > fresh[:, 1]) + 0.5 * (fresh[:, 0] == fresh[:, 1]))
    n_samples, held, ranks, plain = 150, 0, 0, 0
    for _ in range(n_samples):
        resampled = _binary(chance, 100, rng)
        found, rank = probability_of_improvement(resampled), mean_ranks(resampled)
        held += bool(found.low[0, 1] <= truth <= found.high[0, 1])
        ranks += bool(rank.low[0] <= 2 - truth <= rank.high[0])
        x, y = resampled.resampled[:, 0], resampled.resampled[:, 1]
        ends = np.quantile(np.mean((x > y) + 0.5 * (x == y), axis=1), [0.025, 0.975])
        plain += bool(ends[0] <= truth <= ends[1])
    assert stats.binom.cdf(held, n_samples, 0.93) > 0.001, held
    assert stats.binom.cdf(ranks, n_samples, 0.93) > 0.001, ranks
    if gain:
        assert stats.binom.cdf(plain, n_samples, 0.93) < 0.001, plain


def test_wrong_level_is_named():
    for function in (probability_of_improvement, mean_ranks):
        with pytest.raises(ValueError, match="`confidence_level`"):
            function(_reported([[0.5]]), confidence_level=2)


@pytest.mark.parametrize("n_values", [9, 20_000])
def test_doubled_ranks_are_scipys(n_values):
    values = np.random.default_rng(0).integers(0, 5, (40, n_values)).astype(float)
    values[3, 4], values[5] = np.nan, np.nan
    wanted = np.nan_to_num(2 * stats.rankdata(-values, axis=1, nan_policy="omit"))
    np.testing.assert_array_equal(doubled_ranks(values), wanted)
