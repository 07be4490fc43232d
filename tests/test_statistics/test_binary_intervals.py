"""Wilson, Newcombe and Tango against published values and their own definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special
from statsmodels.stats.proportion import proportion_confint

from analysis.statistics.intervals.binary import (
    PairCounts,
    count_pairs,
    newcombe_bounds,
    tango_bounds,
    tango_interval,
    tango_z,
    wilson_interval,
)
from analysis.statistics.intervals.scores import score_interval

counts = st.tuples(*[st.integers(0, 40)] * 4).filter(any).map(lambda four: PairCounts(*four))


@pytest.mark.parametrize(("right", "n"), [(0, 1), (1, 1), (0, 30), (7, 30), (30, 30), (999, 1000)])
@pytest.mark.parametrize("level", [0.9, 0.99])
def test_wilson_agrees_with_statsmodels(right, n, level):
    low, high, method, stated = wilson_interval(right, n, level)
    expected = proportion_confint(right, n, alpha=1 - level, method="wilson")
    assert (low, high) == pytest.approx(expected, abs=1e-12)
    assert (method, stated) == ("wilson", level)


@pytest.mark.parametrize(("right", "n"), [(0, 1), (1, 1), (0, 30), (7, 30), (30, 30), (999, 1000)])
def test_clopper_pearson_agrees_with_statsmodels(right, n):
    scores = np.repeat([1.0, 0.0], [right, n - right])
    low, high, method, _ = score_interval(scores, method="clopper-pearson", confidence_level=0.9)
    expected = proportion_confint(right, n, alpha=0.1, method="beta")
    assert (low, high) == pytest.approx(expected, abs=1e-12)
    assert method == "clopper-pearson"


def test_clopper_pearson_is_longer_with_groups():
    scores, groups = np.repeat([1.0, 0.0] * 10, 5), np.repeat(np.arange(20), 5)
    alone = score_interval(scores, method="clopper-pearson")
    grouped = score_interval(scores, method="clopper-pearson", groups=groups)
    assert grouped.low < alone.low < 0.5 < alone.high < grouped.high


def test_newcombe_method_10_of_the_paper():
    # Newcombe (1998), table II, first example (36, 12, 2, 0): method 10.
    low, high = newcombe_bounds(PairCounts(36, 12, 2, 0), 0.95)
    assert (round(low[0], 4), round(high[0], 4)) == (0.0569, 0.3404)


@given(pairs=counts, level=st.sampled_from([0.8, 0.95, 0.999]))
def test_tango_inverts_its_score_test(pairs, level):
    low, high, *_ = tango_interval(pairs, level)
    assert -1 <= low <= (pairs.only_a - pairs.only_b) / sum(pairs) <= high <= 1
    assert low < high
    quantile = special.ndtri((1 + level) / 2)
    if low > -1:
        assert tango_z(pairs, low) == pytest.approx(quantile, abs=1e-6)
    if high < 1:
        assert tango_z(pairs, high) == pytest.approx(-quantile, abs=1e-6)


@given(pairs=counts)
def test_exchanging_the_systems_mirrors_the_interval(pairs):
    swapped = PairCounts(pairs.both, pairs.only_b, pairs.only_a, pairs.neither)
    for bounds in (tango_bounds, newcombe_bounds):
        low, high = np.concatenate(bounds(pairs, 0.95))
        assert np.concatenate(bounds(swapped, 0.95)) == pytest.approx([-high, -low], abs=1e-12)


@given(n=st.integers(1, 10**6))
def test_tango_without_discordant_items_is_known_in_closed_form(n):
    low, high, *_ = tango_interval(PairCounts(n, 0, 0, 0), 0.95)
    edge = special.ndtri(0.975) ** 2 / (n + special.ndtri(0.975) ** 2)
    assert (low, high) == pytest.approx((-edge, edge), rel=1e-12)


def test_tango_where_all_items_favour_one_system():
    low, high, *_ = tango_interval(PairCounts(0, 10, 0, 0), 0.95)
    z2 = special.ndtri(0.975) ** 2
    assert low == pytest.approx((10 - z2) / (10 + z2), rel=1e-12)
    assert high == 1.0


def test_tango_at_zero_is_mcnemar():
    # b - c over sqrt(b + c), without continuity correction.
    assert tango_z(PairCounts(40, 46, 10, 4), 0.0) == pytest.approx(36 / np.sqrt(56), rel=1e-12)
    assert tango_z(PairCounts(3, 0, 0, 2), 0.0) == 0.0


def test_impossible_differences_are_infinitely_unlikely():
    assert tango_z(PairCounts(3, 1, 0, 2), -1.0) == np.inf
    assert tango_z(PairCounts(3, 1, 0, 2), 2.0) == -np.inf


def test_counting():
    a, b = np.array([1.0, 1, 0, 0, 1]), np.array([1.0, 0, 1, 0, 0])
    assert count_pairs(a, b) == (1, 2, 1, 1)
