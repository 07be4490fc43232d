import itertools
import math

import numpy as np
import pytest

from analysis.statistics.paired.tests import paired_test
from analysis.statistics.resampling import median_flips
from analysis.statistics.resampling.median_flips import median_flip_test
from tests.test_statistics.pairs import signflip

ALTERNATIVES = ("two-sided", "greater", "less")


def run(a, b, *, of_differences=True, alternative="two-sided", groups=None, n_resamples=9_999):
    return median_flip_test(
        np.asarray(a, dtype=float),
        np.asarray(b, dtype=float),
        of_differences=of_differences,
        alternative=alternative,
        n_resamples=n_resamples,
        seed=0,
        groups=groups,
    )


def by_brute_force(a, b, of_differences, alternative, groups=None):
    groups = np.arange(a.size) if groups is None else groups
    drawn = []
    for swap in itertools.product([False, True], repeat=int(groups.max()) + 1):
        mask = np.array(swap)[groups]
        first, second = np.where(mask, b, a), np.where(mask, a, b)
        if of_differences:
            drawn.append(np.median(first - second))
        else:
            drawn.append(np.median(first) - np.median(second))
    drawn = np.array(drawn)
    observed = drawn[0]
    signs = {"two-sided": np.abs(drawn) - abs(observed), "greater": drawn - observed}
    return float(np.mean(signs.get(alternative, observed - drawn) >= -1e-9))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("of_differences", [True, False])
@pytest.mark.parametrize("n", [7, 8])
def test_enumeration_equals_brute_force(n, of_differences, alternative):
    rng = np.random.default_rng(n)
    for values in (rng.integers(0, 5, (2, n)) / 10, rng.normal(size=(2, n))):
        outcome = run(*values, of_differences=of_differences, alternative=alternative)
        assert outcome.exact
        assert outcome.pvalue == by_brute_force(*values, of_differences, alternative)
        assert outcome.floor <= outcome.pvalue


@pytest.mark.parametrize("of_differences", [True, False])
def test_groups_are_exchanged_as_a_whole(of_differences):
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 9, (2, 15)).astype(float)
    groups = np.array([0, 0, 1, 2, 2, 2, 3, 4, 5, 5, 1, 1, 3, 4, 0])
    for alternative in ALTERNATIVES:
        outcome = run(a, b, of_differences=of_differences, alternative=alternative, groups=groups)
        assert outcome.pvalue == by_brute_force(a, b, of_differences, alternative, groups)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("of_differences", [True, False])
def test_monte_carlo_approaches_the_exact_value(of_differences, alternative, monkeypatch):
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 30, (2, 13)).astype(float)
    exact = run(a, b, of_differences=of_differences, alternative=alternative).pvalue
    monkeypatch.setattr(median_flips, "MAX_ENUMERATED", 0)
    drawn = run(a, b, of_differences=of_differences, alternative=alternative, n_resamples=9_999)
    assert (drawn.exact, drawn.n_resamples, drawn.floor) == (False, 9_999, 1e-4)
    assert abs(drawn.pvalue - exact) < 5 * math.sqrt(exact * (1 - exact) / 1e4) + 1e-4


@pytest.mark.parametrize("of_differences", [True, False])
def test_neither_order_nor_names_of_systems_matter(of_differences):
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 41))
    options = {"of_differences": of_differences, "n_resamples": 300}
    expected = run(a, b, **options)
    order = rng.permutation(41)
    assert run(a[order], b[order], **options) == expected
    assert run(b, a, **options) == expected
    upwards = run(a, b, alternative="greater", **options)
    assert run(b, a, alternative="less", **options) == upwards


def test_a_few_changes_among_many_items():
    a = np.arange(2_001.0)
    b = a.copy()
    b[:10] += 1
    outcome = run(a, b)
    assert outcome.exact
    assert outcome.pvalue == 1
    b += 1 + a / 1_000
    drawn = run(a, b, n_resamples=99)
    assert (drawn.pvalue, drawn.exact) == (0.01, False)


def test_the_two_medians_have_different_names():
    rng = np.random.default_rng(4)
    a, b = rng.exponential(size=(2, 30))
    of_differences = paired_test(a, b, test="signflip-median")
    assert of_differences.statistic == np.median(a - b)
    assert of_differences.difference == pytest.approx(np.mean(a - b))
    assert of_differences.statistic_name == "median difference"
    assert "median difference" in of_differences.tests_that
    of_medians = signflip(a, b, aggregation="median")
    assert of_medians.statistic == of_medians.difference == np.median(a) - np.median(b)
    assert of_medians.test == "signflip"


@pytest.mark.parametrize("aggregation", ["mean", "median"])
def test_identical_systems_give_one(aggregation):
    for n in (1, 2, 300):
        a = np.random.default_rng(n).random(n)
        result = signflip(a, a, aggregation=aggregation, test="signflip-median", n_resamples=99)
        assert result.pvalue == 1
    assert math.isnan(signflip([], [], aggregation=aggregation, test="signflip-median").pvalue)
