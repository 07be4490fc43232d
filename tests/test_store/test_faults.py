"""Kills, crowds, full disks and damaged files: nothing half-written, everything said in words."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from store.arrays import load_matrix
from store.backup import check
from store.engine import open_store
from store.errors import ReadOnlyError, StoreError
from store.ingest import ingest
from store.judgments import list_criteria
from store.models import System
from store.runs import list_runs
from store.systems import list_systems

# What a child process starts with: the same bundles as the parent makes, without pytest.
PREAMBLE = """
import sys, time
import numpy as np
from store.engine import open_store
from store.importers.bundle import *
from store.ingest import ingest

def bundle(system, n_items=50, seed=0):
    items = [BundleItem(f"i{i:03d}") for i in range(n_items)]
    values = np.random.default_rng(seed).random((n_items, 1))
    return ImportBundle(
        format="test", files=[SourceFile("scores.csv", "0" * 64)],
        datasets=[BundleDataset("qa", items=items)],
        metrics=[BundleMetric("score", higher_is_better=True)],
        runs=[BundleRun(system, 0, scores=[BundleScores(0, values)])],
    )
"""


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a child process that can use `bundle` and the store's functions."""
    return subprocess.Popen(
        [sys.executable, "-c", PREAMBLE + textwrap.dedent(script), *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def finish(child: subprocess.Popen[str]) -> str:
    """Wait for a child that must succeed and return what it printed."""
    out, said = child.communicate(timeout=60)
    assert child.returncode == 0, said
    return out


def within(seconds: float, work: Callable[[], Any]) -> Any:
    """Return what `work` returns, or fail when it takes too long; who waits, waits 30 seconds."""
    began = time.monotonic()
    result = work()
    assert time.monotonic() - began < seconds
    return result


@pytest.mark.parametrize("replace", [pytest.param(False, marks=pytest.mark.full), True])
def test_ingest_that_is_killed_leaves_the_store_as_it_was(store, bundle, contents, replace):
    values = np.random.default_rng(0).random(50)
    ingest(store, bundle({"A": values if not replace else values / 2}), actor="t")
    before, revision = contents(store), store.revision()
    child = start(
        """
        import store.ingest
        def hang(*given, **more):  # everything else is written by now
            print("written", flush=True)
            time.sleep(60)
        store.ingest.ingest_reported = hang
        made = bundle(sys.argv[2], n_items=60)
        ingest(open_store(sys.argv[1]), made, actor="child", replace=sys.argv[3] == "True")
        """,
        store.path, "A" if replace else "B", replace,
    )  # fmt: skip
    assert child.stdout is not None
    assert child.stdout.readline() == "written\n"
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=60)
    assert contents(store) == before
    assert store.revision() == revision
    assert check(store) == []
    again = bundle({"A" if replace else "B": np.random.default_rng(0).random(60)})
    report = within(10, lambda: ingest(store, again, actor="t", replace=replace))
    assert (report.n("run", "added"), report.n("run", "replaced")) == (
        0 if replace else 1,
        int(replace),
    )
    assert check(store) == []


JUDGED = """
from sqlalchemy.orm import Session
N = 4_000
marked = [BundleErrorSpan("Major")]
made = ImportBundle(
    format="test", files=[SourceFile("judged.csv", "0" * 64)],
    datasets=[BundleDataset("qa", items=[BundleItem(f"i{i:05d}") for i in range(N)])],
    criteria=[
        BundleCriterion("fluency", 0, lower=1, upper=5),
        BundleCriterion("mqm", 0, "error-spans", weights={"Major": 5.0}),
        BundleCriterion("better", 0, "preference"),
    ],
    ratings=[
        *(BundleRating(0, who, i, "A", 1.0 + i % 5) for i in range(N) for who in "xyz"),
        *(BundleRating(1, "x", i, "A", 0.0, spans=marked) for i in range(N)),
    ],
    preferences=[BundlePreference(2, "x", i, "A", "B", "first") for i in range(N)],
)
commit = Session.commit
def hang(session):  # everything is flushed by now
    if sys.argv[2] == "after":
        commit(session)
    print("written", flush=True)
    time.sleep(60)
if sys.argv[2] != "whole":
    Session.commit = hang
print(ingest(open_store(sys.argv[1]), made, actor="c").n("judgment", "added"))
"""


@pytest.mark.parametrize("when", ["before", pytest.param("after", marks=pytest.mark.full)])
def test_ingest_of_judgments_that_is_killed_at_its_commit_is_all_or_nothing(
    store, rated, contents, when
):
    ingest(store, rated(("ann", 0, "A", 3.0), ("ann", 1, "B", 4.0)), actor="t")
    before, revision = contents(store), store.revision()
    log = store.path.with_name(f"{store.path.name}-wal")
    size = log.stat().st_size
    child = start(JUDGED, store.path, when)
    assert child.stdout is not None
    assert child.stdout.readline() == "written\n"
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=60)
    assert log.stat().st_size > size  # something of it is on the disk already
    assert check(store) == []
    if when == "before":
        assert contents(store) == before
        assert store.revision() == revision
    added = finish(start(JUDGED, store.path, "whole"))
    assert added == ("20000\n" if when == "before" else "0\n")
    assert sum(one.n_judgments for one in list_criteria(store)) == 20_002
    assert check(store) == []


