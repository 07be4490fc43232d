"""The comparison of all pairs: what it chooses, corrects, says, and must never depend on."""

import itertools
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from analysis.statistics.all_pairs import complete_sets
from analysis.statistics.all_pairs.max_t import max_t_all_pairs
from analysis.statistics.all_pairs.pairwise import PAIRWISE_TESTS, pairwise
from analysis.statistics.all_pairs.result import PairMethod
from analysis.statistics.all_pairs.scales import too_coarse
from analysis.statistics.multiplicity import METHODS, adjust
from analysis.statistics.paired.inference import infer_pair
from analysis.statistics.paired.tests import paired_test
from analysis.statistics.resampling.threads import run_tiles

TESTS = ("t", "wilcoxon", "sign", "signflip", "bootstrap")
OFF = ~np.eye(4, dtype=bool)


def ratings(n_systems=4, n_items=40):
    rng = np.random.default_rng(8)
    scores = rng.integers(1, 6, (n_systems, n_items)).astype(float)
    scores[0] = np.minimum(scores[0] + 1, 5)
    return scores


small_scores = npst.arrays(
    np.float64,
    st.tuples(st.integers(1, 4), st.integers(0, 12)),
    elements=st.one_of(st.integers(0, 4).map(float), st.just(float("nan"))),
)


@pytest.mark.filterwarnings("ignore::analysis.statistics.results.DegenerateDataWarning")
@pytest.mark.parametrize("test", TESTS)
@given(scores=small_scores, one_sided=st.booleans())
@settings(max_examples=15)
def test_any_scores_have_an_answer_that_turns_with_the_pair(test, scores, one_sided):
    options = {"test": test, "n_resamples": 99, "interval": "percentile"}
    greater = pairwise(scores, alternative="greater" if one_sided else "two-sided", **options)
    less = pairwise(scores, alternative="less" if one_sided else "two-sided", **options)
    n = len(scores)
    np.testing.assert_array_equal(greater.pvalue, less.pvalue.T)
    np.testing.assert_array_equal(greater.difference, -greater.difference.T)
    if one_sided:
        np.testing.assert_array_equal(greater.ci_low, -less.ci_high.T)
        open_end = greater.ci_high[~np.isnan(greater.ci_low)]
        assert (open_end == np.inf).all()
    else:
        np.testing.assert_array_equal(greater.ci_low, -greater.ci_high.T)
    np.testing.assert_array_equal(greater.standard_error, greater.standard_error.T)
    np.testing.assert_array_equal(greater.n_items, greater.n_items.T)
    assert np.isnan(np.diag(greater.pvalue)).all()
    assert not greater.different[np.eye(n, dtype=bool)].any()
    tested = ~np.isnan(greater.pvalue)
    assert (greater.pvalue[tested] >= greater.pvalue_floor[tested]).all()
    assert (greater.pvalue[tested] <= 1).all()
    assert (greater.pvalue_adjusted[tested] >= greater.pvalue[tested]).all()
    assert ((greater.method == PairMethod.NOT_TESTABLE) == ~tested).all()
    for i, j in itertools.combinations(range(n), 2):
        shared = ~np.isnan(scores[i] - scores[j])
        assert greater.n_items[i, j] == shared.sum()
        if shared.any() and np.array_equal(scores[i][shared], scores[j][shared]):
            pvalue = greater.pvalue[i, j]
            assert pvalue == 1.0 or (test == "t" and shared.sum() < 2 and np.isnan(pvalue))


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign"])
@given(data=st.data())
@settings(max_examples=10)
def test_order_of_systems_and_items_does_not_matter(test, data):
    scores = ratings()
    scores[1, 3:7] = scores[2, 30] = np.nan
    systems = data.draw(st.permutations(range(4)))
    items = data.draw(st.permutations(range(40)))
    result = pairwise(scores, test=test)
    moved = pairwise(scores[np.ix_(systems, items)], test=test)
    at = np.ix_(systems, systems)
    np.testing.assert_allclose(moved.pvalue, result.pvalue[at], rtol=1e-12)
    np.testing.assert_allclose(moved.pvalue_adjusted, result.pvalue_adjusted[at], rtol=1e-12)
    np.testing.assert_allclose(moved.difference, result.difference[at], atol=1e-15)


