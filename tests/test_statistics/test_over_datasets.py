import functools
import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from analysis.statistics.across.over_datasets import (
    PAIR_TESTS,
    compare_over_datasets,
    pairs_over_datasets,
)
from analysis.statistics.multiplicity import adjust
from analysis.statistics.paired.rank_tests import sign_test, wilcoxon
from analysis.statistics.paired.tests import paired_test
from analysis.statistics.results import DegenerateDataWarning

paired_t = functools.partial(paired_test, test="t")


nan = math.nan
# Demšar (2006), table 2: AUC of C4.5 and of C4.5 with m on 14 datasets.
C45 = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1, 0.940, 0.619, 0.972, 0.957]
WITH_M = [
    0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1, 0.962, 0.666, 0.981, 0.978,
]  # fmt: skip
percents = st.integers(0, 100).map(lambda value: value / 100)
pairs = st.integers(0, 12).flatmap(
    lambda n: st.tuples(
        arrays.arrays(np.float64, n, elements=percents),
        arrays.arrays(np.float64, n, elements=percents),
    )
)
tables = arrays.arrays(
    np.float64,
    st.tuples(st.integers(2, 5), st.integers(1, 8)),
    elements=st.one_of(percents, percents, st.just(nan)),
)


def test_demsars_worked_example():
    result = compare_over_datasets(WITH_M, C45)
    assert (result.wins, result.ties, result.losses) == (10, 2, 2)
    # The paper keeps zeros, and finds the smaller sum of ranks, 12, significant at 0.05.
    assert result.pvalue_wilcoxon < 0.05
    assert result.mean_difference == pytest.approx(0.0155, abs=1e-10)
    swapped = compare_over_datasets(C45, WITH_M)
    assert (swapped.wins, swapped.losses) == (2, 10)


@given(pair=pairs)
def test_tests_are_those_of_items_with_datasets_in_their_place(pair):
    a, b = pair
    assume(a.size > 1)
    result = compare_over_datasets(a, b)
    assert result.pvalue_wilcoxon == wilcoxon(a, b).pvalue
    assert result.pvalue_sign == sign_test(a, b).pvalue
    differences = np.round(a - b, 2)
    assert result.wins == np.count_nonzero(differences > 0)
    assert result.losses == np.count_nonzero(differences < 0)
    assert result.wins + result.ties + result.losses == result.n_datasets
    assert result.mean_difference == pytest.approx(differences.mean(), abs=1e-12)
    if np.ptp(differences) == 0:
        assert math.isnan(result.ci.low)
        assert result.pvalue_t == 1 if differences[0] == 0 else math.isnan(result.pvalue_t)
        return
    assert result.pvalue_t == pytest.approx(paired_t(a, b).pvalue, rel=1e-9)
    interval = stats.ttest_rel(a, b).confidence_interval(0.95)
    assert result.ci.low == pytest.approx(interval.low, abs=1e-9)
    assert result.ci.high == pytest.approx(interval.high, abs=1e-9)


@given(pair=pairs, data=st.data())
def test_order_missing_scale_and_sides(pair, data):
    a, b = pair
    result = compare_over_datasets(a, b)
    order = data.draw(st.permutations(range(a.size)))
    assert compare_over_datasets(a[order], b[order]).to_dict() == result.to_dict()
    gaps = compare_over_datasets([nan, *a, 0.5], [0.1, *b, nan])
    assert (gaps.n_datasets, gaps.n_missing) == (a.size, 2)
    for name in ("pvalue_t", "pvalue_wilcoxon", "mean_difference", "gumbel_mean", "gumbel_scale"):
        assert getattr(gaps, name) == pytest.approx(getattr(result, name), nan_ok=True)
    swapped = compare_over_datasets(b, a)
    for name in ("pvalue_t", "pvalue_wilcoxon", "pvalue_sign"):
        assert getattr(swapped, name) == pytest.approx(getattr(result, name), nan_ok=True)
    assert swapped.mean_difference == pytest.approx(-result.mean_difference, nan_ok=True)
    assert swapped.ci.low == pytest.approx(-result.ci.high, nan_ok=True)
    if abs(result.mean_difference) > 1e-9:
        assert swapped.gumbel_tail == -result.gumbel_tail
        assert swapped.gumbel_mean == pytest.approx(-result.gumbel_mean, nan_ok=True)
        assert swapped.gumbel_ci.low == pytest.approx(-result.gumbel_ci.high, nan_ok=True)
    percent = compare_over_datasets(a * 100, b * 100)
    assert percent.pvalue_wilcoxon == pytest.approx(result.pvalue_wilcoxon, nan_ok=True)
    assert percent.gumbel_mean == pytest.approx(100 * result.gumbel_mean, rel=1e-6, nan_ok=True)


