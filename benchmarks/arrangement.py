"""The whole arrangement on one machine: two servers, a balancer, PostgreSQL, two workers of Dask.

    python -m benchmarks.arrangement

A browser goes the ways of the front door through HAProxy. On each, the server that it is with is
killed. Then long studies are asked with the cluster, without it, and while a worker dies.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
from playwright.sync_api import Page, expect

from analysis.statistics._typing import FloatArray
from analysis.statistics.all_pairs.max_t import max_t_all_pairs
from analysis.workers.parts import SCHEDULER
from benchmarks import postgresql, serving
from benchmarks.cluster import Cluster, clustered
from benchmarks.loaded_server import free_ports, wait_for, wait_until

ROOT: Final = Path(__file__).resolve().parent.parent
_PATIENCE_MS: Final = 240_000
"""Of a browser: a crowded machine is slow, and nothing here measures how slow."""
_COOKIE: Final = "TIEBREAK_SERVER"
_OF_A_COPY: Final = ("store", "claim_uid")
"""What of an answer differs from copy to copy of a store."""
_STUDIES: Final[Mapping[str, Sequence[str]]] = {
    "replicability of all pairs": ["replicability", "--json", "--n-resamples", "60000"],
    "all pairs by max-T": ["pairs", "encodings", "--correction", "max-t", "--json"],
    "audit": ["claims", "audit", "--json"],
}


class Arrangement:
    """What a browser and commands need to know of it."""

    def __init__(self, address: str, location: str, cluster: Cluster) -> None:
        self.address, self.location, self.cluster = address, location, cluster

    def kill_server_of(self, page: Page) -> str:
        """Kill the server that a browser is with; return its name, once another one answers."""
        cookies = page.context.cookies()
        name = next(one["value"] for one in cookies if one.get("name") == _COOKIE)
        port = str(name).removeprefix("s")
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with open_quietly(path) as words:
                if f"--server.port={port}" in words:
                    os.kill(int(path.parent.name), signal.SIGKILL)
        return str(name)


@contextmanager
def open_quietly(path: Path) -> Iterator[list[str]]:
    """Yield the words of a process's command, none if it is gone."""
    try:
        yield path.read_text(errors="replace").split("\0")
    except OSError:
        yield []


