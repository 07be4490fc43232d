"""`python -m benchmarks.calibration.claims`: simulate, count, and write the report."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import numpy
import scipy

from analysis.statistics.signature import STATISTICS_VERSION
from benchmarks.calibration.claims import report, storage
from benchmarks.calibration.claims.run import REPETITIONS, run
from benchmarks.calibration.claims.scenarios import all_scenarios


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    options = _parser().parse_args(arguments)
    stored = options.out / f"{report.NAME}.json" if options.out else None
    if options.rewrite and stored is not None:
        report.write(*storage.from_json(stored.read_text(encoding="utf-8")), options.out)
        return 0
    scenarios = [s for s in all_scenarios() if all(text in s.label for text in options.only)]
    if not scenarios:
        print(
            f"No scenario has {' and '.join(map(repr, options.only))} in its name.", file=sys.stderr
        )
        return 2
    results = run(scenarios, share=options.share, seed=options.seed, processes=options.processes)
    times = os.times()
    seconds = times.user + times.system + times.children_user + times.children_system
    about = storage.About(
        {str(looks): max(1, round(n * options.share)) for looks, n in REPETITIONS.items()},
        options.seed,
        round(seconds / 60, 1),
        {
            "tiebreak.statistics": STATISTICS_VERSION,
            "numpy": numpy.__version__,
            "scipy": scipy.__version__,
        },
    )
    if stored is None:
        print(report.page(results, about))
        return 0
    if options.only and stored.exists():
        older, about = storage.from_json(stored.read_text(encoding="utf-8"))
        results = older | results
    report.write(results, about, options.out)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.calibration.claims", description=__doc__
    )
    parser.add_argument(
        "--out",
        type=Path,
        help=f"folder for {report.NAME}.md, .svg and .json; without it the page is printed",
    )
    parser.add_argument(
        "--share",
        type=float,
        default=1.0,
        help="of the usual number of histories (default 1: "
        + ", ".join(f"{n:,} of {looks:,} looks" for looks, n in REPETITIONS.items())
        + ")",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="TEXT",
        help="only scenarios with TEXT in their name, such as 'lineage-95 | n=500 | 17 looks'; may "
        "be repeated. With --out these replace their counts in what is there",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--rewrite",
        action="store_true",
        help="write page and picture again from the counts in the --out folder",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
