"""`python -m benchmarks.calibration.metrics`: simulate, count, and write the report."""

from __future__ import annotations

import operator
import sys

from benchmarks.calibration import frame
from benchmarks.calibration.metrics import report
from benchmarks.calibration.metrics.run import N_RESAMPLES, REPETITIONS, Results, run
from benchmarks.calibration.metrics.scenarios import Scenario, all_scenarios
from benchmarks.calibration.metrics.storage import About


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = frame.parser(
        "benchmarks.calibration.metrics",
        __doc__,
        name=report.NAME,
        cases="scenarios",
        example="systems | S=8",
    )
    parser.add_argument(
        "--repetitions",
        type=int,
        default=REPETITIONS,
        help=f"of each scenario (default {REPETITIONS})",
    )
    options = parser.parse_args(arguments)

    def simulate(scenarios: list[Scenario]) -> tuple[Results, About]:
        results = run(
            scenarios,
            repetitions=options.repetitions,
            seed=options.seed,
            processes=options.processes,
        )
        return results, About(
            options.repetitions,
            options.seed,
            N_RESAMPLES,
            frame.processor_minutes(),
            frame.versions(),
        )

    return frame.carry_out(options, report.REPORT, all_scenarios(), simulate, operator.or_)


if __name__ == "__main__":
    sys.exit(main())
