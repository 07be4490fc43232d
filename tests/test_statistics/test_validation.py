import numpy as np
import pytest

from analysis.statistics.validation import (
    as_choice,
    as_count,
    as_floats,
    as_level,
    as_pvalues,
    as_seed,
)


def test_as_pvalues_copies_and_turns_none_into_nan():
    given = np.array([0.1, 0.2])
    values = as_pvalues(given)
    values[0] = 9
    assert given[0] == 0.1
    np.testing.assert_array_equal(as_pvalues([0.1, None]), [0.1, np.nan])


@pytest.mark.parametrize(
    ("pvalues", "message"),
    [
        ([0.2, 1.2], r"`pvalues` must lie between 0 and 1 .* got 1\.2 at index 1\."),
        ([-0.1], r"got -0\.1 at index 0"),
        ([np.inf], r"got inf at index 0"),
        ([[0.1, 0.2]], r"`pvalues` must be 1-D \(one per test\), got shape \(1, 2\)\."),
        (0.1, r"got shape \(\)"),
    ],
)
def test_as_pvalues_says_what_is_wrong(pvalues, message):
    with pytest.raises(ValueError, match=message):
        as_pvalues(pvalues)


@pytest.mark.parametrize("values", [["0.1"], [0.1, "x"], [1j], [object()], [[0.1], [0.2, 0.3]]])
def test_as_floats_refuses_what_is_no_number(values):
    with pytest.raises((TypeError, ValueError)):
        as_floats(values, "a")


def test_as_floats_names_the_argument():
    with pytest.raises(TypeError, match=r"`a` must hold numbers, got <U3 values\."):
        as_floats(["0.1"], "a")
    with pytest.raises(TypeError, match=r"`a` must hold numbers \(NaN where there is none\)\."):
        as_floats([object()], "a")


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 2, float("nan")])
def test_as_level_needs_a_probability(alpha):
    with pytest.raises(ValueError, match=r"`alpha` must lie strictly between 0 and 1, got"):
        as_level(alpha)


@pytest.mark.parametrize("alpha", [None, "high", [0.1, 0.2]])
def test_as_level_needs_a_number(alpha):
    with pytest.raises(TypeError, match="`alpha` must be a number, got"):
        as_level(alpha)


def test_as_choice_lists_what_is_allowed():
    with pytest.raises(ValueError, match="`method` must be one of 'holm', 'bh'; got 'sidak'"):
        as_choice("sidak", "method", ("holm", "bh"))


def test_as_count():
    assert as_count(np.int64(3), "n_resamples") == 3
    with pytest.raises(ValueError, match="`n_resamples` must be at least 1, got 0"):
        as_count(0, "n_resamples")
    with pytest.raises(TypeError, match=r"`n_resamples` must be a whole number, got float 10\.0"):
        as_count(10.0, "n_resamples")


def test_as_seed_keeps_ints_and_draws_from_the_rest():
    assert as_seed(0) == 0
    assert as_seed(2**100) == 2**100
    first, second = np.random.default_rng(5), np.random.default_rng(5)
    assert as_seed(first) == as_seed(second)
    assert as_seed(first) != as_seed(np.random.default_rng(5))
    assert as_seed(None) != as_seed(None)


@pytest.mark.parametrize("rng", [1.5, "0", True])
def test_as_seed_refuses_other_types(rng):
    with pytest.raises(TypeError, match="`rng` must be a whole number, a numpy Generator or None"):
        as_seed(rng)


def test_as_seed_refuses_negative_seeds():
    with pytest.raises(ValueError, match="`rng` must not be negative when it is a seed, got -1"):
        as_seed(-1)
