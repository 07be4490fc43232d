"""What a person waits for, each beside its aim: commands, first pages, large boards, imports.

    python -m benchmarks.waits [PART …]

Seconds are of the processor, the least of several where something is asked again, but for what is
said to be on the clock: a study is worked on in a process of its own, which is gone when its page
is there. An aim belongs to a quiet machine.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlencode

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from benchmarks import ranking
from benchmarks.load import Session, at_rest, with_sessions
from benchmarks.loaded_server import Server, served
from benchmarks.serving import running_chromium, settle
from benchmarks.sizes import File, Shape, run_command, write_table

_BOARD: Final = {"dataset": "set000000"}
_REPEATS: Final = 3
_IS_COMPLETE: Final = """(name) => {
  const app = document.querySelector("[data-testid=stApp]");
  const here = document.querySelector("[aria-label=Places] [aria-current=page]");
  const stale = document.querySelector("[data-stale=true]");
  return app?.dataset.testScriptState === "notRunning" && here?.innerText === name && !stale;
}"""
"""In the browser: whether all of the page of a place is drawn."""


class Row(NamedTuple):
    """One thing that is waited for."""

    what: str
    took: float
    aim: float
    unit: str = "CPU-s"


def of_commands(folder: Path) -> Iterator[Row]:
    """Commands on the example, once an earlier one has kept what it computed, and the first."""
    store = _example(folder)
    asked = {
        "ls": (["ls", "systems"], 0.35),
        "pairs": (["pairs", "encodings"], 0.7),
        "rank": (["rank"], 1.0),
        "claims audit": (["claims", "audit"], 1.2),
    }
    for name, (words, aim) in asked.items():
        first = run_command(store, words).seconds
        again = min(run_command(store, words).seconds for _ in range(_REPEATS))
        yield Row(f"`{name}` on the example", again, aim)
        if name != "ls":
            yield Row(f"`{name}` on the example, the first", first, aim)


def of_start(folder: Path) -> Iterator[Row]:
    """The first page after `serve`, from its start on."""
    store = _example(folder)
    waits, costs = [], []
    for _ in range(_REPEATS):
        begin = time.monotonic()
        with served(store.path) as server:
            asyncio.run(_open_once(server, "home", {}))
            waits.append(time.monotonic() - begin)
            costs.append(server.cpu_s(of_studies=True))
    yield Row("first page after `serve`, on the clock", min(waits), 2.0, "s")
    yield Row("the same, all that the server did until then", min(costs), 5.3)


def of_clicks(folder: Path) -> Iterator[Row]:
    """A click on each place of the sidebar, twice around, until its page stands still."""
    store = _example(folder)
    with served(store.path) as server:
        asyncio.run(at_rest(server))
        waits = _click_around(server)
    few, most = np.quantile(waits, [0.5, 0.95])
    yield Row(f"a click in the sidebar, {len(waits)} of them, half within", float(few), 1.5, "s")
    yield Row("the same, 95 % within", float(most), 1.5, "s")


def _click_around(server: Server) -> list[float]:
    """Return how long each click took, on the clock."""
    waits: list[float] = []
    with running_chromium() as browser:
        page = browser.new_page(viewport={"width": 1440, "height": 1000})
        page.goto(f"http://127.0.0.1:{server.port}/home")
        settle(page)
        places = page.get_by_label("Places").get_by_role("link")
        names = places.all_inner_texts()
        for name in names * 2:
            begin = time.monotonic()
            places.filter(has_text=re.compile(f"^{re.escape(name)}$")).click()
            page.wait_for_function(_IS_COMPLETE, arg=name, timeout=60_000)
            waits.append(time.monotonic() - begin)
    return waits


def of_all_pairs(folder: Path) -> Iterator[Row]:
    """The page of all pairs of large boards."""
    for n_systems, aim in ((130, 0.1), (400, 0.2), (1_000, 1.0)):
        store = _stored(folder, Shape(n_systems, 1, 1, ""), n_systems * 500)
        query = _BOARD | {"tab": "pairs"}
        with served(store.path) as server:
            first_s, costs, sent = asyncio.run(_open_often(server, "board", query))
        what = f"*Pairs*, {n_systems:,} systems × 500"
        yield Row(f"{what}, the first, on the clock", first_s, 10.0, "s")
        yield Row(f"{what}, again", min(costs), aim)
        yield Row(f"{what}, sent", max(sent) / 1e6, 1.0, "MB")


def of_ranking(folder: Path) -> Iterator[Row]:
    """The ranking of 200 systems on 25 datasets of 2,000 items."""
    store = _stored(folder, Shape(200, 25, 1, ""), 200 * 25 * 2_000)
    what = "*Ranking*, 200 systems × 25 datasets × 2,000"
    query = {"tab": "ranking", "independent": "1"}
    with served(store.path) as server:
        first_s, costs, sent = asyncio.run(_open_often(server, "across", query))
        yield Row(f"{what}, the first, on the clock", first_s, 4.0, "s")
        yield Row(f"{what}, again", min(costs), 0.2)
        yield Row(f"{what}, sent", max(sent) / 1e6, 0.8, "MB")
    with served(store.path) as server:
        at_once = asyncio.run(_open_at_once(server, "across", query, 3))
        yield Row(f"{what}, three at once, on the clock", at_once, 15.0, "s")
        yield Row("the same, memory of all processes afterwards", server.memory_mb(), 2_000.0, "MB")


def of_ranks(folder: Path) -> Iterator[Row]:
    """Tests over datasets."""
    del folder
    rng = np.random.default_rng(0)
    scores = rng.normal(0.7, 0.1, (ranking.SYSTEMS, ranking.DATASETS))
    took = ranking.seconds(lambda: ranking.ours(scores))
    what = f"{ranking.SYSTEMS} systems × {ranking.DATASETS} datasets"
    yield Row(f"Friedman, Nemenyi and Wilcoxon–Holm, {what}", took, 0.04)


def of_imports(folder: Path) -> Iterator[Row]:
    """A long table of 2.4 million scores, and figures that others report."""
    # In a process of its own: a command would inherit the peak memory of this one.
    with ProcessPoolExecutor(1, get_context("spawn")) as elsewhere:
        elsewhere.submit(_write_long_tables, folder).result()
    took = {}
    for name in ("long.csv", "long.parquet"):
        costs = [
            run_command(File(folder / f"{name}{k}.db"), ["ingest", str(folder / name), "--yes"])
            for k in range(_REPEATS)
        ]
        took[name] = min(cost.seconds for cost in costs)
        peak = min(cost.peak_mb for cost in costs)
        yield Row(f"`ingest` of 2.4 million rows, {name}", took[name], 2.4)
        yield Row(f"the same, {name}", peak, 500.0, "MB")
    yield Row("Parquet of CSV's time", took["long.parquet"] / took["long.csv"], 0.5, "×")
    n_figures = 50_000
    with (folder / "reported.csv").open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["system", "dataset", "metric", "score", "source"])
        lines.writerows(
            (f"system {k // 50}", f"set {k % 50}", "accuracy", f"{k % 997 / 1000:.3f}", "board")
            for k in range(n_figures)
        )
    words = ["ingest", str(folder / "reported.csv"), "--yes"]
    cost = min(run_command(File(folder / f"r{k}.db"), words).seconds for k in range(_REPEATS))
    yield Row(f"`ingest` of {n_figures:,} reported figures", cost, 1.0)


def _write_long_tables(folder: Path) -> None:
    table = folder / "long.parquet"
    write_table(table, Shape(60, 20, 1, ""), 2_400_000, range(60))
    columns = parquet.read_table(table)
    plain = {name: pa.compute.cast(columns[name], pa.string()) for name in columns.column_names[:4]}
    arrow_csv.write_csv(pa.table(plain | {"accuracy": columns["accuracy"]}), folder / "long.csv")


PARTS: Final[Mapping[str, Callable[[Path], Iterator[Row]]]] = {
    "imports": of_imports,  # first: a command inherits the peak memory of this process
    "commands": of_commands,
    "start": of_start,
    "clicks": of_clicks,
    "pairs": of_all_pairs,
    "ranking": of_ranking,
    "ranks": of_ranks,
}


def _example(folder: Path) -> File:
    """Return the example, new the first time."""
    store = File(folder / "example.db")
    if not store.path.exists():
        run_command(store, ["demo"])
    return store


def _stored(folder: Path, shape: Shape, n_scores: int) -> File:
    """Return a new store of a shape."""
    table = folder / "scores.parquet"
    store = File(folder / f"{shape.n_systems}-{shape.n_datasets}.db")
    write_table(table, shape, n_scores, range(shape.n_systems))
    run_command(store, ["ingest", str(table), "--yes"])
    return store


async def _open_once(server: Server, place: str, query: Mapping[str, str]) -> None:
    async def use(sessions: list[Session]) -> None:
        assert (await sessions[0].open((place, urlencode(query)))).is_whole

    await with_sessions(server, 1, use)


async def _open_often(
    server: Server, place: str, query: Mapping[str, str]
) -> tuple[float, list[float], list[int]]:
    """Return how long a page takes first, its CPU seconds again, and the bytes of each time."""
    walls, costs, sent = [], [], []
    await at_rest(server)

    async def use(sessions: list[Session]) -> None:
        for _ in range(1 + _REPEATS):
            before = server.cpu_s()
            opened = await sessions[0].open((place, urlencode(query)))
            costs.append(server.cpu_s() - before)
            walls.append(opened.wall_s)
            sent.append(opened.n_bytes)
            assert opened.is_whole, place

    await with_sessions(server, 1, use)
    return walls[0], costs[1:], sent


async def _open_at_once(
    server: Server, place: str, query: Mapping[str, str], n_sessions: int
) -> float:
    """Return how long several people wait who ask another study each at the same moment."""
    await at_rest(server)
    begin = time.monotonic()

    async def use(sessions: list[Session]) -> None:
        asked = [
            one.open((place, urlencode(dict(query) | {"seed": str(101 + at)})))
            for at, one in enumerate(sessions)
        ]
        assert all(opened.is_whole for opened in await asyncio.gather(*asked))

    await with_sessions(server, n_sessions, use)
    return time.monotonic() - begin


def main(words: Sequence[str] | None = None) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="by default all")
    chosen = parser.parse_args(words).parts or list(PARTS)
    print(f"{os.getloadavg()[0]:.1f} processes were at work when it began.", file=sys.stderr)
    print("| what | took | aim |", "|---|---|---|", sep="\n")
    with tempfile.TemporaryDirectory() as folder:
        for part in chosen:
            for row in PARTS[part](Path(folder)):
                missed = "" if row.took <= row.aim else " (missed)"
                print(
                    f"| {row.what} | {row.took:.3g} {row.unit}{missed} | {row.aim:g} |", flush=True
                )


if __name__ == "__main__":
    main()
