"""Parts of a study on the workers of a real scheduler: the same answers, whatever happens to it."""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.statistics.all_pairs.max_t import max_t_all_pairs
from analysis.studies.leads import find_leads, list_boards
from analysis.studies.replicability_matrix import study_replicability_matrix
from analysis.studies.store_parts import _Opened
from analysis.workers import on_dask, parts
from store.engine import open_store

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Return a scheduler with two workers on the loopback, in threads: cheap to start."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        protocol="tcp://",
        host="127.0.0.1",
        dashboard_address=None,
    ) as cluster:
        yield cluster


@pytest.fixture
def taken(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Have the workers of the cluster taken, from the first part on."""
    monkeypatch.setenv(parts.SCHEDULER, cluster.scheduler_address)
    monkeypatch.setattr(parts, "HERE_FIRST_S", 0.0)
    return cluster


def _where(part: int) -> tuple[int, bool]:
    """Return twice the part, and whether this is a worker."""
    if part < 0:
        raise ValueError(f"{part} is below 0")
    time.sleep(0.01)
    return 2 * part, parts.scheduler() is None


def test_workers_take_the_parts_and_answers_keep_their_order(taken: Any) -> None:
    told: list[tuple[int, int]] = []
    before = parts.cpu_s_elsewhere()
    found = list(parts.each(_where, range(6), progress=lambda *steps: told.append(steps)))
    assert found == [(2 * part, True) for part in range(6)]
    assert told[0] == (0, 6)
    assert all(done < total == 6 for done, total in told)
    assert parts.cpu_s_elsewhere() > before


def test_answers_are_those_of_this_process(
    taken: Any, example_copy: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = np.random.default_rng(5).normal(size=(4, 30))
    there = max_t_all_pairs(scores, n_resamples=2_000)
    with open_store(example_copy().path, keeps_results=False) as store:
        uids = [one.dataset_uid for one in list_boards(store) if 1 < one.n_tested < 6][:3]
        leads = find_leads(store, uids)
        matrix = study_replicability_matrix(store, n_resamples=99)
        monkeypatch.delenv(parts.SCHEDULER)
        assert find_leads(store, uids) == leads
        again = study_replicability_matrix(store, n_resamples=99)
    assert again.to_dict() == matrix.to_dict()
    np.testing.assert_array_equal(max_t_all_pairs(scores, n_resamples=2_000), there)


def test_a_refusal_is_that_of_the_part(taken: Any) -> None:
    with pytest.raises(ValueError, match="-1 is below 0"):
        list(parts.each(_where, [1, 2, -1, 3]))


def test_progress_that_raises_cancels(taken: Any) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(parts.each(_where, range(4), progress=stop))


@pytest.mark.parametrize("why", ["away", "unfit", "no store"])
def test_without_fit_workers_this_process_does_it_and_says_so(
    why: str, taken: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def sent(part: int) -> Any:
        raise parts.UnfitWorkerError("a worker does not reach the store: gone")

    if why == "away":
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            monkeypatch.setenv(parts.SCHEDULER, f"tcp://127.0.0.1:{free.getsockname()[1]}")
        monkeypatch.setattr(on_dask, "CONNECTS_S", 0.1)
    elif why == "unfit":
        here = on_dask.versions()
        monkeypatch.setattr(on_dask, "versions", lambda: here + str(os.urandom(4)))
    with caplog.at_level(logging.WARNING, logger="tiebreak.workers"):
        found = list(parts.each(_where, range(3), sent=sent if why == "no store" else None))
    assert [twice for twice, _ in found] == [0, 2, 4]
    expected = {"away": "is away", "unfit": "a worker has", "no store": "does not reach the store"}
    assert expected[why] in caplog.text


def test_short_work_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(parts.SCHEDULER, "tcp://192.0.2.1:8786")
    assert [twice for twice, _ in parts.each(_where, range(3))] == [0, 2, 4]


def test_stop_from_a_page_ends_the_parts_of_its_process(taken: Any) -> None:
    """A page's study is a process, and Stop kills it: the scheduler forgets what it had sent."""
    script = "import sys, time; from analysis.workers import parts; parts.HERE_FIRST_S = 0.0\n"
    script += "list(parts.each(lambda part: time.sleep(0.02), range(20_000)))"
    process = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT)
    try:
        _until(lambda: taken.scheduler.tasks)
    finally:
        process.kill()
        process.wait()
    _until(lambda: not taken.scheduler.tasks)
    _until(lambda: not any(one.processing for one in taken.scheduler.workers.values()))


def test_no_password_is_in_the_log_of_a_worker(
    taken: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sent = _Opened(_never, "postgresql+psycopg://tiebreak:S3CRET@127.0.0.1:1/x", True, False, None)
    packed = on_dask.Packed(pytest.importorskip("cloudpickle").dumps(sent))
    assert b"S3CRET" in packed.data
    assert "S3CRET" not in f"{sent!r} {packed!r}"
    log = logging.getLogger("distributed.worker")  # which hands on nothing
    monkeypatch.setattr(log, "handlers", [caplog.handler])
    with caplog.at_level(logging.DEBUG, logger=log.name):
        found = list(parts.each(_where, range(3), sent=sent))
        names = " ".join(map(str, taken.scheduler.tasks))
    assert [twice for twice, _ in found] == [0, 2, 4]
    assert "Compute Failed" in caplog.text
    assert "S3CRET" not in caplog.text + names


def _never(_store: Any, _part: int) -> Any:
    raise AssertionError("no store, no work")


def _until(is_so: Callable[[], Any]) -> None:
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)
