"""Closed forms for two accuracies against R (MESS, biostatUZH, power.prop.test) and statsmodels."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import NormalIndPower

from analysis.statistics.planning.accuracy.agreement import agreement_range
from analysis.statistics.planning.accuracy.lachenbruch import (
    lachenbruch_gaps,
    lachenbruch_items,
    normal_mcnemar_power,
)
from analysis.statistics.planning.accuracy.two_proportions import (
    two_proportion_gap,
    two_proportion_power,
)


@pytest.fixture(scope="module")
def reference(shared_folder):
    path = shared_folder / "reference/seed_systems/card_mcnemar_R.json"
    return json.loads(path.read_text())


@pytest.mark.shared
def test_normal_power_equals_r(reference):
    assert len(reference["power_grid"]) == 108
    for case in reference["power_grid"]:
        ours = normal_mcnemar_power(case["n"], case["delta"], case["Pa"])
        assert ours == pytest.approx(case["power_normal"], abs=1e-12)


@pytest.mark.shared
def test_items_equal_r(reference):
    for case in reference["lachenbruch"]:
        found = lachenbruch_items(case["p1"], case["p2"] - case["p1"], power=case["power"])
        assert found.n_items.tolist() == list(case["N"].values())


@pytest.mark.shared
def test_gaps_agree_with_r(reference):
    for case in reference["mde"]:
        n, baseline = case["n"], case["baseline"]
        theirs = [case["mde_lach_min"], case["mde_lach_mid"], case["mde_lach_max"]]
        found = lachenbruch_gaps(n, baseline)
        # Its root finder stops within 1.2e-4, on a number of items that was rounded up.
        np.testing.assert_allclose(found.gap, theirs, atol=3e-4)
        for bound in range(3):
            items = lachenbruch_items(baseline, found.gap[bound]).n_items
            assert items[bound] == n
        assert two_proportion_gap(n, baseline) == pytest.approx(case["mde_two_prop"], abs=1e-10)


def test_items_of_the_article():
    assert lachenbruch_items(0.8, 0.1, power=0.9).n_items.tolist() == [316, 211, 106]
    one_sided = lachenbruch_items(0.8, 0.1, power=0.9, alternative="greater")
    assert np.all(one_sided.n_items < [316, 211, 106])
    assert one_sided.signature.startswith("lachenbruch-items|baseline:0.8|gap:0.1|power:0.9")


@given(
    n=st.integers(5, 10**6),
    baseline=st.integers(0, 10_000).map(lambda whole: whole / 10_000),
    alternative=st.sampled_from(["two-sided", "greater", "less"]),
    power=st.floats(0.1, 0.99),
)
def test_gaps_solve_the_formula(n, baseline, alternative, power):
    found = lachenbruch_gaps(n, baseline, alternative=alternative, power=power)
    sign = -1 if alternative == "less" else 1
    largest = baseline if alternative == "less" else 1 - baseline
    for bound, gap in enumerate(found.gap):
        if math.isnan(gap):
            if largest > 0:
                end = sign * largest
                most = lachenbruch_items(baseline, end, alternative=alternative, power=power)
                assert most.n_items[bound] >= n
            continue
        possible = agreement_range(baseline, sign * gap)
        ends = (possible.least, possible.middle, possible.most)
        assert found.agreement[bound] == pytest.approx(ends[bound])
        items = lachenbruch_items(baseline, sign * gap, alternative=alternative, power=power)
        assert abs(items.n_items[bound] - n) <= 1 + 1e-6 * n
    known = found.gap[~np.isnan(found.gap)]
    assert np.all(np.diff(known) <= 1e-12)  # the more they agree, the smaller


def test_losses_of_accuracy_mirror_gains():
    loss = lachenbruch_gaps(2000, 0.1, alternative="less")
    gain = lachenbruch_gaps(2000, 0.9, alternative="greater")
    np.testing.assert_allclose(loss.gap, gain.gap, rtol=1e-9)
    assert two_proportion_gap(2000, 0.1, alternative="less") == pytest.approx(
        two_proportion_gap(2000, 0.9, alternative="greater")
    )
    assert normal_mcnemar_power(500, -0.02, 0.95, alternative="less") == pytest.approx(
        normal_mcnemar_power(500, 0.02, 0.95, alternative="greater")
    )


@pytest.mark.parametrize(("baseline", "gap", "n"), [(0.7, 0.02, 1000), (0.9, 0.03, 800)])
def test_two_proportions_near_statsmodels(baseline, gap, n):
    # Cohen's h stands in for the difference there: close, not equal.
    effect = 2 * (math.asin(math.sqrt(baseline + gap)) - math.asin(math.sqrt(baseline)))
    expected = NormalIndPower().power(effect, n, 0.05, ratio=1, alternative="two-sided")
    assert two_proportion_power(n, baseline, gap) == pytest.approx(expected, abs=0.01)


@given(n=st.integers(20, 10**6), baseline=st.floats(0, 0.99), power=st.floats(0.1, 0.99))
def test_two_proportion_gap_has_the_power_asked_for(n, baseline, power):
    gap = two_proportion_gap(n, baseline, power=power)
    if math.isnan(gap):
        assert two_proportion_power(n, baseline, 1 - baseline) < power
    else:
        assert two_proportion_power(n, baseline, gap) == pytest.approx(power, abs=1e-6)


def test_no_gap_is_enough():
    assert np.isnan(lachenbruch_gaps(10, 0.9).gap).all()
    assert np.isnan(lachenbruch_gaps(1000, 1.0).gap).all()
    assert math.isnan(two_proportion_gap(10, 0.9))
    assert math.isnan(two_proportion_gap(1000, 1.0))
    assert lachenbruch_gaps(10, 0.9).to_dict()["gap"] == [None, None, None]


def test_tests_that_look_away_find_nothing():
    assert normal_mcnemar_power(500, 0.02, 0.95, alternative="less") == 0
    assert two_proportion_power(500, 0.7, -0.02, alternative="greater") == 0
    assert normal_mcnemar_power(300, 1.0, 0.0) == 1


def test_wrong_arguments():
    with pytest.raises(ValueError, match="`gap` must not be 0"):
        lachenbruch_items(0.8, 0.0)
    with pytest.raises(ValueError, match=r"`gap` must be a share \(0.02, not 2\), got 2"):
        lachenbruch_items(0.8, 2)
    with pytest.raises(ValueError, match=r"`gap` of 1e-20 needs more than 10\^15 items"):
        lachenbruch_items(0.8, 1e-20)
    with pytest.raises(ValueError, match="`power` must be above `alpha`"):
        lachenbruch_gaps(100, 0.8, power=0.01)
    with pytest.raises(ValueError, match="`agreement` must be at most"):
        normal_mcnemar_power(100, 0.1, 0.95)
    with pytest.raises(ValueError, match="`baseline` must be a share"):
        two_proportion_gap(100, 80)
    with pytest.raises(ValueError, match="`alternative` must be one of"):
        two_proportion_power(100, 0.8, 0.1, alternative="larger")
    with pytest.raises(TypeError, match="`n_items` must be a whole number"):
        lachenbruch_gaps(10.5, 0.8)
