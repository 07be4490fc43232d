"""Ratings far from 0, with gaps, or on part of a scale; choices that are nearly all ties."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import optimize, stats

from analysis.statistics.annotation.alpha import krippendorff_alpha
from analysis.statistics.annotation.bradley_terry import bradley_terry
from analysis.statistics.annotation.icc import intraclass_correlations
from analysis.statistics.annotation.kappa import cohen_kappa

NAN = math.nan
FEW = {"n_resamples": 99}

gapped = arrays.arrays(
    np.float64,
    st.tuples(st.integers(2, 4), st.integers(3, 9)),
    elements=st.sampled_from([NAN, 1.0, 2.0, 3.0, 5.0]),
)


@pytest.mark.parametrize("origin", [1e3, 1e6, 1e9, 1e12, -1e12])
def test_icc_of_ratings_far_from_zero(origin):
    ratings = np.random.default_rng(1).choice([1.0, 2.0, 3.0], (3, 20))
    near, far = (intraclass_correlations(table).forms for table in (ratings, ratings + origin))
    for one, other in zip(near, far, strict=True):
        assert other.value == pytest.approx(one.value, abs=1e-12, nan_ok=True)
        assert other.statistic == pytest.approx(one.statistic, rel=1e-9)
        assert other[5:] == pytest.approx(one[5:], rel=1e-9, nan_ok=True)


def test_a_single_far_rating_does_not_drown_the_others():
    ratings = [[1e8, 2.0, 3.0, 1.0], [1e8, 3.0, 3.0, 1.0], [1e8, 2.0, 1.0, 2.0]]
    exact = [[Fraction(value) for value in row] for row in ratings]
    mean = sum(map(sum, exact)) / 12
    units = [sum(row[i] for row in exact) / 3 for i in range(4)]
    between = sum(3 * (unit - mean) ** 2 for unit in units) / 3
    within = sum((row[i] - units[i]) ** 2 for row in exact for i in range(4)) / 8
    assert intraclass_correlations(ratings).forms[0].statistic == pytest.approx(
        float(between / within), rel=1e-6
    )


def test_what_rounding_makes_of_equal_ratings_is_no_spread():
    for table in ([[0.1 + 0.2, 0.3], [0.3, 0.3]], np.full((2, 3), 1e9) + 1e-8):
        assert all(math.isnan(form.value) for form in intraclass_correlations(table).forms)


@given(gapped)
def test_icc_of_unequal_numbers_is_the_analysis_of_variance(ratings):
    found = intraclass_correlations(ratings)
    groups = [unit[~np.isnan(unit)] for unit in ratings.T]
    groups = [group for group in groups if len(group) > 1]
    present = ratings[~np.isnan(ratings).all(axis=1)]
    complete = np.count_nonzero(~np.isnan(present).any(axis=0))
    if len(groups) < 2 or complete == len(groups):
        assert found.uneven is None
        return
    assert found.n_uneven == len(groups)
    sizes = [len(group) for group in groups]
    assert (found.fewest, found.most) == (min(sizes), max(sizes))
    values = np.concatenate(groups)
    within = sum(((group - group.mean()) ** 2).sum() for group in groups)
    between = sum(len(group) * (group.mean() - values.mean()) ** 2 for group in groups)
    if within < 1e-9 or between < 1e-9:
        return
    expected = stats.f_oneway(*groups)
    assert found.uneven.statistic == pytest.approx(expected.statistic, rel=1e-9)
    assert found.uneven.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
    n = len(values)
    average = (n - sum(size**2 for size in sizes) / n) / (len(groups) - 1)
    f = expected.statistic
    assert found.uneven.value == pytest.approx((f - 1) / (f + average - 1), abs=1e-9)
    assert found.uneven.low <= found.uneven.value <= found.uneven.high


def test_icc_of_unequal_numbers_comes_near_that_of_equal_ones():
    ratings = np.random.default_rng(2).normal(0, 1, (3, 30)) + np.linspace(-2, 2, 30)
    assert intraclass_correlations(ratings).uneven is None
    one_less = ratings.copy()
    one_less[0, 0] = NAN
    found = intraclass_correlations(one_less)
    assert found.n_incomplete == 1
    assert found.uneven.value == pytest.approx(
        intraclass_correlations(ratings).forms[0].value, abs=0.03
    )


def test_icc_where_nobody_rated_all(calibrate_repetitions):
    """Forty units, two to five of sixty raters each: the true correlation is .4."""
    repetitions = min(calibrate_repetitions, 400)
    values, hits = [], 0
    for seed in range(repetitions):
        rng = np.random.default_rng(seed)
        ratings = np.full((60, 40), NAN)
        for unit, level in enumerate(rng.normal(0, math.sqrt(0.4), 40)):
            who = rng.choice(60, rng.integers(2, 6), replace=False)
            ratings[who, unit] = level + rng.normal(0, math.sqrt(0.6), len(who))
        found = intraclass_correlations(ratings)
        assert found.forms == ()
        values.append(found.uneven.value)
        hits += found.uneven.low <= 0.4 <= found.uneven.high
    # A ratio of variances of forty units is too small by .007, on average of 1,500.
    by_luck = 3 * np.std(values) / math.sqrt(repetitions)
    assert np.mean(values) == pytest.approx(0.393, abs=by_luck)
    assert hits / repetitions > 0.94 - 3 * math.sqrt(0.94 * 0.06 / repetitions)


def test_no_reliability_of_a_mean_follows_from_ratings_that_contradict_each_other():
    found = intraclass_correlations([[1, 5, 1, 4], [5, 1, 4, 1]]).forms
    by_form = {form.form: form for form in found}
    assert by_form["ICC2"].value < -1  # at or below -1/(k - 1)
    for form in found:
        if form.form == "ICC2k":
            assert all(math.isnan(part) for part in (form.value, form.low, form.high))
        assert not math.isinf(form.value)


def test_weighted_kappa_by_the_values_of_the_scale():
    # Nobody gave a 3 or a 4: from 2 to 5 are three steps of the scale, but one of the list.
    a, b = np.array([1, 1, 2, 2, 5, 5, 5, 1.0]), np.array([1, 2, 2, 5, 5, 5, 2, 1.0])
    for weights, power in (("linear", 1), ("quadratic", 2)):
        observed = np.mean(np.abs(a - b) ** power)
        expected = np.mean(np.abs(a[:, None] - b) ** power)
        found = cohen_kappa([a, b], weights=weights, spacing="values")
        assert found.value == pytest.approx(1 - observed / expected, abs=1e-12)
        ranks = cohen_kappa([a, b], weights=weights)
        assert abs(ranks.value - found.value) > 0.01
        codes = {1.0: 0.0, 2.0: 1.0, 5.0: 2.0}
        listed = [[codes[value] for value in side] for side in (a, b)]
        again = cohen_kappa(listed, weights=weights, spacing="values")
        assert again.value == pytest.approx(ranks.value, abs=1e-12)
    plain = [cohen_kappa([a, b], spacing=way).value for way in ("ranks", "values")]
    assert plain[0] == plain[1]
    with pytest.raises(ValueError, match="`spacing` must be one of"):
        cohen_kappa([a, b], spacing="steps")


@pytest.mark.shared
@pytest.mark.parametrize("spacing", ["ranks", "values"])
def test_weighted_kappa_of_r_either_way(r_inputs, r_reference, spacing):
    ratings = [r_inputs["raters"][f"rater{k}"] for k in (1, 2)]
    found = cohen_kappa(ratings, weights="quadratic", spacing=spacing)
    assert found.value == pytest.approx(r_reference["raters"]["weighted12"], abs=1e-12)


def test_ties_alone_have_no_likeliest_strengths():
    with pytest.raises(ValueError, match="holds ties alone: no finite ν is the likeliest"):
        bradley_terry([0, 0, 1], [1, 2, 2], [0, 0, 0], 3)
    found = bradley_terry([0, 0, 1], [1, 2, 2], [0, 0, 0], 3, pseudo=0.5, **FEW)
    assert np.all(found.strength == 0)
    assert math.isfinite(found.tie_strength)


def minus_log_likelihood(free, first, second, choice):
    strength = np.append(free[:-1], 0.0)
    gap = strength[first] - strength[second]
    logs = np.stack([gap / 2, np.full(len(gap), free[-1]), -gap / 2])
    logs = logs - np.logaddexp.reduce(logs, axis=0)
    return -logs[1 - choice, np.arange(len(gap))].sum()


@pytest.mark.parametrize(
    ("choices", "is_solvable"),
    [
        # One win, and ties between all: the more the winner gains, the more the rest ties.
        ([(0, 1, 1), (0, 1, 0), (0, 2, 0), (1, 2, 0)], False),
        ([(0, 1, 1), (0, 1, -1), (0, 2, 0), (1, 2, 0)], True),
        ([(0, 1, 1), (1, 0, 0)], False),
        ([(0, 1, 1), (1, 2, 1), (2, 0, 1), (0, 1, 0)], True),
    ],
)
def test_whether_there_are_likeliest_strengths(choices, is_solvable):
    first, second, choice = np.array(choices).T
    n_systems = int(max(first.max(), second.max())) + 1
    arguments = (first, second, choice)
    within = [
        optimize.minimize(
            minus_log_likelihood,
            np.zeros(n_systems),
            args=arguments,
            method="L-BFGS-B",
            bounds=[(-reach, reach)] * n_systems,
        ).fun
        for reach in (6.0, 12.0)
    ]
    assert (within[0] - within[1] < 1e-4) == is_solvable  # else a wider room has likelier ones
    if is_solvable:
        found = bradley_terry(*arguments, n_systems, **FEW)
        assert found.log_likelihood == pytest.approx(-within[1], abs=1e-5)
    else:
        with pytest.raises(ValueError, match="the likeliest"):
            bradley_terry(*arguments, n_systems)


def test_alpha_of_rare_values_in_an_order_has_no_interval():
    ratings = np.ones((3, 40))
    ratings[0, :14] = np.arange(14) % 4 + 2
    ratings[1, :14] = 3
    for level in ("ordinal", "interval"):
        assert math.isnan(krippendorff_alpha(ratings, level=level).interval.low)
    ratings[0, 14] = 2
    for level in ("ordinal", "interval"):
        assert krippendorff_alpha(ratings, level=level).interval.low < 1
    assert krippendorff_alpha(np.minimum(ratings, 2), level="ordinal").interval.low < 1


def test_alpha_of_many_values_holds_its_level(calibrate_repetitions):
    rng = np.random.default_rng(6)
    missed = 0
    for _ in range(calibrate_repetitions):
        ratings = rng.normal(size=50) + 0.5 * rng.normal(size=(3, 50))
        interval = krippendorff_alpha(ratings, level="ordinal").interval
        # Of ranks: Spearman's correlation of two normal ratings that correlate at .8.
        missed += not interval.low <= 6 / math.pi * math.asin(0.4) <= interval.high
    assert math.isnan(krippendorff_alpha(ratings, level="interval").interval.low)
    assert missed <= stats.binom.ppf(0.999, calibrate_repetitions, 0.065)
