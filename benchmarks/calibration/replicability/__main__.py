"""`python -m benchmarks.calibration.replicability`: simulate, count, and write the report."""

from __future__ import annotations

import sys

from benchmarks.calibration import frame
from benchmarks.calibration.replicability import report
from benchmarks.calibration.replicability.estimators import N_RESAMPLES
from benchmarks.calibration.replicability.run import JOINT_REPETITIONS, REPETITIONS, Results, run
from benchmarks.calibration.replicability.scenarios import Scenario, all_scenarios
from benchmarks.calibration.replicability.storage import About


def merge(older: Results, newer: Results) -> Results:
    """Put new counts in the place of older ones; scenarios keep their order."""
    both = older | newer
    return {scenario: both[scenario] for scenario in all_scenarios() if scenario in both}


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = frame.parser(
        "benchmarks.calibration.replicability",
        __doc__,
        name=report.NAME,
        cases="scenarios",
        example="shared-50 | t-50 | N=10",
        processes=1,
    )
    parser.add_argument(
        "--repetitions",
        type=int,
        default=REPETITIONS,
        help=f"of each scenario (default {REPETITIONS}); the joint estimate has fewer",
    )
    options = parser.parse_args(arguments)
    share = options.repetitions / REPETITIONS

    def simulate(scenarios: list[Scenario]) -> tuple[Results, About]:
        results = run(
            scenarios,
            repetitions=options.repetitions,
            joint_share=share,
            seed=options.seed,
            processes=options.processes,
        )
        return results, About(
            options.repetitions,
            {str(n): round(number * share) for n, number in JOINT_REPETITIONS.items()},
            options.seed,
            N_RESAMPLES,
            frame.processor_minutes(),
            frame.versions(),
        )

    return frame.carry_out(options, report.REPORT, all_scenarios(), simulate, merge)


if __name__ == "__main__":
    sys.exit(main())
