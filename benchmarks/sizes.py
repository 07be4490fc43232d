"""How time, memory and files grow with a store: four shapes, each at several sizes.

    python -m benchmarks.sizes --scores 100000 1000000 10000000 --out docs/sizes.md
    python -m benchmarks.sizes --scores 100000000 --shapes boards --together

A store is made as a user makes one: long Parquet tables go in with a plain `tiebreak ingest` each.
Commands and pages are then asked of it, cold and again, and the exponent says how each grows:
1 is in step with the scores, 0 is not at all. With `--together` the store is on PostgreSQL, two
workers of Dask compute, and seconds are those on the clock, since the work is elsewhere.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from math import log
from multiprocessing import get_context
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from benchmarks import postgresql
from benchmarks.cluster import clustered
from benchmarks.load import (
    ROOT,
    Address,
    Server,
    Session,
    at_rest,
    served,
    with_sessions,
    wrapped,
)

_CHUNK: Final = 1_000_000
"""Rows written at a time."""
_TABLE: Final = 20_000_000
"""Rows of a table: ingest takes no file that is larger than 2 GB, unpacked."""
_COLUMNS: Final = ("system", "dataset", "trial", "item")


@dataclass(frozen=True, slots=True)
class Shape:
    """Numbers of systems, datasets and trials; items follow from the number of scores."""

    n_systems: int
    n_datasets: int
    n_trials: int
    words: str
    grows_by_trials: bool = False
    """Whether more scores are more trials of 100 items, not more items."""

    def counts(self, n_scores: int) -> tuple[int, int, int, int]:
        """Return systems, datasets, trials and items of a store with about `n_scores` scores."""
        n_runs = self.n_systems * self.n_datasets
        if self.grows_by_trials:
            return self.n_systems, self.n_datasets, max(1, n_scores // (n_runs * 100)), 100
        n_items = max(2, n_scores // (n_runs * self.n_trials))
        return self.n_systems, self.n_datasets, self.n_trials, n_items


SHAPES: Final[Mapping[str, Shape]] = {
    "boards": Shape(300, 60, 1, "300 systems on 60 datasets"),
    "board": Shape(1_000, 1, 1, "1,000 systems on one dataset"),
    "long": Shape(10, 1, 1, "10 systems on one dataset with many items"),
    "nightly": Shape(10, 10, 1, "10 systems on 10 datasets, 100 items, night after night", True),
}


@dataclass(slots=True)
class Cost:
    """What one step took."""

    seconds: float
    """Of the processor, or on the clock where others compute."""
    peak_mb: float = 0.0


@dataclass(slots=True)
class Measured:
    """What one store took."""

    n_scores: int
    n_bytes: int = 0
    costs: dict[str, Cost] = field(default_factory=dict)

    def note(self, step: str, cost: Cost) -> None:
        """Keep what a step took, and say it at once: the next one may fail."""
        self.costs[step] = cost
        print(
            f"  {step}: {cost.seconds:.2f} s, {cost.peak_mb:,.0f} MB", file=sys.stderr, flush=True
        )


def tables(shape: Shape, n_scores: int) -> list[range]:
    """Return the systems of each table that a store is made of, with all runs of each."""
    n_systems = shape.counts(n_scores)[0]
    n_tables = min(n_systems, -(-n_scores // _TABLE))
    ends = np.linspace(0, n_systems, n_tables + 1).astype(int)
    return [range(begin, end) for begin, end in pairwise(ends.tolist())]


def write_table(path: Path, shape: Shape, n_scores: int, systems: range) -> int:
    """Write a long Parquet table; return how many scores it holds. Systems differ by up to 1 SD."""
    n_systems, *others = shape.counts(n_scores)
    counts = (len(systems), *others)
    rng = np.random.default_rng(systems.start)
    n_rows = int(np.prod(counts))
    heads = ("system", "set", "night", "q")
    names = [
        pa.array([f"{head}{begin + i:06d}" for i in range(count)])
        for head, count, begin in zip(heads, counts, (systems.start, 0, 0, 0), strict=True)
    ]
    skill = np.linspace(0.0, 1.0, n_systems)[systems.start : systems.stop]
    texts = pa.dictionary(pa.int32(), pa.string())
    fields = [(column, texts) for column in _COLUMNS]
    schema = pa.schema([*fields, ("accuracy", pa.float64())])
    with parquet.ParquetWriter(path, schema) as file:
        for begin in range(0, n_rows, _CHUNK):
            codes = np.unravel_index(np.arange(begin, min(begin + _CHUNK, n_rows)), counts)
            scores = skill[codes[0]] + rng.normal(size=len(codes[0]))
            columns = [
                pa.DictionaryArray.from_arrays(pa.array(code.astype(np.int32)), name)
                for code, name in zip(codes, names, strict=True)
            ]
            scaled = pa.array((1 / (1 + np.exp(-scores))).round(6))
            file.write_table(pa.table([*columns, scaled], schema=schema))
    return n_rows


class File:
    """A store in a file; a command computes by itself."""

    environment: Mapping[str, str] | None = None

    def __init__(self, path: Path) -> None:
        self.path = path
        self.address = str(path)

    def n_bytes(self) -> int:
        """Return how large the store is."""
        return self.path.stat().st_size

    def seconds(self, used: float, waited: float) -> float:
        """Return which seconds count: those of the processor."""
        return used


class Together:
    """A store on PostgreSQL; workers of Dask compute, and each has a processor."""

    def __init__(self, server: postgresql.Server, environment: Mapping[str, str]) -> None:
        self.server, self.environment = server, environment
        self.address = server.address()

    def n_bytes(self) -> int:
        """Return how large the store is."""
        import psycopg

        whole = self.address.replace("+psycopg", "")
        with psycopg.connect(whole) as connection:
            found = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        assert found is not None
        return int(found[0])

    def seconds(self, used: float, waited: float) -> float:
        """Return which seconds count: those on the clock."""
        return waited


@contextmanager
def together() -> Iterator[Together]:
    """Start a server and two workers, and end them."""
    with postgresql.server() as server, clustered(2) as cluster:
        yield Together(server, cluster.environment)


def run_command(store: File | Together, words: Sequence[str]) -> Cost:
    """Run a command of its own process; peak memory is that process's."""
    command = [sys.executable, "-m", "tiebreak", "--store", store.address, *words]
    begin = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=store.environment,
    )
    assert process.stderr is not None
    told = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(words)} ended with {process.returncode}: {told[-400:]}")
    seconds = store.seconds(used.ru_utime + used.ru_stime, time.monotonic() - begin)
    return Cost(seconds, used.ru_maxrss * 1024 / 1e6)


