import functools
import math
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from analysis.statistics.paired.mcnemar import mcnemar as mcnemar_exact
from analysis.statistics.paired.tests import paired_test
from analysis.statistics.results import DegenerateDataWarning
from analysis.statistics.signature import METHOD_VERSION
from tests.test_statistics.pairs import signflip

paired_t = functools.partial(paired_test, test="t")


ALTERNATIVES = ("two-sided", "greater", "less")
SAMPLES = (
    "continuous_small",
    "continuous_large",
    "discrete_ties",
    "binary",
    "binary_small",
    "skewed",
)
RESAMPLING = ("signflip", "signflip-median", "bootstrap", "bootstrap-median")
MIRRORED = {"two-sided": "two-sided", "greater": "less", "less": "greater"}

alternatives = st.sampled_from(ALTERNATIVES)
graded = st.one_of(
    st.floats(-100, 100), st.integers(0, 5).map(float), st.sampled_from([0.1, 0.2, 0.3, math.nan])
)
binary = st.sampled_from([0.0, 1.0, math.nan])


def pairs(values, max_size=12):
    return st.lists(st.tuples(values, values), max_size=max_size)


def columns(items):
    return np.array(items, dtype=float).reshape(-1, 2).T


OF_GRADES = ("t", "wilcoxon", "sign", *RESAMPLING)
OF_BINARY = (*OF_GRADES, "mcnemar", "mcnemar-midp", "mcnemar-chi2", "mcnemar-chi2-cc")


def run(test, a, b, alternative="two-sided", **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        return paired_test(a, b, test=test, alternative=alternative, n_resamples=99, **options)


def r_name(alternative):
    return alternative.replace("-", ".")


@pytest.mark.shared
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("sample", SAMPLES)
def test_paired_t_equals_r(sample, alternative, r_inputs, r_reference):
    expected = r_reference["paired"][sample][f"t_{r_name(alternative)}"]
    result = paired_t(**r_inputs["paired"][sample], alternative=alternative)
    assert result.statistic == pytest.approx(expected["stat"], rel=1e-10)
    assert result.pvalue == pytest.approx(expected["p"], rel=1e-10)


@pytest.mark.shared
@pytest.mark.parametrize("sample", ["binary", "binary_small"])
def test_mcnemar_equals_r(sample, r_inputs, r_reference):
    expected = r_reference["paired"][sample]
    result = mcnemar_exact(**r_inputs["paired"][sample])
    assert result.pvalue == pytest.approx(expected["mcnemar_exact"], rel=1e-10)
    assert result.statistic == expected["n10"]
    for alternative in ("greater", "less"):
        one_sided = mcnemar_exact(**r_inputs["paired"][sample], alternative=alternative)
        assert one_sided.pvalue == pytest.approx(expected[f"sign_{alternative}"]["p"], rel=1e-10)


@pytest.mark.shared
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("sample", ["discrete_ties", "binary", "binary_small"])
def test_signflip_equals_r(sample, alternative, r_inputs, r_reference):
    expected = r_reference["paired"][sample][f"signflip_exact_{r_name(alternative)}"]
    result = signflip(**r_inputs["paired"][sample], alternative=alternative)
    assert result.exact
    assert result.pvalue == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("size", [2, 3, 10, 500])
def test_paired_t_equals_scipy(size, alternative):
    rng = np.random.default_rng(size)
    a, b = rng.normal(0.1, 1, size), rng.normal(0, 1, size)
    expected = stats.ttest_rel(a, b, alternative=alternative)
    result = paired_t(a, b, alternative=alternative)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-10)
    assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-10)


@pytest.mark.parametrize("size", [5, 40, 700])
def test_mcnemar_equals_statsmodels(size):
    rng = np.random.default_rng(size)
    a, b = rng.integers(0, 2, (2, size))
    only_a, only_b = np.sum(a > b), np.sum(b > a)
    expected = mcnemar([[0, only_a], [only_b, 0]], exact=True).pvalue
    assert mcnemar_exact(a, b).pvalue == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_signflip_equals_scipy(alternative):
    rng = np.random.default_rng(5)
    a, b = rng.normal(0.3, 1, 11), rng.normal(0, 1, 11)
    expected = stats.permutation_test(
        (a, b),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
        alternative=alternative,
    )
    result = signflip(a, b, alternative=alternative)
    assert result.exact
    assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-12)
    assert result.difference == pytest.approx(expected.statistic)


