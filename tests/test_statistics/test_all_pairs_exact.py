import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.all_pairs import exact
from analysis.statistics.all_pairs.exact import (
    by_binomial,
    by_enumeration,
    by_inversion,
    list_pairs,
    smallest_chance,
)
from analysis.statistics.all_pairs.kinds import two_valued
from analysis.statistics.all_pairs.missing import check, compare

NAN = math.nan


def pairs_of(scores, groups=None, tolerance=None):
    given = check(scores, groups)
    left, right = np.triu_indices(len(given.values), 1)
    if tolerance is not None:
        tolerance = np.full(left.size, tolerance)
    return list_pairs(given.values, given.units, given.n_units, left, right, tolerance)


def inverted(pairs):
    tails, settled = by_inversion(pairs)
    assert settled.all()
    return tails


@pytest.fixture
def affordable(monkeypatch):
    monkeypatch.setattr(exact, "AFFORDABLE_SECONDS", 1e-3)
    monkeypatch.setattr(exact, "MAX_POINTS", 2**18)
    exact._circle.cache_clear()
    yield
    exact._circle.cache_clear()


def brute_force(differences):
    """P(T >= |t|) and P(T = |t|) by listing all patterns of the non-zero differences."""
    d = differences[differences != 0]
    sums = np.array([np.dot(signs, d) for signs in itertools.product([-1, 1], repeat=d.size)])
    t = abs(d.sum())
    return np.mean(sums >= t - 1e-9), np.mean(np.abs(sums - t) < 1e-9), d.size


