"""Sessions of a real server: CPU of warm pages, many sessions at once, browsing beside studies.

    python -m benchmarks.load STORE --sessions 50 --browsing 20 --studies 5

A session is a websocket that speaks Streamlit's protocol and draws nothing. CPU is that of the
server's processes alone, so a loaded machine makes waits longer and hardly changes it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import resource
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Final
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from benchmarks.loaded_server import ROOT, Server, served
from store.backup import write_backup
from store.datasets import list_datasets
from store.engine import open_store
from store.runs import list_runs

_REST_CPU_S: Final = 0.1
"""In two seconds; a server that takes less rests."""
_BY_HAND: Final = "## Before and after"
"""Heading of what stays when the document is made anew."""
_LONGEST_S: Final = 1_200.0
"""Of one page: a crowded machine is slow, and what was measured before is not to be lost."""

Address = tuple[str, str]
"""Place and query."""


@dataclass(frozen=True, slots=True)
class Opened:
    """One page that a session opened."""

    wall_s: float
    n_bytes: int
    """Sent by the server."""
    is_whole: bool
    """Whether the script ran to its end."""


class Session:
    """One tab of a browser."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def open(self, address: Address) -> Opened:
        """Open a page, and return when the server has sent all of it."""
        asked = BackMsg()
        asked.rerun_script.page_name, asked.rerun_script.query_string = address
        begin = time.monotonic()
        await self._socket.send(asked.SerializeToString())
        n_bytes = 0
        while time.monotonic() - begin < _LONGEST_S:
            data = await asyncio.wait_for(self._socket.recv(decode=False), _LONGEST_S)
            assert isinstance(data, bytes)
            n_bytes += len(data)
            message = ForwardMsg.FromString(data)
            if message.WhichOneof("type") == "script_finished":
                ended = message.script_finished
                if ended == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    continue
                is_whole = ended == ForwardMsg.FINISHED_SUCCESSFULLY
                return Opened(time.monotonic() - begin, n_bytes, is_whole)
        raise TimeoutError(f"{address} was not answered")

    async def ping(self) -> float:
        """Return how long the server takes to say that it lives."""
        begin = time.monotonic()
        await (await self._socket.ping())
        return time.monotonic() - begin


async def with_sessions(
    server: Server, n_sessions: int, use: Callable[[list[Session]], Awaitable[None]]
) -> None:
    """Open sessions, use them, and close them."""
    url = f"ws://127.0.0.1:{server.port}/_stcore/stream"
    sockets: list[ClientConnection] = []
    try:
        for _ in range(n_sessions):
            opened = connect(url, subprotocols=["streamlit"], max_size=None, ping_interval=None)  # type: ignore[list-item]  # a name is a subprotocol
            sockets.append(await opened)
        await use([Session(one) for one in sockets])
    finally:
        await asyncio.gather(*(one.close() for one in sockets))


def light_pages(dataset: str) -> list[Address]:
    """Return pages that people click through."""
    of_dataset = {"dataset": dataset}
    asked: list[tuple[str, dict[str, str]]] = [
        ("home", {}),
        ("board", of_dataset),
        ("board", of_dataset | {"tab": "pairs"}),
        ("board", of_dataset | {"tab": "items"}),
        ("board", of_dataset | {"tab": "about"}),
        ("library", {}),
        ("library", {"tab": "datasets"}),
        ("library", {"tab": "runs"}),
        ("plan", {}),
    ]
    return [(place, urlencode(query)) for place, query in asked]


def heavy_pages(n_pages: int) -> list[Address]:
    """Return pages whose study is another one each, so that none is kept."""
    return [("across", urlencode({"seed": 101 + at})) for at in range(n_pages)]