@pytest.mark.parametrize("n", [5, 14, 60])
@pytest.mark.parametrize("sign", [1, -1])
def test_gumbel_fit_equals_scipy(n, sign):
    differences = sign * stats.gumbel_r.rvs(0.3, 0.7, size=n, random_state=n)
    result = compare_over_datasets(differences, np.zeros(n))
    found = {}
    for tail, family in ((1, stats.gumbel_r), (-1, stats.gumbel_l)):
        location, scale = family.fit(differences)
        found[tail] = (np.sum(family.logpdf(differences, location, scale)), location, scale)
    tail = max(found, key=lambda side: found[side][0])
    _, location, scale = found[tail]
    assert result.gumbel_tail == tail
    assert result.gumbel_scale == pytest.approx(scale, rel=1e-5)
    assert result.gumbel_mean == pytest.approx(location + tail * np.euler_gamma * scale, rel=1e-5)
    assert result.gumbel_ci.low < result.gumbel_mean < result.gumbel_ci.high


@pytest.mark.parametrize(("family", "n"), [(stats.gumbel_r, 4), (stats.gumbel_l, 12)])
def test_gumbel_interval_covers_the_mean_of_gumbel_differences(n, family):
    n_times = 500
    draws = family.rvs(size=(n_times, n), random_state=n)
    mean = family.mean()
    covered = sum(
        compare_over_datasets(draw, np.zeros(n)).gumbel_ci.contains(mean) for draw in draws
    )
    low, high = stats.binom.ppf([0.0005, 0.9995], n_times, 0.95)
    assert low <= covered <= high


def test_narrower_level_gives_wider_intervals():
    results = [compare_over_datasets(WITH_M, C45, alpha=alpha) for alpha in (0.01, 0.05, 0.2)]
    for name in ("ci", "gumbel_ci"):
        widths = [getattr(r, name).high - getattr(r, name).low for r in results]
        assert widths == sorted(widths, reverse=True)


def test_what_cannot_be_told_is_nan():
    nothing = compare_over_datasets([], [])
    assert nothing.n_datasets == 0
    for name in ("mean_difference", "pvalue_t", "pvalue_wilcoxon", "pvalue_sign", "gumbel_mean"):
        assert math.isnan(getattr(nothing, name))
    one = compare_over_datasets([0.5], [0.4])
    assert (one.wins, one.pvalue_wilcoxon, one.pvalue_sign) == (1, 1, 1)
    assert math.isnan(one.pvalue_t)
    two = compare_over_datasets([0.5, 0.7], [0.4, 0.3])
    assert not math.isnan(two.pvalue_t)
    assert (two.gumbel_tail, two.to_dict()["gumbel_mean"]) == (0, None)
    level = compare_over_datasets([0.5, 0.7, 0.8], [0.5, 0.7, 0.8])
    assert (level.ties, level.pvalue_t, level.pvalue_wilcoxon, level.pvalue_sign) == (3, 1, 1, 1)
    steady = compare_over_datasets([0.5, 0.7, 0.8], [0.4, 0.6, 0.7])
    assert math.isnan(steady.pvalue_t)
    assert steady.pvalue_wilcoxon == 0.25


def test_what_is_equal_on_paper_is_a_tie():
    result = compare_over_datasets([0.1 + 0.2, 0.7, 0.5], [0.3, 0.6, 0.3])
    assert (result.wins, result.ties, result.losses) == (2, 1, 0)


def test_scales_of_other_datasets_neither_make_nor_hide_a_tie():
    first = np.array([8.1e16, 0.74, 0.93, 0.66, 0.72, 0.85])
    second = first - np.array([1e15, 0.01, 0.01, 0.01, 0.01, 0.01])
    alone, board = (
        compare_over_datasets(first, second),
        pairs_over_datasets(np.stack([first, second]), test="sign"),
    )
    assert (alone.wins, board.wins[0, 1], alone.ties) == (6, 6, 0)
    assert alone.pvalue_sign == board.pvalue[0, 1] == 2**-5
    assert board.mean_difference[0, 1] == pytest.approx(alone.mean_difference)
    # The last digit of a large score says nothing, however small the other differences are.
    first, second = np.array([1234.567, 0.5, 0.6]), np.array([1234.5670000000002, 0.49, 0.59])
    for test in ("sign", "wilcoxon"):
        board = pairs_over_datasets(np.stack([first, second]), test=test)
        assert (board.wins[0, 1], board.ties[0, 1], board.pvalue[0, 1]) == (2, 1, 0.5)