@given(pairs(binary, max_size=60), alternatives)
def test_signflip_of_binary_scores_is_mcnemar(items, alternative):
    a, b = columns(items)
    exact = mcnemar_exact(a, b, alternative=alternative)
    flipped = signflip(a, b, alternative=alternative)
    assert flipped.exact
    np.testing.assert_allclose(flipped.pvalue, exact.pvalue, rtol=1e-10)


@pytest.mark.parametrize("test", OF_GRADES)
@given(items=pairs(graded), alternative=alternatives, random=st.randoms(use_true_random=False))
def test_order_of_items_does_not_matter(test, items, alternative, random):
    shuffled = list(items)
    random.shuffle(shuffled)
    first = run(test, *columns(items), alternative).to_dict()
    again = run(test, *columns(shuffled), alternative).to_dict()
    if test == "bootstrap":
        # Draws belong to the places of items.
        first["pvalue"] = again["pvalue"] = None
    assert again == first


@pytest.mark.parametrize("test", OF_GRADES)
@given(items=pairs(graded, max_size=40), alternative=alternatives)
def test_exchanging_systems_mirrors_the_result(test, items, alternative):
    a, b = columns(items)
    forward = run(test, a, b, alternative)
    backward = run(test, b, a, MIRRORED[alternative])
    np.testing.assert_equal(backward.pvalue, forward.pvalue)
    np.testing.assert_array_equal(backward.difference, -forward.difference)


@given(pairs(binary, max_size=40), alternatives)
def test_exchanging_systems_mirrors_mcnemar(items, alternative):
    a, b = columns(items)
    forward = mcnemar_exact(a, b, alternative=alternative)
    backward = mcnemar_exact(b, a, alternative=MIRRORED[alternative])
    np.testing.assert_equal(backward.pvalue, forward.pvalue)


@pytest.mark.parametrize("test", OF_GRADES)
@given(items=pairs(graded, max_size=40), alternative=alternatives)
def test_nan_equals_leaving_the_item_out(test, items, alternative):
    a, b = columns(items)
    complete = ~(np.isnan(a) | np.isnan(b))
    result = run(test, a, b, alternative)
    alone = run(test, a[complete], b[complete], alternative)
    np.testing.assert_equal(result.pvalue, alone.pvalue)
    np.testing.assert_equal(result.difference, alone.difference)
    assert result.n_items == alone.n_items == complete.sum()
    assert result.n_missing == (~complete).sum()


@pytest.mark.parametrize("test", OF_BINARY)
@given(items=pairs(binary, max_size=40), alternative=alternatives)
def test_pvalues_stay_between_their_floor_and_one(test, items, alternative):
    result = run(test, *columns(items), alternative)
    if not math.isnan(result.pvalue):
        assert (result.pvalue_floor or 0) <= result.pvalue <= 1


@pytest.mark.parametrize("test", OF_BINARY)
def test_identical_systems_give_one(test):
    for size in (2, 30, 1_000):
        scores = np.random.default_rng(0).integers(0, 2, size)
        for alternative in ALTERNATIVES:
            result = run(test, scores, scores, alternative)
            assert (result.pvalue, result.difference) == (1, 0), (size, alternative)


@pytest.mark.parametrize("aggregation", ["mean", "ratio", "f1"])
def test_identical_corpus_metrics_give_one(aggregation):
    width = {"mean": 1, "ratio": 2, "f1": 3}[aggregation]
    scores = np.random.default_rng(0).random((50, width)) + 0.1
    assert signflip(scores, scores, aggregation=aggregation).pvalue == 1


