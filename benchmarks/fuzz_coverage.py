"""Inputs that atheris makes by what they reach in the readers: only documented errors may come out.

    python -m benchmarks.fuzz_coverage FOLDER … [--inputs 100000] [--format NAME]

Needs atheris, which is no part of the development environment: `make fuzz FILES=FOLDER` sets up one
for it. Seeds are the small files of each format below the folders, as in benchmarks.fuzz. Each
format runs in a process of its own; the exit code is 1 where one of them found an error.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import atheris

_SEEDS = 4

with atheris.instrument_imports(include=["store.importers"]):
    from benchmarks.fuzz import seeds_in
    from store.errors import StoreError
    from store.importers.bundle import ReadOptions
    from store.importers.registry import IMPORTERS, Importer
    from store.ingest.checks import require_well_built


def main() -> int:
    """Run every format, or the one that is named; return 1 where an error came out."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--format", help="this one alone; then files are given, its seeds")
    parser.add_argument("--seconds", type=int, default=0, help="for each format; 0: no end")
    given = parser.parse_args()
    if given.format:
        _run(given.format, given.folders, given.inputs, given.seconds)
    seeds = seeds_in(given.folders, random.Random(1))
    n_faults = 0
    for name in sorted(seeds):
        smallest = sorted(seeds[name], key=lambda path: path.stat().st_size)[:_SEEDS]
        command = [sys.executable, "-m", "benchmarks.fuzz_coverage", *map(str, smallest)]
        command += ["--format", name, f"--inputs={given.inputs}", f"--seconds={given.seconds}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        told = [line for line in done.stderr.splitlines() if line.startswith(("#", "Done"))]
        verdict = "FAULT" if done.returncode else "no fault"
        print(f"{name}: {verdict}; {' '.join(told[-1:])}", flush=True)
        if done.returncode:
            print((done.stdout + done.stderr)[-4_000:], flush=True)
        n_faults += done.returncode != 0
    return int(n_faults > 0)


def _run(name: str, seeds: list[Path], n_inputs: int, seconds: int) -> None:
    """Fuzz one format and leave the process, as atheris does."""
    importer = next(one for one in IMPORTERS if one.name == name)
    with tempfile.TemporaryDirectory() as corpus, tempfile.TemporaryDirectory() as place:
        for number, seed in enumerate(seeds):
            shutil.copy(seed, Path(corpus) / str(number))
        options = [f"-atheris_runs={n_inputs}", "-rss_limit_mb=2000", f"-max_len={_longest(seeds)}"]
        options += [f"-max_total_time={seconds}"] * bool(seconds)
        target = _reader(importer, Path(place) / seeds[0].name)
        atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={place}/", corpus], target)
        atheris.Fuzz()


def _longest(seeds: list[Path]) -> int:
    return 2 * max(seed.stat().st_size for seed in seeds)


def _reader(importer: Importer, path: Path) -> Callable[[bytes], None]:
    def read(data: bytes) -> None:
        path.write_bytes(data)
        try:
            if importer.sniff(path, ReadOptions()):
                require_well_built(importer.read([path], ReadOptions(), {path: path.name}))
        except StoreError:
            pass

    return read


if __name__ == "__main__":
    sys.exit(main())
