"""The noncentral t distribution against scipy, where scipy has an answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from analysis.statistics.planning.noncentral_t import (
    noncentral_t_cdf,
    noncentrality_bounds,
    noncentrality_for,
    t_power,
)


@pytest.mark.parametrize("df", [1, 2, 5, 30, 999, 100_000])
@pytest.mark.parametrize("t", [-40.0, -2.0, -1e-3, 0.0, 0.5, 3.0, 60.0])
def test_distribution_agrees_with_scipy(df, t):
    for noncentrality in (-3.0, 0.0, 1.0, t, t + 2):
        expected = special.nctdtr(df, noncentrality, t)
        if not np.isnan(expected):
            found = noncentral_t_cdf(t, df, noncentrality)
            assert found == pytest.approx(expected, abs=1e-12)


def test_distribution_where_scipy_has_no_answer():
    assert noncentral_t_cdf(26.529484644318998, 1000, 61.22188764073614) < 1e-18
    # S, the only thing that varies so far out, is below 2.5 with this probability.
    expected = special.chdtrc(3, 3 * 2.5**2)
    assert noncentral_t_cdf(1e6, 3, 2.5e6) == pytest.approx(expected, rel=1e-9)


@given(
    t=st.floats(-1e4, 1e4),
    df=st.integers(1, 10**6),
    level=st.sampled_from([0.8, 0.95, 0.999]),
)
def test_bounds_are_where_the_tails_are(t, df, level):
    low, high = noncentrality_bounds(t, df, level)
    assert noncentral_t_cdf(t, df, low) == pytest.approx((1 + level) / 2, abs=1e-8)
    assert noncentral_t_cdf(t, df, high) == pytest.approx((1 - level) / 2, abs=1e-8)
    mirrored = noncentrality_bounds(-t, df, level)
    assert mirrored == pytest.approx((-high, -low), rel=1e-9, abs=1e-9)


def test_power_without_an_effect_is_what_alpha_leaves_to_one_side():
    for alternative, side in (("two-sided", 0.025), ("greater", 0.05), ("less", 0.05)):
        assert t_power(0.0, 12, 0.05, alternative) == pytest.approx(side, abs=1e-12)


@given(df=st.integers(1, 10**6), power=st.floats(0.06, 0.999))
def test_noncentrality_for_inverts_power(df, power):
    for alternative in ("two-sided", "greater"):
        found = noncentrality_for(power, df, 0.05, alternative)
        assert t_power(found, df, 0.05, alternative) == pytest.approx(power, abs=1e-9)
