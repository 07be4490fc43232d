"""Design effects of groups."""

import math

import numpy as np
import pytest
from scipy import stats

from analysis.statistics.planning.design_effect import design_effect


def test_correlation_agrees_with_r(r_inputs, r_reference):
    ratings = np.array([r_inputs["raters"][f"rater{i}"] for i in (1, 2, 3)], dtype=float)
    (expected,) = [row for row in r_reference["raters"]["icc"] if row["type"] == "ICC1"]
    n, k = ratings.shape[1], len(ratings)
    found = design_effect(ratings.T.ravel(), np.repeat(np.arange(n), k))
    # psych's own figures are of an iterative fit: its F is 2e-6 above the exact 4.34932490663602.
    assert found.icc == pytest.approx(expected["ICC"], abs=1e-6)
    f = stats.f_oneway(*ratings.T).statistic
    assert f == pytest.approx(4.349324906636024, rel=1e-12)
    assert found.icc == pytest.approx((f - 1) / (f + k - 1), abs=1e-12)
    assert found.deff == pytest.approx(1 + (k - 1) * found.icc, abs=1e-12)
    assert found.effective_items == pytest.approx(n * k / found.deff)


def test_unequal_groups_and_missing_values():
    values = [1.0, 2.0, math.nan, 4.0, 5.0, 4.5, 1.0, 3.0]
    groups = ["a", "a", "a", "b", "b", "b", None, "c"]
    found = design_effect(values, groups)
    assert (found.n_items, found.n_missing, found.n_groups) == (7, 1, 4)
    assert found.weighted_group_size == pytest.approx((4 + 9 + 1 + 1) / 7)
    sizes = np.array([2, 3, 1, 1])
    f = stats.f_oneway([1, 2], [4, 5, 4.5], [1], [3]).statistic
    usual = (7 - (sizes**2).sum() / 7) / 3
    assert found.icc == pytest.approx((f - 1) / (f + usual - 1))
    assert "in 4 groups" in str(found)


def test_robust_effect_is_that_of_the_standard_errors():
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(300), 4)
    values = rng.normal(0, 0.6, 300)[codes] + rng.normal(0, 0.8, 1_200)
    found = design_effect(values, codes)
    assert found.icc == pytest.approx(0.36, abs=0.06)
    assert found.deff_robust == pytest.approx(found.deff, rel=0.02)


def test_groups_of_one_cost_nothing():
    found = design_effect([1.0, 2, 3], [None, None, "x"])
    assert found.deff == 1.0
    assert found.deff_robust == pytest.approx(1.0)
    assert math.isnan(found.icc)
    one = design_effect([1.0, 2, 3], ["x", "x", "x"])
    assert math.isnan(one.deff)
    negative = design_effect([1.0, -1, 1, -1.1], ["x", "x", "y", "y"])
    assert negative.icc < 0
    assert negative.deff == 1.0
    same = design_effect([1.0, 1, 2, 2], ["x", "x", "y", "y"])
    assert (same.icc, same.deff) == (1.0, 2.0)


def test_design_effect_refuses():
    with pytest.raises(ValueError, match="`values` must be 1-D"):
        design_effect([[1.0, 2]], ["x"])
    with pytest.raises(ValueError, match="`values` must hold at least 2 items"):
        design_effect([1.0, math.nan], ["x", "y"])
    with pytest.raises(ValueError, match="`values` must be finite"):
        design_effect([1.0, math.inf], ["x", "y"])
    with pytest.raises(ValueError, match="`groups` must have a label for each of 2 items"):
        design_effect([1.0, 2.0], ["x"])
