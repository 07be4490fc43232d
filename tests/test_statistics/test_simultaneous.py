"""Intervals for all pairs at once: Bonferroni, single-step max-T and Tukey's HSD."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.all_pairs.max_t import max_t_all_pairs, single_step_max_t
from analysis.statistics.all_pairs.pairwise import pairwise
from analysis.statistics.all_pairs.simultaneous import SIMULTANEOUS
from analysis.statistics.all_pairs.tukey import range_quantile, range_tail, tukey_all_pairs
from analysis.statistics.effects.effect_size import effect_sizes
from analysis.statistics.intervals.binary import count_pairs, tango_interval, tango_z

BLOCKS = np.array([[9, 7, 4, 6, 8, 5], [6, 7, 3, 4, 6, 3], [8, 9, 5, 6, 9, 6]], dtype=float)


def board(kind: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray | None]:
    n_systems, n_items = int(rng.integers(2, 8)), int(rng.integers(8, 120))
    scores = rng.normal(size=n_items) + rng.normal(size=(n_systems, n_items)) * rng.uniform(0.3, 2)
    scores += rng.uniform(0, 0.5) * np.arange(n_systems)[:, np.newaxis]
    groups = None
    if kind == "binary":
        scores = (scores > 0.3).astype(float)
    elif kind == "skewed":
        scores = np.exp(scores)
    elif kind == "groups":
        groups = np.arange(n_items) // int(rng.integers(1, 4))
    if rng.random() < 0.2:
        scores[rng.random(scores.shape) < 0.05] = np.nan
    return scores, groups


@given(
    seed=st.integers(0, 10_000),
    kind=st.sampled_from(["normal", "binary", "skewed", "groups"]),
    correction=st.sampled_from(SIMULTANEOUS),
    alpha=st.sampled_from([0.01, 0.05, 0.2]),
)
@pytest.mark.filterwarnings("ignore")
def test_a_pair_differs_where_its_interval_leaves_zero_out(seed, kind, correction, alpha):
    scores, groups = board(kind, np.random.default_rng(seed))
    if correction == "tukey" and (groups is not None or np.isnan(scores).any(axis=0).mean() > 0.9):
        return
    found = pairwise(scores, groups=groups, correction=correction, alpha=alpha, n_resamples=499)
    low, high = found.ci_simultaneous_low, found.ci_simultaneous_high
    known = ~np.isnan(low)
    assert np.array_equal(((low > 0) | (high < 0))[known], found.different[known])
    assert (low <= found.ci_low)[known].all()
    assert (high >= found.ci_high)[known].all()
    assert (found.pvalue_adjusted >= found.pvalue)[known].all()
    assert np.array_equal(low, -high.T, equal_nan=True)


@pytest.mark.parametrize("correction", ["none", "holm", "bh", "max-t"])
def test_stepwise_corrections_have_no_simultaneous_intervals(correction):
    found = pairwise(BLOCKS, correction=correction)
    assert np.isnan(found.ci_simultaneous_low).all()


@pytest.mark.parametrize(("k", "df"), [(2, 5), (3, 30), (15, 400), (100, 5_000)])
def test_the_studentised_range_is_that_of_scipy(k, df):
    q = np.array([0.0, 0.5, 2.0, 3.7, 5.0])
    assert range_tail(q, k, df) == pytest.approx(stats.studentized_range.sf(q, k, df), abs=1e-9)
    assert range_tail(range_quantile(0.05, k, df), k, df) == pytest.approx(0.05, rel=1e-9)


def test_many_tails_are_those_of_few():
    q = np.linspace(0.01, 12.0, 1_000)
    assert range_tail(q, 8, 300) == pytest.approx(
        np.concatenate([range_tail(part, 8, 300) for part in np.split(q, 4)]), rel=1e-7
    )


def test_two_means_are_compared_as_by_t():
    first, second = BLOCKS[:2]
    found = tukey_all_pairs(BLOCKS[:2], alpha=0.05)
    expected = stats.ttest_rel(first, second)
    assert found.pvalue[0, 1] == pytest.approx(expected.pvalue, rel=1e-9)
    interval = expected.confidence_interval(0.95)
    assert found.reach[0, 1] == pytest.approx((interval.high - interval.low) / 2, rel=1e-9)


def test_tukey_goes_by_the_residual_of_systems_and_items():
    # By hand: the residual mean square of the 3 x 6 table with 10 degrees of freedom.
    means, n_items = BLOCKS.mean(axis=1), BLOCKS.shape[1]
    expected = BLOCKS.mean(axis=0) + means[:, np.newaxis] - BLOCKS.mean()
    error = np.sqrt(((BLOCKS - expected) ** 2).sum() / 10 / n_items)
    found = tukey_all_pairs(BLOCKS, alpha=0.05)
    q = abs(means[0] - means[1]) / error
    assert found.pvalue[0, 1] == pytest.approx(stats.studentized_range.sf(q, 3, 10), rel=1e-8)
    assert found.reach[0, 1] == pytest.approx(
        stats.studentized_range.ppf(0.95, 3, 10) * error, rel=1e-8
    )


def test_tukey_takes_items_that_all_systems_have():
    with_gap = np.column_stack([BLOCKS, [np.nan, 1.0, 2.0]])
    gaps, none = (tukey_all_pairs(scores, alpha=0.05).reach for scores in (with_gap, BLOCKS))
    assert np.array_equal(gaps, none)


def test_tukey_keeps_its_level_among_near_copies():
    rng = np.random.default_rng(61)
    alarms, alone = 0, 0
    for _ in range(40):
        board = (rng.random((8, 50)) < 0.6).astype(float)
        for copy in board[1:7]:
            copy[:] = np.where(rng.random(50) < 0.05, copy, board[0])
        found = tukey_all_pairs(board, alpha=0.05)
        difference = np.abs(board.mean(axis=1)[:, np.newaxis] - board.mean(axis=1))
        beyond = (difference > found.reach) & ~np.eye(8, dtype=bool)
        alarms += beyond.any()
        alone += (difference > found.reach.min()).any()
        assert np.array_equal(beyond, np.nan_to_num(found.pvalue, nan=1.0) <= 0.05)
    assert alarms <= 2 < 5 <= alone  # of 40; without the errors of the pairs themselves: alone


def test_single_step_counts_the_largest_statistic():
    scores = np.random.default_rng(3).normal(size=(5, 40)) + 0.2 * np.arange(5)[:, np.newaxis]
    single = single_step_max_t(scores, alpha=0.05, n_resamples=999)
    stepped = max_t_all_pairs(scores, n_resamples=999)
    upper = np.triu_indices(5, 1)
    assert (single.pvalue[upper] >= stepped[upper]).all()
    assert single.pvalue[upper].min() == stepped[upper].min()
    differences = scores[upper[0]] - scores[upper[1]]
    statistic = np.abs(differences.sum(axis=1)) / np.sqrt((differences**2).sum(axis=1))
    assert np.array_equal(statistic > single.critical, single.pvalue[upper] <= 0.05)


def test_single_step_inverts_the_score_test_of_shares():
    """At ten against ten, 50 items, intervals by one spread missed in 12 boards of 100."""
    scores = (np.random.default_rng(1).random((5, 60)) < [[0.95], [0.9], [0.6], [0.6], [0.5]]) * 1.0
    found = pairwise(scores, correction="max-t-single", n_resamples=999)
    critical = single_step_max_t(scores, alpha=0.05, n_resamples=999).critical
    low, high = found.ci_simultaneous_low, found.ci_simultaneous_high
    for i, j in zip(*np.triu_indices(5, 1), strict=True):
        counts = count_pairs(scores[i], scores[j])
        bounds = tango_interval(counts, 2 * stats.norm.cdf(critical) - 1)
        assert (low[i, j], high[i, j]) == pytest.approx((bounds.low, bounds.high), abs=1e-9)
        assert abs(tango_z(counts, float(low[i, j]))[0]) == pytest.approx(critical, rel=1e-6)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"correction": "tukey", "groups": [0, 0, 1, 1, 2, 2]}, "independent"),
        ({"correction": "tukey", "alternative": "greater"}, "two-sided"),
        ({"correction": "max-t-single", "alternative": "less"}, "two-sided"),
        ({"correction": "tukey", "test": "wilcoxon"}, "takes `test`"),
        ({"correction": "tukey", "aggregation": "median"}, "is for means"),
    ],
)
def test_what_does_not_go_together_is_refused(arguments, match):
    with pytest.raises(ValueError, match=match):
        pairwise(BLOCKS, **arguments)


def test_tukey_needs_items_of_all():
    scores = np.where(np.eye(3, 6, dtype=bool) | np.eye(3, 6, 3, dtype=bool), np.nan, BLOCKS)
    with pytest.raises(ValueError, match="all 3 systems"):
        pairwise(scores, correction="tukey")


def test_effect_sizes_are_those_of_a_pair():
    scores = np.random.default_rng(1).normal(size=(3, 25))
    scores[0, 3] = np.nan
    found = pairwise(scores)
    alone = effect_sizes(scores[0], scores[2])
    assert found.cohens_dz[0, 2] == pytest.approx(alone.cohens_dz, rel=1e-12)
    assert found.hedges_g[0, 2] == pytest.approx(alone.hedges_g, rel=1e-12)
    assert found.hedges_g[2, 0] == -found.hedges_g[0, 2]


def test_groups_change_no_effect_size():
    scores = np.random.default_rng(1).normal(size=(3, 24))
    assert np.array_equal(
        pairwise(scores, groups=np.arange(24) // 2).cohens_dz,
        pairwise(scores).cohens_dz,
        equal_nan=True,
    )


@pytest.mark.parametrize(
    ("correction", "skewed"),
    [
        ("max-t-single", True),
        ("tukey", False),
        pytest.param("max-t-single", False, marks=pytest.mark.full),
        pytest.param("tukey", True, marks=pytest.mark.full),
    ],
)
def test_the_error_of_the_family_is_kept(correction, skewed):
    rng = np.random.default_rng(12)
    n_boards = 300
    alarms = 0
    for _ in range(n_boards):
        noise = rng.exponential(size=(5, 40)) if skewed else rng.normal(size=(5, 40))
        scores = rng.normal(size=40) + noise
        found = pairwise(
            scores, test="signflip", correction=correction, interval="none", n_resamples=299
        )
        alarms += bool(found.different.any())
    assert alarms <= stats.binom.ppf(0.999, n_boards, 0.05)
    assert alarms >= stats.binom.ppf(0.001, n_boards, 0.05)


@given(
    seed=st.integers(0, 10_000),
    kind=st.sampled_from(["shares", "few skewed groups", "graded", "medians"]),
    correction=st.sampled_from(["holm", *SIMULTANEOUS]),
)
@pytest.mark.filterwarnings("ignore")
def test_no_interval_leaves_the_range_of_the_metric(seed, kind, correction):
    rng = np.random.default_rng(seed)
    groups = None
    scores = rng.beta(0.2, 0.2 * rng.uniform(0.2, 5), size=(3, int(rng.integers(4, 40))))
    if kind == "few skewed groups":
        groups = np.minimum(rng.geometric(0.3, size=scores.shape[1]), 8)
    if kind in ("shares", "few skewed groups"):
        scores = scores.round()
    if correction == "tukey" and (groups is not None or kind == "medians"):
        return
    settings = {
        "groups": groups,
        "correction": "holm" if kind == "medians" and "max-t" in correction else correction,
        "aggregation": "median" if kind == "medians" else "mean",
        "margin": 0.3,
        "n_resamples": 199,
    }
    free = pairwise(scores * 7 - 3, **settings)  # the same data in other units, range unknown
    found = pairwise(scores * 7 - 3, bounds=(-3.0, 4.0), **settings)
    for side in ("ci", "ci_simultaneous", "margin"):
        ends = [getattr(free, f"{side}_{end}") for end in ("low", "high")]
        clipped = [getattr(found, f"{side}_{end}") for end in ("low", "high")]
        for before, after in zip(ends, clipped, strict=True):
            assert np.array_equal(after, np.clip(before, -7.0, 7.0), equal_nan=True)
            assert np.array_equal(np.sign(before), np.sign(after), equal_nan=True)
    assert np.array_equal(free.pvalue, found.pvalue, equal_nan=True)
    assert np.array_equal(free.equivalent, found.equivalent)


@pytest.mark.parametrize("bounds", [None, (0.0, 1.0), (0.0, 5.0)])
def test_right_and_wrong_are_shares_and_a_stated_range_goes_first(bounds):
    scores = [[1, 1, 1, 1, 0, 1, 1], [0, 0, 0, 0, 0, 1, 0]]
    found = pairwise(scores, groups=list("aabbbcc"), test="t", bounds=bounds)
    free = 5 / 7 + found.standard_error[0, 1] * stats.t.ppf(0.975, 2)
    assert free > 1
    assert found.ci_high[0, 1] == pytest.approx(min(free, bounds[1] if bounds else 1.0))


def test_bounds_that_the_scores_leave_do_not_count():
    scores = np.array([[0.0, 2.0, 3.0, 1.5], [0.2, 0.1, 0.9, 0.3], [0.9, 0.2, 0.1, 0.2]])
    found = pairwise(scores, test="t", bounds=(0.0, 1.0))
    assert found.ci_high[0, 1] > 1
    assert found.ci_high[1, 2] == pairwise(scores[1:], test="t", bounds=(0.0, 1.0)).ci_high[0, 1]


def test_a_null_that_cannot_be_stays_in_or_out():
    a, b = np.array([[0.2, 0.9, 0.4], [0.1, 0.3, 0.6]])
    found = pairwise([a, b], test="t", delta=1.5, bounds=(0.0, 1.0))
    assert found.ci_high[0, 1] < 1.5 or found.pvalue[0, 1] > 0.05
    with pytest.raises(ValueError, match="`bounds`"):
        pairwise([a, b], bounds=(1.0, 0.0))
