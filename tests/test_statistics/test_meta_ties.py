"""Tie thresholds, coded preferences and the soft pairwise accuracy, against brute force."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics.meta_evaluation import ties
from analysis.statistics.meta_evaluation.coefficients import coefficient_of
from analysis.statistics.meta_evaluation.levels import LEVELS, correlation
from analysis.statistics.meta_evaluation.signs import TIE_RULES, coded_signs
from analysis.statistics.meta_evaluation.soft_accuracy import doubts, soft_pairwise_accuracy
from analysis.statistics.meta_evaluation.ties import best_epsilon

cell = st.one_of(st.none(), st.integers(0, 12))
small = st.tuples(st.integers(1, 5), st.integers(1, 4)).flatmap(
    lambda shape: st.lists(
        st.tuples(cell, st.one_of(st.none(), st.integers(0, 2))),
        min_size=shape[0] * shape[1],
        max_size=shape[0] * shape[1],
    ).map(lambda cells: np.array(cells, dtype=float).T.reshape(2, *shape))
)


def best_by_trying(metric, gold, level):
    """Return the best threshold and accuracy among all differences and 0."""
    values = metric[~np.isnan(metric)]
    candidates = sorted({0.0} | {abs(a - b) for a, b in combinations(values, 2)})
    tried = [
        (
            correlation(
                metric, gold, level=level, coefficient="pairwise-accuracy", epsilon=e
            ).value,
            e,
        )
        for e in candidates
    ]
    best = max(accuracy for accuracy, _ in tried)
    return min(e for accuracy, e in tried if accuracy >= best - 1e-12), best


@pytest.mark.parametrize("level", ["item", "per-system", "global"])
@given(pair=small)
def test_best_threshold_is_the_smallest_of_the_best(level, pair):
    found = best_epsilon(*pair, level=level)
    if math.isnan(found.accuracy):
        shared = ~np.isnan(pair).any(axis=0)
        axis = {"item": 0, "per-system": 1, "global": None}[level]
        assert np.max(np.sum(shared, axis=axis)) < 2
        return
    epsilon, accuracy = best_by_trying(*pair, level)
    assert found.accuracy == pytest.approx(accuracy, abs=1e-12)
    assert found.epsilon == pytest.approx(epsilon, abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_correlation_reaches_what_calibration_promises(level):
    rng = np.random.default_rng(2)
    gold = rng.integers(0, 3, (6, 30)).astype(float)
    metric = gold / 7 + rng.normal(size=gold.shape) / 5
    metric[rng.random(gold.shape) < 0.1] = np.nan
    promised = best_epsilon(metric, gold, level=level)
    found = correlation(
        metric, gold, level=level, coefficient="pairwise-accuracy", epsilon=promised.epsilon
    )
    assert found.value == pytest.approx(promised.accuracy, abs=1e-12)
    plain = correlation(metric, gold, level=level, coefficient="pairwise-accuracy", epsilon=0)
    assert found.value >= plain.value


@pytest.mark.parametrize("level", ["item", "global"])
def test_bins_give_the_same_for_scores_in_steps(level, monkeypatch):
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 3, (5, 40)).astype(float)
    metric = np.round(gold / 4 + rng.normal(size=gold.shape) / 5, 2)
    listed = best_epsilon(metric, gold, level=level)
    monkeypatch.setattr(ties, "_MOST_LISTED", 0)
    binned = best_epsilon(metric, gold, level=level)
    assert binned[:2] == pytest.approx(listed[:2], abs=1e-12)


def test_bins_lose_little_for_smooth_scores(monkeypatch):
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 3, (5, 40)).astype(float)
    metric = gold / 4 + rng.normal(size=gold.shape) / 5
    listed = best_epsilon(metric, gold, level="item")
    monkeypatch.setattr(ties, "_MOST_LISTED", 0)
    binned = best_epsilon(metric, gold, level="item")
    assert binned.accuracy == pytest.approx(listed.accuracy, abs=0.005)
    kept = correlation(
        metric, gold, level="item", coefficient="pairwise-accuracy", epsilon=binned.epsilon
    )
    assert kept.value == pytest.approx(binned.accuracy, abs=1e-12)


def test_no_pairs_have_no_threshold():
    found = best_epsilon([[1.0, 2.0]], [[1.0, 2.0]], level="item")
    assert np.isnan(found[:2]).all()
    assert found.n_candidates == 0
    with pytest.raises(ValueError, match="`level`"):
        best_epsilon([[1.0]], [[1.0]], level="document")


def test_signs_by_each_rule():
    differences, gold = [0.3, 0.0, -2.0, 0.0, np.nan, 1.0], [1.0, -1.0, 0.0, 0.0, 1.0, np.nan]
    nan = np.nan
    expected = {
        "sign": ([1, 0, -1, 0, nan, nan], [1, -1, 0, 0, nan, nan]),
        "drop": ([1, nan, nan, nan, nan, nan], [1, nan, nan, nan, nan, nan]),
        "half": ([1, 0.5, 0, 0.5, nan, nan], [1, 0, 0.5, 0.5, nan, nan]),
        "first": ([1, 1, -1, 1, nan, nan], [1, -1, 0, 0, nan, nan]),
        "second": ([1, -1, -1, -1, nan, nan], [1, -1, 0, 0, nan, nan]),
    }
    assert set(expected) == set(TIE_RULES)
    for rule, sides in expected.items():
        found = coded_signs(differences, gold, ties=rule)
        assert np.array_equal(found, sides, equal_nan=True)


def test_signs_of_several_metrics():
    rng = np.random.default_rng(0)
    differences, gold = rng.integers(-1, 2, (3, 40)), rng.integers(-1, 2, 40)
    for rule in TIE_RULES:
        metrics, golds = coded_signs(differences, gold, ties=rule)
        for k in range(3):
            one = coded_signs(differences[k], gold, ties=rule)
            assert np.array_equal((metrics[k], golds[k]), one, equal_nan=True)
    assert np.array_equal(gold, coded_signs(differences, gold)[1][0])


@given(st.lists(st.tuples(st.integers(-1, 1), st.integers(-1, 1)), min_size=2, max_size=40))
def test_half_a_win_correlates_as_a_sign(pairs):
    differences, gold = np.array(pairs, dtype=float).T
    for name in ("pearson", "spearman", "kendall-b"):
        by_sign, by_half = (
            coefficient_of(*coded_signs(differences, gold, ties=rule), name)
            for rule in ("sign", "half")
        )
        assert by_sign == pytest.approx(by_half, abs=1e-12, nan_ok=True)


def test_two_valued_sides_have_one_coefficient():
    rng = np.random.default_rng(1)
    gold = rng.choice([-1, 1], 60)
    metric, human = coded_signs(np.where(rng.random(60) < 0.3, -gold, gold), gold, ties="drop")
    found = [coefficient_of(metric, human, name) for name in ("pearson", "spearman", "kendall-b")]
    assert found == pytest.approx([found[0]] * 3, abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([1, 2], [1], "sign"), "same units"),
        ((1.0, 1.0, "sign"), "same units"),
        (([1], [1], "random"), "`ties` must be one of"),
        (([math.inf], [1], "sign"), "`differences` must be finite"),
    ],
)
def test_signs_that_cannot_be_coded_are_named(arguments, says):
    with pytest.raises(ValueError, match=says):
        coded_signs(*arguments[:2], ties=arguments[2])


def chance_by_listing(a, b):
    """Return P(T > t) + P(T = t) / 2 over all exchanges of items."""
    d = np.asarray(a, dtype=int) - np.asarray(b, dtype=int)
    sums = np.array([np.dot(signs, d) for signs in product((1, -1), repeat=len(d))])
    return np.mean(sums > d.sum()) + np.mean(sums == d.sum()) / 2


@given(
    st.integers(1, 7).flatmap(
        lambda n: st.lists(
            st.lists(st.integers(0, 4), min_size=n, max_size=n), min_size=2, max_size=4
        )
    )
)
def test_doubts_are_exact_for_few_items(scores):
    found = doubts(scores)
    for i, j in combinations(range(len(scores)), 2):
        assert found[i, j] == pytest.approx(chance_by_listing(scores[i], scores[j]), abs=1e-9)
        assert found[i, j] + found[j, i] == pytest.approx(1, abs=1e-9)
    assert np.isnan(np.diag(found)).all()


def test_doubts_agree_with_sampling():
    rng = np.random.default_rng(9)
    scores = rng.normal(size=(4, 60)) + np.array([[0.0], [0.1], [0.2], [0.5]])
    signs = rng.choice([-1.0, 1.0], (20_000, 60))
    found = doubts(scores, n_permutations=9_999)
    for i, j in combinations(range(4), 2):
        d = scores[i] - scores[j]
        assert found[i, j] == pytest.approx(np.mean(signs @ d >= d.sum()), abs=0.02)


def test_soft_accuracy_by_hand():
    metric, gold = [[1, 1, 1, 1], [0, 0, 0, 0], [0, 1, 0, 0]], [[2, 3, 4, 2], [1, 0, 3, 0], [5] * 4]
    apart = [
        abs(chance_by_listing(metric[i], metric[j]) - chance_by_listing(gold[i], gold[j]))
        for i, j in combinations(range(3), 2)
    ]
    assert soft_pairwise_accuracy(metric, gold) == pytest.approx(1 - np.mean(apart), abs=1e-12)


def test_soft_accuracy_of_gold_itself_and_of_its_opposite():
    rng = np.random.default_rng(10)
    gold = rng.normal(size=(6, 80)) + np.arange(6)[:, np.newaxis] / 2
    assert soft_pairwise_accuracy(gold, gold) == 1
    assert soft_pairwise_accuracy(7 * gold + 2, gold) == pytest.approx(1, abs=1e-9)
    assert soft_pairwise_accuracy(-gold, gold) < 0.1


def test_soft_accuracy_of_a_side_without_differences_is_undefined():
    gold = np.random.default_rng(0).normal(size=(4, 6))
    by_item = np.tile(np.arange(6.0), (4, 1))
    by_item[2, 3] = np.nan
    for constant in (np.ones((4, 6)), by_item):
        assert math.isnan(soft_pairwise_accuracy(constant, gold))
        assert math.isnan(soft_pairwise_accuracy(gold, constant))
    by_item[1, 0] = 7
    assert not math.isnan(soft_pairwise_accuracy(by_item, gold))


def test_soft_accuracy_ignores_the_order_of_systems():
    rng = np.random.default_rng(11)
    metric, gold = rng.integers(0, 3, (2, 5, 12))
    order = rng.permutation(5)
    first = soft_pairwise_accuracy(metric, gold)
    assert soft_pairwise_accuracy(metric[order], gold[order]) == pytest.approx(first, abs=1e-9)


def test_soft_accuracy_uses_cells_of_both_only():
    rng = np.random.default_rng(12)
    metric, gold = rng.integers(0, 5, (2, 4, 10)).astype(float)
    holes = rng.random((4, 10)) < 0.2
    gold[holes] = np.nan
    with_holes = metric.copy()
    with_holes[holes] = np.nan
    found = soft_pairwise_accuracy(metric, gold)
    assert found == soft_pairwise_accuracy(with_holes, gold)
    assert math.isnan(soft_pairwise_accuracy(np.full((2, 3), np.nan), np.ones((2, 3))))


def test_same_seed_same_soft_accuracy():
    rng = np.random.default_rng(13)
    metric, gold = rng.normal(size=(2, 5, 200))
    found = [
        soft_pairwise_accuracy(metric, gold, rng=seed, n_permutations=200) for seed in (0, 0, 1)
    ]
    assert found[0] == found[1] != found[2]
    assert found[0] == pytest.approx(found[2], abs=0.05)
