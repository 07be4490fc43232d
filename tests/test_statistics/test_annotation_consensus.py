"""One value from several annotators, and one strength per system from their choices."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import optimize, special, stats

from analysis.statistics.annotation.bradley_terry import bradley_terry
from analysis.statistics.annotation.consensus import consensus
from analysis.statistics.annotation.mace import mace

NAN = math.nan

sheets = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 5), st.integers(1, 10)),
    elements=st.sampled_from([NAN, -1.0, 0.0, 1.0, 3.5]),
)


@given(sheets)
def test_mean_and_median_are_numpys(judgments):
    for rule, function in (("mean", np.mean), ("median", np.median)):
        found = consensus(judgments, rule=rule)
        for value, unit in zip(found.values, judgments.T, strict=True):
            own = unit[~np.isnan(unit)]
            expected = float(function(own)) if own.size else NAN
            assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)
        assert found.n_undecided == 0


@given(sheets)
def test_the_majority_is_the_commonest_value(judgments):
    found = consensus(judgments, rule="majority")
    n_open = 0
    for value, unit in zip(found.values, judgments.T, strict=True):
        own = unit[~np.isnan(unit)].tolist()
        top = max((own.count(v) for v in own), default=0)
        winners = {v for v in own if own.count(v) == top}
        n_open += len(winners) > 1
        assert value == winners.pop() if len(winners) == 1 else math.isnan(value)
    assert found.n_undecided == n_open
    tied = consensus(judgments, rule="majority", tie_value=0.0)
    assert np.isnan(tied.values).sum() == np.isnan(judgments).all(axis=0).sum()


def test_z_scores_take_out_what_is_an_annotators_own():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=50)
    strict, lavish = 3 + 0.5 * truth, 60 + 20 * truth
    found = consensus([strict, lavish], rule="z-score")
    assert found.values == pytest.approx(stats.zscore(truth, ddof=1))
    assert found.n_left_out.tolist() == [0, 0]


def test_an_annotator_without_spread_says_nothing():
    found = consensus([[1, 2, 3], [4, 4, 4], [NAN, 7, NAN]], rule="z-score")
    assert found.values.tolist() == [-1, 0, 1]
    assert found.n_left_out.tolist() == [0, 3, 1]


def test_labels_by_mace_are_maces():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 30)
    sheet = np.where(rng.random((4, 30)) < 0.7, truth, rng.integers(0, 3, (4, 30))).astype(float)
    for rule, method in (("mace", "vb"), ("mace-em", "em")):
        found = consensus(sheet, rule=rule, rng=5)
        assert np.array_equal(found.values, mace(sheet, method=method, rng=5).labels)
        assert found.signature == found.model.signature


def test_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="`rule` must be one of"):
        consensus([[1, 2]], rule="mode")


def draw_choices(rng, strength, n, log_tie=None):
    """Return systems and choices by Davidson's model."""
    first = rng.integers(0, len(strength), n)
    second = (first + rng.integers(1, len(strength), n)) % len(strength)
    gap = np.asarray(strength)[first] - np.asarray(strength)[second]
    middle = np.full(n, -np.inf if log_tie is None else log_tie)
    shares = special.softmax(np.stack([gap / 2, middle, -gap / 2]), axis=0)
    draw = rng.random(n)
    return first, second, np.where(draw < shares[0], 1, np.where(draw < shares[:2].sum(0), 0, -1))


@pytest.mark.parametrize("log_tie", [None, 0.3])
def test_strengths_are_the_likeliest(log_tie):
    first, second, choice = draw_choices(np.random.default_rng(3), [1, 0.4, 0, -1.2], 300, log_tie)
    found = bradley_terry(first, second, choice, 4, n_resamples=99)

    def minus_log_likelihood(free):
        strength = np.append(free[:3], -free[:3].sum())
        gap = strength[first] - strength[second]
        logs = np.stack([gap / 2, np.full(300, free[3]), -gap / 2])
        if log_tie is None:
            logs = logs[[0, 2]]
        logs = special.log_softmax(logs, axis=0)
        row = 1 - choice if log_tie is not None else (1 - choice) // 2
        return -logs[row, np.arange(300)].sum()

    best = optimize.minimize(
        minus_log_likelihood, np.zeros(4), method="BFGS", options={"gtol": 1e-8}
    )
    assert found.strength[:3] == pytest.approx(best.x[:3], abs=1e-5)
    assert found.log_likelihood == pytest.approx(-best.fun, abs=1e-8)
    if log_tie is None:
        assert found.tie_strength == 0
    else:
        assert math.log(found.tie_strength) == pytest.approx(best.x[3], abs=1e-5)