def commands(shape: Shape, folder: Path) -> dict[str, list[str]]:
    """Return the commands to time; two systems of the middle are compared."""
    middle = [f"system{shape.n_systems // 2 + at:06d}" for at in range(2)]
    asked = {
        "ls runs": ["ls", "runs"],
        "leaderboard": ["leaderboard", "set000000"],
        "compare": ["compare", *middle, "--dataset", "set000000"],
        "pairs": ["pairs", "set000000"],
    }
    if shape.n_datasets > 2:
        asked["rank"] = ["rank", "--independent"]
    return asked | {"export scores": ["export", "scores", "--out", str(folder / "out.parquet")]}


def pages(shape: Shape) -> list[Address]:
    """Return the pages to time."""
    board = {"dataset": "set000000"}
    asked: list[tuple[str, dict[str, str]]] = [
        ("home", {}),
        ("board", board),
        ("board", board | {"tab": "pairs"}),
        ("library", {"tab": "runs"}),
    ]
    if shape.n_datasets > 2:
        asked.append(("across", {"tab": "ranking"}))
    return [(place, urlencode(query)) for place, query in asked]


def measure(shape: Shape, n_scores: int, folder: Path, store: File | Together) -> Measured:
    """Make a store, and time what is asked of it."""
    table = folder / "scores.parquet"
    found, ingest = Measured(0), Cost(0.0)
    for systems in tables(shape, n_scores):
        # In a process of its own: a command would inherit the peak memory of this one.
        with ProcessPoolExecutor(1, get_context("spawn")) as elsewhere:
            written = elsewhere.submit(write_table, table, shape, n_scores, systems)
            found.n_scores += written.result()
        cost = run_command(store, ["ingest", str(table), "--yes"])
        ingest = Cost(ingest.seconds + cost.seconds, max(ingest.peak_mb, cost.peak_mb))
        table.unlink()
    found.note("ingest", ingest)
    found.n_bytes = store.n_bytes()
    for name, words in commands(shape, folder).items():
        found.note(f"{name}, first", run_command(store, words))
        if not name.startswith("export"):
            found.note(f"{name}, again", run_command(store, words))
    if isinstance(store, File):
        with served(store.path) as server:
            asyncio.run(_open_pages(server, pages(shape), found))
    return found


