"""Ratings with random workers and items: lme4's fit, dense matrices, statsmodels, properties."""

import math
import warnings

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from threadpoolctl import threadpool_limits

from analysis.statistics.planning.ratings.design import (
    MeanSquares,
    calibrated_critical_value,
    degrees_of_freedom,
    variance_parts,
)
from analysis.statistics.planning.ratings.mixed_effects import _best_scales, _solve, fit_ratings
from analysis.statistics.planning.ratings.table import as_rating_table, balanced_scales
from analysis.statistics.signature import METHOD_VERSION

SPREADS = ("worker_slope", "item_slope", "worker_intercept", "item_intercept", "residual")


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    """Small matrices only: threads of the matrix library get in each other's way."""
    with threadpool_limits(1):
        yield


def draw(seed, n_workers, n_items, n_ratings=1, *, keep=1.0, slope=0.3):
    """Return ratings, first, workers and items of a crossed study, or a random part of it."""
    rng = np.random.default_rng(seed)
    shape = (2, n_workers, n_items, n_ratings)
    first, worker, item, _ = (index.ravel() for index in np.indices(shape))
    x = first - 0.5
    y = 0.5 + 0.2 * x + rng.normal(0, 0.3, x.size)
    y += rng.normal(0, 0.2, n_workers)[worker] + x * rng.normal(0, slope, n_workers)[worker]
    y += rng.normal(0, 0.3, n_items)[item] + x * rng.normal(0, slope, n_items)[item]
    kept = rng.random(x.size) < keep
    return tuple(column[kept] for column in (y, first, worker, item))


def dense_deviance(data, fit, *, reml):
    """Return minus twice the log-likelihood, the coefficients and their covariance, from V."""
    y, first, worker, item = data
    x = first - 0.5
    fixed = np.column_stack([np.ones_like(x), x])
    v = fit["residual"] ** 2 * np.eye(y.size)
    for labels, name in ((worker, "worker"), (item, "item")):
        same = labels[:, np.newaxis] == labels
        v += same * (fit[f"{name}_intercept"] ** 2 + fit[f"{name}_slope"] ** 2 * np.outer(x, x))
    inverse = np.linalg.inv(v)
    covariance = np.linalg.inv(fixed.T @ inverse @ fixed)
    coefficients = covariance @ fixed.T @ inverse @ y
    rest = y - fixed @ coefficients
    n = y.size - 2 * reml
    deviance = np.linalg.slogdet(v)[1] + rest @ inverse @ rest + n * math.log(2 * math.pi)
    if reml:
        deviance -= np.linalg.slogdet(covariance)[1]
    return deviance, coefficients, covariance


def test_agrees_with_lme4(r_inputs, r_reference):
    rows, expected = r_inputs["human_ratings"], r_reference["lmer_uncorrelated"]
    items, workers, x, ratings = zip(*rows, strict=True)
    found = fit_ratings(ratings, np.array(x) > 0, workers, items)
    assert found.balanced
    assert [found.mean, found.difference] == pytest.approx(expected["fixef"], abs=1e-12)
    assert found.log_likelihood == pytest.approx(expected["loglik"], abs=1e-7)
    assert found.log_likelihood > expected["loglik"]
    # lme4 stops within its tolerance of the optimum that is exact here.
    assert found.standard_error == pytest.approx(expected["se"][1], rel=5e-6)
    ours = [0, found.item_intercept, found.worker_slope, found.worker_intercept, found.residual]
    assert ours == pytest.approx([part["sdcor"] for part in expected["vc"]], rel=1e-4, abs=1e-9)
    assert found.at_zero == "item_slope"


@pytest.mark.parametrize("method", ["reml", "ml"])
@pytest.mark.parametrize("keep", [1.0, 0.6])
@pytest.mark.parametrize(("n_workers", "n_items", "slope"), [(4, 15, 0.3), (12, 5, 0.0)])
def test_agrees_with_dense_matrices_and_is_the_best(method, keep, n_workers, n_items, slope):
    data = draw(3, n_workers, n_items, keep=keep, slope=slope)
    found = fit_ratings(*data, method=method)
    assert found.balanced is (keep == 1.0)
    fit = {name: getattr(found, name) for name in SPREADS}
    best, coefficients, covariance = dense_deviance(data, fit, reml=method == "reml")
    assert -2 * found.log_likelihood == pytest.approx(best, abs=1e-8)
    assert [found.mean, found.difference] == pytest.approx(coefficients, abs=1e-10)
    assert found.standard_error == pytest.approx(math.sqrt(covariance[1, 1]), rel=1e-9)
    for name in SPREADS:
        for step in (-0.01, 0.01):
            other = fit | {name: abs(fit[name] + step)}
            assert dense_deviance(data, other, reml=method == "reml")[0] > best - 1e-9


