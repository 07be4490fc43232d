import doctest
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, linalg, optimize, stats
from statsmodels.stats.meta_analysis import combine_effects

from analysis.statistics.across import hierarchical
from analysis.statistics.across.between_datasets import dersimonian_laird
from analysis.statistics.across.hierarchical import random_effects
from analysis.statistics.results import DegenerateDataWarning

# Entered from recollection; that the published Q comes out is the check.
# Colditz et al. (1994), 13 trials of BCG vaccine: cases and others among vaccinated people, cases
# and others among the rest.
BCG_TRIALS = np.array(
    [
        [4, 119, 11, 128],
        [6, 300, 29, 274],
        [3, 228, 11, 209],
        [62, 13536, 248, 12619],
        [33, 5036, 47, 5761],
        [180, 1361, 372, 1079],
        [8, 2537, 10, 619],
        [505, 87886, 499, 87892],
        [29, 7470, 45, 7232],
        [17, 1699, 65, 1600],
        [186, 50448, 141, 27197],
        [5, 2493, 3, 2338],
        [27, 16886, 29, 17825],
    ]
)

NUMBERS = ("tau2", "tau2_dl", "mean", "standard_error", "q_statistic", "fixed_mean")


def draw(seed, n, tau=1.0):
    rng = np.random.default_rng(seed)
    errors = rng.uniform(0.3, 2, n)
    return rng.normal(0.4, tau, n) + errors * rng.normal(size=n), errors


def contrasts_likelihood(tau2, y, errors):
    """Return the density of all contrasts of the differences, which do not know the mean."""
    basis = linalg.null_space(np.ones((1, y.size))).T
    covariance = basis @ np.diag(errors**2 + tau2) @ basis.T
    return stats.multivariate_normal.logpdf(basis @ y, cov=covariance)


def test_bcg_trials_as_published():
    # Log risk ratios; what metafor 4 finds for them (its documentation and tests).
    cases, others, cases_rest, others_rest = BCG_TRIALS.T
    treated, rest = cases + others, cases_rest + others_rest
    ratios = np.log((cases / treated) / (cases_rest / rest))
    errors = np.sqrt(1 / cases - 1 / treated + 1 / cases_rest - 1 / rest)
    result = random_effects(ratios, errors)
    assert result.tau2 == pytest.approx(0.3132, abs=5e-5)
    assert result.mean == pytest.approx(-0.7145, abs=5e-5)
    assert result.q_statistic == pytest.approx(152.2330, abs=5e-5)
    assert result.tau2_dl == pytest.approx(0.3088, abs=5e-5)
    assert result.fixed_mean == pytest.approx(-0.4303, abs=5e-5)
    np.testing.assert_allclose(result.fixed_ci[:2], [-0.5097, -0.3509], atol=5e-5)


@pytest.mark.filterwarnings("ignore:invalid value encountered in sqrt:RuntimeWarning")
@pytest.mark.parametrize("seed", range(6))
def test_moments_and_fixed_mean_equal_statsmodels(seed):
    y, errors = draw(seed, 4 + 3 * seed)
    ours, theirs = random_effects(y, errors), combine_effects(y, errors**2, method_re="chi2")
    assert ours.tau2_dl == pytest.approx(max(theirs.tau2, 0), rel=1e-10)
    assert ours.q_statistic == pytest.approx(theirs.q, rel=1e-10)
    assert ours.q_pvalue == pytest.approx(theirs.test_homogeneity().pvalue, rel=1e-8)
    assert ours.i2 == pytest.approx(max(theirs.i2, 0), rel=1e-9)
    assert ours.fixed_mean == pytest.approx(theirs.mean_effect_fe, rel=1e-10)
    np.testing.assert_allclose(ours.fixed_ci[:2], theirs.conf_int(use_t=False)[0], rtol=1e-8)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("tau", [0.3, 3])
def test_tau2_maximises_the_likelihood_of_contrasts(seed, tau):
    y, errors = draw(seed, 4 + 2 * seed, tau)
    best = optimize.minimize_scalar(
        lambda tau2: -contrasts_likelihood(tau2, y, errors),
        bounds=(0, 50),
        method="bounded",
        options={"xatol": 1e-10},
    )
    found = random_effects(y, errors).tau2
    assert found == pytest.approx(best.x, rel=1e-4, abs=1e-5)
    at_best = contrasts_likelihood(found, y, errors)
    assert at_best >= contrasts_likelihood(best.x, y, errors) - 1e-9


def test_mean_and_interval_by_hand():
    # Errors of 1 and REML's closed form for equal errors: tau2 = 10 - 1, weights 1 / 10, q = 1.
    y = np.array([0.0, 4.0, 6.0, 0.0, 0.0, 2.0])
    y *= math.sqrt(10 / np.var(y, ddof=1))
    result = random_effects(y, np.ones(6))
    assert result.tau2 == pytest.approx(9, rel=1e-9)
    assert result.tau2_dl == pytest.approx(9, rel=1e-9)
    assert result.mean == pytest.approx(y.mean())
    assert result.standard_error == pytest.approx(math.sqrt(10 / 6))
    expected = stats.ttest_1samp(y, 0).confidence_interval()
    np.testing.assert_allclose(result.ci[:2], expected, rtol=1e-8)
    np.testing.assert_allclose(result.weights, 1 / 6)
    assert result.q_statistic == pytest.approx(50)
    assert result.i2 == pytest.approx(0.9)


