"""Figures that papers and files state."""

from __future__ import annotations

import pytest

from store.errors import ConflictError
from store.history import list_events
from store.importers.bundle import BundleReportedComparison, BundleReportedScore
from store.ingest import ingest
from store.lifecycle import delete
from store.reported import list_reported_comparisons, list_reported_scores
from store.systems import get_system


def stated(value: float = 81.3, system: str = "A", **more) -> BundleReportedScore:
    return BundleReportedScore(system, 0, 0, value, source="Dror et al. 2017, Table 3", **more)


def compared(pvalue: float = 0.03, **more) -> BundleReportedComparison:
    return BundleReportedComparison("A", "B", 0, 0, pvalue, source="Table 3", **more)


def test_ingest_keeps_a_reported_score_as_it_stands(store, bundle):
    sent = bundle([], reported_scores=[stated(stderr=0.2, n_items=500, printed="81.3")])
    report = ingest(store, sent, actor="t")
    assert (report.n("reported figure", "added"), report.n("run", "added")) == (1, 0)
    [record] = list_reported_scores(store)
    assert (record.system, record.dataset, record.metric) == ("A", "qa", "score")
    assert (record.value, record.stderr, record.n_items, record.printed) == (81.3, 0.2, 500, "81.3")
    assert record.source == "Dror et al. 2017, Table 3"


def test_ingest_of_the_same_reported_figures_changes_nothing(store, bundle, contents):
    sent = bundle([], reported_scores=[stated()], reported_comparisons=[compared()])
    ingest(store, sent, actor="t")
    before = contents(store)
    report = ingest(store, sent, actor="t")
    assert (report.n("reported figure", "unchanged"), report.changed) == (2, False)
    assert contents(store) == before


def test_ingest_of_another_reported_score_needs_replace(store, bundle):
    ingest(store, bundle([], reported_scores=[stated(81.3)]), actor="t")
    other = bundle([], reported_scores=[stated(83.1)])
    with pytest.raises(ConflictError) as raised:
        ingest(store, other, actor="t")
    assert str(raised.value) == (
        "The store holds 81.3 as the score of 'A' on 'qa' from 'Dror et al. 2017, Table 3', the "
        "file says 83.1. Nothing was written. If the file is right, repeat with --replace (the "
        "old value stays in the audit trail)."
    )
    report = ingest(store, other, actor="t", replace=True)
    assert report.n("reported figure", "replaced") == 1
    [record] = list_reported_scores(store)
    assert record.value == 83.1
    event = next(e for e in list_events(store) if e.action == "replace")
    assert (event.target_uid, event.detail) == (record.uid, {"old": 81.3, "new": 83.1})


def test_ingest_of_another_reported_pvalue_needs_replace(store, bundle):
    ingest(store, bundle([], reported_comparisons=[compared(0.03)]), actor="t")
    other = bundle([], reported_comparisons=[compared(0.3)])
    with pytest.raises(ConflictError, match="p-value of 'A' against 'B' on 'qa' from 'Table 3'"):
        ingest(store, other, actor="t")
    ingest(store, other, actor="t", replace=True)
    assert [c.pvalue for c in list_reported_comparisons(store)] == [0.3]


def test_ingest_keeps_what_two_sources_say(store, bundle):
    ingest(store, bundle([], reported_scores=[stated(81.3)]), actor="t")
    elsewhere = BundleReportedScore("A", 0, 0, 79.9, source="Table 9")
    ingest(store, bundle([], reported_scores=[elsewhere]), actor="t")
    assert [s.value for s in list_reported_scores(store)] == [81.3, 79.9]


def test_ingest_finds_the_system_behind_a_reported_alias(store, bundle):
    ingest(store, bundle({"A": [1.0]}, aliases={"A": ["system a"]}), actor="t")
    ingest(store, bundle([], reported_scores=[stated(system="system a")]), actor="t")
    assert get_system(store, "A").n_reported == 1


