"""Metrics over several datasets, and how large a meta-evaluation must be."""

import numpy as np
import pytest

from analysis.statistics.meta_evaluation.comparison import compare_all_metrics, compare_metrics
from analysis.statistics.meta_evaluation.metric_power import metric_power
from analysis.statistics.meta_evaluation.weighted import compare_over_datasets


def samples(shape=(8, 30), noise=(0.5, 0.6, 3.0), seed=0):
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=shape)
    return gold + np.array(noise)[:, None, None] * rng.normal(size=(len(noise), *shape)), gold


def compared(seed, *, rng=None, n=399, level="item", coefficient="kendall-b", **options):
    metrics, gold = samples(seed=seed, **options)
    return compare_all_metrics(
        metrics,
        gold,
        level=level,
        coefficient=coefficient,
        test="perm-both",
        n_resamples=n,
        rng=seed if rng is None else rng,
        keep_null=True,
    )


def test_null_draws_are_those_of_the_pvalues():
    found = compared(0)
    assert found.null.shape == (3, 399)
    assert found.seed == 0
    for pair, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        hits = np.sum(np.abs(found.null[pair]) >= abs(found.difference[i, j]) - 1e-10)
        assert found.pvalue[i, j] == (hits + 1) / 400


def test_exchanges_are_drawn_where_they_are_kept():
    metrics, gold = samples((4, 5))
    settings = {"level": "system", "coefficient": "pearson", "test": "perm-systems"}
    assert compare_all_metrics(metrics, gold, **settings).exact
    found = compare_all_metrics(metrics, gold, keep_null=True, n_resamples=50, **settings)
    assert not found.exact
    assert found.null.shape == (3, 50)


def test_one_dataset_is_its_own_average():
    found = compared(1)
    average = compare_over_datasets([found], [7.0])
    np.testing.assert_array_equal(average.values, found.values)
    np.testing.assert_array_equal(average.pvalue, found.pvalue)
    np.testing.assert_array_equal(average.pvalue_adjusted, found.pvalue_adjusted)
    assert average.letters == found.letters
    assert average.groups == found.groups


def test_average_weighs_values_differences_and_draws():
    parts = [compared(seed, level=level) for seed, level in enumerate(("item", "system", "global"))]
    weights = np.array([1.0, 2.0, 5.0])
    found = compare_over_datasets(parts, weights)
    shares = weights / 8
    np.testing.assert_allclose(
        found.values, sum(w * part.values for w, part in zip(shares, parts, strict=True))
    )
    np.testing.assert_allclose(found.difference, found.values[:, None] - found.values, atol=1e-14)
    null = sum(w * part.null for w, part in zip(shares, parts, strict=True))
    hits = np.sum(np.abs(null[0]) >= abs(found.difference[0, 1]) - 1e-10)
    assert found.pvalue[0, 1] == (hits + 1) / 400
    assert found.levels == ("item", "system", "global")
    assert "levels:item system global" in found.signature
    np.testing.assert_allclose(found.weights, shares)


def test_more_datasets_tell_more_apart():
    parts = [compared(seed, noise=(0.6, 0.85), n=999) for seed in range(8)]
    alone = np.array([part.pvalue[0, 1] for part in parts])
    together = compare_over_datasets(parts).pvalue[0, 1]
    assert np.median(alone) > 0.01
    assert together <= 0.005


def test_a_pair_that_a_dataset_cannot_compare_is_left_out():
    metrics, gold = samples()
    metrics[1] = np.nan
    lacking = compare_all_metrics(
        metrics, gold, level="item", coefficient="kendall-b", test="perm-both", n_resamples=399,
        rng=9, keep_null=True,
    )  # fmt: skip
    found = compare_over_datasets([compared(1), lacking])
    assert np.isnan(found.pvalue[0, 1])
    assert not np.isnan(found.pvalue[0, 2])
    assert np.isnan(found.values[1])
    assert found.n_tests == 1


