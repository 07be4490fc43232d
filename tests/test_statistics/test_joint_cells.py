import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics.across.joint.cells import JointCell, prepare_cells
from analysis.statistics.across.joint.slopes import sum_metric
from analysis.statistics.aggregate import AGGREGATIONS, CORRELATIONS, aggregate_items

NAN = math.nan


def components(aggregation, n_systems, n_items, seed=0):
    """Draw plausible scores of every kind, shape (n_systems, n_items, n_components)."""
    rng = np.random.default_rng(seed)
    if aggregation in CORRELATIONS:
        gold = rng.normal(size=n_items)
        predictions = gold + rng.normal(size=(n_systems, n_items))
        return np.stack([predictions, np.broadcast_to(gold, predictions.shape)], axis=2)
    if aggregation in ("mean", "median"):
        return rng.normal(size=(n_systems, n_items, 1))
    if aggregation == "ratio":
        total = rng.integers(5, 30, size=(n_systems, n_items))
        return np.stack([rng.binomial(total, 0.7), total], axis=2).astype(float)
    if aggregation == "f1":
        return rng.poisson([6, 2, 3], size=(n_systems, n_items, 3)).astype(float)
    if aggregation == "bleu":
        length = rng.integers(15, 30, size=(n_systems, n_items))
        reference = np.broadcast_to(length[:1], length.shape)
        totals = [length - n for n in range(4)]
        correct = [rng.binomial(t, p) for t, p in zip(totals, (0.7, 0.5, 0.35, 0.2), strict=True)]
        return np.stack([length, reference, *correct, *totals], axis=2).astype(float)
    columns = []
    for order in range(6):
        system = rng.integers(40, 60, size=(n_systems, n_items)) - order
        reference = np.broadcast_to(system[:1], system.shape)
        columns += [system, reference, rng.binomial(np.minimum(system, reference), 0.5)]
    return np.stack(columns, axis=2).astype(float)


def differences(scores, aggregation, units=None, sign=1, left=0, right=slice(1, 2)):
    units = np.arange(scores.shape[1]) if units is None else units
    cells, _ = prepare_cells([JointCell(scores, aggregation, units, sign)])
    return cells[0].differences(left, right)


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_an_exchange_turns_the_sign_of_its_units_and_no_more(aggregation):
    scores = components(aggregation, 2, 40)
    if aggregation == "pearson":
        # Scales of their own are taken off before the exchange; equal ones stay equal.
        scores[1, :, 0] = np.random.default_rng(1).permutation(scores[0, :, 0])
    if aggregation == "spearman":
        scores[:, :, 0] = np.argsort(np.argsort(scores[:, :, 0], axis=1), axis=1)
    before = differences(scores, aggregation).values[:, 0]
    turned = np.random.default_rng(2).random(40) < 0.5
    if aggregation in CORRELATIONS:
        # Only exchanges that keep each system's set of predictions keep its scale and ranks.
        turned[:] = True
    exchanged = scores.copy()
    exchanged[:, turned] = scores[::-1][:, turned]
    after = differences(exchanged, aggregation).values[:, 0]
    assert np.allclose(after, np.where(turned, -before, before), atol=1e-12 + 1e-7 * before.std())


@pytest.mark.parametrize("aggregation", [a for a in AGGREGATIONS if a not in ("mean", "median")])
def test_sums_are_the_difference_of_the_metrics_to_third_order(aggregation):
    scores = components(aggregation, 2, 400)
    kept = np.random.default_rng(3).random(400) < 0.8
    scores[1, kept] = scores[0, kept]
    a, b = (aggregate_items(side, aggregation) for side in scores)
    found = float(differences(scores, aggregation).values.sum())
    assert found == pytest.approx(a - b, rel=0.02)
    assert float(differences(scores, aggregation, sign=-1).values.sum()) == pytest.approx(-found)


def test_a_mean_has_the_differences_in_whole_steps():
    scores = np.array([[0.5, 1.0, NAN, 0.25], [0.25, 1.0, 1.0, 0.75], [NAN] * 4])[:, :, np.newaxis]
    found = differences(scores, "mean", right=slice(1, 3))
    assert found.values[:, 0].tolist() == [1, 0, 0, -2]
    assert found.testable.tolist() == [True, False]


def test_a_median_counts_scores_above_and_below_that_of_both():
    scores = np.array([[5.0, 6.0, 1.0], [2.0, 3.0, 4.0]])[:, :, np.newaxis]
    assert differences(scores, "median").values[:, 0].tolist() == [2, 2, -2]


def test_units_are_summed_in_ascending_order():
    scores = np.array([[1.0, 2.0, 4.0, 8.0], [0.0] * 4])[:, :, np.newaxis]
    found = differences(scores, "mean", units=np.array([9, 3, 9, 3]))
    assert found.values[:, 0].tolist() == [10, 5]


