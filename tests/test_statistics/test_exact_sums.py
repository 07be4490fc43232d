"""Sums of rows are those of `math.fsum`, and metrics of all systems those of each."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from analysis.statistics.aggregate import AGGREGATIONS, aggregate_items, aggregate_systems
from analysis.statistics.exact_sums import exact_sum, exact_sums

anything = st.floats(-1e300, 1e300) | st.floats(-1e-300, 1e-300) | st.integers(-9, 9).map(float)


@given(
    arrays.arrays(np.float64, st.tuples(st.integers(0, 4), st.integers(0, 40)), elements=anything)
)
def test_sums_are_rounded_once(rows):
    wanted = np.array([math.fsum(row) for row in rows])
    assert exact_sums(rows).tobytes() == wanted.tobytes()


def test_terms_that_cancel_leave_what_is_below_them():
    rng = np.random.default_rng(0)
    for _ in range(50):
        large = rng.normal(size=300) * 10.0 ** rng.integers(-150, 150, 300)
        row = rng.permutation(np.concatenate([large, -large, rng.normal(size=50) * 1e-140]))
        assert exact_sums(row[np.newaxis])[0] == math.fsum(row)


@pytest.mark.parametrize("n", [0, 3, 999, 1_000, 40_000, 100_001])
def test_one_sum_is_the_same_however_many_it_is_of(n):
    values = np.random.default_rng(n).normal(size=n)
    assert exact_sum(values) == math.fsum(values)


def test_many_rows_are_taken_in_parts():
    rows = np.random.default_rng(0).random((2_000, 97)) / 7
    assert exact_sums(rows).tolist() == [math.fsum(row) for row in rows]


def test_the_largest_numbers_have_a_sum():
    assert exact_sums(np.array([[1.7e308, -1.7e308, 3.0], [1.0, 2.0, 3.0]])).tolist() == [3, 6]


def test_what_is_not_finite_comes_out_as_from_a_plain_sum():
    found = exact_sums(np.array([[math.nan, 1.0], [math.inf, 1.0], [0.1, 0.2]]))
    np.testing.assert_array_equal(found, [math.nan, math.inf, math.fsum([0.1, 0.2])])


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_systems_are_aggregated_each_by_itself(aggregation):
    rng = np.random.default_rng(0)
    values = rng.integers(1, 30, (6, 15, len(AGGREGATIONS[aggregation].components))) / 7
    values[1, 3], values[2] = math.nan, math.nan
    alone = [aggregate_items(system, aggregation) for system in values]
    np.testing.assert_array_equal(aggregate_systems(values, aggregation), alone)
