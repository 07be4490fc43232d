"""`python -m benchmarks.calibration.claims`: simulate, count, and write the report."""

from __future__ import annotations

import operator
import sys

from benchmarks.calibration import frame
from benchmarks.calibration.claims import report
from benchmarks.calibration.claims.run import REPETITIONS, Results, run
from benchmarks.calibration.claims.scenarios import Scenario, all_scenarios
from benchmarks.calibration.claims.storage import About


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = frame.parser(
        "benchmarks.calibration.claims",
        __doc__,
        name=report.NAME,
        cases="scenarios",
        example="lineage-95 | n=500 | 17 looks",
    )
    parser.add_argument(
        "--share",
        type=float,
        default=1.0,
        help="of the usual number of histories (default 1: "
        + ", ".join(f"{n:,} of {looks:,} looks" for looks, n in REPETITIONS.items())
        + ")",
    )
    options = parser.parse_args(arguments)

    def simulate(scenarios: list[Scenario]) -> tuple[Results, About]:
        results = run(
            scenarios, share=options.share, seed=options.seed, processes=options.processes
        )
        return results, About(
            {str(looks): max(1, round(n * options.share)) for looks, n in REPETITIONS.items()},
            options.seed,
            frame.processor_minutes(),
            frame.versions(),
        )

    return frame.carry_out(options, report.REPORT, all_scenarios(), simulate, operator.or_)


if __name__ == "__main__":
    sys.exit(main())
