"""Evaluation units: NLPStatTest's rule, and what it leaves open."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics.description.evaluation_units import (
    calibrate_unit_size,
    unit_scores,
)


@given(
    n=st.integers(1, 200),
    size=st.integers(1, 40),
    seed=st.none() | st.integers(0, 99),
    statistic=st.sampled_from(["mean", "median"]),
)
def test_units_are_those_of_array_split(n, size, seed, statistic):
    if size > n:
        return
    a, b = np.random.default_rng(n).normal(size=(2, n))
    index = list(range(n))
    if seed is not None:
        random.Random(seed).shuffle(index)
    chunks = np.array_split(index, n // size)
    units = unit_scores([a, b], size=size, statistic=statistic, shuffle_seed=seed)
    reduce = getattr(np, statistic)
    assert units[0] == pytest.approx([reduce(a[chunk]) for chunk in chunks])
    assert units[1] == pytest.approx([reduce(b[chunk]) for chunk in chunks])


def test_units_of_several_systems_stay_comparable():
    nan = float("nan")
    scores = unit_scores([[1, 2, 3, 4, 5, 6], [1, nan, 3, 4, 5, 6]], size=3)
    assert scores[0].tolist() == [2.0, 5.0]
    assert np.isnan(scores[1, 0])
    assert scores[1, 1] == 5.0


def test_zero_is_a_seed():
    a = np.arange(20.0)
    plain, zero, one = (
        unit_scores([a], size=2, shuffle_seed=seed)[0].tolist() for seed in (None, 0, 1)
    )
    assert plain != zero != one


def test_calibration_tries_sizes_up_to_a_fifteenth():
    a, b = np.random.default_rng(0).normal(size=(2, 100))
    found = calibrate_unit_size(a, b)
    assert found.sizes.tolist() == [1, 2, 3, 4, 5, 6]
    assert found.n_units.tolist() == [100, 50, 33, 25, 20, 16]
    assert found.variance == pytest.approx(found.std**2)
    assert found.variance[0] == pytest.approx(np.var(a - b, ddof=1))
    inside = found.whiskers[0] <= found.variance
    inside &= found.variance <= found.whiskers[1]
    assert found.recommended == found.sizes[np.flatnonzero(inside)[0]]


def test_calibration_tries_at_most_a_hundred_sizes():
    a, b = np.random.default_rng(1).normal(size=(2, 6_000))
    found = calibrate_unit_size(a, b, statistic="median", shuffle_seed=3)
    assert found.sizes.size == 100
    assert (found.sizes[0], found.sizes[-1]) == (1, 400)
    assert found.recommended > 1  # single items vary too much to be one of the crowd


@pytest.mark.parametrize("n", [2, 14, 29])
def test_calibration_of_few_items_has_one_size(n):
    a = np.arange(float(n))
    found = calibrate_unit_size(a, a)
    assert found.sizes.tolist() == [1]
    assert found.recommended == 1
    found.to_dict()


def test_signatures():
    found = calibrate_unit_size([1, 2, 3], [3, 2, 1])
    assert found.signature.startswith("unit-size|by:mean|shuffle:none|sizes:1|n:3|missing:0|v:")


def test_wrong_arguments():
    with pytest.raises(ValueError, match="`size` of 4 needs at least as many items"):
        unit_scores([[1, 2, 3], [3, 2, 1]], size=4)
    with pytest.raises(ValueError, match="`size` must be at least 1"):
        unit_scores([[1, 2, 3], [3, 2, 1]], size=0)
    with pytest.raises(ValueError, match="`statistic` must be one of 'mean', 'median'"):
        unit_scores([[1, 2, 3], [3, 2, 1]], statistic="mode")
    with pytest.raises(TypeError, match="`shuffle_seed` must be a whole number or None"):
        unit_scores([[1], [1]], shuffle_seed="13")
    with pytest.raises(ValueError, match="`shuffle_seed` must not be negative"):
        calibrate_unit_size([1, 2], [1, 2], shuffle_seed=-1)
    with pytest.raises(ValueError, match="`scores` must be 2-D"):
        unit_scores([1, 2, 3])
    with pytest.raises(ValueError, match="must share at least 2 items"):
        calibrate_unit_size([1], [1])
