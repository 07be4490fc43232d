"""`python -m benchmarks.calibration`: simulate, count, and write the report."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import numpy
import scipy

from analysis.statistics.signature import STATISTICS_VERSION
from benchmarks.calibration import report, storage
from benchmarks.calibration.corrections import N_RESAMPLES
from benchmarks.calibration.run import REPETITIONS, Figures, cells_of, run


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    options = _parser().parse_args(arguments)
    stored = options.out / f"{report.NAME}.json" if options.out else None
    if options.rewrite and stored is not None:
        report.write(*storage.from_json(stored.read_text(encoding="utf-8")), options.out)
        return 0
    cells = [cell for cell in cells_of() if all(text in cell.label for text in options.only)]
    if not cells:
        print(f"No cell has {' and '.join(map(repr, options.only))} in its name.", file=sys.stderr)
        return 2
    figures = run(
        cells,
        repetitions=options.repetitions,
        seed=options.seed,
        processes=options.processes,
    )
    about = storage.About(
        options.repetitions,
        options.seed,
        N_RESAMPLES,
        options.processes,
        round(_processor_time() / 60, 1),
        {
            "tiebreak.statistics": STATISTICS_VERSION,
            "numpy": numpy.__version__,
            "scipy": scipy.__version__,
        },
    )
    if stored is None:
        print(report.page(figures, about))
        return 0
    if options.only and stored.exists():
        older, about = storage.from_json(stored.read_text(encoding="utf-8"))
        figures = _merged(older, figures)
    report.write(figures, about, options.out)
    return 0


def _processor_time() -> float:
    """Return the seconds that this process and its children have computed."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _merged(older: Figures, newer: Figures) -> Figures:
    """Return the older figures with those that were computed again in their place."""
    for row, columns in newer.items():
        for column, cells in columns.items():
            older.setdefault(row, {}).setdefault(column, {}).update(cells)
    return older


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=__doc__)
    parser.add_argument(
        "--out",
        type=Path,
        help="folder for calibration.md, .svg and .json; without it the page is printed",
    )
    parser.add_argument(
        "--repetitions",
        type=int,
        default=REPETITIONS,
        help=f"samples per cell (default {REPETITIONS}; half of that for 1,000 items)",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="TEXT",
        help="only cells with TEXT in their name, such as 'wilcoxon | ratings | n=50'; may be "
        "repeated. With --out these replace their figures in what is there",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--rewrite",
        action="store_true",
        help="write page and picture again from the figures in the --out folder",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