@pytest.mark.parametrize("test", TESTS)
def test_missing_items_are_left_out(test):
    scores = ratings()
    scores[:, [2, 5, 11]] = np.nan
    without = np.delete(scores, [2, 5, 11], axis=1)
    options = {"test": test, "interval": "percentile", "n_resamples": 499}
    first, second = pairwise(scores, **options), pairwise(without, **options)
    np.testing.assert_allclose(first.difference, second.difference, atol=1e-15)
    np.testing.assert_allclose(first.pvalue, second.pvalue, rtol=1e-12)
    np.testing.assert_allclose(first.ci_low, second.ci_low, atol=1e-12)
    assert (first.n_items == 37).all()


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "signflip", "bootstrap"])
def test_threads_do_not_matter(test):
    scores = np.random.default_rng(0).normal(size=(6, 70))
    scores[0, :5] = np.nan
    options = {"test": test, "interval": "percentile", "n_resamples": 999, "correction": "holm"}
    one, three = (pairwise(scores, n_threads=n, **options) for n in (1, 3))
    for name in ("pvalue", "pvalue_adjusted", "ci_low", "ci_high", "standard_error", "method"):
        np.testing.assert_array_equal(getattr(one, name), getattr(three, name))


def test_auto_goes_by_the_scores():
    graded = ratings()
    binary = (graded > 3).astype(float)
    counts = np.random.default_rng(0).integers(1, 5, (3, 20, 3)).astype(float)
    groups = np.arange(40) // 2
    for scores, options, test, interval in (
        (graded, {}, "signflip", "inverted"),
        (binary, {}, "score", "tango"),
        (binary, {"groups": groups}, "signflip", "inverted"),
        (binary, {"groups": np.arange(40)}, "score", "tango"),
        (graded, {"groups": np.arange(40) // 8}, "t", "t"),
        (counts, {"aggregation": "f1"}, "bootstrap-percentile", "percentile"),
        (graded, {"aggregation": "median"}, "bootstrap-percentile", "percentile"),
        (counts[:, :, :2] + counts[:1, :, 1:], {"aggregation": "pearson"}, None, None),
    ):
        if test is None:
            scores[:, :, 1] = scores[0, :, 1]
            test, interval = "jackknife", "jackknife"
        result = pairwise(scores, n_resamples=99, **options)
        assert (result.test, result.interval_method) == (test, interval)
        assert result.why.endswith(".")
        assert result.why != "Asked for by name."
    assert pairwise(graded, test="t").why == "Asked for by name."


@pytest.mark.parametrize("correction", METHODS)
def test_corrections_are_those_of_adjust(correction):
    scores = ratings()
    scores[3, :] = np.nan
    two_sided = pairwise(scores, test="t", correction=correction)
    upper = np.triu_indices(4, 1)
    family = adjust(two_sided.pvalue[upper], correction)
    np.testing.assert_array_equal(two_sided.pvalue_adjusted[upper], family.pvalues_adjusted)
    assert two_sided.n_tests == two_sided.n_pairs == 3
    one_sided = pairwise(scores, test="t", correction=correction, alternative="greater")
    family = adjust(one_sided.pvalue[OFF], correction)
    np.testing.assert_allclose(one_sided.pvalue_adjusted[OFF], family.pvalues_adjusted)
    assert (one_sided.n_tests, one_sided.n_pairs) == (6, 3)


@pytest.mark.parametrize("test", ["t", "signflip"])
def test_max_t_is_that_of_the_sign_flip_plan(test):
    scores = ratings()
    result = pairwise(scores, test=test, correction="max-t", n_resamples=499, rng=4)
    joint = max_t_all_pairs(scores, n_resamples=499, seed=4)
    expected = np.maximum(joint, result.pvalue)[OFF]
    np.testing.assert_array_equal(result.pvalue_adjusted[OFF], expected)
    assert (result.n_resamples, result.seed) == (499, 4)
    assert "correction:max-t" in result.signature
    assert "seed:4" in result.signature


def test_the_number_of_replicates_never_decides_in_silence():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(12, 60)) + np.arange(12)[:, np.newaxis]
    few = pairwise(scores, test="bootstrap", n_resamples=199)
    assert "as small as 199 replicates can give" in few.floor_note
    assert "at least 1,319" in few.floor_note  # 66 / 0.05 - 1
    assert not few.different.any()
    enough = pairwise(scores, test="bootstrap", n_resamples=1_319)
    assert enough.different.any()
    assert enough.floor_note == ""
    assert pairwise(scores, test="bootstrap", n_resamples=199, correction="none").floor_note == ""
    alone = pairwise(scores[:3], test="signflip", correction="max-t", n_resamples=9)
    assert "nothing can be rejected. Take at least 19" in alone.floor_note


def test_no_replicates_are_named_where_none_were_drawn():
    exact = pairwise(ratings(), test="t")
    assert (exact.n_resamples, exact.seed) == (0, None)
    assert "seed" not in exact.signature
    drawn = pairwise(ratings(), test="t", interval="percentile", n_resamples=199, rng=0)
    assert (drawn.n_resamples, drawn.seed) == (199, 0)


def test_groups_are_exchanged_and_drawn_as_a_whole():
    scores = ratings()
    groups = np.arange(40) // 2
    for test in ("t", "signflip", "bootstrap"):
        result = pairwise(scores, test=test, groups=groups)
        assert result.n_groups == 20
        assert result.interval_method == ("t" if test == "t" else "inverted")
        for i, j in itertools.combinations(range(4), 2):
            pair = paired_test(scores[i], scores[j], test=test, groups=groups)
            assert result.pvalue[i, j] == pair.pvalue
            interval = infer_pair(scores[i], scores[j], test=test, groups=groups).interval
            assert result.ci_low[i, j] == pytest.approx(interval.low, rel=1e-12)
    with pytest.raises(ValueError, match="`groups` joins 40 items into 20 groups"):
        pairwise(scores, test="wilcoxon", groups=groups)


def test_one_huge_score_does_not_spoil_the_other_pairs():
    scores = np.random.default_rng(0).normal(size=(5, 100))
    scores[2] += 0.3
    wild = scores.copy()
    wild[0, 7], wild[4, 3] = 1e15, -3e16
    for test in ("signflip", "bootstrap"):
        options = {"test": test, "interval": "percentile", "n_resamples": 499}
        first, second = pairwise(scores, **options), pairwise(wild, **options)
        calm = np.ix_([1, 2, 3], [1, 2, 3])
        np.testing.assert_allclose(second.pvalue[calm], first.pvalue[calm], rtol=1e-9)
        np.testing.assert_allclose(second.ci_low[calm], first.ci_low[calm], rtol=1e-6)
        assert np.isfinite(second.pvalue[~np.eye(5, dtype=bool)]).all()
    with pytest.raises(ValueError, match=r"`scores` are of so different sizes .* 3e\+16"):
        pairwise(wild, correction="max-t")
    from analysis.statistics.all_pairs.closed_forms import paired_moments

    whole = ratings()
    whole[0, 0] = 1e13
    assert not too_coarse(whole, paired_moments(whole)).any()


def test_one_system_or_no_items_have_an_answer():
    alone = pairwise(ratings(1))
    assert (alone.n_pairs, alone.n_tests) == (0, 0)
    assert alone.difference.tolist() == [[0.0]]
    empty = pairwise(np.zeros((3, 0)))
    assert np.isnan(empty.pvalue).all()
    missing = pairwise(np.full((3, 5), np.nan))
    assert np.isnan(missing.difference[~np.eye(3, dtype=bool)]).all()
    assert missing.n_tests == 0
    assert not missing.different.any()


def test_a_thousand_systems():
    scores = np.random.default_rng(0).integers(0, 6, (1_000, 30)).astype(float)
    result = pairwise(scores, test="t")
    assert result.n_pairs == 499_500
    assert result.pvalue_adjusted.shape == (1_000, 1_000)
    assert "and 499460 pairs more" in str(result)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "anova"}, "`test` must be one of 'auto'"),
        ({"correction": "scheffe"}, "`correction` must be one of"),
        ({"interval": "bca"}, "`interval` must be one of"),
        ({"alternative": "both"}, "`alternative` must be one of"),
        ({"alpha": 1.5}, "`alpha` must lie strictly between 0 and 1"),
        ({"n_resamples": 0}, "`n_resamples` must be at least 1"),
        ({"n_threads": 0}, "`n_threads` must be at least 1"),
        ({"rng": -1}, "`rng` must not be negative"),
        ({"groups": ["a"]}, "`groups` must have a label for each of 40 items"),
        ({"test": "mcnemar"}, "`scores` must hold only 0, 1 and NaN for `test` 'mcnemar'"),
        ({"test": "steiger"}, "`test` 'steiger' compares correlations with gold, got"),
        ({"interval": "tango"}, "`scores` must hold only 0, 1 and NaN for `interval` 'tango'"),
        ({"aggregation": "bleu"}, r"`scores` must have shape \(n_systems, n_items, 10\)"),
        ({"aggregation": "median", "test": "t"}, "`test` 't' compares means per item"),
        ({"aggregation": "median", "interval": "t"}, "`interval` 't' is for means over items"),
        ({"test": "sign", "correction": "max-t"}, "`correction` 'max-t' .* Use 'holm'"),
        ({"aggregation": "median", "correction": "max-t"}, "`correction` 'max-t'"),
    ],
)
def test_what_does_not_go_together_is_said(options, message):
    with pytest.raises(ValueError, match=message):
        pairwise(ratings(), **options)


