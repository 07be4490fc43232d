"""The questions and imports of a store over HTTP, in the server of the pages, below ``/api/v1``.

The server listens before it is loaded: who comes first waits, and is told so by ``/health``.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from dashboard.warm_up import warm_up

PREFIX: Final = "/api/v1"


def routes() -> list[BaseRoute]:
    """Return what the server answers beside the pages."""
    return [Mount(PREFIX, app=_answer)]


async def _answer(scope: Scope, receive: Receive, send: Send) -> None:
    if not warm_up.has_frame and scope["path"].endswith("/health"):
        starting = JSONResponse({"live": True, "ready": False}, 503, {"Retry-After": "1"})
        await starting(scope, receive, send)
        return
    api = await run_in_threadpool(_loaded)
    await api(scope, receive, send)


@cache
def _loaded() -> ASGIApp:
    warm_up.wait_for_frame()
    from dashboard.api.app import make

    return make()