def by_convolution(differences):
    """P(T >= |t|) in plain floating point, all terms positive."""
    sizes = np.abs(differences[differences != 0]).astype(int)
    chances = np.ones(1)
    for size in sizes:
        longer = np.zeros(chances.size + size)
        longer[: chances.size] += chances / 2
        longer[size:] += chances / 2
        chances = longer
    reach, t = int(sizes.sum()), abs(int(differences.sum()))
    return math.fsum(chances[(t + reach) // 2 :]), chances[(t + reach) // 2]


@pytest.mark.parametrize("settle", [by_enumeration, inverted])
@pytest.mark.parametrize("n_items", [1, 2, 7, 11])
def test_exact_ways_equal_brute_force(settle, n_items):
    scores = np.random.default_rng(n_items).integers(0, 4, (7, n_items))
    pairs = pairs_of(scores)
    tails = settle(pairs)
    for k, (i, j) in enumerate(zip(pairs.left, pairs.right, strict=True)):
        upper, point, different = brute_force((scores[i] - scores[j]).astype(float))
        assert tails.upper[k] == pytest.approx(upper, rel=1e-11)
        assert tails.point[k] == pytest.approx(point, rel=1e-11)
        assert pairs.different[k] == different


@pytest.mark.parametrize("settle", [by_enumeration, inverted])
@pytest.mark.parametrize("missing", [0.0, 0.25])
@pytest.mark.parametrize("grouped", [False, True])
def test_exact_ways_take_the_shared_items_and_whole_groups(settle, missing, grouped):
    rng = np.random.default_rng(5)
    scores = rng.integers(0, 4, (6, 18)).astype(float)
    scores[rng.random(scores.shape) < missing] = NAN
    groups = [None if i < 4 else i % 5 for i in range(18)] if grouped else None
    labels = [("own", i) if i < 4 or not grouped else i % 5 for i in range(18)]
    pairs = pairs_of(scores, groups)
    tails = settle(pairs)
    listed = compare(scores, pairs.units, pairs.n_units)
    for k, (i, j) in enumerate(zip(pairs.left, pairs.right, strict=True)):
        difference = scores[i] - scores[j]
        shared = ~np.isnan(difference)
        assert listed.n_shared[k] == shared.sum()
        assert listed.observed[k] == pairs.observed[k] == difference[shared].sum()
        units = {}
        for label, d in zip(labels, difference, strict=True):
            if not math.isnan(d):
                units[label] = units.get(label, 0.0) + d
        upper, point, different = brute_force(np.array(list(units.values())))
        assert tails.upper[k] == pytest.approx(upper, rel=1e-11)
        assert tails.point[k] == pytest.approx(point, rel=1e-11, abs=1e-15)
        assert pairs.different[k] == different


def test_enumeration_of_any_numbers_and_its_limit():
    rng = np.random.default_rng(0)
    scores = np.zeros((3, 30))
    scores[1, :10] = rng.normal(size=10)
    scores[2, :21] = rng.normal(size=21)
    pairs = pairs_of(scores, tolerance=1e-12)
    assert pairs.different.tolist() == [10, 21, 21]
    tails = by_enumeration(pairs.chosen(np.array([0])))
    upper, point, _ = brute_force(scores[1])
    assert (tails.upper[0], tails.point[0]) == (upper, point)


@pytest.mark.parametrize(("n_items", "top"), [(25, 3), (60, 1), (60, 10), (300, 4), (900, 30)])
@pytest.mark.parametrize("shift", [0.0, 0.3, 1.0])
@pytest.mark.usefixtures("affordable")
def test_inversion_keeps_its_relative_precision_in_the_far_tail(n_items, top, shift):
    rng = np.random.default_rng(n_items + top)
    scores = np.rint(rng.normal(size=(4, n_items)) * top / 3)
    scores[2:] = np.rint(scores[2:] + shift * top)
    scores = np.clip(scores, -top // 2, top - top // 2)
    pairs = pairs_of(scores)
    tails = inverted(pairs)
    for k, (i, j) in enumerate(zip(pairs.left, pairs.right, strict=True)):
        upper, point = by_convolution(scores[i] - scores[j])
        assert tails.upper[k] == pytest.approx(upper, rel=1e-10)
        assert tails.point[k] == pytest.approx(point, rel=1e-10, abs=1e-15)


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=60), st.integers(1, 5))
def test_inversion_of_any_whole_numbers(differences, factor):
    # A common factor, one large item, many zeros, one item: all of them are lattices.
    d = np.array(differences, dtype=float) * factor
    tails = inverted(pairs_of(np.stack([d, np.zeros_like(d)])))
    upper, point = by_convolution(d)
    assert tails.upper[0] == pytest.approx(upper, rel=1e-10)
    assert tails.point[0] == pytest.approx(point, rel=1e-10, abs=1e-15)
    turned = inverted(pairs_of(np.stack([np.zeros_like(d), d])))
    assert turned.upper[0] == tails.upper[0]


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_closed_form_is_the_binomial_of_discordant_items(missing):
    rng = np.random.default_rng(2)
    scores = 5.0 * (rng.random((5, 200)) < 0.5 + 0.1 * np.arange(5)[:, np.newaxis])
    scores[rng.random(scores.shape) < missing] = NAN
    left, right = np.triu_indices(5, 1)
    tails = by_binomial(scores == 5.0, ~np.isnan(scores), left, right)
    for k, (i, j) in enumerate(zip(left, right, strict=True)):
        wins = int(np.sum(scores[i] > scores[j]))
        n = wins + int(np.sum(scores[i] < scores[j]))
        assert tails.different[k] == n
        expected = stats.binomtest(wins, n, alternative="greater").pvalue
        assert tails.at_least[k] == pytest.approx(expected, rel=1e-10)
        expected = stats.binomtest(wins, n, alternative="less").pvalue
        assert tails.at_most[k] == pytest.approx(expected, rel=1e-10)


def test_which_pairs_have_two_values():
    scores = np.array([[0, 1, 0], [1, 1, 1], [0, 2, 2], [2, NAN, 0], [1, 2, 3], [0.5, 0.5, 0.5]])
    left, right = np.triu_indices(len(scores), 1)
    found = {
        (int(left[k]), int(right[k]), some.high)
        for some in two_valued(scores, left, right)
        for k in some.pairs
    }
    assert found == {(0, 1, 1.0), (2, 3, 2.0), (1, 5, 1.0)}


def test_pairs_of_two_values_with_a_higher_one_in_common_are_counted_together(monkeypatch):
    rng = np.random.default_rng(3)
    constant = np.repeat(np.arange(9.0)[:, np.newaxis], 20, axis=1)
    constant[3:, ::4] = NAN
    scores = np.concatenate([constant, rng.integers(0, 2, (3, 20)) * 8.0])
    left, right = np.triu_indices(len(scores), 1)
    found = two_valued(scores, left, right)
    assert [some.high for some in found] == [float(high) for high in range(1, 9)]
    together = []
    for ahead in (0, 10**6):
        monkeypatch.setattr(exact, "_PRODUCT_AHEAD", ahead)
        tails = [
            by_binomial(scores == high, ~np.isnan(scores), left[pairs], right[pairs])
            for high, pairs in found
        ]
        together.append([side for each in tails for side in each])
    for one, other in zip(*together, strict=True):
        np.testing.assert_array_equal(one, other)


def test_inversion_leaves_out_what_would_take_long():
    rng = np.random.default_rng(0)
    settled = []
    for top in (1, 10, 100, 1_000, 10**6):
        settled.append(by_inversion(pairs_of(rng.integers(0, top + 1, (2, 400))))[1][0])
    assert settled == [True, True, False, False, False]
    # Few units of large steps are convolved, and a common divisor does not count.
    assert by_inversion(pairs_of(rng.integers(0, 101, (2, 60))))[1][0]
    assert by_inversion(pairs_of(10**6 * rng.integers(0, 11, (2, 400))))[1][0]


def test_smallest_chance_never_vanishes():
    chances = smallest_chance(np.array([0, 1, 10, 5_000]))
    assert chances.tolist() == [1.0, 0.5, 2.0**-10, np.finfo(float).tiny]


def test_order_of_pairs_and_threads_do_not_matter(monkeypatch):
    scores = np.random.default_rng(0).integers(0, 6, (12, 80))
    pairs = pairs_of(scores)
    expected, _ = by_inversion(pairs, n_threads=1)
    monkeypatch.setattr(exact, "PAIRS_AT_ONCE", 5)
    order = np.arange(pairs.left.size)[::-1]
    turned, _ = by_inversion(pairs.chosen(order), n_threads=3)
    np.testing.assert_array_equal(turned.upper[::-1], expected.upper)


@pytest.mark.shared
@pytest.mark.parametrize("sample", ["discrete_ties", "binary", "binary_small"])
def test_exact_ways_agree_with_r(r_inputs, r_reference, sample):
    pair = r_inputs["paired"][sample]
    a, b = (np.array(values, dtype=float) for values in list(pair.values())[:2])
    expected = r_reference["paired"][sample]
    tails = inverted(pairs_of(np.stack([a, b])))
    ahead = a.sum() >= b.sum()
    named = "signflip_exact_greater" if ahead else "signflip_exact_less"
    assert tails.upper[0] == pytest.approx(expected[named], rel=1e-10)
    assert 2 * tails.upper[0] == pytest.approx(expected["signflip_exact_two.sided"], rel=1e-10)
    if len(np.unique([a, b])) == 2:
        high = np.stack([a, b]) == max(a.max(), b.max())
        binary = by_binomial(high, np.ones_like(high), np.array([0]), np.array([1]))
        assert binary.at_least[0] == pytest.approx(expected["signflip_exact_greater"], rel=1e-10)
        assert binary.at_most[0] == pytest.approx(expected["signflip_exact_less"], rel=1e-10)
