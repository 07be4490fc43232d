"""What servers of one store work on: seen by the others, stopped by an admin, never left behind."""

from dataclasses import replace
from datetime import timedelta

import pytest
import sqlalchemy as sa

from store import server_work
from store.copying import copy_store
from store.engine import open_store
from store.errors import ForbiddenError, StoreError
from store.models import ServerWork
from store.people import Person, acting_as
from store.server_work import Work, list_work, stop_work, write_work

ONE = Work("a", "web1, process 7", "Ranking", 3, 1)
OTHER = Work("b", "web2, process 7", "Pairs", 60, 2, 5, 10)


def test_others_see_what_a_server_works_on_until_it_is_done(store):
    assert write_work(store, ONE.server, [ONE]) == frozenset()
    assert write_work(store, OTHER.server, [OTHER]) == frozenset()
    assert list_work(store) == [ONE, OTHER]
    assert list_work(store, but=ONE.server) == [OTHER]
    later = replace(OTHER, seconds=62, n_done=6)
    write_work(store, OTHER.server, [later, replace(OTHER, uid="c")])
    assert list_work(store, but=ONE.server) == [later, replace(OTHER, uid="c")]
    write_work(store, OTHER.server, [])
    assert list_work(store) == [ONE]
    assert store.last_change() == 0


def test_stop_reaches_the_server_that_works_and_is_shown(store):
    write_work(store, ONE.server, [ONE])
    write_work(store, OTHER.server, [OTHER])
    stop_work(store, "b")
    stop_work(store, "ended long ago")
    assert list_work(store) == [ONE, replace(OTHER, is_stopped=True)]
    assert write_work(store, ONE.server, [ONE]) == frozenset()
    assert write_work(store, OTHER.server, [OTHER]) == {"b"}
    assert write_work(store, OTHER.server, []) == frozenset()
    with acting_as(Person("eye", "contributor", "page")), pytest.raises(ForbiddenError):
        stop_work(store, "a")


def test_work_of_a_server_that_ended_vanishes(store, monkeypatch):
    write_work(store, ONE.server, [ONE])
    monkeypatch.setattr(server_work, "STALE", timedelta(seconds=-5))
    assert list_work(store) == []
    write_work(store, OTHER.server, [])
    with store.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(ServerWork)) == 0


def test_a_store_that_nobody_may_write_to_keeps_nothing_and_copies_take_none_along(store, tmp_path):
    write_work(store, ONE.server, [ONE])
    copied = copy_store(store, str(tmp_path / "copy.db"))
    assert "server_work" not in copied.rows
    with open_store(tmp_path / "copy.db", read_only=True) as copy:
        assert list_work(copy) == []
        with pytest.raises(StoreError):
            write_work(copy, ONE.server, [ONE])
