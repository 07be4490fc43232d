import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from analysis.statistics.multiplicity import METHODS, adjust, simes_of_tails
from analysis.statistics.signature import METHOD_VERSION

STATSMODELS = {
    "bonferroni": "bonferroni",
    "holm": "holm",
    "hochberg": "simes-hochberg",
    "hommel": "hommel",
    "bh": "fdr_bh",
    "by": "fdr_by",
}
R_NAMES = {**{name: name for name in ("bonferroni", "holm", "hochberg", "hommel")}}
R_NAMES |= {"bh": "BH", "by": "BY"}

probabilities = st.one_of(
    st.floats(0, 1), st.sampled_from([0.0, 1.0, 0.01, 0.02, 0.05, 0.05 / 11, 0.05 / 3])
)
pvalue_lists = st.lists(probabilities, max_size=30)
with_nan = st.lists(st.one_of(probabilities, st.just(math.nan)), max_size=30)
methods = st.sampled_from(METHODS)


def simes(pvalues):
    ascending = sorted(pvalues)
    return min(1.0, *(len(ascending) * p / (j + 1) for j, p in enumerate(ascending)))


@pytest.mark.shared
@pytest.mark.parametrize("sample", ["uniform10", "mixed12", "ties8", "mixed25"])
@pytest.mark.parametrize("method", R_NAMES)
def test_adjust_equals_r(method, sample, r_inputs, r_reference):
    result = adjust(r_inputs["pvalues"][sample], method)
    expected = r_reference["pvalues"][sample][R_NAMES[method]]
    np.testing.assert_allclose(result.pvalues_adjusted, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("size", "decimals"), [(1, 2), (2, 17), (3, 2), (8, 17), (60, 2), (257, 17)]
)
@pytest.mark.parametrize("method", STATSMODELS)
def test_adjust_equals_statsmodels(method, decimals, size):
    rng = np.random.default_rng(size)
    for power in (1, 2, 6):
        pvalues = np.round(rng.random(size) ** power, decimals)
        _, expected, _, _ = multipletests(pvalues, method=STATSMODELS[method])
        result = adjust(pvalues, method)
        np.testing.assert_allclose(result.pvalues_adjusted, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("none", [0.5, 0.01, 0.03]),
        ("bonferroni", [1, 0.03, 0.09]),
        ("holm", [0.5, 0.03, 0.06]),
        ("hochberg", [0.5, 0.03, 0.06]),
        ("hommel", [0.5, 0.03, 0.06]),
        ("bh", [0.5, 0.03, 0.045]),
        ("by", [0.5 * 11 / 6, 0.03 * 11 / 6, 0.045 * 11 / 6]),
    ],
)
def test_adjust_by_hand(method, expected):
    result = adjust([0.5, 0.01, 0.03], method)
    np.testing.assert_allclose(result.pvalues_adjusted, expected, rtol=1e-14)


@given(st.lists(probabilities, min_size=1, max_size=6))
def test_hommel_is_the_closure_of_simes(pvalues):
    everyone = range(len(pvalues))
    families = [s for n in everyone for s in itertools.combinations(everyone, n + 1)]
    expected = [
        max(simes([pvalues[i] for i in family]) for family in families if member in family)
        for member in everyone
    ]
    adjusted = adjust(pvalues, "hommel").pvalues_adjusted
    np.testing.assert_allclose(adjusted, expected, rtol=1e-13, atol=0)


@given(st.lists(st.lists(probabilities, min_size=5, max_size=5), min_size=1, max_size=4))
def test_simes_of_tails_by_definition(rows):
    ascending = np.sort(np.array(rows), axis=1)
    expected = [[simes(row[start:]) for start in range(5)] for row in ascending.tolist()]
    np.testing.assert_allclose(simes_of_tails(ascending), expected, rtol=1e-14)


def test_simes_of_tails_of_a_long_list():
    ascending = np.sort(np.random.default_rng(0).random(999) ** 3)
    expected = [simes(ascending[start:].tolist()) for start in range(999)]
    np.testing.assert_allclose(simes_of_tails(ascending), expected, rtol=1e-14)


@given(pvalue_lists, methods, st.randoms(use_true_random=False))
def test_order_does_not_matter(pvalues, method, random):
    order = list(range(len(pvalues)))
    random.shuffle(order)
    adjusted = adjust(pvalues, method).pvalues_adjusted
    shuffled = adjust([pvalues[i] for i in order], method).pvalues_adjusted
    np.testing.assert_array_equal(shuffled, adjusted[order])


