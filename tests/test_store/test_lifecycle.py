"""Deleting hides, restoring brings back, purging is for good."""

from __future__ import annotations

import pytest

from store.arrays import load_matrix
from store.backup import check
from store.datasets import get_dataset, list_datasets
from store.errors import ConflictError, NotFoundError, StoreError
from store.history import list_events
from store.importers.bundle import BundleItem, BundleReportedComparison, BundleReportedScore
from store.ingest import ingest
from store.lifecycle import delete, purge, restore
from store.metrics import list_metrics
from store.reported import list_reported_comparisons, list_reported_scores
from store.results_cache import load_result, save_result
from store.runs import list_coverage, list_runs
from store.systems import get_system, list_systems
from store.tags import add_note, add_tag

KINDS = ("system", "dataset", "run")


@pytest.fixture
def full(store, bundle, run):
    """Return a store in which everything hangs on everything."""
    items = [BundleItem("a", input_text="2+2?"), BundleItem("b")]
    runs = [run(name, [1.0, 0.0], outputs={0: ["4", None]}) for name in "AB"]
    figures = {
        "reported_scores": [BundleReportedScore("A", 0, 0, 0.5, source="paper")],
        "reported_comparisons": [BundleReportedComparison("A", "B", 0, 0, 0.5, source="paper")],
    }
    ingest(store, bundle(runs, items=items, **figures), actor="t")
    for kind in KINDS:
        add_tag(store, kind, uid_of(store, kind), "mine", actor="t")
        add_note(store, kind, uid_of(store, kind), "look", actor="t")
    return store


def uid_of(store, kind: str) -> str:
    if kind == "system":
        return get_system(store, "A").uid
    if kind == "dataset":
        return get_dataset(store, "qa").uid
    return next(r.uid for r in list_runs(store) if r.system == "A")


@pytest.mark.parametrize("kind", KINDS)
def test_delete_hides_and_restore_shows_exactly_what_was_there(full, contents, kind):
    def visible():
        return (list_systems(full), list_datasets(full), list_runs(full), list_coverage(full),
                list_reported_scores(full), list_reported_comparisons(full))  # fmt: skip

    before, uid = visible(), uid_of(full, kind)
    assert delete(full, kind, uid, actor="t") == uid
    assert visible() != before
    assert restore(full, kind, uid, actor="t") == uid
    assert visible() == before


def test_delete_takes_a_system_out_of_every_view(full):
    delete(full, "system", "A", actor="t")
    assert [s.name for s in list_systems(full)] == ["B"]
    assert [r.system for r in list_runs(full)] == ["B"]
    assert [c.system for c in list_coverage(full)] == ["B"]
    assert list_reported_scores(full) == []
    assert list_reported_comparisons(full) == []
    assert load_matrix(full, "qa", "score").systems == ("B",)
    record = get_dataset(full, "qa")
    assert (record.n_runs, record.n_systems, record.n_reported) == (1, 1, 0)


def test_delete_takes_a_dataset_out_of_every_view(full):
    delete(full, "dataset", "qa", actor="t")
    assert list_datasets(full) == []
    assert list_runs(full) == []
    assert list_coverage(full) == []
    record = get_system(full, "A")
    assert (record.n_runs, record.n_datasets, record.n_reported) == (0, 0, 0)


def test_delete_takes_a_metric_off_the_list_of_a_dataset_once_nothing_is_left(store, bundle):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    uid = get_dataset(store, "qa").uid
    assert [m.name for m in list_metrics(store, dataset_uid=uid)] == ["score"]
    delete(store, "system", "A", actor="t")
    assert list_metrics(store, dataset_uid=uid) == []


@pytest.mark.parametrize("kind", KINDS)
def test_delete_and_restore_and_purge_leave_events(full, kind):
    uid = uid_of(full, kind)
    delete(full, kind, uid, actor="ada")
    restore(full, kind, uid, actor="ada")
    delete(full, kind, uid, actor="ada")
    purge(full, kind, uid, actor="eve")
    events = list_events(full, target_uid=uid)[:4]
    assert [(e.action, e.actor) for e in events] == [
        ("purge", "eve"),
        ("delete", "ada"),
        ("restore", "ada"),
        ("delete", "ada"),
    ]
    assert {e.target_kind for e in events} == {kind}


def test_delete_frees_the_name(store, bundle):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    old = delete(store, "system", "A", actor="t")
    report = ingest(store, bundle({"A": [0.5]}), actor="t")
    assert report.systems_added == ["A"]
    assert get_system(store, "A").uid != old
    assert load_matrix(store, "qa", "score").scores.tolist() == [[[0.5]]]


