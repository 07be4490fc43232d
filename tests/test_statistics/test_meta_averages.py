"""Averages of correlations over datasets."""

import json
import math

import numpy as np
import pytest

from analysis.statistics.meta_evaluation.averages import average_correlations, weighted_average
from analysis.statistics.meta_evaluation.intervals import resampled_correlations
from analysis.statistics.meta_evaluation.levels import correlation


def datasets(seed=0, shapes=((6, 20), (5, 30), (7, 10))):
    rng = np.random.default_rng(seed)
    golds = [rng.integers(0, 5, shape).astype(float) for shape in shapes]
    metrics = [gold + rng.normal(size=(2, *gold.shape)) for gold in golds]
    return metrics, golds


def test_weighted_average_leaves_out_what_is_not_there():
    values = np.array([[0.2, np.nan, 0.8], [np.nan] * 3, [0.1, 0.2, 0.3]])
    assert weighted_average(values) == pytest.approx([0.5, math.nan, 0.2], nan_ok=True)
    assert weighted_average(values, [3, 9, 1]) == pytest.approx(
        [0.35, math.nan, (0.3 + 1.8 + 0.3) / 13], nan_ok=True
    )
    assert math.isnan(weighted_average([0.4], [0]))


@pytest.mark.parametrize(
    ("level", "sizes"),
    [
        ("system", (6, 5, 7)),
        ("item", (20, 30, 10)),
        ("per-system", (6, 5, 7)),
        ("global", (120, 150, 70)),
    ],
)
def test_macro_and_micro_weigh_datasets(level, sizes):
    metrics, golds = datasets()
    expected = np.array(
        [
            [correlation(m, g, level=level, coefficient="pearson").value for m in several]
            for several, g in zip(metrics, golds, strict=True)
        ]
    ).T
    for weights, plain in (("macro", None), ("micro", sizes), ([2, 1, 0], [2, 1, 0])):
        found = average_correlations(
            metrics, golds, level=level, coefficient="pearson", weights=weights, n_resamples=20
        )
        assert found.values == pytest.approx(expected)
        assert found.value == pytest.approx(np.average(expected, axis=1, weights=plain))
        assert found.weights.sum(axis=1) == pytest.approx(1)
    assert found.weighting == "given"
    assert found.n_datasets.tolist() == [2, 2]


def test_interval_resamples_each_dataset_by_itself():
    metrics, golds = datasets()
    found = average_correlations(
        metrics, golds, level="system", coefficient="kendall-b", n_resamples=300, rng=5
    )
    draws = [
        resampled_correlations(
            several,
            gold,
            level="system",
            coefficient="kendall-b",
            n_resamples=300,
            rng=5,
            first_block=place << 32,
        )
        for place, (several, gold) in enumerate(zip(metrics, golds, strict=True))
    ]
    expected = np.quantile(np.nanmean(draws, axis=0), [0.025, 0.975], axis=1)
    assert (found.low, found.high) == (
        pytest.approx(expected[0], abs=1e-9),
        pytest.approx(expected[1], abs=1e-9),
    )
    assert np.abs(np.corrcoef(np.nan_to_num([draws[0][0], draws[2][0]]))[0, 1]) < 0.2


def test_averages_are_surer_than_one_dataset():
    metrics, golds = datasets(shapes=((8, 40),) * 6)
    options = {"level": "item", "coefficient": "pearson", "n_resamples": 300}
    many = average_correlations(metrics, golds, **options)
    one = average_correlations(metrics[:1], golds[:1], **options)
    assert (many.high - many.low < one.high - one.low).all()
    assert (many.low < many.value).all()
    assert (many.value < many.high).all()


def test_metric_that_a_dataset_lacks_is_left_out_there():
    metrics, golds = datasets()
    metrics[1][0] = np.nan
    found = average_correlations(
        metrics, golds, level="item", coefficient="pearson", n_resamples=50
    )
    assert found.n_datasets.tolist() == [2, 3]
    assert math.isnan(found.values[0, 1])
    assert found.value[0] == pytest.approx((found.values[0, 0] + found.values[0, 2]) / 2)
    assert not np.isnan(found.low).any()
    assert json.loads(json.dumps(found.to_dict()))["values"][0][1] is None
    assert "datasets:3|weighting:macro" in found.signature


def test_calibrated_accuracy_can_be_averaged():
    metrics, golds = datasets()
    found = average_correlations(
        metrics, golds, level="item", coefficient="pairwise-accuracy", n_resamples=99
    )
    assert ((found.low <= found.value) & (found.value <= found.high)).all()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"golds": []}, "one entry per dataset"),
        ({"metrics": [np.ones((1, 2, 2)), np.ones((2, 2, 2))]}, "the same metrics"),
        ({"metrics": [np.ones((2, 2, 3)), np.ones((2, 2, 2))]}, "the same systems and items"),
        ({"weights": "items"}, "`weights` must be one of"),
        ({"weights": [1]}, "one number per dataset"),
        ({"weights": [-1, 2]}, "`weights` must not be negative"),
        ({"method": "fisher-z"}, "`method`"),
    ],
)
def test_wrong_arguments_are_named(change, says):
    arguments = {
        "metrics": [np.ones((2, 2, 2))] * 2,
        "golds": [np.ones((2, 2))] * 2,
        "level": "item",
        "coefficient": "pearson",
    }
    with pytest.raises(ValueError, match=says):
        average_correlations(**(arguments | change))


def test_values_need_an_axis_of_datasets():
    with pytest.raises(ValueError, match="a value per dataset"):
        weighted_average(0.5)
    with pytest.raises(ValueError, match="`weights` must hold one number per dataset"):
        weighted_average([0.5, 0.1], [1, 2, 3])
