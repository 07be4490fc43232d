"""What the servers of a store work on, so that an admin sees and stops it from any of them.

A server writes down its work while it lasts, and reads there what is to be stopped. It is no
result, so nothing is recorded. Times are the database's own: clocks of machines differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import sqlalchemy as sa

from store.engine import WRITER_WAITS_MS, Store
from store.models import ServerWork
from store.people import require_role

STALE: Final = timedelta(seconds=30)
"""A server that wrote nothing for so long has ended, or waits for a long import."""


@dataclass(frozen=True, slots=True)
class Work:
    """One study, or files that are read."""

    uid: str
    server: str
    name: str
    seconds: int
    """So far."""
    n_waiting: int
    """Pages and programs that wait for it."""
    n_done: int | None = None
    n_steps: int | None = None
    """Steps that are done, and all; ``None`` before that is known."""
    is_stopped: bool = False


_WRITTEN: Final = ("seconds", "n_waiting", "n_done", "n_steps")
_COLUMNS: Final = ("uid", "server", "name", *_WRITTEN, "is_stopped")


def write_work(store: Store, server: str, works: Iterable[Work]) -> frozenset[str]:
    """Write all that a server works on now; return the uids of what is to be stopped.

    Raises
    ------
    StoreError
        The store cannot be written to at this moment.
    """
    now_at_work = {one.uid: one for one in works}
    own = ServerWork.server == server
    with store.write_cache() as connection:
        now = _now(connection)
        ended = sa.and_(own, ServerWork.uid.not_in(now_at_work))
        stale = ServerWork.seen_at < now - STALE
        connection.execute(sa.delete(ServerWork).where(sa.or_(ended, stale)))
        query = sa.select(ServerWork.uid, ServerWork.is_stopped).where(own)
        known: dict[str, bool] = {uid: asked for uid, asked in connection.execute(query)}
        for uid, one in now_at_work.items():
            row = {name: getattr(one, name) for name in _WRITTEN} | {"seen_at": now}
            if uid in known:
                connection.execute(sa.update(ServerWork).where(ServerWork.uid == uid).values(row))
            else:
                new = {"uid": uid, "server": server, "name": one.name[:100]}
                connection.execute(sa.insert(ServerWork), new | row)
    return frozenset(uid for uid, is_stopped in known.items() if is_stopped)


def list_work(store: Store, *, but: str = "") -> list[Work]:
    """Return what all servers but one work on, what began first before the rest."""
    columns = [getattr(ServerWork, name) for name in _COLUMNS]
    with store.read() as connection:
        is_fresh = ServerWork.seen_at >= _now(connection) - STALE
        query = sa.select(*columns).where(is_fresh, ServerWork.server != but)
        rows = connection.execute(query.order_by(ServerWork.id)).all()
    return [Work(*row) for row in rows]


def stop_work(store: Store, uid: str) -> None:
    """Ask the server that works on something to stop; if it is done, nothing happens.

    Raises
    ------
    ForbiddenError
        Whoever asks is no admin.
    StoreError
        The store cannot be written to.
    """
    require_role("admin", "Stopping another's work")
    with store.write_cache(waits_ms=WRITER_WAITS_MS) as connection:
        asked = sa.update(ServerWork).where(ServerWork.uid == uid).values(is_stopped=True)
        connection.execute(asked)


def _now(connection: sa.Connection) -> datetime:
    """Return the time of the database."""
    now: datetime = connection.execute(sa.select(sa.func.current_timestamp())).scalar_one()
    return now.replace(tzinfo=UTC) if now.tzinfo is None else now.astimezone(UTC)
