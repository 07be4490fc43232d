"""Tests of all pairs without resampling, against scipy, statsmodels and the tests of one pair."""

import itertools
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from analysis.statistics.all_pairs import closed_forms
from analysis.statistics.all_pairs.closed_forms import (
    fair_coin_all_pairs,
    paired_moments,
    t_all_pairs,
    wins_all_pairs,
)
from analysis.statistics.all_pairs.pairwise import pairwise
from analysis.statistics.all_pairs.rank_kernels import MAX_EXACT_TIED
from analysis.statistics.all_pairs.result import PairMethod
from analysis.statistics.all_pairs.wilcoxon import signed_ranks, wilcoxon_all_pairs
from analysis.statistics.paired.rank_tests import wilcoxon
from analysis.statistics.paired.tests import paired_test
from analysis.statistics.results import DegenerateDataWarning
from tests.test_statistics.pairs import difference_interval

ALTERNATIVES = ("two-sided", "greater", "less")
PAIRS = list(itertools.permutations(range(4), 2))
GROUPS = [*"aaabbbccccddeffffggghhijkkklll", None, None, "z", "z", None, "a"]


def graded(kind, n_items=36, missing=0.0):
    rng = np.random.default_rng(5)
    shape = (4, n_items)
    scores = {
        "ratings": rng.integers(1, 6, shape).astype(float),
        "three levels": rng.integers(0, 3, shape).astype(float),
        "tenths": rng.integers(0, 300, shape) / 10,
        "thirds": rng.integers(0, 9, shape) / 3,
        "normal": rng.normal(size=shape),
        "lognormal": rng.lognormal(sigma=2.0, size=shape),
        "large whole": rng.integers(0, 10**6, shape).astype(float),
        "huge whole": rng.integers(0, 2**40, shape).astype(float),
    }[kind]
    scores[rng.random(shape) < missing] = np.nan
    return scores


KINDS = (
    "ratings",
    "three levels",
    "tenths",
    "thirds",
    "normal",
    "lognormal",
    "large whole",
    "huge whole",
)


@pytest.mark.parametrize(
    ("test", "kind", "missing"),
    # Each test meets scores that are missing in every other kind.
    [
        (test, kind, 0.25 * ((place + at) % 2))
        for place, test in enumerate(("t", "wilcoxon", "sign"))
        for at, kind in enumerate(KINDS)
    ],
)
def test_all_pairs_are_the_tests_of_each_pair(test, kind, missing):
    scores = graded(kind, missing=missing)
    for alternative in ALTERNATIVES:
        result = pairwise(scores, test=test, alternative=alternative, correction="none")
        for i, j in PAIRS:
            pair = paired_test(scores[i], scores[j], test=test, alternative=alternative)
            assert result.pvalue[i, j] == pytest.approx(pair.pvalue, rel=1e-10)
            assert result.difference[i, j] == pytest.approx(pair.difference, rel=1e-9, abs=1e-12)
            assert result.n_items[i, j] == pair.n_items
            assert result.pvalue_floor[i, j] == (pair.pvalue_floor or 0.0)


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
@pytest.mark.parametrize("exponent", [-1_000, -960, 320])
def test_size_of_scores_does_not_matter(test, exponent):
    scores = graded("normal", missing=0.25)
    usual = pairwise(scores, test=test, correction="none", interval="none")
    scaled = pairwise(np.ldexp(scores, exponent), test=test, correction="none", interval="none")
    np.testing.assert_array_equal(scaled.pvalue, usual.pvalue)


@pytest.mark.parametrize("missing", [0.0, 0.25])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_mcnemar_of_all_pairs_is_that_of_each_pair(alternative, missing):
    rng = np.random.default_rng(3)
    scores = (rng.random((4, 50)) < 0.6).astype(float)
    scores[rng.random(scores.shape) < missing] = np.nan
    result = pairwise(scores, test="mcnemar", alternative=alternative, correction="none")
    assert result.interval_method == "tango"
    for i, j in PAIRS:
        pair = paired_test(scores[i], scores[j], test="mcnemar", alternative=alternative)
        assert result.pvalue[i, j] == pytest.approx(pair.pvalue, rel=1e-12)
        assert result.pvalue_floor[i, j] == pair.pvalue_floor
    assert (result.method[~np.eye(4, dtype=bool)] == PairMethod.EXACT).all()


