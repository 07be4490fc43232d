import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from analysis.statistics.across.friedman import friedman_test
from analysis.statistics.across.skillings_mack import skillings_mack_test

nan = math.nan
ratings = arrays.arrays(
    np.float64, st.tuples(st.integers(2, 5), st.integers(2, 6)), elements=st.integers(0, 4)
)
some_missing = arrays.arrays(
    np.float64,
    st.tuples(st.integers(2, 5), st.integers(1, 7)),
    elements=st.one_of(st.integers(0, 4).map(float), st.just(nan)),
)

# Skillings and Mack (1981): minutes that four ways of assembling take nine workers.
ASSEMBLY = np.array(
    [
        [3.2, 3.1, 4.3, 3.5, 3.6, 4.5, nan, 4.3, 3.5],
        [4.1, 3.9, 3.5, 3.6, 4.2, 4.7, 4.2, 4.6, nan],
        [3.8, 3.4, 4.6, 3.9, 3.7, 3.7, 3.4, 4.4, 3.7],
        [4.2, 4.0, 4.8, 4.0, 3.9, nan, nan, 4.9, 3.9],
    ]
)
# Four systems, three on each dataset, each pair on four of the eight.
BALANCED = np.array(
    [
        [2, 4, 3, nan, 1, 2, 9, nan],
        [5, 1, nan, 2, 3, 5, nan, 1],
        [9, nan, 8, 5, 6, nan, 4, 8],
        [nan, 7, 6, 4, nan, 8, 7, 3],
    ]
)


def by_definition(scores):
    """Return the statistic and its rank from equal-chance permutations, dataset by dataset."""
    k = len(scores)
    totals, covariance = np.zeros(k), np.zeros((k, k))
    for column in scores.T:
        has = np.flatnonzero(~np.isnan(column))
        if has.size < 2:
            continue
        ranks = stats.rankdata(-column[has])
        weight = math.sqrt(12 / (has.size + 1))
        totals[has] += weight * (ranks - (has.size + 1) / 2)
        orders = np.array(list(itertools.permutations(ranks)))
        covariance[np.ix_(has, has)] += weight**2 * np.cov(orders.T, bias=True)
    pseudo = np.linalg.pinv(covariance, rcond=1e-9, hermitian=True)
    return totals @ pseudo @ totals, np.linalg.matrix_rank(covariance, tol=1e-9)


def test_published_example():
    # Scores and statistic are entered from recollection, those of the stutterers below too.
    result = skillings_mack_test(ASSEMBLY)
    assert result.statistic == pytest.approx(15.493, abs=5e-4)
    assert result.df == 3
    assert result.pvalue == pytest.approx(0.00144, abs=5e-6)
    np.testing.assert_array_equal(result.n_ranked, [8, 8, 9, 7])
    assert result.pvalue_permutation < 0.001


def test_stutterers_of_hollander_and_wolfe():
    # Brady (1969), by Hollander and Wolfe (1999), example 7.8: seven of eight rows complete.
    rows = [[3, 1, 5, 2, 0, 0, 0, 0], [5, 3, 4, nan, 2, 2, 3, 2], [15, 18, 21, 6, 17, 10, 8, 13]]
    result = skillings_mack_test(rows, n_resamples=99)
    statistic, rank = by_definition(np.array(rows))
    assert (result.statistic, result.df) == (pytest.approx(statistic, rel=1e-10), rank)
    assert result.statistic == pytest.approx(13.28, abs=5e-3)


@given(scores=ratings, seed=st.integers(0, 99))
def test_complete_tables_give_friedmans_test_ties_included(scores, seed):
    ours = skillings_mack_test(scores, n_resamples=2_000, rng=seed)
    friedman = friedman_test(scores)  # all permutations
    assert ours.statistic == pytest.approx(friedman.statistic, abs=1e-9)
    if friedman.statistic:
        assert ours.pvalue == pytest.approx(friedman.pvalue, abs=1e-9)
        assert ours.df == friedman.df
    assert ours.pvalue_permutation == pytest.approx(friedman.pvalue_permutation, abs=0.06)
    np.testing.assert_allclose(ours.mean_ranks, friedman.mean_ranks)


def test_balanced_incomplete_blocks_give_durbins_test():
    result = skillings_mack_test(BALANCED, n_resamples=99)
    t, b, k, r = 4, 8, 3, 6
    ranks = np.array([[np.nan] * b] * t)
    for j, column in enumerate(BALANCED.T):
        has = ~np.isnan(column)
        ranks[has, j] = stats.rankdata(column[has])
    totals = np.nansum(ranks, axis=1)
    durbin = 12 * (t - 1) / (r * t * (k**2 - 1)) * np.sum((totals - r * (k + 1) / 2) ** 2)
    assert result.statistic == pytest.approx(durbin, rel=1e-12)
    assert result.statistic == pytest.approx(7.125, rel=1e-12)  # as scikit-posthocs 0.17.1
    assert result.pvalue == pytest.approx(0.06801853678001668, rel=1e-10)


