"""Simulate pairs of equally good metrics, many times over, and count the false alarms."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics.meta_evaluation.comparison import TESTS, compare_metrics
from analysis.statistics.results import DegenerateDataWarning
from benchmarks.calibration.corrections import LEVELS
from benchmarks.calibration.frame import Progress, simulate_parts
from benchmarks.calibration.metrics.scenarios import (
    BLOCK,
    MEASURES,
    Measure,
    Scenario,
    draw,
    measures_of,
)
from benchmarks.calibration.run import Figure

REPETITIONS = 400
N_RESAMPLES = 199
_CLOSED = ("fisher-z", "williams", "steiger")


class Row(NamedTuple):
    """A test of a measure."""

    measure: Measure
    test: str

    @property
    def label(self) -> str:
        """As the file of counts names it."""
        return f"{self.measure.level} | {self.measure.coefficient} | {self.test}"

    @classmethod
    def from_label(cls, label: str) -> Row:
        """Return the row with such a label."""
        level, coefficient, test = label.split(" | ")
        return cls(Measure(level, coefficient), test)


def rows_of(errors: str) -> tuple[Row, ...]:
    """Return the tests that are run on such metrics."""
    return tuple(
        Row(measure, test)
        for measure in measures_of(errors)
        for test in TESTS
        if test not in _CLOSED or "accuracy" not in measure.coefficient
    )


ROWS = tuple(
    Row(measure, test)
    for measure in MEASURES
    for test in TESTS
    if test not in _CLOSED or "accuracy" not in measure.coefficient
)
Results = dict[Scenario, dict[Row, Figure]]


def simulate(scenario: Scenario, block: int, repetitions: int, seed: int) -> npt.NDArray[np.int64]:
    """Simulate up to `BLOCK` repetitions.

    Returns
    -------
    ndarray of int, shape (n_rows, 3)
        P-values up to .05, up to .01, and samples without one.
    """
    draws, rows = draw(scenario, block, seed), rows_of(scenario.errors)
    counts = np.zeros((len(rows), 3), dtype=np.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        for repetition in range(repetitions):
            for place, row in enumerate(rows):
                p = compare_metrics(
                    *(side[repetition] for side in draws),
                    level=row.measure.level,
                    coefficient=row.measure.coefficient,
                    test=row.test,
                    n_resamples=N_RESAMPLES,
                    rng=seed + block * BLOCK + repetition,
                    n_threads=1,
                ).pvalue
                counts[place] += [p <= LEVELS[0], p <= LEVELS[1], math.isnan(p)]
    return counts


def run(
    scenarios: Sequence[Scenario],
    *,
    repetitions: int = REPETITIONS,
    seed: int = 0,
    processes: int = 1,
    log: bool = True,
) -> Results:
    """Simulate scenarios; results do not depend on the number of processes or on each other."""
    parts = [
        (scenario, block, min(BLOCK, repetitions - block * BLOCK), seed)
        for scenario in scenarios
        for block in range(-(-repetitions // BLOCK))
    ]
    sums = {s: np.zeros((len(rows_of(s.errors)), 3), dtype=np.int64) for s in scenarios}
    progress = Progress(len(parts), log)
    for n_done, ((scenario, *_), found) in enumerate(simulate_parts(simulate, parts, processes), 1):
        sums[scenario] += found
        if n_done % 20 == 0:
            progress.tell(n_done, scenario.label)
    return {
        scenario: {
            row: Figure(repetitions, (float(found[0]), float(found[1])), int(found[2]))
            for row, found in zip(rows_of(scenario.errors), counts, strict=True)
        }
        for scenario, counts in sums.items()
    }