def each_command(store: Path, dataset: str, n_repeats: int) -> list[str]:
    """Return a table of what commands cost from start to end, once their study is kept."""
    lines = ["| command | CPU-s |", "|---|---|"]
    for words in (["ls", "datasets"], ["pairs", dataset], ["leaderboard", dataset], ["rank"]):
        command = [sys.executable, "-m", "tiebreak", "--store", str(store), *words]
        costs = []
        for _ in range(1 + n_repeats):
            before = _of_children()
            subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
            costs.append(_of_children() - before)
        lines.append(f"| `{words[0]}` | {min(costs[1:]):.2f} |")
    return lines


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def at_rest(server: Server, most_s: float = 120.0) -> None:
    """Wait until the server has done what it does by itself after its start: loading loops."""
    end, before = time.monotonic() + most_s, -1.0
    while (now := server.cpu_s(of_studies=True)) - before > _REST_CPU_S and time.monotonic() < end:
        before = now
        await asyncio.sleep(2)


async def each_alone(server: Server, pages: Sequence[Address], n_repeats: int) -> list[str]:
    """Return a table of what each page costs: first, and again."""
    await at_rest(server)
    lines = ["| page | first, CPU-s | warm, CPU-s | sent, kB |", "|---|---|---|---|"]

    async def use(sessions: list[Session]) -> None:
        for page in pages:
            costs = []
            for _ in range(1 + n_repeats):
                before = server.cpu_s()
                opened = await sessions[0].open(page)
                costs.append(server.cpu_s() - before)
                assert opened.is_whole, page
            name, warm = "?".join(filter(None, page)), min(costs[1:])
            n_kb = opened.n_bytes / 1e3
            lines.append(f"| `{name}` | {costs[0]:.2f} | {warm:.2f} | {n_kb:,.0f} |")

    await with_sessions(server, 1, use)
    return lines


async def all_at_once(server: Server, pages: Sequence[Address], n_sessions: int) -> str:
    """Say how long sessions wait that open two warm pages each at the same moment."""
    said = ""

    async def use(sessions: list[Session]) -> None:
        async def open_two(at: int) -> list[Opened]:
            return [await sessions[at].open(pages[(at + k) % len(pages)]) for k in range(2)]

        nonlocal said
        before, begin = server.cpu_s(), time.monotonic()
        found = await asyncio.gather(*map(open_two, range(n_sessions)))
        wall, cpu = time.monotonic() - begin, server.cpu_s() - before
        opened = [page for pair in found for page in pair]
        said = (
            f"{n_sessions} sessions opening two warm pages each at once: {_waits(opened)}, "
            f"{len(opened) / wall:.1f} pages a second, {cpu / len(opened):.3f} CPU-s a page."
        )

    await with_sessions(server, n_sessions, use)
    return said


async def beside_studies(
    server: Server, pages: Sequence[Address], n_browsing: int, n_studies: int, seconds: float
) -> str:
    """Say how long people wait who click through pages while others compute."""
    said = ""

    async def use(sessions: list[Session]) -> None:
        nonlocal said
        heavy = [
            asyncio.create_task(one.open(page))
            for one, page in zip(sessions[n_browsing:-1], heavy_pages(n_studies), strict=True)
        ]
        end, pings = time.monotonic() + seconds, []

        async def browse(at: int) -> list[Opened]:
            found: list[Opened] = []
            while time.monotonic() < end:
                found.append(await sessions[at].open(pages[(at + len(found)) % len(pages)]))
                await asyncio.sleep(1.0)
            return found

        async def ask() -> None:
            while time.monotonic() < end:
                pings.append(await sessions[-1].ping())
                await asyncio.sleep(0.2)

        found, _ = await asyncio.gather(asyncio.gather(*map(browse, range(n_browsing))), ask())
        opened = [page for one in found for page in one]
        n_done = sum(task.done() for task in heavy)
        for task in heavy:
            task.cancel()
        said = (
            f"{n_browsing} sessions browsing beside {n_studies} studies for {seconds:.0f} s: "
            f"{_waits(opened)}, {len(opened)} pages, {n_done} studies done, longest wait for a "
            f"ping {max(pings):.2f} s."
        )

    await with_sessions(server, n_browsing + n_studies + 1, use)
    return said


