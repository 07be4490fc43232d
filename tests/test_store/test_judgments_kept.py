"""Judgments in the store: found by name, hidden and back, checked, and the same as they went in."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.backup import check
from store.errors import NotFoundError, StoreError
from store.history import list_events
from store.importers.bundle import (
    BundleItem,
    BundleRating,
)
from store.ingest import ingest
from store.judgments import (
    list_annotators,
    list_criteria,
    load_item_judgments,
    load_item_properties,
    load_preferences,
    load_ratings,
)
from store.lifecycle import delete, purge, restore
from store.results_cache import data_fingerprint

NAN = float("nan")


def test_names_of_criteria_are_found_letter_for_letter(filled, store, rated, compared):
    ingest(filled, compared(("ann", 0, "A", "B", "tie")), actor="t")
    with pytest.raises(NotFoundError) as raised:
        load_ratings(filled, "qa", "Fluency")
    assert str(raised.value) == (
        "There is no criterion 'Fluency' on 'qa'. Did you mean 'fluency'? `tiebreak ls criteria` "
        "lists them."
    )
    with pytest.raises(StoreError, match="'better' on 'qa' holds preferences, not ratings"):
        load_ratings(filled, "qa", "better")
    with pytest.raises(StoreError, match="'fluency' on 'qa' holds ratings, not preferences"):
        load_preferences(filled, "qa", "fluency")
    ingest(filled, rated(dataset_name="empty"), actor="t")
    with pytest.raises(NotFoundError, match="There is no item 'i9' in the dataset 'qa'"):
        load_item_judgments(filled, "qa", "i9")


def test_dataset_without_judgments_says_so(store, bundle):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    with pytest.raises(NotFoundError, match="criterion 'x': nothing was judged on 'qa' yet"):
        load_ratings(store, "qa", "x")


def test_criterion_without_judgments_is_empty(store, rated, compared):
    ingest(store, rated(), actor="t")
    ingest(store, compared(), actor="t")
    assert load_ratings(store, "qa", "fluency").value.shape == (0,)
    assert load_preferences(store, "qa", "better").choice.shape == (0,)
    assert [record.n_judgments for record in list_criteria(store)] == [0, 0]


def test_properties_of_items_are_read_column_by_column(store, rated):
    sent = rated(("ann", 0, "A", 1.0))
    items = [
        BundleItem("i0", group="doc", metadata={"length": 3}),
        BundleItem("i1", metadata={"length": 4, "domain": "news"}),
        BundleItem("i2"),
    ]
    ingest(store, replace(sent, datasets=[replace(sent.datasets[0], items=items)]), actor="t")
    assert load_item_properties(store, "qa") == {
        "length": (3, 4, None),
        "domain": (None, "news", None),
        "group": ("doc", None, None),
    }


def test_judgments_hide_come_back_and_go_with_their_system(filled, compared):
    ingest(filled, compared(("ann", 0, "A", "B", "first")), actor="t")
    uid = delete(filled, "system", "B", actor="t")
    assert load_ratings(filled, "qa", "fluency").systems == ("A",)
    assert load_preferences(filled, "qa", "better").choice.shape == (0,)
    assert {r.system for r in load_item_judgments(filled, "qa", "i0").ratings} == {"A"}
    assert [c.n_judgments for c in list_criteria(filled)] == [2, 0]
    assert [(a.n_ratings, a.n_preferences) for a in list_annotators(filled)] == [(1, 0), (1, 0)]
    restore(filled, "system", uid, actor="t")
    assert load_ratings(filled, "qa", "fluency").value.tolist() == [2, 1, 5, 4]
    assert load_preferences(filled, "qa", "better").choice.tolist() == [1]
    delete(filled, "system", uid, actor="t")
    purge(filled, "system", uid, actor="t")
    assert [c.n_judgments for c in list_criteria(filled)] == [2, 0]
    assert check(filled) == []


def test_judgments_hide_come_back_and_go_with_their_dataset(filled, rated):
    uid = delete(filled, "dataset", "qa", actor="t")
    assert (list_criteria(filled), list_annotators(filled)) == ([], [])
    ingest(filled, rated(("ann", 0, "A", 3.0)), actor="t")  # another dataset of that name
    assert load_ratings(filled, "qa", "fluency").value.tolist() == [3]
    delete(filled, "dataset", "qa", actor="t")
    restore(filled, "dataset", uid, actor="t")
    assert load_ratings(filled, "qa", "fluency").value.tolist() == [2, 1, 5, 4]
    delete(filled, "dataset", uid, actor="t")
    purge(filled, "dataset", uid, actor="t")
    with filled.read() as connection:
        left = connection.exec_driver_sql("SELECT count(*) FROM rating").scalar()
    assert left == 1  # of the other one
    assert check(filled) == []


def test_fingerprint_follows_every_judgment(filled, rated):
    seen = [data_fingerprint(filled, "qa", "fluency")]
    ingest(filled, rated(("ann", 0, "other", 3.0), name="adequacy"), actor="t")
    assert data_fingerprint(filled, "qa", "fluency") == seen[0]
    steps = (
        lambda: ingest(filled, rated(("ann", 3, "A", 3.0)), actor="t"),
        lambda: ingest(filled, rated(("ann", 3, "A", 4.0)), actor="t", replace=True),
        # A mean of the same value, of other judgments:
        lambda: ingest(filled, rated(("bob", 3, "A", 4.0)), actor="t"),
        lambda: delete(filled, "system", "B", actor="t"),
    )
    for step in steps:
        step()
        seen.append(data_fingerprint(filled, "qa", "fluency"))
    assert len(set(seen)) == len(seen)
    [gone] = [e.target_uid for e in list_events(filled) if e.action == "delete"]
    restore(filled, "system", gone, actor="t")
    assert data_fingerprint(filled, "qa", "fluency") == seen[-2]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "UPDATE rating SET item_id = (SELECT max(id) FROM item) WHERE id = 1",
            "1 ratings are of an item or annotator of another dataset.",
        ),
        (
            "UPDATE preference SET annotator_id = (SELECT max(id) FROM annotator) WHERE id = 1",
            "1 preferences are of an item or annotator of another dataset.",
        ),
        (
            "INSERT INTO preference (criterion_id, annotator_id, item_id, first_id, second_id, "
            "choice, order_known, replicate, ingest_id) SELECT criterion_id, annotator_id, "
            "item_id, second_id, first_id, choice, order_known, replicate, ingest_id "
            "FROM preference WHERE id = 1",
            "1 comparisons are there in both orders, as one judgment.",
        ),
    ],
)
def test_check_finds_judgments_that_cannot_be(filled, rated, compared, database, statement, said):
    ingest(filled, compared(("ann", 0, "A", "B", "first")), actor="t")
    ingest(filled, rated(("ann", 0, "A", 3.0), dataset_name="other"), actor="t")
    assert check(filled) == []
    database.execute(statement)
    assert said in check(filled)


def test_database_refuses_the_same_judgment_twice(filled, rated, compared, database):
    ingest(filled, rated(("ann", 0, None, 3.0)), actor="t")
    ingest(filled, compared(("ann", 0, "A", "B", "first")), actor="t")
    for table in ("rating", "preference"):
        names = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        columns = ", ".join(name for name in names if name != "id")
        for (id_,) in database.execute(f"SELECT id FROM {table}").fetchall():
            with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
                database.execute(
                    f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {table} WHERE id = ?",
                    (id_,),
                )


def test_dry_run_writes_nothing(store, rated):
    report = ingest(store, rated(("ann", 0, "A", 3.0)), actor="t", dry_run=True)
    assert report.n("judgment", "added") == 1
    assert list_criteria(store) == []


@given(
    cells=st.dictionaries(
        st.tuples(
            st.sampled_from("abc"), st.integers(0, 3), st.sampled_from(["A", "B", None]),
            st.integers(0, 1),
        ),
        st.floats(1, 5) | st.just(NAN),
        max_size=20,
    ),
    cut=st.integers(0, 20),
)  # fmt: skip
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_ratings_come_out_as_they_went_in(new_store, rated, cells, cut):
    store = new_store()
    rows = [
        BundleRating(0, by, item, of, value, replicate)
        for (by, item, of, replicate), value in cells.items()
    ]
    ingest(store, rated(*rows[:cut]), actor="t")
    ingest(store, rated(*rows), actor="t")  # the first part stands there already
    found = load_ratings(store, "qa", "fluency")
    names = [annotator.name for annotator in found.annotators]
    systems = [*found.systems, None]  # -1 is the last
    columns = (found.annotator, found.item, found.system, found.replicate, found.value)
    out = {
        (names[by], item, systems[of], replicate): repr(value)
        for by, item, of, replicate, value in zip(*(c.tolist() for c in columns), strict=True)
    }
    assert out == {key: repr(value) for key, value in cells.items()}
    store.close()
