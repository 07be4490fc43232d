"""Replicates over datasets agree with drawing items one by one and scoring what was drawn."""

import math

import numpy as np
import pytest

from analysis.statistics.across.resampled_datasets import (
    DatasetScores,
    observe_over_datasets,
    resample_over_datasets,
)
from analysis.statistics.aggregate import AGGREGATIONS, aggregate_items
from analysis.statistics.random_streams import Stream, raw_words

NAN = math.nan


def _scores(aggregation, n_systems=3, n_items=23, seed=0):
    rng = np.random.default_rng(seed)
    n_components = len(AGGREGATIONS[aggregation].components)
    scores = rng.integers(1, 9, (n_systems, n_items, n_components)).astype(float)
    if aggregation in ("pearson", "spearman"):
        scores[:, :, 1] = scores[0, :, 1]
    if aggregation == "mean":
        scores = rng.normal(size=scores.shape)
    return scores


def _drawn_units(seed, dataset, replicate, n_units):
    """Return the units of one replicate from the words that the documentation promises."""
    block, row = divmod(replicate, 256)
    per_row = -(-n_units // 2)
    words = raw_words(seed, Stream.OVER_DATASETS, (dataset << 32) + block, 256 * per_row)
    units = []
    for word in words[row * per_row : (row + 1) * per_row].tolist():
        units += [((word & 0xFFFFFFFF) * n_units) >> 32, ((word >> 32) * n_units) >> 32]
    return units[:n_units]


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("partial", [False, True])
def test_replicates_equal_scoring_the_drawn_items(aggregation, grouped, partial):
    scores = _scores(aggregation)
    if partial:
        scores[1, [2, 5, 6]] = NAN
        scores[:, 9] = NAN
    groups = np.arange(23) // 3 * 7 if grouped else None
    first = DatasetScores(_scores("mean", seed=1), "mean")
    result = resample_over_datasets(
        [first, DatasetScores(scores, aggregation, groups=groups)], n_resamples=300, rng=4
    )
    kept = np.flatnonzero(~np.isnan(scores[:, :, 0]).all(axis=0))
    labels = kept if groups is None else groups[kept]
    members = [kept[labels == label] for label in dict.fromkeys(labels.tolist())]
    for replicate in (0, 7, 255, 256, 299):
        units = _drawn_units(4, 1, replicate, len(members))
        items = np.concatenate([members[unit] for unit in units])
        expected = [aggregate_items(system[items], aggregation) for system in scores]
        np.testing.assert_allclose(
            result.resampled[replicate, :, 1], expected, rtol=1e-9, atol=1e-12
        )
    expected = [aggregate_items(system, aggregation) for system in scores]
    np.testing.assert_array_equal(result.observed[:, 1], expected)


def test_threads_and_further_datasets_change_nothing():
    datasets = [DatasetScores(_scores("mean", seed=s), "mean") for s in range(3)]
    one = resample_over_datasets(datasets[:2], n_resamples=600, n_threads=1)
    two = resample_over_datasets(datasets, n_resamples=600, n_threads=2)
    np.testing.assert_array_equal(one.resampled, two.resampled[:, :, :2])
    short = resample_over_datasets(datasets, n_resamples=100)
    np.testing.assert_array_equal(short.resampled, two.resampled[:100])


def test_datasets_are_drawn_independently_and_systems_together():
    scores = _scores("mean", n_items=200)
    result = resample_over_datasets([DatasetScores(scores, "mean")] * 2, n_resamples=1_999)
    between = np.corrcoef(result.resampled[:, 0, 0], result.resampled[:, 0, 1])[0, 1]
    assert abs(between) < 4 / math.sqrt(1_999)
    same = resample_over_datasets([DatasetScores(scores[[0, 0]], "mean")], n_resamples=99)
    np.testing.assert_array_equal(same.resampled[:, 0], same.resampled[:, 1])


@pytest.mark.parametrize("aggregation", ["mean", "f1", "pearson"])
def test_equal_systems_stay_equal_wherever_they_stand(aggregation):
    scores = _scores(aggregation, n_systems=4, n_items=101)
    scores = np.concatenate([scores[:1]] * 9 + [scores, scores[:1]]) / 7
    result = resample_over_datasets([DatasetScores(scores, aggregation)], n_resamples=99)
    np.testing.assert_array_equal(result.resampled[:, 0], result.resampled[:, -1])


def test_scores_are_observed_without_drawing():
    values = np.random.default_rng(3).normal(size=(3, 20, 1))
    values[1, :7] = np.nan
    figures = DatasetScores(np.empty((3, 0, 1)), "mean", point=np.array([0.1, np.nan, 0.3]))
    listed = [DatasetScores(values, "mean", sign=-1), figures]
    np.testing.assert_array_equal(
        observe_over_datasets(listed), resample_over_datasets(listed, n_resamples=9).observed
    )
    with pytest.raises(ValueError, match="same systems"):
        observe_over_datasets([listed[0], DatasetScores(values[:2], "mean")])


def test_spread_is_that_of_the_mean():
    scores = _scores("mean", n_items=400)
    result = resample_over_datasets([DatasetScores(scores, "mean")], n_resamples=1_999)
    expected = scores[:, :, 0].std(axis=1) / 20
    np.testing.assert_allclose(result.resampled[:, :, 0].std(axis=0), expected, rtol=0.08)


def test_sign_turns_observed_and_replicates():
    scores = _scores("median")
    up = resample_over_datasets([DatasetScores(scores, "median")], n_resamples=99)
    down = resample_over_datasets([DatasetScores(scores, "median", sign=-1)], n_resamples=99)
    np.testing.assert_array_equal(up.resampled, -down.resampled)
    np.testing.assert_array_equal(up.observed, -down.observed)


def test_reported_figures_have_no_replicates():
    nothing = np.empty((2, 0, 1))
    reported = DatasetScores(nothing, "mean", sign=-1, point=np.array([0.5, NAN]))
    alone = resample_over_datasets([reported])
    assert alone.resampled.shape == (0, 2, 1)
    assert alone.n_resamples == 0
    np.testing.assert_array_equal(alone.observed, [[-0.5], [NAN]])
    mixed = _scores("mean", n_systems=2)
    mixed[1] = NAN
    both = resample_over_datasets(
        [reported, DatasetScores(mixed, "mean", point=np.array([9.0, 0.25]))], n_resamples=50
    )
    assert both.drawn.tolist() == [[False, True], [False, False]]
    assert both.n_items.tolist() == [[0, 23], [0, 0]]
    assert both.observed[1, 1] == 0.25
    assert both.observed[0, 1] != 9.0
    assert np.isnan(both.resampled[:, :, 0]).all()


def test_one_item_or_group_is_nothing_to_draw():
    scores = _scores("mean")
    scores[0, 1:] = NAN
    assert resample_over_datasets([DatasetScores(scores, "mean")]).drawn[:, 0].tolist() == [
        False,
        True,
        True,
    ]
    grouped = DatasetScores(_scores("mean"), "mean", groups=np.zeros(23, dtype=np.int64))
    assert not resample_over_datasets([grouped]).drawn.any()


def test_the_smallest_scores_have_replicates():
    scores = _scores("mean")
    tiny = resample_over_datasets([DatasetScores(scores * 1e-318, "mean")], n_resamples=49)
    plain = resample_over_datasets([DatasetScores(scores, "mean")], n_resamples=49)
    np.testing.assert_allclose(tiny.resampled / 1e-318, plain.resampled, rtol=1e-3, atol=1e-3)


def test_a_replicate_without_a_metric_is_nan():
    scores = np.array([[[1.0, 0, 0], [0, 0, 0], [0, 0, 0]]])
    replicates = resample_over_datasets([DatasetScores(scores, "f1")]).resampled
    share = np.isnan(replicates).mean()
    assert abs(share - (2 / 3) ** 3) < 0.05


def test_progress_counts_all_datasets():
    seen = []
    datasets = [DatasetScores(_scores("mean"), "mean")] * 2
    resample_over_datasets(
        datasets, n_resamples=300, progress=lambda done, total: seen.append((done, total))
    )
    assert seen == [(256, 600), (300, 600), (556, 600), (600, 600)]


def test_arrays_are_read_only_and_the_signature_names_the_seed():
    result = resample_over_datasets([DatasetScores(_scores("mean"), "mean")], n_resamples=9, rng=3)
    for array in (result.observed, result.resampled, result.drawn, result.n_items):
        assert not array.flags.writeable
    assert result.signature.startswith(
        "resampled-datasets|systems:3|datasets:1|n_resamples:9|seed:3"
    )
    assert result.of_system(1).flags.c_contiguous


GOOD = _scores("mean")


@pytest.mark.parametrize(
    ("datasets", "message"),
    [
        ([], "`datasets` must hold at least one"),
        ([DatasetScores(GOOD, "mean"), DatasetScores(GOOD[:2], "mean")], r"`datasets\[1\]` 2"),
        ([DatasetScores(GOOD, "f1")], r"`datasets\[0\]`: `scores` must have shape"),
        ([DatasetScores(GOOD, "mode")], r"`datasets\[0\]`: `aggregation` must be one of"),
        ([DatasetScores(GOOD, "mean", sign=0)], "`sign` must be 1 or -1"),
        ([DatasetScores(GOOD, "mean", groups=np.zeros(3, int))], "`groups` must hold a whole"),
        ([DatasetScores(GOOD, "mean", groups=np.zeros(23))], "`groups` must hold a whole"),
        ([DatasetScores(GOOD, "mean", point=np.zeros(2))], "`point` must hold one finite"),
        ([DatasetScores(GOOD * np.inf, "mean")], "`scores` must be finite"),
    ],
)
def test_wrong_arguments_are_named(datasets, message):
    with pytest.raises(ValueError, match=message):
        resample_over_datasets(datasets)


def test_one_pool_has_one_draw():
    rng = np.random.default_rng(0)
    shared, alone = rng.normal(size=(2, 30, 1)), rng.normal(size=(2, 20, 1))
    units = np.arange(30)
    pooled = [
        DatasetScores(shared, "mean", groups=units, pool=0),
        DatasetScores(alone, "mean"),
        DatasetScores(shared, "mean", groups=units, pool=0),
        DatasetScores(shared[:, ::-1], "mean", groups=units[::-1], pool=0),
    ]
    found = resample_over_datasets(pooled, n_resamples=300).resampled
    np.testing.assert_array_equal(found[:, :, 0], found[:, :, 2])
    np.testing.assert_allclose(found[:, :, 0], found[:, :, 3], rtol=1e-12)
    plain = resample_over_datasets(
        [dataset._replace(groups=None, pool=None) for dataset in pooled], n_resamples=300
    ).resampled
    np.testing.assert_array_equal(found[:, :, :2], plain[:, :, :2])


def test_half_of_a_pool_varies_in_size_and_keeps_its_spread():
    scores = np.random.default_rng(1).normal(size=(1, 80, 1))
    first = DatasetScores(scores[:, :40], "mean", groups=np.arange(40), pool=3)
    both = DatasetScores(scores, "mean", groups=np.arange(80), pool=3)
    found = resample_over_datasets([first, both], n_resamples=4_000).resampled[:, 0]
    spread = scores[0, :40, 0].std() / np.sqrt(40)
    assert found[:, 0].std() == pytest.approx(spread, rel=0.08)
    # The mean of all is half that of the first: they rise and fall together.
    assert np.corrcoef(found.T)[0, 1] == pytest.approx(np.sqrt(0.5), abs=0.12)


def test_a_pool_needs_numbered_units():
    with pytest.raises(ValueError, match="number the units of a `pool`"):
        resample_over_datasets([DatasetScores(np.ones((2, 3, 1)), "mean", pool=1)])