def test_mcnemar_agrees_with_statsmodels():
    scores = (np.random.default_rng(1).random((4, 60)) < 0.7).astype(float)
    result = pairwise(scores, test="mcnemar")
    score = pairwise(scores)
    assert score.test == "score"
    for i, j in PAIRS:
        table = [[np.sum((scores[i] == x) & (scores[j] == y)) for y in (1, 0)] for x in (1, 0)]
        assert result.pvalue[i, j] == pytest.approx(mcnemar(table, exact=True).pvalue, rel=1e-12)
        plain = mcnemar(table, exact=False, correction=False).pvalue
        assert score.pvalue[i, j] == pytest.approx(plain, rel=1e-9)


def test_t_agrees_with_scipy():
    scores = graded("normal", missing=0.2)
    result = pairwise(scores, test="t")
    for i, j in PAIRS:
        peer = stats.ttest_rel(scores[i], scores[j], nan_policy="omit")
        assert result.pvalue[i, j] == pytest.approx(peer.pvalue, rel=1e-10)
        interval = peer.confidence_interval(0.95)
        assert result.ci_low[i, j] == pytest.approx(interval.low, rel=1e-9)
        assert result.ci_high[i, j] == pytest.approx(interval.high, rel=1e-9)


@pytest.mark.parametrize("kind", ["ratings", "normal", "large whole"])
def test_wilcoxon_of_many_items_agrees_with_scipy(kind):
    scores = graded(kind, n_items=1_500)
    result = pairwise(scores, test="wilcoxon")
    for i, j in itertools.combinations(range(4), 2):
        peer = stats.wilcoxon(scores[i], scores[j], method="asymptotic", correction=False)
        assert result.pvalue[i, j] == pytest.approx(peer.pvalue, rel=1e-10)
        assert result.method[i, j] == PairMethod.CLOSED_FORM


def test_wilcoxon_is_exact_for_few_items_and_without_ties():
    for kind, n_items, exact in (
        ("ratings", MAX_EXACT_TIED, True),
        ("ratings", 400, False),
        ("three levels", 400, True),
        ("normal", 400, True),
        ("normal", 600, False),
    ):
        scores = graded(kind, n_items=n_items)
        n = np.full((4, 4), n_items)
        found = wilcoxon_all_pairs(scores, n)
        method = PairMethod.EXACT if exact else PairMethod.CLOSED_FORM
        assert (found.method[~np.eye(4, dtype=bool)] == method).all()
        for i, j in itertools.combinations(range(4), 2):
            pair = wilcoxon(scores[i], scores[j], method="exact" if exact else "normal")
            assert found.pvalue[i, j] == pytest.approx(pair.pvalue, rel=1e-10)


@given(
    npst.arrays(
        np.float64,
        st.tuples(st.just(2), st.integers(1, 40)),
        elements=st.one_of(
            st.integers(-3, 3).map(float),
            st.floats(-1e6, 1e6, width=32),
            st.just(float("nan")),
        ),
    )
)
def test_signed_ranks_are_those_of_the_definition(scores):
    difference = scores[0] - scores[1]
    difference = difference[~np.isnan(difference)]
    steps = np.round(difference / max(1.0, np.max(np.abs(difference), initial=0.0)), 11)
    steps = steps[steps != 0]
    ranks = stats.rankdata(np.abs(steps))
    found = signed_ranks(scores, n_threads=1)
    _, tied = np.unique(np.abs(steps), return_counts=True)
    # Differences that only rounding to 11 digits makes equal are no concern here.
    exact = np.unique(np.abs(difference[difference != 0])).size == tied.size
    if exact and steps.size == np.count_nonzero(difference):
        assert found.n_nonzero[0, 1] == steps.size
        assert found.doubled[0, 1] == round(2 * ranks[steps > 0].sum())
        assert found.doubled[1, 0] == round(2 * ranks[steps < 0].sum())
        assert found.ties[0, 1] == np.sum(tied**3 - tied)


