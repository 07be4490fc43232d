"""Intervals of correlations: every resample against scipy on the copies that it drew."""

import json
import math
import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.meta_evaluation.coefficients import COEFFICIENTS, KINDS
from analysis.statistics.meta_evaluation.intervals import (
    INTERVALS,
    correlation_interval,
    resampled_correlations,
)
from analysis.statistics.meta_evaluation.levels import LEVELS, correlation
from analysis.statistics.meta_evaluation.resamples import BOOTSTRAPS, plan_resamples
from analysis.statistics.meta_evaluation.soft_accuracy import soft_pairwise_accuracy

ORACLES = {
    "pearson": lambda x, y: stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: stats.spearmanr(x, y)[0],
    "kendall-b": lambda x, y: stats.kendalltau(x, y)[0],
}


def of_copies(name, x, y, drawn):
    """Return the coefficient of positions with copies; copies of one position are no pair."""
    if len(x) < 2:
        return math.nan
    if name in ORACLES:
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            return math.nan
        return float(ORACLES[name](x, y))
    signs = [
        (np.sign(x[i] - x[j]), np.sign(y[i] - y[j]))
        for i, j in combinations(range(len(x)), 2)
        if drawn[i] != drawn[j]
    ]
    if not signs:
        return math.nan
    of_x, of_y = np.array(signs).T
    if name == "pairwise-accuracy":
        return float(np.mean(of_x == of_y))
    if name == "kendall-c" and of_x.any() and of_y.any():
        levels = min(len(np.unique(x)), len(np.unique(y)))
        at_most = min(len(x) ** 2 * (levels - 1) / (2 * levels), of_x.size)
        return float(np.sum(of_x * of_y)) / at_most
    return float(np.mean(of_x * of_y)) if of_x.any() and of_y.any() else math.nan


def of_resample(metric, gold, systems, items, level, name):
    """Return the correlation of one resample, copies spelled out."""
    rows = np.repeat(np.arange(len(systems)), systems.astype(int))
    columns = np.repeat(np.arange(len(items)), items.astype(int))
    x, y = metric[np.ix_(rows, columns)], gold[np.ix_(rows, columns)]
    shared = ~(np.isnan(x) | np.isnan(y))
    cells = rows[:, np.newaxis] * len(items) + columns
    if level == "system":
        some = shared.any(axis=1)
        means = [
            np.array([side[r][shared[r]].mean() for r in np.flatnonzero(some)]).round(12)
            for side in (x, y)
        ]
        return of_copies(name, *means, rows[some])
    if level == "global":
        return of_copies(name, x[shared], y[shared], cells[shared])
    if level == "item":
        x, y, shared, cells = x.T, y.T, shared.T, cells.T
    values = [of_copies(name, x[u][s], y[u][s], cells[u][s]) for u, s in enumerate(shared)]
    defined = [value for value in values if not math.isnan(value)]
    return float(np.mean(defined)) if defined else math.nan


def sample(seed=0, shape=(5, 8), missing=0.1):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 4, shape).astype(float)
    metric = gold + rng.integers(0, 5, shape)
    metric[rng.random(shape) < missing] = np.nan
    return metric, gold


@pytest.mark.parametrize("method", BOOTSTRAPS)
@pytest.mark.parametrize("name", KINDS)
def test_every_resample_is_the_coefficient_of_its_copies(name, method):
    for level in LEVELS:
        every_resample_is_the_coefficient_of_its_copies(level, name, method)


