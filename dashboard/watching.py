"""Counts what a server answers and how fast, for Prometheus and for its log."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from dashboard import logs

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[Message, Receive, Send], Awaitable[None]]

METRICS: Final = "/metrics"
API: Final = "/api/v1"
STEPS_S: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Up to so many seconds an answer counts as one of each step that is not shorter."""
_KINDS: Final = ("/_stcore/upload_file", "/_stcore", "/media", "/static", "/component")


class Counts:
    """What was answered since the server began."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.answers: Counter[tuple[str, int]] = Counter()
        """By kind of request and status."""
        self.within: Counter[tuple[str, float]] = Counter()
        """By kind and step."""
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.n_streams = 0
        """Pages that are open now."""
        self.began = time.time()

    def answered(self, kind: str, status: int, seconds: float) -> None:
        """Count an answer."""
        with self._lock:
            self.answers[kind, status] += 1
            self.seconds[kind] += seconds
            for step in STEPS_S:
                self.within[kind, step] += seconds <= step

    def opened(self, by: int) -> None:
        """Count a page that is opened, or closed: -1."""
        with self._lock:
            self.n_streams += by


counts: Final = Counts()
"""Of this server."""


class Watch:
    """ASGI middleware: counts, and writes a line for each answer where JSON is wanted."""

    def __init__(self, app: Asgi) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Hand on."""
        if scope["type"] == "websocket":
            counts.opened(+1)
            try:
                await self._app(scope, receive, send)
            finally:
                counts.opened(-1)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _request(self, scope: Message, receive: Receive, send: Send) -> None:
        began, status = time.monotonic(), 500
        kind, shown = _kind(scope["path"])

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        if scope["path"] == METRICS:  # where Prometheus looks unless it is told otherwise
            path = f"{API}{METRICS}"
            scope = {**scope, "path": path, "raw_path": path.encode()}
        try:
            await self._app(scope, receive, sent)
        finally:
            seconds = time.monotonic() - began
            counts.answered(kind, status, seconds)
            if logs.is_json():
                facts = {
                    "method": scope["method"],
                    "path": shown,
                    "status": status,
                    "seconds": round(seconds, 4),
                }
                logs.REQUESTS.info("request", extra={"facts": facts})


def _kind(path: str) -> tuple[str, str]:
    """Return the kind of a request, and its path without what only one session may know."""
    if path == METRICS or path.startswith(f"{API}/"):
        return "api", path[:200]
    for start in _KINDS:
        if path == start or path.startswith(f"{start}/"):
            return "upload" if start.endswith("upload_file") else "file", start
    return "page", path[:200]
