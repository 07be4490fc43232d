"""`python -m benchmarks.calibration.replicability`: simulate, count, and write the report."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import numpy
import scipy

from analysis.statistics.signature import STATISTICS_VERSION
from benchmarks.calibration.replicability import report, storage
from benchmarks.calibration.replicability.estimators import N_RESAMPLES
from benchmarks.calibration.replicability.run import JOINT_REPETITIONS, REPETITIONS, run
from benchmarks.calibration.replicability.scenarios import all_scenarios


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
    share = options.repetitions / REPETITIONS
    results = run(
        scenarios,
        repetitions=options.repetitions,
        joint_share=share,
        seed=options.seed,
        processes=options.processes,
    )
    times = os.times()
    seconds = times.user + times.system + times.children_user + times.children_system
    about = storage.About(
        options.repetitions,
        {str(n): round(number * share) for n, number in JOINT_REPETITIONS.items()},
        options.seed,
        N_RESAMPLES,
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
        prog="python -m benchmarks.calibration.replicability", description=__doc__
    )
    parser.add_argument(
        "--out",
        type=Path,
        help=f"folder for {report.NAME}.md, .svg and .json; without it the page is printed",
    )
    parser.add_argument(
        "--repetitions",
        type=int,
        default=REPETITIONS,
        help=f"of each scenario (default {REPETITIONS}); the joint estimate has fewer",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="TEXT",
        help="only scenarios with TEXT in their name, such as 'shared-50 | t-50 | N=10'; may be "
        "repeated. With --out these replace their counts in what is there",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument(
        "--rewrite",
        action="store_true",
        help="write page and picture again from the counts in the --out folder",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