@pytest.mark.parametrize("kind", ["system", "dataset"])
def test_restore_refuses_when_the_name_was_used_again(store, bundle, kind, contents):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    old = delete(store, kind, uid_of(store, kind), actor="t")
    ingest(store, bundle({"A": [0.5]}), actor="t")
    before = contents(store)
    with pytest.raises(ConflictError) as raised:
        restore(store, kind, old, actor="t")
    assert str(raised.value) == (
        f"The {kind} '{old}' cannot come back: another {kind} has its name now. "
        "Delete that one first."
    )
    assert contents(store) == before
    delete(store, kind, uid_of(store, kind), actor="t")
    restore(store, kind, old, actor="t")
    assert uid_of(store, kind) == old


@pytest.mark.parametrize("kind", KINDS)
def test_purge_and_restore_need_a_deletion_first(full, contents, kind):
    uid, before = uid_of(full, kind), contents(full)
    with pytest.raises(StoreError) as raised:
        purge(full, kind, uid, actor="t")
    assert str(raised.value) == (
        f"The {kind} '{uid}' is not deleted. `tiebreak delete {kind} {uid}` hides it; only then "
        "can it be purged."
    )
    with pytest.raises(StoreError, match=f"The {kind} '{uid}' is not deleted"):
        restore(full, kind, uid, actor="t")
    assert contents(full) == before


@pytest.mark.parametrize(
    ("kind", "left"),
    [
        ("system", {"run": 1, "score_vector": 1, "status_vector": 1, "output": 1, "item": 2,
                    "reported_score": 0, "reported_comparison": 0, "tag": 1, "note": 1}),
        ("dataset", {"run": 0, "score_vector": 0, "status_vector": 0, "output": 0, "item": 0,
                     "reported_score": 0, "reported_comparison": 0, "tag": 1, "note": 1}),
        ("run", {"run": 1, "score_vector": 1, "status_vector": 1, "output": 1, "item": 2,
                 "reported_score": 1, "reported_comparison": 1, "tag": 2, "note": 2}),
    ],
)  # fmt: skip
def test_purge_removes_everything_that_hangs_on_it(full, contents, kind, left):
    uid = delete(full, kind, uid_of(full, kind), actor="t")
    purge(full, kind, uid, actor="t")
    rows = contents(full)
    assert {table: len(rows[table]) for table in left} == left
    assert len(rows["item_text"]) == (0 if kind == "dataset" else 1)
    assert check(full) == []
    with pytest.raises(NotFoundError):
        restore(full, kind, uid, actor="t")


def test_purge_never_lets_an_id_be_used_again(store, bundle, contents):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    ids = {
        t: contents(store)[t][0][0] for t in ("system", "dataset", "run", "item", "score_vector")
    }
    for kind, name in (("system", "A"), ("dataset", "qa")):
        purge(store, kind, delete(store, kind, name, actor="t"), actor="t")
    ingest(store, bundle({"A": [1.0]}), actor="t")
    rows = contents(store)
    for table, old in ids.items():
        assert [row[0] for row in rows[table]] == [old + 1], table


def test_purge_takes_all_kept_results_along(store, bundle):
    ingest(store, bundle({"A": [1.0], "B": [0.0]}), actor="t")
    save_result(store, "key", b"A beats B", question="compare")
    uid = delete(store, "system", "A", actor="t")
    assert load_result(store, "key") == b"A beats B", "a deleted system can come back"
    purge(store, "system", uid, actor="t")
    assert load_result(store, "key") is None


def test_purge_of_a_deleted_run_keeps_the_living_one(store, bundle):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    ingest(store, bundle({"A": [0.0]}), actor="t", replace=True)
    [old] = list_runs(store, deleted=True)
    purge(store, "run", old.uid, actor="t")
    assert list_runs(store, deleted=True) == []
    assert load_matrix(store, "qa", "score").scores.tolist() == [[[0.0]]]


def test_purge_does_not_touch_tags_of_another_kind_with_the_same_id(store, bundle):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    run_uid = uid_of(store, "run")
    add_tag(store, "dataset", "qa", "keep", actor="t")
    add_tag(store, "run", run_uid, "gone", actor="t")
    purge(store, "run", delete(store, "run", run_uid, actor="t"), actor="t")
    assert get_dataset(store, "qa").tags == ("keep",)