async def _open_pages(server: Server, asked: Sequence[Address], found: Measured) -> None:
    await at_rest(server)

    async def use(sessions: list[Session]) -> None:
        for page in asked:
            name = "page " + "?".join(filter(None, page)).replace("dataset=set000000", "")
            name = name.replace("?&", "?").rstrip("?")
            for when in ("first", "again", "again"):
                before = server.cpu_s()
                opened = await sessions[0].open(page)
                assert opened.is_whole, page
                cost = Cost(server.cpu_s() - before, server.memory_mb())
                found.note(f"{name}, {when}", cost)

    await with_sessions(server, 1, use)


def exponent(sizes: Sequence[int], costs: Sequence[float]) -> float | None:
    """Return by which power of the size a cost grew over the last step; None where it is noise."""
    if len(sizes) < 2 or min(costs[-2:]) < 0.02:
        return None
    return log(costs[-1] / costs[-2]) / log(sizes[-1] / sizes[-2])


def document(found: Mapping[str, Sequence[Measured]], loads: float) -> list[str]:
    """Return docs/sizes.md."""
    lines = [
        *("# How it grows", ""),
        *wrapped(
            f"On {time.strftime('%Y-%m-%d')}, Python {platform.python_version()}, "
            f"{os.cpu_count()} processors ({platform.machine()}); when it began, {loads:.1f} "
            "processes were at work. `make sizes` makes this page anew."
        ),
        "",
        *wrapped(
            "CPU seconds of a whole process for commands, of the server for pages; memory is the "
            "peak of the command, or what the server held. The exponent is that of the last step: "
            "at 1 ten times the scores take ten times as long, at 0 no longer. A dash: too quick "
            "to say. *Again*: asked a second time."
        ),
    ]
    for name, stores in found.items():
        lines += ["", f"## {SHAPES[name].words[0].upper()}{SHAPES[name].words[1:]}", ""]
        lines += _table(stores)
    return lines


def _table(stores: Sequence[Measured]) -> list[str]:
    sizes = [one.n_scores for one in stores]
    heads = [f"{size:,} scores" for size in sizes]
    lines = [
        f"| what | {' | '.join(heads)} | exponent | MB at the largest |",
        f"|---|{'---|' * len(sizes)}---|---|",
        _row("file, bytes a score", [one.n_bytes / one.n_scores for one in stores], None, None),
    ]
    for step in stores[-1].costs:
        costs = [one.costs[step].seconds for one in stores]
        lines.append(_row(step, costs, exponent(sizes, costs), stores[-1].costs[step].peak_mb))
    return lines


def _row(name: str, values: Sequence[float], grows: float | None, peak_mb: float | None) -> str:
    shown = [f"{value:.2f}" for value in values]
    tail = [
        "–" if grows is None else f"{round(grows, 1) + 0.0:.1f}",
        "" if peak_mb is None else f"{peak_mb:,.0f}",
    ]
    return f"| {' | '.join([name, *shown, *tail])} |"


def _measured(name: str, sizes: Sequence[int], *, elsewhere: bool) -> Iterator[Measured]:
    for n_scores in sizes:
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            if elsewhere:
                with together() as store:
                    one = measure(SHAPES[name], n_scores, folder, store)
            else:
                one = measure(SHAPES[name], n_scores, folder, File(folder / "store.db"))
        steps = ", ".join(f"{step} {cost.seconds:.2f}" for step, cost in one.costs.items())
        print(f"{name}, {one.n_scores:,} scores, {one.n_bytes / 1e6:,.0f} MB: {steps}")
        sys.stdout.flush()
        yield one


def main(words: Sequence[str] | None = None) -> None:
    """Measure, and write the document."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--scores", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--together", action="store_true", help="PostgreSQL and two Dask workers")
    parser.add_argument("--out", type=Path, help="document to write")
    given = parser.parse_args(words)
    loads = os.getloadavg()[0]
    found = {
        name: list(_measured(name, given.scores, elsewhere=given.together)) for name in given.shapes
    }
    lines = document(found, loads)
    print("\n".join(lines))
    if given.out is not None:
        given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
