"""Answers to requests that may be sent again: one for each key, at all servers of a store.

Whoever asks first does the work; the same again waits for the answer. Where a server ended over
its work, the next one does it: what it brings is the same, so nothing comes in twice.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa

from store.engine import WRITER_WAITS_MS, Store
from store.errors import ConflictError, StoreError, UnreachableError
from store.model_base import utc_now
from store.text_checksum import checksum
from store.token_models import RequestAnswer

DAYS: Final = 7
"""How long an answer is kept."""
LONGEST: Final = 2_000_000
"""Characters of an answer that is kept; the request of a longer one is worked on again."""
LEASE: Final = timedelta(minutes=15)
"""After so long whoever works on another machine is taken to have ended."""
_LOOKS_EVERY_S: Final = 0.2
_ME: Final = secrets.token_hex(8)
_Row = sa.Row[int, str, str | None, str, datetime]


def answered_once(
    store: Store,
    token: str,
    key: str,
    digest: str,
    work: Callable[[], str | None],
    *,
    waits_s: float = 60.0,
) -> str | None:
    """Return the answer that the key has, or do the work and keep what it answers.

    Parameters
    ----------
    store
        Where answers are kept.
    token, key
        Whose key, and which.
    digest
        Of the request: a key is for one.
    work
        Returns the answer, or None where there is none to keep.
    waits_s
        How long to wait for who works on the same.

    Raises
    ------
    ConflictError
        The key was used for another request.
    UnreachableError
        The same is still being worked on.
    """
    if not store.keeps_results:
        return work()
    place = place_of(token, key)
    until = time.monotonic() + waits_s
    while not _take(store, place, digest, key):
        known = _known(store, place)
        if known is not None and known.body is not None and known.digest == digest:
            return str(known.body)
        if time.monotonic() >= until:
            raise UnreachableError(
                "The same request is being worked on. Send it again in a moment."
            )
        time.sleep(_LOOKS_EVERY_S)
    try:
        body = work()
    except BaseException:
        _leave(store, place)
        raise
    if body is None or len(body) > LONGEST:
        _leave(store, place)
    else:
        _keep(store, place, body)
    return body


def place_of(token: str, key: str) -> str:
    """Return where the answer to a key of a token is kept."""
    return hashlib.sha256(f"{token}\0{key}".encode()).hexdigest()


def _take(store: Store, place: str, digest: str, key: str) -> bool:
    """Take the work upon this server, if nobody has done it or is at it; return whether it did."""
    known = _known(store, place)
    if known is not None and known.digest != digest:
        raise ConflictError(
            f"The Idempotency-Key '{key}' was used for another body. Take a new key for each "
            "import."
        )
    if known is not None and (known.body is not None or not _has_ended(known)):
        return False
    try:
        return _write_down(store, place, digest, known)
    except StoreError:
        if _known(store, place) is None:
            raise
        return False  # another server was quicker


def _write_down(store: Store, place: str, digest: str, known: _Row | None) -> bool:
    mine = {"digest": digest, "worker": _worker(), "created_at": utc_now(), "body": None}
    with store.write_cache(waits_ms=WRITER_WAITS_MS) as connection:
        old = RequestAnswer.created_at < utc_now() - timedelta(days=DAYS)
        connection.execute(sa.delete(RequestAnswer).where(old, RequestAnswer.place != place))
        if known is not None:
            here = (RequestAnswer.id == known.id) & (RequestAnswer.worker == known.worker)
            taken = sa.update(RequestAnswer).where(here, RequestAnswer.body.is_(None)).values(mine)
            return connection.execute(taken).rowcount == 1
        if connection.scalar(sa.select(RequestAnswer.id).where(RequestAnswer.place == place)):
            return False
        connection.execute(sa.insert(RequestAnswer), {"place": place, **mine})
        return True


def _known(store: Store, place: str) -> _Row | None:
    query = sa.select(
        *(RequestAnswer.id, RequestAnswer.digest, RequestAnswer.body, RequestAnswer.worker),
        RequestAnswer.created_at,
    )
    with store.read() as connection:
        return connection.execute(query.where(RequestAnswer.place == place)).one_or_none()


def _keep(store: Store, place: str, body: str) -> None:
    here = (RequestAnswer.place == place) & (RequestAnswer.worker == _worker())
    with suppress(StoreError), store.write_cache(waits_ms=WRITER_WAITS_MS) as connection:
        kept = sa.update(RequestAnswer).where(here).values(body=body, checksum=checksum(body))
        connection.execute(kept)


def _leave(store: Store, place: str) -> None:
    here = (RequestAnswer.place == place) & (RequestAnswer.worker == _worker())
    with suppress(StoreError), store.write_cache(waits_ms=WRITER_WAITS_MS) as connection:
        connection.execute(sa.delete(RequestAnswer).where(here))


def _worker() -> str:
    return f"{socket.gethostname()} {os.getpid()} {_ME}"


def _has_ended(known: _Row) -> bool:
    """Return whether who took a request can answer it no more."""
    host, pid, who = known.worker.rsplit(" ", 2)
    if bool(utc_now() - known.created_at > LEASE):
        return True
    if host != socket.gethostname():
        return False
    if int(pid) == os.getpid():
        return bool(who != _ME)  # a process of before had the same number
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
