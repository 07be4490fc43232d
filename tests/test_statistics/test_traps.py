"""Faults that other tools have been seen to have; none of them is ours.

Each test names the tool and what it does; where the tool is at hand, it is shown doing it.
"""

import json
import math
import warnings

import numpy as np
import pytest
import sacrebleu
from sacrebleu.significance import PairedTest as SacrebleuTest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from analysis.statistics.intervals.bootstrap import BOOTSTRAP_INTERVALS, bootstrap_interval
from analysis.statistics.multiplicity import METHODS, adjust
from analysis.statistics.paired.tests import paired_test

ALPHA = 0.05
ALTERNATIVES = ("two-sided", "greater", "less")
OF_GRADES = (
    "t",
    "wilcoxon",
    "sign",
    "signflip",
    "signflip-median",
    "bootstrap",
    "bootstrap-median",
)
OF_BINARY = (*OF_GRADES, "mcnemar", "mcnemar-midp", "mcnemar-chi2", "mcnemar-chi2-cc")
REFERENCES = ["the cat sat on the mat", "a big dog runs fast", "it is small", "we are here now"]
OUTPUTS = ["the cat sat on a mat", "a dog runs so fast", "it was small", "we were here now"]


def pvalue(a, b, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return paired_test(a, b, **options).pvalue


def rarely(count, repetitions, level=ALPHA):
    """Return whether a procedure of this level rejects that often at most (one in a million)."""
    return count <= stats.binom.ppf(1 - 1e-6, repetitions, level)


def counts(outputs):
    metric = sacrebleu.BLEU()
    components = metric._extract_corpus_statistics(outputs, [REFERENCES * 10])
    return np.array(components, dtype=float)


@pytest.mark.parametrize("method", ["ar", "bs"])
def test_sacrebleu_finds_identical_systems_significant(method, monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", "1")
    named = [("base", OUTPUTS * 10), ("copy", OUTPUTS * 10)]
    metrics = {"BLEU": sacrebleu.BLEU(references=[REFERENCES * 10])}
    theirs = SacrebleuTest(named, metrics, None, method, 200)()[1]["BLEU"][1]
    assert theirs.p_value < ALPHA
    same = counts(OUTPUTS * 10)
    test = "signflip" if method == "ar" else "bootstrap"
    assert pvalue(same, same, test=test, aggregation="bleu") == 1


@pytest.mark.parametrize("test", OF_BINARY)
def test_identical_systems_give_one(test):
    # scipy: p = 1 for 10 zeros and NaN for 25 (wilcoxon), NaN always (ttest_rel).
    for alternative in ALTERNATIVES:
        for n in (2, 10, 25, 600):
            same = np.resize([0.0, 1.0], n)
            found = pvalue(same, same, test=test, alternative=alternative, n_resamples=99)
            assert found == 1, (alternative, n)


def test_a_strict_inequality_loses_ties():
    # sacreBLEU and NLPStatTest count |T| > |t|: 0.67 instead of 1 for one item among ±1.
    a, b = np.array([1.0, 0, 1, 0, 1, 0]), np.array([0.0, 1, 0, 1, 0, 1])
    assert pvalue(a, b, test="signflip") == 1
    assert pvalue(a, b, test="bootstrap") == 1
    assert pvalue([1, 1, 0], [0, 0, 1], test="signflip") == 1


def test_bootstrap_centred_at_absolute_differences_rejects_too_often():
    # sacreBLEU's paired bootstrap, after Moses: |T*| less its mean against |t|.
    rng = np.random.default_rng(0)
    repetitions, ours, theirs = 2_000, 0, 0
    for seed in range(repetitions):
        a, b = rng.normal(size=(2, 50))
        ours += pvalue(a, b, test="bootstrap", n_resamples=255, rng=seed) <= ALPHA
        drawn = np.abs((a - b)[rng.integers(0, 50, (255, 50))].mean(axis=1))
        extreme = np.count_nonzero(drawn - drawn.mean() > abs(np.mean(a - b)))
        theirs += (extreme + 1) / 256 <= ALPHA
    # Fifty items are few for any bootstrap: a fifth more than alpha is what ours may take.
    assert rarely(ours, repetitions, 1.2 * ALPHA)
    assert not rarely(theirs, repetitions, 1.2 * ALPHA)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "signflip", "bootstrap"])
def test_the_direction_is_never_read_from_the_data(test):
    # autorank and win-ratio bootstraps test one-sided in the direction observed: that halves p
    # and doubles alpha.
    rng = np.random.default_rng(1)
    for seed in range(20):
        a, b = rng.normal(size=(2, 60))
        options = {"test": test, "n_resamples": 1_999, "rng": seed}
        both = paired_test(a, b, **options)
        assert both.alternative == "two-sided"
        side = "greater" if both.direction > 0 else "less"
        peeking = pvalue(a, b, alternative=side, **options)
        assert both.pvalue == pytest.approx(2 * peeking, abs=0.07)


