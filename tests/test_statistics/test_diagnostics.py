"""Description of a pair and the rule that recommends tests."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.description.diagnostics import _skewness_rule, summarise_pair
from analysis.statistics.paired.tests import TESTS

scores = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=0, max_size=30).map(
    lambda pairs: np.array(pairs, dtype=float).reshape(-1, 2).T / 10
)


def advised(found):
    return {advice.test: advice.verdict for advice in found.recommended_tests}


@pytest.mark.parametrize(
    "sample", ["continuous_small", "continuous_large", "discrete_ties", "skewed"]
)
def test_agreement_with_r(sample, r_inputs, r_reference):
    pair, expected = r_inputs["paired"][sample], r_reference["paired"][sample]
    found = summarise_pair(pair["a"], pair["b"])
    assert found.skewness == pytest.approx(expected["skew_g1"], abs=1e-10)
    assert found.normality_pvalue == pytest.approx(expected["shapiro"], rel=1e-6, abs=1e-10)


def test_summaries_and_histograms():
    found = summarise_pair([0.1, 0.4, 0.4, math.nan, 0.9], [0.2, 0.2, 0.4, 0.5, 0.5])
    assert found.a._asdict() == pytest.approx(
        {
            "n_items": 4,
            "mean": 0.45,
            "median": 0.4,
            "std": np.std([0.1, 0.4, 0.4, 0.9], ddof=1),
            "minimum": 0.1,
            "maximum": 0.9,
        }
    )
    assert (found.n_items, found.n_missing, found.zeros) == (4, 1, 1)
    for histogram in (found.histogram_a, found.histogram_b, found.histogram_difference):
        assert histogram.counts.sum() == 4
        assert histogram.edges.size == histogram.counts.size + 1
        assert np.all(np.diff(histogram.edges) > 0)
    assert summarise_pair([0.3, 0.4], [0.2, 0.2], delta=0.1).zeros == 1


@pytest.mark.parametrize(
    ("skewness", "rule"),
    [
        (0.0, "symmetric"),
        (math.nextafter(0.5, 0), "symmetric"),
        (0.5, "moderate"),
        (-0.5, "moderate"),
        (math.nextafter(1.0, 0), "moderate"),
        (1.0, "strong"),
        (-7.0, "strong"),
        (math.nan, "undefined"),
    ],
)
def test_bounds_of_skewness(skewness, rule):
    assert _skewness_rule(skewness) == rule


def test_normal_differences_take_t():
    quantiles = stats.norm.ppf((np.arange(40) + 0.5) / 40)
    found = summarise_pair(quantiles, np.zeros(40))
    assert (found.skewness_rule, found.normal) == ("symmetric", True)
    assert found.recommended_statistic == "mean"
    assert found.recommended_tests[0].test == "t"
    assert advised(found)["signflip"] == "possible"


def test_symmetric_differences_with_long_tails_take_wilcoxon():
    quantiles = stats.t.ppf((np.arange(60) + 0.5) / 60, 1.5)
    found = summarise_pair(quantiles, np.zeros(60))
    assert (found.skewness_rule, found.normal) == ("symmetric", False)
    assert found.recommended_tests[0].test == "wilcoxon"
    assert advised(found)["t"] == "inappropriate"
    # The level of the test of normality decides.
    lenient = summarise_pair(quantiles, np.zeros(60), alpha_normality=1e-12)
    assert lenient.recommended_tests[0].test == "t"


def test_skewed_differences_take_the_sign_test():
    found = summarise_pair(np.exp(np.linspace(-2, 2, 50)), np.zeros(50))
    assert found.recommended_statistic == "median"
    assert found.recommended_tests[0].test == "sign"
    assert advised(found)["bootstrap-median"] == "possible"
    assert advised(found)["signflip"] == "inappropriate"


def test_binary_scores_take_mcnemar():
    found = summarise_pair([1, 0, 1, 1], [0, 0, 1, 0])
    assert found.binary
    assert found.recommended_tests[0].test == "mcnemar"
    assert advised(summarise_pair([0.5, 0.25], [0.1, 0.2]))["mcnemar"] == "inappropriate"


def test_without_spread_exchanging_systems_remains():
    found = summarise_pair([0.3, 0.5, 0.9], [0.2, 0.4, 0.8])
    assert (found.skewness_rule, found.normal) == ("undefined", None)
    assert math.isnan(found.skewness)
    assert found.recommended_tests[0].test == "signflip"
    assert "All differences are equal" in found.normality_note


@pytest.mark.parametrize("n", [0, 1, 2])
def test_too_few_items_for_normality(n):
    found = summarise_pair([0.1, 0.5][:n], [0.4, 0.1][:n])
    assert found.normal is None
    assert "Fewer than 3 items" in found.normality_note
    found.to_dict()
    if n == 2:
        assert found.recommended_tests[0].test == "wilcoxon"
        assert "cannot be tested" in found.recommended_tests[0].reason


def test_large_samples_say_what_shapiro_wilk_is_worth():
    values = np.random.default_rng(0).normal(size=5_001)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = summarise_pair(values, np.zeros(5_001))
    assert "calibrated up to 5,000 items" in found.normality_note
    assert found.histogram_a.counts.size <= 49


@given(pairs=scores)
def test_swapping_the_systems_only_changes_signs(pairs):
    a, b = pairs
    one, other = summarise_pair(a, b), summarise_pair(b, a)
    assert one.skewness == pytest.approx(-other.skewness, nan_ok=True, abs=1e-9)
    assert one.normality_pvalue == pytest.approx(other.normality_pvalue, nan_ok=True, rel=1e-6)
    assert one.a == pytest.approx(other.b, nan_ok=True)
    assert one.b == pytest.approx(other.a, nan_ok=True)


@given(pairs=scores, seed=st.integers(0, 5))
def test_neither_order_nor_missing_items_matter(pairs, seed):
    a, b = pairs
    order = np.random.default_rng(seed).permutation(a.size + 1)
    one = summarise_pair(a, b)
    other = summarise_pair(np.append(a, math.nan)[order], np.append(b, 1.0)[order])
    assert other.n_missing == 1
    assert one.skewness == pytest.approx(other.skewness, nan_ok=True, rel=1e-12)
    assert one.normality_pvalue == pytest.approx(other.normality_pvalue, nan_ok=True)
    assert one.recommended_tests == other.recommended_tests


@given(pairs=scores)
def test_every_test_has_one_verdict_and_a_reason(pairs):
    found = summarise_pair(*pairs)
    names = [advice.test for advice in found.recommended_tests]
    assert len(set(names)) == len(names) >= 8
    assert set(names) <= set(TESTS)
    assert [advice.verdict for advice in found.recommended_tests].count("recommended") == 1
    assert found.recommended_tests[0].verdict == "recommended"
    assert all(advice.reason.endswith(".") for advice in found.recommended_tests)


def test_values_too_close_for_bins():
    found = summarise_pair([0.5, np.nextafter(0.5, 1)] * 10, [0.0] * 20)
    assert found.histogram_a.counts.sum() == 20


def test_wrong_arguments():
    with pytest.raises(ValueError, match="`alpha_normality` must lie strictly between"):
        summarise_pair([1], [1], alpha_normality=0)
    with pytest.raises(ValueError, match="`delta` must be finite"):
        summarise_pair([1], [1], delta=math.inf)
    with pytest.raises(TypeError, match="`a` must hold numbers"):
        summarise_pair(["x"], [1])
