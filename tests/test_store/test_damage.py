"""A damaged score vector is seen when it is read: left out, named, never part of an answer."""

import json
import os
import sqlite3

import numpy as np
import pytest
from typer.testing import CliRunner

from dashboard.cli import app
from store import damage
from store.arrays import load_matrix, load_runs
from store.engine import open_store
from store.errors import StoreError
from store.ingest import ingest
from store.results_cache import load_result, save_result
from store.run_scores import load_run_scores

VALUES = {name: np.random.default_rng(i).random(40) for i, name in enumerate("ABC")}


@pytest.fixture(autouse=True)
def _nothing_seen_yet(monkeypatch):
    monkeypatch.setattr(damage, "_seen", {})


@pytest.fixture
def damaged(store, bundle):
    """A store in which one byte of the scores of B is another one."""
    ingest(store, bundle(VALUES), actor="t")
    with sqlite3.connect(store.path) as connection:
        query = (
            "SELECT v.id, v.data FROM score_vector v JOIN run r ON r.id = v.run_id "
            "JOIN system s ON s.id = r.system_id WHERE s.name = 'B'"
        )
        ((vector, data),) = connection.execute(query).fetchall()
        data = bytearray(data)
        data[100] ^= 1
        connection.execute("UPDATE score_vector SET data = ? WHERE id = ?", (bytes(data), vector))
    connection.close()
    return store


def test_a_flipped_byte_is_left_out_and_told_by_a_command(damaged) -> None:
    told = CliRunner().invoke(app, ["--store", str(damaged.path), "leaderboard", "qa", "--json"])
    assert told.exit_code == 0, told.output
    answer = json.loads(told.stdout)
    assert {row["system"] for row in answer["result"]["rows"]} == {"A", "C"}
    (said,) = (one for one in answer["warnings"] if "not what was written" in one)
    assert "'B'" in said
    assert "db restore" in said
    assert "scores.csv" in said


def test_every_way_of_reading_leaves_it_out(damaged) -> None:
    dataset, metric = "qa", "score"
    with damaged.read() as connection:  # its connection has a second database from here on
        connection.exec_driver_sql("CREATE TEMP TABLE beside (x)")
    assert load_matrix(damaged, dataset, metric).systems == ("A", "C")
    assert len(load_runs(damaged, dataset, metric)) == 2
    with damaged.read() as connection:
        (seen,) = damage.seen(connection)
    assert load_run_scores(damaged, seen.run_uid) == []
    with pytest.raises(StoreError, match="not what was written"):
        load_matrix(damaged, dataset, metric, systems=["A", "B"])


def test_nothing_computed_without_it_is_kept_and_the_source_mends_it(damaged, bundle) -> None:
    load_matrix(damaged, "qa", "score")
    assert not save_result(damaged, "k", b"1", question="q")
    ingest(damaged, bundle(VALUES), actor="t", replace=True)
    assert np.array_equal(load_matrix(damaged, "qa", "score").scores[1, :, 0], VALUES["B"])
    with damaged.read() as connection:
        assert damage.seen(connection) == []
    assert save_result(damaged, "k", b"1", question="q")
    assert load_result(damaged, "k") == b"1"


def test_a_file_cut_off_under_a_reader_is_an_error_in_words(store, bundle) -> None:
    ingest(
        store,
        bundle({f"S{i}": np.random.default_rng(i).random(4_000) for i in range(9)}),
        actor="t",
    )
    store.close()
    reader = open_store(store.path, read_only=True)
    load_matrix(reader, "qa", "score", systems=["S0"])
    os.truncate(store.path, store.path.stat().st_size // 2)
    try:
        with pytest.raises(StoreError, match=r"damaged|disk"):
            load_matrix(reader, "qa", "score")
    finally:
        reader.close()
