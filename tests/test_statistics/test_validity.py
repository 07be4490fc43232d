"""The guard of the default test of means: what it widens, what it refuses, what it leaves alone."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from analysis.statistics.all_pairs.difference_facts import difference_facts
from analysis.statistics.all_pairs.pairwise import pairwise
from analysis.statistics.intervals.binary import PairCounts, tango_interval
from analysis.statistics.paired.inference import infer_pair
from analysis.statistics.validity import guard, guard_counts, guard_shares
from analysis.statistics.validity_bounds import BOUNDS, Reason, RunSpread

N_SAMPLES = 4_000


def t_answers(samples, level=0.95):
    """Return p and interval of Student's t, whose level is that of sign flips, of each row."""
    n = samples.shape[-1]
    mean, error = samples.mean(axis=-1), samples.std(axis=-1, ddof=1) / np.sqrt(n)
    with np.errstate(all="ignore"):
        pvalue = 2 * stats.t.sf(np.abs(mean / error), n - 1)
    reach = stats.t.ppf(0.5 + level / 2, n - 1) * error
    return pvalue, mean - reach, mean + reach


def facts_of(samples, largest=np.nan, codes=None):
    """Return the facts of differences; scores may spread as far as is said."""
    rows = np.atleast_2d(samples)
    systems = np.vstack([rows, np.zeros(rows.shape[1])])
    facts = difference_facts(
        systems, np.arange(len(rows)), np.full(len(rows), len(rows)), codes=codes
    )
    return facts._replace(largest=np.broadcast_to(largest, len(rows)).astype(float))


def guarded(samples, largest=np.nan, level=0.95):
    return guard(facts_of(samples, largest), *t_answers(np.atleast_2d(samples), level), level=level)


def hall(mean, sd, skewness, n):
    """Hall (1992), g1 of his section 2, against Student's t."""
    gamma, ratio = BOUNDS["inflation"].value * skewness, mean / sd
    bent = ratio + gamma * ratio**2 / 3 + gamma**2 * ratio**3 / 27 + gamma / (6 * n)
    return stats.t.cdf(np.sqrt(n) * bent, n - 1)


def test_skewed_differences_get_p_and_interval_of_the_transformed_t():
    d = np.random.default_rng(4).exponential(size=30) - 1.6
    found = guarded(d)
    mean, sd, skewness = d.mean(), d.std(ddof=1), stats.skew(d)
    assert found.reason == Reason.SKEWED
    assert found.pvalue == pytest.approx(2 * hall(mean, sd, skewness, 30))
    assert found.pvalue > t_answers(d)[0]
    high = optimize.brentq(lambda at: hall(mean - at, sd, skewness, 30) - 0.025, mean, mean + 5)
    assert found.high == pytest.approx(high)
    assert found.low == t_answers(d)[1]  # the other side has nothing to fear from this skewness


def test_zeros_do_not_hide_skewness():
    d = np.concatenate([np.zeros(80), np.random.default_rng(1).exponential(size=20) - 1.7])
    differing = d[d != 0]
    expected = 2 * hall(differing.mean(), differing.std(ddof=1), stats.skew(differing), 20)
    found = guarded(d)
    assert found.pvalue == pytest.approx(expected)
    assert guarded(differing).pvalue == pytest.approx(expected)


def test_what_no_item_shows_counts_where_differences_are_small_beside_the_scores():
    d = 0.02 + 0.001 * np.random.default_rng(0).normal(size=50)
    found = guarded(d, largest=1.0)
    # Of 50 items none is a total loss with probability (1 - s)^50; s is what would cancel the mean.
    share = d.mean() / (1 + d.mean())
    assert found.reason == Reason.UNSEEN
    assert found.pvalue == pytest.approx((1 - share) ** 50)
    assert found.low < 0 < found.high
    assert guarded(d).pvalue < 1e-9  # nothing is known of the scores
    wide = np.random.default_rng(0).normal(0.2, 0.3, size=50)
    assert guarded(wide, largest=1.0).pvalue == t_answers(wide)[0]


def test_few_skewed_groups_have_no_valid_test():
    of_groups = np.array([[0.1, 0.11, 0.12, 0.9], [0.1, 0.2, 0.3, 0.4]])
    facts = facts_of(np.repeat(of_groups, 5, axis=1), codes=np.repeat(np.arange(4), 5))
    found = guard(facts, *t_answers(of_groups), level=0.95)
    assert found.reason.tolist() == [Reason.NO_VALID_TEST, Reason.KEPT]
    assert np.isnan([found.pvalue[0], found.low[0], found.high[0]]).all()
    assert found.pvalue[1] < 0.05
    items = guarded(of_groups)  # sign flips of four items find nothing at any usual level
    assert items.reason[0] == Reason.SKEWED


