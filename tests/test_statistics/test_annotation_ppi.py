"""Prediction-powered inference: its formulas, its coverage, its limits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.annotation.ppi import prediction_powered_mean

NAN = math.nan


def mixed(rng, n_human, n_all, noise=0.5, bias=0.3):
    """Return human scores of the first items, and a judge's of all."""
    truth = rng.normal(size=n_all)
    human = np.where(np.arange(n_all) < n_human, truth, NAN)
    return human, truth + bias + noise * rng.normal(size=n_all)


def test_the_formulas_of_the_paper():
    human, judge = mixed(np.random.default_rng(1), 60, 400)
    y, f, rest = human[:60], judge[:60], judge[60:]
    found = prediction_powered_mean(human, judge)
    share = np.cov(y, f)[0, 1] / np.var(f, ddof=1)
    weight = share / (1 + 60 / 340)
    assert found.weight == pytest.approx(weight)
    estimate = weight * rest.mean() + (y - weight * f).mean()
    assert found.estimate == pytest.approx(estimate)
    # The weight is a slope fitted to the same items: it takes a degree of freedom.
    error = math.sqrt(weight**2 * rest.var(ddof=1) / 340 + (y - weight * f).var() / 58)
    assert found.standard_error == pytest.approx(error)
    reach = stats.t.ppf(0.975, 58) * error
    assert found.interval[:2] == pytest.approx((estimate - reach, estimate + reach))
    plain = stats.ttest_1samp(y, 0).confidence_interval()
    assert found.classical_interval[:2] == pytest.approx((plain.low, plain.high))
    assert found.classical_pvalue == pytest.approx(stats.ttest_1samp(y, 0).pvalue)
    assert found.bias == pytest.approx((f - y).mean())
    assert found.effective_n == pytest.approx(60 * y.var(ddof=1) / 60 / error**2)


def test_full_trust_is_the_plain_estimator():
    human, judge = mixed(np.random.default_rng(2), 30, 200)
    found = prediction_powered_mean(human, judge, weight=1.0)
    assert found.estimate == pytest.approx(judge[30:].mean() - (judge[:30] - human[:30]).mean())
    assert prediction_powered_mean(human, judge, weight=0.0).estimate == found.classical


def test_a_good_judge_narrows_the_interval_and_a_bad_one_does_no_harm():
    rng = np.random.default_rng(3)
    human, judge = mixed(rng, 50, 2_000, noise=0.2)
    good = prediction_powered_mean(human, judge)
    assert good.effective_n > 300
    assert good.standard_error < 0.5 * good.classical_error
    bad = prediction_powered_mean(human, rng.normal(size=2_000))
    assert bad.standard_error <= bad.classical_error
    assert bad.weight < 0.3
    contrary = prediction_powered_mean(human, -judge)
    assert contrary.weight == 0
    assert contrary.estimate == contrary.classical


@given(st.integers(0, 50), st.floats(0.1, 9), st.floats(-5, 5))
def test_the_scale_of_the_judge_does_not_matter(seed, factor, shift):
    human, judge = mixed(np.random.default_rng(seed), 20, 60, noise=1.0)
    one = prediction_powered_mean(human, judge)
    other = prediction_powered_mean(human, factor * judge + shift)
    assert other.estimate == pytest.approx(one.estimate, abs=1e-9)
    assert other.standard_error == pytest.approx(one.standard_error, abs=1e-9)


def test_a_judge_on_a_small_scale_is_worth_as_much():
    rng = np.random.default_rng(7)
    ratings = 50 + 20 * rng.normal(size=1_050)
    judge = ratings + 5 * rng.normal(size=1_050)
    human = np.where(np.arange(1_050) < 50, ratings, NAN)
    one = prediction_powered_mean(human, judge)
    other = prediction_powered_mean(human, judge / 100)
    assert other.weight == pytest.approx(100 * one.weight)
    assert other.weight > 1
    assert other.effective_n == pytest.approx(one.effective_n)
    assert other.effective_n > 200
    tiny = prediction_powered_mean(human, judge / 1e12)
    assert tiny.effective_n == pytest.approx(one.effective_n)