def test_two_systems_without_ties_have_the_logarithm_of_their_odds():
    found = bradley_terry([0] * 40, [1] * 40, [1] * 30 + [-1] * 10, 2, n_resamples=99)
    assert found.strength[0] - found.strength[1] == pytest.approx(math.log(3))
    # Of a log odds: sqrt(1/30 + 1/10), half of which falls on each.
    assert found.standard_error == pytest.approx([math.sqrt(1 / 30 + 1 / 10) / 2] * 2)
    assert found.rank.tolist() == [1, 2]


def test_which_output_stood_first_does_not_matter():
    first, second, choice = draw_choices(np.random.default_rng(4), [1, 0, -1], 200, 0.0)
    one = bradley_terry(first, second, choice, 3, items=np.arange(200) // 4, n_resamples=199)
    other = bradley_terry(second, first, -choice, 3, items=np.arange(200) // 4, n_resamples=199)
    assert one.to_dict() == other.to_dict()


def test_intervals_widen_with_what_choices_share():
    first, second, choice = draw_choices(np.random.default_rng(5), [1, 0, -1], 60)
    copies = [np.repeat(part, 8) for part in (first, second, choice)]
    apart = bradley_terry(*copies, 3, n_resamples=499)
    together = bradley_terry(*copies, 3, items=np.repeat(np.arange(60), 8), n_resamples=499)
    assert np.all(together.high - together.low > 2 * (apart.high - apart.low))
    assert np.all(together.rank_low <= together.rank)
    assert np.all(together.rank <= together.rank_high)


def test_the_intervals_hold_the_truth():
    rng = np.random.default_rng(6)
    truth = np.array([0.8, 0.1, -0.9])
    hits = ranks = 0
    for seed in range(100):
        first, second, choice = draw_choices(rng, truth, 240, -0.5)
        found = bradley_terry(first, second, choice, 3, n_resamples=199, rng=seed)
        hits += np.count_nonzero((found.low <= truth) & (truth <= found.high))
        ranks += np.count_nonzero((found.rank_low <= [1, 2, 3]) & (found.rank_high >= [1, 2, 3]))
    assert 0.90 <= hits / 300 <= 0.99
    assert ranks / 300 >= 0.95


@pytest.mark.parametrize(("n_systems", "n_items", "gap"), [(5, 60, 0.0), (10, 60, 0.02)])
def test_intervals_of_ranks_hold_those_of_systems_about_equally_good(n_systems, n_items, gap):
    """Quantiles of resampled ranks: .81 of five equal systems, .69 of the best of ten."""
    rng = np.random.default_rng(8)
    truth = gap * np.arange(n_systems)[::-1]
    best = np.array([1 + np.count_nonzero(truth > one) for one in truth])
    worst = np.array([np.count_nonzero(truth >= one) for one in truth])
    repetitions, hits = 60, np.zeros(n_systems)
    for seed in range(repetitions):
        first, second, choice = draw_choices(rng, truth, 3 * n_items, -0.5)
        items = np.arange(3 * n_items) // 3
        found = bradley_terry(
            first, second, choice, n_systems, items=items, n_resamples=199, rng=seed
        )
        hits += (found.rank_low <= best) & (worst <= found.rank_high)
    assert np.min(hits) / repetitions >= 0.95 - 3.5 * math.sqrt(0.05 * 0.95 / repetitions)
    assert hits.mean() / repetitions >= 0.92


def test_a_win_of_every_choice_tells_ranks_apart_with_enough_of_them():
    for n, apart in ((5, False), (40, True)):
        found = bradley_terry([0] * n, [1] * n, [1] * n, 2, pseudo=0.5, n_resamples=99)
        assert bool(found.rank_high[0] == 1) is apart
        assert np.isnan(found.low).all()  # resamples are all alike


def test_what_cannot_be_ranked_is_said():
    with pytest.raises(ValueError, match="fall into 2 parts of systems that no choice links"):
        bradley_terry([0, 1, 2, 3], [1, 0, 3, 2], [1, 1, 1, 1], 4)
    with pytest.raises(ValueError, match=r"`choice` has systems \(such as 2\) that win, or lose"):
        bradley_terry([0, 1, 2, 2], [1, 0, 0, 1], [1, 1, 1, 1], 3)
    with pytest.raises(ValueError, match="holds no choice between two systems"):
        bradley_terry([0], [1], [NAN], 2)
    found = bradley_terry([0, 1, 2, 2], [1, 0, 0, 1], [1, 1, 1, 1], 4, pseudo=1.0, n_resamples=99)
    assert found.rank.tolist() == [2, 2, 1, 0]
    assert math.isnan(found.strength[3])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0], [0], [1], 2), "`first` and `second` must differ"),
        (([0], [2], [1], 2), "`second` must hold numbers of systems from 0 to 1"),
        (([0], [1], [2], 2), "`choice` must be 1"),
        (([0, 1], [1], [1], 2), "`first` must have one system per choice"),
        (([0], [1], [1], 1), "`n_systems` must be at least 2"),
    ],
)
def test_wrong_choices_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        bradley_terry(*arguments)
