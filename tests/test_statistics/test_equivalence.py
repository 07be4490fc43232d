"""Two one-sided tests and the four verdicts."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.weightstats import ttost_paired

from analysis.statistics.paired.equivalence import decide
from tests.test_statistics import chances
from tests.test_statistics.pairs import tost

margins = st.sampled_from([0.02, 0.1, 0.4, 1.5])
graded = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=2, max_size=20).map(
    lambda pairs: np.array(pairs).T / 12
)
binary = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=30).map(
    lambda pairs: np.array(pairs, dtype=float).T
)


@pytest.mark.parametrize("margin", [0.01, 0.05, 0.2])
def test_agreement_with_statsmodels(margin):
    rng = np.random.default_rng(0)
    a = rng.normal(size=40)
    b = a + rng.normal(0.02, 0.1, 40)
    found = tost(a, b, margin, test="t")
    pvalue, lower, upper = ttost_paired(a, b, -margin, margin)
    assert found.pvalue == pytest.approx(pvalue, rel=1e-9)
    assert found.pvalue_lower == pytest.approx(lower[1], rel=1e-9)
    assert found.pvalue_upper == pytest.approx(upper[1], rel=1e-9)


@given(pairs=st.one_of(graded, binary), margin=margins, grouped=st.booleans())
def test_equivalent_means_that_the_interval_lies_within(pairs, margin, grouped):
    a, b = pairs
    found = tost(a, b, margin, groups=np.arange(a.size) // 3 if grouped else None)
    low, high, _, level = found.interval
    assert level == pytest.approx(0.9)
    if math.isnan(low):
        assert math.isnan(found.pvalue)
        assert not found.equivalent
    elif min(abs(low + margin), abs(high - margin)) > 1e-9:
        assert found.equivalent is (-margin < low and high < margin)
        assert found.equivalent is (found.pvalue <= 0.05)


@given(pairs=st.one_of(graded, binary), margin=margins)
def test_swapping_the_systems_swaps_the_tests(pairs, margin):
    a, b = pairs
    one, other = tost(a, b, margin), tost(b, a, margin)
    assert (one.pvalue_lower, one.pvalue_upper) == pytest.approx(
        (other.pvalue_upper, other.pvalue_lower), nan_ok=True, rel=1e-9, abs=1e-12
    )
    wider = tost(a, b, margin * 2)
    if not math.isnan(one.pvalue):
        assert wider.pvalue <= one.pvalue + 1e-12


def test_missing_items_are_left_out_and_counted():
    a, b = [0.5, 0.75, 0.25] * 4, [0.5, 0.5, 0.5] * 4
    found = tost([*a, math.nan], [*b, 0.1], 0.5)
    assert (found.n_items, found.n_missing) == (12, 1)
    assert found.pvalue == tost(a, b, 0.5).pvalue


def test_identical_systems_are_equivalent_with_enough_items():
    few, many = np.linspace(0, 1, 10), np.linspace(0, 1, 500)
    assert not tost(few, few, 0.02).equivalent
    assert tost(many, many, 0.02).equivalent
    right = np.ones(500)
    assert tost(right, right, 0.02).equivalent
    assert not tost(right[:20], right[:20], 0.02).equivalent
    same = np.full(500, 0.5)
    assert math.isnan(tost(same, same, 0.02).pvalue)


def test_no_spread_tail_is_the_inverse_of_its_interval():
    scores = np.linspace(0, 1, 60)
    reach = tost(scores, scores, 1.0).interval.high
    at_the_edge = tost(scores, scores, reach)
    assert at_the_edge.pvalue == pytest.approx(0.05, rel=1e-9)
    apart = tost(scores + 0.1, scores, 0.05)
    assert (apart.pvalue_upper, apart.equivalent) == (1.0, False)


def test_metrics_of_sums_are_resampled():
    rng = np.random.default_rng(1)
    total = rng.integers(5, 30, 80)
    right = rng.binomial(total, 0.8)
    a = np.stack([right, total], axis=1)
    b = np.stack([np.maximum(right - (rng.random(80) < 0.05), 0), total], axis=1)
    found = tost(a, b, 0.02, aggregation="ratio", n_resamples=999, rng=4)
    assert found.equivalent
    assert found.interval.method == "percentile"
    assert found.interval.high < 0.02
    assert "|m:999|seed:4|" in found.signature
    assert not tost(a, b, 0.0005, aggregation="ratio", n_resamples=999).equivalent


def test_identical_systems_by_resampling_are_undecided_without_a_warning():
    counts = np.array([[3, 4], [1, 2], [5, 5]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = tost(counts, counts, 0.1, aggregation="ratio", n_resamples=99)
    assert math.isnan(found.pvalue)
    assert not found.equivalent


def test_too_few_items_are_never_equivalent():
    for scores in ([], [0.5]):
        found = tost(scores, scores, 10.0)
        assert math.isnan(found.pvalue)
        assert not found.equivalent
        found.to_dict()


@pytest.mark.parametrize("kind", ["t", "score"])
def test_level_at_the_margin(kind, calibrate_repetitions):
    rng = np.random.default_rng(2)
    wrong = 0
    for _ in range(calibrate_repetitions):
        if kind == "t":
            found = tost(rng.normal(0.5, 0.4, 12), np.zeros(12), 0.5)
        else:
            outcome = rng.choice(3, 60, p=[0.75, 0.175, 0.075])
            found = tost(outcome <= 1, outcome != 1, 0.1)
        wrong += found.equivalent
    bound = 0.05 if kind == "t" else 0.07  # the score test is an approximation
    assert chances.at_most(wrong, calibrate_repetitions, bound)
    assert chances.at_least(wrong, calibrate_repetitions, 0.03)


def test_verdicts():
    close = tost([0.5, 0.51, 0.5, 0.49] * 30, [0.5, 0.5, 0.51, 0.49] * 30, 0.05)
    assert close.equivalent
    far = replace(close, equivalent=False)
    assert decide(pvalue=0.01, difference=0.2, alpha=0.05) == "better"
    assert decide(pvalue=0.05, difference=-0.2, alpha=0.05) == "worse"
    assert decide(pvalue=0.06, difference=0.2, alpha=0.05) == "undecided"
    assert decide(pvalue=0.06, difference=0.2, alpha=0.05, equivalence=close) == "equivalent"
    assert decide(pvalue=0.06, difference=0.2, alpha=0.05, equivalence=far) == "undecided"
    # Real, and too small to matter: the difference comes first.
    assert decide(pvalue=0.01, difference=0.01, alpha=0.05, equivalence=close) == "better"
    assert decide(pvalue=math.nan, difference=0.2, alpha=0.05) == "undecided"
    assert decide(pvalue=0.0, difference=0.0, alpha=0.05) == "undecided"
    assert decide(pvalue=1.0, difference=0.0, alpha=0.05, equivalence=close) == "equivalent"


def test_one_sided_verdicts_speak_for_their_side_only():
    assert decide(pvalue=0.01, difference=0.2, alpha=0.05, alternative="greater") == "better"
    assert decide(pvalue=0.99, difference=-0.2, alpha=0.05, alternative="greater") == "undecided"
    assert decide(pvalue=0.01, difference=-0.2, alpha=0.05, alternative="less") == "worse"
    assert decide(pvalue=0.01, difference=-0.2, alpha=0.05, alternative="greater") == "undecided"


def test_wrong_arguments():
    with pytest.raises(ValueError, match="`margin` must be finite and above 0, got 0"):
        tost([1, 2], [2, 1], 0)
    with pytest.raises(TypeError, match="`margin` must be a number"):
        tost([1, 2], [2, 1], "small")
    with pytest.raises(ValueError, match="`alpha` must be below"):
        tost([1, 2], [2, 1], 0.1, alpha=0.5)
    with pytest.raises(ValueError, match="`alternative` must be one of"):
        decide(pvalue=0.1, difference=1.0, alpha=0.05, alternative="more")