@given(with_nan, methods)
def test_nan_is_left_out_and_told(pvalues, method):
    values = np.array(pvalues, dtype=float)
    missing = np.isnan(values)
    result = adjust(values, method)
    np.testing.assert_array_equal(np.isnan(result.pvalues_adjusted), missing)
    assert not np.any(result.rejected[missing])
    assert result.n_untestable == missing.sum()
    assert result.n_tests == (~missing).sum()
    alone = adjust(values[~missing], method)
    np.testing.assert_array_equal(result.pvalues_adjusted[~missing], alone.pvalues_adjusted)


@given(with_nan, methods)
def test_counted_nan_weighs_like_a_pvalue_of_one(pvalues, method):
    values = np.array(pvalues, dtype=float)
    missing = np.isnan(values)
    result = adjust(values, method, count_untestable=True)
    ones = adjust(np.where(missing, 1.0, values), method)
    assert result.n_tests == values.size
    np.testing.assert_array_equal(
        result.pvalues_adjusted, np.where(missing, np.nan, ones.pvalues_adjusted)
    )


@given(pvalue_lists, methods, st.floats(0.001, 0.999))
def test_rejected_exactly_where_adjusted_is_at_most_alpha(pvalues, method, alpha):
    result = adjust(pvalues, method, alpha=alpha)
    np.testing.assert_array_equal(result.rejected, result.pvalues_adjusted <= alpha)


@given(pvalue_lists, methods)
def test_adjusting_keeps_the_order_and_never_makes_smaller(pvalues, method):
    result = adjust(pvalues, method)
    order = np.argsort(result.pvalues, kind="stable")
    assert np.all(np.diff(result.pvalues_adjusted[order]) >= 0)
    assert np.all(result.pvalues_adjusted >= result.pvalues * (1 - 1e-14))
    assert np.all(result.pvalues_adjusted <= 1)


@given(pvalue_lists)
@example([0.01, 0.01, 0.09, 0.19, 0.23])  # Hommel and Hochberg agree, by different roundings
def test_methods_are_ordered_by_power_to_the_last_bit(pvalues):
    chain = [
        adjust(pvalues, method).pvalues_adjusted
        for method in ("bonferroni", "holm", "hochberg", "hommel")
    ]
    for weaker, stronger in itertools.pairwise(chain):
        assert np.all(stronger <= weaker)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("count_untestable", [False, True])
def test_empty_and_all_nan(method, count_untestable):
    empty = adjust([], method, count_untestable=count_untestable)
    assert (empty.n_tests, empty.n_untestable, empty.rejected.size) == (0, 0, 0)
    nothing = adjust([np.nan, np.nan], method, count_untestable=count_untestable)
    assert nothing.n_tests == (2 if count_untestable else 0)
    assert np.all(np.isnan(nothing.pvalues_adjusted))
    assert not nothing.rejected.any()


@pytest.mark.parametrize("method", METHODS)
def test_zeros_and_ones(method):
    assert adjust([0, 0, 0], method).pvalues_adjusted.tolist() == [0, 0, 0]
    assert adjust([1, 1], method).pvalues_adjusted.tolist() == [1, 1]


def test_bh_with_nan_does_not_reject_at_random():
    result = adjust([0.001, np.nan, 0.9], "bh")
    assert result.rejected.tolist() == [True, False, False]
    assert result.pvalues_adjusted[0] == 0.002


def test_result_states_its_family():
    result = adjust([0.01, np.nan, 0.2], "holm", alpha=0.1)
    assert result.signature == "holm|m:2|untestable:1 not counted|alpha:0.1|v:" + METHOD_VERSION
    assert result.controls == "family-wise error"
    assert "any way" in result.assumes
    counted = adjust([0.01, np.nan, 0.2], "bh", count_untestable=True)
    assert counted.signature == "bh|m:3|untestable:1 counted|alpha:0.05|v:" + METHOD_VERSION
    assert counted.controls == "false discovery rate"
    assert "not testable" in str(counted)


def test_hommel_of_many_pvalues_equals_the_quadratic_way():
    pvalues = np.random.default_rng(3).beta(0.3, 1, 3_000)
    _, expected, _, _ = multipletests(pvalues, method="hommel")
    np.testing.assert_allclose(adjust(pvalues, "hommel").pvalues_adjusted, expected, rtol=1e-12)


def test_adjust_refuses_unknown_methods_and_levels():
    with pytest.raises(ValueError, match="`method` must be one of 'none', 'bonferroni', 'holm'"):
        adjust([0.1], "sidak")
    with pytest.raises(ValueError, match=r"`alpha` must lie strictly between 0 and 1, got 1\.0"):
        adjust([0.1], alpha=1)
    with pytest.raises(ValueError, match=r"`pvalues` must lie between 0 and 1 .* got 2\.0"):
        adjust([2.0])
