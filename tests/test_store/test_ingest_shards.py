"""Several files that bring parts of one run."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import sqlalchemy as sa

from store.arrays import load_matrix
from store.backup import check
from store.errors import ConflictError, ImportFormatError
from store.importers.bundle import BundleMetric, ReadOptions, SourceFile, Status
from store.importers.detect import read_paths
from store.ingest import ingest, ingest_all
from store.ingest.batches import batches, parcels
from store.models import Item
from store.run_scores import load_run_scores
from store.runs import list_runs


@pytest.fixture
def shard(bundle):
    """Return a function that makes a bundle of a file with scores of named items."""

    def make(path, scores, system="A", **more):
        made = bundle({system: list(scores.values())}, keys=list(scores), **more)
        return replace(made, files=[SourceFile(path, path)])

    return make


def scores_of(store) -> dict[str, float]:
    with store.read() as connection:
        keys = connection.scalars(sa.select(Item.key).order_by(Item.position)).all()
    scores = load_matrix(store, "qa", "score").scores[0, :, 0].tolist()
    return dict(zip(keys, scores, strict=True))


@pytest.mark.parametrize("replaces", [False, True])
def test_files_with_different_items_of_one_run_are_joined(store, shard, contents, replaces):
    parts = [shard("1.csv", {"a": 1.0, "b": 0.0}), shard("2.csv", {"c": 0.5})]
    reports = ingest_all(store, parts, actor="t", replace=replaces)
    assert scores_of(store) == {"a": 1.0, "b": 0.0, "c": 0.5}
    assert [r.n("score", "added") for r in reports] == [2, 1]
    assert len(list_runs(store)) == 1
    assert check(store) == []
    before = contents(store)
    for sent in (parts, parts[::-1], parts[:1], parts[1:]):
        again = ingest_all(store, sent, actor="t", replace=replaces)
        assert not any(report.changed for report in again)
    assert contents(store) == before


def test_a_later_file_with_other_items_extends_the_run(store, shard):
    ingest(store, shard("1.csv", {"a": 1.0, "b": math.nan}), actor="t")
    report = ingest(store, shard("2.csv", {"c": 0.5, "b": 0.25}), actor="t")
    assert (report.n("run", "extended"), report.n("score", "added")) == (1, 2)
    assert scores_of(store) == {"a": 1.0, "b": 0.25, "c": 0.5}
    assert list_runs(store)[0].statuses[0].n_not_attempted == 0
    assert check(store) == []


@pytest.mark.parametrize("other", [1.0, 0.0])
def test_an_item_in_two_files_is_an_error_that_names_both(store, shard, contents, other):
    before = contents(store)
    parts = [shard("1.csv", {"a": 1.0, "b": 0.0}), shard("2.csv", {"c": 0.5, "a": other})]
    for replaces in (False, True):
        with pytest.raises(ImportFormatError) as raised:
            ingest_all(store, parts, actor="t", replace=replaces)
        assert "2.csv" in str(raised.value)
        assert "item 'a' of 'A' on 'qa' has a score for 'score' here and in 1.csv" in str(
            raised.value
        )
    assert contents(store) == before


def test_a_copy_of_a_file_counts_once(store, shard):
    parts = [shard("1.csv", {"a": 1.0, "b": 0.0}), shard("copy.csv", {"b": 0.0, "a": 1.0})]
    reports = ingest_all(store, parts, actor="t")
    assert reports[1].warnings == ["'A' has the same scores in 1.csv: they count once."]
    assert [r.n("score", "added") for r in reports] == [2, 0]
    assert reports[1].n("run", "unchanged") == 1
    assert scores_of(store) == {"a": 1.0, "b": 0.0}


def test_a_part_that_another_file_has_whole_counts_once(store, shard):
    parts = [shard("1.csv", {"a": 1.0, "b": 0.0, "c": 1.0}), shard("2.csv", {"b": 0.0, "c": 1.0})]
    reports = ingest_all(store, parts, actor="t")
    assert reports[1].warnings == ["'A' has the same scores in 1.csv: they count once."]
    parts[1] = shard("3.csv", {"b": 0.0, "c": 0.5})
    with pytest.raises(ImportFormatError, match=r"has a score for .* here and in 1\.csv"):
        ingest_all(store, parts, actor="t")


def test_replace_takes_the_items_of_the_file_and_keeps_those_of_other_files(store, shard):
    ingest_all(store, [shard("1.csv", {"a": 1.0, "b": 0.0}), shard("2.csv", {"c": 0.5})], actor="t")
    mended = shard("2.csv", {"c": 0.75})
    with pytest.raises(ConflictError, match="with other scores for 'score'"):
        ingest(store, mended, actor="t")
    report = ingest(store, mended, actor="t", replace=True)
    assert report.n("run", "replaced") == 1
    assert scores_of(store) == {"a": 1.0, "b": 0.0, "c": 0.75}
    assert list_runs(store)[0].statuses[0].n_not_attempted == 0
    emptied = shard("1.csv", {"a": 1.0, "b": math.nan})
    assert ingest(store, emptied, actor="t", replace=True).n("run", "replaced") == 1
    got = scores_of(store)
    assert (got["a"], got["c"]) == (1.0, 0.75)
    assert math.isnan(got["b"])


def test_statuses_of_shards_are_joined(store, bundle, run, contents):
    def part(path, keys, values, statuses):
        made = run("A", values, statuses={0: np.array(statuses, np.uint8)})
        return replace(bundle([made], keys=keys), files=[SourceFile(path, path)])

    first = part("1.csv", ["a", "b"], [1.0, math.nan], [Status.OK, Status.ERROR])
    second = part("2.csv", ["c"], [math.nan], [Status.ERROR])
    ingest_all(store, [first, second], actor="t")
    [loaded] = load_run_scores(store, list_runs(store)[0].uid)
    assert loaded.status.tolist() == [Status.OK, Status.ERROR, Status.ERROR]
    before = contents(store)
    assert not any(r.changed for r in ingest_all(store, [first, second], actor="t"))
    assert contents(store) == before
    other = part("3.csv", ["b"], [math.nan], [Status.SCORED_BY_RULE])
    with pytest.raises(ImportFormatError, match=r"item 'b' of 'A' has another status in 1\.csv"):
        ingest_all(store, [first, other], actor="t")


def test_bundles_with_a_run_in_common_stand_together(bundle):
    sent = [bundle({name: [1.0]}, dataset=d) for name, d in ("Ax", "Bx", "Ay", "Ax", "By", "Bx")]
    assert batches(sent) == [[0, 3], [1, 5], [2], [4]]
    both = bundle({"A": [1.0], "B": [1.0]}, dataset="x")
    assert batches([*sent, both]) == [[0, 1, 3, 5, 6], [2], [4]]


def test_files_are_written_at_once_that_say_the_same_of_metrics(bundle):
    percent = BundleMetric("score", higher_is_better=True, unit="percent")
    sent = [bundle({"A": [1.0]}, dataset=str(n)) for n in range(205)]
    assert [len(one) for one in parcels(sent, frozenset())] == [100, 100, 5]
    assert [len(one) for one in parcels(sent[:9], {5, 6})] == [5, 2, 2]
    sent[3] = replace(sent[3], metrics=[percent])
    assert [len(one) for one in parcels(sent[:9], frozenset())] == [3, 1, 5]


def test_one_file_of_many_that_does_not_fit_is_left_out_alone(store, shard, contents):
    sent = [shard(f"{n}.csv", {"a": 1.0}, system=f"S{n}") for n in range(5)]
    ingest(store, shard("0.csv", {"a": 0.0}, system="S2"), actor="t")
    reports = ingest_all(store, sent, actor="t", optional=range(5))
    assert [bool(report.refused) for report in reports] == [False, False, True, False, False]
    assert sorted(run.system for run in list_runs(store)) == ["S0", "S1", "S2", "S3", "S4"]
    assert check(store) == []
    before = contents(store)
    ingest_all(store, sent, actor="t", optional=range(5))
    assert contents(store) == before


def test_shards_in_a_folder(store, tmp_path):
    header = "system,dataset,item,metric,score\n"
    (tmp_path / "1.csv").write_text(header + "A,qa,q1,acc,1\nA,qa,q2,acc,0\n")
    (tmp_path / "2.csv").write_text(header + "A,qa,q3,acc,1\n")
    read = read_paths(tmp_path, options=ReadOptions())
    ingest_all(store, read.bundles, actor="t")
    [found] = list_runs(store)
    assert [(v.metric, v.n_scored, v.value) for v in found.vectors] == [("acc", 3, 2 / 3)]


def test_the_other_metric_of_a_shard_stands_where_its_items_are(store, bundle, run):
    metrics = [BundleMetric(name, higher_is_better=True) for name in ("acc", "f")]
    first = bundle([run("A", [1.0, 0.0])], keys=["a", "b"], metric=metrics)
    second = bundle([run("A", {(0, 0): [1.0], (1, 0): [0.5]})], keys=["c"], metric=metrics)
    ingest_all(store, [first, second], actor="t")
    assert [(v.metric, v.n_scored) for v in list_runs(store)[0].vectors] == [("acc", 3), ("f", 1)]


def statuses_of(store) -> list[int]:
    [loaded] = load_run_scores(store, list_runs(store)[0].uid)
    return loaded.status.tolist()


def test_a_missing_score_counts_as_zero_where_it_is_said(store, shard, contents):
    sent = [shard("1.csv", {"a": 1.0, "b": math.nan})]
    [report] = ingest_all(store, sent, actor="t", missing_as_zero=True)
    assert report.to_dict()["scores_by_rule"] == 1
    assert scores_of(store) == {"a": 1.0, "b": 0.0}
    assert statuses_of(store) == [Status.OK, Status.SCORED_BY_RULE]
    before = contents(store)
    assert not ingest_all(store, sent, actor="t", missing_as_zero=True)[0].changed
    [plain] = ingest_all(store, sent, actor="t")
    assert not plain.changed
    assert "holds 1 score of" in plain.warnings[0]
    assert contents(store) == before


def test_a_run_that_is_known_gets_its_zeros_later(store, bundle, run):
    stated = {0: np.array([Status.OK, Status.ERROR, Status.OK], np.uint8)}
    sent = bundle([run("A", [1.0, math.nan, math.nan], statuses=stated)], keys=["a", "b", "c"])
    ingest(store, sent, actor="t")
    [report] = ingest_all(store, [sent], actor="t", missing_as_zero=True)
    assert report.n("run", "extended") == 1
    assert scores_of(store) == {"a": 1.0, "b": 0.0, "c": 0.0}
    assert statuses_of(store) == [Status.OK, Status.SCORED_BY_RULE, Status.SCORED_BY_RULE]


def test_zeros_are_given_after_shards_are_joined(store, bundle):
    first = bundle({"A": [1.0, math.nan], "B": [1.0, 1.0]}, keys=["a", "b"])
    second = bundle({"A": [0.5]}, keys=["b"])
    ingest_all(store, [first, second], actor="t", missing_as_zero=True)
    assert scores_of(store) == {"a": 1.0, "b": 0.5}


@pytest.mark.parametrize(
    "metric",
    [
        BundleMetric("cost", higher_is_better=False),
        BundleMetric("likert", higher_is_better=True, lower=1, upper=5),
        BundleMetric("las", higher_is_better=True, aggregation="ratio"),
    ],
)
def test_zero_is_given_only_where_it_is_the_worst_score(store, bundle, metric):
    value = [1.0, 2.0] if metric.aggregation == "ratio" else 2.0
    none = [math.nan, math.nan] if metric.aggregation == "ratio" else math.nan
    [report] = ingest_all(
        store, [bundle({"A": [value, none]}, metric=metric)], actor="t", missing_as_zero=True
    )
    assert report.n("score", "added") == 1
    assert f"leaves '{metric.name}' as it is" in report.understood[-1]


def test_files_of_one_run_whose_metrics_reach_differently_far_can_come_again(store, shard):
    parts = [
        replace(shard("1.csv", {"a": 1.0, "b": 0.0}), metrics=[BundleMetric("accuracy")]),
        shard("2.csv", {"a": 0.5, "b": 0.5, "c": 0.5}),
    ]
    for replaces in (False, True):
        ingest_all(store, parts, actor="t", replace=replaces)
        assert not any(r.changed for r in ingest_all(store, parts, actor="t", replace=replaces))
    values = {v.metric: (v.n_scored, v.value) for v in list_runs(store)[0].vectors}
    assert values == {"accuracy": (2, 0.5), "score": (3, 0.5)}
    assert check(store) == []
