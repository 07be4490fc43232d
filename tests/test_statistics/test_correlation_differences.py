import itertools
import math

import numpy as np
import pytest
from scipy import optimize, stats

from analysis.statistics.correlation_differences import correlation_differences

CORRELATE = {
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
}


def board(n, n_systems=3, seed=0, *, tied=False):
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=n)
    scores = gold + (1 + np.arange(n_systems)[:, np.newaxis] / 2) * rng.normal(size=(n_systems, n))
    return (np.rint(scores), np.rint(gold)) if tied else (scores, gold)


def by_hand(scores, gold, aggregation, codes):
    """Leave units out one at a time with scipy's correlations; both z and their covariance."""
    r = CORRELATE[aggregation]
    z = np.array([np.arctanh(r(system, gold)) for system in scores])
    units = range(codes.max() + 1)
    without = np.array(
        [[np.arctanh(r(s[codes != u], gold[codes != u])) for u in units] for s in scores]
    )
    apart = without - without.mean(axis=1, keepdims=True)
    return z, (len(units) - 1) / len(units) * apart @ apart.T, len(units)


@pytest.mark.parametrize("aggregation", CORRELATE)
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("size", [1, 5])
def test_equal_to_leaving_units_out_by_hand(aggregation, tied, size):
    scores, gold = board(40, 2, tied=tied)
    codes = np.arange(40) // size
    found = correlation_differences(scores, gold, aggregation=aggregation, codes=codes)
    z, covariance, n_units = by_hand(scores, gold, aggregation, codes)
    error = math.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    t = (z[0] - z[1]) / error
    assert found.n_units[0, 1] == n_units
    assert found.difference[0, 1] == pytest.approx(np.tanh(z[0]) - np.tanh(z[1]), abs=1e-12)
    assert found.statistic[0, 1] == pytest.approx(t, rel=1e-9)
    assert found.pvalue[0, 1] == pytest.approx(2 * stats.t.sf(abs(t), n_units - 1), rel=1e-9)
    # The ends are the smallest and the largest difference on the ellipse, found another way.
    angle = np.linspace(0, 2 * math.pi, 100_001)
    circle = stats.t.ppf(0.975, n_units - 1) * np.stack([np.cos(angle), np.sin(angle)])
    around = z[:, np.newaxis] + np.linalg.cholesky(covariance) @ circle
    gaps = np.tanh(around[0]) - np.tanh(around[1])
    assert found.low[0, 1] == pytest.approx(gaps.min(), abs=1e-8)
    assert found.high[0, 1] == pytest.approx(gaps.max(), abs=1e-8)


@pytest.mark.parametrize("aggregation", CORRELATE)
def test_verdict_and_interval_are_one(aggregation):
    rng = np.random.default_rng(1)
    rejected = 0
    for kind, alpha in itertools.product(
        ("normal", "heavy", "binary", "likert"), (0.2, 0.05, 0.01)
    ):
        for n in (5, 12, 60):
            gold = rng.standard_t(2, n) if kind == "heavy" else rng.normal(size=n)
            scores = gold + np.array([[0.3], [0.5], [1], [3]]) * rng.standard_t(2, (4, n))
            if kind == "binary":
                scores, gold = (scores > 0).astype(float), (gold > 0).astype(float)
            if kind == "likert":
                scores, gold = np.clip(np.rint(scores), -2, 2), np.clip(np.rint(gold), -2, 2)
            found = correlation_differences(scores, gold, aggregation=aggregation, alpha=alpha)
            known = ~np.isnan(found.low)
            excluded = (found.low > 0) | (found.high < 0)
            assert np.array_equal(excluded[known], (found.pvalue < alpha)[known])
            assert np.all((found.low <= found.difference)[known])
            assert np.all((found.high >= found.difference)[known])
            rejected += np.count_nonzero(excluded)
    assert rejected > 20


@pytest.mark.parametrize("aggregation", CORRELATE)
def test_a_difference_other_than_0_is_tested_by_the_same_interval(aggregation):
    scores, gold = board(30, 2, seed=3)
    found = correlation_differences(scores, gold, aggregation=aggregation, alpha=0.1)
    for end in (found.low[0, 1], found.high[0, 1]):
        at_end = correlation_differences(scores, gold, aggregation=aggregation, delta=float(end))
        assert at_end.pvalue[0, 1] == pytest.approx(0.1, abs=1e-6)
    nearly = correlation_differences(scores, gold, aggregation=aggregation, delta=1e-12)
    assert nearly.pvalue[0, 1] == pytest.approx(found.pvalue[0, 1], abs=1e-9)
    own = correlation_differences(
        scores, gold, aggregation=aggregation, delta=float(found.difference[0, 1])
    )
    assert own.pvalue[0, 1] == pytest.approx(1, abs=1e-6)
    # The distance to a difference is that of the nearest two z that have it.
    z, covariance, _ = by_hand(scores, gold, aggregation, np.arange(30))

    def far(b):
        gap = np.array([np.arctanh(0.2 + np.tanh(b)), b]) - z
        return float(gap @ np.linalg.solve(covariance, gap))

    nearest = optimize.minimize_scalar(far, bounds=(-2, np.arctanh(0.799)), method="bounded").fun
    at = correlation_differences(scores, gold, aggregation=aggregation, delta=0.2)
    assert abs(at.statistic[0, 1]) == pytest.approx(math.sqrt(nearest), rel=1e-4)


