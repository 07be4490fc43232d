"""Scores come out of the store as they went in, bit by bit."""

from __future__ import annotations

import math
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps

from store.arrays import load_groups, load_matrix, load_run_matrix
from store.errors import NotFoundError, StoreError
from store.importers.bundle import COMPONENTS, BundleItem, BundleMetric, Status
from store.ingest import ingest
from store.lifecycle import delete
from store.run_scores import load_run_scores
from store.runs import list_runs

NAN = math.nan
ODD_NAN = np.array([0x7FF8_0000_DEAD_BEEF], np.uint64).view(np.float64)[0]
EXTREMES = np.array([ODD_NAN, -0.0, 0.0, 5e-324, -2.2e-308, 1e100, -1e100, 0.1 + 0.2, NAN])

# The store takes scores up to 1e100, so that sums of them stay finite.
scores = st.one_of(st.floats(-1e100, 1e100), st.sampled_from(EXTREMES.tolist()))


def test_load_matrix_returns_the_bits_that_went_in(store, bundle):
    ingest(store, bundle({"A": EXTREMES, "B": EXTREMES[::-1]}), actor="t")
    matrix = load_matrix(store, "qa", "score")
    assert matrix.systems == ("A", "B")
    assert matrix.scores.shape == (2, len(EXTREMES), 1)
    assert matrix.scores[0].tobytes() == EXTREMES.tobytes()
    assert matrix.scores[1].tobytes() == EXTREMES[::-1].tobytes()


def test_load_run_scores_returns_the_bits_that_went_in(store, bundle):
    ingest(store, bundle({"A": EXTREMES}), actor="t")
    [loaded] = load_run_scores(store, list_runs(store)[0].uid)
    assert loaded.scores.tobytes() == EXTREMES.tobytes()
    assert loaded.item_values.tobytes() == EXTREMES.tobytes()


@given(data=st.data())
def test_round_trip_keeps_every_bit_of_every_shape(data, new_store, bundle, run):
    n_items = data.draw(st.integers(1, 9))
    aggregations = data.draw(st.lists(st.sampled_from(list(COMPONENTS)), min_size=1, max_size=3))
    metrics = [BundleMetric(f"m{i}", higher_is_better=True, aggregation=a)
               for i, a in enumerate(aggregations)]  # fmt: skip
    n_trials = data.draw(st.integers(1, 3))
    sent = {}
    for system in data.draw(st.sets(st.sampled_from("ABC"), min_size=1)):
        for metric, aggregation in enumerate(aggregations):
            shape = (n_items, len(COMPONENTS[aggregation]))
            for trial in range(n_trials):
                sent.setdefault(system, {})[metric, trial] = data.draw(
                    nps.arrays(np.float64, shape, elements=scores)
                )
    runs = [run(system, vectors) for system, vectors in sent.items()]
    with closing(new_store()) as store:
        ingest(store, bundle(runs, metric=metrics), actor="t")
        uid_of = {r.system: r.uid for r in list_runs(store)}
        for system, vectors in sent.items():
            loaded = load_run_scores(store, uid_of[system])
            assert [v.scores.tobytes() for v in loaded] == [v.tobytes() for v in vectors.values()]
        if n_trials == 1:
            for i, metric in enumerate(metrics):
                matrix = load_matrix(store, "qa", metric.name)
                for row, system in enumerate(matrix.systems):
                    assert matrix.scores[row].tobytes() == sent[system][i, 0].tobytes()


@given(
    st.lists(
        nps.arrays(np.float64, 6, elements=st.sampled_from([NAN, 0.0, 0.25, 0.5, 1.0])),
        min_size=2,
        max_size=5,
    )
)
def test_load_matrix_averages_runs_and_trials_item_by_item(new_store, bundle, run, repeats):
    with closing(new_store()) as store:
        runs = [run("A", values, label=f"seed {i}") for i, values in enumerate(repeats[1:])]
        runs.append(run("A", {(0, 7): repeats[0]}, label="seed 0"))
        ingest(store, bundle(runs), actor="t")
        matrix = load_matrix(store, "qa", "score")
        stacked = np.array(repeats)
        counts = (~np.isnan(stacked)).sum(axis=0)
        expected = np.where(counts, np.nansum(stacked, axis=0) / np.maximum(counts, 1), NAN)
        np.testing.assert_allclose(matrix.scores[0, :, 0], expected, rtol=1e-15)
        assert matrix.n_vectors == (len(repeats),)


