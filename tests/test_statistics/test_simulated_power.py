"""Power by simulation, its errors of size and sign: known answers, exact forms."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from statsmodels.stats.power import TTestPower

from analysis.statistics.paired.tests import paired_test
from analysis.statistics.planning.distribution_power import SHAPES, distribution_power
from analysis.statistics.planning.power import (
    items_needed,
    minimum_detectable_difference,
    power_of_t,
    rejection_rate_of_t,
)
from analysis.statistics.planning.power_curve import power_by_size
from analysis.statistics.planning.power_fit import size_for_power
from analysis.statistics.planning.power_tally import monte_carlo_band, tally
from analysis.statistics.planning.row_medians import flipped_medians, redrawn_medians
from analysis.statistics.planning.row_tests import BATCHED, row_pvalues
from analysis.statistics.planning.type_errors import type_errors, type_errors_of_t
from analysis.statistics.signature import METHOD_VERSION


@given(
    noncentrality=st.floats(-6, 6, allow_subnormal=False),
    df=st.integers(1, 5_000),
    alternative=st.sampled_from(["two-sided", "greater", "less"]),
)
def test_type_errors_contain_the_exact_power(noncentrality, df, alternative):
    found = type_errors(noncentrality, df, alternative=alternative)
    asked = noncentrality / math.sqrt(df + 1), 1.0, df + 1
    exact = power_of_t(*asked, alternative=alternative)
    assert found.power == pytest.approx(exact, abs=1e-10, nan_ok=True)
    either = rejection_rate_of_t(*asked, alternative=alternative)
    assert found.rejection_rate == pytest.approx(either, abs=1e-10)
    mirrored = {"less": "greater", "greater": "less"}.get(alternative, alternative)
    other = type_errors(-noncentrality, df, alternative=mirrored)
    assert other == pytest.approx(found, nan_ok=True)


def test_type_errors_agree_with_integration_by_scipy():
    shift, df, critical = 1.2, 7, stats.t.isf(0.025, 7)

    def of_sd(s):
        up = stats.norm.sf(critical * s - shift)
        down = stats.norm.cdf(-critical * s - shift)
        size = shift * (up - down) + stats.norm.pdf(critical * s - shift)
        size += stats.norm.pdf(critical * s + shift)
        return (
            np.array([up + down, down, size]) * stats.chi.pdf(s * math.sqrt(df), df) * math.sqrt(df)
        )

    rate, wrong, size = integrate.quad_vec(of_sd, 0, 6, epsabs=1e-12)[0]
    found = type_errors(shift, df)
    expected = (rate - wrong, rate, size / rate / shift, wrong / rate)
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("effect", "error"), [(0.1, 3.28), (2.0, 8.1), (1.0, 0.4)])
def test_type_errors_with_a_known_standard_error(effect, error):
    # The first two settings are examples of Gelman and Carlin's code; truncated normals by scipy.
    shift, z = effect / error, stats.norm.isf(0.025)
    up, down = stats.norm.sf(z - shift), stats.norm.cdf(-z - shift)
    above = stats.truncnorm(z - shift, math.inf, loc=shift).mean()
    below = stats.truncnorm(-math.inf, -z - shift, loc=shift).mean()
    exaggeration = (up * above - down * below) / (up + down) / shift
    found = type_errors(shift, 10**9)
    assert found == pytest.approx((up, up + down, exaggeration, down / (up + down)), rel=1e-5)


def test_type_errors_at_the_edges():
    none = type_errors_of_t(0.0, 1.0, 20)
    assert none.rejection_rate == pytest.approx(0.05)
    assert math.isnan(none.power)
    assert math.isnan(none.type_m)
    assert math.isnan(none.type_s)
    assert type_errors(9.0, 100) == pytest.approx((1.0, 1.0, 1.0, 0.0), abs=1e-4)
    away = type_errors(-1.0, 50, alternative="greater")
    assert (away.power, away.type_s) == (0.0, 1.0)
    with pytest.raises(ValueError, match=r"`alpha` must be below 0\.5, got 0\.6"):
        type_errors(1.0, 5, alpha=0.6, alternative="less")
    with pytest.raises(ValueError, match="`n_items` must be at least 2"):
        type_errors_of_t(1.0, 1.0, 1)
    with pytest.raises(ValueError, match="`std` must be above 0"):
        type_errors_of_t(1.0, 0.0, 3)
    with pytest.raises(ValueError, match="`difference` must be finite"):
        type_errors_of_t(math.inf, 1.0, 3)


def test_tally_counts():
    found = tally(np.array([0.05, math.nan, 0.9]), np.array([-2.0, 1, 1]), -0.5, 0.05)
    assert (found.power, found.rejection_rate) == pytest.approx((1 / 3, 1 / 3))
    assert found[4:] == (4.0, 0.0, 1)
    wrong = tally(np.array([0.01, 0.02, 0.9, 0.04]), np.array([2.0, -3, 1, 2]), 1.0, 0.05)
    assert (wrong.power, wrong.rejection_rate, wrong.type_s) == (0.5, 0.75, 1 / 3)
    assert (wrong.low, wrong.high) == monte_carlo_band(2, 4)
    none = tally(np.array([0.01, 0.9]), np.array([2.0, 1.0]), 0.0, 0.05)
    assert math.isnan(none.power)
    assert (none.rejection_rate, none.low, none.high) == (0.5, *monte_carlo_band(1, 2))
    low, high = monte_carlo_band(3, 20)
    expected = stats.binomtest(3, 20).proportion_ci(method="exact")
    assert (low, high) == pytest.approx((expected.low, expected.high))
    assert monte_carlo_band(0, 5)[0] == 0.0
    assert monte_carlo_band(5, 5)[1] == 1.0


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("test", ["wilcoxon", *BATCHED])
def test_rows_agree_with_single_tests(test, alternative):
    rng = np.random.default_rng(3)
    rows = rng.choice([-1.0, 0.0, 1.0], p=[0.2, 0.5, 0.3], size=(12, 40))
    if test in ("t", "signflip") or test.endswith("-median"):
        rows[:6] += rng.normal(0, 0.3, rows[:6].shape)
        rows[6:9] = np.round(rows[6:9] + rng.normal(0, 0.5, rows[6:9].shape), 1)
    rows[0] = 0.0
    resamples = 4_999
    ours = row_pvalues(rows, test=test, alternative=alternative, n_resamples=resamples, seed=1)
    for row, pvalue in zip(rows, ours, strict=True):
        a, b = (row > 0, row < 0) if test in ("mcnemar", "score") else (row, np.zeros(row.size))
        single = paired_test(
            a, b, test=test, alternative=alternative, n_resamples=resamples, rng=2
        ).pvalue
        noise = 6 * math.sqrt(single * (1 - single) / resamples) + 2e-3
        exact = test in ("t", "sign", "mcnemar", "score", "wilcoxon")
        assert pvalue == pytest.approx(single, abs=1e-12 if exact else 2 * noise)


@pytest.mark.parametrize("n_items", [2, 3, 4, 5, 6])
def test_resampled_medians_have_the_exact_distribution(n_items):
    values = np.array([-1.3, 0.4, 2.0, -0.7, 3.1, 0.05])[:n_items]
    signed = values * np.array(list(product([-1, 1], repeat=n_items)))
    drawn = values[np.array(list(product(range(n_items), repeat=n_items)))]
    centre = np.median(values)
    for found, every in (
        (flipped_medians(values[np.newaxis], 40_000, 0, 0), np.median(signed, axis=1)),
        (redrawn_medians(values[np.newaxis], 40_000, 0, 0), np.median(drawn, axis=1) - centre),
    ):
        possible, counts = np.unique(np.round(every, 9), return_counts=True)
        seen = np.array([np.count_nonzero(np.abs(found - value) < 1e-8) for value in possible])
        assert seen.sum() == 40_000
        assert stats.chisquare(seen, 40_000 * counts / every.size).pvalue > 1e-3


@pytest.mark.parametrize("test", ["signflip-median", "bootstrap-median"])
def test_draws_of_a_curve_do_not_err_together(test):
    power = [
        distribution_power(0.7, 1.0, sizes=[18], test=test, n_iterations=256, rng=seed).power[0]
        for seed in range(30)
    ]
    binomial = math.sqrt(np.mean(power) * (1 - np.mean(power)) / 256)
    assert 0.6 < np.std(power, ddof=1) / binomial < 1.4


def test_rows_without_spread():
    rows = np.full((2, 20), 0.5)
    rows[1] = 0.0
    for test in ("t", "bootstrap"):
        found = row_pvalues(rows, test=test, alternative="two-sided", n_resamples=99, seed=0)
        assert math.isnan(found[0])
        assert found[1] == 1.0
    flipped = row_pvalues(rows, test="signflip", alternative="two-sided", n_resamples=99, seed=0)
    assert flipped.tolist() == [0.01, 1.0]


@pytest.mark.parametrize("test", ["t", "signflip", "bootstrap"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_stated_normal_differences_have_the_exact_power(test, alternative):
    found = distribution_power(
        0.25, 1.0, sizes=[40, 120], test=test, alternative=alternative, n_iterations=500
    )
    for i, size in enumerate((40, 120)):
        exact = type_errors_of_t(0.25, 1.0, size, alternative=alternative)
        assert found.power[i] == pytest.approx(exact.power, abs=0.065)
        assert found.type_m[i] == pytest.approx(exact.type_m, rel=0.08)
        assert found.type_s[i] == pytest.approx(exact.type_s, abs=0.02)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("ties", [0.0, 0.6])
def test_stated_shapes_have_the_moments_asked_for(shape, ties):
    from analysis.statistics.planning.distribution_power import _Stated

    drawn = _Stated(0.3, 1.5, shape, ties, 1, 0.0).draw(0, 200_000, 0)
    assert np.mean(drawn) == pytest.approx(0.3, abs=0.015)
    assert np.std(drawn) == pytest.approx(1.5, rel=0.015)
    assert np.mean(drawn == 0) == pytest.approx(ties, abs=0.005)
    skew = stats.skew(drawn)
    if shape == "skewed":
        assert skew > 1
    elif ties == 0:
        assert abs(skew) < 0.4


def test_ranks_gain_where_tails_are_heavy():
    settings = {"sizes": [60], "shape": "laplace", "n_iterations": 400}
    t = distribution_power(0.3, 1.0, test="t", **settings)
    ranks = distribution_power(0.3, 1.0, test="wilcoxon", **settings)
    assert ranks.power[0] > t.power[0] + 0.05
    median = distribution_power(0.3, 1.0, test="signflip-median", sizes=[21], n_iterations=20)
    assert 0 <= median.power[0] < 0.9


def test_false_positives_stay_at_the_level():
    for test in ("t", "signflip", "sign"):
        found = distribution_power(0.0, 1.0, sizes=[50], test=test, n_iterations=700)
        assert found.power_low[0] <= 0.05
        assert math.isnan(found.type_m[0])
    assert found.signature.endswith("|difference:0.0|std:1.0|shape:normal|v:" + METHOD_VERSION)


def test_stated_distribution_refuses():
    with pytest.raises(
        ValueError, match=r"`std` 1 is too small for `difference` 2 with `ties` 0\.9"
    ):
        distribution_power(2, 1, sizes=[10], ties=0.9)
    with pytest.raises(ValueError, match="`test` 'sign' takes items as independent"):
        distribution_power(1, 1, sizes=[10], group_size=3, test="sign")
    with pytest.raises(ValueError, match="`icc` is for groups"):
        distribution_power(1, 1, sizes=[10], icc=0.2)
    with pytest.raises(ValueError, match="`ties` cannot be stated for groups"):
        distribution_power(1, 1, sizes=[10], group_size=3, ties=0.2)
    with pytest.raises(ValueError, match="`ties` must be a share"):
        distribution_power(1, 1, sizes=[10], ties=1.0)
    with pytest.raises(ValueError, match="`shape` must be one of"):
        distribution_power(1, 1, sizes=[10], shape="round")
    with pytest.raises(TypeError, match="`difference` must be a number"):
        distribution_power("much", 1, sizes=[10])


def test_size_read_off_a_simulated_curve():
    curve = distribution_power(0.3, 1.0, sizes=[50, 75, 100, 125], n_iterations=1_500)
    found = size_for_power(curve)
    assert found.low <= items_needed(0.3, 1.0) <= found.high
    assert found.high - found.low < 16
    assert not found.extrapolated
    assert size_for_power(curve, power=0.999).extrapolated
    none = distribution_power(0.0, 1.0, sizes=[30, 60], n_iterations=200)
    with pytest.raises(ValueError, match="`curve` must be of a difference other than 0"):
        size_for_power(none)
    falling = distribution_power(-0.1, 1.0, sizes=[20, 500], alternative="greater")
    assert math.isnan(size_for_power(falling).n_units)
    with pytest.raises(ValueError, match="`curve` must be simulated"):
        size_for_power(power_by_size([1.0, 2, 4], [0.0, 3, 1]))
    with pytest.raises(ValueError, match="`power` must be above `alpha`"):
        size_for_power(curve, power=0.05)
    assert found.signature.startswith("size-for-power|power:0.8|curve:(power-by-size|by:distrib")


def test_detectable_difference_solves_for_the_effect():
    assert minimum_detectable_difference(1 / math.sqrt(50), 49) == pytest.approx(
        TTestPower().solve_power(nobs=50, alpha=0.05, power=0.8), abs=1e-6
    )
