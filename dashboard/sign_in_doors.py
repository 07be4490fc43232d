"""What strangers are answered, before Streamlit sees them: where to sign in, or why not."""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from dashboard import oidc, oidc_settings, sign_in
from store.people import Person

Scope = MutableMapping[str, Any]

_BACK: Final = "tiebreak_back"
"""Cookie: the address that somebody asked for before signing in."""
_MOST_SIGNING_IN_S: Final = 600


def door(scope: Scope) -> Response | None:
    """Return what stands in the way of a request; None: it may go on."""
    path = scope["path"]
    if not sign_in.is_on() or path == "/_stcore/health" or path.startswith("/api/v1/"):
        return None  # a look from afar; tokens
    asked = HTTPConnection(scope)
    if oidc_settings.is_on() and path in oidc.OPEN:
        return _signing_in(asked)
    found = _who(asked)
    if isinstance(found, sign_in.Refusal):
        return _closed(asked, found)
    back = asked.cookies.get(_BACK)
    if path != "/" or back is None:
        return None
    response = RedirectResponse(_own(back), 302)
    response.delete_cookie(_BACK)
    return response


def refused_why(scope: Scope) -> str:
    """Return why nobody may listen to the stream behind a page; empty where somebody may."""
    found = _who(HTTPConnection(scope)) if sign_in.is_on() else None
    return found.told if isinstance(found, sign_in.Refusal) else ""


def _who(asked: HTTPConnection) -> Person | sign_in.Refusal:
    return sign_in.who(asked.client.host if asked.client else "", asked.headers.items())


def _signing_in(asked: HTTPConnection) -> Response | None:
    path = asked.url.path
    if path == oidc.SIGN_OUT:
        oidc.end(asked.headers.get("cookie", ""))
    if path != oidc.SIGN_IN:
        return None  # Streamlit's own
    by = asked.query_params.get("by", "")
    if by not in _providers():
        return PlainTextResponse("There is no such provider", 404)
    response = RedirectResponse(oidc.login_address(by), 302)
    response.set_cookie(
        _BACK,
        _own(asked.query_params.get("to", "/")),
        max_age=_MOST_SIGNING_IN_S,
        httponly=True,
        samesite="lax",
    )
    return response


def _closed(asked: HTTPConnection, found: sign_in.Refusal) -> Response:
    is_page = "text/html" in asked.headers.get("accept", "")
    if not (oidc_settings.is_on() and is_page and asked.scope["method"] == "GET"):
        return PlainTextResponse(found.told, found.status)
    query = asked.url.query
    back = asked.url.path + (f"?{query}" if query else "")
    page = oidc.closed_page(found.told, back, _providers() if found.status == 401 else ())
    return HTMLResponse(page, found.status, {"cache-control": "no-store"})


def _own(address: str) -> str:
    """Return an address of this server: where it is another's, the start."""
    is_own = address.startswith("/") and not address.startswith(("//", "/\\"))
    return quote(address, safe="/?&=%+,:@~.-_") if is_own else "/"


def _providers() -> tuple[str, ...]:
    return oidc_settings.read_providers(Path(os.environ[oidc_settings.SECRETS]))