def test_without_further_items_it_is_the_classical_estimate():
    human = np.array([1.0, 2, 4, 3])
    found = prediction_powered_mean(human, [1, 1, 1, 2])
    assert found.weight == 0
    assert found.estimate == found.classical == 2.5
    assert found.interval == found.classical_interval
    assert found.n_judged_only == 0


def test_constant_judges_few_and_no_items():
    human = [1.0, 2, NAN, NAN]
    assert prediction_powered_mean(human, [3, 3, 3, 3]).weight == 0
    one = prediction_powered_mean([1, NAN, NAN], [1, 0, 1])
    assert one.estimate == 1
    assert math.isnan(one.interval.low)
    none = prediction_powered_mean([NAN, NAN], [1, 0])
    assert math.isnan(none.estimate)
    assert none.judge == 0.5
    left_out = prediction_powered_mean([1, 2, 3], [1, 2, NAN])
    assert (left_out.n_human, left_out.n_human_only) == (2, 1)


def test_whole_groups_widen_the_interval():
    human, judge = (np.repeat(part, 6) for part in mixed(np.random.default_rng(4), 30, 90))
    apart = prediction_powered_mean(human, judge)
    together = prediction_powered_mean(human, judge, groups=np.repeat(np.arange(90), 6))
    assert together.estimate == apart.estimate
    assert together.standard_error > 2 * apart.standard_error


def in_documents(rng, n_documents, whole):
    """Return human scores of some items, a judge's of all, and each item's document of ten."""
    document = np.repeat(np.arange(n_documents), 10)
    truth = rng.normal(size=n_documents)[document] + 0.3 * rng.normal(size=document.size)
    seen = document < n_documents // 3 if whole else np.tile(np.arange(10) < 3, n_documents)
    judge = truth + 0.3 + 0.5 * rng.normal(size=document.size)
    return np.where(seen, truth, NAN), judge, document


def test_the_error_of_whole_groups_by_hand():
    human, judge, document = in_documents(np.random.default_rng(5), 6, whole=False)
    found = prediction_powered_mean(human, judge, groups=document, weight=0.7)
    both = ~np.isnan(human)
    gaps, own = human[both] - 0.7 * judge[both], 0.7 * judge[~both]
    sums = [
        (gaps - gaps.mean())[document[both] == g].sum() / gaps.size
        + (own - own.mean())[document[~both] == g].sum() / own.size
        for g in range(6)
    ]
    assert found.standard_error == pytest.approx(math.sqrt(6 / 5 * np.square(sums).sum()))
    assert found.estimate == pytest.approx(gaps.mean() + own.mean())


def test_groups_of_one_are_items():
    human, judge = mixed(np.random.default_rng(8), 20, 90)
    apart = prediction_powered_mean(human, judge)
    alone = prediction_powered_mean(human, judge, groups=np.arange(90))
    assert alone.standard_error == pytest.approx(apart.standard_error)
    assert alone.interval[:2] == pytest.approx(apart.interval[:2])


@pytest.mark.parametrize("whole", [False, True])
def test_the_interval_covers_with_documents_judged_in_part(whole):
    rng = np.random.default_rng(9)
    hits = 0
    for _ in range(500):
        human, judge, document = in_documents(rng, 30, whole)
        hits += prediction_powered_mean(human, judge, groups=document).interval.contains(0.0)
    assert 0.925 <= hits / 500 <= 0.98  # parts of one group taken as independent: .90 here


def shares(rng, share, right, n_human, n_all):
    """Return who wins by people for the first items, and by a judge for all."""
    truth = (rng.random(n_all) < share).astype(float)
    judge = np.where(rng.random(n_all) < right, truth, 1 - truth)
    return np.where(np.arange(n_all) < n_human, truth, NAN), judge


