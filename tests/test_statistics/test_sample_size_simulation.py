"""P-values against the number of items (NLPStatTest, figure 5)."""

import numpy as np
import pytest
from scipy import stats

from analysis.statistics.planning.sample_size_simulation import (
    DEFAULT_SIZES,
    simulate_pvalues_by_size,
)


def test_the_papers_range_is_the_default():
    assert (DEFAULT_SIZES[0], DEFAULT_SIZES[-1]) == (30, 25_000)


@pytest.mark.parametrize("distribution", ["normal", "beta"])
def test_without_a_difference_pvalues_range_freely(distribution):
    found = simulate_pvalues_by_size(
        distribution, different=False, sizes=[30, 300], n_iterations=60
    )
    assert found.parameters_a == found.parameters_b
    for pvalues in found.pvalue:
        assert stats.kstest(pvalues, "uniform").pvalue > 1e-4


@pytest.mark.parametrize(("distribution", "test"), [("normal", "t"), ("beta", "wilcoxon")])
def test_with_a_difference_pvalues_go_to_zero(distribution, test):
    found = simulate_pvalues_by_size(distribution, sizes=[30, 1_000, 10_000], n_iterations=10)
    assert found.test == test
    assert found.pvalue.shape == (3, 10)
    assert found.mean[0] > found.mean[1] > found.mean[2]
    assert found.high[2] < 0.05
    assert np.all((found.low <= found.mean) & (found.mean <= found.high))


def test_beta_samples_are_those_that_the_paper_describes():
    found = simulate_pvalues_by_size("beta", sizes=[30], n_iterations=1)
    a, b = stats.beta(*found.parameters_a), stats.beta(*found.parameters_b)
    assert a.var() + b.var() == pytest.approx(0.046, abs=0.001)
    assert a.median() - b.median() == pytest.approx(0.02, abs=0.003)


def test_a_seed_is_a_result():
    one = simulate_pvalues_by_size(sizes=[30, 40], n_iterations=3, rng=5)
    again = simulate_pvalues_by_size(sizes=[40], n_iterations=2, rng=5)
    assert again.pvalue[0].tolist() == one.pvalue[1, :2].tolist()
    other = simulate_pvalues_by_size(sizes=[40], n_iterations=2, rng=0)
    assert not np.array_equal(other.pvalue, again.pvalue)
    assert one.signature.startswith(
        "pvalues-by-size|dist:normal|a:0.1 1|b:0 1|test:t|alt:two-sided|sizes:30 40|m:3|seed:5|v:"
    )


def test_options():
    found = simulate_pvalues_by_size(
        parameters_a=(0.5, 1.0),
        parameters_b=(0.0, 2.0),
        test="sign",
        alternative="less",
        sizes=[200],
        n_iterations=5,
    )
    assert found.test == "sign"
    assert np.all(found.pvalue > 0.5)


def test_wrong_arguments():
    with pytest.raises(ValueError, match="`distribution` must be one of 'normal', 'beta'"):
        simulate_pvalues_by_size("cauchy")
    with pytest.raises(ValueError, match="`sizes` must hold numbers of at least 2"):
        simulate_pvalues_by_size(sizes=[])
    with pytest.raises(ValueError, match=r"`parameters_a` must be \(alpha, beta\) above 0"):
        simulate_pvalues_by_size("beta", parameters_a=(0, 1))
    with pytest.raises(TypeError, match="`parameters_b` must be two numbers"):
        simulate_pvalues_by_size(parameters_b=(1, 2, 3))
    with pytest.raises(ValueError, match="`test` must be one of"):
        simulate_pvalues_by_size(test="z", sizes=[30])
