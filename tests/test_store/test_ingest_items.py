"""Items line up, or the import stops and names the item that does not."""

from __future__ import annotations

import hashlib
from itertools import permutations

import pytest
import sqlalchemy as sa

from store.arrays import load_groups, load_matrix
from store.datasets import get_dataset, list_datasets, list_items
from store.errors import AlignmentError, ConflictError
from store.history import list_events
from store.importers.bundle import BundleDataset, BundleItem
from store.ingest import ingest
from store.ingest.items import chain_hashes
from store.lifecycle import delete, seal_dataset
from store.models import Dataset


def text(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


def close(store, name: str) -> None:
    seal_dataset(store, name, actor="t")


def test_chain_hashes_cover_the_key_and_everything_before():
    first = hashlib.sha256(b"a").digest()
    second = hashlib.sha256(first + "ü".encode()).hexdigest()
    assert list(chain_hashes(["a", "ü"])) == [first.hex(), second]
    assert list(chain_hashes(["ü"], after=first.hex())) == [second]


def test_chain_hashes_differ_when_items_change_places():
    one, other = chain_hashes(["a", "b", "c"]), chain_hashes(["b", "a", "c"])
    assert list(one)[-1] != list(other)[-1]
    one, other = chain_hashes(["ab", "c"]), chain_hashes(["a", "bc"])
    assert list(one)[-1] != list(other)[-1]


def test_ingest_names_the_item_whose_text_changed(store, bundle, contents):
    items = [BundleItem("a", content_hash=text("one")), BundleItem("b", content_hash=text("two"))]
    ingest(store, bundle({"A": [1.0, 0.0]}, items=items), actor="t")
    before = contents(store)
    changed = [items[0], BundleItem("b", content_hash=text("zwei"))]
    with pytest.raises(AlignmentError) as raised:
        ingest(store, bundle({"B": [1.0, 0.0]}, items=changed), actor="t")
    assert str(raised.value) == (
        "scores.csv, field 'item': the text of item 'b' differs from the one in the store for "
        "dataset 'qa'. Scores on changed items cannot be compared: import it as another version "
        "of the dataset (--dataset-version)."
    )
    assert contents(store) == before


def test_ingest_names_the_item_whose_group_changed(store, bundle):
    ingest(store, bundle({"A": [1.0]}, items=[BundleItem("a", group="doc 1")]), actor="t")
    with pytest.raises(AlignmentError) as raised:
        ingest(store, bundle({"B": [1.0]}, items=[BundleItem("a", group="doc 2")]), actor="t")
    assert str(raised.value) == (
        "scores.csv, field 'group': item 'a' of dataset 'qa' is in group 'doc 2' here and in "
        "group 'doc 1' in the store."
    )


def test_ingest_takes_a_sealed_dataset_as_it_is(store, bundle):
    ingest(store, bundle({"A": [1.0, 0.0]}), actor="t")
    close(store, "qa")
    assert get_dataset(store, "qa").sealed
    ingest(store, bundle({"B": [0.0, 0.0]}), actor="t")
    with pytest.raises(ConflictError) as raised:
        ingest(store, bundle({"C": [0.0, 0.0, 1.0]}), actor="t")
    assert str(raised.value) == (
        "scores.csv: the dataset 'qa' is sealed with 2 items; the file has 1 more, the first is "
        "'i002'."
    )


def test_ingest_fills_content_hashes_and_groups_that_come_later(store, bundle):
    ingest(store, bundle({"A": [1.0, 0.0]}, keys=["a", "b"]), actor="t")
    revision = store.revision()
    known = [BundleItem("a", "doc 1", text("one")), BundleItem("b", "doc 1", text("two"))]
    ingest(store, bundle({"A": [1.0, 0.0]}, items=known), actor="t")
    assert [item.content_hash for item in list_items(store, "qa")] == [text("one"), text("two")]
    assert load_groups(store, "qa") == ["doc 1", "doc 1"]
    assert store.revision() > revision
    event = list_events(store, target_uid=get_dataset(store, "qa").uid)[0]
    assert (event.action, event.detail) == ("describe items", {"n_items": 2})
    changed = [known[0], BundleItem("b", "doc 1", text("zwei"))]
    with pytest.raises(AlignmentError, match="the text of item 'b'"):
        ingest(store, bundle({"B": [1.0, 0.0]}, items=changed), actor="t")


def test_ingest_does_not_forget_hashes_when_a_later_file_shows_none(store, bundle):
    items = [BundleItem("a", content_hash=text("one"))]
    ingest(store, bundle({"A": [1.0]}, items=items), actor="t")
    ingest(store, bundle({"B": [1.0]}, keys=["a"]), actor="t")
    assert list_items(store, "qa")[0].content_hash == text("one")


def test_ingest_keeps_two_versions_side_by_side(store, bundle):
    old = [BundleItem("a", content_hash=text("one"))]
    new = [BundleItem("a", content_hash=text("eins")), BundleItem("b")]
    ingest(store, bundle({"A": [1.0]}, items=old, version="1"), actor="t")
    ingest(store, bundle({"A": [0.0, 0.5]}, items=new, version="2"), actor="t")
    assert [(d.name, d.version, d.n_items) for d in list_datasets(store)] == [
        ("qa", "1", 1),
        ("qa", "2", 2),
    ]
    assert load_matrix(store, "qa@1", "score").scores[0, :, 0].tolist() == [1.0]
    assert load_matrix(store, "qa@2", "score").scores[0, :, 0].tolist() == [0.0, 0.5]


def test_ingest_appends_new_items_wherever_they_stand_in_the_file(store, bundle):
    ingest(store, bundle({"A": [1.0, 2.0]}, keys=["a", "b"]), actor="t")
    ingest(store, bundle({"B": [9.0, 2.0, 8.0]}, keys=["new", "b", "newer"]), actor="t")
    assert [item.key for item in list_items(store, "qa")] == ["a", "b", "new", "newer"]
    row = load_matrix(store, "qa", "score", systems=["B"]).scores[0, :, 0]
    assert row[1:].tolist() == [2.0, 9.0, 8.0]
    assert row[0] != row[0]


def test_new_items_stand_in_the_natural_order_of_their_names(store, bundle):
    keys = ["q10", "q9", "b", "q1"]
    ingest(store, bundle({"A": [10.0, 9.0, 0.0, 1.0]}, keys=keys), actor="t")
    ingest(store, bundle({"B": [9.0, 0.0, 10.0, 1.0]}, keys=["q9", "b", "q10", "q1"]), actor="t")
    report = ingest(store, bundle({"C": [10.0, 9.0, 0.0, 1.0]}, keys=keys), actor="t")
    assert [item.key for item in list_items(store, "qa")] == ["b", "q1", "q9", "q10"]
    rows = load_matrix(store, "qa", "score").scores[:, :, 0].tolist()
    assert rows == [[0.0, 1.0, 9.0, 10.0]] * 3
    assert not report.counts.get(("item", "added"))


@pytest.mark.parametrize("keys", list(permutations(["q1", "q01", "q001", "Q1"])))
def test_names_that_differ_in_zeros_or_capitals_have_one_order(store, bundle, keys):
    ingest(store, bundle({"A": [1.0] * 4}, keys=keys), actor="t")
    assert [item.key for item in list_items(store, "qa")] == ["Q1", "q001", "q01", "q1"]


def test_ingest_continues_the_chain_of_the_items(store, bundle):
    ingest(store, bundle({"A": [1.0, 2.0]}, keys=["a", "b"]), actor="t")
    ingest(store, bundle({"B": [1.0, 2.0, 3.0]}, keys=["a", "b", "c"]), actor="t")
    with store.read() as connection:
        [stored] = connection.scalars(sa.select(Dataset.chain_hash))
    assert stored == list(chain_hashes(["a", "b", "c"]))[-1]


def test_ingest_starts_afresh_when_the_dataset_was_deleted(store, bundle):
    items = [BundleItem("a", content_hash=text("one"))]
    ingest(store, bundle({"A": [1.0]}, items=items), actor="t")
    delete(store, "dataset", "qa", actor="t")
    changed = [BundleItem("a", content_hash=text("eins"))]
    report = ingest(store, bundle({"A": [1.0]}, items=changed), actor="t")
    assert report.datasets_added == ["qa"]
    assert report.n("item", "added") == 1


def test_ingest_keeps_what_the_source_says_about_items(store, bundle):
    items = [BundleItem("a", "doc", text("x"), metadata={"language": "sw", "länge": 3})]
    ingest(store, bundle({"A": [1.0]}, items=items), actor="t")
    [item] = list_items(store, "qa")
    assert (item.position, item.key, item.group) == (0, "a", "doc")
    assert item.metadata == {"language": "sw", "länge": 3}


def test_ingest_keeps_texts_apart_and_adds_them_later(store, bundle, contents):
    ingest(store, bundle({"A": [1.0, 0.0]}, keys=["a", "b"]), actor="t")
    assert contents(store)["item_text"] == []
    revision = store.revision()
    shown = [BundleItem("a", input_text="2+2?", reference_text="4"), BundleItem("b")]
    ingest(store, bundle({"A": [1.0, 0.0]}, items=shown), actor="t")
    assert [row[1:3] for row in contents(store)["item_text"]] == [("2+2?", "4")]
    assert store.revision() > revision
    before = contents(store)
    ingest(store, bundle({"A": [1.0, 0.0]}, items=shown), actor="t")
    assert contents(store) == before


def test_ingest_describes_a_dataset_and_records_what_it_fills_in(store, bundle):
    def described(**more):
        items = [BundleItem("a")]
        return bundle({"A": [1.0]}, datasets=[BundleDataset("qa", items=items, **more)])

    ingest(store, described(task="qa"), actor="t")
    revision = store.revision()
    ingest(store, described(task="other", language="sw", n_items_stated=500), actor="t")
    record = get_dataset(store, "qa")
    assert (record.task, record.language, record.n_items_stated) == ("qa", "sw", 500)
    assert store.revision() > revision, "a page would go on showing what it has in its cache"
    event = list_events(store, target_uid=record.uid)[0]
    assert (event.action, event.detail) == ("describe", {"language": "sw", "n_items_stated": 500})


def test_ingest_of_a_dataset_without_items_makes_room_for_reported_scores(store, bundle):
    report = ingest(store, bundle([], datasets=[BundleDataset("paper only")]), actor="t")
    assert report.datasets_added == ["paper only"]
    assert get_dataset(store, "paper only").n_items == 0
