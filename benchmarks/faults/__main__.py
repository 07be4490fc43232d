"""Try everything; write what was lost or shown wrong into ``docs/reliability.md``."""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

from benchmarks import postgresql
from benchmarks.faults.files import FileRounds
from benchmarks.faults.rounds import N_READERS, N_WRITERS, Rounds, rounds_of
from benchmarks.faults.servers import ServerRounds
from benchmarks.faults.work import WORK, Tally
from benchmarks.rights.page import BEGIN

_CRASHES = ("ingest", "replace", "undo", "delete and purge", "restore", "upgrade")
_ON_DISK = tuple(name for name in WORK if name != "backup")
"""A backup of a server's store is a file elsewhere."""


Kinds = dict[str, Callable[[], Tally]]
"""What is tried, as the page calls it -> what runs its rounds."""


def on_files(rounds: FileRounds, n: int) -> Kinds:
    """Return all kinds of rounds on SQLite."""
    kinds: Kinds = {
        f"kill -9 in {name}": partial(rounds.kill, name, rounds_of(n, name)) for name in WORK
    }
    kinds |= {f"no room in {name}": partial(rounds.fill, name, max(2, n // 5)) for name in WORK}
    return kinds | _of_both(rounds, n)


def on_a_server(rounds: ServerRounds, n: int) -> Kinds:
    """Return all kinds of rounds on PostgreSQL, but for those on a small disk."""
    kinds: Kinds = {
        f"{how} in {name}": partial(run, name, rounds_of(n, name))
        for how, run in (("kill -9", rounds.kill), ("connection lost", rounds.cut))
        for name in WORK
    }
    kinds |= {
        f"server killed in {name}": partial(rounds.crash, name, max(2, n // 10))
        for name in _CRASHES
    }
    return kinds | _of_both(rounds, n)


def on_a_small_disk(rounds: ServerRounds, n: int, disk: Path) -> Kinds:
    """Return the rounds on PostgreSQL whose disk is full."""
    return {
        f"no room in {name}": partial(rounds.fill, name, max(2, n // 5), disk) for name in _ON_DISK
    }


def _of_both(rounds: Rounds, n: int) -> Kinds:
    return {
        "upgrade while the version before reads and writes": partial(
            rounds.two_versions, max(2, n // 10)
        ),
        "clock goes back": partial(rounds.turn_back, max(2, n // 10)),
        f"{N_WRITERS} writers and {N_READERS} readers at once": partial(
            rounds.crowd, max(1, n // 20)
        ),
    }


class Log:
    """What came of each kind of rounds; in a file, a later run goes on where one was cut.

    Parameters
    ----------
    path
        A line of JSON for each kind that was run: take one away to have it run again.
    only
        Back-end, or none for both.
    words
        Kinds that have one of these in their name; none for all.
    """

    def __init__(self, path: Path | None, only: str | None, words: Sequence[str]) -> None:
        self.path, self.only, self.words = path, only, words
        self.parts: dict[str, dict[str, Tally]] = {"SQLite": {}, "PostgreSQL": {}}
        if path is not None and path.exists():
            for line in path.read_text("utf-8").splitlines():
                backend, fields = json.loads(line)
                self.parts[backend][fields["what"]] = Tally(**fields)

    def wants(self, backend: str) -> bool:
        """Return whether a back-end was asked for."""
        return self.only in (None, backend)

    def run(self, backend: str, rounds: Rounds, kinds: Kinds, seed: int) -> None:
        """Run what was asked for and is not there yet."""
        for what, kind in kinds.items():
            is_wanted = not self.words or any(word in what for word in self.words)
            if is_wanted and what not in self.parts[backend]:
                rounds.rng = random.Random(f"{seed} {what}")  # the same, whatever ran before
                self._add(backend, kind())

    def _add(self, backend: str, tally: Tally) -> None:
        self.parts[backend][tally.what] = tally
        line = json.dumps([backend, asdict(tally)])
        print(line, flush=True)
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as out:
                print(line, file=out)

    def tallies(self) -> dict[str, list[Tally]]:
        """Return back-end -> what came of its rounds, in the order in which they were run."""
        return {name: list(part.values()) for name, part in self.parts.items() if part}


def written(parts: dict[str, list[Tally]]) -> str:
    """Return the page."""
    lines = [
        "# Reliability",
        "",
        "Made by `make faults`. Each round begins with a copy of one store, does the work in a",
        "process of its own, and stops it at a moment, or a size of its files, drawn at random.",
        "Then the store must be in the state before or after the work, `db check` must find",
        "nothing, every score must be what was written, and the next import must go in. A restore",
        "that is stopped may leave the store under the name that `tiebreak doctor` tells. On",
        "PostgreSQL a restore or an upgrade that was stopped is begun again first, and goes on.",
        "Where nothing is killed, the work must end well or with an error in words.",
    ]
    for backend, tallies in parts.items():
        lines += [
            "",
            f"## {backend}",
            "",
            "| tried | rounds | work was stopped | lost or shown wrong |",
            "|---|--:|--:|---|",
        ]
        for one in tallies:
            wrong = "nothing" if not one.wrong else f"{len(one.wrong)}: {one.wrong[0]}"
            lines.append(f"| {one.what} | {one.n:,} | {one.n_stopped:,} | {wrong} |")
        if backend == "PostgreSQL" and not any("no room" in one.what for one in tallies):
            lines += ["", "A full disk was not tried: only root can mount a small one."]
    lines += [
        "",
        "The version before is today's code that takes the revision before for the newest.",
        "Not tried: a power cut, a network that is slow or cut in half.",
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    """Run the rounds; the exit code is 1 when anything was lost or shown wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only", choices=("SQLite", "PostgreSQL"))
    parser.add_argument("--kind", action="append", default=[], help="a part of its name")
    parser.add_argument("--log", type=Path, help="go on from this file, and write into it")
    given = parser.parse_args()
    log = Log(given.log, given.only, given.kind)
    n, seed = given.rounds, given.seed
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        if log.wants("SQLite"):
            rounds = FileRounds(Path(folder), seed)
            log.run("SQLite", rounds, on_files(rounds, n), seed)
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        if log.wants("PostgreSQL"):
            with postgresql.server() as server:
                there = ServerRounds(Path(folder), seed, server)
                log.run("PostgreSQL", there, on_a_server(there, n), seed)
                with there.small_disk() as disk:
                    if disk is not None:
                        log.run("PostgreSQL", there, on_a_small_disk(there, n, disk), seed)
    parts = log.tallies()
    page = written(parts)
    print(page)
    if given.out is not None:
        before = given.out.read_text(encoding="utf-8") if given.out.exists() else ""
        _, begin, rights = before.partition(BEGIN)  # what another script wrote there
        given.out.write_text(f"{page}\n{begin}{rights}" if begin else page, encoding="utf-8")
    return 1 if any(one.wrong for tallies in parts.values() for one in tallies) else 0


if __name__ == "__main__":
    raise SystemExit(main())
