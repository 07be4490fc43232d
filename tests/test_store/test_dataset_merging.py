"""Two datasets made one: scores at their items, names that lead on, and all taken back."""

import numpy as np
import pytest
import sqlalchemy as sa

from store import tags
from store.arrays import load_matrix
from store.backup import check
from store.claim_records import NewClaim
from store.claims import add_claim, get_claim, list_claims
from store.dataset_merging import merge_datasets, separate_datasets
from store.datasets import get_dataset, list_datasets
from store.engine import open_store
from store.errors import ConflictError, NotFoundError, StoreError
from store.history import list_events
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleRun,
    BundleScores,
    ImportBundle,
    SourceFile,
)
from store.imports import undo
from store.ingest import ingest
from store.lifecycle import seal_dataset
from store.model_base import utc_now
from store.models import Output
from store.naming import rename
from store.runs import list_runs
from store.text_search import find_in_texts
from tests.test_migrations.make_asset import scores_of


def bring(store, system, dataset, keys, *, version="", texts=True, label=""):
    """Import a run whose score on an item is the number of the item."""
    values = np.array([[float(key[1:])] for key in keys])
    items = [
        BundleItem(key, content_hash=f"{int(key[1:]):064x}" if texts else None) for key in keys
    ]
    bundle = ImportBundle(
        format="test",
        files=[SourceFile(f"{system}.csv", "0" * 64)],
        datasets=[BundleDataset(dataset, version, items)],
        metrics=[BundleMetric("points", higher_is_better=True)],
        runs=[
            BundleRun(
                system,
                0,
                label,
                scores=[BundleScores(0, values)],
                outputs={0: [f"{system} says {key}" for key in keys]},
            )
        ],
    )
    return ingest(store, bundle, actor="ann").import_uid


@pytest.fixture
def store(tmp_path):
    """Return a store with one test set under two names, in two orders."""
    with open_store(tmp_path / "store.db", create=True) as opened:
        bring(opened, "A", "mnli", ["q1", "q2", "q3", "q4"])
        bring(opened, "B", "MultiNLI", ["q3", "q1", "q4"])
        yield opened


def row_of(store, system, dataset="mnli"):
    found = load_matrix(store, dataset, "points")
    return found.scores[found.systems.index(system), :, 0].tolist()


def test_scores_stand_at_their_items(store):
    kept = get_dataset(store, "mnli").uid
    old = get_dataset(store, "MultiNLI").uid
    assert merge_datasets(store, "MultiNLI", "mnli", actor="ada") == kept
    assert row_of(store, "A") == [1, 2, 3, 4]
    assert np.array_equal(row_of(store, "B"), [1, np.nan, 3, 4], equal_nan=True)
    assert find_in_texts(store, "mnli", "B says q3", ("B",)) == {2}
    assert [one.name for one in list_datasets(store)] == ["mnli"]
    assert {get_dataset(store, name).uid for name in (old, "MultiNLI")} == {kept}
    assert check(store) == []


def test_a_merge_is_taken_back_to_the_bit(store):
    scores, runs, datasets = scores_of(store), list_runs(store), list_datasets(store)
    tags.add_tag(store, "item", "MultiNLI/q1", "unclear", actor="ann")
    gone = get_dataset(store, "MultiNLI").uid
    merge_datasets(store, "MultiNLI", "mnli", actor="ada")
    assert tags.list_tags(store, "item", "mnli/q1") == ["unclear"]
    assert separate_datasets(store, "mnli", gone, actor="ada") == gone
    assert (scores_of(store), list_runs(store), list_datasets(store)) == (scores, runs, datasets)
    assert tags.list_tags(store, "item", "MultiNLI/q1") == ["unclear"]
    assert find_in_texts(store, "MultiNLI", "B says q3", ("B",)) == {1}
    assert check(store) == []
    with pytest.raises(NotFoundError, match="not merged"):
        separate_datasets(store, "mnli", gone, actor="ada")


def test_the_larger_one_can_go_into_the_smaller(store):
    merge_datasets(store, "mnli", "MultiNLI", actor="ada")
    assert get_dataset(store, "mnli").n_items == 4
    assert row_of(store, "A", "MultiNLI") == [1, 3, 4, 2]
    assert check(store) == []