@pytest.mark.parametrize("test", OF_BINARY)
def test_no_items_give_nan(test):
    for a, b in (([], []), ([np.nan, 1], [0, np.nan])):
        result = run(test, a, b)
        assert math.isnan(result.pvalue)
        assert math.isnan(result.difference)
        assert result.n_items == 0
        assert result.n_missing == len(a)
        assert result.pvalue_floor is None


def test_one_item_is_too_few_for_t():
    assert math.isnan(paired_t([1.0], [0.5]).pvalue)
    assert math.isnan(paired_t([1.0], [1.0]).pvalue)
    assert signflip([1.0], [0.5]).pvalue == 1


@pytest.mark.parametrize("sign", [1, -1])
def test_t_of_a_constant_difference_warns(sign):
    a = np.array([0.1, 0.4, 0.7])
    with pytest.warns(DegenerateDataWarning, match="differ by the same amount on all their items"):
        result = paired_t(a + sign * 0.2, a)
    assert math.isnan(result.pvalue)
    assert result.statistic == sign * math.inf
    assert result.to_dict()["statistic"] is None


def test_t_of_rounding_noise_is_no_difference():
    a = np.array([0.1 + 0.2, 0.1 + 0.2, 0.3])
    b = np.array([0.3, 0.3, 0.1 + 0.2])
    result = paired_t(a, b)
    assert (result.statistic, result.pvalue) == (0, 1)


@pytest.mark.parametrize("size", [1e-90, 1e-5, 1e90])
def test_scale_of_scores_does_not_matter(size):
    rng = np.random.default_rng(1)
    a, b = rng.random((2, 40))
    for test in ("t", "signflip"):
        expected = run(test, a, b).pvalue
        assert run(test, a * size, b * size).pvalue == pytest.approx(expected, rel=1e-9)


def test_signflip_recomputes_corpus_metrics():
    a = np.array([[8, 10], [1, 1], [0, 5]])
    b = np.array([[7, 10], [0, 1], [2, 5]])
    result = signflip(a, b, aggregation="ratio")
    assert result.difference == pytest.approx(9 / 16 - 9 / 16)
    assert result.pvalue == 1
    f1 = signflip([[3, 1, 1], [2, 0, 1]], [[2, 1, 2], [2, 1, 1]], aggregation="f1")
    assert f1.difference == pytest.approx(10 / 13 - 8 / 13)


def test_undefined_metrics_are_not_testable():
    result = signflip([[0, 0], [0, 0]], [[1, 2], [0, 0]], aggregation="ratio")
    assert math.isnan(result.difference)
    assert math.isnan(result.pvalue)


def test_monte_carlo_states_its_plan():
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 100))
    result = signflip(a, b, n_resamples=499, rng=7)
    assert not result.exact
    assert (result.n_resamples, result.seed, result.pvalue_floor) == (499, 7, 1 / 500)
    assert result.signature == (
        "signflip|agg:mean|alt:two-sided|n:100|missing:0|m:499|seed:7|v:" + METHOD_VERSION
    )
    assert result.pvalue * 500 == pytest.approx(round(result.pvalue * 500))
    assert signflip(a, b, n_resamples=499, rng=7).pvalue == result.pvalue


def test_unseeded_resamples_can_be_repeated_from_the_signature():
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 100))
    result = signflip(a, b, n_resamples=199, rng=None)
    assert signflip(a, b, n_resamples=199, rng=result.seed).pvalue == result.pvalue
    drawn = signflip(a, b, n_resamples=199, rng=np.random.default_rng(3))
    assert signflip(a, b, n_resamples=199, rng=np.random.default_rng(3)).seed == drawn.seed


def test_a_known_monte_carlo_value_stays():
    # A change here means that stored results can no longer be repeated: raise METHOD_VERSION.
    rng = np.random.RandomState(0)
    a, b = rng.random_sample((2, 100))
    assert signflip(a, b + 0.05, n_resamples=999).pvalue == 0.015


def test_signatures_of_exact_tests():
    assert mcnemar_exact([1, 0, np.nan], [0, 0, 1]).signature == (
        "mcnemar|alt:two-sided|n:2|missing:1|v:" + METHOD_VERSION
    )
    assert paired_t([1, 0, 2], [0, 0, 1], alternative="less").signature == (
        "t|alt:less|n:3|missing:0|v:" + METHOD_VERSION
    )
    assert signflip([1, 0], [0, 0]).signature == (
        "signflip|agg:mean|alt:two-sided|n:2|missing:0|m:exact|v:" + METHOD_VERSION
    )


