"""The page that the browser gets first."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.first_page import FirstPage

PAGE = b"<html><head><title>x</title></head></html>"


async def _inner(scope: Any, receive: Any, send: Any) -> None:
    headers = [(b"content-type", b"text/html"), (b"content-length", str(len(PAGE)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": PAGE[:9], "more_body": True})
    await send({"type": "http.response.body", "body": PAGE[9:]})


def ask(path: str, accept: bytes = b"text/html,*/*") -> tuple[int, dict[bytes, bytes], bytes]:
    """Return the status, the headers and the body that come back."""
    scope = {"type": "http", "method": "GET", "path": path, "headers": [(b"accept", accept)]}
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    answering: Any = FirstPage(_inner)(scope, None, send)  # type: ignore[arg-type]
    with pytest.raises(StopIteration):  # nothing in it waits, so that it needs no loop
        answering.send(None)
    body = b"".join(one.get("body", b"") for one in sent[1:])
    return sent[0]["status"], dict(sent[0]["headers"]), body


@pytest.mark.parametrize("path", ["/", "/board", "/leaderboard"])
def test_a_page_is_told_where_its_server_stands(path: str) -> None:
    status, headers, body = ask(path)
    assert status == 200
    assert b'<head><script>window.__streamlit={BACKEND_BASE_URL:location.origin+"/"}' in body
    assert int(headers[b"content-length"]) == len(body)


@pytest.mark.parametrize("path", ["/_stcore/health", "/static/js/a.js", "/api/v1/docs"])
def test_what_is_no_page_stays_as_it_is(path: str) -> None:
    assert ask(path) == (200, ask(path)[1], PAGE)
    assert ask("/board", accept=b"application/json")[2] == PAGE


def test_an_unknown_address_leads_to_our_page_and_cannot_lead_elsewhere() -> None:
    status, headers, _ = ask("/bord")
    assert (status, headers[b"location"]) == (303, b"/?not_found=bord")
    assert ask("//evil/x\r\nz")[1][b"location"].startswith(b"/?not_found=evil")
