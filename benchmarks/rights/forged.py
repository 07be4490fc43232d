"""Requests that are forged, and what they get."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final
from unittest import mock

import httpx
from starlette.applications import Starlette
from starlette.middleware import Middleware

from benchmarks.rights.house import HEADER, house
from dashboard.api import PREFIX, routes
from dashboard.server import Guard
from store.engine import Store, open_store

UPLOAD: Final = ("PUT", "/_stcore/upload_file/session/file")
BODY: Final = {
    "dataset": "news",
    "records": [{"system": "mine", "item": f"q{i}", "accuracy": i - 1} for i in (1, 2)],
}
COOKIE: Final = "_streamlit_user=2|1:0|10:1|a; tiebreak_back=/"
FOREIGN: Final = {"Origin": "https://evil.example"}
SIGNED_IN: Final = {HEADER: "ann@example.org", "Cookie": COOKIE}


def _bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


FORGED: Final[Mapping[str, Callable[[Mapping[str, str]], dict[str, Any]]]] = {
    "from this machine, without a token": lambda _: {},
    "by an admin's browser, with its cookies": lambda _: {"headers": SIGNED_IN},
    "by a page of another site, with an admin's cookies": lambda _: {
        "headers": SIGNED_IN | FOREIGN
    },
    "by a page of another site, with a good token": lambda t: {
        "headers": _bearer(t["to write"]) | FOREIGN
    },
    "a good token in the address": lambda t: {"params": {"token": t["to write"]}},
    "a good token in a cookie": lambda t: {"headers": {"Cookie": f"token={t['to write']}"}},
    "a guessed token": lambda _: {"headers": _bearer("tb_guessed")},
    "a password": lambda _: {"headers": {"Authorization": "Basic YW5uOmI="}},
    "a token to read": lambda t: {"headers": _bearer(t["to read"])},
    "a token for another dataset": lambda t: {"headers": _bearer(t["another dataset"])},
    "an expired token": lambda t: {"headers": _bearer(t["expired"])},
    "a revoked token": lambda t: {"headers": _bearer(t["revoked"])},
    "a token whose owner has no role any more": lambda t: {"headers": _bearer(t["its owner left"])},
    "a token whose owner may only look": lambda t: {"headers": _bearer(t["its owner looks"])},
    "a good key of another's request, with a token to read": lambda t: {
        "headers": _bearer(t["to read"]) | {"Idempotency-Key": "used"}
    },
    "an own key again, with a revoked token": lambda t: {
        "headers": _bearer(t["revoked"]) | {"Idempotency-Key": "used"}
    },
    "an own key again, with another body": lambda t: {
        "headers": _bearer(t["of an admin"]) | {"Idempotency-Key": "used"},
        "json": BODY | {"run": "other"},
    },
    "as somebody else, in the body": lambda t: {
        "headers": _bearer(t["to write"]),
        "json": BODY | {"actor": "ann@example.org"},
        "params": {"actor": "ann@example.org"},
    },
}
"""Request that must come to nothing -> tokens -> what is sent."""
OWN: Final = {
    ("by an admin's browser, with its cookies", " ".join(UPLOAD)),
    ("an own key again, with another body", "POST /imports/{uid}/undo"),
}
"""What is nothing forged: an admin's own upload; an own import, where keys count for nothing."""


def forged_places() -> list[tuple[str, str]]:
    """Return method and path of every place of the API, each with methods that could write."""
    from dashboard.api.app import make

    paths = [route.path for route in make().routes]  # type: ignore[attr-defined]  # each route of ours has a path
    return [(method, path) for path in paths for method in ("POST", "DELETE")]


def try_forged(folder: Path) -> dict[tuple[str, str], int]:
    """Return (how it was forged, place) -> status; an `AssertionError` where something changed."""
    with (
        house(folder) as (template, secrets),
        open_store(template) as store,
        mock.patch.dict(os.environ, {"TIEBREAK_STORE": str(template)}),
    ):
        return asyncio.run(_forged(store, secrets))


async def _forged(store: Store, tokens: Mapping[str, str]) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    app = Starlette(routes=routes(), middleware=[Middleware(Guard)])
    transport = httpx.ASGITransport(app, client=("127.0.0.1", 9))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        used = _bearer(tokens["of an admin"]) | {"Idempotency-Key": "used"}
        first = await client.post(f"{PREFIX}/ingest", json=BODY, headers=used)
        first.raise_for_status()  # so an honest request goes in
        uid = first.json()["result"]["import"]
        before = store.last_change()
        for how, make in FORGED.items():
            for method, path in [*forged_places(), UPLOAD]:
                place = f"{method} {path}"
                if (how, place) not in OWN:
                    sent: dict[str, Any] = {"json": BODY} | make(tokens)
                    at = path.replace("{uid}", uid).replace("{question:path}", "rename")
                    at = at if (method, path) == UPLOAD else PREFIX + at
                    answer = await client.request(method, at, **sent)
                    found[how, place] = answer.status_code
            if store.last_change() != before:
                raise AssertionError(f"{how}: something was written")
    return found