def test_holm_of_three_unsorted_pvalues():
    # deepsig returns (.06, .5, .03): no running maximum, values in the wrong places.
    np.testing.assert_allclose(
        adjust([0.5, 0.01, 0.03], "holm").pvalues_adjusted, [0.5, 0.03, 0.06]
    )


@pytest.mark.parametrize("method", METHODS)
def test_more_comparisons_never_weaken_a_correction(method):
    # deepsig's aso(num_comparisons=m) corrects less as m grows.
    previous = 0.0
    for more in range(30):
        adjusted = adjust([0.01, 0.02, *[1.0] * more], method).pvalues_adjusted[0]
        assert adjusted >= previous
        previous = adjusted


@pytest.mark.parametrize("method", METHODS)
def test_a_pvalue_that_is_missing_stays_missing_and_rejects_nothing(method):
    # statsmodels: every adjusted value NaN, yet two rejected.
    pvalues = [0.001, math.nan, 0.04]
    if method == "bh":
        rejected, adjusted, *_ = multipletests(pvalues, ALPHA, "fdr_bh")
        assert np.isnan(adjusted).all()
        assert rejected.any()
    result = adjust(pvalues, method)
    np.testing.assert_array_equal(np.isnan(result.pvalues_adjusted), [False, True, False])
    assert not result.rejected[1]
    assert (result.n_tests, result.n_untestable) == (2, 1)


@pytest.mark.parametrize("test", OF_GRADES)
def test_pairs_are_kept_together(test):
    # deepsig resamples systems separately, lm-eval's model_comparator takes an unpaired z:
    # differences between items drown the one between systems.
    rng = np.random.default_rng(2)
    difficulty = 10 * rng.normal(size=60)
    a, b = difficulty + 0.5 + 0.3 * rng.normal(size=60), difficulty
    assert stats.ttest_ind(a, b).pvalue > 0.5
    assert pvalue(a, b, test=test) < 1e-3


@pytest.mark.parametrize("test", OF_GRADES)
def test_a_missing_score_leaves_out_its_item_and_is_told(test):
    # autorank: p = NaN without a word.
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 30))
    a[4] = b[9] = np.nan
    result = paired_test(a, b, test=test, n_resamples=99)
    assert (result.n_items, result.n_missing) == (28, 2)
    assert 0 < result.pvalue <= 1
    assert "missing:2" in result.signature


@pytest.mark.parametrize("test", OF_BINARY)
def test_no_pvalue_is_ever_zero(test):
    # nlpstats, ranx, compare-mt and mt-metrics-eval leave out the +1; closed forms underflow.
    rng = np.random.default_rng(4)
    a = np.ones(3_000)
    b = np.zeros(3_000)
    if test not in OF_BINARY[len(OF_GRADES) :]:
        a = a + 1e-3 * rng.random(3_000)
    assert pvalue(a, b, test=test, n_resamples=99) > 0
    assert pvalue(a, b, test=test, alternative="greater", n_resamples=99) > 0


def test_ties_are_neither_wins_nor_losses():
    # compare-mt counts every win of the first system as a tie as well.
    result = paired_test([3, 1, 2, 2, 5], [1, 2, 2, 2, 4], test="sign")
    assert result.statistic == 2
    assert result.pvalue == stats.binomtest(2, 3).pvalue


@pytest.mark.parametrize("test", OF_BINARY)
def test_scores_are_not_changed_in_place(test):
    # testSignificanceNLP swaps in the caller's lists, so that permutations pile up.
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 2, (2, 40)).astype(float)
    before = a.copy(), b.copy()
    first = pvalue(a, b, test=test, n_resamples=99)
    np.testing.assert_array_equal((a, b), before)
    assert pvalue(a, b, test=test, n_resamples=99) == first


@pytest.mark.shared
def test_the_better_system_is_the_better_system(shared_folder):
    # testSignificanceNLP's permutation and bootstrap report the opposite tail (its issue 3): .004
    # and .995 for the worse system first, read as "A beats B".
    values = json.loads(
        (shared_folder / "reference/seed_systems/testSignificanceNLP.json").read_text()
    )
    a, b = (np.loadtxt(shared_folder / "data/dror2018" / name) for name in ("resA.txt", "resB.txt"))
    assert values["perm_original_R2000_seed0_A_first"] < ALPHA
    exact = values["independent_perm_20000"]
    for test in ("signflip", "bootstrap"):
        assert pvalue(a, b, test=test, alternative="greater") == pytest.approx(
            exact["greater"], abs=0.004
        )
        assert pvalue(a, b, test=test, alternative="less") == pytest.approx(
            exact["less"], abs=0.004
        )
        assert pvalue(a, b, test=test) == pytest.approx(exact["two"], abs=0.005)
    result = paired_test(a, b, test="t")
    assert result.statistic == pytest.approx(values["t_two_sided"][0], rel=1e-10)
    assert result.pvalue == pytest.approx(values["t_two_sided"][1], rel=1e-10)
    assert result.direction == -1
    one_sided = pvalue(a, b, test="t", alternative="less")
    assert one_sided == pytest.approx(values["t_README_onesided=p/2"], rel=1e-10)
    ranks = pvalue(a, b, test="wilcoxon", method="normal")
    assert ranks == pytest.approx(values["wilcoxon"][1], rel=1e-10)


