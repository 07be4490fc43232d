"""Averages of correlations over datasets."""

import math

import numpy as np
import pytest
from scipy import special, stats

from analysis.statistics.meta_evaluation.averages import interval_of_average, weighted_average


def test_weighted_average_leaves_out_what_is_not_there():
    values = np.array([[0.2, np.nan, 0.8], [np.nan] * 3, [0.1, 0.2, 0.3]])
    assert weighted_average(values) == pytest.approx([0.5, math.nan, 0.2], nan_ok=True)
    assert weighted_average(values, [3, 9, 1]) == pytest.approx(
        [0.35, math.nan, (0.3 + 1.8 + 0.3) / 13], nan_ok=True
    )
    assert math.isnan(weighted_average([0.4], [0]))


def test_values_need_an_axis_of_datasets():
    with pytest.raises(ValueError, match="a value per dataset"):
        weighted_average(0.5)
    with pytest.raises(ValueError, match="`weights` must hold one number per dataset"):
        weighted_average([0.5, 0.1], [1, 2, 3])
    with pytest.raises(ValueError, match="`weights` must not be negative"):
        weighted_average([0.5, 0.1], [-1, 2])


def fisher(values, n):
    reach = special.ndtri(0.975) / math.sqrt(n - 3)
    return np.tanh(np.arctanh(values) - reach), np.tanh(np.arctanh(values) + reach)


def test_one_dataset_keeps_its_interval():
    values = np.array([[0.3], [-0.8]])
    low, high = fisher(values, 12)
    found = interval_of_average(values, low, high, methods=["fisher-z"], coefficient="pearson")
    assert found[0] == pytest.approx(low[:, 0])
    assert found[1] == pytest.approx(high[:, 0])


@pytest.mark.parametrize("rho", [0.3, 0.9])
def test_average_of_many_datasets_is_covered(rho):
    rng, n_datasets, n_systems, repetitions = np.random.default_rng(3), 18, 12, 800
    gold = rng.normal(size=(repetitions, n_datasets, n_systems))
    metric = rho * gold + math.sqrt(1 - rho**2) * rng.normal(size=gold.shape)
    z = [(x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True) for x in (gold, metric)]
    values = np.mean(z[0] * z[1], axis=-1)
    low, high = interval_of_average(
        values, *fisher(values, n_systems), methods=["fisher-z"] * 18, coefficient="pearson"
    )
    covered = int(np.sum((low <= rho) & (rho <= high)))
    # The average itself is off by some rho (1 - rho^2) / (2 n): a point of coverage.
    assert stats.binom.ppf(0.0005, repetitions, 0.94) <= covered
    assert covered <= stats.binom.ppf(0.9995, repetitions, 0.95)


def test_ends_at_one_leave_an_interval():
    values, low, high = np.array([[0.8, 0.7]]), np.array([[0.2, 0.1]]), np.array([[1.0, 0.9]])
    found = interval_of_average(
        values, low, high, methods=["boot-both"] * 2, coefficient="kendall-b"
    )
    assert 0.2 < found[0][0] < 0.75 < found[1][0] < 1
    exact = np.ones((1, 2))
    ends = interval_of_average(exact, exact, exact, methods=["fisher-z"] * 2, coefficient="pearson")
    assert [float(end[0]) for end in ends] == [1.0, 1.0]


def test_accuracies_lie_between_0_and_1():
    tau = np.array([[0.6, 0.9]]), np.array([[0.3, 0.8]]), np.array([[0.8, 0.95]])
    of_tau = interval_of_average(*tau, [1, 3], methods=["boot-both"] * 2, coefficient="kendall-a")
    shares = [(values + 1) / 2 for values in tau]
    found = interval_of_average(
        *shares, [1, 3], methods=["boot-both"] * 2, coefficient="pairwise-accuracy"
    )
    assert 2 * np.array(found) - 1 == pytest.approx(np.array(of_tau))


def test_a_dataset_without_an_interval_leaves_none():
    values = np.array([[0.5, 0.6], [0.5, np.nan]])
    low, high = values - 0.2, values + 0.2
    low[0, 1] = high[0, 1] = np.nan
    found = interval_of_average(values, low, high, methods=["fisher-z"] * 2, coefficient="pearson")
    assert np.isnan(found[0]).tolist() == [True, False]
