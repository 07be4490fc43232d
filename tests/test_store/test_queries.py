"""What the lists say; and that none of them ever reads a vector or a text."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from store import datasets, history, import_lists, metrics, reported, runs, systems
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleReportedScore,
    Provenance,
)
from store.ingest import ingest
from store.lifecycle import delete

LISTS = {
    "list_systems": systems.list_systems,
    "list_datasets": datasets.list_datasets,
    "list_metrics": metrics.list_metrics,
    "list_runs": runs.list_runs,
    "list_coverage": runs.list_coverage,
    "list_overlaps": datasets.list_overlaps,
    "list_reported_scores": reported.list_reported_scores,
    "list_reported_comparisons": reported.list_reported_comparisons,
    "list_events": history.list_events,
    "list_imports": import_lists.list_imports,
}


@pytest.fixture
def filled(store, bundle, run):
    made = [run(name, [1.0, 0.5], outputs={0: ["x", "y"]}) for name in "AB"]
    items = [BundleItem("a", input_text="q"), BundleItem("b", input_text="r")]
    stated = [BundleReportedScore("A", 0, 0, 0.7, source="paper")]
    ingest(store, bundle(made, items=items, reported_scores=stated), actor="t")
    return store


@pytest.fixture
def statements(filled):
    """Return the SQL that the store's readers run from now on."""
    seen: list[str] = []

    def remember(conn, cursor, statement, parameters, context, executemany):
        seen.append(statement)

    sa.event.listen(filled._reader, "before_cursor_execute", remember)
    return seen


@pytest.mark.parametrize("name", sorted(LISTS.keys() - {"list_overlaps"}))  # it compares scores
def test_lists_never_read_a_vector_or_a_text(filled, statements, name):
    assert LISTS[name](filled) is not None
    assert statements
    for statement in statements:
        columns = re.findall(r"(\w+)\.(\w+)", statement.replace('"', ""))
        heavy = {("score_vector", "data"), ("status_vector", "data"), ("output", "text")}
        assert not heavy & set(columns)
        assert not [table for table, _ in columns if table == "item_text"]
        assert "*" not in statement.replace("(*)", "")


@pytest.mark.parametrize("name", LISTS)
def test_lists_need_as_many_statements_for_many_rows_as_for_few(filled, statements, bundle, name):
    LISTS[name](filled)
    few = len(statements)
    ingest(filled, bundle({f"s{i}": [1.0, 0.0] for i in range(30)}, dataset="more"), actor="t")
    statements.clear()
    LISTS[name](filled)
    assert len(statements) == few


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_an_empty_store_are_empty(store, name):
    assert LISTS[name](store) == []


def test_list_systems_counts_what_the_store_holds(filled, bundle):
    ingest(filled, bundle({"A": [1.0]}, dataset="other"), actor="t")
    first, second = systems.list_systems(filled)
    assert (first.name, first.n_runs, first.n_datasets, first.n_reported) == ("A", 2, 2, 1)
    assert (second.name, second.n_runs, second.n_datasets, second.n_reported) == ("B", 1, 1, 0)


def test_list_systems_knows_when_a_system_was_last_evaluated(store, bundle, run):
    days = [datetime(2024, 3, day, tzinfo=UTC) for day in (9, 10)]
    made = [run("A", [1.0], label=str(d), provenance=Provenance(evaluated_on=d)) for d in days]
    ingest(store, bundle(made), actor="t")
    assert systems.get_system(store, "A").last_evaluated_on == days[1]


def test_list_datasets_counts_systems_that_are_only_reported(store, bundle):
    stated = [BundleReportedScore(name, 0, 0, 0.7, source="paper") for name in "ABC"]
    ingest(store, bundle({"A": [1.0]}, reported_scores=stated), actor="t")
    [record] = datasets.list_datasets(store)
    assert (record.n_items, record.n_runs, record.n_systems, record.n_reported) == (1, 1, 3, 3)


def test_list_runs_hands_out_the_provenance_that_went_in(store, bundle, run):
    when = datetime(2024, 3, 9, 12, 30, 15, 123456, tzinfo=UTC)
    given = Provenance(
        evaluated_on=when, tz_assumed=True, seed=2**40, command="python -m x", harness="lm-eval",
        harness_version="0.4", git_origin="git@x", git_commit="abc", git_dirty=False,
        source_url="https://x", packages={"numpy": "2"}, config={"temperature": 0.0, "stop": None},
    )  # fmt: skip
    ingest(
        store,
        bundle([run("A", [1.0], label="seed 1", provenance=given, complete=False)]),
        actor="t",
    )
    [record] = runs.list_runs(store)
    for field in Provenance.__dataclass_fields__:
        assert getattr(record, field) == getattr(given, field), field
    assert (record.label, record.complete, record.n_items) == ("seed 1", False, 1)
    assert record.to_dict()["evaluated_on"] == "2024-03-09T12:30:15.123456+00:00"


