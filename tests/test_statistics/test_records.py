"""Records, how much their gains are exaggerated, and the Ladder."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm

from analysis.statistics.sequences.alpha_spending import alpha_spending
from analysis.statistics.sequences.ladder import ladder
from analysis.statistics.sequences.record_gain import correct_gain
from analysis.statistics.sequences.records import find_records
from analysis.statistics.signature import METHOD_VERSION

values_lists = st.lists(
    st.one_of(st.integers(0, 6).map(float), st.just(math.nan)), min_size=0, max_size=20
)


@given(values_lists)
def test_records_by_definition(values):
    found = find_records(values)
    for place, value in enumerate(values):
        earlier = [v for v in values[:place] if not math.isnan(v)]
        expected = not math.isnan(value) and all(value > v for v in earlier)
        assert found.is_record[place] == expected
        if earlier:
            assert found.best_before[place] == max(earlier)
            assert found.values[found.previous[place]] == max(earlier)
            assert found.is_record[found.previous[place]]
        else:
            assert (found.previous[place], math.isnan(found.gain[place])) == (-1, True)
    scored = [look for look in found.looks.tolist() if look]
    assert scored == list(range(1, found.n_looks + 1))
    json.dumps(found.to_dict(), allow_nan=False)


@given(values_lists)
def test_times_that_all_differ_change_nothing(values):
    times = np.datetime64("2020-01-01") + np.arange(len(values))
    with_times, without = find_records(values, times=times), find_records(values)
    np.testing.assert_array_equal(with_times.is_record, without.is_record)
    np.testing.assert_array_equal(with_times.previous, without.previous)


def test_only_the_best_of_a_day_is_a_record():
    days = np.array(["2020-01-01"] * 2 + ["2020-01-02"] * 4, dtype="datetime64[D]")
    found = find_records([5, 6, 7, 8, 8, math.nan], times=days)
    assert found.is_record.tolist() == [False, True, False, True, False, False]
    assert found.previous.tolist() == [-1, -1, 1, 1, 1, 1]
    assert found.looks.tolist() == [1, 2, 3, 4, 5, 0]
    assert found.gain[3] == 2
    assert found.signature == "records|n:6|looks:5|v:" + METHOD_VERSION


@pytest.mark.shared
def test_records_of_squad(shared_folder):
    file = shared_folder / "reference/seed_systems/squad2_sota_chain.json"
    chain = json.loads(file.read_text())["chain"]
    values = [chain[0]["prev_test_em"], *(step["test_em"] for step in chain)]
    assert len(chain) == 24
    assert find_records(values).is_record.all()
    # Between two records nothing passed the earlier one: the same chain among all systems.
    with_others = [v for value in values for v in (value, value - 0.5)]
    found = find_records(with_others)
    assert found.is_record.tolist() == [True, False] * 25


def test_wrong_records_are_refused():
    with pytest.raises(ValueError, match="`values` must be 1-D"):
        find_records([[1.0]])
    with pytest.raises(ValueError, match="`values` must be finite"):
        find_records([math.inf])
    with pytest.raises(ValueError, match=r"`times` must have one entry per value, shape \(2,\)"):
        find_records([1, 2], times=[1])
    with pytest.raises(ValueError, match="`times` must not fall; sort"):
        find_records([1, 2], times=[2, 1])
    with pytest.raises(ValueError, match="`times` must not be missing"):
        find_records([1, 2], times=np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"))


def exceeded(truth, gain, cut):
    return norm.sf(gain - truth) / norm.sf(cut - truth)


@pytest.mark.parametrize("gain", [0.2, 0.7, 1.5, 3.0, 8.0, 40.0])
@pytest.mark.parametrize("selection", ["record", "significant"])
def test_corrected_gain_by_root_finding(gain, selection):
    cut = 0.0 if selection == "record" else norm.isf(0.025)
    found = correct_gain([gain * 3], 3.0, selection=selection)
    if gain <= cut:
        assert math.isnan(found.gain_corrected[0])
        return
    for tail, value in ((0.5, found.gain_corrected), (0.025, found.low), (0.975, found.high)):
        root = brentq(lambda u, t=tail: exceeded(u, gain, cut) - t, gain - 25, gain + 4)
        assert value[0] / 3 == pytest.approx(root, rel=1e-8, abs=1e-8)


def test_corrected_gain_close_to_the_cut_falls_without_bound():
    # Far below, the excess over the cut is exponential: P = exp(u x) for gain x, true gain u.
    gains = np.array([1e-3, 1e-5, 1e-8])
    found = correct_gain(gains, 1.0)
    np.testing.assert_allclose(found.gain_corrected * gains, -math.log(2), rtol=3e-6)
    assert np.all(np.isinf(found.exaggeration))
    assert np.all(found.low < found.gain_corrected)
    assert correct_gain([1e-14], 1.0).gain_corrected[0] == -math.inf


@given(st.floats(0.05, 30), st.floats(0.01, 5), st.floats(0.01, 100))
def test_corrected_gains_are_ordered_and_scale(gain, more, unit):
    found = correct_gain([gain * unit, (gain + more) * unit], unit)
    assert np.all(found.low <= found.gain_corrected)
    assert np.all(found.gain_corrected <= found.high)
    assert found.gain_corrected[0] <= found.gain_corrected[1]
    assert np.all(found.gain_corrected <= found.gain)
    assert np.all(found.exaggeration >= 1)


def test_interval_of_records_covers_given_the_record():
    rng = np.random.default_rng(3)
    for truth in (-1.0, 0.0, 0.5, 2.0):
        gains = truth + rng.standard_normal(4_000)
        found = correct_gain(gains[gains > 0], 1.0)
        n = found.gain.size
        error = 4 * math.sqrt(0.25 / n)
        assert np.mean(found.gain_corrected < truth) == pytest.approx(0.5, abs=error)
        inside = np.mean((found.low <= truth) & (truth <= found.high))
        assert inside == pytest.approx(0.95, abs=4 * math.sqrt(0.05 * 0.95 / n))


def test_levels_of_a_sequence_fit_as_alpha():
    levels = [0.03, 0.001]
    both = correct_gain([4.0, 4.0], 1.0, selection="significant", alpha=levels)
    each = [correct_gain([4.0], 1.0, selection="significant", alpha=a) for a in levels]
    np.testing.assert_array_equal(both.low, [one.low[0] for one in each])
    assert both.gain_corrected[1] < both.gain_corrected[0] < 4


def test_gains_with_nothing_known_stay_nan():
    found = correct_gain([math.nan, 1.0, -1.0], [1.0, math.nan, 1.0])
    for values in (found.gain_corrected, found.low, found.high, found.exaggeration):
        assert np.isnan(values).all()
    json.dumps(found.to_dict(), allow_nan=False)
    assert correct_gain([], 1.0).low.size == 0


def test_wrong_gains_are_refused():
    with pytest.raises(ValueError, match=r"`gain` must be 1-D \(one per record\)"):
        correct_gain([[1.0]], 1.0)
    with pytest.raises(ValueError, match="`standard_error` must be a number or have shape"):
        correct_gain([1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="`standard_error` finite and above 0"):
        correct_gain([1.0], 0.0)
    with pytest.raises(ValueError, match="`alternative` must be one of 'two-sided', 'greater'"):
        correct_gain([1.0], 1.0, selection="significant", alternative="less")
    with pytest.raises(ValueError, match="`selection` must be one of 'record', 'significant'"):
        correct_gain([1.0], 1.0, selection="best")
    with pytest.raises(ValueError, match="`alpha` must be at least 0 and below 1"):
        correct_gain([1.0], 1.0, selection="significant", alpha=1.0)


def test_at_a_level_of_0_nothing_is_reported():
    # As of a sequence whose planned looks are over.
    levels = alpha_spending([0.2, 0.001, 0.001], spending="equal", n_planned=2).levels
    found = correct_gain([1.0, 3.0, 3.0], 1.0, selection="significant", alpha=levels)
    assert np.isnan(found.gain_corrected).tolist() == [True, False, True]


def ladder_by_definition(losses):
    """Return Blum and Hardt's parameter-free Ladder, in losses, with exact 0/1 arithmetic."""
    n = len(losses[0])
    shown, leader, history = math.inf, None, []
    for row in losses:
        risk = round(sum(row)) / n
        if leader is None:
            shown, leader = risk, row
        else:
            difference = np.array(row) - leader
            if risk < shown - np.std(difference, ddof=1) / math.sqrt(n) - 1e-12:
                shown, leader = risk, row
        history.append(shown)
    return history