def test_load_matrix_averages_only_complete_items_of_several_components(store, bundle, run):
    metric = BundleMetric("las", higher_is_better=True, aggregation="ratio")
    first, second = [[3.0, 4.0], [1.0, NAN]], [[1.0, 4.0], [1.0, 2.0]]
    runs = [run("A", first, label="1"), run("A", second, label="2")]
    ingest(store, bundle(runs, metric=metric), actor="t")
    assert load_matrix(store, "qa", "las").scores[0].tolist() == [[2.0, 4.0], [1.0, 2.0]]


def test_load_matrix_pads_runs_made_before_the_dataset_grew(store, bundle):
    ingest(store, bundle({"smoke": [1.0, 0.0]}), actor="t")
    ingest(store, bundle({"full": [1.0, 1.0, 0.0]}), actor="t")
    matrix = load_matrix(store, "qa", "score")
    assert matrix.systems == ("full", "smoke")
    np.testing.assert_array_equal(matrix.scores[:, :, 0], [[1.0, 1.0, 0.0], [1.0, 0.0, NAN]])


def test_load_matrix_puts_the_systems_in_the_order_asked_for(store, bundle):
    ingest(store, bundle({"b": [1.0], "A": [2.0], "c": [3.0]}), actor="t")
    assert load_matrix(store, "qa", "score").systems == ("A", "b", "c")
    asked = load_matrix(store, "qa", "score", systems=["c", "A"])
    assert asked.systems == ("c", "A")
    assert asked.scores[:, 0, 0].tolist() == [3.0, 2.0]


def test_load_matrix_is_read_only(store, bundle):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    with pytest.raises(ValueError, match="read-only"):
        load_matrix(store, "qa", "score").scores[0] = 2.0


def test_load_matrix_leaves_out_what_was_deleted(store, bundle, run):
    runs = [run("A", [1.0], label="1"), run("A", [0.0], label="2"), run("B", [0.5])]
    ingest(store, bundle(runs), actor="t")
    gone = next(r.uid for r in list_runs(store) if r.label == "2")
    delete(store, "run", gone, actor="t")
    delete(store, "system", "B", actor="t")
    matrix = load_matrix(store, "qa", "score")
    assert matrix.systems == ("A",)
    assert matrix.scores.tolist() == [[[1.0]]]


def test_load_matrix_says_which_system_has_no_scores(store, bundle, run):
    metrics = [BundleMetric("acc", higher_is_better=True), BundleMetric("f", higher_is_better=True)]
    runs = [run("A", {(0, 0): [1.0]}), run("B", {(1, 0): [1.0]})]
    ingest(store, bundle(runs, metric=metrics), actor="t")
    with pytest.raises(StoreError) as raised:
        load_matrix(store, "qa", "acc", systems=["A", "B"])
    assert str(raised.value) == (
        "The store has no item scores of 'B' on 'qa' for the metric 'acc'."
    )


def test_load_matrix_without_any_scores_is_empty(store, bundle):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    delete(store, "system", "A", actor="t")
    matrix = load_matrix(store, "qa", "score")
    assert matrix.scores.shape == (0, 1, 1)


def test_load_matrix_of_many_systems(store, bundle, run):
    names = [f"s{i:04d}" for i in range(300)]
    ingest(store, bundle({name: [float(i)] for i, name in enumerate(names)}), actor="t")
    assert load_matrix(store, "qa", "score").scores[:, 0, 0].tolist() == list(range(300))
    some = load_matrix(store, "qa", "score", systems=names[::-7])
    assert some.scores[:, 0, 0].tolist() == list(range(300))[::-7]


@pytest.mark.parametrize("what", ["dataset", "metric"])
def test_load_matrix_does_not_guess_unknown_names(store, bundle, what):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    given = {"dataset": "qa", "metric": "score"} | {what: "zzz"}
    with pytest.raises(NotFoundError, match=f"There is no {what} 'zzz' in the store"):
        load_matrix(store, given["dataset"], given["metric"])


def test_load_run_scores_pads_scores_and_statuses(store, bundle):
    ingest(store, bundle({"smoke": [1.0, NAN]}), actor="t")
    ingest(store, bundle({"full": [1.0, 1.0, 0.0]}), actor="t")
    smoke = next(r.uid for r in list_runs(store) if r.system == "smoke")
    [loaded] = load_run_scores(store, smoke)
    np.testing.assert_array_equal(loaded.scores[:, 0], [1.0, NAN, NAN])
    assert loaded.status.tolist() == [Status.OK, Status.NOT_ATTEMPTED, Status.NOT_ATTEMPTED]


