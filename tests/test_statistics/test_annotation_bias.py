"""Place and length in choices between two outputs."""

import math

import numpy as np
import pytest
from scipy import linalg, special, stats

from analysis.statistics.annotation.bias import position_bias
from analysis.statistics.annotation.length_bias import length_bias

NAN = math.nan


def test_the_share_for_the_first_with_items_alone():
    choice = [1] * 30 + [-1] * 20
    found = position_bias([0] * 50, [1] * 50, choice)
    assert found.first.value == 0.6
    error = math.sqrt(0.6 * 0.4 / 49)
    reach = stats.t.ppf(0.975, 49) * error
    assert found.first.interval[:2] == pytest.approx((0.6 - reach, 0.6 + reach))
    assert found.first.pvalue == pytest.approx(2 * stats.t.sf(0.1 / error, 49))
    # One order only: the first may simply be the better system.
    assert math.isnan(found.balanced.value)
    assert found.n_pairs_both_orders == 0


def test_a_better_system_that_always_stands_first_is_no_bias():
    rng = np.random.default_rng(1)
    n = 4_000
    turned = rng.random(n) < 0.2
    first, second = np.where(turned, 1, 0), np.where(turned, 0, 1)
    a_wins = rng.random(n) < 0.8
    choice = np.where(a_wins != turned, 1, -1)
    found = position_bias(first, second, choice)
    assert found.first.value > 0.6
    assert found.first.pvalue < 1e-6
    assert found.balanced.value == pytest.approx(0.5, abs=0.03)
    assert found.balanced.pvalue > 0.01


def test_the_balanced_share_by_hand():
    # A first: 3 of 4 for the first; B first: 1 of 2 for the first, one of them by a tie.
    first, second = [0, 0, 0, 0, 1, 1], [1, 1, 1, 1, 0, 0]
    found = position_bias(first, second, [1, 1, 1, -1, 0, 0])
    assert found.balanced.value == pytest.approx((0.75 + 0.5) / 2)
    assert found.n_pairs_both_orders == 1


def test_a_bias_is_found():
    rng = np.random.default_rng(2)
    gaps = np.array([1.0, 1.0, 2.0])
    expected = np.mean([special.expit(gaps + 0.8), special.expit(0.8 - gaps)])
    for bias in (0.0, 0.8):
        found = 0
        shares = []
        for _ in range(200):
            first = rng.integers(0, 3, 200)
            second = (first + rng.integers(1, 3, 200)) % 3
            strength = np.array([1.0, 0.0, -1.0])
            p = special.expit(strength[first] - strength[second] + bias)
            result = position_bias(first, second, np.where(rng.random(200) < p, 1, -1))
            found += result.balanced.pvalue <= 0.05
            shares.append(result.balanced.value)
        if not bias:
            assert found / 200 < 0.1
        else:
            assert found / 200 > 0.9
            assert np.mean(shares) == pytest.approx(expected, abs=0.015)


def test_what_is_seen_in_both_orders():
    items = [0, 0, 1, 1, 2, 2, 3, 3, 4]
    first = [0, 1, 0, 1, 0, 1, 0, 1, 0]
    second = [1, 0, 1, 0, 1, 0, 1, 0, 1]
    choice = [1, -1, 1, 1, -1, -1, 0, 0, 1]  # same, first twice, second twice, tie twice
    found = position_bias(first, second, choice, items=items, annotators=["j"] * 9)
    assert found.swapped == 4
    assert found.consistent.value == 0.5
    assert (found.to_first, found.to_second) == (1, 1)
    assert found.swap_pvalue == 1.0
    others = position_bias(first, second, choice, items=items, annotators=list("jkjkjkjkj"))
    assert others.swapped == 0
    assert math.isnan(others.consistent.value)


def test_choices_of_unknown_order_are_left_out():
    known = [True, False, True]
    found = position_bias([0, 0, 0], [1, 1, 1], [1, -1, 1], order_known=known)
    assert found.first.value == 1.0
    assert found.n_unknown_order == 1
    assert found.first.interval.method == "wilson"
    assert found.first.pvalue == 0.5
    nothing = position_bias([0], [1], [NAN])
    assert math.isnan(nothing.first.value)


def test_many_choices_on_one_item_are_not_many_items():
    rng = np.random.default_rng(3)
    by_item = rng.choice([1, -1], 40, p=[0.6, 0.4])
    choice = np.repeat(by_item, 25)
    sides = ([0] * 1_000, [1] * 1_000)
    apart = position_bias(*sides, choice)
    together = position_bias(*sides, choice, items=np.repeat(np.arange(40), 25))
    width = [x.first.interval.high - x.first.interval.low for x in (apart, together)]
    assert width[1] > 4 * width[0]


def test_a_share_from_which_no_item_differs_is_tested_by_signs():
    # On each of 20 items one choice for the first and one tie.
    items = np.repeat(np.arange(20), 2)
    found = position_bias([0, 1] * 20, [1, 0] * 20, [1, 0] * 20, items=items)
    assert found.first.value == 0.75
    assert found.first.interval.low > 0.5
    assert found.first.pvalue == pytest.approx(2.0**-19)
    assert found.balanced.pvalue == pytest.approx(2.0**-19)
    even = position_bias([0, 1] * 20, [1, 0] * 20, [1, -1] * 20, items=items)
    assert (even.first.value, even.first.pvalue) == (0.5, 1.0)
    assert even.first.interval.low < 0.5 < even.first.interval.high