@pytest.mark.parametrize(
    ("a", "b", "aggregation", "test"),
    [
        ([0, 1, np.nan] * 6, [1, 1, 0] * 6, "mean", "score"),
        ([0.5, 1], [1, 1], "mean", "signflip"),
        ([[0], [1]], [[1], [1]], "mean", "mcnemar"),
        ([[0, 1], [1, 1]], [[1, 1], [1, 1]], "ratio", "bootstrap-percentile"),
        ([0, 1, 3], [1, 1, 2], "median", "bootstrap-percentile"),
        (
            [[1, 1], [2, 2], [3, 4], [5, 3]],
            [[1, 1], [3, 2], [2, 4], [5, 3]],
            "pearson",
            "jackknife",
        ),
        (
            [[1, 1], [2, 2], [3, 4], [5, 3]],
            [[1, 1], [3, 2], [2, 4], [5, 3]],
            "spearman",
            "jackknife",
        ),
    ],
)
def test_auto_picks_the_test_that_suits_the_scores(a, b, aggregation, test):
    result = paired_test(a, b, aggregation=aggregation)
    assert result.test == test
    assert result.why.endswith(".")
    assert result.why != "Asked for by name."
    named = paired_test(a, b, test=test, aggregation=aggregation)
    assert named.pvalue == pytest.approx(result.pvalue, nan_ok=True, abs=0)
    assert named.why == "Asked for by name."


@pytest.mark.parametrize("test", OF_BINARY)
def test_null_hypothesis_in_words(test):
    sentences = {run(test, [1, 0, 1], [0, 0, 1], side).tests_that for side in ALTERNATIVES}
    assert len(sentences) == 3
    assert all(s.startswith("Null hypothesis: ") and s.endswith(".") for s in sentences)


def test_mcnemar_refuses_graded_scores():
    with pytest.raises(ValueError, match=r"`b` must hold only 0, 1 and NaN .* got 0\.5\. Use the"):
        mcnemar_exact([0, 1], [0.5, 1])