def test_load_run_scores_keeps_the_statuses_that_the_source_states(store, bundle, run):
    stated = np.array([0, 2, 3, 1], np.uint8)
    ingest(store, bundle([run("A", [1.0, 0.0, 0.0, NAN], statuses={0: stated})]), actor="t")
    [record] = list_runs(store)
    [loaded] = load_run_scores(store, record.uid)
    assert loaded.status.tolist() == stated.tolist()
    counts = record.statuses[0]
    assert (counts.n_items, counts.n_error, counts.n_not_attempted, counts.n_by_rule) == (
        4,
        1,
        1,
        1,
    )


def test_load_run_matrix_returns_every_run_and_trial_bit_by_bit(store, bundle, run):
    other = EXTREMES[::-1]
    runs = [
        run("A", {(0, 0): EXTREMES, (0, 1): other}, label="seed 1"),
        run("A", {(0, 0): other}, label="seed 2"),
        run("B", EXTREMES),
    ]
    ingest(store, bundle(runs), actor="t")
    matrix = load_run_matrix(store, "qa", "score", "A")
    assert matrix.labels == ("seed 1 / 0", "seed 1 / 1", "seed 2 / 0")
    assert (matrix.system, matrix.dataset.name, matrix.metric.name) == ("A", "qa", "score")
    assert matrix.trials == (0, 1, 0)
    uids = {r.label: r.uid for r in list_runs(store) if r.system == "A"}
    assert matrix.run_uids == (uids["seed 1"], uids["seed 1"], uids["seed 2"])
    assert matrix.scores.shape == (3, len(EXTREMES), 1)
    for row, sent in zip(matrix.scores, (EXTREMES, other, other), strict=True):
        assert row.tobytes() == sent.tobytes()
    with pytest.raises(ValueError, match="read-only"):
        matrix.scores[0] = 2.0


def test_load_run_matrix_averages_to_what_load_matrix_returns(store, bundle, run):
    repeats = np.random.default_rng(0).random((4, 6, 2))
    metric = BundleMetric("las", higher_is_better=True, aggregation="ratio")
    runs = [run("A", values, label=f"seed {i}") for i, values in enumerate(repeats)]
    ingest(store, bundle(runs, metric=metric), actor="t")
    matrix = load_run_matrix(store, "qa", "las", "A")
    averaged = load_matrix(store, "qa", "las").scores[0]
    np.testing.assert_allclose(matrix.scores.mean(axis=0), averaged, rtol=1e-15)


def test_load_run_matrix_pads_and_leaves_out_what_was_deleted(store, bundle, run):
    ingest(store, bundle([run("A", [1.0, 0.0]), run("A", [0.5, 0.5], label="x")]), actor="t")
    ingest(store, bundle({"B": [1.0, 1.0, 0.0]}), actor="t")
    uids = {r.label: r.uid for r in list_runs(store) if r.system == "A"}
    delete(store, "run", uids["x"], actor="t")
    matrix = load_run_matrix(store, "qa", "score", "A")
    np.testing.assert_array_equal(matrix.scores[:, :, 0], [[1.0, 0.0, NAN]])
    assert matrix.labels == (f"{uids['']} / 0",), "a run without a label goes by its uid"


def test_load_run_matrix_says_that_there_are_no_scores(store, bundle, run):
    metrics = [BundleMetric("acc", higher_is_better=True), BundleMetric("f", higher_is_better=True)]
    runs = [run("A", {(0, 0): [1.0]}), run("B", {(1, 0): [1.0]})]
    ingest(store, bundle(runs, metric=metrics), actor="t")
    with pytest.raises(StoreError, match="no item scores of 'B' on 'qa' for the metric 'acc'"):
        load_run_matrix(store, "qa", "acc", "B")
    with pytest.raises(NotFoundError, match="There is no system 'C'"):
        load_run_matrix(store, "qa", "acc", "C")


def test_load_groups_follows_the_order_of_the_items(store, bundle):
    items = [BundleItem("b", group="doc 2"), BundleItem("a"), BundleItem("c", group="doc 1")]
    ingest(store, bundle({"A": [1.0, 2.0, 3.0]}, items=items), actor="t")
    assert load_groups(store, "qa") == [None, "doc 2", "doc 1"]  # of a, b and c