def test_ingests_at_once_all_land(store):
    script = """
        for i in range(4):
            made = bundle(f"{sys.argv[2]}{i}", 40 + 5 * i)
            ingest(open_store(sys.argv[1]), made, actor="child")
    """
    for child in [start(script, store.path, name) for name in "AB"]:
        finish(child)
    assert len(list_systems(store)) == 8
    matrix = load_matrix(store, "qa", "score")
    assert matrix.scores.shape == (8, 55, 1)
    assert {(~np.isnan(row)).sum() for row in matrix.scores} == {40, 45, 50, 55}
    assert check(store) == []


@pytest.mark.full
def test_ingests_of_the_same_bundle_at_once_add_it_once(store):
    script = "print(ingest(open_store(sys.argv[1]), bundle('A'), actor='t').n('run', 'added'))"
    children = [start(script, store.path) for _ in range(2)]
    assert sorted(finish(child) for child in children) == ["0\n", "1\n"]
    assert len(list_runs(store)) == 1


def test_open_store_at_once_makes_one_store(tmp_path):
    path = tmp_path / "new.db"
    script = """
        s = open_store(sys.argv[1], create=True)
        ingest(s, bundle(sys.argv[2]), actor="t")
    """
    for child in [start(script, path, name) for name in "AB"]:
        finish(child)
    store = open_store(path)
    assert [s.name for s in list_systems(store)] == ["A", "B"]
    assert check(store) == []
    store.close()


def test_readers_see_the_old_state_while_a_writer_is_at_work(store, bundle):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    revision = store.revision()
    with store.write("t") as change:
        change.session.add(System(name="B"))
        change.record("create", "system")
        change.session.flush()
        seen = within(10, lambda: [s.name for s in list_systems(store)])
        assert (seen, store.revision()) == (["A"], revision)
    assert [s.name for s in list_systems(store)] == ["A", "B"]


def test_a_writer_does_not_wait_for_readers(store, bundle):
    ingest(store, bundle({"A": [1.0]}), actor="t")
    with store.read() as connection:
        assert connection.scalar(sa.select(System.name)) == "A"
        within(10, lambda: ingest(store, bundle({"B": [1.0]}), actor="t"))
        assert connection.scalars(sa.select(System.name)).all() == ["A"]
    assert [s.name for s in list_systems(store)] == ["A", "B"]


def test_threads_of_one_process_share_a_store(store, bundle):
    failures: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for i in range(5):
                ingest(store, bundle({f"{name}{i}": [1.0, 0.0]}), actor=name)
                assert load_matrix(store, "qa", "score").scores.shape[1] == 2
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=[name]) for name in "ABCD"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures
    assert len(list_systems(store)) == 20


def test_write_takes_the_lock_before_it_looks(store, database):
    """Whoever looks first and locks later may write on the strength of what is no longer so."""
    database.execute("PRAGMA busy_timeout=0")
    with store.write("t") as change:
        assert change.session.scalar(sa.select(System.id)) is None
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            database.execute("BEGIN IMMEDIATE")


def test_write_says_that_another_process_is_writing(store, database, monkeypatch, bundle):
    monkeypatch.setattr("store.engine.WRITER_WAITS_MS", 50)
    impatient = open_store(store.path)
    database.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError) as raised:
        within(10, lambda: ingest(impatient, bundle({"A": [1.0]}), actor="t"))
    assert str(raised.value) == (
        f"{store.path}: another process has been writing for 30 seconds. Nothing was written; "
        "repeat later."
    )
    database.execute("ROLLBACK")
    assert ingest(impatient, bundle({"A": [1.0]}), actor="t").n("run", "added") == 1
    impatient.close()


def test_write_waits_on_while_others_come_and_go(store, database, monkeypatch, bundle):
    monkeypatch.setattr("store.engine.WRITER_WAITS_MS", 20)
    impatient = open_store(store.path)
    seen = []

    def last_change(_store):
        seen.append(len(seen))
        if len(seen) == 4:
            database.execute("ROLLBACK")
        return seen[-1]

    monkeypatch.setattr("store.engine.Store.last_change", last_change)
    database.execute("BEGIN IMMEDIATE")
    done = within(10, lambda: ingest(impatient, bundle({"A": [1.0]}), actor="t"))
    assert done.n("run", "added") == 1
    assert len(seen) == 4
    impatient.close()