@pytest.mark.parametrize("right", [0.7, 0.9, 0.97])
@pytest.mark.parametrize(("share", "n_human"), [(0.9, 10), (0.9, 30), (0.95, 20), (0.5, 10)])
def test_the_interval_of_a_share_covers_near_one(share, n_human, right):
    """Without `bounds`, .25 to .90 where the share is not a half."""
    rng = np.random.default_rng(21)
    repetitions, hits, alone = 400, 0, 0
    for _ in range(repetitions):
        found = prediction_powered_mean(*shares(rng, share, right, n_human, 300), bounds=(0, 1))
        hits += found.interval.contains(share)
        alone += found.classical_interval.contains(share)
        assert 0 <= found.interval.low < found.interval.high <= 1
    bound = 0.95 - 3 * math.sqrt(0.05 * 0.95 / repetitions)
    assert hits / repetitions >= bound
    assert alone / repetitions >= bound


@pytest.mark.parametrize(("n_human", "right"), [(10, 0.7), (30, 0.7), (30, 0.95)])
def test_the_test_of_choices_keeps_its_level(n_human, right):
    rng = np.random.default_rng(22)
    repetitions, false = 400, 0
    for _ in range(repetitions):
        human, judge = shares(rng, 0.5, right, n_human, 300)
        found = prediction_powered_mean(2 * human - 1, 2 * judge - 1, bounds=(-1, 1))
        false += found.pvalue <= 0.05
    assert false / repetitions <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / repetitions)


@pytest.mark.parametrize("n_against", [0, 30])
def test_more_evidence_is_never_no_verdict(n_against):
    human = np.concatenate([np.ones(20), np.full(200, NAN)])
    judge = np.ones(220)
    judge[25 : 25 + n_against] = -1
    all_for = prediction_powered_mean(human, judge, bounds=(-1, 1))
    human[0] = -1
    one_against = prediction_powered_mean(human, judge, bounds=(-1, 1))
    assert all_for.estimate == 1.0
    assert all_for.pvalue == pytest.approx(2.0**-19, rel=1)
    assert all_for.pvalue <= one_against.pvalue < 0.001
    assert 0.5 < all_for.interval.low < all_for.interval.high == 1.0
    assert all_for.classical_interval.low < 1.0
    assert all_for.bias_interval.low < 0 < all_for.bias_interval.high
    few = prediction_powered_mean([1, 1, 1, 1, 1], [1] * 5, bounds=(-1, 1))
    assert few.pvalue > 0.05
    ties = prediction_powered_mean(np.zeros(20), np.zeros(20), bounds=(-1, 1))
    assert ties.pvalue == 1.0
    assert ties.interval.low < 0 < ties.interval.high


def test_scores_without_bounds_that_do_not_differ_have_no_interval():
    found = prediction_powered_mean([2.0] * 8 + [NAN], [1.0, 2] * 4 + [1])
    assert math.isnan(found.interval.low)
    assert math.isnan(found.classical_interval.high)
    assert found.pvalue == found.classical_pvalue == 2.0**-7
    assert prediction_powered_mean([0.0, 0.0], [1.0, 2]).pvalue == 1.0


def test_four_made_up_items_by_hand():
    human = np.array([1, 1, 0, 1, 1, 1, NAN, NAN, NAN])
    judge = np.array([1, 1, 0, 0, 1, 1, 1, 0, 1.0])
    found = prediction_powered_mean(human, judge, weight=0.6, bounds=(0, 1))
    counted = np.array([1, 1, 1, 1, 1, 1, 1.5, 1.5, 0.5, 0.5])
    gaps = np.concatenate([(human - 0.6 * judge)[:6], [0.4, 0, 1, -0.6]])
    mean = np.average(gaps, weights=counted)
    spread = np.average((gaps - mean) ** 2, weights=counted) / 9
    error = math.sqrt(spread + 0.36 * judge[6:].var(ddof=1) / 3)
    middle = mean + 0.6 * 2 / 3
    low = middle - stats.t.ppf(0.975, 5) * error
    assert found.standard_error == pytest.approx(error)
    assert found.interval.low == pytest.approx(low)
    assert found.estimate == pytest.approx((human - 0.6 * judge)[:6].mean() + 0.6 * 2 / 3)
    alone = np.concatenate([human[:6], [1, 0, 1, 0]])
    reach = stats.t.ppf(0.975, 5) * alone.std(ddof=1) / math.sqrt(10)
    assert found.classical_interval.low == pytest.approx(alone.mean() - reach)
    whole = prediction_powered_mean(human, judge, weight=0.6, bounds=(0, 1), groups=np.arange(9))
    assert whole.interval[:2] == pytest.approx(found.interval[:2])
    one = prediction_powered_mean([1, NAN], [1, 0], bounds=(0, 1))
    assert math.isnan(one.interval.low)
    assert math.isnan(one.pvalue)
    none = prediction_powered_mean([NAN, NAN], [1, 0], bounds=(0, 1))
    assert math.isnan(none.standard_error)


