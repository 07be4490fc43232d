"""Agreement between annotators against that with a metric."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from analysis.statistics.annotation.agreement import credit, pairwise_agreement
from analysis.statistics.annotation.exchange import exchanges
from analysis.statistics.annotation.humans_against_metric import (
    humans_against_metric,
    humans_against_metrics,
)
from analysis.statistics.annotation.judged import co_judged

NAN = math.nan
FEW = {"n_resamples": 99}

choices = arrays.arrays(
    np.float64,
    st.tuples(st.integers(2, 4), st.just(9)),
    elements=st.sampled_from([NAN, -1.0, 0.0, 1.0]),
)
said = arrays.arrays(np.float64, 9, elements=st.sampled_from([NAN, -1.0, 0.0, 1.0]))


@given(choices, said, st.sampled_from(["half", "strict"]))
def test_both_sides_are_those_of_loops_on_the_same_units(judgments, metric, rule):
    found = humans_against_metric(judgments, metric, tie_credit=rule, **FEW)
    between, with_metric, units = [], [], set()
    for a, b in combinations(judgments, 2):
        both = ~np.isnan(a + b + metric)
        if both.any():
            units |= set(np.flatnonzero(both))
            between.append(credit(a[both], b[both], rule).mean())
            sides = [credit(own[both], metric[both], rule).mean() for own in (a, b)]
            with_metric.append(np.mean(sides))
    scored = np.any(~np.isnan(judgments), axis=0) & ~np.isnan(metric)
    if not between:  # nobody to compare with
        for a in judgments:
            both = ~np.isnan(a + metric)
            if both.any():
                with_metric.append(credit(a[both], metric[both], rule).mean())
        units = set(np.flatnonzero(scored))
    humans = np.mean(between) if between else NAN
    mean = np.mean(with_metric) if with_metric else NAN
    assert found.humans == pytest.approx(humans, abs=1e-12, nan_ok=True)
    assert found.metric == pytest.approx(mean, abs=1e-12, nan_ok=True)
    assert found.difference == pytest.approx(humans - mean, abs=1e-12, nan_ok=True)
    assert found.n_units == len(units)
    assert found.n_units + found.n_single == np.count_nonzero(scored)


def test_the_metric_counts_as_the_mean_over_annotators_where_all_judged_all():
    rng = np.random.default_rng(4)
    people, metric = rng.choice([-1.0, 0.0, 1.0], (4, 50)), rng.choice([-1.0, 1.0], 50)
    found = humans_against_metric(people, metric, **FEW)
    assert found.metric == pytest.approx(found.per_annotator.mean(), abs=1e-12)
    assert found.n_single == 0


def test_units_that_one_judged_do_not_make_a_metric_better_than_people(calibrate_repetitions):
    """The metric is a person like the others; what two judged is harder than what one judged."""
    repetitions = min(calibrate_repetitions, 300)
    false = outside = 0
    gaps = []
    for seed in range(repetitions):
        rng = np.random.default_rng(seed)
        hidden, hard = rng.choice([-1, 1], 400), np.arange(400) < 100
        right = rng.random((3, 400)) < np.where(hard, 0.65, 0.95)
        people = np.where(right, hidden, -hidden).astype(float)
        who = rng.integers(0, 2, 400)
        people[1 - who[~hard], np.flatnonzero(~hard)] = NAN
        found = humans_against_metric(people[:2], people[2], n_resamples=199, rng=seed)
        assert (found.n_units, found.n_single) == (100, 300)
        gaps.append(found.difference)
        false += found.pvalue <= 0.05
        outside += not found.interval.contains(0)
    assert abs(np.mean(gaps)) < 3 * np.std(gaps) / math.sqrt(repetitions)
    assert false / repetitions < 0.05 + 3 * math.sqrt(0.05 * 0.95 / repetitions)
    assert outside / repetitions < 0.09 + 3 * math.sqrt(0.09 * 0.91 / repetitions)


def test_a_metric_that_is_one_of_them_agrees_as_a_human():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 300)
    people = np.array([np.where(rng.random(300) < 0.8, truth, 1 - truth) for _ in range(4)])
    found = humans_against_metric(2 * people[:3] - 1, 2 * people[3] - 1, rng=1)
    assert abs(found.difference) < 0.06
    assert found.interval.contains(0)
    assert found.pvalue > 0.05
    assert found.humans_interval == pairwise_agreement(2 * people[:3] - 1).interval


def test_a_metric_that_guesses_agrees_less():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 300)
    people = np.array([np.where(rng.random(300) < 0.9, truth, 1 - truth) for _ in range(3)])
    found = humans_against_metric(2 * people - 1, 2 * rng.integers(0, 2, 300) - 1, rng=1)
    assert found.difference > 0.2
    assert found.interval.low > 0
    assert found.pvalue == 2 / 2000


def test_several_metrics_share_the_resamples():
    rng = np.random.default_rng(3)
    people = rng.choice([-1.0, 0.0, 1.0], (3, 40))
    metrics = rng.choice([-1.0, 0.0, 1.0], (2, 40))
    together = humans_against_metrics(people, list(metrics), rng=7, **FEW)
    alone = [humans_against_metric(people, metric, rng=7, **FEW) for metric in metrics]
    assert [x.to_dict() for x in together] == [x.to_dict() for x in alone]


@given(choices, said, st.sampled_from(["half", "strict"]))
def test_an_exchange_changes_the_difference_as_foretold(judgments, metric, rule):
    groups = np.arange(9) // 2
    used = (np.count_nonzero(~np.isnan(judgments), axis=0) > 1) & ~np.isnan(metric)
    judgments = np.where(used, judgments, NAN)
    before = humans_against_metric(judgments, metric, tie_credit=rule, **FEW).difference
    if math.isnan(before):
        return
    found = exchanges(judgments, metric, co_judged(judgments), groups, rule)
    met = [g for g in range(5) if np.any(used & (groups == g))]
    assert len(found.first) == len(met)
    for g, first, n_places in zip(met, found.first, found.n_places, strict=True):
        assert found.change[first] == 0
        own = (groups == g) & used
        who = [k for k in range(len(judgments)) if np.any(~np.isnan(judgments[k, own]))]
        assert n_places == 1 + len(who)
        for place, k in enumerate(who, start=first + 1):
            people, other = judgments.copy(), metric.copy()
            units = own & ~np.isnan(judgments[k])
            people[k, units], other[units] = metric[units], judgments[k, units]
            after = humans_against_metric(people, other, tie_credit=rule, **FEW).difference
            assert found.change[place] == pytest.approx(after - before, abs=1e-12)


def test_the_p_value_is_that_of_all_exchanges():
    people = np.array([[1, 1, 1, 1, -1], [1, 1, 1, -1, -1]], dtype=float)
    metric = np.array([-1, -1, 1, -1, -1], dtype=float)
    found = exchanges(people, metric, co_judged(people), np.arange(5), "strict")
    moved = [
        sum(found.change[first + k] for first, k in zip(found.first, places, strict=True))
        for places in product(range(3), repeat=5)
    ]
    above, below = np.mean(np.array(moved) >= -1e-12), np.mean(np.array(moved) <= 1e-12)
    exact = min(1.0, 2 * min(above, below))
    drawn = humans_against_metric(people, metric, n_resamples=40_000, tie_credit="strict").pvalue
    assert drawn == pytest.approx(exact, abs=0.01)
    assert 0.05 < exact < 1


def test_one_annotator_has_no_agreement_to_compare_with():
    found = humans_against_metric([[1, -1, 1]], [1, 1, 1], **FEW)
    assert found.metric == pytest.approx(2 / 3)
    assert math.isnan(found.humans)
    assert math.isnan(found.pvalue)
    nothing = humans_against_metric([[1, -1], [1, 1]], [NAN, NAN], **FEW)
    assert math.isnan(nothing.humans)  # on the same units, of which there are none
    assert math.isnan(nothing.metric)
    assert nothing.n_units == 0


def test_wrong_metrics_are_refused():
    with pytest.raises(ValueError, match="`metric` must have one value per unit, 2"):
        humans_against_metric([[1, 0], [1, 1]], [1, 0, 1])
    with pytest.raises(ValueError, match="`tie_credit` must be one of"):
        humans_against_metric([[1, 0]], [1, 0], tie_credit="third")


@pytest.mark.parametrize("share", [0.8, 0.95])
def test_the_test_keeps_its_level(share, calibrate_repetitions):
    """The metric is a person like the others, on 30 items of 3 pairs that hang together.

    With a share of .95 only a few units tell anybody apart; a bootstrap errs in .15 of cases.
    """
    rng = np.random.default_rng(5)
    repetitions = min(calibrate_repetitions, 1_000)
    groups = np.repeat(np.arange(30), 3)
    false = 0
    for seed in range(repetitions):
        hidden = rng.choice([-1, 1], 90)
        right = rng.random((4, 90)) < np.repeat(rng.uniform(2 * share - 1, 1, 30), 3)
        people = np.where(right, hidden, -hidden)
        found = humans_against_metric(
            people[:3], people[3], groups=groups, n_resamples=199, rng=seed
        )
        false += found.pvalue <= 0.05
    assert false / repetitions < 0.05 + 3 * math.sqrt(0.05 * 0.95 / repetitions)


def test_a_metric_like_the_average_of_unequal_people(calibrate_repetitions):
    """The metric agrees with people as they do on average; the null hypothesis in mean only."""
    rng = np.random.default_rng(6)
    repetitions = min(calibrate_repetitions, 1_000)
    false = 0
    for seed in range(repetitions):
        hidden = rng.choice([-1, 1], 100)
        right = rng.random((4, 100)) < np.array([[0.95], [0.8], [0.65], [0.775]])
        people = np.where(right, hidden, -hidden)
        found = humans_against_metric(people[:3], people[3], n_resamples=199, rng=seed)
        false += found.pvalue <= 0.05
    assert false / repetitions < 0.05 + 3 * math.sqrt(0.05 * 0.95 / repetitions)