@contextmanager
def arranged(store: Path) -> Iterator[Arrangement]:
    """Start everything, with a copy of a store."""
    if (haproxy := shutil.which("haproxy")) is None:
        raise SystemExit("It takes HAProxy: install the system's package `haproxy`.")
    with tempfile.TemporaryDirectory() as folder, postgresql.server() as database, clustered() as c:
        database.psql("CREATE DATABASE results")
        location = database.address("results")
        told(["db", "copy", str(store), location], c.environment)
        port, balancer = free_ports(3), Path(folder, "haproxy.cfg")
        options = ["--workers", "2", "--port", str(port), "--balancer", str(balancer)]
        servers = subprocess.Popen(
            [sys.executable, "-m", "tiebreak", "--store", location, "serve", *options],
            cwd=ROOT,
            env=c.environment,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_until(balancer.exists)
            proxy = subprocess.Popen([haproxy, "-f", str(balancer)], stderr=subprocess.DEVNULL)
            try:
                for each in (port, port + 1, port + 2):
                    wait_for(each)
                yield Arrangement(f"http://127.0.0.1:{port}", location, c)
            finally:
                proxy.terminate()
                proxy.wait()
        finally:
            servers.terminate()
            servers.wait()


def told(words: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return what a command prints."""
    done = subprocess.run(
        [sys.executable, "-m", "tiebreak", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{words}: {done.stderr}")
    return done.stdout


def from_home_to_an_item(page: Page, arrangement: Arrangement) -> None:
    """Home, the comparison of leader and runner-up, the items on which they differ."""
    page.goto(f"{arrangement.address}/home")
    serving.settle(page)
    row = page.get_by_role("row", name="everyday parses")
    row.get_by_role("link", name="shift-reduce").click()
    arrangement.kill_server_of(page)
    expect(page.get_by_test_id("stButtonGroup").first).to_be_visible()
    serving.settle(page)
    page.get_by_test_id("stButtonGroup").get_by_text("nearest-head better").click()
    expect(page.get_by_text("Showing 15 of 48 items")).to_be_visible()
    expect(page.locator("section mark").first).to_be_visible()


def import_then_answer(page: Page, arrangement: Arrangement) -> None:
    """Import a file, see its leader, and undo the import."""
    results = Path(tempfile.mkdtemp(), "results.csv")
    rows = ["system,dataset,item,metric,score"]
    for dataset in ("news", "mail", "talk"):
        for number in range(60):
            rows.append(f"alpha,{dataset},{number},accuracy,{int(number % 10 != 0)}")
            rows.append(f"beta,{dataset},{number},accuracy,{int(number % 2 == 0)}")
    results.write_text("\n".join(rows) + "\n", encoding="utf-8")
    page.goto(f"{arrangement.address}/library?tab=imports")
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(results)
    expect(page.get_by_text(re.compile("^6 runs added"))).to_be_visible()
    page.get_by_role("button", name="Import this").click()
    expect(page.get_by_text("Done: 6 runs and 0 reported figures")).to_be_visible()
    page.get_by_role("link", name="Leaderboard of news").click()
    expect(page.get_by_text("alpha leads on news with accuracy 0.9")).to_be_visible()
    arrangement.kill_server_of(page)
    page.goto(f"{arrangement.address}/compare?tab=datasets&a=alpha&b=beta&alpha=0.01")
    sentence = "alpha is better than beta on at least 3 of 3 datasets"
    expect(page.get_by_text(sentence)).to_be_visible()


def across_with_cluster(page: Page, arrangement: Arrangement) -> None:
    """The replicability of all pairs, computed by the workers, and who works on Admin."""
    page.goto(f"{arrangement.address}/library?tab=admin")
    expect(page.get_by_text("2 workers of Dask")).to_be_visible()
    page.goto(f"{arrangement.address}/across?tab=replicability&seed=7")
    serving.settle(page)
    arrangement.kill_server_of(page)
    page.goto(f"{arrangement.address}/across?tab=replicability&seed=8")
    serving.settle(page)
    expect(page.get_by_role("heading", level=3)).to_contain_text("datasets they share")


JOURNEYS: Final = (from_home_to_an_item, import_then_answer, across_with_cluster)


def same_answers(cluster: Cluster, store: Path) -> Iterator[str]:
    """Ask long studies here and of the cluster, then while it falls apart; yield a row each."""
    alone = {name: value for name, value in os.environ.items() if name != "TIEBREAK_DASK"}
    for name, words in _STUDIES.items():
        expected, here_s = answered(store, words, alone)
        found, there_s = answered(store, words, cluster.environment)
        yield _row(name, here_s, there_s, found == expected)
    expected, here_s = max_t()
    os.environ[SCHEDULER] = cluster.address
    for what, process in (
        ("", None),
        (", a worker killed on the way", cluster.workers[0]),
        (", the scheduler killed on the way", cluster.scheduler),
        (", without a scheduler", None),
    ):
        found, there_s = max_t(process)
        yield _row(f"max-T of 40 systems{what}", here_s, there_s, bool((found == expected).all()))
    del os.environ[SCHEDULER]


def max_t(victim: subprocess.Popen[bytes] | None = None) -> tuple[FloatArray, float]:
    """Return adjusted p-values of 40 systems, and the seconds; kill a process a quarter through."""
    scores = np.random.default_rng(0).normal(size=(40, 3_000))

    def progress(done: int, total: int) -> None:
        if victim is not None and done > total / 4:
            victim.kill()

    began = time.monotonic()
    found = np.nan_to_num(max_t_all_pairs(scores, n_resamples=8_000_000, progress=progress))
    return found, time.monotonic() - began


def answered(
    store: Path, words: Sequence[str], environment: Mapping[str, str]
) -> tuple[Any, float]:
    """Return the answer to a study of a copy, and the seconds that it took."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(store, Path(folder, "copy.db"))
        began = time.monotonic()
        said = told(["--store", str(copy), *words], environment)
        return plain(json.loads(said)), time.monotonic() - began


def _row(name: str, here_s: float, there_s: float, is_same: bool) -> str:
    return (
        f"| {name} | {here_s:.1f} | {there_s:.1f} | {'the same' if is_same else 'NOT the same'} |"
    )


def plain(answer: Any) -> Any:
    """Return an answer without where its store lies."""
    if isinstance(answer, dict):
        return {name: plain(value) for name, value in answer.items() if name not in _OF_A_COPY}
    return [plain(value) for value in answer] if isinstance(answer, list) else answer


def main(words: Sequence[str] | None = None) -> int:
    """Go all ways, and say what came of them; 1 if one failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.parse_args(words)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "example.db")
        told(["--store", str(store), "demo"], os.environ)
        with arranged(store) as arrangement, serving.running_chromium() as browser:
            expect.set_options(timeout=_PATIENCE_MS)
            for journey in JOURNEYS:
                context = browser.new_context(reduced_motion="reduce")
                page = context.new_page()
                page.set_default_timeout(_PATIENCE_MS)
                began = time.monotonic()
                try:
                    journey(page, arrangement)
                    said = "passed"
                except Exception as error:
                    said, failed = f"FAILED: {error!s:.400}", True
                print(f"* {journey.__name__}, a server killed on the way: {said}", end="")
                print(f", {time.monotonic() - began:.0f} s.", flush=True)
                context.close()
            print("\n| study | here, s | with 2 workers, s | answer |\n|---|---|---|---|")
            for row in same_answers(arrangement.cluster, store):
                print(row, flush=True)
                failed |= "NOT" in row
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
