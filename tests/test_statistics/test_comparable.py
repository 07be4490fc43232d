"""Scores of systems that were scored on different items."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.boards.comparable import better_whatever_is_missing, comparable_scores

NAN = math.nan


def holes(rng, shape, share):
    scores = rng.random(shape)
    scores[rng.random(shape) < share] = NAN
    scores[0] = rng.random(shape[1])
    return scores


def test_values_are_those_of_least_squares_with_dummies():
    scores = holes(np.random.default_rng(0), (5, 40), 0.3)
    rows = np.argwhere(~np.isnan(scores))
    dummies = np.zeros((len(rows), 45))
    dummies[np.arange(len(rows)), rows[:, 0]] = 1
    dummies[np.arange(len(rows)), 5 + rows[:, 1]] = 1
    fitted = np.linalg.lstsq(dummies, scores[~np.isnan(scores)], rcond=None)[0]
    found = comparable_scores(scores, (0, 1))
    np.testing.assert_allclose(found.value, fitted[:5] + fitted[5:].mean())
    assert found.value[0] == pytest.approx(scores[0].mean())


def test_two_systems_differ_by_what_they_do_on_shared_items():
    found = comparable_scores([[1, 1, 0, 0, 1, 0], [1, 0, NAN, 1, NAN, 0]], (0, 1))
    assert found.value[0] - found.value[1] == pytest.approx(np.mean([0, 1, -1, 0]))


def test_intervals_are_those_of_leaving_items_out():
    scores = holes(np.random.default_rng(1), (4, 60), 0.3)
    found = comparable_scores(scores, (0, 1))
    without = np.array(
        [comparable_scores(np.delete(scores, j, 1), (0, 1)).value for j in range(60)]
    )
    error = np.sqrt(59 / 60 * np.sum((without - without.mean(axis=0)) ** 2, axis=0))
    half = (found.high - found.low) / 2
    np.testing.assert_allclose(half, error * stats.t.ppf(0.975, 59), rtol=0.03)
    by_group = comparable_scores(
        np.repeat(scores, 3, axis=1), (0, 1), groups=np.repeat(range(60), 3)
    )
    np.testing.assert_allclose((by_group.high - by_group.low) / 2, half, rtol=1e-9)


@given(seed=st.integers(0, 10_000))
def test_bounds_hold_whatever_the_missing_items_would_have_brought(seed):
    rng = np.random.default_rng(seed)
    whole = rng.integers(0, 2, (3, 12)).astype(float)
    seen = np.where(rng.random(whole.shape) < 0.3, NAN, whole)
    kept = ~np.isnan(seen).all(axis=0)
    if not kept.any():
        return
    found = comparable_scores(seen, (0, 1))
    truth = whole[:, kept].mean(axis=1)
    assert np.all(found.bound_low <= truth + 1e-12)
    assert np.all(truth <= found.bound_high + 1e-12)
    known = ~np.isnan(found.value)
    assert np.all(found.bound_low[known] <= found.value[known] + 1e-12)
    assert np.all(found.value[known] <= found.bound_high[known] + 1e-12)


def test_systems_that_no_item_joins_have_no_value():
    found = comparable_scores([[1, 0, NAN, NAN], [NAN, NAN, 1, 0]], (0, 1))
    assert np.isnan(found.value).all()
    np.testing.assert_array_equal(found.bound_high, [0.75, 0.75])


def _draw(rng, kind, n=120, k=5):
    """Return scores with holes in the last and worst system, and the means behind them."""
    chance = 1 / (1 + np.exp(rng.normal(0, 1.5, n) - np.linspace(0.8, 0, k)[:, np.newaxis]))
    scores = (rng.random((k, n)) < chance).astype(float)
    if kind == "at random":
        out = rng.random(n) < 0.3
    elif kind == "hard items":
        out = chance[0] < np.quantile(chance[0], 0.4)
    else:
        out = (scores[-1] == 0) & (rng.random(n) < 0.6)
    scores[-1, out] = NAN
    return scores, chance.mean(axis=1)


@pytest.mark.parametrize("kind", ["at random", "hard items"])
def test_who_skips_items_for_other_reasons_than_its_own_score_gets_what_it_deserves(kind):
    rng = np.random.default_rng(5)
    draws = [_draw(rng, kind) for _ in range(200)]
    found = [comparable_scores(scores, (0, 1)) for scores, _ in draws]
    bias = np.mean([f.value[-1] - mean[-1] for f, (_, mean) in zip(found, draws, strict=True)])
    assert abs(bias) < 0.015
    covered = [f.low[-1] <= m[-1] <= f.high[-1] for f, (_, m) in zip(found, draws, strict=True)]
    assert np.mean(covered) > 0.91
    assert np.mean([f.value.argmax() == 4 for f in found]) < 0.05
    if kind == "hard items":  # by its own mean it leads
        assert np.mean([np.nanmean(s, axis=1).argmax() == 4 for s, _ in draws]) > 0.5


@pytest.mark.parametrize("kind", ["at random", "hard items", "what it would fail on"])
def test_better_whatever_is_missing_keeps_its_level(kind):
    rng = np.random.default_rng(6)
    false = [better_whatever_is_missing(_draw(rng, kind)[0], 4, (0, 1)).any() for _ in range(200)]
    assert sum(false) <= stats.binom.ppf(0.999, 200, 0.05)


def test_a_clear_lead_survives_a_few_missing_items():
    rng = np.random.default_rng(7)
    better, worse = (rng.random(400) < 0.9).astype(float), (rng.random(400) < 0.6).astype(float)
    better[:8] = worse[8:16] = NAN
    assert better_whatever_is_missing([better, worse], 0, (0, 1)).tolist() == [False, True]
    better[:200] = NAN
    assert not better_whatever_is_missing([better, worse], 0, (0, 1)).any()


def test_it_says_what_is_wrong_and_how_to_repeat_it():
    with pytest.raises(ValueError, match=r"`scores` must be 2-D \(systems × items\)"):
        comparable_scores([1, 2], (0, 1))
    with pytest.raises(ValueError, match="`confidence_level` must lie strictly"):
        comparable_scores([[1, 2]], (0, 1), confidence_level=1)
    assert comparable_scores([[1, 2]], (0, 2)).signature.startswith("comparable-scores|level:0.95")
