"""Coefficients of two vectors against scipy, R, and counting pair by pair."""

import math
import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.meta_evaluation.coefficients import (
    COEFFICIENTS,
    KINDS,
    coefficient_of,
    in_steps,
    row_coefficients,
)

ORACLES = {
    "pearson": lambda x, y: stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: stats.spearmanr(x, y)[0],
    "kendall-b": lambda x, y: stats.kendalltau(x, y)[0],
    "kendall-c": lambda x, y: stats.kendalltau(x, y, variant="c")[0],
}
graded = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), min_size=2, max_size=40).map(
    lambda pairs: np.array(pairs, dtype=float).T
)
smooth = st.lists(
    st.tuples(st.floats(-100, 100, width=32), st.floats(-1, 1, width=32)), min_size=2, max_size=30
).map(lambda pairs: np.array(pairs, dtype=float).T)


def by_scipy(name, x, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(ORACLES[name](x, y))


def by_pairs(name, x, y, same=None, epsilon=0.0):
    """Count pairs one by one; positions with equal numbers in `same` are no pair."""
    right = concordant = in_x = in_y = pairs = 0
    for i, j in combinations(range(len(x)), 2):
        if same is not None and same[i] == same[j]:
            continue
        dx, dy = x[i] - x[j], y[i] - y[j]
        sign_x = 0 if abs(dx) <= epsilon else math.copysign(1, dx)
        sign_y = 0 if dy == 0 else math.copysign(1, dy)
        right += sign_x == sign_y
        concordant += sign_x * sign_y
        in_x, in_y, pairs = in_x + (sign_x != 0), in_y + (sign_y != 0), pairs + 1
    if name == "pairwise-accuracy":
        return right / pairs if pairs else math.nan
    return concordant / pairs if in_x and in_y else math.nan


def agree(found, expected, tolerance=1e-12):
    return found == pytest.approx(expected, abs=tolerance, nan_ok=True)


@pytest.mark.parametrize("name", ORACLES)
@given(pair=graded)
def test_graded_scores_agree_with_scipy(name, pair):
    assert agree(coefficient_of(*pair, name), by_scipy(name, *pair))


@pytest.mark.parametrize("name", ["spearman", "kendall-b", "kendall-c"])
@given(pair=smooth)
def test_smooth_scores_agree_with_scipy(name, pair):
    assert agree(coefficient_of(*pair, name), by_scipy(name, *pair))


@pytest.mark.parametrize("size", [3, 50, 3_000])
def test_normal_scores_agree_with_scipy(size):
    rng = np.random.default_rng(size)
    x = rng.normal(size=size)
    y = x + rng.normal(size=size) + 1e3
    for name in ORACLES:
        assert agree(coefficient_of(x, y, name), by_scipy(name, x, y))


@pytest.mark.parametrize("name", ["kendall-a", "pairwise-accuracy"])
@given(pair=graded)
def test_shares_of_pairs_are_counted(name, pair):
    assert agree(coefficient_of(*pair, name), by_pairs(name, *pair))


@given(pair=graded, epsilon=st.integers(0, 4))
def test_small_differences_are_ties(pair, epsilon):
    name = "pairwise-accuracy"
    for scale in (1.0, 0.1, 1 / 3):
        found = coefficient_of(pair[0] * scale, pair[1], name, epsilon=epsilon * scale)
        assert agree(found, by_pairs(name, *pair, epsilon=epsilon))


def test_tenths_that_floats_tell_apart_are_the_same_difference():
    x, y = [0.1, 0.2, 0.3], [1, 1, 1]
    assert 0.3 - 0.2 != 0.2 - 0.1
    assert coefficient_of(x, y, "pairwise-accuracy", epsilon=0.1) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("pearson", "pearson_metric1"),
        ("spearman", "spearman_metric2"),
        ("kendall-b", "kendall_metric1"),
        ("kendall-a", "kendall_metric2"),
    ],
)
@pytest.mark.shared
def test_r_gives_the_same(name, key, r_inputs, r_reference):
    given_to_r, expected = r_inputs["correlation"], r_reference["correlation"][key]["est"]
    metric = given_to_r[key.split("_")[1]]
    assert agree(coefficient_of(metric, given_to_r["human"], name), expected, 1e-10)


@pytest.mark.parametrize(
    ("name", "key"), [("kendall-b", "kendall_ties_tau_b"), ("spearman", "spearman_ties")]
)
@pytest.mark.shared
def test_r_treats_ties_the_same(name, key, r_inputs, r_reference):
    given_to_r, expected = r_inputs["correlation"], r_reference["correlation"][key]
    found = coefficient_of(given_to_r["metric_ties"], given_to_r["human_ties"], name)
    assert agree(found, expected, 1e-10)


@pytest.mark.parametrize("name", KINDS)
@given(pair=graded)
def test_order_of_positions_does_not_matter(name, pair):
    turned = pair[:, ::-1]
    assert agree(coefficient_of(*turned, name), coefficient_of(*pair, name))


@pytest.mark.parametrize("name", [name for name in KINDS if name != "pairwise-accuracy"])
@given(pair=graded)
def test_correlations_are_odd_and_symmetric(name, pair):
    x, y = pair
    found = coefficient_of(x, y, name)
    assert agree(coefficient_of(-x, y, name), -found)
    assert agree(coefficient_of(y, x, name), found)
    if not math.isnan(found):
        assert -1 <= found <= 1


