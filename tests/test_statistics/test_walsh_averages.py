"""Order statistics of Walsh averages against writing all of them down."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.paired import walsh_averages
from analysis.statistics.paired.walsh_averages import (
    CONVENTIONS,
    n_outside_interval,
    n_walsh,
    walsh_bounds,
    walsh_median,
)

differences = st.lists(
    st.one_of(
        st.integers(-3, 3).map(float),
        st.floats(-1e9, 1e9, allow_nan=False, allow_subnormal=False),
    ),
    min_size=1,
    max_size=60,
)


def write_down(values, convention):
    first, second = np.triu_indices(len(values), 0 if convention == "i<=j" else 1)
    return np.sort((np.asarray(values)[first] + np.asarray(values)[second]) / 2)


@pytest.fixture(params=["enumerated at once", "by selection"])
def _way(request, monkeypatch):
    if request.param == "by selection":
        monkeypatch.setattr(walsh_averages, "_ENUMERATED", 0)


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("kind", ["normal", "ties", "wide", "one value"])
def test_every_order_statistic(convention, kind):
    rng = np.random.default_rng(0)
    values = {
        "normal": rng.normal(size=40),
        "ties": rng.integers(-2, 3, 60).astype(float),
        "wide": np.exp(20 * rng.normal(size=40)) * rng.choice([-1, 1], 40),
        "one value": np.full(30, 0.25),
    }[kind]
    averages = write_down(values, convention)
    for n_outside in range(0, averages.size // 2, 7):
        low, high = walsh_bounds(values, convention, n_outside)
        assert (low, high) == (averages[n_outside], averages[-1 - n_outside])


@given(values=differences, convention=st.sampled_from(CONVENTIONS))
def test_median_is_that_of_all_averages(values, convention):
    averages = write_down(values, convention)
    found = walsh_median(np.array(values), convention)
    if averages.size:
        assert found == pytest.approx(np.median(averages), rel=1e-14, abs=1e-300)
    else:
        assert np.isnan(found)


def test_large_samples_need_little_memory():
    # 5 * 10^9 pairs; symmetric values have their centre at 0.
    half = np.random.default_rng(1).exponential(size=50_000)
    values = np.concatenate([half, -half])
    assert walsh_median(values, "i<=j") == pytest.approx(0.0, abs=1e-12)


def signed_rank_tail(n, largest):
    """Return P(W <= largest) by counting all signs."""
    sums = np.zeros(1)
    for rank in range(1, n + 1):
        sums = np.concatenate([sums, sums + rank])
    return np.mean(sums <= largest)


@pytest.mark.parametrize("n", [6, 9, 14])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_interval_leaves_out_as_much_as_the_level_allows(n, level):
    outside = n_outside_interval(n, "i<=j", level)
    tail = (1 - level) / 2
    assert signed_rank_tail(n, outside) <= tail < signed_rank_tail(n, outside + 1)
    # Without pairs of an item with itself the statistic has one rank less.
    assert n_outside_interval(n + 1, "i<j", level) == outside


def test_five_items_bound_nothing_at_95_percent():
    assert n_outside_interval(5, "i<=j", 0.95) == -1
    assert walsh_bounds(np.arange(5.0), "i<=j", -1) == (-np.inf, np.inf)
    assert n_outside_interval(1, "i<j", 0.95) == -1


def test_normal_approximation_continues_the_exact_distribution():
    exact, normal = (n_outside_interval(n, "i<=j", 0.95) for n in (200, 201))
    assert exact < normal < exact + 201
    assert n_walsh(200, "i<=j") == 20_100
    assert n_walsh(200, "i<j") == 19_900


def test_agrees_with_a_shifted_wilcoxon_test():
    rng = np.random.default_rng(2)
    values = rng.normal(0.3, 1, 12)
    low, _ = walsh_bounds(values, "i<=j", n_outside_interval(12, "i<=j", 0.95))
    inside = stats.wilcoxon(values - low - 1e-9, method="exact").pvalue
    outside = stats.wilcoxon(values - low + 1e-9, method="exact").pvalue
    assert outside <= 0.05 < inside