def test_shapes_must_fit():
    with pytest.raises(ValueError, match="`a` and `b` must hold the same items, got 2 and 3"):
        paired_t([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match=r"`a` must have shape \(n_items, 3\) .* got \(2, 2\)"):
        signflip([[1, 2], [1, 2]], [[1, 2], [1, 2]], aggregation="f1")
    with pytest.raises(ValueError, match=r"`a` must have shape \(n_items,\) .* got \(1, 2\)"):
        paired_test([[1, 2]], [[1, 2]], test="t")
    with pytest.raises(ValueError, match=r"`b` must have shape .* got \(\)"):
        signflip([1.0], 1.0)


def test_values_must_be_numbers_of_a_sensible_size():
    with pytest.raises(ValueError, match=r"`b` must be finite .* got inf"):
        signflip([1.0], [np.inf])
    with pytest.raises(TypeError, match="`a` must hold numbers"):
        signflip(["1"], [1])
    with pytest.raises(ValueError, match=r"`a` must not be negative in component 1 .denominator."):
        signflip([[1, -2]], [[1, 2]], aggregation="ratio")
    with pytest.raises(ValueError, match="`b` must not be negative in component 0"):
        signflip([[1, 2, 3]], [[-1, 2, 3]], aggregation="f1")


def test_options_must_be_known():
    with pytest.raises(ValueError, match="`alternative` must be one of 'two-sided', 'greater'"):
        paired_t([1], [1], alternative="bigger")
    with pytest.raises(ValueError, match="`test` must be one of 'auto', 't', 'wilcoxon', 'sign'"):
        paired_test([1], [1], test="anova")
    with pytest.raises(ValueError, match="`test` 't' compares means per item, got `aggregation`"):
        paired_test([[1, 2]], [[1, 2]], test="t", aggregation="ratio")
    with pytest.raises(ValueError, match="`aggregation` must be one of 'mean', 'median', 'ratio'"):
        paired_test([1], [1], aggregation="kendall")
    with pytest.raises(ValueError, match="`test` 'steiger' compares correlations with gold"):
        paired_test([1], [1], test="steiger")
    with pytest.raises(ValueError, match="`zeros` is for `test` 'wilcoxon', got 'sign'"):
        paired_test([1], [1], test="sign", zeros="pratt")
    with pytest.raises(ValueError, match=r"`delta` must be 0 for `test` 'mcnemar'.*got 0\.1"):
        paired_test([1], [1], test="mcnemar", delta=0.1)
    with pytest.raises(ValueError, match=r"`delta` must be finite and at most 1e100 .* got nan"):
        paired_test([1], [1], delta=math.nan)
    with pytest.raises(TypeError, match="`delta` must be a number, got 'much'"):
        paired_test([1], [1], delta="much")
    with pytest.raises(ValueError, match=r"`delta` must be 0 for `test` .* Use the bootstrap"):
        paired_test([[1, 2]], [[1, 2]], test="signflip", aggregation="ratio", delta=0.1)
    with pytest.raises(ValueError, match="`test` 'bootstrap-median' compares means"):
        paired_test([[1, 2]], [[1, 2]], test="bootstrap-median", aggregation="ratio")
    with pytest.raises(ValueError, match="`n_resamples` must be at least 1, got 0"):
        signflip([1], [1], n_resamples=0)
    with pytest.raises(ValueError, match="`rng` must not be negative"):
        signflip([1], [1], rng=-1)


def test_auto_with_groups_exchanges_groups():
    a, b = [1, 0, 1, 1, 0, 1], [0, 0, 1, 0, 0, 0]
    result = paired_test(a, b, groups=["x", "x", "y", "y", "z", "z"])
    assert (result.test, result.n_groups) == ("t", 3)
    assert "group" in result.why
    two = paired_test(a, b, groups=["x", "x", "y", "y", "y", "y"])
    assert math.isnan(two.pvalue)
    many = paired_test(a * 5, b * 5, groups=[i // 2 for i in range(30)])
    assert (many.test, many.n_groups) == ("signflip", 15)
    assert "every group" in many.tests_that
    alone = paired_test(a * 2, b * 2, groups=[None, *range(1, 12)])
    assert (alone.test, alone.n_groups) == ("score", 12)
    assert alone.pvalue == paired_test(a * 2, b * 2).pvalue


def test_auto_with_delta():
    assert paired_test([1, 0, 1], [0, 0, 1], delta=0.1).test == "score"
    ratio = paired_test([[1, 2], [3, 4]], [[1, 2], [2, 4]], aggregation="ratio", delta=0.1)
    assert ratio.test == "bootstrap-percentile"
    assert ratio.delta == 0.1


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "mcnemar", "mcnemar-midp", "mcnemar-chi2"])
def test_tests_of_independent_items_refuse_groups(test):
    with pytest.raises(ValueError, match=r"joins 3 items into 2 groups\. Use 'signflip', 't'"):
        paired_test([1, 0, 1], [0, 0, 1], test=test, groups=["x", "x", "y"])
    ungrouped = paired_test([1, 0, 1], [0, 0, 1], test=test, groups=[None, None, None])
    assert ungrouped.pvalue == paired_test([1, 0, 1], [0, 0, 1], test=test).pvalue


@pytest.mark.parametrize("test", ["t", *RESAMPLING])
def test_a_group_per_item_changes_nothing(test):
    rng = np.random.default_rng(3)
    a, b = rng.random((2, 30))
    plain, grouped = run(test, a, b), run(test, a, b, groups=list(range(30)))
    assert grouped.pvalue == pytest.approx(plain.pvalue, rel=1e-12)
    assert grouped.n_groups == 30


@pytest.mark.parametrize("test", ["t", *RESAMPLING])
@given(random=st.randoms(use_true_random=False))
def test_order_of_grouped_items_does_not_matter(test, random):
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 24))
    groups = rng.integers(0, 6, 24)
    order = list(range(24))
    random.shuffle(order)
    first = run(test, a, b, groups=groups).to_dict()
    again = run(test, a[order], b[order], groups=[f"group {g}" for g in groups[order]]).to_dict()
    drawn = test.startswith("bootstrap") and not test.endswith("median")
    for name in ("statistic", "difference", "pvalue"):
        if not (drawn and name == "pvalue"):
            assert again[name] == pytest.approx(first[name], rel=1e-12)