@pytest.mark.parametrize("name", [name for name in KINDS if name != "pearson"])
@given(pair=graded)
def test_only_order_matters_to_ranks(name, pair):
    x, y = pair
    found = coefficient_of(x, y, name)
    assert agree(coefficient_of(np.exp(x), y**3, name), found)


@pytest.mark.parametrize("name", KINDS)
@given(pair=graded, place=st.integers(0, 40))
def test_nan_on_either_side_is_left_out(name, pair, place):
    x, y = pair
    place %= x.size + 1
    expected = coefficient_of(x, y, name)
    assert agree(
        coefficient_of(np.insert(x, place, np.nan), np.insert(y, place, 3.0), name), expected
    )
    assert agree(
        coefficient_of(np.insert(x, place, 3.0), np.insert(y, place, np.nan), name), expected
    )


@pytest.mark.parametrize("name", KINDS)
@given(
    pair=graded,
    counts=st.lists(st.integers(0, 3), min_size=40, max_size=40).map(np.array),
)
def test_weights_are_copies(name, pair, counts):
    counts = counts[: pair.shape[1]]
    copies = np.repeat(np.arange(counts.size), counts)
    x, y = pair[:, copies]
    found = row_coefficients(pair[:1], pair[1:], name, weights=counts[np.newaxis].astype(float))[0]
    if name == "kendall-c":
        expected = by_levels(x, y, copies)
    elif name in ORACLES:
        expected = by_scipy(name, x, y) if copies.size > 1 else math.nan
    else:
        expected = by_pairs(name, x, y, same=copies)
    assert agree(found, expected)
    assert np.isnan(found) or abs(found) <= 1 + 1e-12


def by_levels(x, y, copies):
    """Return tau-c, divided by no more pairs than there are of different positions."""
    net, n_pairs = by_pairs("kendall-a", x, y, same=copies), 0
    for i, j in combinations(range(len(x)), 2):
        n_pairs += copies[i] != copies[j]
    if math.isnan(net):
        return math.nan
    levels = min(len(np.unique(x)), len(np.unique(y)))
    return net * n_pairs / min(len(x) ** 2 * (levels - 1) / (2 * levels), n_pairs)


@given(counts=st.lists(st.integers(0, 4), min_size=3, max_size=12))
def test_perfect_order_is_perfect_whatever_the_copies(counts):
    values = np.arange(len(counts), dtype=float)[np.newaxis]
    for name in KINDS:
        found = row_coefficients(values, values, name, weights=np.array([counts], dtype=float))[0]
        assert agree(found, 1.0 if np.count_nonzero(counts) > 1 else math.nan)


@pytest.mark.parametrize("name", KINDS)
def test_constant_sides_define_no_correlation(name):
    found = [coefficient_of(*pair, name) for pair in ([[2, 2, 2], [1, 2, 3]], [[1], [1]], [[], []])]
    if name == "pairwise-accuracy":
        assert found[0] == 0
        assert coefficient_of([2, 2, 2], [5, 5, 5], name) == 1
        found = found[1:]
    assert np.isnan(found).all()


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e150])
def test_scale_does_not_matter(scale):
    x, y = np.array([1.0, 2.0, 4.0, 3.0]), np.array([2.0, 1.0, 5.0, 3.0])
    for name in KINDS:
        assert agree(coefficient_of(x * scale, y, name), coefficient_of(x, y, name))


@given(st.lists(st.one_of(st.none(), st.integers(-999, 999)), min_size=1, max_size=20))
def test_steps_are_whole_and_keep_differences(values):
    values = np.array([np.nan if v is None else v / 10 for v in values])
    steps, step = in_steps(values, 1_000)
    known = steps[~np.isnan(values)]
    assert np.array_equal(np.isnan(steps), np.isnan(values))
    assert np.array_equal(known, np.rint(known))
    left = values[~np.isnan(values)]
    assert np.diff(known) * step == pytest.approx(np.diff(left), abs=1e-12)


def test_sums_of_steps_stay_exact():
    values = np.random.default_rng(1).normal(size=500)
    steps, step = in_steps(values, 10**6)
    assert np.array_equal(steps, np.rint(steps))
    assert np.ptp(steps) * 10**6 < 2.0**53
    assert np.ptp(steps) * step == pytest.approx(np.ptp(values), abs=1e-8)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: coefficient_of([1, 2], [1, 2], "tau"), ValueError, "`coefficient`"),
        (lambda: coefficient_of([1, 2], [1, 2], COEFFICIENTS[-1]), ValueError, "`coefficient`"),
        (lambda: coefficient_of([1, 2], [1], "pearson"), ValueError, "same length"),
        (lambda: coefficient_of([1, math.inf], [1, 2], "pearson"), ValueError, "`x` must be fin"),
        (lambda: coefficient_of(["a"], [1], "pearson"), TypeError, "`x` must hold numbers"),
        (
            lambda: coefficient_of([1, 2], [1, 2], "kendall-b", epsilon=0.1),
            ValueError,
            "`epsilon` belongs to 'pairwise-accuracy'",
        ),
        (
            lambda: coefficient_of([1, 2], [1, 2], "pairwise-accuracy", epsilon=-1),
            ValueError,
            "`epsilon`",
        ),
        (
            lambda: coefficient_of([1, 2], [1, 2], "pairwise-accuracy", epsilon="x"),
            TypeError,
            "`epsilon`",
        ),
    ],
)
def test_wrong_arguments_are_named(call, error, says):
    with pytest.raises(error, match=says):
        call()
