"""`python -m benchmarks.answers`: record the answers of this checkout, compare with older ones."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

from benchmarks.answers.cells import Agreement, cells_summary, compare_cells
from benchmarks.answers.comparing import Recording, compare, read_expected, summary
from benchmarks.answers.recording import record
from benchmarks.answers.stores import STORES

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str] | None = None) -> int:
    """Record, unless a recording is named; compare, where one is given; 1 where they differ."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.answers", description=__doc__)
    parser.add_argument("--name", help="folder in .answers; by default the commit")
    parser.add_argument("--out", type=Path, help="folder to record into, in place of .answers/NAME")
    parser.add_argument("--quick", action="store_true", help="a part of the questions")
    parser.add_argument("--only", default="", help="names of stores, separated by commas")
    parser.add_argument("--recorded", type=Path, help="compare this recording; record nothing")
    parser.add_argument("--against", type=Path, help="an older recording to compare with")
    parser.add_argument("--tolerance", type=float, default=0.0, help="relative; default: exact")
    parser.add_argument("--expect", type=Path, help="file of differences that are expected")
    parser.add_argument("--examples", type=int, default=1, help="values shown of each kind")
    chosen = parser.parse_args(arguments)
    expected = read_expected(chosen.expect) if chosen.expect else []
    before = Recording.read(chosen.against) if chosen.against else None
    folder = chosen.recorded or chosen.out or ROOT / ".answers" / (chosen.name or _commit())
    if chosen.recorded is None:
        record(folder, quick=chosen.quick, only=tuple(filter(None, chosen.only.split(","))))
        print(f"Recorded into {folder}", file=sys.stderr)
    after = Recording.read(folder)
    if before is None:
        print("\n".join(cells_summary(_cells(after, after.index["stores"]))))
        return 0
    found = compare(before, after, tolerance=chosen.tolerance)
    lines, unexpected = summary(found, expected, chosen.examples)
    print("\n".join(lines))
    both = {*before.index["stores"]} & {*after.index["stores"]}
    for when, recording in (("Before", before), ("After", after)):
        print(f"{when}: {cells_summary(_cells(recording, both))[-1]}")
    return 1 if unexpected else 0


def _cells(recording: Recording, stores: Collection[str]) -> list[Agreement]:
    return [
        compare_cells(store.name, board, recording.asked(store.name))
        for store in STORES
        if store.name in stores
        for board in store.boards
    ]


def _commit() -> str:
    words = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude=*"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
