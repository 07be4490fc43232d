"""Corpus metrics: the jackknife and the guard of means where the bootstrap errs too often."""

import numpy as np
import pytest
from scipy import stats

from analysis.statistics.aggregate import aggregate_items
from analysis.statistics.all_pairs.corpus_guard import pseudo_values
from analysis.statistics.all_pairs.pairwise import pairwise
from analysis.statistics.validity_bounds import Reason


def entities(seed: int, n_items: int, n_systems: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    gold = rng.poisson(2, n_items)
    found = [rng.binomial(gold, 0.6 + 0.1 * k) for k in range(n_systems)]
    return np.stack(
        [np.stack([hit, rng.poisson(0.5, n_items), gold - hit], axis=1) for hit in found]
    ).astype(float)


def jackknife(a: np.ndarray, b: np.ndarray, units: np.ndarray) -> tuple[float, float]:
    """Difference of F1 and its error, one unit left out after the other, by loops."""
    gap = aggregate_items(a, "f1") - aggregate_items(b, "f1")
    without = [
        aggregate_items(a[units != unit], "f1") - aggregate_items(b[units != unit], "f1")
        for unit in np.unique(units)
    ]
    n = len(without)
    return gap, float(np.sqrt((n - 1) * np.var(without)))


@pytest.mark.parametrize("in_groups", [False, True])
def test_p_and_interval_are_at_least_those_of_the_jackknife(in_groups):
    scores = entities(1, 36)
    units = np.arange(36) // 3 if in_groups else np.arange(36)
    found = pairwise(scores, aggregation="f1", groups=units if in_groups else None)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        gap, error = jackknife(scores[i], scores[j], units)
        df = len(np.unique(units)) - 1
        p = 2 * stats.t.sf(abs(gap) / error, df)
        reach = stats.t.isf(0.025, df) * error
        assert found.pvalue[i, j] >= p * (1 - 1e-9)
        assert found.ci_low[i, j] <= gap - reach + 1e-9 or found.pvalue[i, j] <= 0.05
        if found.guard[i, j] == Reason.JACKKNIFE and found.pvalue[i, j] > 0.05:
            assert found.ci_high[i, j] >= gap + reach - 1e-9
    assert (found.guard == Reason.JACKKNIFE).any()


def test_each_pair_goes_by_the_items_that_both_have():
    scores = entities(2, 30)
    alone = pairwise(scores[:2, 5:], aggregation="f1")
    scores[0, :5] = np.nan
    beside = pairwise(scores, aggregation="f1")
    assert beside.pvalue[0, 1] >= alone.pvalue[0, 1] * 0.5
    gap, error = jackknife(scores[0, 5:], scores[1, 5:], np.arange(25))
    assert beside.pvalue[0, 1] >= 2 * stats.t.sf(abs(gap) / error, 24) * (1 - 1e-9)


def test_many_items_and_tests_by_name_stay_as_they_are():
    few, many = entities(3, 40, 2), entities(3, 1_200, 2)
    assert not pairwise(many, aggregation="f1", n_resamples=99).guard.any()
    assert not pairwise(few, aggregation="f1", test="bootstrap-percentile").guard.any()


def test_verdict_goes_with_the_interval():
    for seed in range(20):
        found = pairwise(entities(seed, 20), aggregation="f1", n_resamples=999, correction="none")
        beyond = (found.ci_low > 0) | (found.ci_high < 0)
        assert np.array_equal(beyond, found.different)


def losses(rng: np.random.Generator, n_items: int = 40) -> np.ndarray:
    """Wrong words of words: now and then the first wins one, more rarely it loses four."""
    words = rng.integers(3, 25, n_items)
    shared = rng.binomial(words, 0.2)
    gain = np.where(rng.random(n_items) < 0.2, np.where(rng.random(n_items) < 0.8, 1, -4), 0)
    sides = shared + np.maximum(gain, 0), shared + np.maximum(-gain, 0)
    return np.stack([np.stack([side, words], axis=1) for side in sides]).astype(float)


def test_skewed_effects_of_items_are_no_evidence():
    rng = np.random.default_rng(0)
    n_pairs, alarms, by_name = 80, 0, 0
    for seed in range(n_pairs):
        scores = losses(rng)
        options = {"aggregation": "ratio", "n_resamples": 199, "rng": seed}
        found = pairwise(scores, **options)
        alarms += bool(found.different[0, 1])
        assert found.different[0, 1] == (found.ci_low[0, 1] > 0 or found.ci_high[0, 1] < 0)
        by_name += bool(pairwise(scores, test="bootstrap-percentile", **options).different[0, 1])
    most = stats.binom.ppf(0.999, n_pairs, 0.05)
    assert alarms <= most < by_name


def test_groups_of_unequal_sizes_have_fewer_degrees_of_freedom():
    scores = entities(5, 60, 2)
    equal, unequal = np.arange(60) // 4, np.repeat(np.arange(15), [*([1] * 13), 17, 30])
    reasons = [
        pairwise(scores, aggregation="f1", groups=groups, n_resamples=199).guard[0, 1]
        for groups in (equal, unequal)
    ]
    assert reasons[0] != Reason.UNEQUAL
    assert reasons[1] == Reason.UNEQUAL


def test_pseudo_values_leave_out_one_item_after_the_other():
    counts = entities(0, 12)
    by_loops = [
        12 * aggregate_items(counts[0], "f1")
        - 11 * aggregate_items(np.delete(counts[0], item, axis=0), "f1")
        for item in range(12)
    ]
    assert pseudo_values(counts, "f1")[0] == pytest.approx(by_loops)


@pytest.mark.parametrize("n_groups", [10, 15])
def test_medians_of_few_groups_are_refused(n_groups):
    scores = np.random.default_rng(0).normal(size=(2, 60))
    groups = np.arange(60) % n_groups
    found = pairwise(scores, aggregation="median", groups=groups, n_resamples=99)
    assert np.isnan(found.pvalue[0, 1]) == (n_groups < 15)
    assert (found.refused[found.refusal[0, 1]] == "no-valid-test") == (n_groups < 15)