def test_alike_datasets_do_not_make_the_interval_shorter_than_their_errors():
    result = random_effects([1.0, 1.0, 1.0, 1.0], [0.5, 0.5, 0.5, 0.5])
    assert result.tau2 == result.tau2_dl == result.q_statistic == result.i2 == 0
    assert result.standard_error == pytest.approx(0.25)
    assert result.ci.high - 1 == pytest.approx(0.25 * stats.t.ppf(0.975, 3))


@pytest.mark.parametrize(("seed", "n", "tau"), [(0, 3, 0.0), (1, 5, 1.0), (2, 12, 3.0)])
def test_prediction_and_shrinkage_average_over_tau(seed, n, tau):
    y, errors = draw(seed, n, tau)
    result = random_effects(y, errors)

    def density(t):
        return math.exp(contrasts_likelihood(t * t, y, errors))

    def average(value):
        pieces = ((0, 0.5), (0.5, 2), (2, 8), (8, 100), (100, math.inf))
        return sum(
            integrate.quad(lambda t: density(t) * value(t), *piece, limit=200)[0]
            for piece in pieces
        )

    def mean_at(t):
        w = 1 / (errors**2 + t * t)
        return np.sum(w * y) / np.sum(w), 1 / np.sum(w)

    def new_below(x):
        def at(t):
            mean, variance = mean_at(t)
            return stats.norm.cdf(x, mean, math.sqrt(variance + t * t))

        return average(at) / average(lambda t: 1.0)

    assert new_below(result.prediction_interval.low) == pytest.approx(0.025, abs=1e-5)
    assert new_below(result.prediction_interval.high) == pytest.approx(0.975, abs=1e-5)
    assert new_below(0) == pytest.approx(1 - result.probability_better_on_new, abs=1e-5)

    def first_shrunken(t):
        pull = errors[0] ** 2 / (errors[0] ** 2 + t * t)
        mean, variance = mean_at(t)
        spread = math.sqrt((1 - pull) * errors[0] ** 2 + pull**2 * variance)
        return pull * mean + (1 - pull) * y[0], spread

    expected = average(lambda t: first_shrunken(t)[0]) / average(lambda t: 1.0)
    assert result.shrunken[0] == pytest.approx(expected, abs=1e-5)
    low = result.shrunken_ci_low[0]
    tail = average(lambda t: stats.norm.cdf(low, *first_shrunken(t))) / average(lambda t: 1.0)
    assert tail == pytest.approx(0.025, abs=1e-5)


def test_shrinkage_pulls_noisy_datasets_more():
    result = random_effects([0.0, 2.0, 2.0, 0.0, 1.0], [0.3, 0.3, 1.5, 1.5, 0.5])
    assert abs(result.shrunken[2] - result.mean) < abs(result.shrunken[1] - result.mean)
    assert np.all(result.shrunken_ci_low < result.shrunken)
    assert np.all(result.shrunken < result.shrunken_ci_high)
    assert result.weights.sum() == pytest.approx(1)


samples = st.integers(3, 12).flatmap(
    lambda n: st.tuples(
        st.lists(st.floats(-5, 5), min_size=n, max_size=n),
        st.lists(st.floats(0.05, 3), min_size=n, max_size=n),
    )
)


@given(samples, st.randoms(use_true_random=False))
def test_order_sign_scale_and_missing_datasets(sample, random):
    y, errors = (np.array(values) for values in sample)
    result = random_effects(y, errors)
    near = {"rel": 1e-6, "abs": 1e-6}

    order = list(range(y.size))
    random.shuffle(order)
    shuffled = random_effects(y[order], errors[order])
    for name in NUMBERS:
        assert getattr(shuffled, name) == pytest.approx(getattr(result, name), **near)
    np.testing.assert_allclose(shuffled.shrunken, result.shrunken[order], atol=1e-6)

    mirrored = random_effects(-y, errors)
    assert mirrored.mean == pytest.approx(-result.mean, **near)
    assert mirrored.prediction_interval.low == pytest.approx(
        -result.prediction_interval.high, **near
    )
    assert mirrored.probability_better_on_new == pytest.approx(
        1 - result.probability_better_on_new, abs=1e-6
    )

    scaled = random_effects(1e-3 * y, 1e-3 * errors)
    assert 1e6 * scaled.tau2 == pytest.approx(result.tau2, **near)
    assert 1e3 * scaled.mean == pytest.approx(result.mean, **near)

    holes = random_effects([math.nan, *y, 1.0], [1.0, *errors, math.nan])
    assert holes.n_missing == 2
    assert holes.mean == result.mean
    assert np.isnan(holes.shrunken[[0, -1]]).all()
    np.testing.assert_array_equal(holes.shrunken[1:-1], result.shrunken)