@pytest.mark.shared
def test_one_sided_wilcoxon_of_nlpstattest_is_reversed(shared_folder):
    path = shared_folder / "reference/seed_systems/nlpstattest.json"
    theirs = json.loads(path.read_text())["data-h1-greater-normal|eu1|seedNone"]["tests"]
    assert theirs["wilcoxon|greater"][1] == 1
    scores = np.loadtxt(shared_folder / "data/nlpstattest_samples/data-h1-greater-normal").T
    ours = pvalue(*scores, test="wilcoxon", method="normal", continuity=True, alternative="greater")
    expected = theirs["SCIPY wilcoxon approx corr|greater"][1]
    assert ours == pytest.approx(expected, rel=1e-10)


@pytest.mark.shared
def test_tests_of_nlpstattest_where_it_is_right(shared_folder):
    path = shared_folder / "reference/seed_systems/nlpstattest.json"
    for name in ("data-h0-equal-beta", "data-h1-less-normal", "data-h1-greater-beta"):
        theirs = json.loads(path.read_text())[f"{name}|eu1|seedNone"]["tests"]
        a, b = np.loadtxt(shared_folder / "data/nlpstattest_samples" / name).T
        for side in ALTERNATIVES:
            t = paired_test(a, b, test="t", alternative=side)
            assert t.statistic == pytest.approx(theirs[f"t|{side}"][0], abs=5.1e-6)
            assert t.pvalue == pytest.approx(theirs[f"t|{side}"][1], abs=5.1e-6)
            assert t.pvalue == pytest.approx(theirs[f"SCIPY t|{side}"][1], rel=1e-10)
            # 200 patterns of theirs: at most five standard errors.
            for test, told in (("signflip", "permutation"), ("signflip-median", "permutation_med")):
                expected = theirs[f"{told}|{side}"][1]
                ours = pvalue(a, b, test=test, alternative=side, n_resamples=1_999)
                assert abs(ours - expected) < 5 * math.sqrt(ours * (1 - ours) / 200) + 0.006


def test_wilcoxon_of_six_items():
    # NLPStatTest: IndexError for n = 6; it also cubes the differences themselves where the
    # sizes of groups of ties belong.
    a, b = (
        np.array([0.31, 0.24, 0.28, 0.22, 0.35, 0.27]),
        np.array([0.3, 0.26, 0.25, 0.2, 0.3, 0.3]),
    )
    assert (
        pvalue(a, b, test="wilcoxon")
        == stats.wilcoxon(
            np.rint(100 * (a - b)), method=stats.PermutationMethod(n_resamples=np.inf)
        ).pvalue
    )
    tied = np.array([1, 1, 1, 2, 2, -1, 3, -2, 5, 5, 4.0])
    expected = stats.wilcoxon(tied, correction=False, method="asymptotic").pvalue
    ours = pvalue(100 * tied, 0 * tied, test="wilcoxon", method="normal")
    assert ours == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("method", BOOTSTRAP_INTERVALS)
def test_nothing_is_certain_of_one_item_or_one_group(method):
    # Inspect's stderr is 0 there, which reads as certainty; scipy's bootstrap is NaN for zeros.
    assert math.isnan(bootstrap_interval([0.7], method=method).low)
    assert math.isnan(bootstrap_interval([0.7, 0.2], groups=["x", "x"], method=method).high)
    assert bootstrap_interval([0, 0, 0], [0, 0, 0], method=method)[:2] == (0, 0)
    for test in ("t", "bootstrap"):
        assert math.isnan(pvalue([0.7], [0.2], test=test))
        assert math.isnan(pvalue([0.7, 0.2], [0.3, 0.1], test="t", groups=["x", "x"]))
    assert pvalue([0.7, 0.2], [0.3, 0.1], test="signflip", groups=["x", "x"]) == 1


@pytest.mark.parametrize("test", ["t", "signflip", "bootstrap"])
def test_repeats_are_not_items(test):
    # Episodes or epochs counted as runs: ten copies of every item look like ten times the data.
    rng = np.random.default_rng(6)
    a, b = rng.normal(0.25, 1, (2, 25)) * [[1], [0.9]]
    b -= 0.5
    items = np.repeat(np.arange(25), 10)
    honest, copied = pvalue(a, b, test=test), pvalue(a[items], b[items], test=test)
    assert copied < honest / 5
    assert pvalue(a[items], b[items], test=test, groups=items) == pytest.approx(honest, rel=1e-9)


@pytest.mark.parametrize("test", ["signflip", "bootstrap"])
def test_the_seed_zero_is_a_seed(test):
    # sacreBLEU takes 0 for "no seed".
    rng = np.random.default_rng(7)
    a, b = rng.normal(size=(2, 40))
    drawn = [paired_test(a, b, test=test, rng=0, n_resamples=199) for _ in range(2)]
    assert drawn[0].pvalue == drawn[1].pvalue
    assert drawn[0].seed == 0
    assert "seed:0" in drawn[0].signature