def draw_lengths(rng, n, slope, systems=3):
    """Return choices by strength and length; better systems write more."""
    strength = np.array([0.8, 0.0, -0.8])[:systems]
    first = rng.integers(0, systems, n)
    second = (first + rng.integers(1, systems, n)) % systems
    one, two = (2 ** (6 + strength[side] + rng.normal(size=n)) for side in (first, second))
    p = special.expit(strength[first] - strength[second] + slope * np.log2(one / two))
    return first, second, np.where(rng.random(n) < p, 1, -1), one, two


def test_length_beside_strength():
    rng = np.random.default_rng(4)
    plain = length_bias(*draw_lengths(rng, 3_000, 0.0))
    assert plain.longer.value > 0.53  # better systems write more
    assert plain.per_doubling == pytest.approx(0.0, abs=0.1)
    assert plain.per_doubling_interval.contains(0.0)
    biased = length_bias(*draw_lengths(rng, 3_000, 0.7))
    assert biased.per_doubling_interval.contains(0.7)
    assert biased.per_doubling_pvalue < 1e-6


def test_the_length_test_keeps_its_level(calibrate_repetitions):
    rng = np.random.default_rng(5)
    repetitions = min(calibrate_repetitions, 400)
    false = sum(
        length_bias(*draw_lengths(rng, 150, 0.0)).per_doubling_pvalue <= 0.05
        for _ in range(repetitions)
    )
    assert false / repetitions < 0.05 + 3.5 * math.sqrt(0.05 * 0.95 / repetitions)


def test_the_length_test_keeps_its_level_with_15_items():
    """Measured .037; .07 to .10 with the plain sandwich."""
    rng = np.random.default_rng(15)
    repetitions, false = 500, 0
    for _ in range(repetitions):
        false += length_bias(*draw_lengths(rng, 15, 0.0)).per_doubling_pvalue <= 0.05
    assert false / repetitions <= 0.05 + 1.7 * math.sqrt(0.05 * 0.95 / repetitions)


def test_the_error_of_the_length_by_hand():
    """Two systems, three items; the residual of each item over what its leverage leaves."""
    first, second, choice, one, two = draw_lengths(np.random.default_rng(2), 9, 0.0, systems=2)
    items = np.arange(9) // 3
    found = length_bias(first, second, choice, one, two, items=items)
    sign = np.where(first == 0, 1.0, -1.0)
    design = np.stack([sign, -sign, np.log2(np.floor(one) / np.floor(two))], axis=1)
    design[:, 2] = np.log2(one / two)
    won, penalty = (1 + choice) / 2, np.array([0.01, 0.01, 0])
    beta = np.zeros(3)
    for _ in range(200):
        p = special.expit(design @ beta)
        information = (design.T * (p * (1 - p))) @ design + np.diag(penalty)
        beta = beta + 0.5 * np.linalg.solve(information, design.T @ (won - p) - penalty * beta)
    bread, total = np.linalg.inv(information), np.zeros((3, 3))
    for item in range(3):
        own = design[items == item] * np.sqrt((p * (1 - p))[items == item])[:, None]
        left = np.eye(3) - own @ bread @ own.T
        freed = np.linalg.inv(linalg.sqrtm(left)).real
        residual = ((won - p) / np.sqrt(p * (1 - p)))[items == item]
        score = own.T @ freed @ residual
        total += np.outer(score, score)
    error = math.sqrt((bread @ total @ bread)[2, 2])
    assert found.per_doubling == pytest.approx(beta[2], abs=1e-6)
    reach = stats.t.ppf(0.975, 2) * error
    assert found.per_doubling_interval.high == pytest.approx(beta[2] + reach, rel=1e-5)


def test_which_output_stands_first_does_not_matter():
    first, second, choice, one, two = draw_lengths(np.random.default_rng(6), 200, 0.5)
    there = length_bias(first, second, choice, one, two)
    back = length_bias(second, first, -choice, two, one)
    assert there.per_doubling == pytest.approx(back.per_doubling, abs=1e-10)
    assert there.longer.value == pytest.approx(back.longer.value, abs=1e-12)


def test_without_lengths_that_differ_nothing_is_said():
    sides = ([0, 0, 0], [1, 1, 1], [1, -1, 1])
    equal = length_bias(*sides, [5, 5, 5], [5, 5, 5])
    assert equal.n_equal == 3
    assert math.isnan(equal.longer.value)
    assert math.isnan(equal.per_doubling)
    absent = length_bias(*sides, [NAN] * 3, [4] * 3)
    assert absent.n_without == 3
    # Each system has one length: nothing tells it from strength.
    fixed = length_bias(*sides, [9] * 3, [4] * 3)
    assert fixed.longer.value == pytest.approx(2 / 3)
    assert math.isnan(fixed.per_doubling)


def test_wrong_choices_are_refused():
    with pytest.raises(ValueError, match="`choice` must be 1-D"):
        position_bias([0], [1], [3])
    with pytest.raises(ValueError, match="`first` and `second` must be different systems"):
        position_bias([0], [0], [1])
    with pytest.raises(ValueError, match="`second` must have one number of a system per choice"):
        position_bias([0], [1, 1], [1])
    with pytest.raises(ValueError, match="`order_known` must have shape"):
        position_bias([0], [1], [1], order_known=[1, 0])
    with pytest.raises(ValueError, match="`second_length` must have one length per choice"):
        length_bias([0], [1], [1], [4], [-1])