@pytest.mark.parametrize("spread", [1e-12, 1e6])
def test_ranks_of_clustered_sizes_are_sorted_all_the_same(spread):
    # All differences share their highest digits, so the quick sort has to go through the rest.
    rng = np.random.default_rng(0)
    base = rng.normal(size=1_200)
    scores = np.stack(
        [base, base - 1.0 - spread * rng.random(1_200) * rng.choice([1, 1e-5], 1_200)]
    )
    pair = wilcoxon(scores[0], scores[1], method="normal")
    found = wilcoxon_all_pairs(scores, np.full((2, 2), 1_200))
    assert found.pvalue[0, 1] == pytest.approx(pair.pvalue, rel=1e-9)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_cluster_robust_t_is_that_of_each_pair(missing):
    scores = graded("normal", missing=missing)
    for alternative in ALTERNATIVES:
        result = pairwise(scores, test="t", groups=GROUPS, alternative=alternative)
        for i, j in PAIRS:
            pair = paired_test(
                scores[i], scores[j], test="t", groups=GROUPS, alternative=alternative
            )
            assert result.pvalue[i, j] == pytest.approx(pair.pvalue, rel=1e-9)
            level = 0.95 if alternative == "two-sided" else 0.9
            interval = difference_interval(
                scores[i], scores[j], groups=GROUPS, method="t", confidence_level=level
            )
            low = -np.inf if alternative == "less" else interval.low
            high = np.inf if alternative == "greater" else interval.high
            assert result.ci_low[i, j] == pytest.approx(low, rel=1e-9)
            assert result.ci_high[i, j] == pytest.approx(high, rel=1e-9)


def test_cancellation_does_not_spoil_the_t_test():
    rng = np.random.default_rng(0)
    scores = 1e8 + rng.normal(size=(4, 40))
    scores[1] = scores[0] + 1e-3 * rng.normal(size=40)
    scores[2, 7] = 1e14
    result = pairwise(scores, test="t", correction="none")
    for i, j in PAIRS:
        pair = paired_test(scores[i], scores[j], test="t")
        assert result.pvalue[i, j] == pytest.approx(pair.pvalue, rel=1e-6)


def test_t_of_constant_differences_is_not_testable():
    scores = np.array([[1.0, 2, 4, 3], [2.0, 3, 5, 4], [1.0, 2, 4, 3]])
    with pytest.warns(DegenerateDataWarning, match="2 of 3 pairs differ by the same amount"):
        found = t_all_pairs(paired_moments(scores))
    assert np.isnan(found.pvalue[0, 1])
    assert found.method[0, 1] == PairMethod.NOT_TESTABLE
    assert found.pvalue[0, 2] == 1.0


def test_equal_decimals_are_no_wins():
    wins = wins_all_pairs(np.array([[0.1 + 0.2, 0.5], [0.3, 0.4]]))
    assert wins.tolist() == [[0, 1], [0, 0]]
    found = fair_coin_all_pairs(wins, np.full((2, 2), 2))
    assert found.pvalue[0, 1] == 1.0


@pytest.mark.parametrize("method", ["tango", "newcombe"])
def test_score_intervals_are_those_of_each_pair(method):
    rng = np.random.default_rng(2)
    scores = (rng.random((6, 40)) < np.array([0.5, 0.6, 0.9, 0.97, 1.0, 0.0])[:, None]).astype(
        float
    )
    scores[rng.random(scores.shape) < 0.1] = np.nan
    scores[1] = scores[0]
    for alpha in (0.05, 0.001):
        result = pairwise(scores, interval=method, alpha=alpha)
        for i, j in itertools.permutations(range(6), 2):
            pair = difference_interval(
                scores[i], scores[j], method=method, confidence_level=1 - alpha
            )
            assert result.ci_low[i, j] == pytest.approx(pair.low, abs=1e-12)
            assert result.ci_high[i, j] == pytest.approx(pair.high, abs=1e-12)


