"""Intervals for scores and differences: known answers, edges, symmetry and coverage."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.proportion import proportion_confint

from analysis.statistics.intervals.binary import count_pairs, tango_interval
from analysis.statistics.intervals.scores import score_interval
from tests.test_statistics import chances
from tests.test_statistics.pairs import difference_interval

graded = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=2, max_size=20).map(
    lambda pairs: np.array(pairs).T / 4
)
binary = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=30).map(
    lambda pairs: np.array(pairs, dtype=float).T
)


@pytest.mark.parametrize("sample", ["continuous_small", "continuous_large", "discrete_ties"])
def test_t_interval_agrees_with_r(sample, r_inputs, r_reference):
    pair, expected = r_inputs["paired"][sample], r_reference["paired"][sample]["t_two.sided"]
    found = difference_interval(pair["a"], pair["b"], method="t")
    assert found.method == "t"
    assert found[:2] == pytest.approx(expected["ci"], abs=1e-10)


def test_binary_scores_take_tango(r_inputs):
    pair = r_inputs["paired"]["binary_small"]
    a, b = np.array(pair["a"]), np.array(pair["b"])
    found = difference_interval(a, b)
    assert found.method == "tango"
    assert found[:2] == pytest.approx(tango_interval(count_pairs(a, b), 0.95)[:2], rel=1e-12)
    assert difference_interval(a, b, method="newcombe").method == "newcombe"
    assert difference_interval(a, b, method="t").method == "t"


def test_score_of_binary_items_is_wilson(r_inputs):
    a = r_inputs["paired"]["binary_small"]["a"]
    found = score_interval([*a, math.nan], confidence_level=0.9)
    expected = proportion_confint(sum(a), len(a), alpha=0.1, method="wilson")
    assert found[:2] == pytest.approx(expected, abs=1e-12)


def test_score_of_graded_items_is_t(r_inputs):
    a = r_inputs["paired"]["continuous_small"]["a"]
    expected = stats.ttest_1samp(a, 0).confidence_interval()
    assert score_interval(a)[:2] == pytest.approx(tuple(expected), abs=1e-12)


def test_groups_are_cluster_robust():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(12), rng.integers(1, 9, 12))
    a = rng.normal(size=groups.size) + rng.normal(size=12)[groups]
    fit = OLS(a, np.ones_like(a)).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "df_correction": True}, use_t=True
    )
    # statsmodels' small-sample factor is G/(G-1) · (n-1)/(n-k), here with k = 1.
    expected = fit.conf_int()[0]
    found = difference_interval(a, np.zeros_like(a), groups=[f"doc{g}" for g in groups], method="t")
    assert found[:2] == pytest.approx(tuple(expected), rel=1e-10)
    assert score_interval(a, groups=groups)[:2] == pytest.approx(tuple(expected), rel=1e-10)


@given(pairs=st.one_of(graded, binary))
def test_swapping_the_systems_mirrors(pairs):
    a, b = pairs
    low, high, method, _ = difference_interval(a, b)
    mirrored = difference_interval(b, a)
    assert mirrored.method == method
    assert mirrored[:2] == pytest.approx((-high, -low), nan_ok=True, rel=1e-12, abs=1e-12)


@given(pairs=graded, seed=st.integers(0, 9))
def test_neither_order_nor_missing_items_matter(pairs, seed):
    a, b = pairs
    groups = np.arange(a.size) % 5
    order = np.random.default_rng(seed).permutation(a.size + 1)
    first, second = np.append(a, math.nan)[order], np.append(b, 0.5)[order]
    shuffled = np.append(groups, 99)[order]
    for options in ({}, {"groups": True}):
        one = {name: groups for name in options} | {"method": "t"}
        other = {name: shuffled for name in options} | {"method": "t"}
        assert difference_interval(first, second, **other)[:2] == pytest.approx(
            difference_interval(a, b, **one)[:2], nan_ok=True
        )
    assert score_interval(first, groups=shuffled)[:2] == pytest.approx(
        score_interval(a, groups=groups)[:2], nan_ok=True
    )


@given(pairs=graded, factor=st.sampled_from([2.0, 0.25]))
def test_intervals_have_the_unit_of_the_scores(pairs, factor):
    a, b = pairs
    low, high, method, _ = difference_interval(a, b)
    if method == "tango":
        return
    scaled = difference_interval(a * factor, b * factor)
    assert scaled[:2] == pytest.approx((low * factor, high * factor), nan_ok=True, rel=1e-12)


def test_identical_systems_are_not_certain():
    scores = np.linspace(0, 1, 50)
    low, high, method, _ = difference_interval(scores, scores)
    # 1 - 0.025^(1/50) of all items may differ, by the whole range of 1.
    assert method == "no-spread"
    assert (low, high) == pytest.approx((-0.0711217, 0.0711217), abs=1e-7)
    wide = difference_interval(scores[:5], scores[:5], groups=["a", "b", "b", "c", "c"])
    assert wide.high > 0.5 * (scores[4] - scores[0])
    assert math.isnan(difference_interval(scores[:4], scores[:4], groups=["a", "a", "b", "b"]).low)


def test_a_common_difference_is_not_certain_either():
    low, high, method, _ = difference_interval([0.3, 0.5, 0.9], [0.2, 0.4, 0.8])
    assert method == "no-spread"
    assert -0.7 < low < 0.1 < high < 0.7


def test_the_same_constant_for_both_says_nothing():
    assert math.isnan(difference_interval([0.7] * 9, [0.7] * 9).low)
    assert math.isnan(score_interval([0.7] * 9).low)
    low, high, *_ = score_interval([1, 1, 1])
    assert 0.4 < low < high == 1.0


def test_too_few_items():
    assert math.isnan(difference_interval([0.5], [0.25]).low)
    assert math.isnan(difference_interval([], []).low)
    assert math.isnan(difference_interval([], [], method="tango").low)
    assert math.isnan(score_interval([math.nan, 0.5]).low)
    assert math.isnan(score_interval([]).low)
    assert math.isnan(difference_interval([0.5, 0.1], [0.25, 0.2], groups=["a", "a"]).low)
    assert math.isnan(score_interval([1, 0], groups=["a", "a"]).low)
    assert score_interval([1])[:2] == pytest.approx((0.2065493, 1.0))


def test_wilson_with_groups_uses_fewer_items():
    answers = np.repeat([1.0, 0, 1, 1, 0, 1, 1, 1, 0, 1], 10)
    groups = np.repeat(np.arange(10), 10)
    independent, clustered = score_interval(answers), score_interval(answers, groups=groups)
    ten_items = score_interval(answers[::10])
    assert clustered.high - clustered.low > 2 * (independent.high - independent.low)
    assert clustered[:2] == pytest.approx(ten_items[:2], abs=0.06)
    low, high, *_ = score_interval(np.ones(100), groups=groups)
    assert low < score_interval(np.ones(10)).low + 0.05
    assert high == 1.0


@pytest.mark.parametrize("aggregation", ["ratio", "median"])
def test_other_metrics_are_resampled(aggregation):
    rng = np.random.default_rng(1)
    if aggregation == "ratio":
        a = np.stack([rng.integers(0, 6, 60), np.full(60, 6)], axis=1).astype(float)
        b = np.stack([rng.integers(0, 4, 60), np.full(60, 6)], axis=1).astype(float)
        truth = 2.5 / 6 - 1.5 / 6
    else:
        a, b, truth = rng.normal(1, 1, 60), rng.normal(0, 1, 60), 1.0
    found = difference_interval(a, b, aggregation=aggregation, n_resamples=999)
    assert found.method == "percentile"
    assert found.contains(truth)
    one = score_interval(a, aggregation=aggregation, n_resamples=999, groups=np.arange(60) // 2)
    assert 0 < one.high - one.low < 1
    again = score_interval(a, aggregation=aggregation, n_resamples=999, groups=np.arange(60) // 2)
    assert again == one


@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "studentized"])
def test_means_can_be_resampled_too(method):
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 200))
    by_t = difference_interval(a, b)
    found = difference_interval(a, b, method=method, n_resamples=1_999)
    assert found.method == method
    assert found[:2] == pytest.approx(by_t[:2], abs=0.05)


def test_wrong_arguments():
    with pytest.raises(ValueError, match="`interval` must be one of 'auto', 't', 'newcombe'"):
        difference_interval([1], [1], method="wald")
    with pytest.raises(ValueError, match="must hold only 0, 1 and NaN for `interval` 'tango'"):
        difference_interval([0.5], [1], method="tango")
    with pytest.raises(ValueError, match="`interval` 'newcombe' takes items as independent"):
        difference_interval([1, 0], [1, 1], method="newcombe", groups=["a", "a"])
    with pytest.raises(ValueError, match="`interval` 't' is for means over items"):
        difference_interval([[1, 2]], [[1, 2]], method="t", aggregation="ratio")
    with pytest.raises(ValueError, match="`method` 'wilson' needs scores of 0 and 1"):
        score_interval([0.5, 1], method="wilson")
    with pytest.raises(ValueError, match="`values` must have shape"):
        score_interval([[1, 2]])
    with pytest.raises(ValueError, match="`values` must be finite"):
        score_interval([1, math.inf])
    with pytest.raises(ValueError, match="`confidence_level` must lie strictly"):
        score_interval([1, 0], confidence_level=1.0)


def covered_share(repetitions, draw, interval, truth):
    rng = np.random.default_rng(3)
    return sum(interval(*draw(rng)).contains(truth) for _ in range(repetitions))


def binary_pair(n):
    def draw(rng):
        # Shares .75 and .65; one in five items tells the systems apart.
        outcome = rng.choice(4, n, p=[0.6, 0.15, 0.05, 0.2])
        return (outcome <= 1).astype(float), ((outcome == 0) | (outcome == 2)).astype(float)

    return draw


def clustered(rng):
    groups = np.repeat(np.arange(12), 5)
    return 0.3 + rng.normal(size=60) + rng.normal(size=12)[groups], np.zeros(60), groups


COVERAGE = {
    "t": (lambda rng: rng.normal(0.3, 1, (2, 8)), difference_interval, 0.0, True),
    "cluster-robust t": (
        clustered,
        lambda a, b, g: difference_interval(a, b, groups=g),
        0.3,
        True,
    ),
    "tango": (binary_pair(40), difference_interval, 0.1, False),
    "newcombe": (
        binary_pair(40),
        lambda a, b: difference_interval(a, b, method="newcombe"),
        0.1,
        False,
    ),
    "wilson": (lambda rng: [(rng.random(25) < 0.9).astype(float)], score_interval, 0.9, False),
    "score by t": (lambda rng: [rng.normal(0.3, 1, 8)], score_interval, 0.3, True),
}


@pytest.mark.parametrize("name", COVERAGE)
def test_coverage(name, calibrate_repetitions):
    draw, interval, truth, exact = COVERAGE[name]
    covered = covered_share(calibrate_repetitions, draw, interval, truth)
    # With discrete data coverage goes up and down around the level.
    assert chances.at_least(covered, calibrate_repetitions, 0.95 if exact else 0.935)
    assert chances.at_most(covered, calibrate_repetitions, 0.95 if exact else 0.98)


@given(n=st.integers(30, 400))
def test_no_spread_interval_covers_a_rare_exception(n):
    # One item in 10 n behaves otherwise: seen in a tenth of samples, missed by the interval never.
    scores = np.zeros(n)
    scores[0] = 1.0
    low, high, *_ = difference_interval(scores * 0.5, scores * 0.5)
    assert low < -0.5 / (10 * n) * 2 < high


def test_interval_of_a_bounded_mean_stays_within_the_bounds():
    rng = np.random.default_rng(3)
    runs = rng.binomial(3, np.where(rng.random(150) < 0.05, 0.4, 1.0)) / 3  # accuracy of 3 runs
    free, bounded = score_interval(runs), score_interval(runs, bounds=(0, 1))
    assert free.method == "t"
    assert free.high > 1
    assert bounded.method == "wilson"
    assert 0 < bounded.low < np.mean(runs) < bounded.high < 1
    percent = score_interval(100 * runs, bounds=(0, 100))
    assert percent[:2] == pytest.approx([100 * end for end in bounded[:2]])
    lower = score_interval(1 - runs, bounds=(0, 1))
    assert lower[:2] == pytest.approx([1 - bounded.high, 1 - bounded.low])


def test_interval_of_a_bounded_mean_is_wilson_for_right_and_wrong_and_t_in_the_middle():
    assert score_interval([1, 1, 0], bounds=(0, 1)) == score_interval([1, 1, 0])
    assert score_interval([100, 100, 0], bounds=(0, 100))[:2] == pytest.approx(
        [100 * end for end in score_interval([1, 1, 0])[:2]]
    )
    values = np.random.default_rng(3).beta(2, 2, 4_000)
    assert score_interval(values, bounds=(0, 1))[:2] == pytest.approx(
        score_interval(values)[:2], abs=1e-4
    )
    assert score_interval([0.2, 0.5, 1.4], bounds=(0, 1)).method == "t"  # the bounds are wrong
    assert math.isnan(score_interval([0.7] * 9, bounds=(0, 1)).low)


def test_interval_of_a_bounded_mean_is_by_group():
    values = np.repeat(np.random.default_rng(3).beta(20, 1, 12), 5)
    groups = np.repeat(np.arange(12), 5)
    whole = score_interval(values[::5], bounds=(0, 1))
    assert score_interval(values, bounds=(0, 1), groups=groups)[:2] == pytest.approx(whole[:2])


def three_runs(rng, shape):
    return rng.binomial(3, np.where(rng.random(shape) < 0.05, 0.4, 1.0)) / 3


def mostly_right(rng, shape):
    return np.where(rng.random(shape) < 0.9, 1, rng.random(shape))


def high(rng, shape):
    return rng.beta(20, 1, shape)


@pytest.mark.parametrize(
    ("draw", "mean"), [(three_runs, 0.97), (mostly_right, 0.95), (high, 20 / 21)]
)
def test_interval_of_a_bounded_mean_keeps_its_level_better_than_that_of_t(draw, mean):
    drawn = draw(np.random.default_rng(4), (1_500, 60))
    drawn = drawn[np.ptp(drawn, axis=1) > 0]

    def missed(**options):
        found = [score_interval(values, **options) for values in drawn]
        below = np.mean([one.high < mean for one in found])
        return max(below, np.mean([one.low > mean for one in found]))

    assert missed(bounds=(0, 1)) < missed()  # on the worse side
    assert missed(bounds=(0, 1)) < 0.055
