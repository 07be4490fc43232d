import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from analysis.statistics.across.friedman import dataset_ranks
from analysis.statistics.across.nemenyi import nemenyi, range_tail
from analysis.statistics.across.stepwise_mean_ranks import (
    smallest_stepwise_pvalue,
    stepwise_mean_ranks,
)

FULL = pytest.mark.full
ratings = arrays.arrays(
    np.float64, st.tuples(st.integers(2, 5), st.integers(1, 9)), elements=st.integers(0, 3)
)


@pytest.mark.parametrize("n_datasets", [3, 4, 5])
def test_two_systems_on_too_few_datasets_are_never_told_apart(n_datasets):
    scores = [[0.9] * n_datasets, [0.1] * n_datasets]
    found = stepwise_mean_ranks(scores)
    assert not found.different.any()
    assert found.pvalue[0, 1] == found.smallest_pvalue == 2.0 ** (1 - n_datasets)
    # Nemenyi's normal range says otherwise on four.
    assert nemenyi(scores).different.any() == (n_datasets > 3)


@given(scores=ratings)
def test_two_of_them_alone_are_the_sign_test(scores):
    pair = scores[:2]
    wins, losses = (int(np.sum(x)) for x in (pair[0] > pair[1], pair[0] < pair[1]))
    p = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert stepwise_mean_ranks(pair).pvalue[0, 1] == pytest.approx(p)


def _closed(scores, alpha):
    """Reject a pair where every set of systems that holds it is rejected, level by level."""
    k, n = scores.shape
    ranks = dataset_ranks(scores)
    own = np.sign(ranks[np.newaxis] - ranks[:, np.newaxis])
    margin, apart = own.sum(axis=2), np.abs(own).sum(axis=2)
    told = set()
    for i, j in itertools.combinations(range(k), 2):
        rest = [c for c in range(k) if c not in (i, j)]
        for size in range(2, k + 1):
            level = alpha if size >= k - 1 else alpha * size / k
            if size == 2:
                wins = int((apart[i, j] + margin[i, j]) / 2)
                if stats.binomtest(wins, int(apart[i, j])).pvalue > level:
                    break
                continue
            spread = math.sqrt(n * size * (size + 1) / 12)
            rejected = True
            for others in itertools.combinations(rest, size - 2):
                members = [i, j, *others]
                totals = dataset_ranks(scores[members]).sum(axis=1)
                distance = np.sign(margin[i, j]) * (totals[1] - totals[0])
                tail = range_tail(np.array([max(distance - 0.5, 0) / spread]), size)[0]
                rejected = rejected and tail <= level
            if not rejected:
                break
        else:
            told.add((i, j))
    return told


def test_at_least_what_brute_force_over_all_sets_rejects_is_rejected():
    rng = np.random.default_rng(2)
    n_told = 0
    for _ in range(15):
        scores = rng.normal(size=(5, 12)) + np.linspace(0, 4, 5)[:, np.newaxis]
        found = stepwise_mean_ranks(scores).different
        closed = _closed(scores, 0.05)
        n_told += len(closed)
        assert all(found[pair] for pair in closed)
    assert n_told > 10


@given(scores=ratings, data=st.data())
def test_order_and_scale_do_not_matter(scores, data):
    found = stepwise_mean_ranks(scores).pvalue
    systems = data.draw(st.permutations(range(len(scores))))
    moved = stepwise_mean_ranks(-2 * scores[systems] + 5).pvalue
    np.testing.assert_allclose(moved, found[np.ix_(systems, systems)])
    off = ~np.eye(len(scores), dtype=bool)
    assert np.isnan(np.diag(found)).all()
    assert found[off].min() >= smallest_stepwise_pvalue(*scores.shape) - 1e-12
    np.testing.assert_array_equal(found[off], found.T[off])


def _alike(rng, kind, k, n):
    """Return scores, and the sets of systems that are alike."""
    if kind == "all":
        return rng.random((k, n)), [range(k)]
    if kind == "ties":
        return rng.integers(0, 3, (k, n)), [range(k)]
    if kind == "one is best":
        scores = rng.random((k, n))
        scores[0] += 9
        return scores, [range(1, k)]
    if kind == "a wide pair around the others":
        scores = rng.normal(size=(k, n))
        scores[:2] *= 100
        return scores, [range(2), range(2, k)]
    return rng.random((k, n)) + 9 * (np.arange(k) // 2)[:, np.newaxis], [
        range(i, i + 2) for i in range(0, k - 1, 2)
    ]


@pytest.mark.parametrize(
    "kind", ["all", "ties", "one is best", "a wide pair around the others", "pairs"]
)
@pytest.mark.parametrize(
    ("k", "n"), [(2, 6), (4, 7), pytest.param(3, 6, marks=FULL), pytest.param(6, 9, marks=FULL)]
)
@pytest.mark.calibration
def test_level_of_the_family_is_kept_whoever_is_alike(kind, k, n):
    rng = np.random.default_rng(17)
    n_times, wrong = 250, 0
    for _ in range(n_times):
        scores, sets = _alike(rng, kind, k, n)
        different = stepwise_mean_ranks(scores).different
        wrong += any(different[np.ix_(alike, alike)].any() for alike in sets if len(alike) > 1)
    assert wrong <= stats.binom.ppf(0.9995, n_times, 0.05)


@pytest.mark.parametrize(("k", "n"), [(3, 6), (3, 9), (4, 6), (4, 7)])
def test_totals_of_enumerated_ranks_have_smaller_tails_than_taken(k, n):
    ways = np.array(list(itertools.permutations(range(k))))
    totals, chance = np.zeros((1, k), dtype=int), np.ones(1)
    for _ in range(n):
        added = np.sort((totals[:, np.newaxis] + ways).reshape(-1, k), axis=1)
        totals, which = np.unique(added, axis=0, return_inverse=True)
        chance = np.bincount(which.ravel(), np.repeat(chance / len(ways), len(ways)))
    ranges = totals[:, -1] - totals[:, 0]
    spread = math.sqrt(n * k * (k + 1) / 12)
    for distance in range(1, n * (k - 1) + 1):
        exact = chance[ranges >= distance].sum()
        if exact <= 0.1:
            assert exact <= range_tail(np.array([(distance - 0.5) / spread]), k)[0]


def test_who_is_best_on_every_dataset_is_found_where_wilcoxon_holm_cannot():
    rng = np.random.default_rng(0)
    scores = rng.random((10, 8)) + np.linspace(0, 9, 10)[:, np.newaxis]
    found = stepwise_mean_ranks(scores)
    assert found.smallest_pvalue == pytest.approx(10 / 2 / 2**7)
    assert found.different[0, 9]
    assert found.pvalue[0, 9] >= found.smallest_pvalue


def test_result_is_plain_and_says_how_to_repeat_it():
    found = stepwise_mean_ranks([[9] * 7, [5, 6] * 3 + [5], [6, 5] * 3 + [6]])
    assert found.to_dict()["pvalue"][0][0] is None
    assert found.signature.startswith("stepwise-mean-ranks|systems:3|datasets:7|alpha:0.05|")
    assert "2 pairs of 3 systems differ on 7 datasets" in str(found)
    with pytest.raises(ValueError, match="missing is system 0 on dataset 1"):
        stepwise_mean_ranks([[1, math.nan], [2, 3]])