def test_groups_count_by_their_sums():
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(12), rng.integers(1, 9, size=12))
    d = rng.normal(size=groups.size)
    order = rng.permutation(groups.size)
    facts = facts_of(d[order], codes=groups[order])
    sums = np.array([d[groups == g].sum() for g in range(12)]) * 12 / groups.size
    assert facts.units.n == 12
    assert facts.units.mean == pytest.approx(d.mean())
    assert facts.units.sd == pytest.approx(sums.std(ddof=1))
    assert facts.units.skewness == pytest.approx(stats.skew(sums))
    assert facts.items.sd == pytest.approx(d.std(ddof=1))


@given(st.integers(0, 2**32 - 1), st.sampled_from(["two-sided", "greater", "less"]))
def test_never_bolder_and_always_in_agreement(seed, alternative):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    d = np.round(rng.lognormal(sigma=rng.uniform(0.1, 2), size=(20, n)), 2) - rng.uniform(0, 4)
    d[rng.random(d.shape) < rng.choice([0, 0.7])] = 0
    given_ = t_answers(d)
    found = guard(
        facts_of(d, np.ptp(d, axis=1) * rng.choice([1, 20])),
        *given_,
        level=0.95,
        alternative=alternative,
    )
    kept = ~np.isnan(found.pvalue)
    assert (found.pvalue >= given_[0])[kept].all()
    assert (found.low <= given_[1])[kept].all()
    assert (found.high >= given_[2])[kept].all()
    if alternative == "two-sided":
        says = found.pvalue <= 0.05
        excludes = (found.low > 0) | (found.high < 0)
        assert (says == excludes)[kept].all()
    same = found.reason == Reason.KEPT
    assert (found.pvalue == given_[0])[same & kept].all()


def test_facts_far_from_0_and_with_any_number_of_items():
    rng = np.random.default_rng(6)
    for n in (1, 2, 7, 8, 21):
        for shift, scale in ((0.0, 1.0), (1e4, 1.0), (3.0, 1e-90), (3.0, 1e90), (0.0, 0.0)):
            d = scale * (rng.exponential(size=n) + shift)
            units = facts_of(d).units
            assert units.mean == pytest.approx(d.mean())
            if n > 1:
                assert units.sd == pytest.approx(d.std(ddof=1), rel=1e-9)
            if n > 2 and scale:
                assert units.skewness == pytest.approx(stats.skew(d / scale - shift), rel=1e-7)
    constant = facts_of(np.full(9, 0.1)).units
    assert (constant.sd, constant.skewness) == (0, 0)


def test_pairs_do_not_depend_on_each_other_nor_on_scale():
    d = np.random.default_rng(3).exponential(size=(5, 25)) - 1.5
    together = guarded(d, largest=6.0)
    for row, one in enumerate(d):
        alone = guarded(one * 1e-100, largest=6e-100)
        assert alone.pvalue == pytest.approx(together.pvalue[row], rel=1e-12)
        assert alone.low * 1e100 == pytest.approx(together.low[row], rel=1e-9)


def losses(share, loss, noise):
    """Return rare losses that many small gains make good."""

    def draw(rng, shape):
        gain = share * loss / (1 - share)
        return np.where(rng.random(shape) < share, -loss, gain) + noise * rng.normal(size=shape)

    return draw


@pytest.mark.parametrize(
    ("draw", "n", "largest", "plain_fails"),
    [
        (lambda rng, shape: rng.normal(size=shape), 20, np.nan, False),
        (lambda rng, shape: rng.standard_t(3, size=shape), 20, np.nan, False),
        (lambda rng, shape: rng.exponential(size=shape) - 1, 10, np.nan, True),
        (lambda rng, shape: rng.exponential(size=shape) - 1, 50, np.nan, True),
        (lambda rng, shape: rng.chisquare(1, size=shape) - 1, 20, np.nan, True),
        (lambda rng, shape: rng.lognormal(size=shape) - np.exp(0.5), 30, np.nan, True),
        (losses(0.02, 1.0, 0.005), 50, 1.0, True),
        (losses(0.02, 1.0, 0.1), 200, 1.0, False),
        (losses(0.05, 1.0, 0.01), 100, 1.0, False),
        (losses(0.10, 1.0, 0.1), 20, 1.0, True),
    ],
)
@pytest.mark.parametrize("level", [0.95, 0.99])
def test_false_alarms_stay_at_the_level_where_those_of_the_t_test_do_not(
    draw, n, largest, plain_fails, level
):
    samples = draw(np.random.default_rng(11), (N_SAMPLES, n))
    alpha = 1 - level
    most = stats.binom.ppf(1 - 1e-6, N_SAMPLES, 1.2 * alpha)
    alarms = np.count_nonzero(guarded(samples, largest, level).pvalue <= alpha)
    plain = np.count_nonzero(t_answers(samples, level)[0] <= alpha)
    assert alarms <= (most if level == 0.95 or n > 10 else 3 * most)
    if plain_fails:
        assert plain > stats.binom.ppf(1 - 1e-3, N_SAMPLES, alpha)


