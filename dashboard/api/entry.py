"""Who comes in over HTTP: by token, or from this machine to read; how often, and as whom.

A cookie opens nothing here, so that no page of another site can ask in a person's name.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard import data, sign_in
from dashboard.api.problems import of_store, problem
from store.errors import StoreError
from store.people import Person, acting_as
from store.tokens import person_of

AT_ONCE: Final = 240
"""Requests that one token, or one address without any, can make at once."""
A_SECOND: Final = 4.0
"""And how many more a second."""
MOST_BYTES: Final = 101_000_000
"""Of a request: files of `dashboard.uploads.MOST_MB`, and what stands around them."""
OPEN: Final = ("/health", "/docs", "/openapi.json")
"""What is told to everybody: it holds nothing of the store."""
READS: Final = ("GET", "HEAD")

STRANGER: Final = Person("a stranger", "viewer", "api")
NEEDS_TOKEN: Final = (
    "This takes a token: send the header `Authorization: Bearer tb_…`. `tiebreak tokens add NAME` "
    "makes one."
)
NO_TOKEN: Final = "This token opens nothing: it is unknown, expired or revoked."


class Entry:
    """ASGI middleware: lets in who may, and has all be done in their name."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._budget = Budget()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, or say why not."""
        if scope["type"] != "http":
            return
        request = Request(scope)
        found = await run_in_threadpool(self._person, request)
        if isinstance(found, Response):
            await found(scope, receive, send)
            return
        with acting_as(found or STRANGER):
            await self._app(scope, _up_to(MOST_BYTES, receive), send)

    def _person(self, request: Request) -> Person | Response | None:
        given = request.headers.get("authorization", "")
        scheme, _, secret = given.partition(" ")
        person = None
        if given:
            if scheme.lower() != "bearer":
                return _refused(NEEDS_TOKEN)
            try:
                known = person_of(data.current_store(), secret.strip())
                person = None if known is None else sign_in.capped(known)
            except StoreError as error:
                return of_store(request, error)
        address = request.client.host if request.client else ""
        wait = self._budget.wait_s(person.token if person else f"from {address}")
        if wait > 0:
            told = f"Too many requests: come again in {wait:.0f} s."
            return problem(429, told, headers={"Retry-After": f"{wait:.0f}"})
        if given and person is None:
            damaged = [str(one) for one in data.damage_seen() if one.about == "token"]
            return _refused(" ".join([NO_TOKEN, *damaged]))
        if person is None and not sign_in.is_on() and is_here(request) and request.method in READS:
            person = Person("this machine", "viewer", "api")
        if person is None and not request.url.path.endswith(OPEN):
            return _refused(NEEDS_TOKEN)
        return person


def _up_to(most: int, receive: Receive) -> Receive:
    left = most

    async def received() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise HTTPException(
                413, f"A request holds up to {most // 1_000_000:,} MB. Send less at once."
            )
        return message

    return received


class Budget:
    """How many requests each who comes may still make."""

    def __init__(self) -> None:
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait_s(self, who: str, now: float | None = None) -> float:
        """Count a request; return 0, or after how many seconds to come again."""
        now = time.monotonic() if now is None else now
        with self._lock:
            left, since = self._left.pop(who, (float(AT_ONCE), now))
            left = min(AT_ONCE, left + (now - since) * A_SECOND)
            self._left[who] = (max(left - 1, 0.0), now) if left >= 1 else (left, now)
            while len(self._left) > 10_000:
                self._left.popitem(last=False)
        return 0.0 if left >= 1 else max(1.0, (1 - left) / A_SECOND)


def is_here(request: Request) -> bool:
    """Return whether a program on this machine asks, by a name of this machine, itself."""
    told = request.headers
    if "forwarded" in told or any(name.startswith("x-forwarded") for name in told):
        return False
    name = (request.url.hostname or "").lower()
    address = request.client.host if request.client else ""
    return sign_in.is_loopback(address) and sign_in.is_loopback(name)


def _refused(told: str) -> Response:
    return problem(401, told, headers={"WWW-Authenticate": 'Bearer realm="tiebreak"'})