def test_list_reported_comparisons_shows_the_scores_of_the_same_source(store, bundle):
    scores = [
        BundleReportedScore("A", 0, 0, 81.3, source="Table 3"),
        BundleReportedScore("B", 0, 0, 80.1, source="Table 3"),
        BundleReportedScore("B", 0, 0, 10.0, source="elsewhere"),
    ]
    sent = bundle([], reported_scores=scores, reported_comparisons=[compared()])
    ingest(store, sent, actor="t")
    [record] = list_reported_comparisons(store)
    assert (record.score_a, record.score_b) == (81.3, 80.1)
    uids = [get_system(store, name).uid for name in "BA"]
    assert list_reported_comparisons(store, between=(uids[0], uids[1])) == [record]
    assert list_reported_comparisons(store, between=(uids[0], "none")) == []


def test_list_reported_comparisons_shows_each_once_when_runs_state_scores_too(store, bundle, run):
    runs = [run("A", [0.5], label="1"), run("A", [0.25], label="2")]
    scores = [
        BundleReportedScore("A", 0, 0, 0.5, source="Table 3", run=0),
        BundleReportedScore("A", 0, 0, 0.25, source="Table 3", run=1),
    ]
    sent = bundle(runs, reported_scores=scores, reported_comparisons=[compared()])
    ingest(store, sent, actor="t")
    [record] = list_reported_comparisons(store)
    assert (record.score_a, record.score_b) == (0.5, None)
    general = BundleReportedScore("A", 0, 0, 0.375, source="Table 3")
    ingest(store, bundle([], reported_scores=[general]), actor="t")
    [record] = list_reported_comparisons(store)
    assert record.score_a == 0.375


def test_list_reported_scores_hides_those_of_deleted_runs(store, bundle, run):
    sent = bundle([run("A", [0.5])], reported_scores=[stated(0.5, run=0)])
    report = ingest(store, sent, actor="t")
    [record] = list_reported_scores(store, run_uid=report.run_uids[0])
    assert record.run_uid == report.run_uids[0]
    delete(store, "run", report.run_uids[0], actor="t")
    assert list_reported_scores(store) == []
    assert get_system(store, "A").n_reported == 0


@pytest.mark.parametrize(
    ("printed", "value", "scores", "differs"),
    [
        ("0.67", 0.67, [1.0, 1.0, 0.0], False),  # 2/3 rounds to it
        ("0.66", 0.66, [1.0, 1.0, 0.0], True),
        ("0.6666666666666666", 2 / 3, [1.0, 1.0, 0.0], False),
        ("", 0.67, [1.0, 1.0, 0.0], True),  # nothing printed: an exact number
        ("67", 67.0, [100.0, 100.0, 0.0], False),  # a whole number is rounded to units
        ("66", 66.0, [100.0, 100.0, 0.0], True),
        ("66.7", 0.667, [1.0, 1.0, 0.0], False),  # printed in percent
        ("66.6", 0.666, [1.0, 1.0, 0.0], True),
        ("6.7e-1", 0.67, [1.0, 1.0, 0.0], False),
    ],
)
def test_ingest_reports_aggregates_that_do_not_follow_from_the_items(
    store, bundle, run, printed, value, scores, differs
):
    reported = stated(value, printed=printed, run=0)
    report = ingest(store, bundle([run("A", scores)], reported_scores=[reported]), actor="t")
    assert bool(report.differences) is differs
    if differs:
        [difference] = report.differences
        assert (difference.run, difference.metric) == ("A on qa", "score")
        assert difference.reported == value
        assert difference.recomputed == pytest.approx(sum(scores) / 3)


def test_ingest_compares_an_aggregate_with_the_mean_of_its_trials(store, bundle, run):
    trials = run("A", {(0, 0): [1.0, 0.0], (0, 1): [1.0, 1.0]})
    right = bundle([trials], reported_scores=[stated(0.75, run=0)])
    assert ingest(store, right, actor="t").differences == []


def test_ingest_replaces_the_aggregate_that_a_replaced_run_stated(store, bundle, run):
    for value in (0.5, 1.0):
        sent = bundle([run("A", [value])], reported_scores=[stated(value, run=0)])
        ingest(store, sent, actor="t", replace=True)
    assert [s.value for s in list_reported_scores(store)] == [1.0]
