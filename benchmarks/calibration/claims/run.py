"""Simulate histories, many times over, and count the false and the true claims that hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.calibration.claims.procedures import (
    FRONTIER,
    PROCEDURES,
    Tests,
    covered,
    outcomes,
    play,
)
from benchmarks.calibration.claims.scenarios import BLOCK, Scenario
from benchmarks.calibration.frame import Progress, simulate_parts
from benchmarks.calibration.run import Figure, highest

FloatArray = npt.NDArray[np.float64]

REPETITIONS = {17: 6_000, 100: 2_500, 1_000: 1_000}
"""By the number of looks."""
_NORMAL = 3.2905267314919255
"""Two-sided 0.1 %, as for `Figure`."""
_TINY = 1e-9
N_SUMS = 8


class Found(NamedTuple):
    """How a procedure fared in a scenario; sums over the histories."""

    repetitions: int
    with_false: int
    """Histories in which a false claim holds."""
    shares: float
    """Of false ones among the claims that hold."""
    squares: float
    true: int
    """True claims that hold."""

    @property
    def family_wise(self) -> Figure:
        """How often any false claim holds."""
        return Figure(self.repetitions, (float(self.with_false), math.nan), 0)

    @property
    def discovery(self) -> Figure:
        """How large the share of false claims is among those that hold."""
        return Figure(self.repetitions, (self.shares, math.nan), 0, (self.squares, math.nan))

    @property
    def mean_true(self) -> float:
        """Mean number of true claims that hold in a history."""
        return self.true / self.repetitions


class Intervals(NamedTuple):
    """How often intervals miss the true gain of a record; sums over some histories."""

    records: int
    missed: int
    missed_plain: int
    exaggerated: int
    """Records whose true gain is below the interval."""
    below: int
    """Records whose true gain is below the corrected one."""
    records_squared: int
    missed_squared: int
    records_missed: int

    def __add__(self, other: object) -> Intervals:
        """Pool two sets of histories."""
        if not isinstance(other, Intervals):
            return NotImplemented
        return Intervals(*(a + b for a, b in zip(tuple(self), tuple(other), strict=True)))

    @property
    def rate(self) -> float:
        """Share of the records whose interval misses."""
        return self.missed / self.records if self.records else math.nan

    @property
    def error(self) -> float:
        """Standard error of the rate; records of a history go together."""
        rate = self.rate
        squares = (
            self.missed_squared - 2 * rate * self.records_missed + rate**2 * self.records_squared
        )
        return math.sqrt(max(squares, 0.0)) / self.records if self.records else math.nan

    def exceeds(self, level: float) -> bool:
        """Return whether more than a share of the intervals miss, chance taken off."""
        return self.records > 0 and self.rate > level + _NORMAL * max(
            self.error, math.sqrt(level * (1 - level) / self.records)
        )


class Result(NamedTuple):
    """What was counted in a scenario."""

    records: int
    """Systems after the first that passed the best."""
    true_records: int
    holder: float
    """Sum of the true accuracies of the frontier's last holders."""
    found: dict[str, Found]
    """By procedure."""
    intervals: Intervals


Results = dict[Scenario, Result]


def simulate(scenario: Scenario, block: int, repetitions: int, seed: int) -> Result:
    """Simulate up to `BLOCK` histories; intervals are computed for the first block only."""
    tests = play(scenario, block, repetitions, seed)
    found = {}
    for name, outcome in outcomes(tests).items():
        shares = outcome.false / np.maximum(outcome.false + outcome.true, 1)
        found[name] = Found(
            repetitions,
            int(np.count_nonzero(outcome.false)),
            float(shares.sum()),
            float((shares**2).sum()),
            int(outcome.true.sum()),
        )
    return Result(
        records=int(tests.claims.sum()),
        true_records=int((tests.claims & (tests.true_gain > _TINY)).sum()),
        holder=float(tests.holder_accuracy.sum()),
        found=found,
        intervals=_intervals(tests, scenario.n_items) if block == 0 else Intervals(*[0] * N_SUMS),
    )


def _intervals(tests: Tests, n_items: int) -> Intervals:
    found = covered(tests, n_items)
    n, missed = found.records, found.missed
    sums = (*found, n * n, missed * missed, n * missed)
    return Intervals(*(int(counts.sum()) for counts in sums))


def run(
    scenarios: Sequence[Scenario],
    *,
    share: float = 1.0,
    seed: int = 0,
    processes: int = 1,
    log: bool = True,
) -> Results:
    """Simulate scenarios; results do not depend on the number of processes or on each other.

    `share` is that of the usual `REPETITIONS`.
    """
    parts = [
        (scenario, block, size, seed)
        for scenario in scenarios
        for block, size in enumerate(_sizes(repetitions_of(scenario, share)))
    ]
    results: dict[Scenario, list[tuple[int, Result]]] = {s: [] for s in scenarios}
    progress = Progress(len(parts), log)
    for n_done, (part, found) in enumerate(simulate_parts(simulate, parts, processes), 1):
        scenario, block, _, _ = part
        results[scenario].append((block, found))
        if n_done % 100 == 0:
            progress.tell(n_done, scenario.label)
    return {scenario: _pooled(blocks) for scenario, blocks in results.items()}


def repetitions_of(scenario: Scenario, share: float = 1.0) -> int:
    """Return how often a scenario is simulated."""
    return max(1, round(REPETITIONS[scenario.n_looks] * share))


def _sizes(repetitions: int) -> list[int]:
    return [min(BLOCK, repetitions - at) for at in range(0, repetitions, BLOCK)]


def _pooled(blocks: list[tuple[int, Result]]) -> Result:
    """Add up blocks, in order, so that sums are the same however they came in."""
    results = [result for _, result in sorted(blocks, key=lambda pair: pair[0])]
    intervals = results[0].intervals
    for result in results[1:]:
        intervals = intervals + result.intervals
    return Result(
        records=sum(r.records for r in results),
        true_records=sum(r.true_records for r in results),
        holder=sum(r.holder for r in results),
        found={
            # Five sums, two of them of whole numbers: a starred generator has one type for mypy.
            name: Found(*(sum(r.found[name][k] for r in results) for k in range(5)))  # type: ignore[arg-type]
            for name in PROCEDURES
        },
        intervals=intervals,
    )


def promised(name: str, found: Found) -> Figure:
    """Return the error that a procedure promises to keep at alpha."""
    of_all = name == FRONTIER or name.startswith(("alone", "alpha-spending"))
    return found.family_wise if of_all else found.discovery


def worst(
    results: Results, name: str, *, dependence: str, n_looks: int, pattern: str
) -> Figure | None:
    """Return a procedure's figure with the highest rate over the numbers of items."""
    return highest(
        promised(name, result.found[name])
        for scenario, result in results.items()
        if (scenario.dependence, scenario.n_looks, scenario.pattern)
        == (dependence, n_looks, pattern)
    )


def pooled_intervals(results: Results, dependence: str, pattern: str) -> Intervals:
    """Return the intervals of all numbers of items and looks together."""
    total = Intervals(*[0] * N_SUMS)
    for scenario, result in results.items():
        if (scenario.dependence, scenario.pattern) == (dependence, pattern):
            total = total + result.intervals
    return total