@pytest.mark.parametrize("test", ["t", *RESAMPLING])
def test_copies_of_items_in_groups_add_nothing(test):
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 12))
    once = run(test, a, b)
    copied = run(test, np.repeat(a, 3), np.repeat(b, 3), groups=np.repeat(np.arange(12), 3))
    assert copied.pvalue == pytest.approx(once.pvalue, rel=1e-12)


def test_cluster_robust_t_equals_statsmodels():
    sm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(2)
    groups = rng.integers(0, 15, 80)
    a, b = rng.normal(size=(2, 80)) + rng.normal(size=15)[groups]
    a += 0.4 * rng.normal(size=15)[groups]
    options = {"groups": groups, "use_correction": True, "df_correction": True}
    fit = sm.OLS(a - b, np.ones(80)).fit(cov_type="cluster", cov_kwds=options, use_t=True)
    # Their small-sample factor has (n - 1) / (n - k) besides G / (G - 1); with k = 1 it is 1.
    result = paired_t(a, b, groups=groups)
    assert result.statistic == pytest.approx(fit.tvalues[0], rel=1e-10)
    assert result.pvalue == pytest.approx(fit.pvalues[0], rel=1e-10)
    assert result.n_groups == 15


def test_t_of_groups_without_spread():
    with pytest.warns(DegenerateDataWarning, match="differ by the same amount on all their items"):
        result = paired_t([1, 2, 2, 1], [0, 0, 0, 0], groups=["x", "x", "y", "y"])
    assert math.isnan(result.pvalue)
    assert math.isnan(paired_t([1, 2], [0, 0], groups=["x", "x"]).pvalue)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_t_with_delta_equals_scipy(alternative):
    rng = np.random.default_rng(4)
    a, b = rng.normal(0.3, 1, (2, 25))
    expected = stats.ttest_1samp(a - b, 0.2, alternative=alternative)
    result = paired_t(a, b, delta=0.2, alternative=alternative)
    assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-10)
    assert "delta:0.2" in result.signature
    assert "0.2" in result.tests_that


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", *RESAMPLING])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_delta_is_a_shift(test, alternative):
    rng = np.random.default_rng(6)
    b = rng.integers(0, 20, 40) / 10
    a = b + rng.integers(-4, 8, 40) / 10
    shifted = run(test, a, b, alternative, delta=0.3)
    plain = run(test, a - 0.3, b, alternative)
    assert shifted.pvalue == pytest.approx(plain.pvalue, rel=1e-10)
    assert shifted.direction == plain.direction
    assert shifted.difference == pytest.approx(plain.difference + 0.3)


@pytest.mark.parametrize("test", OF_BINARY)
def test_direction_says_who_is_above(test):
    a, b = np.array([1.0] * 12 + [0.0] * 4), np.array([0.0] * 12 + [1.0] * 4)
    assert run(test, a, b).direction == 1
    assert run(test, b, a).direction == -1
    assert run(test, a, a).direction == 0
    assert run(test, a, b, "greater").pvalue < run(test, a, b, "less").pvalue


def test_results_can_be_copied_and_exported():
    result = paired_test([1, 2, 3], [1, 1, 1], test="wilcoxon", zeros="pratt")
    assert pickle.loads(pickle.dumps(result)).to_dict() == result.to_dict()
    assert result.signature == (
        "wilcoxon|alt:two-sided|n:3|missing:0|zeros:pratt|p:exact|v:" + METHOD_VERSION
    )
    assert result.to_dict()["options"] == [["zeros", "pratt"], ["p", "exact"]]
    assert "Null hypothesis" in str(result)
