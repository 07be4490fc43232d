import itertools
import math

import numpy as np
import pytest
from scipy import stats

from analysis.statistics.paired.correlation_tests import (
    DependentCorrelations,
    steiger,
    steiger_z,
    williams,
    williams_t,
)
from analysis.statistics.paired.tests import paired_test
from tests.test_statistics.pairs import signflip

ALTERNATIVES = ("two-sided", "greater", "less")
CORRELATE = {
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
}


def systems(n, seed=0, *, noise=1.5, tied=False):
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=n)
    a, b = gold + rng.normal(size=n), 40 + 9 * (gold + noise * rng.normal(size=n))
    if tied:
        gold, a, b = np.rint(gold), np.rint(a), np.rint(b / 9)
    return np.stack([a, gold], axis=1), np.stack([b, gold], axis=1)


@pytest.mark.shared
def test_equal_r(r_inputs, r_reference):
    inputs, expected = r_inputs["correlation"], r_reference["correlation"]
    a, b = (np.stack([inputs[name], inputs["human"]], axis=1) for name in ("metric1", "metric2"))
    z = steiger(a, b)
    assert z.statistic == pytest.approx(expected["steiger_z_avg"]["z"], rel=1e-10)
    assert z.pvalue == pytest.approx(expected["steiger_z_avg"]["p"], rel=1e-10)
    t = williams(a, b)
    assert t.statistic == pytest.approx(expected["williams"]["t"], rel=1e-10)
    assert t.pvalue == pytest.approx(expected["williams"]["p"], rel=1e-10)
    r = expected["inputs"]
    three = DependentCorrelations(r["r_h1"], r["r_h2"], r["r_12"])
    assert steiger_z(three, r["n"]) == pytest.approx(z.statistic, rel=1e-10)
    assert williams_t(three, r["n"]) == pytest.approx(t.statistic, rel=1e-10)
    # Fisher's z for independent samples ignores that both systems saw the same items.
    assert z.pvalue < expected["fisher_z_independent"]["p"]


@pytest.mark.parametrize("test", ["steiger", "williams"])
@pytest.mark.parametrize("aggregation", ["pearson", "spearman"])
def test_sides_and_names(test, aggregation):
    a, b = systems(60)
    result = {
        side: paired_test(a, b, test=test, aggregation=aggregation, alternative=side)
        for side in ALTERNATIVES
    }
    two_sided = result["two-sided"]
    correlate = CORRELATE[aggregation]
    assert two_sided.difference == pytest.approx(correlate(*a.T) - correlate(*b.T))
    assert two_sided.direction == 1
    assert result["greater"].pvalue == pytest.approx(two_sided.pvalue / 2)
    assert result["less"].pvalue == pytest.approx(1 - two_sided.pvalue / 2)
    swapped = paired_test(b, a, test=test, aggregation=aggregation)
    assert swapped.pvalue == pytest.approx(two_sided.pvalue, rel=1e-12)
    assert swapped.statistic == pytest.approx(-two_sided.statistic, rel=1e-12)
    assert f"{aggregation.capitalize()} correlation with gold" in two_sided.tests_that
    assert two_sided.statistic_name == {"steiger": "z", "williams": "t"}[test]
    assert f"agg:{aggregation}" in two_sided.signature


@pytest.mark.parametrize("run", [steiger, williams])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_identical_systems_give_one(run, alternative):
    for n in (1, 2, 3, 50):
        a, _ = systems(n)
        result = run(a, a, alternative=alternative)
        assert result.pvalue == 1 if n > 1 else math.isnan(result.pvalue)


@pytest.mark.parametrize("run", [steiger, williams])
def test_what_cannot_be_tested_is_nan(run):
    a, b = systems(3)
    assert math.isnan(run(a, b).pvalue)
    constant = np.stack([np.ones(20), np.arange(20)], axis=1)
    other = np.stack([np.arange(20) % 7, np.arange(20)], axis=1)
    assert math.isnan(run(constant, other).pvalue)
    assert math.isnan(run(np.empty((0, 2)), np.empty((0, 2))).difference)


@pytest.mark.parametrize("test", ["steiger", "williams", "signflip", "bootstrap", "auto"])
def test_gold_must_be_shared(test):
    a, b = systems(10)
    b[3, 1] += 1
    with pytest.raises(ValueError, match="same gold in column 1, they differ on 1 of 10 items"):
        paired_test(a, b, test=test, aggregation="pearson")


def test_missing_predictions_are_left_out():
    a, b = systems(30)
    a[4, 0] = np.nan
    result = steiger(a, b)
    kept = np.arange(30) != 4
    assert (result.n_items, result.n_missing) == (29, 1)
    assert result.pvalue == steiger(a[kept], b[kept]).pvalue


def test_groups_and_other_metrics_are_refused():
    a, b = systems(6)
    with pytest.raises(ValueError, match="`test` 'steiger' takes items as independent"):
        steiger(a, b, groups=[1, 1, 2, 2, 3, 3])
    with pytest.raises(ValueError, match="`aggregation` must be one of 'pearson', 'spearman'"):
        steiger(a, b, aggregation="mean")
    grouped = paired_test(a, b, aggregation="pearson", groups=[1, 1, 2, 2, 3, 3])
    assert grouped.test == "jackknife"


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("aggregation", ["pearson", "spearman"])
@pytest.mark.parametrize("tied", [False, True])
def test_signflip_exchanges_predictions_within_items(aggregation, alternative, tied):
    a, b = systems(9, 3, tied=tied)
    gold = a[:, 1]
    as_exchanged = stats.rankdata if aggregation == "spearman" else stats.zscore
    first, second = as_exchanged(a[:, 0]), as_exchanged(b[:, 0])
    gold = as_exchanged(gold)
    drawn = []
    for swap in itertools.product([False, True], repeat=9):
        x, y = np.where(swap, second, first), np.where(swap, first, second)
        drawn.append(np.corrcoef(x, gold)[0, 1] - np.corrcoef(y, gold)[0, 1])
    drawn, observed = np.array(drawn), drawn[0]
    signs = {"two-sided": np.abs(drawn) - abs(observed), "greater": drawn - observed}
    expected = np.mean(signs.get(alternative, observed - drawn) >= -1e-9)
    result = signflip(a, b, aggregation=aggregation, alternative=alternative)
    assert result.exact
    assert result.difference == pytest.approx(observed)
    assert result.pvalue == expected


@pytest.mark.parametrize("aggregation", ["pearson", "spearman"])
@pytest.mark.parametrize("test", ["signflip", "bootstrap"])
def test_resampling_neither_minds_scale_nor_order_nor_names(test, aggregation):
    a, b = systems(50, 1)
    options = {"test": test, "aggregation": aggregation, "n_resamples": 300}
    expected = paired_test(a, b, **options).pvalue
    assert paired_test(a * [1000, 1] + [7, 0], b, **options).pvalue == expected
    order = np.random.default_rng(0).permutation(50)
    # Draws belong to the places of items: other ones, within their Monte Carlo error.
    assert paired_test(a[order], b[order], **options).pvalue == pytest.approx(expected, abs=0.1)
    assert paired_test(b, a, **options).pvalue == expected


@pytest.mark.parametrize("aggregation", ["pearson", "spearman"])
def test_the_tests_agree_on_many_normal_items(aggregation):
    a, b = systems(400, noise=1.15)
    pvalues = [
        paired_test(a, b, test=test, aggregation=aggregation, n_resamples=1_999).pvalue
        for test in ("steiger", "williams", "signflip", "bootstrap")
    ]
    assert np.ptp(stats.norm.isf(np.array(pvalues) / 2)) < 0.35