def test_what_is_no_score_is_said():
    with pytest.raises(ValueError, match="got inf for system 1, item 0"):
        pairwise([[1.0, 2.0], [np.inf, 1.0]])
    with pytest.raises(ValueError, match=r"negative in component 1 \(denominator\), got -1.0"):
        pairwise([[[1.0, -1.0]], [[1.0, 1.0]]], aggregation="ratio")
    with pytest.raises(ValueError, match=r"same gold .* on 1 of 2 items \(1 and 3 on item 1\)"):
        pairwise([[[1, 2], [1, 3]], [[1, 2], [1, 1]]], aggregation="pearson")
    with pytest.raises(ValueError, match="with at least one system"):
        pairwise(np.zeros((0, 4)))
    with pytest.raises(TypeError, match="`scores` must hold numbers"):
        pairwise([["a", "b"]])
    binary = np.eye(4)
    with pytest.raises(ValueError, match="`interval` 'tango' takes items as independent"):
        pairwise(binary, interval="tango", groups=[1, 1, 2, 2])


def test_progress_is_told_and_can_cancel():
    told = []
    pairwise(
        ratings(n_items=300) + np.random.default_rng(0).normal(size=(4, 300)),
        test="signflip",
        interval="percentile",
        correction="max-t",
        n_resamples=600,
        progress=lambda done, total: told.append((done, total)),
    )
    shares = [done / total for done, total in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0

    def cancel(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pairwise(ratings(), test="bootstrap", progress=cancel)
    with pytest.raises(KeyboardInterrupt):
        run_tiles(lambda tile: None, 4, n_threads=2, progress=cancel)


def test_results_are_locked_and_plain():
    result = pairwise(ratings(), n_resamples=99)
    with pytest.raises(ValueError, match="read-only"):
        result.pvalue[0, 1] = 0.0
    plain = result.to_dict()
    assert plain["pvalue"][0][0] is None
    assert plain["signature"] == result.signature
    assert PAIRWISE_TESTS[0] == "auto"


def test_importing_does_not_load_the_compiler():
    code = "import sys, analysis.statistics.all_pairs.pairwise; print('numba' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False"


def test_a_pvalue_that_is_only_bounded_is_printed_as_a_bound():
    scores = np.random.default_rng(0).normal(size=(3, 400))
    scores[2] += 5.0
    result = pairwise(scores, interval="none")
    assert result.method[0, 2] == PairMethod.BOUND
    assert result.pvalue[0, 2] == 1e-30
    lines = str(result).splitlines()
    assert sum("< 1e-30" in line for line in lines) == 2
    assert sum("<" in line for line in lines) == 2


@pytest.mark.filterwarnings("ignore::analysis.statistics.results.DegenerateDataWarning")
@pytest.mark.parametrize("test", ["auto", "signflip", "t", "bootstrap"])
@pytest.mark.parametrize("n_items", [2, 5, 8, 30])
def test_test_and_interval_of_a_constant_difference_agree(test, n_items):
    b = np.random.default_rng(1).random(n_items) / 2
    found = infer_pair(b + 0.1, b, test=test, n_resamples=199)
    p, (low, high) = found.test.pvalue, found.interval[:2]
    assert np.isnan(p) == np.isnan(low) == np.isnan(high) == (test in ("t", "bootstrap"))
    assert (low > 0 or high < 0) == (p <= 0.05)


@pytest.mark.parametrize("kind", ["graded", "right or wrong", "skewed", "groups"])
def test_a_pvalue_does_not_depend_on_whether_an_interval_is_wanted(kind):
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(2, 60))
    if kind == "right or wrong":
        scores = (scores > 0).astype(float)
    if kind == "skewed":
        scores = np.exp(2 * scores)
    groups = np.repeat(np.arange(12), 5).tolist() if kind == "groups" else None
    with_one = infer_pair(*scores, groups=groups)
    without = infer_pair(*scores, groups=groups, interval="none")
    assert without.test.pvalue == with_one.test.pvalue
    assert without.refusal == with_one.refusal
    assert np.isnan(without.interval.low)


def test_pairs_of_large_boards_are_visited_in_tiles_and_answer_the_same(monkeypatch):
    scores = np.random.default_rng(2).normal(size=(35, 40))
    first, second = complete_sets.triangle(35)
    assert complete_sets.order_of_visits(first, second, 40) == slice(None)
    options = {"test": "t", "interval": "inverted", "n_resamples": 999}
    in_rows = pairwise(scores, **options)
    monkeypatch.setattr(complete_sets, "_VALUES_IN_CACHE", 0)
    visits = complete_sets.order_of_visits(first, second, 40)
    assert np.array_equal(np.sort(visits), np.arange(first.size))
    # The first tile: pairs among the first 16 systems.
    assert second[visits[: 16 * 15 // 2]].max() == 15
    in_tiles = pairwise(scores, **options)
    for name in ("difference", "standard_error", "pvalue", "ci_low", "ci_high"):
        assert np.array_equal(getattr(in_rows, name), getattr(in_tiles, name), equal_nan=True)
