"""A store moved to PostgreSQL and back: the same rows, the same ids to come, and no half copies."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from store import copying
from store.backup import check, write_backup
from store.copying import copy_store
from store.engine import open_store
from store.errors import StoreError
from store.ingest import ingest
from store.lifecycle import delete
from store.models import AuditEvent, Run, System
from store.restore import restore_store
from store.results_cache import load_result, save_result
from store.tags import add_note


@pytest.fixture(scope="module")
def example(example_copy):
    """Return the example with what people put in, and what they hid."""
    with open_store(example_copy().path) as store:
        system, other = _names(store)[:2]
        add_note(store, "system", system, "half \ue000 of \ue000\ue000 it\r\n🙂", actor="t")
        delete(store, "system", other, actor="t")
        save_result(store, "k", b"\0\xff", question="q")
        with store.write("t") as change:
            change.session.add(System(name="gone"))
            change.session.flush()
            change.session.execute(sa.delete(System).where(System.name == "gone"))
        yield store


@pytest.fixture
def small(tmp_path, bundle):
    """Return a store of a file with three runs."""
    with open_store(tmp_path / "small.db", create=True) as store:
        ingest(store, bundle({"A": [1.0, 0.0], "B": [0.5, 0.5], "C": [1.0, 1.0]}), actor="t")
        yield store


def _names(store):
    with store.read() as connection:
        return list(connection.scalars(sa.select(System.uid).order_by(System.id)))


def _next_id(store):
    with store.write("t", dry_run=True) as change:
        row = System(name="next")
        change.session.add(row)
        change.session.flush()
        return row.id


def test_there_and_back_is_the_same_store(example, new_empty, tmp_path):
    there = copy_store(example, new_empty())
    with open_store(there.target) as server:
        assert check(server) == []
        assert server.revision() == example.revision()
        assert server.last_change() == example.last_change()
        assert load_result(server, "k") == b"\0\xff"
        back = copy_store(server, str(tmp_path / "back.db"))
        assert _next_id(server) == _next_id(example)
    assert back.digest == there.digest
    assert back.rows == there.rows
    with open_store(tmp_path / "back.db") as store:
        assert check(store) == []
        with store.read() as here, example.read() as origin:
            for table in copying._tables():
                query = sa.select(table).order_by(*table.primary_key.columns)
                assert here.execute(query).all() == origin.execute(query).all(), table.name


def test_a_copy_that_was_stopped_is_no_store_and_goes_on(small, new_empty, monkeypatch):
    target = new_empty()

    def stop(batches=copying._batches):
        def some(rows):
            for number, batch in enumerate(batches(rows)):
                if number and "run_id" in batch[0]:
                    raise KeyboardInterrupt
                yield batch

        return some

    with monkeypatch.context() as patch:
        patch.setattr(copying, "_MOST_ROWS", 1)
        patch.setattr(copying, "_batches", stop())
        with pytest.raises(KeyboardInterrupt):
            copy_store(small, target)
    with pytest.raises(StoreError, match="a copy into this place was stopped"):
        open_store(target)
    done = copy_store(small, target)
    assert done.resumed
    with open_store(target) as store:
        assert check(store) == []


def test_a_copy_never_writes_over_a_store_and_tells_what_did_not_arrive(
    small, new_empty, tmp_path, monkeypatch
):
    path = tmp_path / "copy.db"
    copy_store(small, str(path))
    with pytest.raises(StoreError, match="There is a store at"):
        copy_store(small, str(path))
    target = new_empty()

    def lossy(rows, batches=copying._batches):
        for batch in batches(rows):
            yield [row | {"command": "x"} if "command" in row else row for row in batch]

    monkeypatch.setattr(copying, "_batches", lossy)
    with pytest.raises(StoreError, match=r"what arrived in run is not what was sent"):
        copy_store(small, target)
    with pytest.raises(StoreError, match="was stopped"):
        open_store(target)


def test_a_backup_of_a_server_is_a_file_that_an_empty_database_takes_back(
    small, new_empty, tmp_path
):
    target = new_empty()
    copy_store(small, target)
    with open_store(target) as server:
        written = write_backup(server, tmp_path / "backup.db")
    assert not list(tmp_path.glob("*.partial"))
    with pytest.raises(StoreError, match="There is a store at"):
        restore_store(written, target)
    again = new_empty()
    restore_store(written, again)
    with open_store(again) as server, server.read() as connection:
        assert server.last_change() == small.last_change()
        assert connection.scalar(sa.select(sa.func.count()).select_from(Run)) > 0
        assert connection.scalar(sa.select(sa.func.count()).select_from(AuditEvent)) > 0
