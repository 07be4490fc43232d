"""Power from pilots: NLPStatTest's draws, exact powers, stated effects, groups, metrics."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from analysis.statistics.planning.pilot_power import pilot_power
from analysis.statistics.planning.power import (
    power_of_t,
)
from analysis.statistics.planning.power_curve import power_by_size
from analysis.statistics.planning.row_tests import row_pvalues
from analysis.statistics.planning.tilting import tilted_weights
from analysis.statistics.planning.type_errors import type_errors_of_t


def test_pilot_power_against_nlpstattest(shared_folder):
    folder = shared_folder / "reference/seed_systems"
    reference = json.loads((folder / "nlpstattest_retrospective_power.json").read_text())
    compared = 0
    for case, theirs in reference.items():
        file, method, *_ = case.split("|")
        if method != "bootstrap":
            continue
        scores = np.loadtxt(shared_folder / "data/nlpstattest_samples" / file)
        gap = scores[:, 0] - scores[:, 1]
        sizes = [int(size) for size in theirs]
        # Their draws again, from numpy's old generator: our tests decide alike on every one.
        old = np.random.RandomState(1)
        for size, share in zip(sizes, theirs.values(), strict=True):
            drawn = np.stack([old.choice(gap, size) for _ in range(200)])
            pvalue = row_pvalues(drawn, test="t", alternative="two-sided", n_resamples=1, seed=0)
            assert np.mean(pvalue < 0.05) == share
        ours = pilot_power(scores[:, 0], scores[:, 1], sizes=sizes, test="t", n_iterations=400)
        # Theirs are shares of 200 simulations, ours of 400.
        error = np.sqrt(ours.power * (1 - ours.power) * (1 / 200 + 1 / 400))
        assert np.all(np.abs(ours.power - list(theirs.values())) <= 4 * error + 0.005)
        compared += len(sizes)
    assert compared == 15


def test_pilot_power_of_few_items_is_exact():
    # Three items drawn from four: all 64 samples, untestable where the same item comes thrice.
    gap = np.array([0.1, 0.5, 0.9, 1.2])
    index = np.indices((4, 4, 4)).reshape(3, -1).T
    varying = gap[index[np.ptp(index, axis=1) > 0]]
    exact = np.count_nonzero(stats.ttest_1samp(varying, 0, axis=1).pvalue <= 0.2) / 64
    found = pilot_power(gap, np.zeros(4), sizes=[3], test="t", alpha=0.2, n_iterations=3_000)
    assert found.power_low[0] <= exact <= found.power_high[0]
    assert found.n_untestable[0] == pytest.approx(3_000 / 16, abs=55)


def test_pilot_power_is_the_same_by_either_way_to_it():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.4, 1, 80), np.zeros(80)
    curve = power_by_size(a, b, sizes=[20, 60], method="bootstrap", n_iterations=300)
    pilot = pilot_power(a, b, sizes=[60], test="t", n_iterations=300)
    assert curve.power[1] == pilot.power[0]
    prefix = pilot_power(a, b, sizes=[60, 20], test="t", n_iterations=300)
    assert prefix.power[1] == curve.power[0]
    exact = power_by_size(a, b, sizes=[60])
    assert pilot.power[0] == pytest.approx(exact.power[0], abs=0.1)
    assert exact.power_low[0] == exact.power[0] == exact.power_high[0]
    assert exact.type_m[0] == type_errors_of_t(exact.difference, exact.std, 60).type_m
    assert "95% band" in str(pilot)
    assert pilot.to_dict()["power"] == pilot.power.tolist()


def test_stated_effect_is_what_the_draws_have():
    rng = np.random.default_rng(1)
    a, b = (rng.random(400) < 0.80) * 1.0, (rng.random(400) < 0.78) * 1.0
    gap = a - b
    weights = tilted_weights(gap - 0.06, 0.06)
    assert weights @ gap == pytest.approx(0.06, abs=1e-10)
    found = pilot_power(a, b, sizes=[300], test="mcnemar", effect=0.06, n_iterations=600)
    # Exactly: McNemar's power for the chances of wins and losses that the weights give.
    win, loss = float(weights[gap > 0].sum()), float(weights[gap < 0].sum())
    wins, losses = np.meshgrid(np.arange(301), np.arange(301), indexing="ij")
    n = wins + losses
    p = np.minimum(1, 2 * special.bdtr(np.minimum(wins, losses), n, 0.5))
    inside = n <= 300
    chance = np.zeros(n.shape)
    chance[inside] = stats.multinomial.pmf(
        np.stack([wins[inside], losses[inside], 300 - n[inside]], axis=1),
        300,
        [win, loss, 1 - win - loss],
    )
    exact = float(np.sum(chance[inside & (p <= 0.05)]))
    assert found.power_low[0] - 0.01 <= exact <= found.power_high[0] + 0.01
    assert found.difference == 0.06
    assert "|effect:0.06 by tilt|" in found.signature


def test_tilting_and_shifting_agree_for_small_changes():
    rng = np.random.default_rng(2)
    a = rng.normal(0.2, 1, 500)
    b = np.zeros(500)
    by = {
        way: pilot_power(a, b, sizes=[100], effect=0.3, effect_by=way, test="t").power[0]
        for way in ("tilt", "shift")
    }
    assert by["tilt"] == pytest.approx(by["shift"], abs=0.05)
    assert by["shift"] == pytest.approx(power_of_t(0.3, np.std(a, ddof=1), 100), abs=0.08)
    for stated in (-0.4, 0.0):
        one = pilot_power(a, b, sizes=[60], effect=stated, test="t", n_iterations=400)
        exact = type_errors_of_t(stated, float(np.std(a, ddof=1)), 60)
        assert one.rejection_rate[0] == pytest.approx(exact.rejection_rate, abs=0.09)
        assert one.power[0] == pytest.approx(exact.power, abs=0.09, nan_ok=True)


def test_pilot_with_groups_draws_and_tests_groups():
    rng = np.random.default_rng(4)
    codes = np.repeat(np.arange(60), 5)
    gap = 0.3 + rng.normal(0, 0.7, 60)[codes] + rng.normal(0, 0.7, 300)
    zero = np.zeros(300)
    settings = {"sizes": [60], "n_iterations": 120, "test": "t"}
    grouped = pilot_power(gap, zero, groups=codes, **settings)
    apart = pilot_power(gap, zero, sizes=[300], n_iterations=120, test="t")
    assert grouped.power[0] < apart.power[0] - 0.02
    assert grouped.n_groups == 60
    assert "|groups:60|" in grouped.signature
    alone = pilot_power(gap, zero, groups=list(range(300)), **settings)
    assert alone.power[0] == pilot_power(gap, zero, **settings).power[0]
    tilted = pilot_power(gap, zero, groups=codes, effect=0.1, **settings)
    assert tilted.power[0] < grouped.power[0]
    with pytest.raises(ValueError, match="takes items as independent"):
        pilot_power(gap, zero, groups=codes, sizes=[60], test="sign")


def test_pilot_of_a_corpus_metric():
    rng = np.random.default_rng(5)
    total = np.full(120, 10.0)
    a = np.stack([rng.binomial(10, 0.70, 120), total], axis=1)
    b = np.stack([rng.binomial(10, 0.64, 120), total], axis=1)
    found = pilot_power(
        a, b, sizes=[30, 120], aggregation="ratio", n_iterations=60, n_resamples=199
    )
    assert found.test == "bootstrap-percentile"
    assert found.power[0] < found.power[1]
    # Equal denominators: the ratio is the mean of the items' shares.
    means = pilot_power(
        a[:, 0] / 10, b[:, 0] / 10, sizes=[30, 120], test="signflip", n_iterations=60
    )
    assert found.power == pytest.approx(means.power, abs=0.12)
    assert math.isnan(found.std)
    with pytest.raises(ValueError, match="`effect` can be stated for tests of the mean only"):
        pilot_power(a, b, sizes=[30], aggregation="ratio", effect=0.1)


def test_pilot_refuses():
    with pytest.raises(ValueError, match="must share at least 2 items"):
        pilot_power([1.0], [0.0], sizes=[5])
    with pytest.raises(ValueError, match="`effect` 3 lies outside of what the items"):
        pilot_power([1, 0, 1], [0, 1, 1], sizes=[5], effect=3)
    with pytest.raises(ValueError, match="`effect` must be finite"):
        pilot_power([1, 0, 1], [0, 1, 1], sizes=[5], effect=math.nan)
    with pytest.raises(ValueError, match="`effect_by` must be one of"):
        pilot_power([1, 0, 1], [0, 1, 1], sizes=[5], effect=0.1, effect_by="hope")
    with pytest.raises(ValueError, match="`sizes` must hold numbers of at least 2"):
        pilot_power([1, 0, 1], [0, 1, 1], sizes=[1])


@given(values=st.lists(st.floats(-5, 5), min_size=3, max_size=30), share=st.floats(0.05, 0.95))
def test_tilting_reaches_any_mean_between_the_ends(values, share):
    x = np.array(values)
    if np.ptp(x) < 1e-3:
        return
    stated = x.min() + share * np.ptp(x)
    weights = tilted_weights(x - stated, stated)
    assert np.sum(weights) == pytest.approx(1)
    assert weights @ x == pytest.approx(stated, abs=1e-8)
