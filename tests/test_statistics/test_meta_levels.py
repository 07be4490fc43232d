"""Correlations at four levels against loops over scipy's coefficients."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.meta_evaluation.coefficients import COEFFICIENTS, KINDS, coefficient_of
from analysis.statistics.meta_evaluation.levels import (
    LEVELS,
    correlation,
    metric_correlations,
    unit_correlations,
)
from analysis.statistics.meta_evaluation.soft_accuracy import soft_pairwise_accuracy

ORACLES = {
    "pearson": lambda x, y: stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: stats.spearmanr(x, y)[0],
    "kendall-b": lambda x, y: stats.kendalltau(x, y)[0],
    "kendall-c": lambda x, y: stats.kendalltau(x, y, variant="c")[0],
}
VECTORS = tuple(KINDS)


def matrices(missing):
    cell = st.one_of(st.none(), st.integers(0, 9)) if missing else st.integers(0, 9)
    shapes = st.tuples(st.integers(1, 6), st.integers(1, 6))
    return shapes.flatmap(
        lambda shape: st.lists(
            st.tuples(cell, cell), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]
        ).map(lambda cells: np.array(cells, dtype=float).T.reshape(2, *shape))
    )


def loop(metric, gold, level, one):
    """Return the correlation as its definition says, unit by unit."""
    shared = ~(np.isnan(metric) | np.isnan(gold))
    if level == "system":
        rows = [
            (x[s].mean(), y[s].mean())
            for x, y, s in zip(metric, gold, shared, strict=True)
            if s.any()
        ]
        vectors = [np.array(rows).reshape(-1, 2).T]
    elif level == "global":
        vectors = [(metric[shared], gold[shared])]
    else:
        sides = (metric, gold, shared) if level == "per-system" else (metric.T, gold.T, shared.T)
        vectors = [(x[s], y[s]) for x, y, s in zip(*sides, strict=True)]
    values = [
        one(x, y) if len(x) > 1 and np.ptp(x) > 1e-9 and np.ptp(y) > 1e-9 else math.nan
        for x, y in vectors
    ]
    defined = [value for value in values if not math.isnan(value)]
    return (float(np.mean(defined)) if defined else math.nan), len(values) - len(defined)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", ORACLES)
@given(pair=matrices(missing=True))
def test_levels_agree_with_loops(level, name, pair):
    found = correlation(*pair, level=level, coefficient=name)
    # Means of floats that should be tied differ in the last digits.
    digits = 13 if level == "system" else 20
    expected, n_undefined = loop(
        *pair, level, lambda x, y: ORACLES[name](np.round(x, digits), np.round(y, digits))
    )
    assert found.value == pytest.approx(expected, abs=1e-11, nan_ok=True)
    assert found.n_undefined == n_undefined


@pytest.mark.parametrize("level", LEVELS)
def test_smooth_scores_agree_with_loops(level):
    rng = np.random.default_rng(3)
    gold = rng.normal(size=(9, 40))
    metric = gold + rng.normal(size=gold.shape)
    metric[rng.random(gold.shape) < 0.2] = np.nan
    gold[rng.random(gold.shape) < 0.2] = np.nan
    for name, one in ORACLES.items():
        found = correlation(metric, gold, level=level, coefficient=name)
        assert found.value == pytest.approx(loop(metric, gold, level, one)[0], abs=1e-12)


def test_equal_means_are_tied_whatever_their_rounding():
    metric, gold = [[0.1, 0.2], [0.15, 0.15], [0.3, 0.3]], [[1, 1], [2, 2], [3, 3]]
    assert np.mean(metric, axis=1)[0] != np.mean(metric, axis=1)[1]
    found = correlation(metric, gold, level="system", coefficient="kendall-b")
    assert found.value == pytest.approx(2 / math.sqrt(6))


def test_means_that_differ_by_rounding_are_constant():
    rng = np.random.default_rng(0)
    row = rng.normal(size=50)
    metric = np.array([rng.permutation(row) for _ in range(5)])
    gold = rng.normal(size=(5, 50))
    assert np.ptp(metric.mean(axis=1)) > 0
    assert math.isnan(correlation(metric, gold, level="system", coefficient="pearson").value)


def test_counts_say_what_was_used():
    metric = np.array([[1, 1, np.nan], [2, 1, np.nan], [3, 1, np.nan], [np.nan] * 3])
    gold = np.array([[1.0, 2, 3], [2, 3, 4], [2, 4, 5], [1, 1, 1]])
    found = correlation(metric, gold, level="item", coefficient="pearson")
    assert (found.n_units, found.n_undefined) == (1, 2)
    assert (found.n_systems, found.n_items, found.n_cells) == (3, 2, 6)
    assert math.isnan(found.epsilon)


def test_nothing_shared_is_not_an_error():
    empty = np.full((3, 2), np.nan)
    for level in LEVELS:
        for name in VECTORS:
            found = correlation(empty, np.ones((3, 2)), level=level, coefficient=name)
            assert math.isnan(found.value)
            assert found.n_cells == found.n_units == 0
    assert math.isnan(
        correlation(empty, empty, level="system", coefficient="soft-pairwise-accuracy").value
    )
    assert math.isnan(
        correlation(np.empty((0, 0)), np.empty((0, 0)), level="item", coefficient="pearson").value
    )


@pytest.mark.parametrize("level", LEVELS)
@given(pair=matrices(missing=True), seed=st.integers(0, 99))
def test_order_of_systems_and_items_does_not_matter(level, pair, seed):
    rng = np.random.default_rng(seed)
    rows, columns = (rng.permutation(size) for size in pair.shape[1:])
    turned = pair[:, rows][:, :, columns]
    for name in ("pearson", "kendall-b", "pairwise-accuracy"):
        first, second = (
            correlation(*given_pair, level=level, coefficient=name) for given_pair in (pair, turned)
        )
        assert first.value == pytest.approx(second.value, abs=1e-12, nan_ok=True)


@given(pair=matrices(missing=True))
def test_one_system_is_the_global_level(pair):
    flat = pair.reshape(2, 1, -1)
    for name in ("pearson", "spearman", "kendall-c", "pairwise-accuracy"):
        found = [
            correlation(*given_pair, level=level, coefficient=name).value
            for given_pair, level in ((flat, "global"), (flat, "per-system"), (pair, "global"))
        ]
        assert found[1:] == pytest.approx([found[0]] * 2, abs=1e-12, nan_ok=True)


def test_one_item_is_a_vector_of_systems():
    x, y = [3.0, 1.0, 2.0, 2.0], [2.0, 1.0, 4.0, 3.0]
    for name in VECTORS:
        found = [
            correlation(
                np.array([x]).T, np.array([y]).T, level=level, coefficient=name, epsilon=epsilon
            ).value
            for level, epsilon in (("system", None), ("item", None if "acc" not in name else 0))
        ]
        assert found == pytest.approx([coefficient_of(x, y, name)] * 2, abs=1e-12)


def test_accuracy_of_systems_counts_a_tie_in_one_only_as_wrong():
    metric, gold = np.array([[1.0], [1.0], [2.0]]), np.array([[1.0], [2.0], [3.0]])
    found = correlation(metric, gold, level="system", coefficient="pairwise-accuracy")
    assert found.value == pytest.approx(2 / 3)
    assert (found.epsilon, found.calibrated) == (0, False)


def test_accuracy_of_items_is_calibrated_unless_told():
    metric, gold = np.array([[0.50], [0.52], [0.9]]), np.array([[1.0], [1.0], [2.0]])
    free = correlation(metric, gold, level="item", coefficient="pairwise-accuracy")
    fixed = correlation(metric, gold, level="item", coefficient="pairwise-accuracy", epsilon=0)
    assert (free.value, free.epsilon, free.calibrated) == (1, pytest.approx(0.02), True)
    assert (fixed.value, fixed.epsilon, fixed.calibrated) == (pytest.approx(2 / 3), 0, False)
    assert "epsilon:calibrated" in free.signature
    assert "epsilon:0" in fixed.signature
    assert json.loads(json.dumps(free.to_dict()))["value"] == 1


@pytest.mark.parametrize("level", LEVELS)
def test_metrics_with_each_other(level):
    rng = np.random.default_rng(6)
    metrics = rng.integers(0, 4, (3, 6, 20)).astype(float)
    metrics[0, 2, 3:9] = metrics[1, :, 4] = np.nan
    for name in COEFFICIENTS if level == "system" else VECTORS:
        found = metric_correlations(metrics, level=level, coefficient=name)
        assert np.array_equal(found, found.T)
        if name not in ("kendall-a", "kendall-c"):
            assert np.diag(found) == pytest.approx(1)
        epsilon = 0 if name == "pairwise-accuracy" else None
        for i, j in ((0, 1), (0, 2), (1, 2)):
            expected = correlation(
                metrics[i], metrics[j], level=level, coefficient=name, epsilon=epsilon
            )
            assert found[i, j] == pytest.approx(expected.value, abs=1e-12)


def test_units_average_to_the_correlation():
    rng = np.random.default_rng(7)
    metric, gold = rng.integers(0, 3, (2, 4, 25)).astype(float)
    metric[1, 0] = 1.5
    for level, size in (("item", 25), ("per-system", 4), ("global", 1), ("system", 1)):
        units = unit_correlations(metric, gold, level=level, coefficient="spearman")
        found = correlation(metric, gold, level=level, coefficient="spearman")
        assert units.shape == (size,)
        assert np.nanmean(units) == pytest.approx(found.value)
        assert np.isnan(units).sum() == found.n_undefined


def test_soft_accuracy_is_one_of_the_coefficients():
    rng = np.random.default_rng(8)
    metric, gold = rng.normal(size=(2, 5, 30))
    found = correlation(metric, gold, level="system", coefficient="soft-pairwise-accuracy", rng=3)
    assert found.value == soft_pairwise_accuracy(metric, gold, rng=3)


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"level": "corpus"}, ValueError, "`level`"),
        ({"coefficient": "tau"}, ValueError, "`coefficient`"),
        ({"coefficient": "soft-pairwise-accuracy"}, ValueError, "must be 'system'"),
        ({"epsilon": 0.1}, ValueError, "`epsilon` belongs"),
        ({"metric": [1, 2, 3]}, ValueError, r"`metric` must have shape \(n_systems, n_items\)"),
        ({"metric": [[1, 2]]}, ValueError, "got 1 × 2 and 2 × 2"),
        ({"gold": [[1, 2], [math.inf, 1]]}, ValueError, r"`gold` must be finite .* \(1, 0\)"),
        ({"gold": [["a", "b"]]}, TypeError, "`gold` must hold numbers"),
    ],
)
def test_wrong_arguments_are_named(change, error, says):
    arguments = {"metric": [[1, 2], [3, 4]], "gold": [[1, 2], [3, 4]]} | change
    options = {"level": "item", "coefficient": "pearson"} | change
    for name in ("metric", "gold"):
        options.pop(name, None)
    with pytest.raises(error, match=says):
        correlation(arguments["metric"], arguments["gold"], **options)


def test_wrong_shapes_of_several_metrics_are_named():
    with pytest.raises(ValueError, match="`metrics` must have shape"):
        metric_correlations([[1, 2]], level="item", coefficient="pearson")
    with pytest.raises(ValueError, match="has no units"):
        unit_correlations([[1]], [[1]], level="system", coefficient="soft-pairwise-accuracy")
