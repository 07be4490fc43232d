"""Effect sizes against R, their symmetries, and what they say where there is little to say."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from analysis.statistics.effects.effect_size import EffectSizes, effect_sizes
from analysis.statistics.intervals.interval import Interval
from tests.test_statistics.chances import fewest_and_most

SAMPLES = (
    "continuous_small",
    "continuous_large",
    "discrete_ties",
    "binary",
    "binary_small",
    "skewed",
)
IN_R = {
    "cohens_dz": "cohens_dz",
    "hedges_g": "hedges_g_exact",
    "hedges_g_paper": "hedges_g_nlpstattest",
    "rank_biserial": "rank_biserial",
    "hodges_lehmann": "hodges_lehmann_walsh_i_le_j",
}
SIGNED = ("difference", "hodges_lehmann", "cohens_dz", "hedges_g", "rank_biserial")
INTERVALS = tuple(name for name in EffectSizes.__dataclass_fields__ if name.endswith("_ci"))

scores = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=25).map(
    lambda pairs: np.array(pairs).T / 4
)


@pytest.mark.parametrize("sample", SAMPLES)
def test_agreement_with_r(sample, r_inputs, r_reference):
    given_scores, expected = r_inputs["paired"][sample], r_reference["paired"][sample]
    found = effect_sizes(given_scores["a"], given_scores["b"])
    compared = 0
    for field, name in IN_R.items():
        if name in expected:
            assert getattr(found, field) == pytest.approx(expected[name], abs=1e-10)
            compared += 1
    assert compared >= 3
    if "hodges_lehmann_walsh_i_lt_j" in expected:
        other = effect_sizes(given_scores["a"], given_scores["b"], walsh="i<j")
        assert other.hodges_lehmann == pytest.approx(
            expected["hodges_lehmann_walsh_i_lt_j"], abs=1e-10
        )


@pytest.mark.parametrize("sample", ["continuous_small", "discrete_ties", "skewed"])
def test_wilcoxon_r_is_z_over_root_n(sample, r_inputs):
    given_scores = r_inputs["paired"][sample]
    a, b = np.array(given_scores["a"]), np.array(given_scores["b"])
    test = stats.wilcoxon(np.round(a - b, 9), method="approx", correction=False)
    n = np.count_nonzero(np.round(a - b, 9))
    assert effect_sizes(a, b).wilcoxon_r == pytest.approx(
        abs(test.zstatistic) / math.sqrt(n), rel=1e-9
    )


@given(pairs=scores, delta=st.sampled_from([0.0, 0.25, -1.0]))
def test_swapping_the_systems_mirrors_everything(pairs, delta):
    a, b = pairs
    one, other = effect_sizes(a, b, delta=delta), effect_sizes(b, a, delta=-delta)
    for name in SIGNED:
        assert getattr(one, name) == pytest.approx(-getattr(other, name), nan_ok=True, rel=1e-9)
    for name in ("hodges_lehmann_ci", "cohens_dz_ci", "hedges_g_ci", "rank_biserial_ci"):
        low, high, *_ = getattr(one, name)
        mirrored = getattr(other, name)
        assert (low, high) == pytest.approx(
            (-mirrored.high, -mirrored.low), nan_ok=True, rel=1e-6, abs=1e-9
        )
    assert (one.win, one.tie, one.loss) == (other.loss, other.tie, other.win)
    assert one.probability_of_superiority == pytest.approx(1 - other.probability_of_superiority)
    assert one.wilcoxon_r == pytest.approx(other.wilcoxon_r, rel=1e-12)


@given(pairs=scores, seed=st.integers(0, 9))
def test_neither_order_nor_missing_items_matter(pairs, seed):
    a, b = pairs
    labels = [f"g{i % 4}" for i in range(a.size)]
    order = np.random.default_rng(seed).permutation(a.size + 2)
    with_gaps = np.append(a, [math.nan, 1.0])[order], np.append(b, [1.0, math.nan])[order]
    for groups, shuffled in ((None, None), (labels, np.array([*labels, "g0", "x"])[order])):
        one = effect_sizes(a, b, groups=groups)
        other = effect_sizes(*with_gaps, groups=shuffled)
        assert (other.n_missing, other.n_groups) == (2, one.n_groups)
        for name in (*SIGNED, "wilcoxon_r", "win", "tie", "loss", "n_items"):
            assert getattr(other, name) == pytest.approx(getattr(one, name), nan_ok=True, rel=1e-9)
        for name in INTERVALS:
            first, second = getattr(one, name), getattr(other, name)
            assert first[:2] == pytest.approx(second[:2], nan_ok=True, rel=1e-7, abs=1e-9)


@given(pairs=scores, factor=st.sampled_from([2.0, 0.5, 64.0]))
def test_the_unit_of_scores_only_scales_what_has_a_unit(pairs, factor):
    a, b = pairs
    one, other = effect_sizes(a, b), effect_sizes(a * factor, b * factor)
    assert other.hodges_lehmann == one.hodges_lehmann * factor
    assert other.difference == pytest.approx(one.difference * factor)
    for name in ("cohens_dz", "wilcoxon_r", "rank_biserial"):
        assert getattr(other, name) == pytest.approx(getattr(one, name), nan_ok=True, rel=1e-12)


@given(pairs=scores)
def test_intervals_hold_their_estimates(pairs):
    found = effect_sizes(*pairs)
    for name in INTERVALS:
        interval, estimate = getattr(found, name), getattr(found, name.removesuffix("_ci"))
        assert isinstance(interval, Interval)
        if math.isfinite(interval.low + interval.high) and math.isfinite(estimate):
            assert interval.low - 1e-9 <= estimate <= interval.high + 1e-9


@given(pairs=scores)
def test_every_item_its_own_group_changes_nothing(pairs):
    a, b = pairs
    one, other = effect_sizes(a, b), effect_sizes(a, b, groups=[None] * a.size)
    for name in INTERVALS:
        first, second = getattr(one, name), getattr(other, name)
        assert first[:2] == pytest.approx(second[:2], nan_ok=True, rel=1e-9, abs=1e-12)


def test_hedges_factor_is_exact():
    rng = np.random.default_rng(0)
    for n in (3, 10, 400):
        found = effect_sizes(rng.normal(size=n), rng.normal(size=n))
        df = n - 1
        factor = special.gamma(df / 2) / special.gamma((df - 1) / 2) if n < 100 else None
        if factor is not None:
            factor *= math.sqrt(2 / df)
            assert found.hedges_g == pytest.approx(found.cohens_dz * factor, rel=1e-12)
        assert abs(found.hedges_g) <= abs(found.cohens_dz)
    assert math.isnan(effect_sizes([1, 2], [0, 3]).hedges_g)


def test_dz_interval_holds_zero_just_when_t_does_not_reject():
    rng = np.random.default_rng(1)
    for shift in np.linspace(0, 1, 20):
        a, b = rng.normal(shift, 1, 15), np.zeros(15)
        found = effect_sizes(a, b)
        rejected = stats.ttest_rel(a, b).pvalue <= 0.05
        assert found.cohens_dz_ci.contains(0) is not bool(rejected)


def test_decimal_ties_are_ties():
    found = effect_sizes([0.3, 0.5, 0.7], [0.1, 0.3, 0.9])
    assert found.wilcoxon_r == pytest.approx(1 / 3)
    shifted = effect_sizes([0.3, 0.4], [0.2, 0.2], delta=0.1)
    assert (shifted.win, shifted.tie, shifted.loss) == (1, 1, 0)


def test_a_common_shift_moves_only_what_is_measured_from_it():
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.5, 1, 30), rng.normal(size=30)
    plain, shifted = effect_sizes(a, b), effect_sizes(a, b, delta=0.5)
    assert shifted.difference == plain.difference
    assert shifted.hodges_lehmann == plain.hodges_lehmann
    std = np.std(a - b, ddof=1)
    assert shifted.cohens_dz == pytest.approx(plain.cohens_dz - 0.5 / std)


def test_identical_systems_have_no_effect_and_no_certainty():
    found = effect_sizes([0.3, 0.5, 0.7] * 20, [0.3, 0.5, 0.7] * 20)
    assert (found.difference, found.cohens_dz, found.hedges_g, found.wilcoxon_r) == (0, 0, 0, 0)
    assert (found.rank_biserial, found.probability_of_superiority, found.tie) == (0, 0.5, 60)
    assert math.isnan(found.cohens_dz_ci.low)
    low, high, *_ = found.probability_of_superiority_ci
    assert 0 < low < 0.5 < high < 1


def test_constant_differences_have_infinite_dz():
    found = effect_sizes([0.3, 0.5, 0.7, 0.4], [0.2, 0.4, 0.6, 0.3])
    assert found.cohens_dz == math.inf
    assert math.isnan(found.cohens_dz_ci.low)
    assert found.rank_biserial == 1.0
    assert found.rank_biserial_ci.low < 0.9
    assert found.rank_biserial_ci.high == 1.0


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_items(n):
    found = effect_sizes([0.5] * n, [0.25] * n)
    assert math.isnan(found.cohens_dz)
    assert math.isnan(found.hodges_lehmann) is (n == 0)
    assert math.isnan(found.hodges_lehmann_ci.low)
    found.to_dict()


def test_one_group_bounds_nothing():
    found = effect_sizes([3, 5, 4, 9], [1, 2, 4, 3], groups=["g"] * 4)
    for name in INTERVALS:
        assert math.isnan(getattr(found, name).low)
    assert found.n_groups == 1


def test_copies_of_items_do_not_narrow_intervals():
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.3, 1, (2, 40))
    once = effect_sizes(a, b)
    ten = effect_sizes(np.repeat(a, 10), np.repeat(b, 10), groups=np.repeat(np.arange(40), 10))
    for name in ("hodges_lehmann_ci", "cohens_dz_ci", "rank_biserial_ci"):
        first, second = getattr(once, name), getattr(ten, name)
        assert second.high - second.low == pytest.approx(first.high - first.low, rel=0.15)


def test_result_can_be_repeated_and_read():
    found = effect_sizes([3, 5, 4, 9, 2], [1, 2, 4, 3, 2], delta=0.5, groups=[1, 1, 2, 2, None])
    assert found.signature.startswith(
        "effects|n:5|missing:0|groups:3|delta:0.5|level:0.95|walsh:i<=j|v:"
    )
    assert "win/tie/loss    3/0/2" in str(found)
    assert found.to_dict()["cohens_dz_ci"][2] == "delta"


def test_wrong_arguments():
    with pytest.raises(ValueError, match="`walsh` must be one of 'i<=j', 'i<j'"):
        effect_sizes([1], [2], walsh="i!=j")
    with pytest.raises(ValueError, match="`confidence_level` must lie strictly between"):
        effect_sizes([1], [2], confidence_level=95)
    with pytest.raises(ValueError, match="`groups` must have a label for each of 2 items"):
        effect_sizes([1, 2], [2, 1], groups=["a"])
    with pytest.raises(ValueError, match="`a` and `b` must hold the same items"):
        effect_sizes([1, 2], [2])


def share_covered(repetitions, draw, truth, field, **options):
    rng = np.random.default_rng(7)
    covered = 0
    for _ in range(repetitions):
        a, b, groups = draw(rng)
        interval = getattr(effect_sizes(a, b, groups=groups, **options), field)
        covered += interval.contains(truth)
    return covered


def normal_pair(n, shift):
    def draw(rng):
        return rng.normal(shift, 1, n), np.zeros(n), None

    return draw


def clustered_pair(n_groups, size, shift):
    groups = np.repeat(np.arange(n_groups), size)

    def draw(rng):
        own = rng.normal(size=n_groups * size)
        return shift + (own + rng.normal(size=n_groups)[groups]) / 2**0.5, 0 * own, groups

    return draw


CALIBRATED = [
    ("cohens_dz_ci", normal_pair(12, 0.5), 0.5, True),
    ("cohens_dz_ci", clustered_pair(30, 4, 0.5), 0.5, False),
    ("hodges_lehmann_ci", normal_pair(12, 0.5), 0.5, False),
    ("hodges_lehmann_ci", normal_pair(230, 0.5), 0.5, True),
    ("hodges_lehmann_ci", clustered_pair(30, 4, 0.5), 0.5, False),
    # P(X + Y > 0) of two differences, less that of its opposite.
    ("rank_biserial_ci", normal_pair(60, 0.3), 2 * special.ndtr(0.3 * 2**0.5) - 1, True),
    ("probability_of_superiority_ci", normal_pair(40, 0.3), special.ndtr(0.3), False),
    ("probability_of_superiority_ci", clustered_pair(30, 4, 0.3), special.ndtr(0.3), False),
]


@pytest.mark.parametrize(("field", "draw", "truth", "exact"), CALIBRATED)
def test_coverage(field, draw, truth, exact, calibrate_repetitions):
    repetitions = calibrate_repetitions // 2
    covered = share_covered(repetitions, draw, truth, field)
    # Intervals that are exact for continuous data, and approximations with slack on either side.
    low, _ = fewest_and_most(repetitions, 0.95 if exact else 0.93)
    _, high = fewest_and_most(repetitions, 0.95 if exact else 0.975)
    assert low <= covered <= high