@given(scores=some_missing)
def test_statistic_is_the_quadratic_form_in_its_permutation_covariance(scores):
    result = skillings_mack_test(scores, n_resamples=20)
    statistic, rank = by_definition(scores)
    if result.n_datasets == 0:
        assert math.isnan(result.statistic)
        assert math.isnan(result.pvalue)
        assert math.isnan(result.pvalue_permutation)
        return
    assert result.statistic == pytest.approx(statistic, abs=1e-8)
    assert result.df == rank
    assert 0 < result.pvalue <= 1
    if rank == 0:
        assert (result.statistic, result.pvalue, result.pvalue_permutation) == (0, 1, 1)


@given(scores=some_missing, data=st.data())
def test_order_scale_and_lone_systems_do_not_matter(scores, data):
    result = skillings_mack_test(scores, n_resamples=20)
    systems = data.draw(st.permutations(range(scores.shape[0])))
    moved = skillings_mack_test(-scores[systems] * 3 + 1, n_resamples=20)
    if result.n_datasets:
        assert moved.statistic == pytest.approx(result.statistic, abs=1e-8)
    np.testing.assert_array_equal(moved.n_ranked, result.n_ranked[systems])
    alone = np.full((len(scores), 1), nan)
    alone[0] = 5
    more = skillings_mack_test(np.hstack([alone, scores, alone]), n_resamples=20)
    np.testing.assert_array_equal(more.to_dict(), result.to_dict())


def test_permutation_pvalue_approaches_enumeration():
    scores = BALANCED[:, :4]
    present = ~np.isnan(scores)

    def spread(table):
        # Balanced and untied: the statistic grows with the squares of the centred totals.
        ranks = [
            stats.rankdata(column[has]) - 2 for column, has in zip(table.T, present.T, strict=True)
        ]
        totals = np.zeros(4)
        for has, centred in zip(present.T, ranks, strict=True):
            totals[has] += centred
        return np.sum(totals**2)

    spreads = []
    for orders in itertools.product(itertools.permutations(range(3)), repeat=4):
        table = scores.copy()
        for column, has, order in zip(table.T, present.T, orders, strict=True):
            column[has] = order
        spreads.append(spread(table))
    exact = np.mean(np.array(spreads) >= spread(scores) - 1e-9)
    result = skillings_mack_test(scores, n_resamples=9_999)
    assert result.pvalue_permutation == pytest.approx(exact, abs=0.02)


def test_level_is_kept_with_missing_scores():
    rng = np.random.default_rng(2)
    n_times, found = 300, []
    for i in range(n_times):
        scores = rng.integers(0, 8, size=(5, 9)).astype(float)
        scores[rng.random(scores.shape) < 0.35] = nan
        found.append(skillings_mack_test(scores, n_resamples=99, rng=i))
    bound = stats.binom.ppf(0.999, n_times, 0.05)
    assert sum(result.pvalue_permutation <= 0.05 for result in found) <= bound
    assert sum(result.pvalue <= 0.05 for result in found) <= bound


def test_parts_that_nothing_compares_are_counted():
    apart = [[3, 5, nan, nan], [1, 2, nan, nan], [nan, nan, 4, 7], [nan, nan, 6, 9]]
    result = skillings_mack_test([*apart, [nan] * 4], n_resamples=99)
    assert (result.n_parts, result.df) == (2, 2)
    assert result.n_ranked[4] == 0
    assert math.isnan(result.mean_ranks[4])
    assert skillings_mack_test(ASSEMBLY, n_resamples=9).n_parts == 1


def test_result_is_plain_and_says_how_to_repeat_it():
    result = skillings_mack_test(ASSEMBLY, n_resamples=99, rng=4)
    assert result.to_dict()["n_ranked"] == [8, 8, 9, 7]
    assert result.signature.startswith("skillings-mack|systems:4|datasets:9|B:99|seed:4|")
    assert "chi2(3) = 15.49" in str(result)


def test_scores_are_checked():
    with pytest.raises(ValueError, match="`scores` must be 2-D"):
        skillings_mack_test([1, 2])
    with pytest.raises(ValueError, match="at least 2 systems"):
        skillings_mack_test([[1, 2]])
    with pytest.raises(ValueError, match="must be finite"):
        skillings_mack_test([[1, 2], [math.inf, 3]])
    with pytest.raises(ValueError, match="`n_resamples` must be at least 1"):
        skillings_mack_test([[1, 2], [4, 3]], n_resamples=0)
