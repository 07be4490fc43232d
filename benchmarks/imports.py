"""What one plain `tiebreak ingest FOLDER` does with every folder of real results.

    python -m benchmarks.imports DATA [FOLDER …] [--out TABLE.md]

Each folder goes into an empty store of its own. The table says the exit code, what went in, what
was asked or left out although it seems to hold results, how long it took, and whether a second
import changes nothing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

_PARTS = (("runs", "n_runs"), ("figures", "n_figures"), ("judgments", "n_judgments"))
_MOST = 120
"""Characters of a reason."""


class Outcome(NamedTuple):
    """What came of one folder."""

    folder: str
    code: int
    seconds: float
    went_in: str
    missing: str
    is_stable: bool
    megabytes: float
    """Peak memory."""


def main(arguments: list[str] | None = None) -> int:
    """Run over the folders and print the table; return how many did not go in whole."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(arguments)
    names = given.folders or sorted(p.name for p in given.data.iterdir() if p.is_dir())
    outcomes = []
    for name in names:
        outcomes.append(try_folder(given.data / name))
        print(_line(outcomes[-1]), flush=True)
    codes = Counter(one.code for one in outcomes)
    told = f"{codes[0]} of {len(outcomes)} whole, {codes[3]} in part, {codes[2]} not at all"
    print(told)
    if given.out is not None:
        head = [
            "| folder | exit | what went in | asked or left out | s | MB |",
            "|---|---|---|---|---|---|",
        ]
        lines = [*head, *map(_line, outcomes), "", told]
        given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return sum(one.code != 0 for one in outcomes)


def try_folder(folder: Path) -> Outcome:
    """Import a folder twice into a new store."""
    with tempfile.TemporaryDirectory() as place:
        began = time.monotonic()
        code, result, told, megabytes = _ingest(folder, Path(place))
        seconds = time.monotonic() - began
        if code not in (0, 3):
            return Outcome(folder.name, code, seconds, "nothing", _short(told), True, megabytes)
        _, again, _, _ = _ingest(folder, Path(place))
        entries = result["plan"]["entries"]
        counts = Counter(entry["read_as"] for entry in entries if entry["state"] != "left out")
        went_in = ", ".join(f"{name} {number}" for name, number in sorted(counts.items()))
        sums = {word: sum(entry[key] for entry in entries) for word, key in _PARTS}
        went_in += ": " + ", ".join(f"{number:,} {word}" for word, number in sums.items() if number)
        asked = [question["subject"] for entry in entries for question in entry["questions"]]
        faults = [
            f"{entry['files'][0]}: {entry['reason']}" for entry in entries if entry["is_fault"]
        ]
        missing = "; ".join(map(_short, [*dict.fromkeys(asked), *faults]))
        is_stable = not any(
            value for key, value in again.items() if key.endswith("_added") and key != "run_uids"
        )
        return Outcome(folder.name, code, seconds, went_in, missing, is_stable, megabytes)


def _ingest(folder: Path, place: Path) -> tuple[int, dict[str, Any], str, float]:
    """Import a folder from a working folder of its own: questions are written into that."""
    full = folder.resolve()
    words = ["--store", str(place / "s.db"), "ingest", str(full), "--json"]
    script = (
        "import atexit, resource, sys; sys.argv[0] = 'tiebreak'; from dashboard.cli import main;"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"
        "atexit.register(lambda: print(f'\\n{peak()}', file=sys.stderr)); main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
        env=_environment(),
    )
    above = f"{full.parent.as_posix()}/"
    said, told = (text.replace(above, "") for text in (done.stdout, done.stderr.rstrip()))
    result = json.loads(said)["result"] if said.startswith("{") else {}
    told, _, peak = told.rpartition("\n")
    return done.returncode, result, told, int(peak) / 1024


def _environment() -> dict[str, str]:
    import os

    root = str(Path(__file__).resolve().parents[1])
    return {**os.environ, "PYTHONPATH": root}


def _line(one: Outcome) -> str:
    unstable = "" if one.is_stable else " **a second import changes something**"
    size = f"{one.megabytes:.0f}"
    cells = (one.folder, one.code, one.went_in, one.missing + unstable, f"{one.seconds:.0f}", size)
    return f"| {' | '.join(str(cell).replace('|', '/') for cell in cells)} |"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST else f"{line[:_MOST]}…"


if __name__ == "__main__":
    sys.exit(min(main(), 1))