def test_sides():
    scores, gold = board(25, 2, seed=5)
    p = {
        side: correlation_differences(scores, gold, alternative=side).pvalue
        for side in ("two-sided", "greater", "less")
    }
    assert p["greater"][0, 1] + p["less"][0, 1] == pytest.approx(1)
    assert p["greater"][0, 1] == p["less"][1, 0]
    assert p["two-sided"][0, 1] == pytest.approx(2 * min(p["greater"][0, 1], p["less"][0, 1]))
    assert p["two-sided"][0, 1] == p["two-sided"][1, 0]


@pytest.mark.parametrize("aggregation", CORRELATE)
@pytest.mark.parametrize("groups", [False, True])
def test_a_pair_depends_neither_on_others_nor_on_the_order_of_items(aggregation, groups):
    scores, gold = board(60, 5, seed=7)
    scores[1, :7] = np.nan
    scores[2, 50:] = np.nan
    codes = np.arange(60) % 12 if groups else None
    whole = correlation_differences(scores, gold, aggregation=aggregation, codes=codes)
    order = np.random.default_rng(1).permutation(60)
    for i, j in itertools.combinations(range(5), 2):
        pair = correlation_differences(
            scores[[i, j]][:, order],
            gold[order],
            aggregation=aggregation,
            codes=None if codes is None else codes[order],
        )
        for every, alone in zip(whole, pair, strict=True):
            assert every[i, j] == alone[0, 1]
            assert every[j, i] == alone[1, 0]
    both = ~np.isnan(scores[1] + scores[2])
    assert whole.n_units[1, 2] == (12 if groups else both.sum())
    expected = CORRELATE[aggregation]
    gap = expected(scores[1][both], gold[both]) - expected(scores[2][both], gold[both])
    assert whole.difference[1, 2] == pytest.approx(gap)


@pytest.mark.parametrize("aggregation", CORRELATE)
def test_where_nothing_can_be_said(aggregation):
    scores, gold = board(12, 4, seed=2)
    scores[1] = gold  # a correlation of 1
    scores[2] = 3.0  # none
    scores[3] = np.arange(12) == 4  # none without one of the items
    found = correlation_differences(scores, gold, aggregation=aggregation)
    for matrix in (found.pvalue, found.low, found.high, found.statistic):
        assert np.isnan(matrix).all()
    assert found.difference[0, 1] < 0
    two = correlation_differences(scores, gold, aggregation=aggregation, codes=np.arange(12) % 2)
    assert np.isnan(two.pvalue).all()


@pytest.mark.parametrize("aggregation", CORRELATE)
def test_systems_that_say_the_same(aggregation):
    scores, gold = board(20, 2, seed=4)
    scores[1] = 2 * scores[0] - 7
    found = correlation_differences(scores, gold, aggregation=aggregation)
    assert found.pvalue[0, 1] == found.pvalue[1, 0] == 1
    assert abs(found.difference[0, 1]) < 1e-12
    assert math.isnan(found.low[0, 1])


@pytest.mark.parametrize("aggregation", CORRELATE)
@pytest.mark.parametrize("kind", ["binary", "heavy", "lognormal"])
def test_keeps_its_level_and_covers_where_steiger_does_not(aggregation, kind):
    rng = np.random.default_rng(11)
    n, repetitions, wrong = 40, 400, np.zeros(2)
    draw = {
        "binary": rng.standard_normal,
        "heavy": lambda size: rng.standard_t(3, size),
        "lognormal": lambda size: np.exp(rng.standard_normal(size)) - math.exp(0.5),
    }[kind]
    for _ in range(repetitions):
        gold, shared, first, second = draw((4, n))
        scores = gold + 0.5 * (shared + np.stack([first, second]))
        if kind == "binary":
            scores, gold = (scores > 0).astype(float), (gold > 0).astype(float)
        found = correlation_differences(scores, gold, aggregation=aggregation)
        missed = found.low[0, 1] > 0 or found.high[0, 1] < 0
        wrong += found.pvalue[0, 1] <= 0.05, missed
    assert np.all(wrong <= stats.binom.ppf(0.999, repetitions, 0.05))


def test_covers_a_difference():
    rng = np.random.default_rng(12)
    n, repetitions, missed = 25, 500, 0
    for _ in range(repetitions):
        gold, shared, first, second = rng.standard_normal((4, n))
        good = 0.9 * gold + math.sqrt(0.19) * (shared + first) / math.sqrt(2)
        bad = 0.6 * gold + 0.8 * (shared + second) / math.sqrt(2)
        found = correlation_differences(np.stack([good, bad]), gold)
        missed += not found.low[0, 1] <= 0.3 <= found.high[0, 1]
    low, high = stats.binom.ppf([0.0005, 0.9995], repetitions, 0.05)
    assert low <= missed <= high
