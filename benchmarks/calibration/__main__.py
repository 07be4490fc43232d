"""`python -m benchmarks.calibration`: simulate, count, and write the report."""

from __future__ import annotations

import sys

from benchmarks.calibration import frame, report
from benchmarks.calibration.corrections import N_RESAMPLES
from benchmarks.calibration.run import REPETITIONS, Cell, Figures, cells_of, run
from benchmarks.calibration.storage import About


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = frame.parser(
        "benchmarks.calibration",
        __doc__,
        name=report.NAME,
        cases="cells",
        example="wilcoxon | ratings | n=50",
        counts="figures",
    )
    parser.add_argument(
        "--repetitions",
        type=int,
        default=REPETITIONS,
        help=f"samples per cell (default {REPETITIONS}; half of that for 1,000 items)",
    )
    options = parser.parse_args(arguments)

    def simulate(cells: list[Cell]) -> tuple[Figures, About]:
        figures = run(
            cells,
            repetitions=options.repetitions,
            seed=options.seed,
            processes=options.processes,
        )
        return figures, About(
            options.repetitions,
            options.seed,
            N_RESAMPLES,
            options.processes,
            frame.processor_minutes(),
            frame.versions(),
        )

    return frame.carry_out(options, report.REPORT, cells_of(), simulate, _merged)


def _merged(older: Figures, newer: Figures) -> Figures:
    """Return the older figures with those that were computed again in their place."""
    for row, columns in newer.items():
        for column, cells in columns.items():
            older.setdefault(row, {}).setdefault(column, {}).update(cells)
    return older


if __name__ == "__main__":
    sys.exit(main())