@pytest.mark.parametrize("reml", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_closed_form_of_balanced_tables_is_what_the_search_finds(reml, seed):
    sizes = [(3, 10, 1), (10, 3, 2), (2, 8, 1), (5, 5, 1), (4, 4, 3), (2, 2, 2)][seed]
    table, _, _ = as_rating_table(*draw(seed, *sizes, slope=0.2 * (seed % 3)))
    closed, found = balanced_scales(table, reml=reml), _best_scales(table, reml=reml)
    difference = (
        _solve(table, closed, reml=reml).deviance - _solve(table, found, reml=reml).deviance
    )
    assert abs(difference) < 1e-7
    assert closed == pytest.approx(found, abs=2e-3)


def test_agrees_with_statsmodels():
    y, first, worker, item = draw(5, 5, 12, keep=0.8)
    x = first - 0.5
    parts = {"w0": (worker, 1), "w1": (worker, x), "i0": (item, 1), "i1": (item, x)}
    designs = {
        name: [(labels[:, np.newaxis] == np.unique(labels)) * np.reshape(factor, (-1, 1))]
        for name, (labels, factor) in parts.items()
    }
    columns = [[list(map(str, range(part[0].shape[1])))] for part in designs.values()]
    components = sm.regression.mixed_linear_model.VCSpec(
        list(designs), columns, list(designs.values())
    )
    model = sm.MixedLM(y, sm.add_constant(x), np.ones(y.size), exog_re=None, exog_vc=components)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = model.fit(reml=True)
    found = fit_ratings(y, first, worker, item)
    assert found.difference == pytest.approx(theirs.fe_params[1], abs=1e-3)
    assert found.standard_error == pytest.approx(theirs.bse_fe[1], rel=0.01)
    assert found.residual**2 == pytest.approx(theirs.scale, rel=0.01)
    ours = [found.worker_intercept, found.worker_slope, found.item_intercept, found.item_slope]
    assert np.square(ours) == pytest.approx(theirs.vcomp, rel=0.05, abs=1e-3)
    # Its search stops a little short of the optimum.
    assert 0 <= found.log_likelihood - theirs.llf < 0.01


def test_interval_and_pvalue_of_a_balanced_study_are_the_planned_test():
    y, first, worker, item = draw(8, 4, 30)
    found = fit_ratings(y, first, worker, item)
    cells = (y[first == 1] - y[first == 0]).reshape(4, 30)
    rest = cells - cells.mean(axis=1)[:, np.newaxis] - cells.mean(axis=0) + cells.mean()
    squares = MeanSquares(
        30 * np.var(cells.mean(axis=1), ddof=1),
        4 * np.var(cells.mean(axis=0), ddof=1),
        np.sum(rest**2) / 87,
    )
    parts, df = variance_parts(squares, 4, 30), degrees_of_freedom(4, 30)
    critical = float(calibrated_critical_value(parts, df, 0.025))
    error = math.sqrt(sum(parts))
    # The plan takes the residual from differences alone, the fit from levels as well.
    assert found.difference == pytest.approx(cells.mean())
    assert found.standard_error == pytest.approx(error, rel=0.02)
    assert found.high - found.difference == pytest.approx(critical * error, rel=0.02)
    assert (found.pvalue < 0.05) is bool(not found.low <= 0 <= found.high)


def test_few_workers_widen_the_interval():
    found = fit_ratings(*draw(2, 3, 60))
    normal = stats.norm.isf(0.025) * found.standard_error
    assert (found.high - found.low) / 2 > 1.3 * normal
    edge = fit_ratings(*draw(2, 3, 60), confidence_level=1 - found.pvalue)
    assert min(abs(edge.low), abs(edge.high)) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("keep", [1.0, 0.7])
@settings(max_examples=12)
@given(seed=st.integers(0, 50), scale=st.sampled_from([0.01, 3.0]), shift=st.sampled_from([0, 40]))
def test_order_labels_and_units_do_not_matter(keep, seed, scale, shift):
    y, first, worker, item = draw(seed, 3, 6, keep=keep)
    order = np.random.default_rng(seed).permutation(y.size)
    one = fit_ratings(y, first, worker, item)
    names = np.array([f"w{9 - code}" for code in worker])
    swapped = (shift + scale * y)[order], ~first[order].astype(bool), names[order], -item[order]
    other = fit_ratings(*swapped)
    assert other.difference == pytest.approx(-scale * one.difference, rel=1e-3, abs=1e-6 * scale)
    assert other.mean == pytest.approx(shift + scale * one.mean, rel=1e-4)
    assert other.standard_error == pytest.approx(scale * one.standard_error, rel=1e-3)
    rescaled = one.log_likelihood - (y.size - 2) * math.log(scale)
    assert other.log_likelihood == pytest.approx(rescaled, abs=1e-5)


def test_missing_ratings_are_left_out():
    y, first, worker, item = draw(1, 4, 10)
    gone = np.arange(y.size) % 7 == 0
    with_gaps = fit_ratings(np.where(gone, np.nan, y), first, worker, item)
    without = fit_ratings(*(column[~gone] for column in (y, first, worker, item)))
    assert with_gaps.n_missing == np.count_nonzero(gone)
    assert with_gaps.difference == without.difference
    assert with_gaps.spread == without.spread


def test_estimates_are_those_the_ratings_were_drawn_with():
    fits = [fit_ratings(*draw(seed, 8, 20, 2)) for seed in range(150)]
    for name, truth in zip(SPREADS, (0.3, 0.3, 0.2, 0.3, 0.3), strict=True):
        squares = np.array([getattr(fit, name) ** 2 for fit in fits])
        assert np.mean(squares) == pytest.approx(truth**2, abs=4 * np.std(squares) / 150**0.5)


def test_level_with_few_workers():
    repetitions, false = 300, 0
    for seed in range(repetitions):
        y, first, worker, item = draw(seed, 3, 20)
        false += fit_ratings(y - 0.2 * (first - 0.5), first, worker, item).pvalue <= 0.05
    assert false <= stats.binom.isf(0.001, repetitions, 0.05)


def test_signature_and_dictionary():
    found = fit_ratings(*draw(0, 3, 5))
    assert found.signature == (
        "rating-model|fit:reml|test:calibrated|conf:0.95|ratings:30|missing:0|workers:3|items:5|"
        "v:" + METHOD_VERSION
    )
    assert found.to_dict()["n_workers"] == 3


def test_wrong_arguments():
    y, first, worker, item = draw(0, 3, 5)
    with pytest.raises(ValueError, match="`workers` must hold at least 2 different ones, got 1"):
        fit_ratings(y, first, np.zeros_like(worker), item)
    with pytest.raises(ValueError, match="`first` must name ratings of both systems"):
        fit_ratings(y, np.ones_like(first), worker, item)
    with pytest.raises(ValueError, match="`first` must be True for the first system"):
        fit_ratings(y, first + 1, worker, item)
    with pytest.raises(ValueError, match="`items` must be 1-D with one value per rating"):
        fit_ratings(y, first, worker, item[1:])
    with pytest.raises(ValueError, match="`ratings` must be finite"):
        fit_ratings(np.where(y == y[0], np.inf, y), first, worker, item)
    with pytest.raises(ValueError, match="`ratings` must not all be equal"):
        fit_ratings(np.ones_like(y), first, worker, item)
    with pytest.raises(ValueError, match="no residual is left"):
        fit_ratings(worker + 2.0 * first * item, first, worker, item)
    with pytest.raises(ValueError, match="no residual is left"):
        fit_ratings((worker + 2.0 * first)[1:], first[1:], worker[1:], item[1:])
    with pytest.raises(ValueError, match="`method` must be one of 'reml', 'ml'"):
        fit_ratings(y, first, worker, item, method="anova")
