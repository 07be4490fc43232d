"""Files that are meant to do harm, and stores that something has gone wrong with, one by one.

``python -m benchmarks.attacks`` gives each file to the command and to a server, and asks
``tiebreak doctor`` about each fault. What came of it goes into ``docs/reliability.md``.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import requests

from benchmarks import serving
from benchmarks.attacks.files import FILES, GOOD, PLACES, written
from benchmarks.attacks.strange import STRANGE
from store.engine import open_store
from store.tokens import add_token

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- attacks -->", "<!-- end of attacks -->"
MOST_MB, MOST_S, MOST_WORDS = 1_500, 60, 7_000
"""Memory and time of a command, and characters that it may say."""
_FORK: Final = multiprocessing.get_context("fork")
_CODES: Final = (0, 1, 2, 3)
"""Well, not well, refused, read in part."""


class Told(NamedTuple):
    """What came of one attempt."""

    code: int
    seconds: float
    mb: int
    """Most memory that the process took."""
    words: str


def run(words: list[str], store: Path) -> Told:
    """Run a command; say how it ended, how long it took and what it said."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(
            [sys.executable, "-m", "tiebreak", "--store", str(store), *words],
            cwd=ROOT, stdout=out, stderr=out, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        code = -1
        while time.monotonic() - began < MOST_S:
            done, status, usage = os.wait4(child.pid, os.WNOHANG)
            if done:
                code = os.waitstatus_to_exitcode(status)
                break
            time.sleep(0.02)
        else:
            child.kill()
            _, _, usage = os.wait4(child.pid, 0)
        child.returncode = code
        out.seek(0)
        said = out.read(200_000).decode("utf-8", "replace")
    return Told(code, time.monotonic() - began, usage.ru_maxrss // 1024, said)


def faults_of(told: Told) -> list[str]:
    """Return what no command may do."""
    return [
        what
        for what, is_so in (
            (f"ended with {told.code}", told.code not in _CODES),
            ("took too long", told.seconds > MOST_S),
            (f"took {told.mb} MB", told.mb > MOST_MB),
            (f"said {len(told.words):,} characters", len(told.words) > MOST_WORDS),
            ("a traceback", "Traceback" in told.words),
            ("bytes of a terminal", "\x1b" in told.words or "\u202e" in told.words),
        )
        if is_so
    ]


def by_command(folder: Path) -> list[tuple[str, ...]]:
    """Give every file to `ingest`; the store must be sound afterwards, and take good results."""
    rows = []
    for number, (what, make) in enumerate((FILES | STRANGE | PLACES).items()):
        place = folder / str(number)
        place.mkdir()
        told = run(["ingest", str(_apart(make, place))], place / "s.db")
        wrong = faults_of(told)
        good = run(["ingest", str(written(place, "good.csv", GOOD))], place / "s.db")
        wrong += [] if good.code == 0 else ["good results do not go in afterwards"]
        rows.append((what, *_shown(told), "; ".join(wrong) or "nothing"))
        shutil.rmtree(place)
    return rows


def _apart(make: Callable[[Path], Path], place: Path) -> Path:
    """Have a process of its own make a file: a command's memory begins at that of who starts it."""
    here, there = _FORK.Pipe(duplex=False)
    child = _FORK.Process(target=lambda: there.send(make(place)))
    child.start()
    path: Path = here.recv()
    child.join()
    return path


def _shown(told: Told) -> tuple[str, str, str]:
    return ("refused" if told.code else "read", f"{told.seconds:.1f}", f"{told.mb:,}")


def over_http(folder: Path) -> list[tuple[str, ...]]:
    """Send every file to a server, which must answer in words and live on."""
    store = folder / "s.db"
    with open_store(store, create=True) as opened:
        token = add_token(opened, "attacks", actor="f", scope="write")[1]
    rows = []
    with serving.served(store) as address:
        head = {"Authorization": f"Bearer {token}"}
        for number, (what, make) in enumerate((FILES | STRANGE).items()):
            place = folder / str(number)
            place.mkdir()
            path = _apart(make, place)
            began = time.monotonic()
            answer = requests.post(
                f"{address}/api/v1/ingest",
                files=[("files", (path.name, path.read_bytes()))],
                headers=head,
                timeout=400,
            )
            seconds = time.monotonic() - began
            health = requests.get(f"{address}/_stcore/health", timeout=30).status_code
            wrong = [f"answered {answer.status_code}"] * (answer.status_code >= 500)
            wrong += ["the server does not answer"] * (health != 200)
            wrong += ["a long answer"] * (len(answer.content) > 100_000)
            rows.append(
                (what, str(answer.status_code), f"{seconds:.1f}", "; ".join(wrong) or "nothing")
            )
            shutil.rmtree(place)
    return rows


def _flip(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        ((row, data),) = connection.execute("SELECT id, data FROM score_vector LIMIT 1").fetchall()
        spoiled = bytes([data[0] ^ 1]) + data[1:]
        connection.execute("UPDATE score_vector SET data = ? WHERE id = ?", (spoiled, row))
    connection.close()


def _overwrite(path: Path, at: float, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(int(path.stat().st_size * at))
        file.write(content)


def _revision(path: Path, revision: str) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
    connection.close()


def _away(path: Path) -> None:
    path.rename(path.with_name(f"{path.name}.restoring"))


STORES: Final[dict[str, tuple[Callable[[Path], object], str]]] = {
    "one bit of a score": (_flip, "db restore"),
    "half of the file is gone": (lambda p: os.truncate(p, p.stat().st_size // 2), "db restore"),
    "the file is empty": (lambda p: os.truncate(p, 0), "db "),
    "the beginning is overwritten": (lambda p: _overwrite(p, 0, b"x" * 200), "db restore"),
    "the middle is overwritten": (lambda p: _overwrite(p, 0.5, b"\xff" * 9_000), "db restore"),
    "the file is text": (lambda p: p.write_text("no store\n" * 1_000), "db restore"),
    "of an older revision": (lambda p: _revision(p, "0003"), "db upgrade"),
    "of a newer revision": (lambda p: _revision(p, "9999"), "--upgrade"),
    "gone": (Path.unlink, "ingest"),
    "gone, in the middle of a restore": (_away, "db restore"),
    "a backup was never finished": (
        lambda p: p.with_name(f"{p.name}.x.bak.partial").write_bytes(b""), "rm "
    ),
    "copied without its log": (
        lambda p: p.with_name(f"{p.name}-shm").write_bytes(b""), "db backup"
    ),
}  # fmt: skip
"""What is wrong with a store: how it comes about, and what `doctor` must name as help."""


def by_doctor(folder: Path) -> list[tuple[str, ...]]:
    """Bring about each fault; `doctor` must name it with a command, and no command may break."""
    good = folder / "good.db"
    run(["ingest", str(written(folder, "good.csv", GOOD))], good)
    rows = []
    for number, (what, (bring_about, help)) in enumerate(STORES.items()):
        path = folder / str(number) / "s.db"
        path.parent.mkdir()
        shutil.copy(good, path)
        bring_about(path)
        told = run(["doctor", "--json"], path)
        wrong = faults_of(told)
        try:
            found = json.loads(told.words)["result"]["findings"]
        except (ValueError, KeyError):
            found, wrong = [], [*wrong, "doctor gives no JSON"]
        named = [
            one for one in found if one["state"] != "ok" and help in one["help"] + one["found"]
        ]
        wrong += [] if named else [f"doctor does not name {help.strip()!r}"]
        for words in (["leaderboard", "good"], ["ls", "systems"], ["db", "check"]):
            wrong += [f"{' '.join(words)}: {one}" for one in faults_of(run(words, path))]
        rows.append((what, named[0]["help"] if named else "", "; ".join(wrong) or "nothing"))
    return [(what, f"`{help.replace(str(folder), '…')}`", wrong) for what, help, wrong in rows]


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def told(
    commands: list[tuple[str, ...]], server: list[tuple[str, ...]], doctor: list[tuple[str, ...]]
) -> str:
    """Return the section of the page."""
    return f"""{BEGIN}
## Files of strangers

Made by `make attacks`. Each file is given to `tiebreak ingest`, and to a server as results over
HTTP. It must be refused in words or read, in less than {MOST_S} seconds and {MOST_MB:,} MB,
without a traceback, a byte that a terminal obeys or more than {MOST_WORDS:,} characters. Good
results must go in afterwards.

{_table(("file", "by the command", "seconds", "MB", "wrong"), commands)}

{_table(("file", "status over HTTP", "seconds", "wrong"), server)}

## What `tiebreak doctor` says

Each fault is brought about in a copy of a store. The help is what `doctor` names; `leaderboard`,
`ls` and `db check` must answer or refuse in words.

{_table(("what is wrong", "help", "wrong"), doctor)}
{END}"""


def main() -> int:
    """Try everything; the exit code is 1 when anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="attacks-") as folder:
        parts = []
        for name, tried in (("c", by_command), ("h", over_http), ("d", by_doctor)):
            place = Path(folder) / name
            place.mkdir()
            parts.append(tried(place))
    section = told(*parts)
    print(section)
    if given.out is not None:
        page = given.out.read_text(encoding="utf-8")
        head, _, rest = page.partition(BEGIN)
        rest = rest.partition(END)[2]
        given.out.write_text(f"{head.rstrip()}\n\n{section}\n{rest}".rstrip() + "\n", "utf-8")
    return int(any(row[-1] != "nothing" for part in parts for row in part))


if __name__ == "__main__":
    raise SystemExit(main())