def every_resample_is_the_coefficient_of_its_copies(level, name, method):
    metric, gold = sample()
    found = resampled_correlations(
        [metric],
        gold,
        level=level,
        coefficient=name,
        method=method,
        n_resamples=12,
        epsilon=None if name != "pairwise-accuracy" else 0.0,
        rng=4,
    )[0]
    drawn = plan_resamples(method, *gold.shape, seed=4).block(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [
            of_resample(metric, gold, drawn.systems[b], drawn.items[b], level, name)
            for b in range(12)
        ]
    assert found == pytest.approx(expected, abs=1e-9, nan_ok=True), level


def test_plans_draw_what_they_say():
    shape = (6, 9)
    both, systems, inputs = (plan_resamples(m, *shape, seed=1).block(0) for m in BOOTSTRAPS)
    for drawn in (both, systems, inputs):
        assert (drawn.systems.sum(axis=1) == 6).all()
        assert (drawn.items.sum(axis=1) == 9).all()
    assert np.array_equal(both.systems, systems.systems)
    assert np.array_equal(both.items, inputs.items)
    assert (systems.items == 1).all()
    assert (inputs.systems == 1).all()
    assert np.mean(both.systems == 0) == pytest.approx((5 / 6) ** 6, abs=0.03)


def test_whole_groups_are_drawn():
    groups = ["a", "b", "a", None, "b", "c"]
    drawn = plan_resamples("boot-inputs", 3, 6, seed=0, groups=groups).block(0).items
    assert np.array_equal(drawn[:, 0], drawn[:, 2])
    assert np.array_equal(drawn[:, 1], drawn[:, 4])
    assert (drawn[:, [0, 1, 3, 5]].sum(axis=1) == 4).all()
    metric, gold = sample(shape=(4, 6), missing=0)
    found = correlation_interval(
        metric, gold, level="system", coefficient="kendall-b", groups=groups, n_resamples=50
    )
    assert found.n_groups == 4
    assert "groups:4" in found.signature


def test_groups_of_one_are_no_groups():
    metric, gold = sample()
    plain, grouped = (
        correlation_interval(
            metric, gold, level="item", coefficient="pearson", groups=groups, n_resamples=99
        )
        for groups in (None, [None] * 8)
    )
    assert (plain.low, plain.high) == (grouped.low, grouped.high)


@pytest.mark.parametrize("level", LEVELS)
def test_ends_are_quantiles_of_the_defined_resamples(level):
    metric, gold = sample(1)
    options = {"level": level, "coefficient": "spearman", "n_resamples": 300, "rng": 7}
    values = resampled_correlations([metric], gold, **options)[0]
    found = correlation_interval(metric, gold, confidence_level=0.9, **options)
    assert (found.low, found.high) == pytest.approx(np.nanquantile(values, [0.05, 0.95]))
    assert found.n_undefined == np.isnan(values).sum()
    assert found.value == correlation(metric, gold, level=level, coefficient="spearman").value


def test_metrics_share_their_resamples():
    metric, gold = sample(2)
    several = np.stack([metric, metric, 3 * metric + 1])
    values = resampled_correlations(
        several, gold, level="global", coefficient="kendall-b", n_resamples=300
    )
    assert np.array_equal(values[0], values[1], equal_nan=True)
    assert np.array_equal(values[0], values[2], equal_nan=True)


def test_threads_and_length_change_nothing():
    metric, gold = sample(3)
    long, short = (
        resampled_correlations(
            [metric], gold, level="item", coefficient="pearson", n_resamples=n, n_threads=threads
        )[0]
        for n, threads in ((600, 4), (300, 1))
    )
    assert np.array_equal(long[:300], short, equal_nan=True)


def test_seeds_matter_and_are_written_down():
    metric, gold = sample(4)
    ends = [
        correlation_interval(
            metric, gold, level="item", coefficient="pearson", rng=seed, n_resamples=99
        )
        for seed in (0, 0, 1)
    ]
    assert (ends[0].low, ends[0].high) == (ends[1].low, ends[1].high)
    assert (ends[0].low, ends[0].high) != (ends[2].low, ends[2].high)
    assert "seed:1" in ends[2].signature
    assert json.loads(json.dumps(ends[2].to_dict()))["seed"] == 1


def test_blocks_apart_are_other_resamples():
    metric, gold = sample(5)
    near, far = (
        resampled_correlations(
            [metric], gold, level="item", coefficient="pearson", n_resamples=99, first_block=block
        )[0]
        for block in (0, 1 << 32)
    )
    assert not np.array_equal(near, far)


@pytest.mark.parametrize("method", BOOTSTRAPS)
def test_soft_accuracy_of_resamples(method):
    rng = np.random.default_rng(6)
    gold = rng.normal(size=(5, 60)) + np.arange(5)[:, np.newaxis] / 5
    metric = gold + rng.normal(size=gold.shape)
    drawn = plan_resamples(method, *gold.shape, seed=0).block(0)
    found = resampled_correlations(
        [metric],
        gold,
        level="system",
        coefficient="soft-pairwise-accuracy",
        method=method,
        n_resamples=6,
    )[0]
    for b in range(6):
        columns = np.repeat(np.arange(60), drawn.items[b].astype(int))
        apart, weights = [], []
        for i, j in combinations(range(5), 2):
            pair = np.ix_([i, j], columns)
            apart.append(1 - soft_pairwise_accuracy(metric[pair], gold[pair]))
            weights.append(drawn.systems[b, i] * drawn.systems[b, j])
        expected = 1 - np.average(apart, weights=weights)
        assert found[b] == pytest.approx(expected, abs=1e-9 if method == "boot-systems" else 0.02)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_perfect_metric_has_a_perfect_interval(name):
    gold = np.random.default_rng(7).normal(size=(6, 30)) + np.arange(6)[:, np.newaxis]
    found = correlation_interval(
        gold, gold, level="system", coefficient=name, method="boot-inputs", n_resamples=99
    )
    assert (found.low, found.value, found.high) == pytest.approx((1, 1, 1))


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("method", INTERVALS)
def test_a_few_perfect_systems_leave_no_interval(method, name):
    gold = 10 * np.arange(5.0)[:, np.newaxis] + np.random.default_rng(3).normal(size=(5, 29))
    if method == "fisher-z" and "accuracy" in name:
        return
    options = {"level": "system", "coefficient": name, "method": method, "n_resamples": 99}
    found = correlation_interval(gold, gold, **options)
    assert found.value == pytest.approx(1)
    assert np.isnan([found.low, found.high]).all()
    assert found.is_degenerate
    assert found.to_dict()["is_degenerate"]
    noisy = gold[[1, 3, 0, 2, 4]] + 60 * np.random.default_rng(4).normal(size=gold.shape)
    usual = correlation_interval(noisy, gold, **options)
    assert not usual.is_degenerate
    assert usual.low < usual.high


def test_a_settled_order_of_these_systems_is_an_interval():
    gold = 10 * np.arange(5.0)[:, np.newaxis] + np.random.default_rng(3).normal(size=(5, 60))
    order = gold[[1, 0, 2, 3, 4]]
    for items, there in ((60, True), (29, False)):
        found = correlation_interval(
            order[:, :items], gold[:, :items], level="system", coefficient="kendall-b",
            method="boot-inputs", n_resamples=99,
        )  # fmt: skip
        assert found.value == pytest.approx(0.8)
        assert (found.low == pytest.approx(0.8)) == there
        assert found.is_degenerate != there
    grouped = correlation_interval(
        order, gold, level="system", coefficient="kendall-b", method="boot-inputs",
        n_resamples=99, groups=[i // 3 for i in range(60)],
    )  # fmt: skip
    assert grouped.is_degenerate


@pytest.mark.parametrize(("n", "name", "there"), [
    (3, "pearson", False), (4, "pearson", True), (4, "kendall-b", False), (5, "kendall-b", True),
    (3, "spearman", False), (4, "spearman", True),
])  # fmt: skip
def test_fisher_z_needs_one_point_more_than_it_loses(n, name, there):
    x, y = np.array([[1.0, 5, 2, 4, 3], [2.0, 3, 1, 5, 4]])[:, :n, np.newaxis]
    found = correlation_interval(x, y, level="system", coefficient=name, method="fisher-z")
    assert math.isnan(found.low) != there
    assert not found.is_degenerate


@pytest.mark.parametrize("method", BOOTSTRAPS)
def test_tau_c_of_resamples_reaches_its_value(method):
    rng = np.random.default_rng(8)
    gold = np.arange(8.0)[:, np.newaxis] + rng.normal(size=(8, 40)) / 9
    options = {"level": "system", "coefficient": "kendall-c", "method": method, "n_resamples": 400}
    draws = resampled_correlations([gold, gold[[1, 0, 2, 3, 4, 5, 6, 7]]], gold, **options)
    assert draws[0] == pytest.approx(np.ones(400))
    if method != "boot-inputs":
        assert draws[1].max() == pytest.approx(1)


@pytest.mark.parametrize("method", BOOTSTRAPS)
def test_soft_accuracy_of_resamples_without_differences_is_undefined(method):
    rng = np.random.default_rng(9)
    gold = rng.normal(size=(3, 4))
    # Systems differ on one item only, two of them.
    metric = np.ones((3, 4))
    metric[2, 1] = 2
    found = resampled_correlations(
        [metric, np.ones((3, 4))], gold, level="system", coefficient="soft-pairwise-accuracy",
        method=method, n_resamples=99,
    )  # fmt: skip
    drawn = plan_resamples(method, 3, 4, seed=0).block(0)
    defined = (drawn.items[:99, 1] > 0) & (drawn.systems[:99, 2] > 0)
    defined &= drawn.systems[:99, :2].any(axis=1)
    assert np.array_equal(~np.isnan(found[0]), defined)
    assert np.isnan(found[1]).all()
    alone = correlation_interval(
        np.ones((3, 4)), gold, level="system", coefficient="soft-pairwise-accuracy", method=method
    )
    assert np.isnan([alone.value, alone.low, alone.high]).all()


def test_what_cannot_be_drawn_has_no_interval():
    metric, gold = sample(8, missing=0)
    one_system, one_item = (metric[:1], gold[:1]), (metric[:, :1], gold[:, :1])
    for pair, level, method, there in (
        (one_system, "global", "boot-systems", False),
        (one_system, "global", "boot-both", True),
        (one_system, "global", "boot-inputs", True),
        (one_item, "system", "boot-inputs", False),
        (one_item, "system", "boot-both", True),
    ):
        found = correlation_interval(
            *pair, level=level, coefficient="pearson", method=method, n_resamples=99
        )
        assert math.isnan(found.low) != there
        assert math.isnan(found.high) != there
        assert found.n_undefined < 99


def test_undefined_correlation_has_no_interval():
    for method in INTERVALS:
        found = correlation_interval(
            np.ones((5, 6)),
            sample()[1][:, :6],
            level="global",
            coefficient="pearson",
            method=method,
            n_resamples=20,
        )
        assert np.isnan([found.value, found.low, found.high]).all()


def test_calibrated_threshold_is_kept_in_resamples():
    metric, gold = sample(9, shape=(6, 20))
    found = correlation_interval(
        metric, gold, level="item", coefficient="pairwise-accuracy", n_resamples=50
    )
    free = correlation(metric, gold, level="item", coefficient="pairwise-accuracy")
    assert (found.epsilon, found.value) == (free.epsilon, free.value)
    fixed = correlation_interval(
        metric,
        gold,
        level="item",
        coefficient="pairwise-accuracy",
        n_resamples=50,
        epsilon=free.epsilon,
    )
    assert (found.low, found.high) == (fixed.low, fixed.high)
    several = resampled_correlations(
        [metric, metric], gold, level="item", coefficient="pairwise-accuracy", n_resamples=50
    )
    assert np.quantile(several[1], 0.025) == pytest.approx(found.low)


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall-b"])
@given(seed=st.integers(0, 50))
def test_fisher_z_is_bonett_and_wright(name, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(12, 4))
    y = x + rng.normal(size=x.shape)
    for level, n in (("system", 12), ("item", 12), ("per-system", 4), ("global", 48)):
        found = correlation_interval(x, y, level=level, coefficient=name, method="fisher-z")
        lost, variance = {
            "pearson": (3, 1.0),
            "spearman": (3, 1 + found.value**2 / 2),
            "kendall-b": (4, 0.437),
        }[name]
        if n <= lost:
            assert math.isnan(found.low)
            continue
        reach = stats.norm.ppf(0.975) * math.sqrt(variance / (n - lost))
        expected = np.tanh(np.arctanh(found.value) + np.array([-reach, reach]))
        assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1e-9)
        assert found.seed is None


@pytest.mark.parametrize("metric", ["metric1", "metric2"])
@pytest.mark.shared
def test_fisher_z_is_that_of_r(metric, r_inputs, r_reference):
    x, y = (np.array([r_inputs["correlation"][key]]) for key in (metric, "human"))
    found = correlation_interval(x, y, level="global", coefficient="pearson", method="fisher-z")
    expected = r_reference["correlation"][f"pearson_{metric}"]["ci"]
    assert [found.low, found.high] == pytest.approx(expected, abs=1e-10)


def test_interval_covers_the_correlation_of_other_items():
    # Many items: the correlation of noisy means is below that of noiseless ones.
    rng = np.random.default_rng(10)
    n_systems, hits, repetitions = 12, 0, 200
    quality, bias = rng.normal(size=(2, n_systems, 1))
    truth = np.corrcoef(quality[:, 0] + 0.5 * bias[:, 0], quality[:, 0])[0, 1]
    for _ in range(repetitions):
        noise = rng.normal(size=(2, n_systems, 1_000))
        found = correlation_interval(
            quality + 0.5 * bias + noise[0],
            quality + noise[1],
            level="system",
            coefficient="pearson",
            method="boot-inputs",
            n_resamples=256,
            n_threads=1,
        )
        hits += found.low <= truth <= found.high
    assert stats.binomtest(hits, repetitions, 0.95).pvalue > 0.001


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"method": "boot"}, ValueError, "`method`"),
        ({"level": "document"}, ValueError, "`level`"),
        ({"confidence_level": 95}, ValueError, "`confidence_level`"),
        ({"n_resamples": 0}, ValueError, "`n_resamples`"),
        ({"groups": ["a"]}, ValueError, "`groups`"),
        ({"rng": -1}, ValueError, "`rng`"),
        (
            {"coefficient": "pairwise-accuracy", "method": "fisher-z"},
            ValueError,
            "'fisher-z' is for correlations",
        ),
    ],
)
def test_wrong_arguments_are_named(change, error, says):
    options = {"level": "item", "coefficient": "pearson"} | change
    with pytest.raises(error, match=says):
        correlation_interval(*sample(), **options)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall-b"])
def test_units_of_a_metric_do_not_matter(name, level):
    rng = np.random.default_rng(4)
    gold = rng.uniform(0, 100, (6, 12))
    metric = np.exp(gold / 40 + rng.normal(size=gold.shape))
    options = {"level": level, "coefficient": name, "n_resamples": 99}
    usual = correlation_interval(metric, gold, **options)
    for unit in (1e-90, 1e-16, 1e13, 1e90):
        other = correlation_interval(metric * unit, gold, **options)
        assert [other.value, other.low, other.high] == pytest.approx(
            [usual.value, usual.low, usual.high], abs=1e-9
        ), unit


def test_cancelling_stops_the_work():
    class Stop(Exception):
        pass

    def stop(done, total):
        raise Stop

    metric, gold = sample()
    with pytest.raises(Stop):
        resampled_correlations([metric], gold, level="item", coefficient="pearson", progress=stop)