async def many_pages(server: Server, pages: Sequence[Address], n_pages: int) -> str:
    """Say what memory is held after so many pages of ten sessions that come and go."""

    async def use(sessions: list[Session]) -> None:
        async def browse(at: int) -> None:
            for k in range(5):
                await sessions[at].open(pages[(at + k) % len(pages)])

        await asyncio.gather(*map(browse, range(len(sessions))))

    for _ in range(n_pages // 50):
        await with_sessions(server, 10, use)
    return f"Memory of all processes after {n_pages} more pages: {server.memory_mb():,.0f} MB."


def _waits(opened: Iterable[Opened]) -> str:
    waits = [page.wall_s for page in opened if page.is_whole]
    return f"p50 {median(waits):.2f} s, p95 {quantiles(waits, n=20)[-1]:.2f} s"


def largest_dataset(store: Path) -> str:
    """Return the name of the dataset with most systems among those with items."""
    with open_store(store, read_only=True) as opened:
        with_items = [one for one in list_datasets(opened) if one.n_items]
    return max(with_items, key=lambda one: one.n_systems).name


def held(store: Path) -> str:
    """Say how much a store holds."""
    with open_store(store, read_only=True) as opened:
        return f"{len(list_runs(opened)):,} runs on {len(list_datasets(opened)):,} datasets"


def main(words: Sequence[str] | None = None) -> None:
    """Measure, and print tables for docs/performance.md."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("store", type=Path, help="store to copy and serve")
    parser.add_argument("--sessions", type=int, default=50, help="opening two pages each at once")
    parser.add_argument("--browsing", type=int, default=20)
    parser.add_argument("--studies", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=30.0, help="of browsing beside studies")
    parser.add_argument("--repeats", type=int, default=5, help="of each warm page")
    parser.add_argument("--workers", type=int, default=1, help="servers, behind HAProxy")
    parser.add_argument("--out", type=Path, help="document to write")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "copy.db")  # what is computed is kept in it
        with open_store(given.store, read_only=True) as opened:
            write_backup(opened, store)
        lines = measured(store, given)
    print("\n".join(lines))
    if given.out is not None:
        text = "\n".join(lines) + "\n" + written_by_hand(given.out)
        given.out.write_text(text, encoding="utf-8")


def written_by_hand(document: Path) -> str:
    """Return the end of a document that no measurement writes."""
    if not document.exists():
        return ""
    _, found, end = document.read_text(encoding="utf-8").partition(_BY_HAND)
    return f"\n{found}{end}" if found else ""


def measured(store: Path, given: argparse.Namespace) -> list[str]:
    """Return the document."""
    dataset = largest_dataset(store)
    pages = light_pages(dataset)
    loads = os.getloadavg()[0]

    async def of_server(server: Server) -> list[str]:
        lines = await each_alone(server, pages, given.repeats)
        lines += ["", "## Many at once", ""]
        if given.sessions:
            lines.append(f"* {await all_at_once(server, pages, given.sessions)}")
        if given.browsing:
            several = (given.browsing, given.studies, given.seconds)
            lines.append(f"* {await beside_studies(server, pages, *several)}")
        lines.append(f"* Memory of all processes: {server.memory_mb():,.0f} MB.")
        return [*lines, f"* {await many_pages(server, pages, 500)}"]

    of_commands = each_command(store, dataset, given.repeats)
    with served(store, given.workers) as server:
        of_pages = asyncio.run(of_server(server))
    return [
        *("# How quick it is", ""),
        *wrapped(
            f"On {time.strftime('%Y-%m-%d')}, Python {platform.python_version()}, "
            f"{os.cpu_count()} processors ({platform.machine()}). When it began, {loads:.1f} "
            "processes were at work: above the number of processors, waits are too long, and CPU "
            "seconds up to twice what a quiet machine takes. "
            f"The store has {held(store)}. `make load STORE=…` makes this page anew, of a copy."
        ),
        *("", "## Commands", ""),
        *wrapped(
            "CPU seconds of the whole process, the least of several, when an earlier one has kept "
            "what it computed."
        ),
        *("", *of_commands, "", "## Pages", ""),
        *wrapped(
            "CPU seconds of the server, the least of several where a page is warm, and what it "
            "sends. A page that was opened before is warm. A study's own process is not counted. "
            f"Servers: {given.workers}."
        ),
        *("", *of_pages),
    ]


def wrapped(text: str) -> list[str]:
    """Return a paragraph in the lines of a document."""
    return textwrap.wrap(text, 120)


if __name__ == "__main__":
    main()
