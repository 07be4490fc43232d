"""An import taken back: the store is as it was before, bit by bit, or nothing is touched."""

import numpy as np
import pytest
import sqlalchemy as sa

from store.engine import open_store
from store.errors import ConflictError, NotFoundError
from store.import_journal import tables
from store.importers.bundle import (
    BundleCriterion,
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleRating,
    BundleReportedScore,
    BundleRun,
    BundleScores,
    ImportBundle,
    SourceFile,
)
from store.imports import show_import, undo
from store.ingest import ingest


@pytest.fixture
def store(tmp_path):
    store = open_store(tmp_path / "s.db", create=True)
    yield store
    store.close()


def bundle(system="A", scores=(1.0, 0.0), *, text=None, name="a.csv", rating=None):
    items = [BundleItem(f"i{n}", input_text=text) for n in range(len(scores))]
    ratings = [] if rating is None else [BundleRating(0, "ann", 0, system, rating)]
    return ImportBundle(
        format="test",
        files=[SourceFile(name, "0" * 64)],
        datasets=[BundleDataset("d", "", items)],
        metrics=[BundleMetric("acc", higher_is_better=True)],
        runs=[BundleRun(system, 0, scores=[BundleScores(0, np.array(scores)[:, None])])],
        reported_scores=[BundleReportedScore(system, 0, 0, 0.5)],
        criteria=[BundleCriterion("good", 0)] if ratings else [],
        ratings=ratings,
        aliases={system: [f"{system}-alias"]},
    )


def content(store):
    """Return every row of every table that imports are about."""
    with store.read() as connection:
        return {
            name: sorted(map(repr, connection.execute(sa.select(table))))
            for name, table in tables().items()
        }


@pytest.mark.parametrize(
    ("second", "replace"),
    [
        (bundle("B"), False),
        (bundle("A", (1.0, 0.0, 0.5)), False),
        (bundle("A", (0.5, 0.5)), True),
        (bundle("A", text="a text"), False),
        (bundle("B", (1.0,), rating=3.0), False),
    ],
    ids=["another system", "more items", "other scores", "texts", "ratings"],
)
def test_the_store_is_as_before(store, second, replace) -> None:
    ingest(store, bundle(), actor="t")
    before = content(store)
    uid = ingest(store, second, actor="t", replace=replace).import_uid
    assert content(store) != before
    undo(store, uid, actor="t", dry_run=True)
    assert content(store) != before
    undo(store, uid, actor="t")
    assert content(store) == before
    shown = show_import(store, uid)
    assert shown["undone_at"] is not None
    assert shown["files"] == ["a.csv"]
    with pytest.raises(ConflictError, match="undone already"):
        undo(store, uid, actor="t")
    assert ingest(store, second, actor="t", replace=replace).changed, "it can be imported again"


def test_ratings_that_were_replaced_come_back(store) -> None:
    ingest(store, bundle(rating=2.0), actor="t")
    before = content(store)
    uid = ingest(store, bundle(rating=4.0), actor="t", replace=True).import_uid
    undo(store, uid, actor="t")
    assert content(store) == before


def test_what_later_results_build_on_stays(store) -> None:
    first = ingest(store, bundle(), actor="t").import_uid
    second = ingest(store, bundle("B"), actor="t").import_uid
    before = content(store)
    with pytest.raises(ConflictError, match=f"tiebreak undo {second}"):
        undo(store, first, actor="t")
    assert content(store) == before
    undo(store, second, actor="t")
    undo(store, first, actor="t")
    assert all(rows == [] for rows in content(store).values())


def test_an_import_whose_rows_a_later_one_changed_stays(store) -> None:
    ingest(store, bundle("Z"), actor="t")
    first = ingest(store, bundle("A"), actor="t").import_uid
    second = ingest(store, bundle("A", (0.5, 0.5)), actor="t", replace=True).import_uid
    with pytest.raises(ConflictError, match=f"undo {second}|Later results"):
        undo(store, first, actor="t")
    undo(store, second, actor="t")
    undo(store, first, actor="t")


def test_an_import_is_found_by_its_parts(store) -> None:
    report = ingest(store, bundle(), actor="t")
    assert show_import(store, report.ingest_uid)["uid"] == report.import_uid
    with pytest.raises(NotFoundError, match="no import 'x'"):
        undo(store, "x", actor="t")
