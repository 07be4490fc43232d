import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import special, stats

from analysis.statistics.across.nemenyi import nemenyi, range_tail
from analysis.statistics.across.over_datasets import pairs_over_datasets

ratings = arrays.arrays(
    np.float64, st.tuples(st.integers(2, 6), st.integers(1, 7)), elements=st.integers(0, 4)
)
# Demšar (2006), table 6, with "voting" as the paper ranks it.
DEMSAR = [
    [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1, 0.940, 0.619, 0.972, 0.957],
    [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1, 0.962, 0.666, 0.981, 0.978],
    [0.771, 0.590, 0.968, 0.654, 0.886, 0.916, 0.609, 0.563, 0.866, 1, 0.965, 0.614, 0.9752, 0.946],
    [0.798, 0.569, 0.967, 0.657, 0.898, 0.931, 0.685, 0.625, 0.875, 1, 0.962, 0.669, 0.975, 0.970],
]
# Eight datasets (rows) and five systems; p-values by posthoc_nemenyi_friedman of scikit-posthocs
# 0.17.1.
RATED = [
    [3, 1, 4, 1, 5],
    [9, 2, 6, 5, 3],
    [5, 8, 9, 7, 9],
    [3, 2, 3, 8, 4],
    [6, 2, 6, 4, 3],
    [3, 8, 3, 2, 7],
    [9, 5, 0, 2, 8],
    [8, 4, 1, 9, 7],
]
FIRST_ROW = [0.5095254085030065, 0.9815512643206699, 0.9334452222151035, 0.9998600402526645]
SECOND_ROW = [0.8426248148126088, 0.9334452222151035, 0.4097397671325579]


def test_demsars_worked_example():
    result = nemenyi(DEMSAR)
    assert result.critical_difference == pytest.approx(1.25, abs=5e-3)
    assert not result.different.any()
    weaker = nemenyi(DEMSAR, alpha=0.1)
    assert weaker.critical_difference == pytest.approx(1.12, abs=5e-3)
    # C4.5 with m, and with m and cf, are both above plain C4.5; nothing else is told apart.
    told_apart = {(int(i), int(j)) for i, j in np.argwhere(np.triu(weaker.different))}
    assert told_apart == {(0, 1), (0, 3)}


@pytest.mark.parametrize(
    ("n_systems", "alpha", "quantile"),
    # Demšar (2006), table 5a: quantiles of the range by √2.
    [(2, 0.05, 1.960), (3, 0.05, 2.343), (5, 0.05, 2.728), (10, 0.05, 3.164), (4, 0.10, 2.291)],
)
def test_critical_values_of_the_table(n_systems, alpha, quantile):
    scores = np.arange(n_systems * 6.0).reshape(n_systems, 6)
    result = nemenyi(scores, alpha=alpha)
    expected = quantile * math.sqrt(n_systems * (n_systems + 1) / (6 * 6))
    assert result.critical_difference == pytest.approx(expected, rel=3e-4)


def test_pvalues_equal_scikit_posthocs():
    pvalue = nemenyi(np.transpose(RATED)).pvalue
    np.testing.assert_allclose(pvalue[0, 1:], FIRST_ROW, rtol=1e-8)
    np.testing.assert_allclose(pvalue[1, 2:], SECOND_ROW, rtol=1e-8)


@pytest.mark.parametrize("n_normals", [2, 3, 10, 100])
def test_range_tail_equals_scipy(n_normals):
    ranges = np.linspace(0, 7, 15)
    expected = stats.studentized_range.sf(ranges, n_normals, math.inf)
    np.testing.assert_allclose(range_tail(ranges, n_normals), expected, atol=1e-12)


def test_range_tail_keeps_its_digits_far_out():
    ranges = np.array([10.0, 20.0, 40.0])
    expected = 2 * special.ndtr(-ranges / math.sqrt(2))
    np.testing.assert_allclose(range_tail(ranges, 2), expected, rtol=1e-10)
    # Far out the pairs exceed a distance one at a time.
    np.testing.assert_allclose(range_tail(ranges, 5)[1:], 10 * expected[1:], rtol=1e-9)
    assert range_tail(np.array([500.0]), 3)[0] > 0


@given(scores=ratings, alpha=st.sampled_from([0.01, 0.05, 0.1, 0.5]))
def test_verdicts_are_those_of_the_critical_difference(scores, alpha):
    result = nemenyi(scores, alpha=alpha)
    gaps = np.abs(np.subtract.outer(result.mean_ranks, result.mean_ranks))
    clear = np.abs(gaps - result.critical_difference) > 1e-9
    np.testing.assert_array_equal(
        result.different[clear], (gaps >= result.critical_difference)[clear]
    )
    np.testing.assert_array_equal(result.pvalue, result.pvalue.T)
    assert np.isnan(np.diag(result.pvalue)).all()


@given(scores=ratings, data=st.data())
def test_order_and_scale_do_not_matter(scores, data):
    result = nemenyi(scores)
    systems = data.draw(st.permutations(range(scores.shape[0])))
    moved = nemenyi(-scores[systems] * 2 + 5)
    np.testing.assert_allclose(moved.pvalue, result.pvalue[np.ix_(systems, systems)], rtol=1e-9)


def test_a_verdict_turns_with_who_else_is_in_the_pool():
    first = np.array([0.62, 0.71, 0.55, 0.80, 0.66, 0.74, 0.59, 0.68, 0.77, 0.63])
    gap = np.array([0.02, 0.03, 0.01, 0.02, 0.04, 0.03, 0.02, 0.01, -0.01, -0.02])
    pair = np.array([first, first - gap])
    below = np.array([pair.min(axis=0) - 0.1 - 0.01 * i for i in range(4)])
    between = np.where(gap > 0, first - gap * np.array([[0.2], [0.4], [0.6], [0.8]]), below)
    pools = np.vstack([pair, below]), np.vstack([pair, between])
    by_ranks = [nemenyi(pool) for pool in pools]
    assert not by_ranks[0].different[0, 1]
    assert by_ranks[1].different[0, 1]
    by_pair = [pairs_over_datasets(pool).pvalue[0, 1] for pool in pools]
    assert by_pair[0] == by_pair[1]


def test_family_wise_error_is_kept_without_differences():
    rng = np.random.default_rng(8)
    n_times = 200
    false = [nemenyi(rng.random((5, 8))).different.any() for _ in range(n_times)]
    assert np.sum(false) <= stats.binom.ppf(0.999, n_times, 0.05)


def test_result_is_plain_and_says_how_to_repeat_it():
    result = nemenyi(DEMSAR)
    assert result.to_dict()["pvalue"][0][0] is None
    assert result.signature.startswith("nemenyi|systems:4|datasets:14|alpha:0.05|")
    assert "critical difference 1.254" in str(result)


def test_scores_must_be_complete():
    with pytest.raises(ValueError, match="missing is system 0 on dataset 1"):
        nemenyi([[1, math.nan], [2, 3]])
    with pytest.raises(ValueError, match="at least 1 datasets"):
        nemenyi(np.empty((2, 0)))
    with pytest.raises(ValueError, match="`alpha` must lie strictly between 0 and 1"):
        nemenyi([[1, 2], [2, 3]], alpha=1)