def test_units_are_numbered_over_all_cells():
    scores = np.zeros((2, 2, 1))
    cells, n_units = prepare_cells(
        [JointCell(scores, "mean", np.array(u)) for u in ([50, -3], [50, 70])]
    )
    assert n_units == 3
    assert [cell.units.tolist() for cell in cells] == [[0, 1], [1, 2]]


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_missing_items_are_left_out_pair_by_pair(aggregation):
    rng = np.random.default_rng(5)
    scores = components(aggregation, 4, 30)
    missing = rng.random((4, 30)) < 0.2
    holes = scores.copy()
    holes[missing] = NAN
    holes[3] = NAN
    found = differences(holes, aggregation, right=slice(1, 4))
    assert found.testable.tolist() == [True, True, False]
    for other in (1, 2):
        kept = ~(missing[0] | missing[other])
        alone = differences(scores[[0, other]][:, kept], aggregation).values[:, 0]
        values = found.values[:, other - 1]
        assert not values[~kept].any()
        # A mean may be counted in other steps.
        assert np.allclose(values[kept] / np.abs(values).max(), alone / np.abs(alone).max())


def test_an_undefined_metric_is_not_testable():
    ratio = np.array([[[1.0, 2.0], [1.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]])
    assert not differences(ratio, "ratio").testable[0]
    constant = components("pearson", 2, 10)
    constant[1, :, 0] = 3.0
    assert not differences(constant, "pearson").testable[0]
    assert not differences(np.empty((2, 0, 1)), "mean").testable[0]


def test_rounding_is_no_difference():
    scores = components("pearson", 2, 50)
    scores[1, :, 0] = 3.7 * scores[0, :, 0] + 0.1
    assert not differences(scores, "pearson").values.any()
    perfect = np.stack([np.arange(1.0, 31), 3 * np.arange(1.0, 31)])[:, :, np.newaxis]
    assert not differences(np.concatenate([perfect, perfect], axis=2) / 7, "ratio").values.any()


@pytest.mark.parametrize("aggregation", ["ratio", "f1", "pearson"])
def test_closed_slopes_are_those_of_small_steps(aggregation):
    sums = {
        "ratio": [[30.0, 50.0]],
        "f1": [[30.0, 10.0, 15.0]],
        "pearson": [[2.0, 48.0, 20.0]],
    }[aggregation]
    metric, at = sum_metric(aggregation), np.array(sums)
    n_items = np.array([50.0])
    slopes = metric.slopes(at, np.abs(at), n_items)
    for column in range(at.shape[1]):
        step = np.zeros_like(at)
        step[0, column] = 1e-4
        rise = metric.value(at + step, n_items) - metric.value(at - step, n_items)
        assert slopes[0, column] == pytest.approx(rise[0] / 2e-4, rel=1e-6)


@given(st.permutations(list(range(12))))
def test_the_order_of_items_does_not_matter(order):
    scores = components("f1", 2, 12)
    units = np.array([4, 4, 1, 7, 9, 1, 3, 3, 8, 2, 5, 6])
    found = differences(scores, "f1", units)
    again = differences(scores[:, order], "f1", units[list(order)])
    assert np.allclose(found.values, again.values, rtol=1e-12)


def test_refuses_what_does_not_fit():
    def refuse(scores, aggregation="mean", units=(0, 1), sign=1):
        prepare_cells([JointCell(np.asarray(scores), aggregation, np.asarray(units), sign)])

    good = np.zeros((2, 2, 1))
    with pytest.raises(ValueError, match=r"cells\[0\].scores` must have shape .*, 2\) for aggr"):
        refuse(good, "ratio")
    with pytest.raises(ValueError, match=r"`cells\[0\].units` must be a whole number for each of"):
        refuse(good, units=[0])
    with pytest.raises(ValueError, match=r"`cells\[0\].units` must be .* float64"):
        refuse(good, units=[0.0, 1.0])
    with pytest.raises(ValueError, match=r"`cells\[0\].sign` must be 1 or -1"):
        refuse(good, sign=0)
    with pytest.raises(ValueError, match=r"`cells\[0\].scores` must be finite"):
        refuse(good + np.inf)
    with pytest.raises(TypeError, match=r"`cells\[0\].scores` must hold numbers"):
        refuse(good.astype(str))
    with pytest.raises(ValueError, match=r"`aggregation` must be one of"):
        refuse(good, "geometric")
    with pytest.raises(ValueError, match=r"Gold in `cells\[0\].scores`.* item 1"):
        refuse([[[1.0, 0.0], [2.0, 1.0]], [[1.0, 0.0], [2.0, 3.0]]], "pearson")
    cells = [JointCell(np.zeros((n, 2, 1)), "mean", np.arange(2)) for n in (2, 3)]
    with pytest.raises(ValueError, match=r"`cells\[1\].scores` must be of 2 systems, got 3"):
        prepare_cells(cells)