def test_facts_by_hand_with_missing_scores_and_ties():
    a = np.array([0.3, 0.5, np.nan, 0.9, 0.1, 0.7])
    b = np.array([0.3, 0.2, 0.4, 0.5, 0.2, np.nan])
    (first, second), scores = np.array([[0], [1]]), np.stack([a, b])
    facts = difference_facts(scores, first, second)
    d = np.array([0.0, 0.3, 0.4, -0.1])
    for moments, values in ((facts.units, d), (facts.items, d), (facts.differing, d[1:])):
        assert moments.n == values.size
        assert moments.mean == pytest.approx(values.mean())
        assert moments.sd == pytest.approx(values.std(ddof=1))
        assert moments.skewness == pytest.approx(stats.skew(values))
    # The first is ahead: from its mean .5 to the lowest, .1, or from .32 to the highest, .9.
    assert facts.largest == pytest.approx(0.9 - 0.32)
    mirrored = difference_facts(scores, second, first)
    assert mirrored.units.skewness == pytest.approx(-facts.units.skewness)
    by_group = difference_facts(scores, first, second, codes=np.array([0, 1, 1, 0, 1, 2]))
    assert by_group.units.n == 2
    assert by_group.units.sd == pytest.approx(np.std([0.4 * 2 / 4, 0.2 * 2 / 4], ddof=1))
    # .5 - .2 and .3 - 0 differ in the last bit alone.
    alike = difference_facts(np.array([[0.5, 0.3], [0.2, 0.0]]), first, second)
    assert alike.units.sd == pytest.approx(0, abs=1e-15)
    none = difference_facts(np.array([[np.nan], [1.0]]), first, second)
    assert none.units.n == 0


def score_test(only_a, only_b, n):
    statistic = (only_a - only_b) / np.sqrt(max(only_a + only_b, 1))
    pvalue = math.erfc(abs(statistic) / math.sqrt(2))
    interval = tango_interval(PairCounts(0, only_a, only_b, n - only_a - only_b), 0.95)
    return pvalue, interval.low, interval.high


@pytest.mark.parametrize(("n", "share"), [(5, 0.9), (8, 1.0), (12, 0.95), (50, 1.0), (30, 0.5)])
def test_size_of_the_guarded_score_test_by_summing_all_outcomes(n, share):
    sizes = {"plain": 0.0, "guarded": 0.0}
    every = np.arange(n + 1)
    weights = stats.binom.pmf(every, n, share)[:, None] * stats.binom.pmf(
        every, every[:, None], 0.5
    )
    for k in every:
        for only_a in every[: k + 1]:
            weight = weights[k, only_a]
            answer = score_test(only_a, k - only_a, n)
            found = guard_shares(n, only_a, k - only_a, *answer, level=0.95)
            sizes["plain"] += weight * (answer[0] <= 0.05)
            sizes["guarded"] += weight * (found.pvalue <= 0.05)
            assert (found.pvalue <= 0.05) == (found.low > 0 or found.high < 0)
    assert sizes["guarded"] <= 0.055
    assert (sizes["plain"] > 0.055) == (n in (5, 8, 50))