@pytest.mark.parametrize(
    ("y", "errors"),
    [
        (1e6 + 1e-3 * np.arange(4), np.full(4, 1e-4)),
        (np.arange(4.0), np.array([1e-8, 5, 5, 5])),
        (1e-12 * np.arange(4), np.full(4, 1e-13)),
        (1e-200 * np.arange(4), np.full(4, 1e-201)),
        (1e99 * np.arange(4), np.full(4, 1e-200)),
        (np.array([1e99, 1e-200, 1.0, 3e-200]), np.array([1e98, 1e-201, 0.1, 1e-201])),
        (np.array([1e-200, 3e-200, 1.0]), np.array([1e-201, 0.0, 0.0])),
    ],
)
@pytest.mark.filterwarnings("ignore::analysis.statistics.results.DegenerateDataWarning")
def test_awkward_scales_end_and_stay_finite(y, errors):
    result = random_effects(y, errors)
    assert result.prediction_interval.low < result.mean < result.prediction_interval.high
    assert result.ci.low < result.mean < result.ci.high
    assert np.isfinite(result.shrunken).all()


def test_a_standard_error_of_zero_is_no_certainty():
    with pytest.warns(DegenerateDataWarning, match="1 of 4 datasets is 0.*median.*0.4"):
        result = random_effects([0.0, 1.0, 2.0, 1.5], [0.0, 0.4, 0.6, 0.3])
    assert result.n_without_error == 1
    assert result.standard_errors.tolist() == [0.4, 0.4, 0.6, 0.3]
    assert result.ci.high - result.ci.low > 0.5


def test_without_any_standard_error_datasets_weigh_the_same():
    y = [1.2, 0.4, 2.1, 0.9]
    with pytest.warns(DegenerateDataWarning, match="weigh the same"):
        result = random_effects(y, np.zeros(4))
    np.testing.assert_allclose(result.ci[:2], stats.ttest_1samp(y, 0).confidence_interval())
    assert result.shrunken.tolist() == y
    assert np.isnan([result.q_statistic, result.fixed_mean, result.shrunken_ci_low[0]]).all()


def test_equal_systems_everywhere_give_no_interval():
    with pytest.warns(DegenerateDataWarning):
        result = random_effects(np.zeros(5), np.zeros(5))
    assert result.mean == result.tau2 == 0
    assert np.isnan([*result.ci[:2], *result.prediction_interval[:2]]).all()
    assert math.isnan(result.probability_better_on_new)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_datasets_answer_what_they_can(n):
    result = random_effects([1.0, 2.0][:n], [0.5, 0.5][:n])
    assert result.n_datasets == n
    assert math.isnan(result.mean) == (n == 0)
    assert math.isnan(result.ci.low) == (n < 2)
    assert math.isnan(result.prediction_interval.low)
    assert np.isnan(result.shrunken).all()
    assert result.to_dict()["tau2"] is None if n < 2 else result.tau2 == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("differences", "errors", "message"),
    [
        ([1.0, 2.0], [1.0], "`standard_errors` must have one value per difference"),
        ([1.0, 2.0], [1.0, -0.1], "`standard_errors` must be 0 or more, got -0.1 at index 1"),
        ([1.0, math.inf], [1.0, 1.0], "`differences` must be finite.*index 1"),
        ([[1.0]], [1.0], "`differences` must be 1-D"),
    ],
)
def test_wrong_input_is_named(differences, errors, message):
    with pytest.raises(ValueError, match=message):
        random_effects(differences, errors)


def test_result_is_frozen_signed_and_documented():
    result = random_effects([1.0, 2.0, 4.0], [0.5, 0.5, 0.7])
    assert result.signature.startswith("random-effects|tau2:reml|n:3|missing:0|")
    with pytest.raises(ValueError, match="read-only"):
        result.weights[0] = 1
    assert doctest.testmod(hierarchical).failed == 0


@pytest.mark.parametrize("tau", [0.0, 3.0])
def test_intervals_cover_what_they_promise(tau):
    rng = np.random.default_rng(11)
    repetitions, covered, predicted, held = 200, 0, 0, 0
    for _ in range(repetitions):
        errors = rng.choice([0.5, 0.7, 1.0, 1.4, 2.0], 5)
        true = rng.normal(0, tau, 6)
        result = random_effects(true[:5] + errors * rng.normal(size=5), errors)
        covered += result.ci.contains(0)
        predicted += result.prediction_interval.contains(true[5])
        inside = (result.shrunken_ci_low <= true[:5]) & (true[:5] <= result.shrunken_ci_high)
        held += np.mean(inside)
    least = stats.binom.ppf(1e-4, repetitions, 0.95)
    assert min(covered, predicted, held) >= least


def test_tau2_of_the_moments_keeps_its_scale_where_weights_are_tiny():
    weights = np.array([1.0, 3.0, 9.0])
    usual = dersimonian_laird(weights, 5.0)
    assert dersimonian_laird(weights * 1e-198, 5.0) == pytest.approx(usual * 1e198, rel=1e-12)
    assert math.isnan(dersimonian_laird(np.array([1.0, 1e-320]) * 1e-4, 5.0))
