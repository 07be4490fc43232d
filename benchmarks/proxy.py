"""A proxy that says who is signed in, as one before a server does: a header in each request."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

_HEAD_END = b"\r\n\r\n"
_KEEPS_OPEN = re.compile(rb"\r\nconnection:[^\r]*", re.IGNORECASE)
_IS_SOCKET = re.compile(rb"\r\nupgrade: *websocket", re.IGNORECASE)


@contextmanager
def signed_in(address: str, header: str, name: str) -> Iterator[str]:
    """Yield the address of a proxy on the loopback before the server at `address`."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    proxy = _Proxy(address, f"{header}: {name}".encode())
    port = asyncio.run_coroutine_threadsafe(proxy.start(), loop).result()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        asyncio.run_coroutine_threadsafe(_end_all(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _end_all() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


class _Proxy:
    def __init__(self, address: str, line: bytes) -> None:
        self._server = urlsplit(address)
        self._line = line

    async def start(self) -> int:
        """Listen on a free port, and return it."""
        listener = await asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        port: int = listener.sockets[0].getsockname()[1]
        return port

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass one request on, and all that follows on its connection as it is."""
        with suppress(OSError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(_HEAD_END)).removesuffix(_HEAD_END)
            if _IS_SOCKET.search(head) is None:  # another request is another connection
                head = _KEEPS_OPEN.sub(b"", head) + b"\r\nConnection: close"
            host, port = self._server.hostname, self._server.port
            theirs, there = await asyncio.open_connection(host, port)
            there.write(head + b"\r\n" + self._line + _HEAD_END)
            await asyncio.gather(_copy(reader, there), _copy(theirs, writer))


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await source.read(1 << 16):
            target.write(data)
            await target.drain()
    target.close()