@given(scores=tables, test=st.sampled_from(["wilcoxon", "sign"]))
def test_pairs_are_compared_one_by_one(scores, test):
    result = pairs_over_datasets(scores, test=test)
    upper = list(itertools.combinations(range(len(scores)), 2))
    for i, j in upper:
        single = compare_over_datasets(scores[i], scores[j])
        assert result.n_datasets[i, j] == result.n_datasets[j, i] == single.n_datasets
        assert (result.wins[i, j], result.ties[i, j]) == (single.wins, single.ties)
        assert (result.losses[i, j], result.wins[j, i]) == (single.losses, single.losses)
        assert result.mean_difference[i, j] == pytest.approx(single.mean_difference, nan_ok=True)
        assert result.mean_difference[j, i] == pytest.approx(-single.mean_difference, nan_ok=True)
        expected = getattr(single, f"pvalue_{test}")
        assert result.pvalue[i, j] == pytest.approx(expected, rel=1e-9, nan_ok=True)
        assert result.pvalue[j, i] == pytest.approx(expected, rel=1e-9, nan_ok=True)
    family = adjust([result.pvalue[pair] for pair in upper], "holm")
    np.testing.assert_allclose([result.pvalue_adjusted[p] for p in upper], family.pvalues_adjusted)
    assert result.n_tests == family.n_tests
    assert not np.diag(result.ties).any()
    assert np.isnan(np.diag(result.pvalue)).all()


@pytest.mark.parametrize("correction", ["none", "bonferroni", "bh"])
def test_pairs_by_t_with_other_corrections(correction):
    scores = np.random.default_rng(1).random((4, 9)) + np.array([[0], [0.1], [0.3], [0.6]])
    result = pairs_over_datasets(scores, test="t", correction=correction, alpha=0.1)
    upper = np.triu_indices(4, 1)
    expected = [
        compare_over_datasets(scores[i], scores[j]).pvalue_t for i, j in zip(*upper, strict=True)
    ]
    np.testing.assert_allclose(result.pvalue[upper], expected, rtol=1e-9)
    family = adjust(expected, correction, alpha=0.1)
    np.testing.assert_array_equal(result.different[upper], family.rejected)


def test_a_pair_does_not_depend_on_who_else_is_there():
    scores = np.random.default_rng(3).random((6, 10))
    alone = pairs_over_datasets(scores[:2]).pvalue[0, 1]
    assert pairs_over_datasets(scores).pvalue[0, 1] == alone


def test_a_steady_difference_has_no_t_test():
    with pytest.warns(DegenerateDataWarning):
        result = pairs_over_datasets([[0.5, 0.75], [0.25, 0.5]], test="t")
    assert math.isnan(result.pvalue[0, 1])
    assert result.n_tests == 0


def test_results_are_plain_and_say_how_to_repeat_them():
    result = compare_over_datasets(WITH_M, C45)
    assert json.loads(json.dumps(result.to_dict()))["wins"] == 10
    assert result.signature.startswith("over-datasets|n:14|missing:0|alpha:0.05|")
    assert "10 wins, 2 ties, 2 losses on 14 datasets" in str(result)
    pairs = pairs_over_datasets([WITH_M, C45])
    assert pairs.signature.startswith(
        "pairs-over-datasets|test:wilcoxon|systems:2|m:1|correction:holm|alpha:0.05|"
    )
    assert "10/2/2" in str(pairs)
    with pytest.raises(ValueError, match="read-only"):
        pairs.wins[0, 1] = 3


def test_arguments_are_checked():
    with pytest.raises(ValueError, match=r"`a` and `b` must have one score per dataset each"):
        compare_over_datasets([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="`b` must be finite"):
        compare_over_datasets([1, 2], [1, math.inf])
    with pytest.raises(ValueError, match="`alpha` must lie strictly"):
        compare_over_datasets([1, 2], [1, 2], alpha=0)
    with pytest.raises(ValueError, match="`scores` must be 2-D"):
        pairs_over_datasets([1, 2])
    with pytest.raises(ValueError, match="`correction` must be one of"):
        pairs_over_datasets([[1, 2], [2, 3]], correction="max-t")
    for test in ("signflip", "auto"):
        assert test not in PAIR_TESTS
        with pytest.raises(ValueError, match="`test` must be one of"):
            pairs_over_datasets([[1, 2], [2, 3]], test=test)
