"""`python -m benchmarks.calibration.end_to_end`: make stores, ask every command, and count."""

from __future__ import annotations

import operator
import sys

from analysis.statistics.validity_bounds import BOUNDS
from benchmarks.calibration import frame
from benchmarks.calibration.end_to_end import report
from benchmarks.calibration.end_to_end.run import Results, run
from benchmarks.calibration.end_to_end.scenarios import SCENARIOS, Scenario
from benchmarks.calibration.end_to_end.storage import About


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = frame.parser(
        "benchmarks.calibration.end_to_end",
        __doc__,
        name=report.NAME,
        cases="scenarios",
        example="pairs | skewed",
    )
    parser.add_argument(
        "--share", type=float, default=1.0, help="of the answers that a full run asks for"
    )
    options = parser.parse_args(arguments)

    def simulate(scenarios: list[Scenario]) -> tuple[Results, About]:
        results = run(
            scenarios, seed=options.seed, processes=options.processes, share=options.share
        )
        return results, About(
            options.seed,
            options.share,
            {name: bound.value for name, bound in BOUNDS.items()},
            frame.processor_minutes(),
            frame.versions(),
        )

    return frame.carry_out(options, report.REPORT, SCENARIOS, simulate, operator.or_)


if __name__ == "__main__":
    sys.exit(main())