def test_the_exact_test_takes_over_only_where_the_score_test_does_not_hold():
    all_of_them = guard_shares(20, 15, 5, *score_test(15, 5, 20), level=0.95)
    assert all_of_them.reason == Reason.EXACT
    assert all_of_them.pvalue == stats.binomtest(5, 20).pvalue
    nearly = guard_shares(20, 13, 5, *score_test(13, 5, 20), level=0.95)
    assert nearly.pvalue == pytest.approx(stats.binomtest(5, 19).pvalue, rel=1e-12)
    many = guard_shares(40, 4, 0, *score_test(4, 0, 40), level=0.95)
    assert many.reason == Reason.KEPT
    assert many.pvalue == score_test(4, 0, 40)[0]
    one_sided = guard_shares(20, 5, 15, 0.01, -0.9, 0.1, level=0.95, alternative="less")
    assert one_sided.pvalue == stats.binomtest(5, 20, alternative="less").pvalue


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("n", [4, 8, 9, 10, 16, 20, pytest.param(60, marks=pytest.mark.full)])
def test_no_answer_about_right_and_wrong_is_weaker_for_a_larger_lead(n, alternative):
    for losses in range(0, n // 2 + 1, 1 if n < 20 else 4):
        rows = [np.ones(n)]
        rows[0][:losses] = 0
        for wins in range(losses, n - losses + 1):
            rows.append(np.r_[np.ones(losses), np.zeros(wins), np.ones(n - losses - wins)])
        board = pairwise(rows, alternative=alternative, correction="none")
        p, low, high = (m[0, 1:] for m in (board.pvalue, board.ci_low, board.ci_high))
        assert np.all(np.diff(p) <= 0)
        assert np.all(np.diff(low) >= 0)
        assert np.all((low >= -1) & ((high <= 1) | np.isinf(high)))
        np.testing.assert_array_equal(p <= 0.05, low > 0)
        alone = [infer_pair(rows[0], row, alternative=alternative) for row in rows[1::5]]
        np.testing.assert_array_equal([one.test.pvalue for one in alone], p[::5])
        np.testing.assert_array_equal([one.interval.low for one in alone], low[::5])
        if n < 10 and alternative == "two-sided":
            wins = np.arange(losses, n - losses + 1)
            exact = [stats.binomtest(losses, k + losses).pvalue if k + losses else 1 for k in wins]
            np.testing.assert_allclose(p, exact, rtol=1e-12)


def exponential(rng, shape):
    """Return differences with mean 0 and a long tail below."""
    return 1 - rng.exponential(size=shape)


@pytest.mark.parametrize(("n_items", "boards"), [(15, (1, 12)), (30, (12, 60)), (100, (12, 60))])
def test_counts_hold_their_level_under_skewed_differences(n_items, boards):
    """At alpha / N, which is what a count over N datasets reads first."""
    samples = exponential(np.random.default_rng(1), (40_000, n_items))
    t = np.sqrt(n_items) * samples.mean(axis=1) / samples.std(axis=1, ddof=1)
    plain = stats.t.sf(t, n_items - 1)
    facts = facts_of(samples)
    found = guard_counts(facts, plain, alternative="greater")
    for level in (0.05 / n_datasets for n_datasets in boards):
        errors = np.count_nonzero(found.pvalue <= level)
        assert errors <= stats.binom.ppf(1 - 1e-3, len(samples), 1.25 * level)
        assert np.count_nonzero(plain <= level) > stats.binom.ppf(1 - 1e-6, len(samples), level)
    # The other side is not touched: there flips and t are too careful as they are.
    other = guard_counts(facts, 1 - plain, alternative="less")
    assert np.mean(other.pvalue == 1 - plain) > 0.9


def test_counts_change_little_for_many_symmetric_differences():
    samples = np.random.default_rng(2).normal(size=(2_000, 200)) + 0.2
    plain = stats.ttest_1samp(samples, 0, axis=1, alternative="greater").pvalue
    found = guard_counts(facts_of(samples), plain, alternative="greater")
    assert np.mean(found.pvalue > plain) < 0.01
    assert np.all(found.pvalue >= plain)


def test_counts_are_the_same_from_either_side():
    rng = np.random.default_rng(3)
    samples = exponential(rng, (200, 20)) + 0.3
    p = rng.random(200)
    for alternative, turned in (("greater", "less"), ("less", "greater"), ("two-sided",) * 2):
        one = guard_counts(facts_of(samples), p, alternative=alternative)
        other = guard_counts(facts_of(-samples), p, alternative=turned)
        np.testing.assert_allclose(one.pvalue, other.pvalue, rtol=1e-9)
        assert np.array_equal(one.reason, other.reason)


def test_no_test_is_valid_where_a_few_items_decide():
    samples = np.append(np.full(29, 0.05) + np.linspace(0, 0.01, 29), -1.0)
    found = guard_counts(facts_of(samples), np.array([0.04]), alternative="greater")
    assert (found.pvalue, found.reason) == (1.0, Reason.NO_VALID_TEST)
    other = guard_counts(facts_of(samples), np.array([0.04]), alternative="less")
    assert other.pvalue < 1
    assert other.reason != Reason.NO_VALID_TEST


def test_few_unequal_groups_count_as_fewer_degrees_of_freedom():
    sizes = np.array([24, 14, 9, 5, 3, 2])
    codes = np.repeat(np.arange(6), sizes)
    d = np.random.default_rng(8).normal(size=codes.size)
    found = facts_of(d, codes=codes)
    # Bell and McCaffrey with matrices: residuals of a regression on a constant, by group.
    n, ones = codes.size, np.ones((codes.size, 1))
    hat = ones @ ones.T / n
    square, rows = 0.0, []
    for g in range(6):
        members = codes == g
        values, vectors = np.linalg.eigh(np.eye(sizes[g]) - hat[np.ix_(members, members)])
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        square += (np.ones(sizes[g]) @ root @ (d - d.mean())[members] / n) ** 2
        rows.append(np.ones(sizes[g]) @ root @ (np.eye(n) - hat)[members] / n)
    eigenvalues = np.linalg.eigvalsh(np.array(rows) @ np.array(rows).T)
    assert found.error == pytest.approx(np.sqrt(square))
    assert found.df == pytest.approx(eigenvalues.sum() ** 2 / (eigenvalues**2).sum())
    equal = facts_of(d[:30], codes=np.repeat(np.arange(5), 6))
    assert equal.df == pytest.approx(4)
    means = d[:30].reshape(5, 6).mean(axis=1)
    assert equal.error == pytest.approx(means.std(ddof=1) / np.sqrt(5))
    unsure = guard(found, [1e-9], [-1.0], [1.0], level=0.95)
    assert unsure.pvalue == pytest.approx(2 * stats.t.sf(abs(d.mean()) / found.error, found.df))
    assert unsure.reason == Reason.UNEQUAL


def test_unequal_groups_keep_the_level():
    rng = np.random.default_rng(9)
    codes = np.repeat(np.arange(6), [24, 14, 9, 5, 3, 2])
    d = 0.7 * rng.normal(size=(3_000, 6))[:, codes] + 0.7 * rng.normal(size=(3_000, codes.size))
    found = guard(facts_of(d, codes=codes), np.zeros(3_000), *np.zeros((2, 3_000)), level=0.95)
    assert np.count_nonzero(found.pvalue <= 0.05) <= stats.binom.ppf(1 - 1e-6, 3_000, 0.05)


@pytest.mark.parametrize(("n_runs", "of_run"), [(2, 0.1), (3, 0.03), (3, 0.0), (5, 0.1)])
def test_what_another_run_would_change_counts(n_runs, of_run):
    rng, n, samples = np.random.default_rng(10), 30, 1_000
    runs = 0.2 * rng.normal(size=(2 * samples, n_runs, n))
    runs += of_run * rng.normal(size=(2 * samples, n_runs, 1))
    of_items = runs.mean(axis=1)
    means = runs.mean(axis=2)
    rest = runs - means[:, :, None] - of_items[:, None] + of_items.mean(axis=1)[:, None, None]
    noise = (rest**2).sum(axis=(1, 2)) / ((n_runs - 1) * (n - 1) * n)
    spread = RunSpread(np.full(2 * samples, n_runs), means.var(axis=1, ddof=1), noise)
    first, second = np.arange(0, 2 * samples, 2), np.arange(1, 2 * samples, 2)
    facts = difference_facts(of_items, first, second, runs=spread)
    plain = t_answers(of_items[first] - of_items[second])
    found = guard(facts, *plain, level=0.95)
    most = stats.binom.ppf(1 - 1e-6, samples, 0.05)
    assert np.count_nonzero(found.pvalue <= 0.05) <= most
    assert (found.reason == Reason.RUNS).any()
    if of_run:
        assert np.count_nonzero(plain[0] <= 0.05) > most


def test_a_tie_leans_to_no_side_whatever_the_order_of_its_items():
    rng = np.random.default_rng(2)
    gaps = np.concatenate([np.tile([0.1, 0.2, -0.3], 40), np.zeros(20)])
    first = 0.7 + gaps / 2
    scores = np.stack([first, first - gaps])
    found = set()
    for _ in range(30):
        order = rng.permutation(gaps.size)
        facts = difference_facts(scores[:, order], np.array([0]), np.array([1]))
        assert facts.items.mean[0] == facts.units.mean[0] == facts.differing.mean[0] == 0
        found |= {
            infer_pair(*scores[:, order], alternative=side).test.pvalue
            for side in ("greater", "less")
        }
    assert len(found) == 1