def test_list_runs_can_be_narrowed(filled):
    a = systems.get_system(filled, "A")
    assert [r.system for r in runs.list_runs(filled)] == ["B", "A"]
    assert [r.system for r in runs.list_runs(filled, system_uid=a.uid)] == ["A"]
    assert runs.list_runs(filled, dataset_uid="none") == []
    [record] = runs.list_runs(filled, system_uid=a.uid)
    assert [(v.metric, v.n_scored, v.value) for v in record.vectors] == [("score", 2, 0.75)]


def test_list_coverage_has_a_cell_for_scored_and_for_reported(filled, bundle):
    stated = [BundleReportedScore("C", 0, 0, 0.7, source="paper")]
    ingest(filled, bundle([], dataset="other", reported_scores=stated), actor="t")
    cells = {(c.system, c.dataset): c for c in runs.list_coverage(filled)}
    assert set(cells) == {("A", "qa"), ("B", "qa"), ("C", "other")}
    a, c = cells["A", "qa"], cells["C", "other"]
    assert (a.n_runs, a.n_scored, a.n_reported, a.n_items) == (1, 2, 1, 2)
    assert (c.n_runs, c.n_scored, c.n_reported) == (0, 0, 1)


def test_list_coverage_of_several_runs_says_the_most_items_scored(store, bundle, run):
    made = [run("A", [1.0, math.nan], label="1"), run("A", [1.0, 1.0], label="2")]
    ingest(store, bundle(made), actor="t")
    [cell] = runs.list_coverage(store)
    assert (cell.n_runs, cell.n_scored) == (2, 2)


def test_list_coverage_forgets_deleted_runs_with_the_aggregates_they_state(store, bundle, run):
    stated = [BundleReportedScore("A", 0, 0, 1.0, source="log", run=0)]
    report = ingest(store, bundle([run("A", [1.0])], reported_scores=stated), actor="t")
    delete(store, "run", report.run_uids[0], actor="t")
    assert runs.list_coverage(store) == []
    assert systems.get_system(store, "A").n_datasets == 0
    assert datasets.get_dataset(store, "qa").n_systems == 0


def test_list_metrics_of_a_dataset_puts_the_most_used_first(store, bundle, run):
    names = [BundleMetric(n, higher_is_better=True) for n in ("rare", "common", "elsewhere")]
    made = [run("A", {(0, 0): [1.0], (1, 0): [1.0]}), run("B", {(1, 0): [1.0]})]
    ingest(store, bundle(made, metric=names), actor="t")
    uid = datasets.get_dataset(store, "qa").uid
    assert [m.name for m in metrics.list_metrics(store, dataset_uid=uid)] == ["common", "rare"]
    assert len(metrics.list_metrics(store)) == 3


def test_list_overlaps_counts_shared_contents(store, bundle):
    one = [BundleItem(k, content_hash=h * 64) for k, h in (("a", "1"), ("b", "2"), ("c", "2"))]
    two = [BundleItem(k, content_hash=h * 64) for k, h in (("x", "2"), ("y", "2"), ("z", "3"))]
    sent = bundle([], datasets=[BundleDataset("one", items=one), BundleDataset("two", items=two)])
    ingest(store, sent, actor="t")
    [overlap] = datasets.list_overlaps(store)
    assert (overlap.dataset_a, overlap.dataset_b, overlap.n_shared) == ("one", "two", 1)
    assert datasets.list_overlaps(store, [overlap.dataset_a_uid]) == []
    delete(store, "dataset", "two", actor="t")
    assert datasets.list_overlaps(store) == []


def test_list_events_can_be_narrowed_and_limited(filled):
    uid = systems.get_system(filled, "A").uid
    assert [e.action for e in history.list_events(filled, target_uid=uid)] == ["create"]
    newest = history.list_events(filled, limit=2)
    assert [e.id for e in newest] == [filled.revision(), filled.revision() - 1]


def test_records_become_json_safe(filled):
    import json

    for name, lister in LISTS.items():
        for record in lister(filled):
            assert json.loads(json.dumps(record.to_dict(), allow_nan=False)), name