@given(st.integers(0, 10_000), st.integers(2, 30), st.integers(1, 15))
def test_ladder_by_definition(seed, n_items, n_looks):
    rng = np.random.default_rng(seed)
    scores = (rng.random((n_looks, n_items)) < rng.random((n_looks, 1))).astype(float)
    found = ladder(scores)
    expected = 1 - np.array(ladder_by_definition((1 - scores).tolist()))
    np.testing.assert_allclose(found.released, expected, atol=1e-12)
    assert np.all(np.diff(found.released) >= 0)
    np.testing.assert_allclose(found.released, found.values[found.leaders], atol=1e-12)
    assert found.climbed[0]


def test_ladder_asks_for_one_standard_error():
    scores = np.zeros((3, 100))
    scores[1, :1] = 1  # one item of 100: gain 0.01, standard error 0.01
    scores[2, :2] = 1  # two: gain 0.02, standard error 0.0141
    found = ladder(scores)
    np.testing.assert_allclose(found.margins, [0, 0.01, 0.0140705], atol=1e-6)
    assert found.climbed.tolist() == [True, False, True]
    assert found.signature == "ladder|looks:3|step:by items|n:100|v:" + METHOD_VERSION


def test_ladder_shows_continuous_scores_to_one_nth():
    assert ladder([[0.11, 0.12, 0.13, 0.9]]).released[0] == 0.25


