import itertools
import math

import numpy as np
import pytest

from analysis.statistics.all_pairs import missing
from analysis.statistics.all_pairs.max_t import max_t_all_pairs
from analysis.statistics.all_pairs.signflip import signflip_all_pairs
from analysis.statistics.resampling.plan import sign_codes, signs_of

NAN = math.nan


def graded(n_systems, n_items, seed=0, absent=0.0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n_items) + rng.normal(size=(n_systems, n_items))
    scores *= np.linspace(0.5, 2, n_systems)[:, np.newaxis]
    scores += np.linspace(0, 0.6, n_systems)[:, np.newaxis]
    scores[rng.random(scores.shape) < absent] = NAN
    return scores


def by_hand(scores, alternative, n_resamples, seed, groups=None):
    """Step-down maxima, hypothesis by hypothesis."""
    n_systems, n_items = scores.shape
    groups = np.arange(n_items) if groups is None else groups
    blocks = range(-(-n_resamples // 256))
    signs = np.concatenate([signs_of(sign_codes(seed, b, int(groups.max()) + 1)) for b in blocks])
    signs = signs[:n_resamples]
    sign = {"two-sided": 0, "greater": 1, "less": -1}[alternative]
    pairs = itertools.permutations if sign else itertools.combinations
    rows = []
    for i, j in pairs(range(n_systems), 2):
        d = np.bincount(groups, weights=np.nan_to_num(scores[i] - scores[j]))
        drawn = signs @ d / np.sqrt(d @ d)
        observed = d.sum() / np.sqrt(d @ d)
        if sign:
            rows.append((sign * observed, sign * drawn, i, j))
        else:
            rows.append((abs(observed), np.abs(drawn), i, j))
    rows.sort(key=lambda row: row[0])
    highest, found = np.full(n_resamples, -np.inf), []
    for observed, drawn, i, j in rows:
        highest = np.maximum(highest, drawn)
        found.append((np.mean(highest >= observed - 1e-9), i, j))
    adjusted, least = np.full((n_systems, n_systems), NAN), 0.0
    for share, i, j in reversed(found):
        least = max(least, (share * n_resamples + 1) / (n_resamples + 1))
        adjusted[i, j] = least
        if not sign:
            adjusted[j, i] = least
    return adjusted


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("absent", [0.0, 0.2])
@pytest.mark.parametrize("grouped", [False, True])
def test_equals_the_definition(alternative, absent, grouped):
    scores = graded(6, 60, absent=absent)
    groups = np.arange(60) // 2 if grouped else None
    result = max_t_all_pairs(
        scores, groups=groups, alternative=alternative, n_resamples=600, seed=2
    )
    np.testing.assert_allclose(result, by_hand(scores, alternative, 600, 2, groups), rtol=1e-12)


@pytest.mark.parametrize("absent", [0.0, 0.2])
def test_neither_threads_nor_slabs_matter(absent, monkeypatch):
    scores = graded(7, 80, absent=absent)
    expected = max_t_all_pairs(scores, n_resamples=1_500, n_threads=1)
    np.testing.assert_array_equal(max_t_all_pairs(scores, n_resamples=1_500, n_threads=3), expected)
    for size in (1, 7 * 7 * 64 * 8):
        monkeypatch.setattr(missing, "SLAB", size)
        np.testing.assert_array_equal(max_t_all_pairs(scores, n_resamples=1_500), expected)


def test_no_adjusted_pvalue_is_below_its_own():
    scores = np.rint(3 * graded(8, 90))
    own = signflip_all_pairs(scores).pvalue
    adjusted = max_t_all_pairs(scores, n_resamples=9_999)
    off = ~np.eye(8, dtype=bool)
    np.testing.assert_array_equal(adjusted, adjusted.T)
    assert np.all(np.isnan(np.diag(adjusted)))
    error = 5 * np.sqrt(own * (1 - own) / 10_000) + 2e-4
    assert np.all((adjusted > own - error)[off])


def test_the_number_of_pairs_does_not_push_the_floor_out_of_reach():
    # 780 pairs: Bonferroni at .05 needs p below 6.4e-5, fewer patterns than 999 could ever give.
    scores = graded(40, 60) + 3 * np.arange(40)[:, np.newaxis]
    adjusted = max_t_all_pairs(scores, n_resamples=999)
    assert np.nanmin(adjusted) == 1 / 1_000
    assert np.mean(adjusted[np.triu_indices(40, 1)] < 0.05) > 0.9


def test_family_wise_error_without_differences():
    rng = np.random.default_rng(0)
    rejected = 0
    for repeat in range(200):
        scores = rng.normal(size=30) + rng.exponential(size=(6, 30))
        rejected += np.nanmin(max_t_all_pairs(scores, n_resamples=199, seed=repeat)) <= 0.1
    # 20 expected of 200; the bound is five standard errors away.
    assert rejected <= 42


def test_identical_systems_and_pairs_without_shared_items():
    scores = graded(4, 30)
    scores[1] = scores[0]
    scores[2, :15] = NAN
    scores[3, 15:] = NAN
    adjusted = max_t_all_pairs(scores, n_resamples=99)
    assert adjusted[0, 1] == adjusted[1, 0] == 1
    assert math.isnan(adjusted[2, 3])
    assert adjusted[0, 2] < 1 or adjusted[0, 3] <= 1
    assert np.all(max_t_all_pairs(np.ones((3, 5)))[~np.eye(3, dtype=bool)] == 1)


@pytest.mark.parametrize("scores", [np.zeros((0, 5)), np.zeros((1, 5)), np.full((3, 4), NAN)])
def test_nothing_to_test(scores):
    assert np.all(np.isnan(max_t_all_pairs(scores)))


def test_errors_name_the_argument():
    with pytest.raises(ValueError, match="`alternative` must be one of"):
        max_t_all_pairs([[1.0], [2.0]], alternative="both")
    with pytest.raises(ValueError, match="`n_resamples` must be at least 1"):
        max_t_all_pairs([[1.0], [2.0]], n_resamples=0)