def test_datasets_are_checked():
    first = compared(0)
    with pytest.raises(ValueError, match="must hold at least one"):
        compare_over_datasets([])
    with pytest.raises(ValueError, match="must have a seed each"):
        compare_over_datasets([first, compared(1, rng=0)])
    with pytest.raises(ValueError, match="same `n_resamples`, got 399 and 99"):
        compare_over_datasets([first, compared(1, n=99)])
    with pytest.raises(ValueError, match="same `n_metrics`"):
        compare_over_datasets([first, compared(1, noise=(0.5, 0.6))])
    with pytest.raises(ValueError, match="`weights` must be above 0"):
        compare_over_datasets([first, compared(1)], [1, 0])
    with pytest.raises(ValueError, match="one number per dataset"):
        compare_over_datasets([first], [1, 2])
    metrics, gold = samples()
    bare = compare_all_metrics(
        metrics, gold, level="item", coefficient="kendall-b", test="perm-both", n_resamples=9
    )
    with pytest.raises(ValueError, match=r"`comparisons\[0\]` kept no null draws"):
        compare_over_datasets([bare])


ASKED = {"level": "item", "coefficient": "kendall-b", "test": "perm-inputs"}


def test_power_grows_with_items_and_systems():
    (x, y, _), gold = samples(noise=(0.6, 0.9, 1.0), seed=2)
    found = metric_power(
        x, y, gold, designs=[(4, 15), (8, 15), (8, 60)], n_iterations=60, n_resamples=99, **ASKED
    )
    assert found.power[0] < found.power[1] < found.power[2]
    assert np.all(found.power_low <= found.power)
    assert np.all(found.power <= found.power_high)
    assert np.all(found.power <= found.rejection_rate)
    assert found.type_m[0] > found.type_m[2] >= 0.8
    assert (found.n_systems, found.n_items) == (8, 30)
    whole = compare_metrics(x, y, gold, n_resamples=99, **ASKED)
    assert (found.difference, found.pvalue) == (whole.difference, whole.pvalue)
    assert "sizes:4x15 8x15 8x60" in found.signature
    assert str(found).splitlines()[1].split()[:2] == ["4", "15"]


def test_power_of_a_size_does_not_depend_on_thread_or_repetition():
    (x, y, _), gold = samples(noise=(0.6, 0.9, 1.0), seed=2)
    settings = {"designs": [(6, 20)], "n_iterations": 20, "n_resamples": 49} | ASKED
    first, again = (metric_power(x, y, gold, rng=4, **settings) for _ in range(2))
    assert first.to_dict() == again.to_dict()
    other = metric_power(x, y, gold, rng=5, **settings)
    assert not np.array_equal(other.type_m, first.type_m)


def test_what_is_not_drawn_stays():
    (x, y, _), gold = samples(noise=(0.6, 0.9, 1.0), seed=2)
    settings = {"n_iterations": 40, "n_resamples": 99} | ASKED
    found = metric_power(x, y, gold, designs=[(None, 15), (None, 60)], **settings)
    assert found.power[0] < found.power[1]
    assert "sizes:samex15 samex60" in found.signature
    systems = metric_power(x, y, gold, designs=[(4, None)], **settings)
    assert 0 < systems.power[0] < 1
    with pytest.raises(ValueError, match="both are None"):
        metric_power(x, y, gold, designs=[(None, None)], **settings)


def test_groups_are_drawn_whole():
    (x, y, _), gold = samples(noise=(0.6, 0.9, 1.0), seed=2)
    settings = {"designs": [(None, 10)], "n_iterations": 40, "n_resamples": 99} | ASKED
    groups = np.repeat(np.arange(10), 3)
    grouped = metric_power(x, y, gold, groups=groups, **settings)
    single = metric_power(x, y, gold, groups=list(range(30)), **settings)
    assert single.to_dict() == metric_power(x, y, gold, **settings).to_dict()
    assert grouped.power[0] > single.power[0]


def test_power_without_an_effect_is_refused():
    (x, _, _), gold = samples()
    with pytest.raises(ValueError, match="nothing to find"):
        metric_power(x, x, gold, designs=[(4, 10)], **ASKED)
    with pytest.raises(ValueError, match="undefined"):
        metric_power(x, np.zeros_like(x), gold, designs=[(4, 10)], **ASKED)
    with pytest.raises(ValueError, match="at least 2 systems"):
        metric_power(x, -x, gold, designs=[(1, 10)], **ASKED)
    with pytest.raises(ValueError, match="at least one size"):
        metric_power(x, -x, gold, designs=[], **ASKED)


def test_power_reports_its_progress():
    (x, y, _), gold = samples()
    told = []
    metric_power(
        x, y, gold, designs=[(4, 10), (4, 12)], n_iterations=5, n_resamples=19,
        progress=lambda done, total: told.append((done, total)), **ASKED,
    )  # fmt: skip
    assert told == [(k, 10) for k in range(1, 11)]
