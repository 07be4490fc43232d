from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics.fixed_point import whole_differences


@pytest.mark.parametrize(
    ("values", "scale"),
    [([0, 1, 5], 1), ([0.25, 0.3, 7.01], 100), ([1 / 3, 2 / 7, 5 / 9], 2520), ([0.1234], 10_000)],
)
def test_common_fractions_become_whole_steps(values, scale):
    result = whole_differences(np.array(values, dtype=float), np.zeros(len(values)))
    assert result.step == 1 / scale
    np.testing.assert_array_equal(result.steps, np.rint(np.array(values) * scale))


def test_equal_differences_of_decimals_become_equal():
    a, b = np.array([0.3, 0.2, 0.8]), np.array([0.2, 0.1, 0.7])
    assert len(set((a - b).tolist())) > 1
    assert whole_differences(a, b).steps.tolist() == [10, 10, 10]


@pytest.mark.parametrize("size", [1e-250, 1e-12, 1.0, 1e12, 1e90])
def test_no_size_is_lost(size):
    rng = np.random.default_rng(1)
    a, b = rng.random(50) * size, rng.random(50) * size
    result = whole_differences(a, b)
    np.testing.assert_allclose(result.steps * result.step, a - b, rtol=1e-9, atol=1e-9 * size)
    assert np.count_nonzero(result.steps) == 50


@pytest.mark.parametrize("offset", [1e6, 3e8, 1e12])
def test_small_differences_beside_a_large_offset_survive(offset):
    rng = np.random.default_rng(1)
    b = offset + rng.random(100)
    a = b + rng.normal(size=100) * offset * 1e-9
    result = whole_differences(a, b)
    np.testing.assert_allclose(result.steps * result.step, a - b, atol=offset * 1e-18)


@given(
    st.lists(
        st.tuples(*[st.floats(-1e6, 1e6, allow_nan=False) for _ in range(2)]),
        min_size=1,
        max_size=40,
    )
)
def test_steps_are_whole_and_any_sum_is_exact(pairs):
    a, b = np.array(pairs).T
    steps = whole_differences(a, b).steps
    assert np.array_equal(steps, np.rint(steps))
    exact = sum(Fraction(step) for step in np.abs(steps).tolist())
    assert exact <= 2**52
    assert Fraction(float(np.sum(np.abs(steps)))) == exact


def test_identical_values_give_zero():
    values = np.random.default_rng(0).random(20)
    assert not np.any(whole_differences(values, values).steps)
