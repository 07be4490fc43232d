"""Studies in processes of their own: joined, told, stopped, replaced, and never left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from analysis.studies.leaderboard import Board
from analysis.studies.pairs import Pairs
from dashboard.pool import flights
from dashboard.pool.flights import Pool
from dashboard.pool.tasks import Task
from store.engine import open_store
from store.errors import NotFoundError, StoreError
from tests.test_pool.slow import Slow

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies of a process")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """Return a pool without compiled loops."""
    before = Path.cwd()
    os.chdir(ROOT)  # where its processes find this folder
    started = Pool(with_loops=False)
    started.start()
    yield started
    started.stop()
    os.chdir(before)


def waits(_steps: object) -> None:
    """Go on waiting."""


class Left(Exception):
    """Whoever waited goes away."""


def leaves(_steps: object) -> None:
    """Go away."""
    raise Left


def lines(log: Path) -> list[str]:
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def until(is_so: Callable[[], Any], seconds: float = 30) -> Any:
    """Return what `is_so` gives, once it gives something."""
    end = time.monotonic() + seconds
    while not (found := is_so()):
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)
    return found


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_answer_is_that_of_this_process_to_the_bit(
    pool: Pool, example_copy: Callable[[], Any]
) -> None:
    path = str(example_copy().path)
    with open_store(path, read_only=True) as store:
        for question in (Board("encodings"), Pairs("encodings")):
            found = pool.answer(question, Task(question, (), path), waits)
            assert found.to_dict() == question.answer(store).to_dict()


def test_same_question_at_once_is_answered_once_and_says_how_far(
    pool: Pool, tmp_path: Path
) -> None:
    question, told, found = Slow(tmp_path / "log", steps=8), [], []

    def ask() -> None:
        found.append(pool.answer("once", Task(question), told.append))

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [study.sentence for study in found] == ["8 steps"] * 3
    assert len(lines(question.log)) == 2
    assert any(steps is not None and steps[1] == 8 for steps in told)


def test_work_that_nobody_waits_for_any_more_is_stopped(pool: Pool, tmp_path: Path) -> None:
    question = Slow(tmp_path / "log", steps=600)

    def leaves_once_begun(_steps: object) -> None:
        if lines(question.log):
            raise Left

    with pytest.raises(Left):
        pool.answer("left", Task(question), leaves_once_begun)
    worker = int(lines(question.log)[0].split()[1])
    until(lambda: not is_alive(worker))
    again = Slow(question.log, steps=1)
    assert pool.answer("left", Task(again), waits).sentence == "1 steps"


def test_who_leaves_stops_no_one_else(pool: Pool, tmp_path: Path) -> None:
    question, found = Slow(tmp_path / "log", steps=8), []
    other = threading.Thread(target=lambda: found.append(pool.answer("two", Task(question), waits)))
    other.start()
    until(lambda: lines(question.log))
    with pytest.raises(Left):
        pool.answer("two", Task(question), leaves)
    other.join()
    assert found[0].sentence == "8 steps"
    assert len(lines(question.log)) == 2


def test_an_admin_ends_work_that_others_wait_for(pool: Pool, tmp_path: Path) -> None:
    question, failed = Slow(tmp_path / "log", steps=600), []

    def ask() -> None:
        with pytest.raises(StoreError) as raised:
            pool.answer("endless", Task(question), waits)
        failed.append(str(raised.value))

    asking = threading.Thread(target=ask)
    asking.start()
    until(lambda: lines(question.log))
    worker = int(lines(question.log)[0].split()[1])
    [flight] = pool.at_work()
    pool.end(flight.uid)
    asking.join()
    assert "An admin has stopped this work" in failed[0]
    assert not pool.at_work()
    until(lambda: not is_alive(worker))
    pool.end(flight.uid)  # it ended before: nothing happens
    assert pool.answer("endless", Task(Slow(question.log, 1)), waits).sentence == "1 steps"


def test_process_that_dies_is_told_and_the_next_one_answers(pool: Pool, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="ended before it was done"):
        pool.answer("dies", Task(Slow(tmp_path / "log", 1, "dies")), waits)
    with pytest.raises(NotFoundError, match="no such thing"):
        pool.answer("refuses", Task(Slow(tmp_path / "log", 1, "refuses")), waits)
    assert pool._nursery is not None
    pool._nursery.kill()
    pool._nursery.wait()
    assert pool.answer("dies", Task(Slow(tmp_path / "log", 1)), waits).sentence == "1 steps"


def test_short_task_does_not_wait_for_long_ones(
    pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flights, "LONG_S", 0.1)
    places = flights.AT_ONCE
    logs, is_over = [tmp_path / f"log {at}" for at in range(places)], threading.Event()

    def until_over(_steps: object) -> None:
        if is_over.is_set():
            raise Left

    def ask(log: Path) -> None:
        with suppress(Left):
            pool.answer(log, Task(Slow(log, steps=600)), until_over)

    threads = [threading.Thread(target=ask, args=(log,)) for log in logs]
    for thread in threads:
        thread.start()
    until(lambda: all(map(lines, logs)))
    short = Slow(tmp_path / "short", steps=1)
    assert pool.answer("short", Task(short), waits).sentence == "1 steps"
    is_over.set()
    for thread in threads:
        thread.join()
    assert not any("ended" in lines(log) for log in logs)


def test_nothing_outlives_the_server(tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = (
        "import sys; from pathlib import Path; from dashboard.pool.flights import Pool\n"
        "from dashboard.pool.tasks import Task; from tests.test_pool.slow import Slow\n"
        "pool = Pool(with_loops=False); pool.start(); print(pool._nursery.pid, flush=True)\n"
        "pool.answer('x', Task(Slow(Path(sys.argv[1]), 600)), lambda _: None)\n"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", script, str(log)], cwd=ROOT, stdout=subprocess.PIPE
    )
    assert server.stdout is not None
    nursery = int(server.stdout.readline())
    worker = int(until(lambda: lines(log))[0].split()[1])
    assert is_alive(nursery)
    assert is_alive(worker)
    os.kill(server.pid, signal.SIGKILL)
    server.wait()
    server.stdout.close()
    until(lambda: not is_alive(nursery) and not is_alive(worker))
