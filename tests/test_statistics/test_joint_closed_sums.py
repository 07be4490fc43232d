import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.across.joint.closed_sums import (
    largest_pvalues,
    largest_unrejected,
    needed_reached,
)
from analysis.statistics.across.joint.statistics import GRID, minus_two_log, tail_scale


def drawn_gains(n_cells, n_resamples, seed, effects=0.0, step=1):
    """Draw dependent statistics of 16 bits, less an observed one that is larger by `effects`."""
    rng = np.random.default_rng(seed)
    mixing = rng.normal(size=(n_cells, n_cells + 1))
    mixing /= np.linalg.norm(mixing, axis=1, keepdims=True)
    z = mixing @ rng.normal(size=(n_cells + 1, n_resamples + 1))
    z[:, 0] += effects * rng.random(n_cells)
    steps = minus_two_log(z, n_cells) // step * step
    gains = steps[:, 1:] - steps[:, :1]
    return np.ascontiguousarray(gains[np.argsort(steps[:, 0], kind="stable")])


def counts_of_all_sets(gains):
    """Return, for each size, how many replicates reach the sum of the best set of that size."""
    n = len(gains)
    return [
        max(
            int(np.count_nonzero(gains[list(chosen)].sum(axis=0) >= 0))
            for chosen in itertools.combinations(range(n), size)
        )
        for size in range(1, n + 1)
    ]


@given(
    st.integers(1, 8),
    st.integers(0, 10_000),
    st.sampled_from([0.0, 2.0, 5.0]),
    st.sampled_from([1, 700]),
)
def test_branch_and_bound_finds_what_all_sets_show(n_cells, seed, effects, step):
    gains = drawn_gains(n_cells, 199, seed, effects, step)
    needed = needed_reached(0.05, 199)
    counts = counts_of_all_sets(gains)
    unrejected = [size for size, count in enumerate(counts, 1) if count >= needed]
    found = largest_unrejected(gains, needed)
    assert found.decided
    assert found.size == max(unrejected, default=0)
    pvalues = largest_pvalues(gains)
    assert np.array_equal(pvalues, (np.maximum.accumulate(counts[::-1])[::-1] + 1.0) / 200)


@pytest.mark.parametrize("table_bytes", [0, 2000, 10**7])
@pytest.mark.parametrize("limit", [0, 5, 10**6])
def test_giving_up_is_on_the_safe_side(limit, table_bytes):
    n_decided = 0
    for seed in range(12):
        gains = drawn_gains(12, 99, seed, 4.0)
        exact = largest_unrejected(gains, 5, limit=10**6)
        assert exact.decided
        found = largest_unrejected(gains, 5, limit=limit, table_bytes=table_bytes)
        assert found.size >= exact.size
        assert found.size == exact.size or not found.decided
        n_decided += found.decided
        curve = largest_pvalues(gains, limit=limit, table_bytes=table_bytes)
        assert np.all(curve >= largest_pvalues(gains, limit=10**6) - 1e-15)
        assert np.all(np.diff(curve) <= 0)
    assert (n_decided == 12) == (limit == 10**6 and table_bytes == 10**7)


def test_a_single_set_is_decided_at_its_pvalue():
    gains = np.array([[5, -1, -1, -1, 0, -1, -1, -1, -1]], dtype=np.int32)
    assert largest_pvalues(gains).tolist() == [0.3]
    assert largest_unrejected(gains, needed_reached(0.3, 9)).size == 0
    assert largest_unrejected(gains, needed_reached(0.29, 9)).size == 1


def test_no_cells_leave_nothing_unrejected():
    empty = np.empty((0, 99), dtype=np.int32)
    assert largest_unrejected(empty, 5) == (0, True)
    assert largest_pvalues(empty).size == 0


@pytest.mark.parametrize(("alpha", "n", "needed"), [(0.05, 999, 50), (0.07, 99, 7), (0.05, 19, 1)])
def test_needed_is_what_a_pvalue_of_alpha_allows(alpha, n, needed):
    assert needed_reached(alpha, n) == needed


def test_refuses_too_few_replicates():
    with pytest.raises(ValueError, match=r"`n_resamples` must be at least 99 for `alpha` 0.01"):
        needed_reached(0.01, 98)


def test_statistic_is_fishers_and_never_falls():
    z = np.concatenate([np.linspace(-9, 60, 20_001), [39.999999, 40.0, 40.000001]])
    steps = minus_two_log(np.sort(z), 1)
    expected = -2 * stats.norm.logsf(np.sort(z))
    assert np.max(np.abs(steps / GRID - expected)) < 0.6 / GRID + 1e-4
    assert np.all(np.diff(steps) >= 0)
    highest = int(minus_two_log([1e9], 50)[0])
    assert highest == tail_scale(50).bound
    # Gains, and their sums over all cells, stay within 32 bits.
    assert 2 * 50 * highest < 2**31