def _limit_pages(store, more: int) -> Callable[[Any, object], None]:
    [pages] = sqlite3.connect(store.path).execute("PRAGMA page_count").fetchone()

    def limit(connection: Any, _record: object) -> None:
        connection.execute(f"PRAGMA max_page_count={pages + more}")

    return limit


def test_ingest_on_a_full_disk_writes_nothing_and_says_so(store, bundle, contents):
    ingest(store, bundle({"A": np.zeros(2000)}), actor="t")
    before, revision = contents(store), store.revision()
    store._writer.dispose()
    limit = _limit_pages(store, more=2)
    sa.event.listen(store._writer, "connect", limit)
    more = bundle({f"s{i}": np.random.default_rng(i).random(2000) for i in range(20)})
    with pytest.raises(StoreError) as raised:
        ingest(store, more, actor="t")
    assert str(raised.value) == (
        f"{store.path}: the disk is full. Nothing was written; free space and repeat."
    )
    assert contents(store) == before
    assert store.revision() == revision
    assert check(store) == []
    sa.event.remove(store._writer, "connect", limit)
    store._writer.dispose()
    assert ingest(store, more, actor="t").n("run", "added") == 20


def test_ingest_into_a_file_that_cannot_grow_writes_nothing(store, bundle, contents):
    """A quota is met in the write-ahead log, at the commit."""
    ingest(store, bundle({"A": np.zeros(50)}), actor="t")
    before = contents(store)
    child = start(
        """
        import resource
        from pathlib import Path
        from store.errors import StoreError
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
        try:
            ingest(open_store(sys.argv[1]), bundle("B", n_items=50_000), actor="child")
        except StoreError as error:
            print(error, end="")
        """,
        store.path,
    )
    assert finish(child) == (
        f"{store.path}: the disk does not take or give what it should. Nothing was written; look "
        "for a quota or a failing disk, and repeat."
    )
    assert contents(store) == before
    assert check(store) == []


@pytest.fixture
def sizeable(store, bundle) -> Path:
    """Return the closed file of a store that fills many pages."""
    rng = np.random.default_rng(0)
    ingest(store, bundle({f"s{i}": rng.random(3000) for i in range(10)}), actor="t")
    store.close()
    return store.path


def test_check_names_the_damage_in_the_middle_of_a_file(sizeable):
    rng = np.random.default_rng(0)
    with open(sizeable, "r+b") as file:
        for page in range(8, 40, 4):
            file.seek(page * 16384)
            file.write(rng.bytes(512))
    store = open_store(sizeable)
    problems = check(store)
    assert problems
    assert all(
        p.startswith(("File structure: ", "Score vector ", "The items of")) for p in problems
    )
    store.close()


def test_check_names_a_bit_that_turned_over_inside_a_vector(sizeable):
    raw = bytearray(sizeable.read_bytes())
    scores = np.random.default_rng(0).random(3000).tobytes()
    raw[raw.index(scores[:64]) + 3] ^= 1
    sizeable.write_bytes(raw)
    store = open_store(sizeable)
    assert check(store) == ["Score vector 1 is not what was written."]
    store.close()


def test_a_damaged_file_is_a_store_error_wherever_it_is_met(sizeable):
    with open(sizeable, "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        for page in range(2, size // 16384):
            file.seek(page * 16384)
            file.write(b"\xff" * 16384)
    damaged = (
        f"{sizeable}: the file is damaged. Look at `tiebreak db check`, and go back to a backup."
    )
    with pytest.raises(StoreError) as raised:
        list_systems(open_store(sizeable))
    assert str(raised.value) == damaged


def test_a_truncated_file_says_so(sizeable):
    with open(sizeable, "r+b") as file:
        file.truncate(16384 * 3)
    with pytest.raises(StoreError, match="the file is damaged"):
        list_systems(open_store(sizeable))


def test_a_file_with_a_broken_header_is_no_store(sizeable):
    with open(sizeable, "r+b") as file:
        file.write(b"\0" * 32)
    with pytest.raises(StoreError) as raised:
        open_store(sizeable)
    assert str(raised.value) == f"{sizeable}: this file is no Tiebreak store."


def test_a_write_ahead_log_that_got_lost_loses_the_last_ingest_and_nothing_else(store, bundle):
    """Whoever copies only the file of an open store gets the state of the last checkpoint."""
    ingest(store, bundle({"A": [1.0]}), actor="t")
    store.close()
    store = open_store(store.path)
    ingest(store, bundle({"B": [1.0]}), actor="t")
    copy = store.path.with_name("copy.db")
    copy.write_bytes(store.path.read_bytes())
    alone = open_store(copy)
    assert [s.name for s in list_systems(alone)] == ["A"]
    assert check(alone) == []
    alone.close()
    store.close()


def test_read_of_a_file_that_vanished_says_that_it_is_gone(store):
    store.close()
    store.path.unlink()
    with pytest.raises(StoreError, match="any more: the file was moved or deleted") as raised:
        store.revision()
    assert not isinstance(raised.value, ReadOnlyError)
