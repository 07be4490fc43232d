"""The page that the browser gets first: it knows its server, and there is one "not found".

Streamlit's front end tries below the address of a page where its server stands, which fails in the
console, and opens a window of its own over a page that there is not.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final
from urllib.parse import quote

from streamlit import config

from dashboard.places import BY_NAME, MOVED

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[Message, Callable[[], Awaitable[Message]], Send], Awaitable[None]]

NOT_FOUND: Final = "not_found"
"""The parameter of the first page that names what there is not."""
_NO_PAGES: Final = frozenset(
    ("_stcore", "api", "app", "auth", "component", "media", "oauth2callback", "static")
)
"""First parts of paths at which the server has something else than pages."""


class FirstPage:
    """ASGI middleware: completes the HTML of pages, and sends unknown addresses to ours."""

    def __init__(self, app: Asgi) -> None:
        self._app = app

    async def __call__(
        self, scope: Message, receive: Callable[[], Awaitable[Message]], send: Send
    ) -> None:
        """Answer, or hand on to Streamlit."""
        if not _asks_for_a_page(scope):
            await self._app(scope, receive, send)
            return
        base = _base()
        name = scope["path"].removeprefix(base).strip("/")
        if name.split("/")[0] in _NO_PAGES or "." in name:
            await self._app(scope, receive, send)
        elif name in BY_NAME or name in MOVED or not name:
            headers = [one for one in scope["headers"] if one[0].lower() != b"accept-encoding"]
            await self._app({**scope, "headers": headers}, receive, _told(base, send))
        else:
            to = f"{base}/?{NOT_FOUND}={quote(name, safe='')}"
            headers = [(b"location", to.encode()), (b"content-length", b"0")]
            await send({"type": "http.response.start", "status": 303, "headers": headers})
            await send({"type": "http.response.body", "body": b""})


def _base() -> str:
    base = str(config.get_option("server.baseUrlPath")).strip("/")
    return f"/{base}" if base else ""


def _asks_for_a_page(scope: Message) -> bool:
    return (
        scope["type"] == "http"
        and scope["method"] == "GET"
        and any(
            name.lower() == b"accept" and b"text/html" in value for name, value in scope["headers"]
        )
    )


def _told(base: str, send: Send) -> Send:
    """Return what sends a page on with the word where its server stands."""
    started: list[Message] = []
    body = bytearray()
    where = f"window.__streamlit={{BACKEND_BASE_URL:location.origin+{json.dumps(base or '/')}}}"

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            started.append(message)
            return
        body.extend(message.get("body", b""))
        if message.get("more_body"):
            return
        start = started.pop()
        page = bytes(body).replace(b"<head>", f"<head><script>{where}</script>".encode(), 1)
        kept = [one for one in start["headers"] if one[0].lower() != b"content-length"]
        length = (b"content-length", str(len(page)).encode())
        await send({**start, "headers": [*kept, length]})
        await send({"type": "http.response.body", "body": page})

    return sent
