"""Ingesting a bundle: all or nothing, once or never."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest
import sqlalchemy as sa

from store.arrays import load_matrix
from store.backup import check
from store.datasets import list_overlaps
from store.engine import Store
from store.errors import ConflictError, ImportFormatError
from store.history import list_events
from store.import_lists import list_imports, n_in_log_only
from store.importers.bundle import (
    BundleMetric,
    BundleOverlap,
    BundleReportedScore,
    BundleScores,
    SourceFile,
)
from store.importers.problems import SkippedRow
from store.ingest import ingest, ingest_all
from store.models import Ingest
from store.runs import list_runs


def test_ingest_reports_what_came_in(store, bundle):
    report = ingest(store, bundle({"A": [1.0, math.nan], "B": [0.0, 1.0]}), actor="ada")
    assert (report.n("run", "added"), report.n("item", "added"), report.n("score", "added")) == (
        2,
        2,
        3,
    )
    assert report.systems_added == ["A", "B"]
    assert report.datasets_added == ["qa"]
    assert report.metrics_added == ["score"]
    assert report.run_uids == [r.uid for r in reversed(list_runs(store))]
    assert report.changed


def test_ingest_keeps_the_report_with_files_and_actor(store, bundle):
    skipped = SkippedRow("scores.csv", 7, "score", "no number")
    report = ingest(store, bundle({"A": [1.0]}, skipped=[skipped]), actor="ada")
    with store.read() as connection:
        [kept] = connection.execute(sa.select(Ingest.__table__)).all()
    assert kept.uid == report.ingest_uid
    assert kept.actor == "ada"
    assert kept.files == {"scores.csv": "0" * 64}
    # An import of several files has an id of its own, known when all are in.
    told = report.to_dict() | {"import_uid": None}
    assert kept.report == json.loads(json.dumps(told))
    assert kept.report["skipped"][0]["line"] == 7


def test_ingest_of_the_same_bundle_changes_nothing(store, bundle, contents):
    sent = bundle({"A": [1.0, math.nan, -0.0], "B": [0.0, 1.0, 1.0]})
    ingest(store, sent, actor="t")
    before, revision = contents(store), store.revision()
    report = ingest(store, sent, actor="t")
    assert not report.changed
    assert report.n("run", "unchanged") == 2
    assert report.ingest_uid is None
    assert contents(store) == before
    assert store.revision() == revision


def test_ingest_does_not_care_about_the_order_of_the_items(store, bundle):
    keys = ["a", "b", "c"]
    ingest(store, bundle({"A": [1.0, 2.0, 3.0]}, keys=keys), actor="t")
    again = ingest(store, bundle({"A": [3.0, 1.0, 2.0]}, keys=["c", "a", "b"]), actor="t")
    assert not again.changed
    ingest(store, bundle({"B": [30.0, 20.0, 10.0]}, keys=keys[::-1]), actor="t")
    matrix = load_matrix(store, "qa", "score")
    assert matrix.scores[:, :, 0].tolist() == [[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]


def test_ingest_of_what_is_known_uses_up_no_number(store, bundle):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    for _ in range(2):
        assert not ingest(store, bundle({"A": [1.0]}), actor="t").changed
    ingest(store, bundle({"B": [1.0]}), actor="t")
    if store.path is None:
        return  # a sequence of PostgreSQL never gives a number twice, also when nothing was kept
    with store.read() as connection:
        assert sorted(connection.scalars(sa.select(Ingest.id))) == [1, 2]


def test_ingest_of_a_smoke_run_then_all_items_then_the_smoke_run_again(store, bundle, contents):
    rng = np.random.default_rng(0)
    smoke, full = bundle({"A": rng.random(100)}), bundle({"B": rng.random(500)})
    ingest(store, smoke, actor="t")
    assert ingest(store, full, actor="t").n("item", "added") == 400
    before = contents(store)
    for sent in (smoke, full):
        assert not ingest(store, sent, actor="t").changed
    assert contents(store) == before
    matrix = load_matrix(store, "qa", "score")
    np.testing.assert_array_equal((~np.isnan(matrix.scores)).sum(axis=(1, 2)), [100, 500])


def test_ingest_of_a_smoke_run_into_a_longer_dataset_knows_where_it_ends(store, bundle):
    ingest(store, bundle({"full": np.arange(5.0)}), actor="t")
    ingest(store, bundle({"smoke": np.arange(3.0)}), actor="t")
    assert [r.vectors[0].n_items for r in list_runs(store)] == [3, 5]
    assert check(store) == []


def test_ingest_of_a_part_of_the_items_of_a_known_run_changes_nothing(store, bundle, contents):
    ingest(store, bundle({"A": np.arange(5.0)}), actor="t")
    before = contents(store)
    assert not ingest(store, bundle({"A": np.arange(3.0)}), actor="t").changed
    told = ingest(store, bundle({"A": [0.0, math.nan, 2.0, math.nan]}), actor="t")
    assert not told.changed
    assert "holds 2 scores of the run of 'A'" in told.warnings[0]
    assert contents(store) == before


def test_ingest_recognises_a_run_whose_last_items_have_no_score(store, bundle):
    """The same scores once beside a longer system and once alone are the same run."""
    together = bundle({"A": [1.0, 0.0, math.nan], "B": [1.0, 1.0, 1.0]})
    ingest(store, together, actor="t")
    alone = bundle({"A": [1.0, 0.0]})
    assert not ingest(store, alone, actor="t").changed


def test_ingest_recognises_a_run_that_came_alone_before_the_dataset_grew(store, bundle):
    ingest(store, bundle({"A": [1.0, 0.0]}), actor="t")
    report = ingest(store, bundle({"A": [1.0, 0.0, math.nan], "B": [1.0, 1.0, 1.0]}), actor="t")
    assert (report.n("run", "added"), report.n("run", "unchanged")) == (1, 1)


def test_ingest_extends_a_known_run_by_another_metric(store, bundle, run):
    metrics = [BundleMetric(name, higher_is_better=True) for name in ("acc", "f")]
    ingest(store, bundle([run("A", [1.0, 0.0])], metric=metrics[:1]), actor="t")
    both = run("A", {(0, 0): [1.0, 0.0], (1, 0): [0.5, 0.25]})
    report = ingest(store, bundle([both], metric=metrics), actor="t")
    assert (report.n("run", "added"), report.n("run", "extended"), report.n("score", "added")) == (
        0,
        1,
        2,
    )
    [record] = list_runs(store)
    assert [(v.metric, v.value) for v in record.vectors] == [("acc", 0.5), ("f", 0.375)]
    assert list_events(store, target_uid=record.uid)[0].action == "extend"


def test_ingest_extends_a_known_run_by_another_trial(store, bundle, run):
    ingest(store, bundle([run("A", {(0, 0): [1.0, math.nan]})]), actor="t")
    report = ingest(
        store, bundle([run("A", {(0, 0): [1.0, math.nan], (0, 1): [math.nan, 1.0]})]), actor="t"
    )
    assert report.n("run", "extended") == 1
    [record] = list_runs(store)
    assert [(v.trial, v.n_scored) for v in record.vectors] == [(0, 1), (1, 1)]
    assert [(s.trial, s.n_not_attempted) for s in record.statuses] == [(0, 1), (1, 1)]


def test_ingest_in_either_order_of_two_metrics_ends_in_the_same_statuses(new_store, bundle, run):
    metrics = [BundleMetric(name, higher_is_better=True) for name in ("acc", "f")]
    first = bundle([run("A", {(0, 0): [1.0, math.nan, math.nan]})], metric=metrics)
    second = bundle([run("A", {(1, 0): [math.nan, 1.0, math.nan]})], metric=metrics)
    ends = []
    for order in ((first, second), (second, first)):
        store = new_store()
        for sent in order:
            ingest(store, sent, actor="t")
        for sent in order:
            assert not ingest(store, sent, actor="t").changed
        ends.append(list_runs(store)[0].statuses)
        store.close()
    assert ends[0] == ends[1]
    assert ends[0][0].n_not_attempted == 1


def test_ingest_of_an_extended_run_knows_the_statuses_of_its_first_file(store, bundle, run):
    """The first file states statuses; the second brings a metric and attempts one item more."""
    metrics = [BundleMetric(name, higher_is_better=True) for name in ("acc", "f")]
    stated = {0: np.array([0, 1], np.uint8)}
    first = bundle([run("A", {(0, 0): [1.0, math.nan]}, statuses=stated)], metric=metrics)
    second = bundle([run("A", {(1, 0): [1.0, 1.0]})], metric=metrics)
    ingest(store, first, actor="t")
    ingest(store, second, actor="t")
    assert list_runs(store)[0].statuses[0].n_not_attempted == 0
    assert not ingest(store, first, actor="t").changed


def test_ingest_of_other_scores_needs_replace(store, bundle, contents):
    ingest(store, bundle({"A": [1.0, 0.0]}), actor="t")
    before = contents(store)
    with pytest.raises(ConflictError) as raised:
        ingest(store, bundle({"A": [1.0, 1.0]}), actor="t")
    assert str(raised.value) == (
        "The store holds a run of 'A' on 'qa' with other scores for 'score'. Nothing was written. "
        "If the new ones are right, repeat with --replace (the old run is kept and can be "
        "restored); if this is a second run, name it with --run NAME."
    )
    assert contents(store) == before


def test_ingest_under_another_label_is_a_second_run(store, bundle, run):
    ingest(store, bundle([run("A", [1.0], label="seed 1")]), actor="t")
    report = ingest(store, bundle([run("A", [0.0], label="seed 2")]), actor="t")
    assert report.n("run", "added") == 1
    assert {r.label for r in list_runs(store)} == {"seed 1", "seed 2"}


def test_ingest_of_other_statuses_is_a_conflict(store, bundle, run):
    def stating(status: int):
        return bundle([run("A", [0.0], statuses={0: np.array([status], np.uint8)})])

    ingest(store, stating(2), actor="t")
    with pytest.raises(ConflictError, match="with other statuses"):
        ingest(store, stating(3), actor="t")
    report = ingest(store, stating(3), actor="t", replace=True)
    assert report.n("run", "replaced") == 1
    assert list_runs(store)[0].statuses[0].n_by_rule == 1


def test_ingest_dry_run_says_everything_and_leaves_nothing(store: Store, bundle, contents):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    before, revision = contents(store), store.revision()
    report = ingest(store, bundle({"A": [1.0, 1.0], "B": [0.0, 1.0]}), actor="t", dry_run=True,
                    replace=True)  # fmt: skip
    assert (report.n("run", "added"), report.n("run", "replaced"), report.n("item", "added")) == (
        1,
        0,
        1,
    )
    assert report.n("run", "extended") == 1
    assert report.dry_run
    assert report.ingest_uid is None
    assert contents(store) == before
    assert store.revision() == revision


def test_ingest_that_fails_at_the_last_run_leaves_nothing(store, bundle, contents):
    ingest(store, bundle({"Z": [1.0, 0.0]}), actor="t")
    before = contents(store)
    with pytest.raises(ConflictError):
        ingest(store, bundle({"A": [1.0, 0.0], "B": [1.0, 0.0], "Z": [0.0, 0.0]}), actor="t")
    assert contents(store) == before


def test_ingest_all_takes_several_bundles_or_none_of_them(store, bundle, contents):
    before = contents(store)
    good, bad = bundle({"A": [1.0]}, metric="a"), bundle({"A": [1.0]}, metric=BundleMetric("zzz"))
    with pytest.raises(ImportFormatError):
        ingest_all(store, [good, bad], actor="t")
    assert contents(store) == before
    reports = ingest_all(store, [good, bundle({"A": [0.0]}, metric="b")], actor="t")
    assert [(r.n("run", "added"), r.n("run", "extended")) for r in reports] == [(1, 0), (0, 1)]
    [made] = list_imports(store)
    assert {report.import_uid for report in reports} == {made.uid}


def test_ingest_all_knows_an_overlap_with_a_dataset_of_a_later_file(store, bundle):
    first = bundle({"A": [1.0]}, dataset="x", overlaps=[BundleOverlap("x", "y")])
    ingest_all(store, [first, bundle({"A": [1.0]}, dataset="y")], actor="t")
    assert [(o.dataset_a, o.dataset_b) for o in list_overlaps(store)] == [("x", "y")]


def test_ingest_writes_events_and_scores_in_one_transaction(store, bundle):
    report = ingest(store, bundle({"A": [1.0]}), actor="ada")
    events = list_events(store)
    assert [(e.action, e.target_kind) for e in events] == [
        ("import", "import"),
        ("ingest", "ingest"),
        ("create", "run"),
        ("add items", "dataset"),
        ("create", "dataset"),
        ("create", "metric"),
        ("create", "system"),
    ]
    assert {e.actor for e in events} == {"ada"}
    assert events[0].target_uid == report.import_uid
    assert events[1].target_uid == report.ingest_uid


def test_ingest_of_a_proportion_says_when_it_is_a_percentage(store, bundle):
    metric = BundleMetric("acc", higher_is_better=True, unit="proportion")
    with pytest.raises(ImportFormatError) as raised:
        ingest(store, bundle({"A": [0.5, 81.0]}, metric=metric), actor="t")
    assert str(raised.value) == (
        "scores.csv, field 'acc': 'A' has 81 on item 'i001', but 'acc' lies between 0 and 1. "
        "Is it a percentage?"
    )


@pytest.mark.parametrize(
    ("unit", "value"), [("percent", 100.5), ("percent", -1), ("proportion", -0.1)]
)
@pytest.mark.parametrize("aggregation", ["mean", "median"])
def test_ingest_refuses_scores_outside_the_bounds(store, bundle, unit, value, aggregation):
    metric = BundleMetric("acc", higher_is_better=True, unit=unit, aggregation=aggregation)
    with pytest.raises(ImportFormatError, match="lies between 0 and") as raised:
        ingest(store, bundle({"A": [value]}, metric=metric), actor="t")
    assert "percentage" not in str(raised.value)


def test_a_mean_beyond_its_bound_by_rounding_is_on_it(store, bundle):
    metric = BundleMetric("acc", higher_is_better=True, unit="percent")
    ingest(store, bundle({"A": [100.00000000000001, 50.0]}, metric=metric), actor="t")
    assert load_matrix(store, "qa", "acc").scores.ravel().tolist() == [100.0, 50.0]


def test_ingest_judges_by_the_bounds_that_the_store_holds(store, bundle):
    bounded = BundleMetric("points", higher_is_better=True, lower=1, upper=5)
    ingest(store, bundle({"A": [5.0]}, metric=bounded), actor="t")
    with pytest.raises(ImportFormatError, match="'B' has 0 on item 'i000'"):
        ingest(store, bundle({"B": [0.0]}, metric="points"), actor="t")


def test_ingest_leaves_components_of_a_bounded_ratio_alone(store, bundle):
    metric = BundleMetric("las", higher_is_better=True, aggregation="ratio", unit="proportion")
    ingest(store, bundle({"A": [[17.0, 20.0]]}, metric=metric), actor="t")
    assert list_runs(store)[0].vectors[0].value == 0.85


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda v: np.ones((3, 1)), r"vector of shape \(3, 1\), expected \(2, 1\)"),
        (lambda v: np.ones((2, 2)), r"vector of shape \(2, 2\), expected \(2, 1\)"),
        (lambda v: np.array([[1.0], [math.inf]]), "let an infinite score through"),
    ],
)
def test_ingest_refuses_what_no_importer_may_build(store, bundle, run, spoil, complaint):
    made = dataclasses.replace(run("A"), scores=[BundleScores(0, spoil(None))])
    with pytest.raises(ValueError, match=complaint):
        ingest(store, bundle([made], keys=["a", "b"]), actor="t")


def test_ingest_refuses_two_vectors_for_one_metric_and_trial(store, bundle, run):
    made = dataclasses.replace(
        run("A"), scores=[BundleScores(0, np.zeros((1, 1))), BundleScores(0, np.ones((1, 1)))]
    )
    with pytest.raises(ValueError, match="two vectors for the metric 'score' in trial 0"):
        ingest(store, bundle([made], keys=["a"]), actor="t")


def test_ingest_refuses_statuses_of_another_length(store, bundle, run):
    made = run("A", [1.0, 0.0], statuses={0: np.zeros(1, np.uint8)})
    with pytest.raises(ValueError, match="1 statuses for 2 items"):
        ingest(store, bundle([made]), actor="t")


def test_ingest_refuses_a_reported_score_that_is_no_number(store, bundle):
    reported = BundleReportedScore("A", 0, 0, math.nan, source="paper")
    with pytest.raises(ValueError, match="reported score of 'A' that is not finite"):
        ingest(store, bundle([], reported_scores=[reported]), actor="t")


def test_ingest_refuses_an_item_that_stands_twice(store, bundle):
    with pytest.raises(ImportFormatError, match="item 'a' stands twice"):
        ingest(store, bundle({"A": [1.0, 0.0]}, keys=["a", "a"]), actor="t")


def test_ingest_of_two_metrics_of_one_identity_is_refused(store, bundle, run):
    metrics = [BundleMetric("acc", higher_is_better=True)] * 2
    with pytest.raises(ValueError, match="two vectors for the metric 'acc' in trial 0"):
        ingest(store, bundle([run("A", {(0, 0): [1.0], (1, 0): [0.0]})], metric=metrics), actor="t")


def test_ingest_keeps_outputs_once_when_a_run_is_extended(store, bundle, run, contents):
    metrics = [BundleMetric(name, higher_is_better=True) for name in ("acc", "f")]
    outputs = {0: ["yes", None]}
    ingest(store, bundle([run("A", [1.0, 0.0], outputs=outputs)], metric=metrics), actor="t")
    both = run("A", {(0, 0): [1.0, 0.0], (1, 0): [1.0, 1.0]}, outputs={0: ["yes", "no"]})
    ingest(store, bundle([both], metric=metrics), actor="t")
    assert [row[-2] for row in contents(store)["output"]] == ["yes", "no"]


def test_ingest_adds_outputs_to_a_run_that_came_without(store, bundle, run, contents):
    ingest(store, bundle([run("A", [1.0])]), actor="t")
    revision = store.revision()
    with_text = bundle([run("A", [1.0], outputs={0: ["yes"]})])
    assert ingest(store, with_text, actor="t").changed
    assert [row[-2] for row in contents(store)["output"]] == ["yes"]
    assert store.revision() > revision
    assert not ingest(store, with_text, actor="t").changed


def test_ingest_writes_the_file_that_was_read(store, bundle):
    files = [SourceFile("a.json", "1" * 64), SourceFile("b.json", "2" * 64)]
    ingest(store, dataclasses.replace(bundle({"A": [1.0]}), files=files), actor="t")
    assert list_imports(store)[0].files == ("a.json", "b.json")
    with store.read() as connection:
        kept = connection.scalar(sa.select(Ingest.files))
    assert kept == {"a.json": "1" * 64, "b.json": "2" * 64}


def test_ingest_of_huge_scores_keeps_quiet_and_has_no_infinite_summary(store, bundle, recwarn):
    with pytest.raises(ImportFormatError, match=r"'A' has 1e\+308 on item 'i000'"):
        ingest(store, bundle({"A": [1e308, 1e308, -1e308]}), actor="t")
    assert list_runs(store) == []
    ingest(store, bundle({"A": [1e100, 1e100, -1e100]}), actor="t")
    [vector] = list_runs(store)[0].vectors
    assert not [w for w in recwarn if issubclass(w.category, RuntimeWarning)]
    assert vector.max == 1e100
    for number in (vector.value, vector.std):
        assert number is None or math.isfinite(number)


def test_imports_of_before_they_were_kept_are_counted(store, bundle):
    assert n_in_log_only(store) == 0
    with store.write("ada") as change:  # as a store of an older revision has them
        for name in ("a.csv", "b.csv"):
            change.session.add(Ingest(format="generic", files={name: ""}, actor="ada", report={}))
    assert n_in_log_only(store) == 2
    ingest(store, bundle({"A": [1.0, 0.0]}), actor="ada")
    assert n_in_log_only(store) == 2
