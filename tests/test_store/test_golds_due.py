"""An import of many files of judgments makes each gold once, when all of them are in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import sqlalchemy as sa

from store.arrays import load_matrix
from store.history import list_events
from store.importers.bundle import SourceFile
from store.ingest import ingest, ingest_all
from store.models import Ingest, Run, System

MEAN = "fluency [human: mean of annotators]"


def files(*bundles):
    """Return the bundles, each of a file of its own."""
    return [
        replace(one, files=[SourceFile(f"{n}.csv", f"{n}" * 64)]) for n, one in enumerate(bundles)
    ]


def n_golds(store) -> int:
    return sum(event.action == "gold" for event in list_events(store, limit=1_000))


def test_a_gold_is_made_once_and_told_by_the_last_file(store, rated) -> None:
    sent = files(*(rated((who, 0, "A", 1.0), (who, 1, "B", 2.0)) for who in ("ann", "bob", "cy")))
    reports = ingest_all(store, sent, actor="t")
    assert n_golds(store) == 1
    told = [[line for line in one.understood if MEAN in line] for one in reports]
    assert told == [[], [], [f"Metric '{MEAN}': 2 systems, 2 items."]]
    with store.read() as connection:
        kept = connection.execute(sa.select(Ingest.report).order_by(Ingest.id)).scalars().all()
    assert [MEAN in str(one["understood"]) for one in kept] == [False, False, True]


def test_the_same_scores_come_of_one_import_and_of_many(new_store, rated) -> None:
    sent = files(
        rated(("ann", 0, "A", 1.0), ("ann", 1, "B", 5.0)),
        rated(("bob", 0, "A", 2.0), ("bob", 3, "C", 4.0)),
        rated(("bob", 1, "B", 1.0), ("cy", 0, "A", 3.0)),
    )
    at_once, one_by_one = new_store(), new_store()
    ingest_all(at_once, sent, actor="t")
    for one in sent:
        ingest(one_by_one, one, actor="t")
    found, expected = (load_matrix(one, "qa", MEAN) for one in (at_once, one_by_one))
    assert found.systems == expected.systems
    np.testing.assert_array_equal(found.scores, expected.scores)


def test_a_run_of_judgments_comes_from_the_file_that_judged_its_system_first(store, rated) -> None:
    ingest_all(
        store,
        files(rated(("ann", 0, "A", 1.0)), rated(("bob", 0, "B", 1.0), ("bob", 0, "A", 2.0))),
        actor="t",
    )
    query = sa.select(System.name, Ingest.files).select_from(Run)
    query = query.join(System, System.id == Run.system_id).join(Ingest, Ingest.id == Run.ingest_id)
    with store.read() as connection:
        found = {name: list(of_it) for name, of_it in connection.execute(query)}
    assert found == {"A": ["0.csv"], "B": ["1.csv"]}


def test_judgments_of_a_file_that_is_left_out_count_nowhere(store, rated) -> None:
    """The second file contradicts the first one; the third stands."""
    sent = files(
        rated(("ann", 0, "A", 1.0)),
        rated(("ann", 0, "A", 4.0), dataset_name="qa"),
        rated(("bob", 0, "A", 3.0)),
        rated(("ann", 0, "A", 9.0), dataset_name="other"),
    )
    reports = ingest_all(store, sent, actor="t", optional=range(4))
    assert [bool(one.refused) for one in reports] == [False, True, False, True]
    assert load_matrix(store, "qa", MEAN).scores[0, 0, 0] == 2.0
    assert n_golds(store) == 1


def test_a_trial_tells_the_gold_and_keeps_nothing(store, rated) -> None:
    (report,) = ingest_all(store, [rated(("ann", 0, "A", 1.0))], actor="t", dry_run=True)
    assert any(MEAN in line for line in report.understood)
    assert n_golds(store) == 0
