"""Rank intervals follow the pairs; P(best) follows the items that all systems share."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.boards.rank_intervals import probability_best, rank_intervals

NAN = math.nan


@st.composite
def boards(draw):
    """Return values and which pairs differ, differences following the values."""
    n_systems = draw(st.integers(0, 9))
    values = np.array(draw(st.lists(st.integers(0, 6), min_size=n_systems, max_size=n_systems)))
    gain = values[:, None] - values[None, :]
    upper = np.array(
        draw(st.lists(st.booleans(), min_size=n_systems**2, max_size=n_systems**2)), dtype=bool
    ).reshape(n_systems, n_systems)
    different = np.triu(upper, 1) & (gain != 0)
    return values.astype(float), different | different.T, gain.astype(float)


@given(boards())
def test_rank_intervals_count_the_pairs(board):
    values, different, gain = board
    low, high = rank_intervals(values, different, gain)
    for i in range(len(values)):
        assert low[i] == 1 + sum(different[i, j] and gain[j, i] > 0 for j in range(len(values)))
        assert high[i] == len(values) - sum(
            different[i, j] and gain[i, j] > 0 for j in range(len(values))
        )


@given(boards())
def test_rank_intervals_hold_every_order_that_the_pairs_allow(board):
    values, different, gain = board
    low, high = rank_intervals(values, different, gain)
    ranks = stats.rankdata(-values, method="min") if len(values) else np.array([])
    assert np.all(low <= ranks)
    assert np.all(stats.rankdata(-values, method="max") <= high if len(values) else True)


def test_rank_intervals_leave_room_for_systems_without_a_test():
    low, high = rank_intervals([2, 1], [[0, 1], [1, 0]], [[0, 1], [-1, 0]], n_untested=3)
    assert (low.tolist(), high.tolist()) == ([1, 2], [4, 5])


def test_rank_intervals_of_one_and_of_no_system():
    assert rank_intervals([0.5], [[False]], [[0.0]]) == (np.array([1]), np.array([1]))
    assert rank_intervals([], np.empty((0, 0)), np.empty((0, 0))).low.shape == (0,)


def test_rank_intervals_follow_pairs_where_scores_rest_on_other_items():
    # The first has the higher score on fewer items, and loses on those that both share.
    low, high = rank_intervals([0.9, 0.5], [[0, 1], [1, 0]], [[0, -0.2], [0.2, 0]])
    assert (low.tolist(), high.tolist()) == ([2, 1], [2, 1])


def test_rank_intervals_are_simultaneous():
    # All equal: with Holm's correction any system leaves rank 1..S in at most about 5 % of boards.
    rng = np.random.default_rng(0)
    n_boards, n_wrong = 300, 0
    for _ in range(n_boards):
        scores = rng.normal(size=(6, 40))
        gain = scores.mean(axis=1)[:, None] - scores.mean(axis=1)[None, :]
        spread = (scores[:, None] - scores[None, :]).std(axis=2, ddof=1)
        t = np.divide(gain, spread, out=np.zeros_like(gain), where=spread > 0) * math.sqrt(40)
        p = 2 * stats.t.sf(np.abs(t), 39)
        low, high = rank_intervals(scores.mean(axis=1), p * 15 <= 0.05, gain)  # Bonferroni
        n_wrong += bool(np.any(low > 1) or np.any(high < 6))
    assert stats.binom.sf(n_wrong - 1, n_boards, 0.05) > 0.001


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0]], [[0]], [[0]]), r"`values` must be 1-D .* got shape \(1, 1\)"),
        (([1.0, 2], [[0]], [[0]]), r"`different` must have shape \(2, 2\)"),
        (
            ([1.0, 2], [[0, 1], [0, 0]], np.zeros((2, 2))),
            r"`different` must be symmetric; \(0, 1\)",
        ),
        (([1.0, 2], [[0, 1], [1, 0]], [[0]]), r"`difference` must have shape \(2, 2\)"),
        (
            ([1.0, 2], [[0, 1], [1, 0]], [[0, NAN], [NAN, 0]]),
            r"`difference` must say which .* \(0, 1\) it is nan",
        ),
    ],
)
def test_rank_intervals_say_what_is_wrong(arguments, message):
    with pytest.raises(ValueError, match=message):
        rank_intervals(*arguments)


def test_probability_best_agrees_with_all_resamples_of_few_items():
    scores = np.array([[1, 0, 1.0], [0, 1, 1], [0, 0, 2]])
    exact = np.zeros(3)
    for i in range(3):
        for j in range(3):
            for k in range(3):
                sums = scores[:, [i, j, k]].sum(axis=1)
                exact += (sums == sums.max()) / (sums == sums.max()).sum() / 27
    found = probability_best(scores, n_resamples=20_000)
    assert found.sum() == pytest.approx(1)
    np.testing.assert_allclose(found, exact, atol=4 * math.sqrt(0.25 / 20_000))


@given(st.integers(0, 50), st.integers(2, 5))
def test_equal_systems_share_exactly(seed, n_equal):
    scores = np.random.default_rng(seed).random(17) * 0.1
    found = probability_best(np.tile(scores, (n_equal, 1)), n_resamples=50)
    np.testing.assert_allclose(found, 1 / n_equal, rtol=1e-14)


@given(st.integers(0, 50))
def test_the_order_of_systems_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 3, (4, 12)) / 3
    order = rng.permutation(4)
    found = probability_best(scores, n_resamples=99)
    np.testing.assert_allclose(
        probability_best(scores[order], n_resamples=99), found[order], rtol=1e-13
    )


def test_probability_best_uses_shared_items_and_leaves_systems_without_scores_out():
    scores = [[1, 1, NAN, 0], [0, 0, 1, NAN], [NAN] * 4]
    found = probability_best(scores, n_resamples=99)
    np.testing.assert_array_equal(found, [1, 0, NAN])
    nothing_shared = probability_best([[1, NAN], [NAN, 1]], n_resamples=9)
    assert np.isnan(nothing_shared).all()
    assert np.isnan(probability_best(np.full((2, 3), NAN), n_resamples=9)).all()
    np.testing.assert_array_equal(probability_best([[0.3, 0.4]], n_resamples=9), [1])
    one_unit = probability_best([[1, 1], [0, 0]], groups=["x", "x"], n_resamples=9)
    assert np.isnan(one_unit).all()  # the only draw there is says nothing


def test_groups_are_drawn_together():
    # One group decides everything: the first system wins only when it is drawn more often.
    scores = np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1.0]])
    found = probability_best(scores, groups=list("xxxyyy"), n_resamples=4_000)
    # xx: first; yy: second; xy, yx: tie.
    np.testing.assert_allclose(found, 0.5, atol=4 * math.sqrt(0.25 / 4_000))
    alone = probability_best(scores, groups=[None] * 6, n_resamples=400)
    np.testing.assert_array_equal(alone, probability_best(scores, n_resamples=400))


def test_lower_can_be_better():
    scores = np.array([[3.0, 4, 5], [1, 2, 3]])
    np.testing.assert_array_equal(
        probability_best(scores, higher_is_better=False, n_resamples=20), [0, 1]
    )


@pytest.mark.parametrize(
    ("aggregation", "n_components"),
    {"ratio": 2, "f1": 3, "bleu": 10, "chrf": 18, "median": 1, "pearson": 2, "spearman": 2}.items(),
)
def test_every_aggregation_agrees_with_items_drawn_one_by_one(aggregation, n_components):
    from analysis.statistics.aggregate import aggregate_items
    from analysis.statistics.resampling.plan import count_block

    rng = np.random.default_rng(3)
    scores = rng.integers(1, 9, (3, 20, n_components)).astype(float)
    counts = count_block(5, 0, 20, np.float64)[:40].astype(int)
    expected = np.zeros(3)
    for row in counts:
        drawn = np.repeat(np.arange(20), row)
        values = np.array([aggregate_items(each[drawn], aggregation) for each in scores])
        if not np.isnan(values).all():
            first = values >= np.nanmax(values) - 1e-9
            expected += first / first.sum()
    found = probability_best(scores, aggregation=aggregation, n_resamples=40, rng=5)
    np.testing.assert_allclose(found, expected / expected.sum(), atol=1e-12)


def test_threads_change_nothing():
    scores = np.random.default_rng(1).random((5, 30))
    one = probability_best(scores, n_resamples=1_000, n_threads=1)
    np.testing.assert_array_equal(one, probability_best(scores, n_resamples=1_000, n_threads=3))


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ([1.0, 2], {}, r"`scores` must have shape \(n_systems, n_items, 1\) .* got \(2,\)"),
        ([[1.0, 2]], {"aggregation": "ratio"}, r"n_items, 2\) for aggregation 'ratio'"),
        ([[1.0, math.inf]], {}, "`scores` must be finite"),
        ([[1.0]], {"n_resamples": 0}, "`n_resamples` must be at least 1"),
        ([[1.0]], {"groups": ["a", "b"]}, "`groups` must have a label for each of 1 items"),
        ([[1.0]], {"aggregation": "mode"}, "`aggregation` must be one of"),
    ],
)
def test_probability_best_says_what_is_wrong(scores, options, message):
    with pytest.raises(ValueError, match=message):
        probability_best(scores, **options)
