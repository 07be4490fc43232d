from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics.fixed_point import whole_differences, whole_scores


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


@pytest.mark.parametrize("offset", [1e6, 3e8, 1e11])
def test_small_differences_beside_a_large_offset_survive(offset):
    rng = np.random.default_rng(1)
    b = offset + rng.random(100)
    a = b + rng.normal(size=100) * offset * 1e-9
    result = whole_differences(a, b)
    np.testing.assert_allclose(result.steps * result.step, a - b, atol=offset * 2.0**-38)


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


MATRICES = {
    "binary": lambda rng, shape: rng.integers(0, 2, shape).astype(float),
    "ratings": lambda rng, shape: rng.integers(1, 6, shape).astype(float),
    "thirds": lambda rng, shape: rng.integers(0, 10, shape) / 3,
    "decimals": lambda rng, shape: rng.integers(0, 10_000, shape) / 10_000,
    "tens": lambda rng, shape: 10.0 * rng.integers(-3, 4, shape),
    "anything": lambda rng, shape: rng.normal(size=shape) * 1e3,
}


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("kind", MATRICES)
def test_matrix_keeps_differences_in_whole_steps(kind, missing):
    rng = np.random.default_rng(3)
    matrix = MATRICES[kind](rng, (6, 40)) + 100.0
    matrix[rng.random(matrix.shape) < missing] = np.nan
    whole = whole_scores(matrix)
    steps = whole.steps.astype(float)
    assert np.array_equal(steps, np.rint(steps))
    assert (whole.present is None) == (missing == 0)
    there = ~np.isnan(matrix)
    assert not np.any(steps[~there])
    for i in range(1, 6):
        shared = there[0] & there[i]
        kept = (steps[0] - steps[i]) * whole.step
        np.testing.assert_allclose(kept[shared], (matrix[0] - matrix[i])[shared], atol=1e-9)
        assert np.abs(steps[0] - steps[i])[shared].sum() <= whole.reach
    assert whole.exact == (kind != "anything")
    assert whole.steps.dtype == (np.float64 if kind == "anything" else np.float32)
    assert whole.reach < (2**52 if kind == "anything" else 2**24)


def test_matrix_takes_the_largest_step():
    assert whole_scores([[10.0, 0.0], [30.0, 60.0]]).step == 20.0
    assert whole_scores([[0.1, 0.7], [0.4, 0.7]]).step == pytest.approx(0.3)


def test_matrix_with_large_sums_is_float64():
    matrix = np.array([[0.0, 1.0], [2.0**23, 2.0**23]])
    assert whole_scores(matrix).steps.dtype == np.float32
    assert whole_scores(np.tile(matrix, 2)).steps.dtype == np.float64


@pytest.mark.parametrize("size", [1e-250, 1e-12, 1e12, 1e90])
def test_matrix_of_any_size(size):
    matrix = np.random.default_rng(0).random((3, 20)) * size
    whole = whole_scores(matrix)
    kept = (whole.steps[0] - whole.steps[1]) * whole.step
    np.testing.assert_allclose(kept, matrix[0] - matrix[1], atol=size * 1e-12)


def test_matrix_of_items_without_scores_and_of_nothing():
    whole = whole_scores([[np.nan, 1.0], [np.nan, 3.0]])
    assert whole.steps.tolist() == [[0, 0], [0, 1]]
    assert whole.step == 2.0
    assert whole_scores(np.empty((3, 0))).steps.shape == (3, 0)
    assert not np.any(whole_scores(np.full((2, 3), 0.123456789)).steps)