def preferences(rng, share, ties, right, n_human, n_all, repetitions):
    """Yield preferences of people for the first items, and of a judge for all."""
    for _ in range(repetitions):
        tied = rng.random(n_all) < ties
        human = np.where(tied, 0.0, np.where(rng.random(n_all) < share, 1.0, -1.0))
        other = np.where(tied, rng.choice([-1.0, 1.0], n_all), -human)
        judge = np.where(rng.random(n_all) < right, human, other)
        yield np.where(np.arange(n_all) < n_human, human, NAN), judge


@pytest.mark.parametrize(
    ("n_human", "share", "ties", "right"),
    [(10, 0.7, 0.0, 0.97), (10, 0.7, 0.3, 0.97), (10, 0.8, 0.3, 0.9), (20, 0.7, 0.3, 0.9)],
)
def test_few_choices_and_a_judge_find_more_than_the_choices_alone(n_human, share, ties, right):
    rng = np.random.default_rng(31)
    truth, both, alone, missed = (1 - ties) * (2 * share - 1), 0, 0, 0
    for human, judge in preferences(rng, share, ties, right, n_human, 200, 400):
        found = prediction_powered_mean(human, judge, bounds=(-1, 1))
        both += found.pvalue <= 0.05
        alone += found.classical_pvalue <= 0.05
        missed += not found.interval.contains(truth)
        assert found.standard_error <= found.classical_error * 1.000001
    assert both > alone + 10
    assert missed <= stats.binom.ppf(0.999, 400, 0.05)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_few_ratings_with_a_fitted_weight_cover(rho):
    rng = np.random.default_rng(32)
    missed = 0
    for _ in range(600):
        human, noise = rng.standard_normal((2, 206))
        judge = rho * human + math.sqrt(1 - rho**2) * noise
        human[6:] = NAN
        missed += not prediction_powered_mean(human, judge).interval.contains(0)
    assert missed <= stats.binom.ppf(0.999, 600, 0.06)


@pytest.mark.parametrize(
    ("human", "judge", "settings", "words"),
    [
        ([1, 2], [1], {}, "`human` and `judge` must have one value per item"),
        ([[1]], [1], {}, "`human` must be 1-D"),
        ([math.inf], [1], {}, "`human` must be finite"),
        ([1], [1], {"weight": -1}, "`weight` must be a number from 0 on"),
        ([1], [2], {"bounds": (0, 1)}, "`judge` must lie between 0 and 1, got 2"),
        ([1], [1], {"bounds": (1, 1)}, "`bounds` must be two finite numbers"),
    ],
)
def test_wrong_scores_are_refused(human, judge, settings, words):
    with pytest.raises(ValueError, match=words):
        prediction_powered_mean(human, judge, **settings)


@pytest.mark.parametrize("n_human", [15, 60])
def test_the_interval_covers_the_truth(n_human, calibrate_repetitions):
    rng = np.random.default_rng(6)
    repetitions = calibrate_repetitions
    hits = 0
    for _ in range(repetitions):
        human, judge = mixed(rng, n_human, 500, noise=0.6)
        hits += prediction_powered_mean(human, judge).interval.contains(0.0)
    assert 0.92 <= hits / repetitions <= 0.98
