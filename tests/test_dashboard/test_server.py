"""What stands between a browser and the pages."""

import ast
from pathlib import Path

import pytest

from dashboard.server import Guard


async def _inner(scope, receive, send):
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    headers = [(b"X-Frame-Options", b"ALLOWALL"), (b"content-type", b"text/plain")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"ok"})


def ask(kind="http", method="GET", path="/", origin=None):
    """Return what the guard sends back."""
    headers = [(b"host", b"localhost:8501")]
    if origin is not None:
        headers.append((b"origin", origin.encode()))
    scope = {"type": kind, "method": method, "path": path, "headers": headers}
    sent = []

    async def receive():
        return {"type": f"{kind}.connect"}

    async def send(message):
        sent.append(message)

    answering = Guard(_inner)(scope, receive, send)
    with pytest.raises(StopIteration):  # nothing in it waits, so that it needs no loop
        answering.send(None)
    return sent


@pytest.mark.parametrize(
    ("path", "status"), [("/", 200), ("/_stcore/metrics", 404), ("/base/_stcore/metrics/", 404)]
)
def test_every_answer_has_the_headers_once(path, status):
    start = ask(path=path)[0]
    names = [name.lower() for name, _ in start["headers"]]
    assert start["status"] == status
    assert len(names) == len(set(names))
    found = dict(zip(names, (value for _, value in start["headers"]), strict=True))
    assert b"frame-ancestors 'none'" in found[b"content-security-policy"]
    assert found[b"x-frame-options"] == b"DENY"
    assert found[b"x-content-type-options"] == b"nosniff"


@pytest.mark.parametrize(
    ("origin", "is_let_in"),
    [
        ("http://localhost:8501", True),
        (None, True),
        ("http://localhost:9999", False),
        ("http://evil.example", False),
        ("http://localhost:8501.evil.example", False),
        ("null", False),
    ],
)
def test_only_the_pages_own_origin_may_send(origin, is_let_in):
    for method in ("PUT", "POST", "DELETE"):
        answer = ask(method=method, path="/_stcore/upload_file/a/b", origin=origin)
        assert answer[0]["status"] == (200 if is_let_in else 403)
    (stream,) = ask("websocket", path="/_stcore/stream", origin=origin)
    assert stream["type"] == ("websocket.accept" if is_let_in else "websocket.close")


def test_what_streamlit_runs_is_guarded():
    entry = ast.parse((Path(__file__).parents[2] / "streamlit_app.py").read_text())
    assert "Middleware(Guard)" in ast.unparse(entry)