def test_ladder_passes_over_systems_without_scores():
    rows = [[math.nan] * 4, [0, 0, 1, 1], [math.nan] * 4, [1, 1, 1, 1]]
    found = ladder(rows)
    assert found.climbed.tolist() == [False, True, False, True]
    assert math.isnan(found.released[0])
    assert found.leaders.tolist() == [-1, 1, 1, 3]


def test_ladder_withstands_the_boosting_attack():
    # Blum and Hardt's attack: submit random answers, then the vote of those above chance.
    rng = np.random.default_rng(1)
    guesses = (rng.random((400, 1_000)) < 0.5).astype(float)
    above = guesses.mean(axis=1, keepdims=True) > 0.5
    vote = np.where(above, guesses, 1 - guesses).mean(axis=0) > 0.5
    assert vote.mean() > 0.65  # what a board that shows every score lets out
    climbed = ladder(guesses).climbed
    vote = guesses[climbed].mean(axis=0) > 0.5
    shown = ladder([*guesses, vote]).released
    assert shown[-1] < 0.56  # 0.5 is the truth


def test_wrong_ladders_are_refused():
    with pytest.raises(ValueError, match=r"`scores` must be 2-D \(looks × items\)"):
        ladder([1.0])
    with pytest.raises(ValueError, match="`scores` must have at least 2 items, got 1"):
        ladder([[1.0]])
    with pytest.raises(ValueError, match="row 1 misses 1 of 2; pass the items that all"):
        ladder([[1, 0], [1, math.nan]])
    with pytest.raises(ValueError, match="`scores` must be finite"):
        ladder([[1, math.inf]])
