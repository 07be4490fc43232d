"""A server writes for its fellows what it works on, and stops what they want stopped."""

import threading
import time
from types import SimpleNamespace

import pytest

from dashboard.pool.fellows import Notices
from store.engine import open_store
from store.server_work import list_work, stop_work


class Pool:
    """Work that goes on until it is ended."""

    def __init__(self):
        self.flights, self.ended = [], []

    def at_work(self):
        return list(self.flights)

    def begin(self, uid):
        parts = {"since": time.time() - 5, "n_waiting": 1, "steps": (1, 4)}
        self.flights.append(SimpleNamespace(uid=uid, name="Ranking", **parts))

    def end(self, uid):
        self.ended.append(uid)
        self.flights = [one for one in self.flights if one.uid != uid]


def until(is_so):
    end = time.monotonic() + 10
    while not (found := is_so()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return found


@pytest.fixture
def path(tmp_path):
    open_store(tmp_path / "store.db", create=True).close()
    return tmp_path / "store.db"


def test_work_is_seen_and_stopped_from_another_server(path):
    pool = Pool()
    notices = Notices(pool, lambda: open_store(path), server="web1", every_s=0.05)
    with open_store(path) as store:
        for uid in ("first", "second"):  # the thread ends in between
            notices.begin()
            pool.begin(uid)
            [work] = until(lambda: list_work(store, but="web2"))
            assert (work.uid, work.server, work.name) == (uid, "web1", "Ranking")
            assert (work.n_done, work.n_steps, work.n_waiting) == (1, 4, 1)
            assert work.seconds >= 5
            stop_work(store, uid)
            until(lambda uid=uid: uid in pool.ended)
            until(lambda: not list_work(store))
            until(lambda: notices._thread is None)
    assert pool.ended == ["first", "second"]


def test_short_work_opens_no_store_and_one_that_is_away_harms_nothing(path):
    pool, opened = Pool(), []

    def away():
        opened.append(threading.current_thread())
        return open_store(path.with_name("away.db"))

    notices = Notices(pool, away, every_s=0.02)
    notices.begin()
    until(lambda: notices._thread is None)
    assert opened == []
    pool.begin("long")
    notices.begin()
    until(lambda: opened and not opened[0].is_alive())
    notices.begin()
    until(lambda: len(opened) == 2)