def test_later_files_with_the_old_name_go_where_it_leads(store):
    merge_datasets(store, "MultiNLI", "mnli", actor="ada")
    uid = bring(store, "C", "MultiNLI", ["q4", "q2"])
    assert [one.name for one in list_datasets(store)] == ["mnli"]
    assert np.array_equal(row_of(store, "C"), [np.nan, 2, np.nan, 4], equal_nan=True)
    undo(store, uid, actor="ann")
    assert check(store) == []
    separate_datasets(store, "mnli", list_events_merged(store), actor="ada")
    bring(store, "C", "MultiNLI", ["q4"])
    assert get_dataset(store, "MultiNLI").n_runs == 2


def list_events_merged(store):
    return next(one.detail["merged"] for one in list_events(store) if one.action == "merge")


def test_two_test_sets_stay_two(store):
    bring(store, "C", "other", ["q1", "q9"])
    with pytest.raises(ConflictError, match="1 items stand only in the first"):
        merge_datasets(store, "other", "mnli", actor="ada")
    bring(store, "C", "same keys", ["q1", "q2"], texts=False)
    merge_datasets(store, "same keys", "mnli", actor="ada")
    bundle_of_other_text(store)
    with pytest.raises(ConflictError, match="another text"):
        merge_datasets(store, "other text", "mnli", actor="ada")
    with pytest.raises(StoreError, match="one dataset already"):
        merge_datasets(store, "mnli", "mnli", actor="ada")
    seal_dataset(store, "MultiNLI", actor="ann")
    with pytest.raises(ConflictError, match="sealed"):
        merge_datasets(store, "mnli", "MultiNLI", actor="ada")
    assert check(store) == []


def bundle_of_other_text(store):
    bundle = ImportBundle(
        format="test",
        files=[SourceFile("x.csv", "0" * 64)],
        datasets=[BundleDataset("other text", "", [BundleItem("q1", content_hash="f" * 64)])],
    )
    ingest(store, bundle, actor="ann")


def test_the_same_run_twice_is_no_merge_and_changes_nothing(store):
    bring(store, "A", "MultiNLI", ["q1"])
    before = store.last_change(), scores_of(store)
    with pytest.raises(ConflictError, match="the same run"):
        merge_datasets(store, "MultiNLI", "mnli", actor="ada")
    assert (store.last_change(), scores_of(store)) == before
    assert check(store) == []


def test_what_changed_since_is_not_torn_apart(store):
    gone = get_dataset(store, "MultiNLI").uid
    merge_datasets(store, "MultiNLI", "mnli", actor="ada")
    bring(store, "B", "mnli", ["q1", "q2", "q3", "q4"])
    with pytest.raises(ConflictError, match="changed since"):
        separate_datasets(store, "mnli", gone, actor="ada")
    assert check(store) == []


def test_claims_go_along_and_say_what_was_called_how(store):
    stated = NewClaim("B", "MultiNLI", "points", 3.0, utc_now(), "a paper")
    claim = add_claim(store, stated, actor="ann")
    assert (claim.system_then, claim.dataset_then) == ("", "")
    rename(store, "dataset", "MultiNLI", "Multi NLI", actor="ada")
    merge_datasets(store, "Multi NLI", "mnli", actor="ada")
    rename(store, "system", "B", "Beta", actor="ada")
    (kept,) = list_claims(store)
    assert (kept.uid, kept.system, kept.dataset) == (claim.uid, "Beta", "mnli")
    assert (kept.system_then, kept.dataset_then) == ("B", "MultiNLI")
    assert get_claim(store, claim.uid) == kept
    assert add_claim(store, stated, actor="ann").uid == claim.uid
    later = NewClaim("Beta", "mnli", "points", 2.0, utc_now(), "another paper")
    assert add_claim(store, later, actor="ann").dataset_then == ""


def test_texts_of_answers_stay_with_their_items_in_the_table(store):
    merge_datasets(store, "MultiNLI", "mnli", actor="ada")
    with store.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(Output)) == 7