def test_intervals_without_spread_are_those_of_each_pair():
    scores = np.array([[1.0, 2, 4, 3], [2.0, 3, 5, 4], [1.0, 2, 4, 3]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = pairwise(scores, test="signflip", interval="t")
    for i, j in itertools.permutations(range(3), 2):
        pair = difference_interval(scores[i], scores[j], method="t")
        assert (result.ci_low[i, j], result.ci_high[i, j]) == pytest.approx((pair.low, pair.high))


@pytest.mark.parametrize("aggregation", ["pearson", "spearman"])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_steiger_is_that_of_each_pair(aggregation, alternative):
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 20, 30).astype(float)
    scores = np.stack(
        [np.stack([gold + noise * rng.normal(size=30), gold], axis=1) for noise in (3, 6, 9, 9)]
    )
    scores[3] = scores[0]
    scores[1, 4, 0] = scores[2, 5, 1] = np.nan
    options = {"aggregation": aggregation, "alternative": alternative, "test": "steiger"}
    result = pairwise(scores, interval="none", **options)
    for i, j in PAIRS:
        pair = paired_test(scores[i], scores[j], **options)
        assert result.pvalue[i, j] == pytest.approx(pair.pvalue, rel=1e-9)
        assert result.difference[i, j] == pytest.approx(pair.difference, abs=1e-14)


def test_r_agrees(r_inputs, r_reference):
    for name, sample in r_inputs["paired"].items():
        a, b = (np.array(sample[key], dtype=float) for key in list(sample)[:2])
        expected = r_reference["paired"][name]
        for alternative in ALTERNATIVES:
            side = alternative.replace("-", ".")
            for test, key in (("t", "t"), ("sign", "sign")):
                if f"{key}_{side}" in expected:
                    result = pairwise([a, b], test=test, alternative=alternative)
                    assert result.pvalue[0, 1] == pytest.approx(
                        expected[f"{key}_{side}"]["p"], rel=1e-10
                    )


@pytest.mark.parametrize("share_missing", [0.0, 0.3])
def test_moments_of_right_and_wrong_come_from_counts(share_missing) -> None:
    rng = np.random.default_rng(5)
    scores = (rng.random((12, 90)) < rng.random((12, 1))).astype(float)
    scores[0], scores[1], scores[2] = 1.0, 1.0, 0.0
    scores[rng.random(scores.shape) < share_missing] = np.nan
    counted = paired_moments(scores)
    one_by_one = paired_moments(scores, groups=[*range(89), None])  # each item a group of its own
    first, second = np.triu_indices(12)
    summed = closed_forms._moments_of(scores, None, first, second)
    assert np.array_equal(counted.n_items[first, second], summed[:, 0])
    assert np.array_equal(counted.difference[first, second], summed[:, 2])
    factor = np.sqrt(summed[:, 0] / (summed[:, 0] - 1)) / summed[:, 0]
    error = counted.standard_error[first, second]
    assert np.allclose(error, summed[:, 3] * factor, rtol=4e-16, atol=0)
    for one, other in zip(counted, one_by_one, strict=True):
        assert np.array_equal(one, other)
    with_ratings = paired_moments(np.vstack([scores, rng.random(90)]))
    for one, other in zip(counted, with_ratings, strict=True):
        assert np.array_equal(one, other[:12, :12])


HOSTILE = {
    "usual": lambda rng, n: rng.normal(size=(4, n)),
    "far from zero": lambda rng, n: 1e9 + rng.normal(size=(4, n)) * 1e-3,
    "nearly constant differences": lambda rng, n: rng.normal(size=n) + 1e-13 * rng.random((4, n)),
    "of all sizes": lambda rng, n: rng.normal(size=(4, n)) * 10.0 ** rng.integers(-40, 40, n),
    "tiny": lambda rng, n: rng.normal(size=(4, n)) * 1e-90,
    "huge": lambda rng, n: rng.normal(size=(4, n)) * 1e95,
    "equal but for one": lambda rng, n: np.eye(4, n) * 1e-7,
}


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("kind", HOSTILE)
def test_moments_are_right_to_the_last_digit(kind, missing):
    rng = np.random.default_rng(8)
    scores = np.array(HOSTILE[kind](rng, 301))
    scores[rng.random(scores.shape) < missing] = np.nan
    first, second = np.triu_indices(4, 1)
    found = closed_forms._moments_of(scores, None, first, second)
    shuffled = scores[:, rng.permutation(301)]
    assert np.array_equal(found, closed_forms._moments_of(shuffled, None, first, second))
    for row, i, j in zip(found, first, second, strict=True):
        differences = scores[i] - scores[j]
        own = [Fraction(d) for d in differences[~np.isnan(differences)].tolist()]
        assert row[0] == len(own)
        assert row[2] == pytest.approx(float(sum(own) / len(own)), rel=3e-16, abs=0)
        around = Fraction(float(row[2]))
        squares = float(sum((d - around) ** 2 for d in own))
        assert row[3] == pytest.approx(math.sqrt(squares), rel=4e-16, abs=0)
        assert (row[4], row[5]) == (float(min(own)), float(max(own)))
